"""`lsqlc produce`: write records to a topic, from stdin or a file."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.connectors.transport import TopicWriter
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.tasks.produce import Produced
    from lsqlc.types.record import Topic

# Refused lines that are shown; the rest are counted.
_SHOWN = 20
# Seconds between two words about what has been written.
_PAUSE = 5.0
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_RATE = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:/(s|m|h))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ProduceOptions:
    """The records of `lsqlc produce`."""

    topic: Annotated[
        str,
        typer.Argument(
            metavar="TOPIC",
            help="A topic that no model writes.",
            autocompletion=completing.topics,
        ),
    ]
    file: Annotated[
        Path | None, typer.Option("--file", "-f", metavar="FILE", help="Read this file (also .gz, .zip), not stdin.")
    ] = None
    raw: Annotated[bool, typer.Option("--raw", help="Each line is the value of a record.")] = False
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="N[/s|/m|/h]", help="At most N records a second, minute or hour.")
    ] = None
    now: Annotated[
        bool, typer.Option("--now", help="Give every record the current time, also one that has a timestamp.")
    ] = False


def command(own: ProduceOptions, *, target: options.Target = None, common: options.Common) -> None:
    """Write records to a topic, also while a run reads it.

    Each line of the input is a record in JSON, as `lsqlc show --output json` prints it: key, value, timestamp, headers.
    A value of null is a tombstone; a record without a timestamp gets the current time. A line that does not fit the
    topic is refused with its number, the others are written, and the exit code is 1. Ctrl-C ends it; what was read
    until then is written. A topic that does not exist is created.
    """
    with shell("produce", common.output, common.quiet) as sh:
        from lsqlc.tasks.produce import topic_to_feed
        from lsqlc.tasks.run_target import open_target

        rate = _rate(own.rate)
        workspace = project.opened(sh, common.project_dir, common.vars)
        described_target, compilation = workspace.target(target), workspace.compilation
        declared = topic_to_feed(compilation, own.topic)
        place = open_target(workspace.root, described_target, compilation.plans.values(), [declared], workspace.project)
        place.check_writable()
        with place.log.feed(declared) as feed:
            if feed.created is not None:
                from lsqlc.golden.show import plural

                sh.say(
                    f"created the topic '{own.topic}' with {plural(feed.created, 'partition')}, since it did not exist"
                )
            result, refusals, stopped = _produce(sh, feed, declared, own, rate)
        if sh.json:
            from lsqlc.report.json_report import diagnostic_data

            found_wrong = [diagnostic_data(d) for error in refusals for d in error.diagnostics]
            data = {"version": 1, "command": "produce", "ok": not result.refused, "topic": own.topic}
            counts = {"written": result.written, "refused": result.refused, "lines": result.line}
            sh.document({**data, **counts, "diagnostics": found_wrong})
        if stopped:
            raise typer.Exit(128 + stopped)
        if result.refused:
            raise typer.Exit(1)


def _produce(
    sh: Shell, feed: TopicWriter, topic: Topic, own: ProduceOptions, rate: float | None
) -> tuple[Produced, list[LsqlcError], int]:
    """Write the lines, at most `rate` records a second. Return the counts, the errors of refused lines, and the signal
    that ended it.
    """
    from lsqlc.cli.line_input import lines_of
    from lsqlc.cli.running import stopping
    from lsqlc.tasks.produce import Clock, Input, Listener, Pace, Produced, produce, raw_reader, record_reader

    input_name = "<stdin>" if own.file is None else own.file.as_posix()
    path = None if own.file is None else own.file.absolute()
    clock = Clock(wall=time.time)
    read = raw_reader(topic, input_name, clock.wall)
    if not own.raw:
        read = record_reader(topic, input_name, clock.wall, always_now=own.now)
    refusals: list[LsqlcError] = []
    latest, spoke = Produced(), time.monotonic()

    def refuse(error: LsqlcError, line: bytes) -> None:
        refusals.append(error)
        if len(refusals) <= _SHOWN:
            # The finding shows its line, which nobody can read again from a pipe.
            number = next((d.line for d in error.diagnostics if d.line), 1)
            sh.texts[input_name] = "\n" * (number - 1) + line.decode("utf-8", "replace")
            sh.show(error.diagnostics)
            sh.error("")

    def report(progress: Produced) -> None:
        nonlocal latest, spoke
        latest = progress
        if time.monotonic() - spoke >= _PAUSE and not progress.ended:
            spoke = time.monotonic()
            sh.say(_counts(topic.name, progress, "so far"))

    if path is None and sys.stdin.isatty():
        sh.say(f"reading records of '{topic.name}' from the terminal; Ctrl-D ends")
    with stopping(lambda: None) as stop, lines_of(path, input_name) as lines:
        try:
            input = Input(input_name, lines, read, has_records=not own.raw)
            produce(feed, topic, input, Pace(rate, stop.asked, clock), Listener(refuse, report))
        finally:
            if len(refusals) > _SHOWN:
                sh.error(f"and {len(refusals) - _SHOWN:,} more refused lines\n")
            more = f", up to line {latest.line:,}" if stop.signal else ""
            sh.say(_counts(topic.name, latest, "written") + more)
    return latest, refusals, stop.signal


def _counts(topic: str, progress: Produced, word: str) -> str:
    from lsqlc.golden.show import plural

    refusals = f", {plural(progress.refused, 'line')} refused" if progress.refused else ""
    return f"{topic}: {plural(progress.written, 'record')} {word}{refusals}"


def _rate(text: str | None) -> float | None:
    """Records a second."""
    if text is None:
        return None
    match = _RATE.fullmatch(text)
    rate = float(match[1]) / _UNITS[match[2] or ""] if match else 0.0
    if rate <= 0:
        raise typer.BadParameter(f"'{text}' is not a rate, such as 100, 100/s or 5/m", param_hint="--rate")
    return rate
