"""Records that cannot be read, as `lsqlc show` prints them among others: position, reason and text."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.cells import cell_len, set_cell_size

from lsqlc.connectors.bytes_text import text_of
from lsqlc.connectors.unreadable import Unreadable
from lsqlc.golden.show import plural
from lsqlc.report.tables import RecordTable, plain, records_text, time_text
from lsqlc.types.record import Record, StoredRecord, Topic


def not_read(count: int) -> str:
    """Return the number of records that cannot be read, as text."""
    return f"{plural(count, 'record')} cannot be read"


def head(bad: Unreadable) -> str:
    """Return the position of a record, and the reason why it cannot be read."""
    time = "" if bad.timestamp is None else f", {time_text(bad.timestamp)}"
    place = ", ".join(f"{name} {value}" for name, value in bad.place.items())
    return f"cannot be read: {plain(place)}{time}: {plain(bad.reason)}"


def lines(bad: Unreadable, width: int) -> Iterator[str]:
    """Yield a record as two lines, cut to the width."""
    yield _cut(f"! {head(bad)}", width)
    # Only the printed part of a long record is decoded.
    parts = {name: _text(raw, 4 * width) for name, raw in bad.parts.items()}
    text = parts["text"] if "text" in parts else ", ".join(f"{name} {text}" for name, text in parts.items())
    yield _cut(f"  {text}", width)


@dataclass(frozen=True, slots=True)
class Selected:
    """Some records of a topic. `total`: the number of all that can be read; `bad_left`: of others that cannot."""

    records: Sequence[Record | StoredRecord | Unreadable]
    total: int
    bad_left: int


def shown_text(topic: Topic, selected: Selected, *, width: int, times: bool) -> str:
    """Return `records_text` with unreadable records between the others."""
    records, total, bad_left = selected.records, selected.total, selected.bad_left
    good = [record for record in records if not isinstance(record, Unreadable)]
    text = records_text(topic, good, width=width, times=times, total=total) if good or total else ""
    table_lines = text.split("\n") if text else []
    heading = table_lines[:2] if good else []
    rows = iter(table_lines[len(heading) :])
    output = list(heading)
    for record in records:
        output += lines(record, width) if isinstance(record, Unreadable) else [next(rows)]
    output += rows
    if bad_left:
        output.append(f"and {bad_left:,} more that cannot be read")
    return "\n".join(output)


def followed_lines(
    table: RecordTable, records: Sequence[Record | StoredRecord | Unreadable], width: int
) -> Iterator[str]:
    """Yield the lines of further records of a table."""
    for is_bad, run in groupby(records, lambda record: isinstance(record, Unreadable)):
        group = list(run)
        if is_bad:
            for bad in group:
                if isinstance(bad, Unreadable):
                    yield from lines(bad, width)
        else:
            yield from table.lines([record for record in group if not isinstance(record, Unreadable)])


def json_line(bad: Unreadable) -> str:
    """Return a record as a line of JSON, with `bad` instead of its key and value.

    Parts that are not text are in base64, with the suffix `_base64` in their names.
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
    """Return the first bytes as printable text, at least as many as are printed."""
    if raw is None:
        return "null"
    # The cut may be inside of a character, which has at most four bytes.
    ends = range(most, most - 4, -1) if len(raw) > most else (len(raw),)
    text = next((text for end in ends if (text := text_of(raw[:end])) is not None), None)
    return f"base64 {base64.b64encode(raw[:most]).decode()}" if text is None else plain(text)


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"
