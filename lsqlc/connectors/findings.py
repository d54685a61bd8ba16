"""The diagnostics of this room. Each names the record or the line, the path in it, and the expected value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span
from lsqlc.types.codec import MalformedJson, ValueProblems

# A log with a wrong schema has as many problems as fields. This number of them is shown, and the rest are counted.
LIMIT = 100


class Findings:
    """The diagnostics of a pass over many records: the first `LIMIT`, and the number of further ones."""

    def __init__(self) -> None:
        self._shown: list[Diagnostic] = []
        self._count = 0

    def __bool__(self) -> bool:
        return self._count > 0

    def add(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            self._count += 1
            if self._count <= LIMIT:
                self._shown.append(diagnostic)

    def error(self) -> LsqlcError:
        """Return everything as one error."""
        more = self._count - len(self._shown)
        if not more:
            return LsqlcError(self._shown)
        last = self._shown[-1]
        note = f"and {more} more finding{'s' if more > 1 else ''} like these"
        rest = Diagnostic(last.code, last.message, last.span, (*last.notes, note), last.help)
        return LsqlcError([*self._shown[:-1], rest])


def not_here(topic: str, target: str) -> LsqlcError:
    """Return LSQ799: an environment writes no topic that it reads from another one."""
    message = f"'{topic}' cannot be written: it is read from the target '{target}'"
    note = "an environment with `defer` only writes the topics of its own models"
    help = f"add `--target {target}` if the records are meant for '{target}'"
    return LsqlcError([Diagnostic("LSQ799", message, notes=(note,), help=help)])


def misfits(topic: str, index: int, problems: ValueProblems) -> list[Diagnostic]:
    """Return the diagnostics of a record that cannot be written. `index` counts from 0."""
    help = f"correct the record or the schema of '{topic}'; nothing was written"
    return [
        Diagnostic("LSQ400", f"'{topic}' cannot take records[{index}].{p.path}: {p.clause}", help=help)
        for p in problems.problems
    ]


def bad_line(topic: str, path: str, number: int, line: bytes, whole: bool, problems: ValueProblems) -> list[Diagnostic]:
    """Return the diagnostics of a line of a segment that is not a record of the topic. `whole`: it ended with a
    newline.
    """
    width = len(line.decode("utf-8", "replace"))

    def span(start: int | None, end: int | None) -> Span:
        first = 0 if start is None else start
        return Span(path, number, first + 1, number, max(width if end is None else end, first + 1) + 1)

    if not isinstance(problems, MalformedJson):
        help = f"if the schema of '{topic}' changed, `lsqlc clean --topics` removes the old records"
        return [
            Diagnostic(
                "LSQ403", f"a record of '{topic}' does not match its schema: {p}", span(p.start, p.end), help=help
            )
            for p in problems.problems
        ]
    problem = problems.problems[0]
    place = span(problem.start, problem.end)
    if not whole:
        note = "lsqlc only publishes complete segments, so it was truncated or edited afterwards"
        help = f"restore the file, or fill the topics again: `lsqlc clean --topics`, then `lsqlc seed {topic}`"
        return [
            Diagnostic("LSQ402", f"'{topic}' ends in the middle of a record: {problem.clause}", place, (note,), help)
        ]
    note = "each line of a segment must be one JSON object"
    return [Diagnostic("LSQ401", f"a line of '{topic}' is not JSON: {problem.clause}", place, (note,))]


def bad_name(topic: str) -> LsqlcError:
    """Return the error of a name that no folder can have."""
    note = "a topic is a folder, whose name has at most 255 bytes; characters besides letters, digits and '_' take four"
    return LsqlcError([Diagnostic("LSQ404", f"'{topic}' cannot be the name of a topic", None, (note,))])


@contextmanager
def file_errors(topic: str, path: str) -> Iterator[None]:
    """Report an error of the file system. `path`: the topic's path for messages."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        why = why[:1].lower() + why[1:]
        help = f"'{path}' must be a folder that you can read and write, with space on its disk"
        message = f"the records of '{topic}' cannot be read or written: {why}"
        raise LsqlcError([Diagnostic("LSQ405", message, Span(path, 1, 1, 1, 1), help=help)]) from error


def lost_counter(path: str) -> LsqlcError:
    """Return the error of a lost counter if a broken segment hides its value."""
    note = "the number of the next record is missing, and the highest one may be that of an unreadable record"
    help = "`lsqlc show` of the topic shows which line is unreadable; `lsqlc clean --topics` removes all topics"
    return LsqlcError([Diagnostic("LSQ406", "records cannot be appended", Span(path, 1, 1, 1, 1), (note,), help)])
