"""What the configuration of a model says of its result."""

from __future__ import annotations

from dataclasses import dataclass

# What a model of standard SQL can be: records that are appended, or a table that is kept.
KINDS = ("streaming_table", "materialized_view")


@dataclass(frozen=True, slots=True)
class Materialized:
    """`kind` None: what its query gives. `key`: the columns that are the key, empty for that of the query."""

    kind: str | None = None
    key: tuple[str, ...] = ()


# A model that says nothing of its result.
PLAIN = Materialized()
