"""The number of occurrences of each value of a group.

Spark has no aggregate that returns a map. `approx_top_k` counts the most frequent values, exactly up to the number that
it may track, which is at most a million. Its state then grows with the distinct values, not with the records. The
counts of a group with more of them would be wrong, so it fails the query. Older servers lack the function; there all
values are kept in a list.
"""

from __future__ import annotations

from lsqlc.lower.spark.ranked_values import SINCE
from lsqlc.lower.spark.versions import Version

# The maximum of values that `approx_top_k` tracks.
MOST = 1_000_000


def counted(server: Version, argument: str, condition: str, name: str = "HISTOGRAM") -> str:
    """Return an aggregate: an array of structs of each distinct `value` under the condition and how often it `occurs`.

    The array has no order. `name`: the function that needs it, in the error.
    """
    if server < SINCE:
        values = f"collect_list({argument}) FILTER (WHERE {condition})"
        occurs = "CAST(size(filter(all_values, y -> y = v)) AS BIGINT)"
        each = f"transform(array_distinct(all_values), v -> struct(v AS value, {occurs} AS occurs))"
        return f"get(transform(array({values}), all_values -> {each}), 0)"
    tracked = f"coalesce(approx_top_k({argument}, {MOST}, {MOST}) FILTER (WHERE {condition}), array())"
    # A value that is no longer tracked is missing from the total.
    complete = f"aggregate({tracked}, 0L, (s, e) -> s + e.count) = count_if({condition})"
    several = f"raise_error('{name} cannot count {MOST} different values of a group')"
    return f"transform(if({complete}, {tracked}, {several}), e -> struct(e.item AS value, e.count AS occurs))"


def left_over(came: str, went: str) -> str:
    """Return the counts of `came` minus those of `went`, as such an array in order of values."""
    away = f"transform({went}, e -> struct(e.value AS value, -e.occurs AS occurs))"
    both = f"array(sort_array(concat({came}, {away})))"
    # The count of deletions of a value directly precedes that of its insertions.
    removals = "if(get(counts, i - 1).value = e.value, get(counts, i - 1).occurs, 0L)"
    left = f"transform(counts, (e, i) -> struct(e.value AS value, e.occurs + {removals} AS occurs))"
    return f"get(transform({both}, counts -> filter({left}, e -> e.occurs > 0)), 0)"
