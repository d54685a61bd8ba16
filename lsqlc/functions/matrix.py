"""The support matrix of the documentation: every function, its signature, and how each engine computes it."""

from __future__ import annotations

from collections.abc import Mapping

from lsqlc.functions.catalogue import aggregates, tables
from lsqlc.functions.signature import Aggregate, Function, PythonForm


def matrix(dialect: str = "lenses", rows: Mapping[str, int] | None = None) -> str:
    """Return the matrix of a dialect as Markdown: a section for each family, then the aggregates.

    `rows`: the number of argument rows on which the engines are compared, by function; None to leave the column out.
    """
    parts = [_section(title, family, rows) for title, family in tables(dialect).families.items()]
    lines = ["| aggregate | STREAM | TABLE | gives |", "| --- | --- | --- | --- |"]
    lines += [f"| `{signature(a)}` | yes | {'yes' if a.on_table else 'no'} | {a.doc} |" for a in aggregates(dialect)]
    return "\n".join([*parts, "## Aggregates\n", *lines, ""])


def signature(function: Function | Aggregate) -> str:
    """Return `NAME(a, b[, c], ...)`."""
    text = ""
    for parameter in function.parameters:
        comma = ", " if text else ""
        text += f"[{comma}{parameter.name}]" if parameter.optional else f"{comma}{parameter.name}"
    more = ", ..." if isinstance(function, Function) and function.variadic else ""
    return f"{function.name}({text}{more})"


def _section(title: str, family: tuple[Function, ...], rows: Mapping[str, int] | None) -> str:
    head = ("function", "also", "DuckDB", "Spark", *(("rows",) if rows is not None else ()), "gives")
    lines = [_line(head), _line(("---",) * len(head))]
    for function in family:
        duckdb = "Python" if isinstance(function.duckdb, PythonForm) or function.uses else "SQL"
        also = ", ".join(f"`{alias}`" for alias in function.aliases)
        row_count = (str(rows[function.name]),) if rows is not None else ()
        lines.append(_line((f"`{signature(function)}`", also, duckdb, "SQL", *row_count, function.doc)))
    return "\n".join([f"## {title}\n", *lines, ""])


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
