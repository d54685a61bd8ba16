"""The versions of each row of a TABLE in order.

The versions of a row in a batch are collected in order, and the last one before the batch comes from the state. So each
version has the one that ends it, however the records are divided into batches.
"""

from __future__ import annotations

from lsqlc.lower.spark.arrays_by_key import gathered
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.merge_order import in_time, on_kafka
from lsqlc.lower.spark.ranked_values import two_newest
from lsqlc.sql.writer import listed


def newest_of_batch(build: Builder, rows: str, key: str, reason: str, *columns: str) -> str:
    """Return the newest of the rows of each `key` in a batch, with more `columns`, which may use all of them."""
    nth = f"row_number() OVER (PARTITION BY {build.lead}{key} ORDER BY _ord DESC) AS nth"
    listing = listed(("*", nth, *columns))
    return build.add("newest", f"SELECT * FROM (\n  SELECT {listing} FROM {rows}\n) WHERE nth = 1", reason)


def succession(
    build: Builder, rows: str, key: str, parts: tuple[str, ...], *, wide: bool, unversioned: str = ""
) -> str:
    """Return a row per `key` of the batch with `versions`: structs of `parts`.

    The last version before the batch is the first, then the `new_count` ones of the batch follow. `parts` are columns
    of `rows`, the ordinal first. `wide`: ordinals are arrays. `unversioned`: a condition on `key`; if it is true, the
    version before the batch is left out.
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
