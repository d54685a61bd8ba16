"""The array `columns`, which holds the cells of a line of a file without a header, as text.

Where a source requires it, the wildcard, `columns` and `columns[i]` are one column, and no other column of the file
exists; columns of the path may stand beside it. Where it is `disabled`, `columns` is a name like any other, and a
column by number is an error that says so. `others`: the source has columns that are arrays or structs as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lsqlc.scan.faults import (
    Fault,
    columns_alone,
    columns_disabled,
    columns_index,
    columns_members,
    columns_with_others,
)
from lsqlc.scan.request import Requested, fold
from lsqlc.types.data import STRING, Array, Field

NAME = "columns"
LIMIT = 65_536


@dataclass(frozen=True, slots=True)
class ColumnsArray:
    """The array as an output column. `indexes`: the cells that are wanted; None: all of them."""

    name: str
    indexes: tuple[int, ...] | None = None

    @property
    def field(self) -> Field:
        return Field(self.name, Array(STRING), nullable=False)


@dataclass(frozen=True, slots=True)
class ColumnsRule:
    """What a source says of `columns`."""

    mode: Literal["required", "disabled"]
    others: bool = False


def is_columns(asked: Requested) -> bool:
    return fold(asked.name) == NAME


def check_columns(table: Sequence[Requested], has_wildcard: bool, rule: ColumnsRule) -> list[Fault]:
    """What is wrong with the columns of the file that are asked for; those of the path are not among them."""
    if rule.mode == "disabled":
        arrays = [] if rule.others else [c for c in table if c.dimensions]
        return [columns_disabled(c.name) for c in arrays]
    cells = [c for c in table if is_columns(c)]
    others = [c for c in table if not is_columns(c)]
    faults = []
    for column in cells:
        if column.is_struct and not rule.others:
            faults.append(columns_members(column.name))
        faults += [columns_index(column.name, i, LIMIT) for i in column.indexes or () if i >= LIMIT]
    if cells or has_wildcard:
        faults += [columns_with_others(c.name) for c in others]
    elif not rule.others:
        faults += [columns_alone(c.name) for c in others]
    return faults
