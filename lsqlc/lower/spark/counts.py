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


def counted(server: Version, argument: str, condition: str, name: str = "HISTOGRAM") -> str:
    """An aggregate: an array of structs of each different `value` under the condition and how often it `occurs`, in no
    order. `name`: what the error calls the function that needs it.
    """
    if server < SINCE:
        values = f"collect_list({argument}) FILTER (WHERE {condition})"
        occurs = "CAST(size(filter(all_values, y -> y = v)) AS BIGINT)"
        each = f"transform(array_distinct(all_values), v -> struct(v AS value, {occurs} AS occurs))"
        return f"get(transform(array({values}), all_values -> {each}), 0)"
    tracked = f"coalesce(approx_top_k({argument}, {MOST}, {MOST}) FILTER (WHERE {condition}), array())"
    # What is tracked no more is missing from the total.
    complete = f"aggregate({tracked}, 0L, (s, e) -> s + e.count) = count_if({condition})"
    several = f"raise_error('{name} cannot count {MOST} different values of a group')"
    return f"transform(if({complete}, {tracked}, {several}), e -> struct(e.item AS value, e.count AS occurs))"


def left_over(came: str, went: str) -> str:
    """Such an array of what came, without what went again; in order of values."""
    away = f"transform({went}, e -> struct(e.value AS value, -e.occurs AS occurs))"
    both = f"array(sort_array(concat({came}, {away})))"
    # What went of a value stands right before what came of it.
    gone = "if(get(counts, i - 1).value = e.value, get(counts, i - 1).occurs, 0L)"
    left = f"transform(counts, (e, i) -> struct(e.value AS value, e.occurs + {gone} AS occurs))"
    return f"get(transform({both}, counts -> filter({left}, e -> e.occurs > 0)), 0)"
