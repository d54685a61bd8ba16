"""Columns of sources, in dialects whose queries name columns and not facets."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.plan.expression import Expression


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a source.

    `is_key`: it is part of the source's key. `listed`: `*` includes it. `is_header`: it has headers, and is not a field
    of the record. `merged`: USING merged it with another column, so that references need the name of its source.
    """

    source: str
    name: str
    expression: Expression
    is_key: bool
    listed: bool = True
    is_header: bool = False
    merged: bool = False
