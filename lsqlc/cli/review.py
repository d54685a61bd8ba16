"""`lsqlc review`: new and changed golden files one by one, to be accepted or rejected."""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.golden.pending import Decision, Pending

_KEYS = "[y]es, [n]o, [s]kip, [a]ccept all that are left, [q]uit"


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """The options of `lsqlc review`."""

    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[PATHS]...", help="Golden files, and folders of them.")
    ] = None
    accept: Annotated[bool, typer.Option("--accept", help="Accept all, or those of PATHS, without a question.")] = False
    reject: Annotated[bool, typer.Option("--reject", help="Reject all, or those of PATHS, without a question.")] = False
    only_list: Annotated[bool, typer.Option("--list", help="Show them, and ask nothing.")] = False


def command(own: ReviewOptions, common: options.Common) -> None:
    """Show new and changed golden files with what differs, and accept or reject each.

    The cases run on DuckDB. Accepted results are written to the golden file; a new file that a test has written and
    that is rejected is removed; a changed one that is rejected stays, as its model is to be corrected. Without a
    terminal the files are only shown, unless --accept or --reject says what becomes of them. The exit code is 1 if a
    file is left or rejected, or if a case fails for another reason.
    """
    with shell("review", common.output, common.quiet) as sh:
        from lsqlc.diagnostics import Diagnostic, LsqlcError
        from lsqlc.lower.duckdb import evaluate
        from lsqlc.report.json_report import diagnostic_data, result_data
        from lsqlc.report.review_report import pending_data
        from lsqlc.report.text import failure_text
        from lsqlc.tasks.review import chosen, settle, waiting

        if sum((own.accept, own.reject, own.only_list)) > 1:
            raise typer.BadParameter("only one of --accept, --reject and --list is possible", param_hint="--accept")
        if (own.accept or own.reject) and "CI" in os.environ:
            help = "review on your machine and commit the files, or unset CI"
            raise LsqlcError([Diagnostic("LSQ690", "golden files are not written where CI is set", help=help)])
        compilation = project.opened(sh, common.project_dir, common.vars).compilation
        state = waiting(compilation, evaluate)
        sh.texts.update(state.texts)
        problems = (*compilation.diagnostics, *state.diagnostics)
        pending = chosen(state.pending, [_inside(compilation.project.root, path) for path in own.paths or ()])
        decisions: list[tuple[Pending, Decision]] = []
        if own.accept or own.reject:
            decisions = [(item, "accepted" if own.accept else "rejected") for item in pending]
        elif pending and not own.only_list and not sh.json and "CI" not in os.environ and sys.stdin.isatty():
            decisions = _ask(sh, pending)
        elif not sh.json:
            _show(sh, pending)
        problems = (*problems, *settle(compilation, decisions))
        verdicts = {item.path: decision for item, decision in decisions}
        left = [item for item in pending if verdicts.get(item.path) != "accepted"]
        ok = not left and not state.failures and not any(d.is_error for d in problems)
        if sh.json:
            sh.document(
                {
                    "version": 1,
                    "command": "review",
                    "ok": ok,
                    "files": [pending_data(item, verdicts.get(item.path)) for item in pending],
                    "failures": [result_data(result) for result in state.failures],
                    "diagnostics": [diagnostic_data(d) for d in problems],
                }
            )
        sh.show(problems)
        for result in state.failures:
            sh.error(failure_text(result, sh.texts, colour=sh.colour))
        sh.say(_summary(pending, decisions))
        if not ok:
            raise typer.Exit(1)


def _inside(root: Path, path: Path) -> str:
    """Return a path relative to the project, as golden files have it."""
    return os.path.relpath(path.absolute(), root).replace(os.sep, "/")


def _show(sh: Shell, pending: tuple[Pending, ...]) -> None:
    from lsqlc.diagnostics.paint import Paint
    from lsqlc.report.review_report import pending_text

    paint = Paint(sh.result_colour)
    texts = [pending_text(item, place, len(pending), paint=paint) for place, item in enumerate(pending, 1)]
    sh.result("\n\n".join(texts))


def _ask(sh: Shell, pending: tuple[Pending, ...]) -> list[tuple[Pending, Decision]]:
    """Ask the user about each file, and return the decisions."""
    from lsqlc.diagnostics.paint import Paint
    from lsqlc.report.review_report import pending_text

    decisions: list[tuple[Pending, Decision]] = []
    words: dict[str, Decision] = {"y": "accepted", "n": "rejected", "s": "skipped"}
    paint = Paint(sh.result_colour)
    for place, item in enumerate(pending, 1):
        sh.result(pending_text(item, place, len(pending), paint=paint))
        sys.stdout.flush()
        answer = _answer()
        if answer == "a":
            return decisions + [(each, "accepted") for each in pending[place - 1 :]]
        if answer == "q":
            return decisions + [(each, "skipped") for each in pending[place - 1 :]]
        decisions.append((item, words[answer]))
        sh.result("\n")
    return decisions


def _answer() -> str:
    """Return the letter of an answer. Ask until it is a valid one; the end of the input quits."""
    while True:
        print(f"accept? {_KEYS}: ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            print(file=sys.stderr)
            return "q"
        word = line.strip().lower()
        if word in ("y", "yes", "n", "no", "s", "skip", "a", "all", "accept", "q", "quit"):
            return word[0]


def _summary(pending: tuple[Pending, ...], decisions: list[tuple[Pending, Decision]]) -> str:
    from lsqlc.golden.show import plural

    if not pending:
        return "no golden file to review"
    if not decisions:
        return f"{plural(len(pending), 'golden file')} to review: `lsqlc review` asks, --accept and --reject do not"
    count = Counter(decision for _, decision in decisions)
    parts = [f"{count[word]:,} {word}" for word in ("accepted", "rejected", "skipped") if count[word]]
    return f"{plural(len(pending), 'golden file')}: {', '.join(parts)}"
