"""Column lineage for people and as JSON: what columns come from, and what comes of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lsqlc.plan.lineage import Column, Source
from lsqlc.plan.lineage_graph import LineageGraph, downstream, upstream
from lsqlc.report.tables import Column as TableColumn
from lsqlc.report.tables import table_lines


def lineage_text(graph: LineageGraph, columns: Sequence[Column], *, width: int) -> str:
    """Return each column with what it comes from directly; then all that these come from, and all that comes of them,
    through every model. `width`: cells of a line. Without a final newline.
    """
    direct = TableColumn("column", tuple(map(_text, columns)))
    comes = TableColumn("comes from", tuple(_direct(graph.above(column)) for column in columns))
    lines = list(table_lines((direct, comes), width))
    for heading, found in (("upstream", upstream(graph, columns)), ("downstream", downstream(graph, columns))):
        lines.append("")
        if not found:
            lines.append("no column upstream" if heading == "upstream" else "no column downstream")
            continue
        uses = TableColumn("as", tuple(", ".join(source.uses) for source in found))
        lines += table_lines((TableColumn(heading, tuple(_text(s.column) for s in found)), uses), width)
    return "\n".join(lines)


def lineage_answer(graph: LineageGraph, columns: Sequence[Column]) -> dict[str, Any]:
    """Return the same as JSON-ready data: `columns`, each with its `sources`, `upstream` and `downstream`."""
    return {
        "columns": [{**_column(column), "sources": _sources(graph.above(column))} for column in columns],
        "upstream": _sources(upstream(graph, columns)),
        "downstream": _sources(downstream(graph, columns)),
    }


def _sources(found: Iterable[Source]) -> list[dict[str, Any]]:
    return [{**_column(source.column), "uses": list(source.uses)} for source in found]


def _column(column: Column) -> dict[str, str]:
    return {"topic": column.topic, "column": column.name}


def _text(column: Column) -> str:
    return f"{column.topic}.{column.name}"


def _direct(sources: Sequence[Source]) -> str:
    """Return sources in a line; what is only a value needs no word for it."""
    return ", ".join(
        _text(s.column) if s.uses == ("value",) else f"{_text(s.column)} ({', '.join(s.uses)})" for s in sources
    )
