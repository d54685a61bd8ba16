"""The key of groups and of rows with a declared key: a struct of its columns, or the one column by itself.

A record without a key cannot be written to a table. So that the group of NULL exists as in any SQL, a single nullable
column is a struct of that column.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from lsqlc.bind.findings import Findings
from lsqlc.bind.nullability import may_hold_null
from lsqlc.bind.storage import format_of, struct_format
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import Expression
from lsqlc.types.record import Facet

# struct: also for one column, in a query that another one reads; nullable: one column is bare if it is never null;
# bare: one column is bare, and rows with a null in it are dropped.
KeyStyle = Literal["struct", "nullable", "bare"]


def key_names_of(
    names: Sequence[str], keys: Sequence[Expression], style: KeyStyle, at: Extent, findings: Findings,
    not_null: Collection[Expression] = (),
) -> tuple[str, ...]:  # fmt: skip
    """Return the names of the columns of a struct key; empty for a bare key, which is reported if it may be null.

    `not_null`: expressions that were tested for null.
    """
    if len(names) > 1 or style == "struct":
        return tuple(names)
    (key,) = keys
    if not may_hold_null(key, not_null):
        return ()
    if style == "nullable":
        return tuple(names)
    findings.warn("LSQ831", f"rows whose '{names[0]}' is null are not in this view", at,
                  notes=("it is the key of the view, and a row without a key cannot be written",),
                  help=f"remove key_format='bare', or add WHERE {names[0]} IS NOT NULL")  # fmt: skip
    return ()


def group_format(keys: Sequence[Expression], key_names: Sequence[str], near: Facet) -> str:
    """Return the storage format of a key."""
    return struct_format(near) if key_names else format_of(keys[0].type, near)
