"""The rows of a query that is followed, as lines of text, JSON or CSV, each as it comes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from lsqlc.cli.shell import Shell
from lsqlc.report.answers import Answer, AnswerTable, answer_csv, answer_json, csv_rows

if TYPE_CHECKING:
    from lsqlc.cli.running import Stop
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.tasks.query import Query
    from lsqlc.tasks.run_target import RunTarget


def follow(sh: Shell, query: Query, place: RunTarget, limit: int | None, *, csv: bool) -> None:
    """Show the rows of a query and their changes until Ctrl-C or SIGTERM, until `limit` rows have been shown, or until
    nobody reads any more.
    """
    from lsqlc.cli.running import stopping
    from lsqlc.tasks.query_follow import Waiting, follow_query

    with stopping(lambda: None) as stop:
        follow_query(query, place, _screen(sh, csv=csv), Waiting(time.monotonic, stop.pause), limit)
    end_line(sh, stop)


def end_line(sh: Shell, stop: Stop) -> None:
    """End the line on which a terminal has shown ^C."""
    if stop.signal and sys.stdout.isatty():
        sh.result("\n")


def _screen(sh: Shell, *, csv: bool) -> _Lines:
    if sh.json:
        return _Lines(sh, answer_json)
    return _Lines(sh, _Csv().lines if csv else AnswerTable(sh.width).lines)


class _Csv:
    """Rows as CSV, the first ones behind the line of the names."""

    def __init__(self) -> None:
        self._begun = False

    def lines(self, rows: Answer) -> Iterator[str]:
        yield from (csv_rows if self._begun else answer_csv)(rows)
        self._begun = True


class _Lines:
    """Rows as lines. See `lsqlc.tasks.query_follow.Screen`."""

    def __init__(self, sh: Shell, lines: Callable[[Answer], Iterator[str]]) -> None:
        self._sh, self._lines = sh, lines

    def show(self, rows: Answer) -> None:
        for line in self._lines(rows):
            self._sh.result(line)
        self._sh.flush()

    def begin_anew(self) -> None:
        self._sh.say("a topic was removed: the query starts from the beginning")

    def report(self, diagnostics: Iterable[Diagnostic]) -> None:
        self._sh.show(diagnostics)
