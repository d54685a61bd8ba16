"""`lsqlc letters`: what dead-letter topics hold, and replaying it after a fix."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from lsqlc.plan.plan import Plan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.tasks.dead_letters import Group, Letter, Replay
    from lsqlc.tasks.run_target import RunTarget

command = typer.Typer(
    help="List and replay the letters of dead-letter topics.", no_args_is_help=True, rich_markup_mode=None
)
Topics = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TOPIC]...", help="Dead-letter topics; by default all of the models.", autocompletion=completing.topics
    ),
]
Reason = Annotated[
    str | None, typer.Option("--reason", metavar="TEXT", help="Only those of this reason; * stands for any text.")
]


@dataclass(frozen=True, slots=True)
class _Request:
    compilation: Compilation
    place: RunTarget
    topics: Mapping[str, tuple[Plan, ...]]


@command.command("list")
def list_(*, topics: Topics = None, target: options.Target = None, common: options.Common) -> None:
    """List the letters by their reasons.

    A line has the number of letters with a reason, of those that were replayed, and the time of the newest record.
    """
    with shell("letters list", common.output, common.quiet) as sh:
        from lsqlc.tasks.dead_letters import grouped, letters_of

        request = _request(sh, topics, common.project_dir, target, common.vars)
        groups = grouped(letters_of(request.place.log, request.topics))
        if sh.json:
            sh.document({"version": 1, "command": sh.command, "ok": True, "letters": [asdict(g) for g in groups]})
        elif groups:
            sh.result(_table(groups, sh.width))
        else:
            sh.say("no letters" if request.topics else "no model has a dead-letter topic")


@command.command("show")
def show(
    *,
    topics: Topics = None,
    reason: Reason = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="The last letters to show; 0: all.")] = 20,
    target: options.Target = None,
    common: options.Common,
) -> None:
    """Show letters with the records that they are about. With --output json, one object a line."""
    with shell("letters show", common.output, common.quiet, lines=True) as sh:
        from lsqlc.tasks.dead_letters import letters_of, of_reason

        request = _request(sh, topics, common.project_dir, target, common.vars)
        letters = of_reason(letters_of(request.place.log, request.topics), reason)
        last_letters: Sequence[Letter] = deque(letters, maxlen=limit or None)
        for number, letter in enumerate(last_letters):
            if sh.json:
                sh.line(asdict(letter))
            else:
                sh.result("\n" * (number > 0) + _text(letter))
        if not last_letters and not sh.json:
            sh.say("no letters")


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """The letters that are replayed."""

    topics: Topics = None
    reason: Reason = None
    all: Annotated[bool, typer.Option("--all", help="Replay the letters of all reasons.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be written.")] = False


@command.command("replay")
def replay(own: ReplayOptions, *, target: options.Target = None, common: options.Common) -> None:
    """Write the records of letters to their topics again.

    This is done once for each letter, if the models can read its record now. Give --reason, as `letters list` prints
    it, or --all. Records that still cannot be read stay letters, and the exit code is 1. Every model that reads such a
    topic reads its records again.
    """
    with shell("letters replay", common.output, common.quiet) as sh:
        from lsqlc.tasks.dead_letters import other_readers
        from lsqlc.tasks.dead_letters import replay as replayed

        if (own.reason is None) != own.all:
            raise typer.BadParameter("give a reason or --all, not both", param_hint="--reason")
        request = _request(sh, own.topics, common.project_dir, target, common.vars)
        if not request.topics:
            sh.say("no model has a dead-letter topic")
        result = replayed(request.place, request.compilation, request.topics, own.reason, write=not own.dry_run)
        others = sorted(other_readers(request.compilation, request.topics, result.written))
        _say(sh, result, others, dry_run=own.dry_run)


def _request(
    sh: Shell, topics: Sequence[str] | None, project_dir: Path | None, target: str | None, vars: str | None
) -> _Request:  # fmt: skip
    from lsqlc.project.workspace import sound
    from lsqlc.tasks.dead_letters import letter_topics
    from lsqlc.tasks.run_target import open_compiled

    workspace = project.opened(sh, project_dir, vars)
    compilation = sound(workspace.compilation)
    dead_letter_topics = letter_topics(compilation, topics or ())
    return _Request(compilation, open_compiled(compilation, workspace.target(target)), dead_letter_topics)


def _say(sh: Shell, result: Replay, others: Sequence[str], *, dry_run: bool) -> None:
    from lsqlc.diagnostics import Diagnostic, listing
    from lsqlc.golden.show import plural

    wrong = [
        Diagnostic("LSQ685", f"{plural(count, 'letter')} of '{topic}' cannot be replayed: {why}")
        for (topic, why), count in result.refused.items()
    ]
    if sh.json:
        from lsqlc.report.json_report import diagnostic_data

        refusals = [{"topic": topic, "why": why, "letters": n} for (topic, why), n in result.refused.items()]
        data = {"version": 1, "command": sh.command, "ok": not wrong, "written": not dry_run}
        counts = {"replayed": dict(result.written), "replayed_before": result.before, "refused": refusals}
        sh.document({**data, **counts, "diagnostics": [diagnostic_data(d) for d in wrong]})
    for topic, count in result.written.items():
        verb = "would be written" if dry_run else "written"
        sh.say(f"{topic}: {plural(count, 'record')} {verb} again")
    if result.before:
        sh.say(f"{plural(result.before, 'letter')} {'was' if result.before == 1 else 'were'} replayed before")
    if not (result.written or result.before or wrong):
        sh.say("no letters")
    if others:
        sh.say(f"{listing(others)} also {'reads' if len(others) == 1 else 'read'} these records again")
    if wrong:
        sh.show(wrong)
        raise typer.Exit(1)


def _table(groups: Sequence[Group], width: int) -> str:
    from lsqlc.report.tables import Column, table_lines, time_text

    columns = [
        Column("letters in", tuple(g.letters for g in groups)),
        Column("of topic", tuple(g.topic for g in groups)),
        Column("letters", tuple(f"{g.count:,}" for g in groups), right=True),
        Column("replayed", tuple(f"{g.replayed:,}" for g in groups), right=True),
        Column("newest", tuple(time_text(g.last) for g in groups)),
        Column("reason", tuple(g.reason for g in groups)),
    ]
    return "\n".join(table_lines(columns, width))


def _text(letter: Letter) -> str:
    from lsqlc.report.tables import plain, time_text

    place = "" if letter.ordinal is None else f", ordinal {letter.ordinal}"
    if letter.partition is not None:
        place = f", partition {letter.partition}, offset {letter.offset}"
    suffix = ", replayed" if letter.replayed else ""
    by = "" if letter.model is None else f", read by {plain(letter.model)}"
    head = f"{letter.topic}{place}, {time_text(letter.timestamp)}{by}{suffix}: {plain(letter.reason)}"
    if letter.partition is None:
        return f"{head}\n  {plain(letter.record)}"
    facets = (("key", letter.key, letter.key_encoding), ("value", letter.value, letter.value_encoding))
    texts = [
        f"{name} {'null' if text is None else plain(text)}{f' ({encoding})' if encoding else ''}"
        for name, text, encoding in facets
    ]
    return f"{head}\n  {', '.join(texts)}"
