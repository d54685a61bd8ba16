"""Columns of sources, in dialects whose queries name columns and not facets."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.plan.expression import Expression


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a source. `is_key`: it is part of the source's key. `listed`: `*` finds it. `is_header`: it has
    headers, and no field of the record. `merged`: USING made one column of it and of another one, so that only the name
    of its source finds it.
    """

    source: str
    name: str
    expression: Expression
    is_key: bool
    listed: bool = True
    is_header: bool = False
    merged: bool = False
