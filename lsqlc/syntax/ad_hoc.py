"""A query that is answered once, in contrast to a model, whose results are updated continuously."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from lsqlc.diagnostics import Diagnostic
from lsqlc.syntax.program import Program


@dataclass(frozen=True, slots=True)
class SortColumn:
    """A column that rows are sorted by, and that is not in the output."""

    name: str
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class AdHocQuery:
    """A program that computes the rows of a query, and how they are shown.

    `order`: the columns of the program that rows are sorted by, the most significant one first. `limit`: how many rows
    are shown; None: all. `offset`: how many of these are left out, the first ones. `hidden`: further columns that are
    not shown. `names`: the columns in the order of the SELECT list, if it differs from the program's order; else empty.
    `columns`: which columns there are. They are the fields of a record's value, those of a stream or table that the
    program creates, or the stored key and value. `lines`: the number of lines of the program's text before the query.
    `pushes`: the query asks for later changes too.
    """

    program: Program
    order: tuple[SortColumn, ...] = ()
    limit: int | None = None
    hidden: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    columns: Literal["of value", "of source", "of record"] = "of record"
    lines: int = 0
    pushes: bool = False
    offset: int = 0

    def in_query(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic of the program with its position in the text of the query."""
        span = diagnostic.span
        if span is None or span.line <= self.lines:
            return replace(diagnostic, span=None)
        return replace(diagnostic, span=replace(span, line=span.line - self.lines, end_line=span.end_line - self.lines))
