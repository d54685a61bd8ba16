"""The state of queries as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsqlc.golden.show import plural
from lsqlc.report.tables import Column, table_lines

if TYPE_CHECKING:
    from lsqlc.remote.state.reading import Row

# Characters. Longer texts, such as the state of a list, are cut.
_LONGEST = 500


def state_text(states: Sequence[dict[str, Any]], *, width: int) -> str:
    """Return the operators of queries as tables, from their JSON-ready data."""
    parts = []
    for state in states:
        operators = state["operators"]
        columns = [
            Column("operator", tuple(str(each["operator"]) for each in operators), right=True),
            Column("keeps", tuple(each["keeps"] for each in operators)),
            Column("partitions", tuple(f"{each['partitions']:,}" for each in operators), right=True),
            Column("rows", tuple(f"{each['rows']:,}" for each in operators), right=True),
            Column("files", tuple(size_text(each["bytes"]) for each in operators), right=True),
        ]
        version = f"Spark {state['spark']}, " if state["spark"] else ""
        head = f"{state['query']}: after batch {state['batch']} ({version}state format {state['format']})"
        parts.append("\n".join((head, *table_lines(columns, width))))
    return "\n\n".join(parts)


def rows_text(rows: Sequence[Row], *, limit: int, width: int) -> str:
    """Return rows of an operator, with keys and values as JSON. `limit`: the requested number of rows, 0 for all."""
    columns = [Column("side", tuple(row.side for row in rows))] if any(row.side for row in rows) else []
    columns += [
        Column("partition", tuple(f"{row.partition:,}" for row in rows), right=True),
        Column("key", tuple(_cell(row.key) for row in rows)),
        Column("value", tuple(_cell(row.value) for row in rows)),
    ]
    lines = list(table_lines(columns, width))
    if limit and len(rows) == limit:
        lines.append(f"the first {plural(limit, 'row')} that Spark found; `--limit 0` shows all")
    return "\n".join(lines)


def size_text(size: int) -> str:
    """Return a number of bytes with a unit.

    >>> size_text(999), size_text(12_345), size_text(5_000_000)
    ('999 B', '12.3 kB', '5.0 MB')
    """
    if size < 1000:
        return f"{size} B"
    value, unit = size / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}"


def _cell(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
