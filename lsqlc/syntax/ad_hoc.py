"""A query that is answered once, instead of a model that is kept up to date."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from lsqlc.diagnostics import Diagnostic
from lsqlc.syntax.program import Program


@dataclass(frozen=True, slots=True)
class SortColumn:
    """A column by which rows are sorted, which is not shown."""

    name: str
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class AdHocQuery:
    """A program that computes the rows of a query, and how they are shown.

    `order`: the columns of the program that rows are sorted by, the most significant one first. `limit`: how many rows
    are shown; None: all. `hidden`: further columns that are not shown. `names`: the columns in the order of the SELECT
    list, for a program that gives them another order; empty for that of the program. `columns`: what the columns are:
    the fields of a record's value, those of a stream or table that the program creates, or key and value as they are
    stored. `lines`: how many lines of the program's text are before that of the query.
    """

    program: Program
    order: tuple[SortColumn, ...] = ()
    limit: int | None = None
    hidden: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    columns: Literal["of value", "of source", "of record"] = "of record"
    lines: int = 0

    def in_query(self, diagnostic: Diagnostic) -> Diagnostic:
        """A finding about the program, at its place in the text of the query."""
        span = diagnostic.span
        if span is None or span.line <= self.lines:
            return replace(diagnostic, span=None)
        return replace(diagnostic, span=replace(span, line=span.line - self.lines, end_line=span.end_line - self.lines))
