"""What the engines promise to give alike, and when: the rules by which a program's batches are chosen and its results
compared (docs/reference/lenses.md, "What depends on batches" and "Engines").

The final rows of a TABLE are the same whatever the batches. Spark's operators over a derived TABLE write the last of
what a batch does to a row, "at least the last per batch and key": so what sees each change of one depends on the cut,
and is held to DuckDB in batches of one record, where every change is the last of its batch:

1. a STREAM that meets a derived TABLE (an aggregate, a join on keys, new keys) meets it as it stood at the end of a
   batch;
2. a condition or a new key over the changes of a derived TABLE, and rows that are made of those changes ("such a STREAM
   is compared by its last record per key"): it judges the changes that the batch left;
3. late records ("for late records the promise holds with batches of one record");
4. new keys over rows that have new keys already, or that are groups of groups: which of them is the newest goes by the
   changes of those below;
5. where groups of a TABLE stay when they have lost every row, as ksqlDB has it: a group that a derived row came to and
   left within a batch is not known to have been one.

Where ksqlDB joins two STREAMs, each side forgets by its own time, and a record whose matches lie in the past is
unmatched at once; Spark goes by the time of both. So records of such a join come to Spark in order of their times.

Not drawn at all is what has no one meaning: order among rows that one record changes together, and so with one ordinal
(the groups of a TABLE that a row leaves and enters, overlapping windows), where that order decides something: a new
key, FIRST, LAST and the lists of a STREAM, the newest of each key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsqlc.plan import Plan
from lsqlc.plan.expression import Field
from lsqlc.plan.identity import compacted, direct_changes, keeps_history, keyed_by_identity, whole_key
from lsqlc.plan.nodes import (
    Aggregate,
    EventTime,
    Filter,
    Join,
    Lateral,
    Node,
    Project,
    Reinterpret,
    Rekey,
    Repartition,
    Scan,
    inputs,
    scans,
)
from lsqlc.plan.windows import Hop

_ORDERED = (
    "FIRST", "LAST", "COLLECT", "COLLECT_UNIQUE", "COLLECT_LIST", "COLLECT_SET", "EARLIEST_BY_OFFSET",
    "LATEST_BY_OFFSET",
)  # fmt: skip
# A grace in milliseconds within which every record of a case comes.
_AMPLE = 3_600_000


def cut_matters(plan: Plan) -> bool:
    """Whether what a plan gives depends on the cut into batches, though no record is late."""
    return any(_cut_matters(node) for sink in plan.sinks for each in sink.inputs for node in every(each))


def every(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield node
    for below in inputs(node):
        yield from every(below)


def _cut_matters(node: Node) -> bool:
    match node:
        case Join(style="stream-table"):
            return not keeps_versions(node.right)
        case Join(style="table-stream"):
            return not keeps_versions(node.left)
        case Rekey():
            return not _same_ordinals(node.input)
        case Aggregate(keeps_empty=True):
            return not keeps_versions(node.input)
        case Filter() | Project(rekeys=True) | Lateral() if node.semantics == "STREAM":
            return compacted(node.input)
        case Reinterpret(semantics="TABLE"):
            return compacted(node.input) and not isinstance(node.input, Reinterpret)
    return False


def _same_ordinals(node: Node) -> bool:
    """Whether the ordinals of a TABLE's rows are the same whatever the batches."""
    match node:
        case Rekey():
            return False
        case Aggregate():
            return node.input.semantics == "STREAM" or keeps_history(node.input)
        case _ if node.semantics == "STREAM":
            return True
        case _:
            return all(map(_same_ordinals, inputs(node)))


def keeps_versions(node: Node) -> bool:
    """Whether each version of a TABLE's rows is seen, whatever the batches."""
    match node:
        case Scan():
            return True
        case Reinterpret():
            return not compacted(node.input)
        case Aggregate() | Rekey():
            return False
        case Join():
            return not keyed_by_identity(node) and keeps_versions(node.left) and keeps_versions(node.right)
        case _:
            return keeps_versions(inputs(node)[0])


def order_is_open(plan: Plan) -> bool:
    """Whether a plan lets the order of rows with one ordinal decide."""
    nodes = [node for sink in plan.sinks for each in sink.inputs for node in every(each)]
    changes = any(compacted(each) and may_tie(each) for sink in plan.sinks for each in sink.inputs)
    return changes or any(map(_decides, nodes))


def _decides(node: Node) -> bool:
    match node:
        case Rekey():
            return _ties_under_one_key(node)
        case Reinterpret(semantics="TABLE"):
            return may_tie(node.input)
        case Join(style="stream-table"):
            return not meets_key(node) and may_tie(node.right)
        case Join(style="table-stream"):
            return not meets_key(node) and may_tie(node.left)
        case Aggregate() if node.input.semantics == "STREAM":
            return may_tie(node.input) and any(c.function in _ORDERED for c in node.aggregates)
    return False


def _ties_under_one_key(rekey: Rekey) -> bool:
    """Whether rows with one ordinal may have one new key. Those of a side whose key ON equates are never two."""
    join = rekey.input.input if isinstance(rekey.input, Project) and not rekey.input.rekeys else None
    while isinstance(join, Filter | Repartition):
        join = join.input
    if not isinstance(join, Join) or _topics(join.left) & _topics(join.right):
        return may_tie(rekey.input)
    return any(
        may_tie(side) and not (keyed_by_identity(side) and any(whole_key(pair[i]) for pair in join.equalities))
        for i, side in enumerate((join.left, join.right))
    )


def _topics(node: Node) -> set[str]:
    return {s.topic.name for s in scans(node)}


def meets_key(join: Join) -> bool:
    """Whether a STREAM meets a TABLE by the TABLE's key alone."""
    side, table = (1, join.right) if join.style == "stream-table" else (0, join.left)
    return len(join.equalities) == 1 and whole_key(join.equalities[0][side]) and keyed_by_identity(table)


def may_tie(node: Node) -> bool:
    """Whether one record can change several rows so that they have one ordinal."""
    match node:
        case Aggregate(window=window):
            return node.input.semantics == "TABLE" or isinstance(window, Hop) or may_tie(node.input)
        case Join():
            return may_tie(node.left) or may_tie(node.right)
    return any(map(may_tie, inputs(node)))


def order_of_times_matters(plan: Plan, *, native: bool) -> bool:
    """Whether records have to come in order of their times for all engines to give the same. `native`: Spark is one."""
    return any(
        isinstance(node, Join)
        and node.expires
        and (node.grace < _AMPLE or (native and node.kind != "INNER" and not node.eager))
        for sink in plan.sinks
        for each in sink.inputs
        for node in every(each)
    )


def time_columns(plan: Plan) -> Mapping[str, str]:
    """The fields that give records their time, by topic."""
    found = {}
    for node in (node for sink in plan.sinks for each in sink.inputs for node in every(each)):
        match node:
            case EventTime(input=Scan(topic=topic), time=Field(facet="value", path=(name,))):
                found[topic.name] = name
    return found


def timed(plan: Plan) -> bool:
    """Whether a query of the plan has a watermark."""
    return any(
        (isinstance(node, Join) and node.style == "stream-stream")
        or (isinstance(node, Aggregate) and node.window is not None)
        for sink in plan.sinks
        for each in sink.inputs
        for node in every(each)
    )


def has_own_times(node: Node) -> bool:
    """Whether the times of a STREAM's records are those of records: of a derived TABLE's rows they are not compared."""
    return all(
        not isinstance(below, Join)
        or below.style not in ("stream-table", "table-stream")
        or direct_changes(_table(below))
        for below in every(node)
    )


def _table(join: Join) -> Node:
    return join.right if join.style == "stream-table" else join.left
