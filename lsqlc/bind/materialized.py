"""The configuration of a model's result."""

from __future__ import annotations

from dataclasses import dataclass

# The kinds of models in standard SQL: records that are appended, or a table that is updated.
KINDS = ("streaming_table", "materialized_view")
# Formats of the key that override the query's: one column by itself, even if it may be null.
KEY_FORMATS = ("bare",)


@dataclass(frozen=True, slots=True)
class Materialized:
    """The configuration of a result.

    `kind` is None for the kind of the query. `key`: the columns of the key, empty for the key of the query.
    `key_format`: one of KEY_FORMATS; None: one nullable column becomes a struct.
    """

    kind: str | None = None
    key: tuple[str, ...] = ()
    key_format: str | None = None


# A model without configuration of its result.
PLAIN = Materialized()
