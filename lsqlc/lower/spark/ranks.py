"""Ranks in the ordinals of joined rows (see `table_table`)."""

from __future__ import annotations

# The second part of an ordinal for a version that no longer counts.
COUNTS_NO_MORE = "-3L"


def rank(ordinal: str) -> str:
    """Return the rank of an ordinal, an array."""
    behind = f"CAST(size({ordinal}) - array_position(reverse({ordinal}), -1L) + 2 AS INT)"
    return f"if(array_contains({ordinal}, -1L), slice({ordinal}, {behind}, size({ordinal})), {ordinal})"


def of_other_stage(ordinal: str) -> str:
    """Return an ordinal of another stage without the part for its turn (see `merge_order.in_turn`)."""
    return f"slice({ordinal}, 1, size({ordinal}) - 2)"
