"""The rows of a key in one batch as arrays, in order.

A plain window function on a stream sees one batch at a time and keeps no state. It writes what it gathered into every
row of its partition, though, which is quadratic in the rows of a key: so rows are gathered by stretches of ordinals
first, and the stretches afterwards. The rows are distributed by the key beforehand: both windows, and the state that
follows, take them from there in the order they then have, where each would else move and sort them itself.
"""

from __future__ import annotations

from lsqlc.lower.spark.builder import Builder

_STRETCH = 512
# The time of the batch. Spark writes it as a number into the code that it generates, which would so be other code in
# every batch, compiled anew: half of a small batch's time. `zip_with` is one of the functions that it interprets.
BATCH = "get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0)"


def gathered(
    build: Builder, rows: str, key: str, ordinal: str, order: str, lists: tuple[tuple[str, str], ...], reason: str
) -> str:
    """A row per key, with an array for each of `lists`: a name, and the expression whose values other than null it has.

    `order`: the columns by which rows are ordered. `ordinal`: the first number of a row's ordinal.
    """
    group = f"PARTITION BY {build.lead}{key}"
    whole = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    names = ", ".join(name for name, _ in lists)
    stretched = ",\n    ".join(
        f"collect_list({item}) OVER ({group}, stretch ORDER BY {order} {whole}) AS {name}" for name, item in lists
    )
    stretches = build.add(
        "stretches",
        f"SELECT {build.lead}{key}, stretch, {names} FROM (\n"
        f"  SELECT {build.lead}{key}, stretch,\n    {stretched},\n"
        f"    row_number() OVER ({group}, stretch ORDER BY {order}) AS nth\n"
        f"  FROM (SELECT *, {ordinal} DIV {_STRETCH} AS stretch FROM {rows} DISTRIBUTE BY {build.lead}{key})\n"
        ") WHERE nth = 1",
        f"{reason}: by stretches of ordinals, so that many rows of one key cost no more for each",
    )
    joined = ",\n    ".join(
        f"collect_list({name}) OVER ({group} ORDER BY stretch {whole}) AS {name}" for name, _ in lists
    )
    flat = ", ".join(f"flatten({name}) AS {name}" for name, _ in lists)
    return build.add(
        "batch",
        f"SELECT {build.lead}{key}, {flat} FROM (\n"
        f"  SELECT {build.lead}{key},\n    {joined},\n"
        f"    row_number() OVER ({group} ORDER BY stretch) AS nth FROM {stretches}\n) WHERE nth = 1",
        reason,
    )
