"""The output of `lsqlc tables`: the tables that follow topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lsqlc.diagnostics import Diagnostic
from lsqlc.golden.show import plural
from lsqlc.project.build.followed import DeclaredTable
from lsqlc.report.tables import Column, table_lines
from lsqlc.tables.check import TableCheck


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table. `exists`: it was created; `behind`: about how many records it has not read; `problem`: why it cannot
    follow its topic.
    """

    table: str
    topic: str
    keep: str
    exists: bool
    behind: int
    problem: str | None
    address: str


def tables_text(rows: Sequence[TableRow], width: int) -> str:
    """Return a table of tables."""
    columns = [
        Column("table", tuple(row.table for row in rows)),
        Column("topic", tuple(row.topic for row in rows)),
        Column("keep", tuple(row.keep for row in rows)),
        Column("behind", tuple(map(_behind, rows)), right=True),
        Column("address", tuple(row.address for row in rows)),
    ]
    return "\n".join(table_lines(columns, width))


def declarations_data(tables: Sequence[DeclaredTable]) -> list[dict[str, Any]]:
    """Return declared tables as JSON-ready data."""
    return [
        {
            "store": table.declaration.store,
            "name": table.name,
            "topic": table.schema.topic.name,
            "keep": table.schema.keep,
            "key": [column.name for column in table.schema.key],
            "columns": [{"name": column.name, "type": str(column.type)} for column in table.schema.columns],
        }
        for table in tables
    ]


def declarations_text(tables: Sequence[DeclaredTable], width: int) -> str:
    """Return a table of declared tables, a line for each."""
    columns = [
        Column("table", tuple(table.shown for table in tables)),
        Column("follows", tuple(table.schema.topic.name for table in tables)),
        Column("keep", tuple(table.schema.keep for table in tables)),
        Column("key", tuple(", ".join(column.name for column in table.schema.key) for table in tables)),
    ]
    return "\n".join(table_lines(columns, width))


def plans_text(plans: Sequence[tuple[str, str, Sequence[str]]], width: int) -> str:
    """Return a table of the first steps of tables: the name of each, the action, and its details."""
    columns = [
        Column("table", tuple(table for table, _, _ in plans)),
        Column("action", tuple(action for _, action, _ in plans)),
        Column("details", tuple("; ".join(details) for _, _, details in plans)),
    ]
    return "\n".join(table_lines(columns, width))


def _behind(row: TableRow) -> str:
    if not row.exists:
        return "not created"
    return f"{row.behind:,}" if row.problem is None else row.problem


def check_data(check: TableCheck | None) -> dict[str, Any]:
    """Return a comparison of a table with its topic as JSON-ready data; None: the table does not exist."""
    if check is None:
        return {"exists": False}
    examples = [{"row": clause, "values": {n: _shown(v) for n, v in row.items()}} for clause, row in check.examples]
    counts = {"rows": check.rows, "missing": check.missing, "extra": check.extra, "older": check.older}
    return {"exists": True, **counts, "examples": examples}


def check_problem(table: str, topic: str, check: TableCheck | None) -> Diagnostic:
    """Return LSQ566, for a table that differs from its topic, or does not exist."""
    if check is None:
        message = f"the table '{table}' does not exist, and its topic '{topic}' does"
        return Diagnostic("LSQ566", message, help=f"`lsqlc tables sync {table}` creates it")
    missing, extra = plural(check.missing, "row"), plural(check.extra, "other row")
    message = f"the table '{table}' differs from '{topic}': {missing} missing, {extra}"
    notes = tuple(
        f"{clause}: {', '.join(f'{name}={_shown(value)}' for name, value in row.items())}"
        for clause, row in check.examples
    )
    help = f"`lsqlc tables sync {table} --rebuild` writes it again"
    return Diagnostic("LSQ566", message, notes=notes, help=help)


def _shown(value: Any) -> str | None:
    return None if value is None else str(value)
