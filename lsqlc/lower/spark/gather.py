"""All rows of a key in one batch as one array, in order.

A plain window function on a stream sees one batch at a time and keeps no state. It writes what it gathered into every
row of its partition, though, which is quadratic in the rows of a key: so rows are gathered by stretches of ordinals
first, and the stretches afterwards.
"""

from __future__ import annotations

from lsqlc.lower.spark.builder import Builder

_STRETCH = 512


def gathered(build: Builder, rows: str, key: str, ordinal: str, fields: tuple[str, ...], reason: str) -> str:
    """A row per key with `evs`, an array of structs of `fields` in their order.

    `ordinal` is the first number of a row's ordinal.
    """
    group, order, packed = f"PARTITION BY {build.lead}{key}", ", ".join(fields[:2]), ", ".join(fields)
    whole = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    stretches = build.add(
        "stretches",
        f"SELECT {build.lead}{key}, stretch, evs FROM (\n"
        f"  SELECT {build.lead}{key}, stretch,\n"
        f"    collect_list(struct({packed})) OVER ({group}, stretch ORDER BY {order} {whole}) AS evs,\n"
        f"    row_number() OVER ({group}, stretch ORDER BY {order}) AS n\n"
        f"  FROM (SELECT *, {ordinal} DIV {_STRETCH} AS stretch FROM {rows})\n) WHERE n = 1",
        f"{reason}: by stretches of ordinals, so that many rows of one key cost no more for each",
    )
    return build.add(
        "batch",
        f"SELECT {build.lead}{key}, flatten(evs) AS evs FROM (\n"
        f"  SELECT {build.lead}{key}, collect_list(evs) OVER ({group} ORDER BY stretch {whole}) AS evs,\n"
        f"    row_number() OVER ({group} ORDER BY stretch) AS n FROM {stretches}\n) WHERE n = 1",
        reason,
    )
