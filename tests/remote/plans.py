"""Hand-written Spark plans, as the lowering would make them, for tests of what executes them."""

from __future__ import annotations

from lsqlc.lower.spark.steps import Observe, Source, SparkPlan, Stage, View, Watermark, Write

UNCHECKED = ("spark.sql.streaming.unsupportedOperationCheck", "false")


def copy(name: str, source: str, target: str, *, column: str = "_line") -> SparkPlan:
    """Every line of a topic into another, counted."""
    return SparkPlan(
        (
            Stage(
                name,
                (
                    Source("lines", (source,)),
                    View("copied", f"select {column} as line from lines", "all of it"),
                    Observe("counted", "copied", (("copied", "count(*)"), ("nulls", "count_if(line is null)"))),
                ),
                Write("counted", target, "append"),
            ),
        )
    )


def points(name: str, source: str, target: str, *, cases: bool = False) -> SparkPlan:
    """Sum of points by country over a table of players, by weighted deltas."""
    case = by_case = "_case, " if cases else ""
    said = "'\"case\":\"', _case, '\",'," if cases else ""
    typed = "ordinal bigint, key string, value struct<country: string, points: bigint>"
    steps = (
        Source("lines", (source,)),
        View(
            "records",
            f"select {case} inline(array(from_json(_line, '{typed}'))) from lines",
            "typed",
        ),
        View(
            "newest",
            f"select * from (select *, row_number() over (partition by {by_case} key order by ordinal desc) as place "
            "from records where key is not null) where place = 1",
            "newest of each key in this batch",
        ),
        View(
            "versions",
            f"select {case} key, slice(sort_array(collect_list(struct(ordinal, value)), false), 1, 2) as v from newest "
            f"group by {by_case} key",
            "now and before",
        ),
        View(
            "deltas",
            f"select {case} key, inline(array("
            "struct(get(v, 0).value as row, get(v, 0).ordinal as ordinal, 1 as weight), "
            "struct(get(v, 1).value as row, get(v, 0).ordinal as ordinal, -1 as weight))) from versions",
            "what came and what went",
        ),
        View(
            "groups",
            f"select {case} row.country, sum(weight * row.points) as points, sum(weight) as rows, "
            f"max(ordinal) as ordinal from deltas where row is not null group by {by_case} row.country",
            "totals",
        ),
        View(
            "written",
            f'select concat(\'{{\', {said} \'"ordinal":\', ordinal, \',"timestamp":0,"key":"\', country, '
            '\'","value":\', '
            "if(rows = 0, 'null', to_json(struct(points))), '}') as line from groups",
            "as lines",
        ),
    )
    state = ("key -> ordinal, row", "country -> points, rows")
    return SparkPlan((Stage(name, steps, Write("written", target, "update"), (UNCHECKED,), state),))


def windows(name: str, source: str, target: str) -> SparkPlan:
    """Count by minute of event time, for cases: each window once, when it has closed."""
    steps = (
        Source("lines", (source,)),
        View(
            "records",
            "select _case, if(_topic = '', timestamp'9999-01-01', timestamp_millis(r.timestamp)) as at, r.ordinal from "
            "(select _case, _topic, from_json(_line, 'ordinal bigint, timestamp bigint') as r from lines)",
            "typed, the end of time far in the future",
        ),
        Watermark("timed", "records", "at", 0),
        View(
            "counted",
            "select _case, window(at, '1 minute') as w, count(*) as n, max(ordinal) as ordinal from timed "
            "where at < timestamp'9000-01-01' group by _case, window(at, '1 minute')",
            "by minute",
        ),
        View(
            "written",
            'select concat(\'{"case":"\', _case, \'","ordinal":\', ordinal, \',"start":\', unix_millis(w.start), '
            "',\"n\":', n, '}') as line from counted",
            "as lines",
        ),
    )
    return SparkPlan((Stage(name, steps, Write("written", target, "append")),))
