"""How often each value of a group occurs.

Spark has no aggregate that gives a map. `approx_top_k` counts the most frequent values, exactly as long as there are no
more of them than it may track, and it may track a million: its state then grows with the different values, not with the
records. A group with more of them would be counted wrong, so it fails the query. Older servers lack it; there all
values are kept in a list.
"""

from __future__ import annotations

from lsqlc.lower.spark.ranked_values import SINCE
from lsqlc.lower.spark.versions import Version

# What `approx_top_k` tracks at most.
MOST = 1_000_000


def counted(server: Version, x: str, condition: str) -> str:
    """An aggregate: an array of structs of each different value `k` under the condition and its number `n`, in no
    order.
    """
    if server < SINCE:
        values = f"collect_list({x}) FILTER (WHERE {condition})"
        number = "CAST(size(filter(vs, y -> y = v)) AS BIGINT)"
        each = f"transform(array_distinct(vs), v -> struct(v AS k, {number} AS n))"
        return f"get(transform(array({values}), vs -> {each}), 0)"
    found = f"coalesce(approx_top_k({x}, {MOST}, {MOST}) FILTER (WHERE {condition}), array())"
    # What is tracked no more is missing from the total.
    complete = f"aggregate({found}, 0L, (s, e) -> s + e.count) = count_if({condition})"
    several = f"raise_error('HISTOGRAM cannot count {MOST} different values of a group')"
    return f"transform(if({complete}, {found}, {several}), e -> struct(e.item AS k, e.count AS n))"


def left_over(came: str, went: str) -> str:
    """Such an array of what came, without what went again; in order of values."""
    away = f"transform({went}, e -> struct(e.k AS k, -e.n AS n))"
    all = f"array(sort_array(concat({came}, {away})))"
    # What went of a value stands right before what came of it.
    gone = "if(get(es, i - 1).k = e.k, get(es, i - 1).n, 0L)"
    rest = f"filter(transform(es, (e, i) -> struct(e.k AS k, e.n + {gone} AS n)), e -> e.n > 0)"
    return f"get(transform({all}, es -> {rest}), 0)"
