"""Column lineage as text and as JSON: upstream and downstream columns, and the columns of tables that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lsqlc.plan.lineage import Column, Source
from lsqlc.plan.lineage_graph import LineageGraph, downstream, upstream
from lsqlc.project.build.followed import ColumnInTable, DeclaredTable, columns_in_tables
from lsqlc.report.tables import Column as TableColumn
from lsqlc.report.tables import table_lines


def lineage_text(
    graph: LineageGraph, columns: Sequence[Column], tables: Sequence[DeclaredTable] = (), *, width: int
) -> str:
    """Return each column with its direct sources, then all upstream and downstream columns, and those of tables.

    `tables`: those that follow topics; `width`: cells of a line. There is no final newline.
    """
    direct = TableColumn("column", tuple(map(_text, columns)))
    comes = TableColumn("comes from", tuple(_direct(graph.above(column)) for column in columns))
    lines = list(table_lines((direct, comes), width))
    for heading, sources in (("upstream", upstream(graph, columns)), ("downstream", downstream(graph, columns))):
        lines.append("")
        if not sources:
            lines.append("no column upstream" if heading == "upstream" else "no column downstream")
            continue
        uses = TableColumn("as", tuple(", ".join(source.uses) for source in sources))
        lines += table_lines((TableColumn(heading, tuple(_text(s.column) for s in sources)), uses), width)
    if matches := _in_tables(graph, columns, tables):
        lines.append("")
        names = TableColumn("in tables", tuple(f"{each.table.shown}.{each.name}" for each in matches))
        lines += table_lines((names, TableColumn("holds", tuple(_text(each.source) for each in matches))), width)
    return "\n".join(lines)


def _in_tables(
    graph: LineageGraph, columns: Sequence[Column], tables: Sequence[DeclaredTable]
) -> tuple[ColumnInTable, ...]:
    """Return the columns of tables that hold some columns, or columns downstream of them."""
    return (
        columns_in_tables(tables, {*columns, *(source.column for source in downstream(graph, columns))})
        if tables
        else ()
    )


def lineage_answer(
    graph: LineageGraph, columns: Sequence[Column], tables: Sequence[DeclaredTable] = ()
) -> dict[str, Any]:
    """Return the lineage as JSON-ready data: `columns`, each with its `sources`, `upstream` and `downstream`; `tables`:
    the columns of tables that hold one of these columns or of those downstream.
    """
    return {
        "columns": [{**_column(column), "sources": _sources(graph.above(column))} for column in columns],
        "upstream": _sources(upstream(graph, columns)),
        "downstream": _sources(downstream(graph, columns)),
        "tables": [
            {"store": f.table.declaration.store, "table": f.table.name, "column": f.name, "holds": _column(f.source)}
            for f in _in_tables(graph, columns, tables)
        ],
    }


def _sources(sources: Iterable[Source]) -> list[dict[str, Any]]:
    return [{**_column(source.column), "uses": list(source.uses)} for source in sources]


def _column(column: Column) -> dict[str, str]:
    return {"topic": column.topic, "column": column.name}


def _text(column: Column) -> str:
    return f"{column.topic}.{column.name}"


def _direct(sources: Sequence[Source]) -> str:
    """Return sources on one line. The use `value` is not printed if it is the only one."""
    return ", ".join(
        _text(s.column) if s.uses == ("value",) else f"{_text(s.column)} ({', '.join(s.uses)})" for s in sources
    )
