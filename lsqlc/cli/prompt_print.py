"""PRINT of the SQL prompt: the records of a topic, and those that come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from lsqlc.cli.shell import Shell
from lsqlc.cli.show import record_json
from lsqlc.connectors.unreadable import Unreadable, among
from lsqlc.report.csv_rows import csv_header, csv_lines
from lsqlc.report.tables import RecordTable
from lsqlc.report.unreadable_rows import followed_lines

if TYPE_CHECKING:
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.show import OpenTopic, Shown

# Seconds between two looks.
_LOOK = 0.5


@dataclass(frozen=True, slots=True)
class PrintRequest:
    """The records to print. `limit`: at most so many; None: all. `beginning`: with those that exist; `follows`: with
    those that come.
    """

    topic: str
    limit: int | None
    beginning: bool
    follows: bool


def print_topic(sh: Shell, workspace: Workspace, target: str | None, request: PrintRequest, *, csv: bool) -> None:
    """Print the records of a topic until Ctrl-C or the limit. Raises LsqlcError for an unknown topic, one that cannot
    be followed, and as the topics do.
    """
    from lsqlc.tasks.catalogue_answers import topic_named
    from lsqlc.tasks.selection import compile_selection
    from lsqlc.tasks.show import ShowRequest, open_topics

    compilation = compile_selection(workspace)
    topic = topic_named(compilation, request.topic)
    show_request = ShowRequest(topic.name, target, request.limit or 0, changes=True)
    (opened,) = open_topics(workspace, show_request, compilation)
    lines = _lines(sh, opened, csv=csv)
    if request.follows:
        _follow(sh, opened, request, lines)
    else:
        for line in lines(() if request.limit == 0 else opened.read().shown):
            sh.result(line)


def _follow(
    sh: Shell, opened: OpenTopic, request: PrintRequest, lines: Callable[[Sequence[Shown]], Iterator[str]]
) -> None:
    from lsqlc.cli.query_screen import end_line
    from lsqlc.cli.running import stopping
    from lsqlc.tasks.follow import followed, open_feed

    feed = open_feed(followed((opened,)))
    left = request.limit
    with stopping(lambda: None) as stop:
        # Those that exist are read in any case, so that the next look returns those behind them.
        records: Iterator[Shown] = among(feed.tail().records, feed.unreadable)
        if not request.beginning:
            for _ in records:
                pass
        while left is None or left > 0:
            batch = list(islice(records, left))
            for line in lines(batch):
                sh.result(line)
            sh.flush()
            left = None if left is None else left - len(batch)
            if left == 0 or stop.pause(_LOOK):
                break
            records = among(feed.tail().records, feed.unreadable)
    end_line(sh, stop)


def _lines(sh: Shell, opened: OpenTopic, *, csv: bool) -> Callable[[Sequence[Shown]], Iterator[str]]:
    """Return the function that makes lines of further records."""
    topic = opened.topic
    if sh.json:
        return lambda records: (record_json(topic, record, times=True) for record in records)
    if csv:
        header = iter((csv_header(topic, times=True),))

        def csv_text(records: Sequence[Shown]) -> Iterator[str]:
            yield from header
            yield from csv_lines(topic, [r for r in records if not isinstance(r, Unreadable)], times=True)

        return csv_text
    table = RecordTable(topic, width=sh.width)
    return lambda records: followed_lines(table, records, sh.width)
