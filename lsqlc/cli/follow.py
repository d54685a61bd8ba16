"""`lsqlc show --follow`: a TABLE's rows in place in a terminal, else its changes; a STREAM's records as they come."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from lsqlc.cli.shell import Shell, can_move, coloured
from lsqlc.connectors.unreadable import Unreadable
from lsqlc.report.csv_rows import csv_header, csv_lines
from lsqlc.report.tables import RecordTable, records_text
from lsqlc.report.unreadable_rows import followed_lines, head, not_read
from lsqlc.types import codec

if TYPE_CHECKING:
    from rich.text import Text

    from lsqlc.tasks.follow import Screen
    from lsqlc.tasks.show import OpenTopic
    from lsqlc.types.record import StoredRecord, Topic

# Seconds between two looks at a topic, and for which a change is marked.
_LOOK = 0.5
_MARKED = 3.0

Json = Callable[["StoredRecord | Unreadable"], str]


def follow(sh: Shell, opened: OpenTopic, *, csv: bool, json: Json) -> None:
    """Show the topic until Ctrl-C or SIGTERM, or until nobody reads any more. `json`: a record as a line."""
    from lsqlc.cli.running import stopping
    from lsqlc.tasks.follow import follow as follow_topic
    from lsqlc.tasks.follow import open_feed

    feed = open_feed(opened)
    with stopping(lambda: None) as stop, _screen(sh, opened, csv=csv, json=json) as screen:
        follow_topic(opened, feed, screen, partial(stop.pause, _LOOK))


@contextmanager
def _screen(sh: Shell, opened: OpenTopic, *, csv: bool, json: Json) -> Iterator[Screen]:
    topic, table = opened.topic, opened.has_rows
    if sh.json:
        yield _Lines(sh, topic, lambda records: map(json, records))
    elif csv:
        sh.result(csv_header(topic, times=not table))
        yield _Lines(sh, topic, partial(_csv, sh, topic, times=not table))
    elif table and can_move(sys.stdout):
        with _live(topic, opened.request.limit) as live:
            yield live
    else:
        lines = RecordTable(topic, width=sh.width, times=not table)
        yield _Lines(sh, topic, lambda records: followed_lines(lines, records, sh.width))


def _csv(sh: Shell, topic: Topic, records: Sequence[StoredRecord | Unreadable], *, times: bool) -> Iterator[str]:
    """Return the lines of records. Those that cannot be read have no line, and are reported on stderr."""
    good = [record for record in records if not isinstance(record, Unreadable)]
    for record in records:
        if isinstance(record, Unreadable):
            sh.say(head(record))
    return csv_lines(topic, good, times=times)


class _Lines:
    """Records as lines, each as it comes."""

    def __init__(
        self, sh: Shell, topic: Topic, lines: Callable[[Sequence[StoredRecord | Unreadable]], Iterator[str]]
    ) -> None:
        self._sh, self._topic, self._lines = sh, topic, lines

    def show(self, records: Sequence[StoredRecord | Unreadable]) -> None:
        for line in self._lines(records):
            self._sh.result(line)
        self._sh.flush()

    def begin_anew(self) -> None:
        self._sh.say(f"the topic '{self._topic.name}' was removed and starts from the beginning")


@contextmanager
def _live(topic: Topic, limit: int) -> Iterator[_LiveRows]:
    from rich.console import Console
    from rich.live import Live

    console = Console(no_color=not coloured(sys.stdout), markup=False, highlight=False, soft_wrap=True)
    rows = _LiveRows(topic, limit)
    with Live(get_renderable=rows.text, console=console, refresh_per_second=4, vertical_overflow="crop"):
        yield rows


class _LiveRows:
    """The rows of a TABLE as they are now: by key, those that changed lately marked. Where they do not fit on the
    screen, those that changed last are shown.
    """

    def __init__(self, topic: Topic, limit: int) -> None:
        self._topic, self._limit = topic, limit
        self._encode = codec.encoder(topic.key.type)
        # In order of their changes.
        self._rows: dict[bytes, tuple[StoredRecord, float]] = {}
        self._begun = False
        self._bad = 0

    def show(self, records: Sequence[StoredRecord | Unreadable]) -> None:
        now = time.monotonic() if self._begun else float("-inf")
        # A copy, since the screen is drawn by a thread.
        rows = dict(self._rows)
        for record in records:
            if isinstance(record, Unreadable):
                self._bad += 1
                continue
            key = self._encode(record.key)
            rows.pop(key, None)
            if record.value is not None:
                rows[key] = record, now
        self._rows, self._begun = rows, True

    def begin_anew(self) -> None:
        self._rows, self._bad = {}, 0

    def text(self) -> Text:
        """Return the screen."""
        from rich.text import Text

        rows, size = self._rows, get_terminal_size()
        # Headings, a rule, what is left out, what cannot be read, the last line and the cursor.
        room = max(1, size.lines - 5 - bool(self._bad))
        newest = list(rows.values())[-min(room, self._limit or room) :]
        newest.sort(key=lambda row: codec.sort_key(self._topic.key.type, row[0].key))
        table = records_text(
            self._topic, [record for record, _ in newest], width=size.columns, times=False, total=len(rows)
        )
        marked = {n for n, (_, at) in enumerate(newest) if time.monotonic() - at < _MARKED}
        text = Text(no_wrap=True, overflow="crop")
        for number, line in enumerate(table.split("\n")):
            style = "bold" if number == 0 else "green" if number - 2 in marked else ""
            text.append(line + "\n", style)
        if self._bad:
            text.append(f"{not_read(self._bad)}: add `--changes`\n", "red")
        text.append(f"following '{self._topic.name}'; Ctrl-C ends", "dim")
        return text
