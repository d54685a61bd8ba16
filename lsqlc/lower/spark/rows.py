"""Operators without state: scans, filters, projections, laterals.

Rows have `_case` (in a run of cases), `_ord`, `_ts` and two columns per relation, `k<n>` and `v<n>`. The rows of a
TABLE are upserts, and have `_live` too, which is false if the row of that key is deleted.
"""

from __future__ import annotations

from lsqlc.connectors.timeless import NO_EVENT_TIME
from lsqlc.functions import catalogue
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.expressions import sql
from lsqlc.lower.spark.identity import identity, identity_column
from lsqlc.lower.spark.merge_order import in_batch, in_turn, on_kafka
from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.lower.spark.scan_decoding import metadata_columns, parsed_columns, validity_clause
from lsqlc.lower.spark.steps import NEWEST_TIME
from lsqlc.plan import nodes
from lsqlc.plan.expression import Call, Expression, PythonCall, ServerCall, walk
from lsqlc.plan.identity import keyed_by_identity, may_be_tombstone, passes_over_tombstones
from lsqlc.sql.spark import struct, text
from lsqlc.sql.writer import Lines, Select, listed
from lsqlc.types.record import LATEST

# In a run of cases: a time after all records, even with a duration added, and the end of time, after all windows.
_BEYOND, _END = "timestamp_millis(1000000000000000L)", "timestamp_millis(5000000000000000L)"


def facets(node: nodes.Node, shift: int = 0) -> tuple[str, ...]:
    """Return the names of the columns of all relations of a node. `shift`: the number of the first relation."""
    return tuple(f"{c}{i + shift}" for i in range(len(node.relations)) for c in ("k", "v"))


def columns(node: nodes.Node, alias: str = "", shift: int = 0) -> str:
    """Return these columns as SQL, from the columns of `alias`, whose numbers begin at 0."""
    dot = f"{alias}." if alias else ""
    pairs = zip(facets(node), facets(node, shift), strict=True)
    return listed(f"{dot}{old} AS {new}" if shift else f"{dot}{old}" for old, new in pairs)


def scan(node: nodes.Scan, build: Builder) -> str:
    """Read the records of a topic. For a TABLE, records without a key are counted and dropped."""
    # Another stage may have written several records with the same ordinal, in order.
    dated = on_kafka(build) and node.ordinal_width > 1
    again = dated and node.topic.name.startswith(INTERNAL)
    lines = build.source(node.topic.name, places=node.places or again, headers=bool(node.headers))
    decoding = build.scan_decoding(node, alone=True)
    metadata = metadata_columns((node,), position=again, headers=not build.headers)
    parsed = build.add(
        "parsed",
        f"SELECT {build.lead}{metadata}{parsed_columns((decoding, ''))}\n"
        f"FROM {lines} WHERE _topic = {text(node.topic.name)}",
        f"the records of {node.topic.name}, with the fields that the query uses",
    )
    order = in_turn(decoding.ordinal) if again else decoding.ordinal
    read = build.add(
        "records",
        f"SELECT {build.lead}{order} AS _ord, {decoding.time} AS _ts, {decoding.columns}\n"
        f"FROM {parsed}{validity_clause(decoding)}",
        "one column for each facet",
    )
    return upserts(build, dated=dated) if node.semantics == "TABLE" else read


def upserts(build: Builder, *, dated: bool = False) -> str:
    """Convert the last piece's records into changes of a TABLE.

    `dated`: add the time of the batch to their ordinals.
    """
    if dated:
        build.add(
            "dated",
            f"SELECT {build.lead}{in_batch('_ord')} AS _ord, _ts, k0, v0 FROM {build.last}",
            "what a later batch brings is newer",
        )
    records = build.observe(build.view(), ("null key", "count_if(k0 IS NULL)"))
    changes = f"SELECT *, v0 IS NOT NULL AS _live FROM {records} WHERE k0 IS NOT NULL"
    return build.add("changes", changes, "a TABLE has no row without a key; a null value deletes")


def live(updates: str, build: Builder) -> str:
    """Convert updates, whose null value deletes, into rows of a TABLE."""
    return build.add("rows", f"SELECT *, v0 IS NOT NULL AS _live FROM {updates}", "a null value deletes")


def reinterpreted(node: nodes.Reinterpret, below: str, build: Builder) -> str:
    """Convert a STREAM into the changes of a TABLE, or the changes of a TABLE into a STREAM."""
    if node.semantics == "TABLE":
        logs = all(s.topic.files is None for s in nodes.scans(node))
        return upserts(build, dated=on_kafka(build) and logs and node.ordinal_width > 1)
    return build.add(
        "stream",
        f"SELECT {build.lead}_ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM {below}",
        "each change of the table is a record",
    )


def filtered(node: nodes.Filter, below: str, build: Builder) -> str:
    condition = sql(node.condition)
    if build.before_records:
        return build.add("filter", f"SELECT * FROM {below}\nWHERE {condition}", "rows that exist from the beginning")
    if _comes_and_goes(node.input, build) and not any(map(_may_differ, walk(node.condition))):
        return build.add("filter", f"SELECT * FROM {below}\nWHERE {condition}", "the pairs that satisfy the condition")
    if node.semantics == "TABLE":
        living = f"_live AND coalesce({condition}, FALSE) AS _live"
        row: Lines = (*build.case, *identity_column(node), "_ord", "_ts", living, facets(node))
        return build.add("filter", Select(row, below), "a row that does not satisfy the condition is deleted")
    if passes_over_tombstones(node):
        condition = f"v0 IS NOT NULL AND {condition}"
    return build.add("filter", f"SELECT * FROM {below}\nWHERE {condition}", "the records that satisfy the condition")


def _comes_and_goes(node: nodes.Node, build: Builder) -> bool:
    """Return whether each change of a TABLE adds a pair of rows, or removes a pair with the same rows.

    Then a condition on these rows is true for both changes or for none.
    """
    while isinstance(node, nodes.Filter):
        node = node.input
    if not isinstance(node, nodes.Join) or node.style != "table-table" or node.kind != "INNER":
        return False
    return build.versions == "newest" and build.history is None and not keyed_by_identity(node)


def _may_differ(part: Expression) -> bool:
    """Return whether an expression may have different values for the same rows at different times."""
    if isinstance(part, Call):
        function = catalogue.planned(part.function)
        return function is None or function.clock or function.of_record
    return isinstance(part, PythonCall | ServerCall)


def projected(node: nodes.Project, below: str, build: Builder) -> str:
    """Compute the new facets of each row."""
    key, value = sql(node.key), sql(node.value)
    if node.semantics == "STREAM":
        if may_be_tombstone(node.input):
            value = f"if(v0 IS NULL, NULL, {value})"
        record: Lines = (*build.case, "_ord", "_ts", (f"{key} AS k0",), (f"{value} AS v0",))
        return build.add("project", Select(record, below), "the projections")
    own = identity_column(node)
    if own and keyed_by_identity(node.input):
        own = (f"{identity(node.input)} AS _id",)
    output = (*build.case, *own, "_ord", "_ts", "new_key AS k0", "new_value AS v0", "new_value IS NOT NULL AS _live")
    return build.add(
        "project",
        f"SELECT {listed(output)} FROM (\n  SELECT *, {key} AS new_key,\n    if(_live, {value}, NULL) AS new_value\n"
        f"  FROM {below})",
        "the projections; a row whose whole value is null is deleted",
    )


def event_time(node: nodes.EventTime, below: str, build: Builder) -> str:
    """Set another time for each row. A row without a valid time is skipped, or it fails the query.

    Rows that may fail are elements of an array with one element. Otherwise Spark would move later filters before the
    time, or remove a time that is not used, and the query would not fail. Spark does not do this for array elements.
    """
    time = sql(node.time)
    timely = f"coalesce({time} BETWEEN 0L AND {LATEST}L, FALSE)"
    bad = f"raise_error('{NO_EVENT_TIME}')"
    if node.skips:
        timeless = f"v0 IS NOT NULL AND NOT {timely}"
        rows = build.observe(build.view(), ("bad record", f"count_if({timeless})"))
        below = build.add("dated", f"SELECT * FROM {rows} WHERE NOT ({timeless})", "the records that have a time")
    live = ("_live",) if node.semantics == "TABLE" else ()
    value = f"if(v0 IS NULL, _ts, if({timely}, {time}, {bad})) AS _ts"
    row = (*build.case, *identity_column(node), "_ord", value, *live, *facets(node))
    if not node.skips:
        row = (f"inline(array(struct({listed(row)})))",)
    return build.add("at", Select(row, below), "the time of each record")


def timed(node: nodes.Node, below: str, delay: int, build: Builder, *extra: str, after: int = 0) -> str:
    """Add `_at`, the time of each row of a STREAM, with a watermark of `delay` milliseconds.

    `_at` is `after` milliseconds later than the record; `extra`: further columns to keep. In a run of cases, some rows
    are not records, but advance the time. Their times have an additional microsecond, which no record has. The last one
    is at the end of time.
    """
    time = f"_ts + {after}" if after else "_ts"
    row = ("_ord", "_ts", *facets(node), *extra)
    dated = Select((*build.case, f"timestamp_millis({time}) AS _at", *row), below)
    build.add("dated", dated, "the time of each record")
    if build.cases:
        build.add(
            "ending",
            f"SELECT * FROM {build.last}\n"
            f"UNION ALL SELECT '', {_reached(after)}, {listed('NULL' for _ in row)}\n"
            f"FROM {build.source(*(s.topic.name for s in nodes.scans(node)))} WHERE _topic = ''",
            "the end of time",
        )
    marked = build.watermark(build.view(), "_at", delay)
    reason = "the watermark is behind the newest time"
    if not build.cases:
        return build.add("timely", f"SELECT * FROM {marked}", reason)
    # Spark moves a filter below the watermark unless it uses the time. Then these rows would not advance the watermark.
    packed = f"if(_at < {_BEYOND}, {struct((c, c) for c in row)}, NULL) AS row"
    rows = Select(
        ("_case", "_at", *(f"row.{c} AS {c}" for c in row)),
        f"(SELECT _case, _at, {packed} FROM {marked})",
        (f"_at < {_BEYOND}", "unix_micros(_at) % 1000 = 0"),
    )
    return build.add("timely", rows, reason)


def _reached(after: int) -> str:
    """Return SQL of the time of a row that is not a record."""
    time = f"CAST(get_json_object(_line, '$.advance') AS BIGINT) + {after}"
    return f"coalesce(timestamp_micros(({time}) * 1000 + 1), {_END})"


def lateral(node: nodes.Lateral, below: str, build: Builder) -> str:
    """Return a record for each element of an array. Records without a value have no elements, and are counted."""
    number = len(node.input.relations)
    if may_be_tombstone(node.input) and not isinstance(node, nodes.LateralOfAll):
        records = build.observe(build.view(), ("null value", "count_if(v0 IS NULL)"))
        below = build.add("present", f"SELECT * FROM {records} WHERE v0 IS NOT NULL", "the records with a value")
    index = "CAST(u.index AS BIGINT)"
    order = f"array(_ord, {index})" if node.input.ordinal_width == 1 else f"array_append(_ord, {index})"
    if isinstance(node, nodes.LateralOfAll):
        order = "_ord"
        below = build.observe(build.view(), ("newest", "max(_ts)"), name=NEWEST_TIME)
    element = (f"CAST(NULL AS INT) AS k{number}", f"u.element AS v{number}")
    rows = Select(
        (*build.case, order if order == "_ord" else f"{order} AS _ord", "_ts", *facets(node.input), element),
        f"{below} LATERAL VIEW posexplode({sql(node.array)}) u AS index, element",
    )
    return build.add("lateral", rows, "a record for each element")
