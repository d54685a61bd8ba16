"""The rows of a key in one batch as arrays, in order.

A plain window function on a stream sees one batch at a time and keeps no state. But it writes its array into every row
of its partition, which is quadratic in the rows of a key. So rows are collected by stretches first, and the stretches
afterwards. A stretch is a fixed number of consecutive rows, and not an interval of ordinals: the distances between the
ordinals of a batch are arbitrary. The rows are distributed by the key beforehand: all windows, and the state after
them, use that order, where each would else shuffle them itself.
"""

from __future__ import annotations

from lsqlc.lower.spark.builder import Builder

# The rows of a stretch. A row is written as many times, and once more for each stretch of its key.
_STRETCH = 64
# The time of the batch. Spark writes it as a constant into the code that it generates, which would so be compiled again
# in every batch: half of a small batch's time. `zip_with` is one of the functions that it interprets.
BATCH = "get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0)"


def gathered(
    build: Builder,
    rows: str,
    key: str,
    order: str,
    lists: tuple[tuple[str, str], ...],
    reason: str,
    *,
    together: bool = False,
) -> str:
    """Return a view with a row per key and an array for each of `lists`: a name, and an expression, whose nulls are
    left out.

    `order`: the columns by which rows are ordered. `together`: the rows of a key are in one partition already, since
    they come from a state with this key.
    """
    group = f"PARTITION BY {build.lead}{key}"
    whole = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    names = ", ".join(name for name, _ in lists)
    distributed_rows = rows if together else f"(SELECT * FROM {rows} DISTRIBUTE BY {build.lead}{key})"
    stretched = ",\n    ".join(
        f"collect_list({item}) OVER ({group}, stretch ORDER BY nth {whole}) AS {name}" for name, item in lists
    )
    stretches = build.add(
        "stretches",
        f"SELECT {build.lead}{key}, stretch, {names} FROM (\n"
        f"  SELECT {build.lead}{key}, stretch, nth,\n    {stretched}\n"
        f"  FROM (SELECT *, (nth - 1) DIV {_STRETCH} AS stretch FROM (\n"
        f"    SELECT *, row_number() OVER ({group} ORDER BY {order}) AS nth FROM {distributed_rows}))\n"
        f") WHERE nth % {_STRETCH} = 1",
        f"{reason}: by stretches of {_STRETCH} rows, so that many rows of one key cost little more for each",
    )
    joined = ",\n    ".join(
        f"collect_list({name}) OVER ({group} ORDER BY stretch {whole}) AS {name}" for name, _ in lists
    )
    flat = ", ".join(f"flatten({name}) AS {name}" for name, _ in lists)
    return build.add(
        "batch",
        f"SELECT {build.lead}{key}, {flat} FROM (\n"
        f"  SELECT {build.lead}{key}, stretch,\n    {joined}\n  FROM {stretches}\n) WHERE stretch = 0",
        reason,
    )
