"""The support matrix of the documentation: every function, its signature, and how each engine computes it."""

from __future__ import annotations

from lsqlc.functions.catalogue import FAMILIES, aggregates
from lsqlc.functions.signature import Aggregate, Function, PythonForm


def matrix(dialect: str = "lenses") -> str:
    """The matrix of a dialect as Markdown: a section for each family, then the aggregates."""
    parts = [_section(title, family) for title, family in FAMILIES.get(dialect, {}).items()]
    rows = ["| aggregate | STREAM | TABLE | gives |", "| --- | --- | --- | --- |"]
    rows += [f"| `{signature(a)}` | yes | {'yes' if a.on_table else 'no'} | {a.doc} |" for a in aggregates(dialect)]
    return "\n".join([*parts, "## Aggregates\n", *rows, ""])


def signature(function: Function | Aggregate) -> str:
    """`NAME(a, b[, c], ...)`."""
    text = ""
    for parameter in function.parameters:
        comma = ", " if text else ""
        text += f"[{comma}{parameter.name}]" if parameter.optional else f"{comma}{parameter.name}"
    more = ", ..." if isinstance(function, Function) and function.variadic else ""
    return f"{function.name}({text}{more})"


def _section(title: str, family: tuple[Function, ...]) -> str:
    rows = [f"## {title}\n", "| function | also | DuckDB | Spark | gives |", "| --- | --- | --- | --- | --- |"]
    rows += [_row(f) for f in family]
    return "\n".join([*rows, ""])


def _row(function: Function) -> str:
    duckdb = "Python" if isinstance(function.duckdb, PythonForm) or function.uses else "SQL"
    also = ", ".join(f"`{alias}`" for alias in function.aliases)
    return f"| `{signature(function)}` | {also} | {duckdb} | SQL | {function.doc} |"
