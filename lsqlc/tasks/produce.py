"""Write records to a topic as their lines come, also while a run reads it.

Lines are gathered for a moment and appended together. A line that is not a record of the topic is refused and reported
by its number; those before and after it are written.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from lsqlc.connectors.cells import BadCell, Column
from lsqlc.connectors.transport import TopicWriter
from lsqlc.diagnostics import Diagnostic, LsqlcError, Span, did_you_mean, listing
from lsqlc.formats.catalogue import is_enveloped
from lsqlc.formats.delimited import codec as delimited
from lsqlc.formats.delimited.format import delimiter as delimiter_of
from lsqlc.formats.json.any_case import spelling
from lsqlc.golden.case_records import raw_facet
from lsqlc.golden.record_lines import RecordLines, Wording, form_of, no_defaults
from lsqlc.project.build.compile import Compilation
from lsqlc.types import codec
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import Raw, Record, Topic

_WORDING = Wording(
    form="LSQ680",
    misfit="LSQ681",
    instant="LSQ680",
    values="add `--raw`",
    value_lines="add `--raw` for lines that are values",
    other="these are written to",
    other_help="produce the records of each topic by a command of its own",
    raw=True,
)
# Records of one append, and seconds for which they are gathered.
_APPEND = 10_000
_GATHER = 0.2
# Seconds after which a pause looks whether it is to end.
_LOOK = 0.05

ReadLine = Callable[[str, int], Record]
"""Returns the record of a line, which has no newline, and its number. Raises LsqlcError for errors in the line."""


class Lines(Protocol):
    """Lines as they come."""

    def take(self, seconds: float) -> bytes | None:
        """Return the next line; None if none comes within so many seconds. Raises EndOfLinesError behind the last."""
        ...


class EndOfLinesError(Exception):
    """There are no more lines."""


class WrongFormError(LsqlcError):
    """Input that is of another form than records."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Where time comes from: seconds that no setting of the clock changes, seconds since 1970, which the command line
    gives, and pauses.
    """

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = float
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Produced:
    """How many records were written and refused so far. `line`: the number of the last line that is settled; `ended`:
    all lines were read.
    """

    written: int = 0
    refused: int = 0
    line: int = 0
    ended: bool = False


def topic_to_feed(compilation: Compilation, name: str) -> Topic:
    """Return the topic of a name.

    Raises LsqlcError LSQ063 for an unknown one, and LSQ682 for one that takes no records. Raises the errors of the
    project if one of them may be the reason why a name is unknown.
    """
    topics = compilation.topics
    topic = topics.get(name)
    if topic is None:
        if name in compilation.project.broken_topics | compilation.project.broken_models:
            raise LsqlcError([d for d in compilation.diagnostics if d.is_error])
        build = compilation.models.get(name)
        if build is not None and build.outputs:
            raise LsqlcError([_written(build.outputs[0].name, name)])
        help = did_you_mean(name, topics) or (f"known are {listing(topics)}" if topics else None)
        raise LsqlcError([Diagnostic("LSQ063", f"unknown topic '{name}'", help=help)])
    if name in compilation.graph.writers:
        raise LsqlcError([_written(name, compilation.graph.writers[name])])
    if topic.files is not None:
        message = f"records cannot be produced to '{name}', which is a folder of files"
        raise LsqlcError([Diagnostic("LSQ682", message, help=f"put a file into '{topic.files.root}'")])
    if topic.connector == "delta":
        message = f"records cannot be produced to '{name}', which has the rows of a Delta table"
        raise LsqlcError([Diagnostic("LSQ682", message, help="write the rows into the table")])
    return topic


def _written(topic: str, model: str) -> Diagnostic:
    message = f"records cannot be produced to '{topic}', which the model '{model}' writes"
    return Diagnostic("LSQ682", message, help="produce to a topic that the model reads")


def record_reader(topic: Topic, path: str, now: Callable[[], float], *, always_now: bool) -> ReadLine:
    """Return a reader of lines that are records, in which `raw` and `raw_key` are the text of their bytes.

    `path`: the name of their file in diagnostics; `now`: seconds since 1970, the time of a record without one, and of
    every record if `always_now`.
    """

    def read(line: str, number: int) -> Record:
        lines = RecordLines(path, topic, lambda name: None, no_defaults, _WORDING)
        lines.line(number, line)
        if lines.diagnostics:
            raise LsqlcError(lines.diagnostics)
        line_record = lines.records[0][1]
        time = line_record.timestamp if line_record.timestamp is not None and not always_now else int(now() * 1000)
        try:
            key, value = (
                of_text("key", topic.key.type, line_record.key),
                of_text("value", topic.value.type, line_record.value),
            )
        except codec.MalformedJson as error:
            raise LsqlcError([_finding("LSQ680", f"a raw text is not JSON: {error}", path, number)]) from None
        except ValueProblems as problems:
            raise LsqlcError(_misfits(topic, path, number, problems)) from None
        return Record(topic.name, key, value, time, line_record.headers or None)

    def of_text(facet: str, type: DataType, value: object) -> object:
        """Return the value of a text of `raw` or `raw_key`; other values as they are."""
        if not isinstance(value, Raw):
            return value
        if value.wrong is not None:
            raise ValueProblems([Problem(facet, value.wrong)])
        return codec.decoder(type, path=facet)(value.text)

    return read


def raw_reader(topic: Topic, path: str, now: Callable[[], float]) -> ReadLine:
    """Return a reader of lines that are values. Records have no key."""
    parse = _value_parser(topic)

    def read(line: str, number: int) -> Record:
        try:
            value = parse(line)
        except codec.MalformedJson as error:
            raise LsqlcError([_finding("LSQ680", f"the line is not JSON: {error}", path, number)]) from None
        except ValueProblems as problems:
            raise LsqlcError(_misfits(topic, path, number, problems)) from None
        return Record(topic.name, None, value, int(now() * 1000))

    return read


def _value_parser(topic: Topic) -> Callable[[str], object]:
    """Return a parser of values: JSON, an envelope of Debezium, a row of CSV for DELIMITED, the text of a primitive."""
    type = topic.value.type
    delimiter = delimiter_of(topic.value.format)
    if delimiter is not None:
        of_row = delimited.decoder(type, "value", delimiter)
        return lambda line: of_row(line.encode())
    if is_enveloped(topic.value.format):
        return partial(_value_of_envelope, topic)
    if isinstance(type, Struct | Map | Array):
        of_json, field_names = codec.decoder(type, strict=True), spelling(type) if topic.ksql_json else bytes
        return lambda line: of_json(field_names(line.encode()))
    return partial(_value_of_text, Column(type, "", nullable=False))


def _value_of_envelope(topic: Topic, line: str) -> object:
    raw = raw_facet(topic, "value", line)
    if raw.wrong is not None:
        raise ValueProblems([Problem("", raw.wrong)])
    return codec.decoder(topic.value.type)(raw.text)


def _value_of_text(column: Column, line: str) -> object:
    try:
        return column[line]
    except BadCell as bad:
        raise ValueProblems([Problem("value", str(bad))]) from None


@dataclass(frozen=True, slots=True)
class Input:
    """Lines, and the reader of their records. `name`: their path in messages; `has_records`: False for values."""

    name: str
    lines: Lines
    read: ReadLine
    has_records: bool = True


@dataclass(frozen=True, slots=True)
class Pace:
    """The speed at which lines are written. `rate`: records a second, at most; `stop`: returns whether to end."""

    rate: float | None
    stop: Callable[[], bool]
    clock: Clock


@dataclass(frozen=True, slots=True)
class Listener:
    """The functions that report progress. `refuse`: takes the errors of a line, and the line; `report`: each append."""

    refuse: Callable[[LsqlcError, bytes], None]
    report: Callable[[Produced], None]


def produce(feed: TopicWriter, topic: Topic, input: Input, pace: Pace, listener: Listener) -> Produced:
    """Write the records of the lines until they end, or until the pace stops: then the lines that have been read are
    written.

    Raises LsqlcError LSQ680 for a first line of another form, before anything is written, and the errors of the log.
    """
    progress, number, first = Produced(), 0, True
    for batch, ended in _batches(input.lines, pace):
        good: list[Record] = []
        bad = 0
        for line in batch:
            number += 1
            text = line.rstrip(b"\r\n")
            if not text.strip():
                continue
            try:
                line_text = _decoded(text, input.name, number)
                if input.has_records and first:
                    _check_form(topic, input.name, line_text)
                first = False
                record = input.read(line_text, number)
                feed.check(record)
                good.append(record)
            except ValueProblems as problems:
                listener.refuse(LsqlcError(_misfits(topic, input.name, number, problems)), text)
                bad += 1
            except WrongFormError as error:
                raise LsqlcError(error.diagnostics) from None
            except LsqlcError as error:
                listener.refuse(error, text)
                bad += 1
        if good:
            feed.write(good)
        progress = replace(
            progress, written=progress.written + len(good), refused=progress.refused + bad, line=number, ended=ended
        )
        listener.report(progress)
    return progress


def _batches(lines: Lines, pace: Pace) -> Iterator[tuple[list[bytes], bool]]:
    """Yield the lines of each moment, no faster than the pace, and whether they are the last of all."""
    clock, rate = pace.clock, pace.rate
    due = clock.monotonic()
    next_line: bytes | None = None
    while True:
        batch: list[bytes] = []
        began = clock.monotonic()
        while len(batch) < _APPEND:
            now = clock.monotonic()
            if pace.stop():
                yield batch, False
                return
            if batch and now - began >= _GATHER:
                break
            if next_line is None:
                try:
                    next_line = lines.take(_LOOK)
                except EndOfLinesError:
                    yield batch, True
                    return
                except Exception:
                    # Earlier lines are good.
                    yield batch, False
                    raise
            if next_line is None:
                continue
            if rate is not None:
                if due > now:
                    clock.sleep(min(due - now, _LOOK))
                    continue
                # Lines that were late do not come in a burst afterwards.
                due = max(due, now - _GATHER) + 1 / rate
            if not batch:
                began = now
            batch.append(next_line)
            next_line = None
        yield batch, False


def _check_form(topic: Topic, path: str, line: str) -> None:
    """Refuse the whole input for a first line of another form than a record."""
    match form_of(line):
        case "value":
            message = f"the first line is not a record of '{topic.name}': it has neither a key nor a value"
            help = 'write {"key": ..., "value": ..., "timestamp": ...}, or add `--raw` for lines that are values'
        case "array" | "document":
            message = "the input is a JSON document, not a record on each line"
            help = "write each record on one line; `jq -c '.[]'` does that with an array, and `jq -c .` with documents"
        case _:
            return
    raise WrongFormError([Diagnostic("LSQ680", message, _line(path, 1), ("nothing was written",), help)])


def _decoded(line: bytes, path: str, number: int) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"the line is not UTF-8: the byte 0x{line[error.start]:02x}"
        raise LsqlcError([_finding("LSQ680", message, path, number)]) from None


def _misfits(topic: Topic, path: str, number: int, problems: ValueProblems) -> list[Diagnostic]:
    return [
        _finding("LSQ681", f"a record does not match '{topic.name}': {problem}", path, number)
        for problem in problems.problems
    ]


def _finding(code: str, message: str, path: str, number: int) -> Diagnostic:
    return Diagnostic(code, message, _line(path, number))


def _line(path: str, number: int) -> Span:
    return Span(path, number, 1, number, 1)
