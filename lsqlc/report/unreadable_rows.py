"""Records that cannot be read, as `lsqlc show` prints them among the others: where each lies, what is wrong with it,
and its text.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len, set_cell_size

from lsqlc.connectors.bytes_text import text_of
from lsqlc.connectors.unreadable import Unreadable
from lsqlc.golden.show import plural
from lsqlc.report.tables import RecordTable, plain, records_text, time_text
from lsqlc.types.record import Record, StoredRecord, Topic


def not_read(count: int) -> str:
    """How many records cannot be read."""
    return f"{plural(count, 'record')} cannot be read"


def head(bad: Unreadable) -> str:
    """Where a record lies, and what is wrong with it."""
    time = "" if bad.timestamp is None else f", {time_text(bad.timestamp)}"
    place = ", ".join(f"{name} {value}" for name, value in bad.place.items())
    return f"cannot be read: {plain(place)}{time}: {plain(bad.reason)}"


def lines(bad: Unreadable, width: int) -> Iterator[str]:
    """Yield a record in two lines, which are cut to the width."""
    yield _cut(f"! {head(bad)}", width)
    # Of a long record no more is looked at than fits.
    parts = {name: _text(raw, 4 * width) for name, raw in bad.parts.items()}
    text = parts["text"] if "text" in parts else ", ".join(f"{name} {text}" for name, text in parts.items())
    yield _cut(f"  {text}", width)


def shown_text(
    topic: Topic,
    shown: Sequence[Record | StoredRecord | Unreadable],
    *,
    width: int,
    times: bool,
    total: int,
    bad_left: int,
) -> str:
    """As `records_text`, with the records that cannot be read between the rows of the others. `total`: how many can be
    read, `bad_left`: how many more cannot be.
    """
    good = [record for record in shown if not isinstance(record, Unreadable)]
    text = records_text(topic, good, width=width, times=times, total=total) if good or total else ""
    said = text.split("\n") if text else []
    heading = said[:2] if good else []
    rows = iter(said[len(heading) :])
    told = list(heading)
    for record in shown:
        told += lines(record, width) if isinstance(record, Unreadable) else [next(rows)]
    told += rows
    if bad_left:
        told.append(f"and {bad_left:,} more that cannot be read")
    return "\n".join(told)


def followed_lines(
    table: RecordTable, records: Sequence[Record | StoredRecord | Unreadable], width: int
) -> Iterator[str]:
    """Yield the lines of further records of a table."""
    for is_bad, run in groupby(records, lambda record: isinstance(record, Unreadable)):
        some = list(run)
        if is_bad:
            for bad in some:
                if isinstance(bad, Unreadable):
                    yield from lines(bad, width)
        else:
            yield from table.lines([record for record in some if not isinstance(record, Unreadable)])


def json_line(bad: Unreadable) -> str:
    """Return a record as a line of JSON: like that of one that can be read, with `bad` in place of its key and value.

    What is not text is in base64, under a name that says so.
    """
    parts: dict[str, str | None] = {}
    for name, raw in bad.parts.items():
        text = None if raw is None else text_of(raw)
        encoded = raw is not None and text is None
        parts[f"{name}_base64" if encoded else name] = base64.b64encode(raw).decode() if raw and encoded else text
    content = {**bad.place, "reason": bad.reason, **parts}
    whole = {"topic": bad.topic, "bad": content, "timestamp": bad.timestamp}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def _text(raw: bytes | None, most: int) -> str:
    """Return the first bytes, at least as many as are shown, as text that can be printed."""
    if raw is None:
        return "null"
    # A cut may be within a character, which has four bytes at most.
    ends = range(most, most - 4, -1) if len(raw) > most else (len(raw),)
    text = next((text for end in ends if (text := text_of(raw[:end])) is not None), None)
    return f"base64 {base64.b64encode(raw[:most]).decode()}" if text is None else plain(text)


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"
