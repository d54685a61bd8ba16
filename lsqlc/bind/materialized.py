"""What the configuration of a model says of its result."""

from __future__ import annotations

from dataclasses import dataclass

# What a model of standard SQL can be: records that are appended, or a table that is kept.
KINDS = ("streaming_table", "materialized_view")
# How a key is written, other than its query says: one column as it is, even where it may be null.
KEY_FORMATS = ("bare",)


@dataclass(frozen=True, slots=True)
class Materialized:
    """`kind` None: what its query gives. `key`: the columns that are the key, empty for that of the query.
    `key_format`: one of KEY_FORMATS; None: one column that may be null is a struct of that column.
    """

    kind: str | None = None
    key: tuple[str, ...] = ()
    key_format: str | None = None


# A model that says nothing of its result.
PLAIN = Materialized()
