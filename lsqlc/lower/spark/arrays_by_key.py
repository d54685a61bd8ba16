"""The rows of a key in one batch as arrays, in order.

A plain window function on a stream sees one batch at a time and keeps no state. It writes what it gathered into every
row of its partition, though, which is quadratic in the rows of a key: so rows are gathered by stretches first, and the
stretches afterwards. A stretch is so many rows that follow one another, and not an interval of ordinals: those of a
batch may lie as close or as far apart as they like. The rows are distributed by the key beforehand: all windows, and
the state that follows, take them from there in the order they then have, where each would else move them itself.
"""

from __future__ import annotations

from lsqlc.lower.spark.builder import Builder

# The rows of a stretch. A row is written so many times, and once more for each stretch that its key has.
_STRETCH = 64
# The time of the batch. Spark writes it as a number into the code that it generates, which would so be other code in
# every batch, compiled anew: half of a small batch's time. `zip_with` is one of the functions that it interprets.
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
    """A row per key, with an array for each of `lists`: a name, and the expression whose values other than null it has.

    `order`: the columns by which rows are ordered. `together`: the rows of a key are in one place already, since they
    come from a state with this key.
    """
    group = f"PARTITION BY {build.lead}{key}"
    whole = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    names = ", ".join(name for name, _ in lists)
    moved = rows if together else f"(SELECT * FROM {rows} DISTRIBUTE BY {build.lead}{key})"
    stretched = ",\n    ".join(
        f"collect_list({item}) OVER ({group}, stretch ORDER BY nth {whole}) AS {name}" for name, item in lists
    )
    stretches = build.add(
        "stretches",
        f"SELECT {build.lead}{key}, stretch, {names} FROM (\n"
        f"  SELECT {build.lead}{key}, stretch, nth,\n    {stretched}\n"
        f"  FROM (SELECT *, (nth - 1) DIV {_STRETCH} AS stretch FROM (\n"
        f"    SELECT *, row_number() OVER ({group} ORDER BY {order}) AS nth FROM {moved}))\n"
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
