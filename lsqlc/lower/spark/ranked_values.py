"""Several values by an order: the newest two versions of a row, the largest N of a group.

Spark 4.2 and newer have a third argument of `max_by` and `min_by`, and keep only these values. Older servers lack it.
There the two newest versions are computed by two aggregations, by the parity of a count. The first counts the batches
that changed a key, the second keeps the newest version of the even ones and that of the odd ones. Any other number of
values is taken from a list of all, so that the state grows, which the plan reports.
"""

from __future__ import annotations

from typing import Literal

from lsqlc.lower.spark.builder import GROWING, Builder
from lsqlc.lower.spark.versions import Version

SINCE: Version = (4, 2)
# The description of the state of a list.
ALL_VALUES = f"all its values, which Spark before {SINCE[0]}.{SINCE[1]} has to keep, {GROWING}"


def ranked(
    server: Version, name: Literal["max_by", "min_by"], value: str, order: str, count: int, condition: str = ""
) -> str:
    """Return an aggregate: an array of the `count` values of the highest (`max_by`) or lowest orders, these first.

    `condition`: an SQL FILTER clause. Values are not null, or the condition excludes them. Over no rows it returns null
    or an empty array.
    """
    filter = f" {condition}" if condition else ""
    if server >= SINCE:
        return f"{name}({value}, {order}, {count}){filter}"
    first, last = (-1, 1) if name == "max_by" else (1, -1)
    # Not `sort_array`, which would compare values as well: Spark cannot compare some of them.
    ordered = (
        f"array_sort(collect_list(struct({order} AS sort_key, {value} AS ranked_value)){filter},\n"
        f"    (a, b) -> CASE WHEN a.sort_key > b.sort_key THEN {first}\n"
        f"      WHEN a.sort_key < b.sort_key THEN {last} ELSE 0 END)"
    )
    return f"transform(slice({ordered}, 1, {count}), e -> e.ranked_value)"


def two_newest(build: Builder, rows: str, key: str, value: str, order: str, name: str, reason: str) -> str:
    """Return a row per `key`: `name` is an array of the value of its newest row and of the one before, or null if
    missing.

    `rows` has one row per key and batch.
    """
    group = f"GROUP BY {build.lead}{key}"
    if build.server >= SINCE:
        two = ranked(build.server, "max_by", value, order, 2)
        return build.add("versions", f"SELECT {build.lead}{key}, {two} AS {name} FROM {rows} {group}", reason)
    newest = f"count(*) AS batches, max_by({value}, {order}) AS newest"
    batch_counts = build.add(
        "touched", f"SELECT {build.lead}{key}, {newest} FROM {rows} {group}", "the newest, and how many batches had one"
    )
    build.state.append("the newest of each alone, and how many batches had one")
    two = f"{by_parity('newest')} AS {name}"
    return build.add("versions", f"SELECT {build.lead}{key}, {two} FROM {batch_counts} {group}", reason)


def by_parity(value: str) -> str:
    """Return an aggregate over the updates of a row: an array of its newest value and of the one before.

    The column `batches` counts the updates.
    """
    even, odd = (f"max_by({value}, batches) FILTER (WHERE batches % 2 = {rest})" for rest in (0, 1))
    return f"if(max(batches) % 2 = 0, array({even}, {odd}), array({odd}, {even}))"
