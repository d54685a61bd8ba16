"""The versions of each row of a TABLE, one behind the other.

The versions that a batch holds of a row are gathered in order, and the one that stood before the batch comes from the
state, so that each version is known with the one that ends it, however the records were cut into batches.
"""

from __future__ import annotations

from lsqlc.lower.spark.arrays_by_key import gathered
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.merge_order import in_time, on_kafka
from lsqlc.lower.spark.ranked_values import two_newest
from lsqlc.sql.writer import listed


def newest_of_batch(build: Builder, rows: str, key: str, reason: str, *columns: str) -> str:
    """The newest of the rows of each `key` in a batch, with more `columns`, which may look at all of them."""
    nth = f"row_number() OVER (PARTITION BY {build.lead}{key} ORDER BY _ord DESC) AS nth"
    listing = listed(("*", nth, *columns))
    return build.add("newest", f"SELECT * FROM (\n  SELECT {listing} FROM {rows}\n) WHERE nth = 1", reason)


def succession(
    build: Builder, rows: str, key: str, parts: tuple[str, ...], *, wide: bool, unversioned: str = ""
) -> str:
    """A row per `key` that the batch touched, with `versions`: structs of `parts`, the version that stood before the
    batch first, then the `new_count` ones of the batch.

    `parts` are columns of `rows`, the ordinal first. `wide`: ordinals are arrays. `unversioned`: a condition on `key`;
    where it holds, what stood before is left out.
    """
    whole = (("batch_versions", f"struct({', '.join(parts)})"),)
    batch = gathered(build, rows, key, parts[0], whole, "all versions of a row in this batch, in order")
    last = f"try_element_at(batch_versions, -1).{parts[0]}"
    reason = "and the versions of the batch before that touched the row"
    history = two_newest(build, batch, key, "batch_versions", last, "newest_batches", reason)
    first = in_time(
        "get(newest_batches, 0)",
        f"try_element_at(get(newest_batches, 0), -1).{parts[0]}",
        dated=on_kafka(build) and wide,
    )
    none = "get(newest_batches, 1) IS NULL" + (f" OR {unversioned}" if unversioned else "")
    return build.add(
        "successions",
        f"SELECT {build.lead}{key},\n"
        f"  concat(if({none}, array(), slice(get(newest_batches, 1), -1, 1)), {first}) AS versions,\n"
        "  size(get(newest_batches, 0)) AS new_count\n"
        f"FROM {history}",
        "the versions of each row, behind the one that stood before",
    )
