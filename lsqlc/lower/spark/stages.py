"""Lower a plan to stages: each is a streaming query with at most one operator with state.

If an operator with state is the input of another one, the plan is split between them. The first stage writes an
internal topic, a changelog, which the next stage reads like any other topic. Kafka Streams calls it a repartition
topic. The printed plan has all stages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from msgspec import structs

from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import (
    dead_letters,
    elements,
    files,
    rows,
    stateful,
    stream_stream,
    stream_stream_eager,
    stream_table,
    table_table,
)
from lsqlc.lower.spark.before_state import narrowed
from lsqlc.lower.spark.bounds import keeps_state
from lsqlc.lower.spark.builder import Builder, Checks, Versions
from lsqlc.lower.spark.common import common_group, common_groups
from lsqlc.lower.spark.engine import carried
from lsqlc.lower.spark.expressions import sql
from lsqlc.lower.spark.first_rows import first_row, has_first_row
from lsqlc.lower.spark.identity import newest_of_each, passed_on, passing_on, taken_up
from lsqlc.lower.spark.layouts import Kind
from lsqlc.lower.spark.record_lines import INTERNAL, NO_HEADERS, written_columns
from lsqlc.lower.spark.stateful import once_closed
from lsqlc.lower.spark.steps import COUNTED, Origin, SparkPlan, Stage, View, Write
from lsqlc.lower.spark.support import unsupported
from lsqlc.lower.spark.values_left import counts_values
from lsqlc.lower.spark.versions import NEWEST, Version
from lsqlc.lower.spark.wire.records import Wires
from lsqlc.plan import nodes
from lsqlc.plan.clocks import timed_groups
from lsqlc.plan.expression import Expression
from lsqlc.plan.headers import keeps_headers
from lsqlc.plan.identity import keeps_history, keyed_by_identity, may_be_unmatched
from lsqlc.plan.kafka_order import by_time, kafka_order
from lsqlc.plan.path_filters import path_filter
from lsqlc.plan.plan import Plan
from lsqlc.plan.windows import Session
from lsqlc.types.record import Topic


def lower(
    plan: Plan,
    *,
    cases: bool = False,
    server: Version = NEWEST,
    wires: Wires | None = None,
    headers: Collection[str] = (),
    real_time: bool = False,
) -> SparkPlan:
    """Return the stages of a plan, each after those that it reads from. The text is always the same.

    - `cases`: rows have the name of their case, so that many cases run in one query.
    - `server`: the version of the server.
    - `wires`: the encoding of each topic in Kafka; None: topics have lines.
    - `headers`: topics whose lines keep the headers of the source records (see `plan.headers`). Records in Kafka always
      keep them.
    - `real_time`: each record is written at once, with the same state. The plan must be over Kafka, and without
      obstacles (see `plan.real_time`). Dead letters are still written in batches.

    Raises LsqlcError (LSQ600) for a plan that is not supported on Spark.
    """
    if wires is not None:
        time_ordered, ksql_json = by_time(plan), {t.name for t in (*plan.inputs, *plan.outputs) if t.ksql_json}
        wires = {t: w.as_ksqldb() if t in ksql_json else w for t, w in wires.items()}
        plan, wires = kafka_order(plan), {t: replace(w, by_time=t in time_ordered) for t, w in wires.items()}
    draft = _drafted(plan, cases, server, wires, headers, real_time)
    own = (replace(stage, skip_setting=plan.skip_setting) for stage in draft.stages)
    stages = tuple(carried(stage, dict(plan.settings)) for stage in own)
    return SparkPlan(stages, tuple(dict.fromkeys(draft.strategy)))


def internal_topics(plan: Plan) -> Mapping[str, tuple[Topic, nodes.Semantics]]:
    """Return the topics between the stages of a plan, by name. Raises LsqlcError (LSQ600) like `lower`."""
    return _drafted(plan, cases=False, server=NEWEST).internal


def _drafted(
    plan: Plan,
    cases: bool,
    server: Version,
    wires: Wires | None = None,
    headers: Collection[str] = (),
    real_time: bool = False,
) -> _Draft:
    problems = unsupported(plan)
    if problems:
        raise LsqlcError(problems)
    checks = dead_letters.checks(plan, cases=cases, wires=wires)
    draft = _Draft(plan.name, cases, checks, server, _table_aggregation(plan), wires, real_time)
    inputs_of_sinks = [tuple(narrowed(node) for node in sink.inputs) for sink in plan.sinks]
    if plan.computes_once:
        draft.common = common_groups(node for inputs in inputs_of_sinks for node in inputs)
    for sink, inputs in zip(plan.sinks, inputs_of_sinks, strict=True):
        cut = tuple(_cut(node, draft, None) for node in inputs)
        name = plan.name if len(plan.sinks) == 1 else f"{plan.name}.{sink.topic.name}"
        has_headers = wires is not None or sink.topic.name in headers
        keepers = tuple(has_headers and keeps_headers(node) for node in sink.inputs)
        draft.stages.append(_stage(name, _Output(sink.topic, cut, keepers=keepers, counted=sink.counted), draft))
    draft.stages += dead_letters.stages(plan, checks, cases=cases, wires=wires)
    return draft


@dataclass(slots=True)
class _Draft:
    model: str
    cases: bool
    checks: Checks
    server: Version
    table_aggregation: Kind
    wires: Wires | None = None
    real_time: bool = False
    stages: list[Stage] = field(default_factory=list)
    strategy: list[str] = field(default_factory=list)
    internal: dict[str, tuple[Topic, nodes.Semantics]] = field(default_factory=dict)
    # The source topics of each internal topic.
    origins: dict[str, frozenset[str]] = field(default_factory=dict)
    # Internal topics whose sources are only files.
    of_files: set[str] = field(default_factory=set)
    # Internal topics without some versions of the rows of a TABLE.
    partial: set[str] = field(default_factory=set)
    # Internal topics with records that retract versions of rows.
    forgetting: set[str] = field(default_factory=set)
    # The groups that are computed once for several readers, and the node that replaces each of them.
    common: frozenset[str] = frozenset()
    taken: dict[str, nodes.Node] = field(default_factory=dict)


def _table_aggregation(plan: Plan) -> Kind:
    """Return the kind of state of the plan's aggregates of TABLEs."""
    inputs = [node for sink in plan.sinks for node in sink.inputs]
    if any(map(timed_groups, inputs)):
        return "TABLE aggregation with times"
    return "TABLE aggregation below new keys" if any(map(_ranks_groups, inputs)) else "TABLE aggregation"


def _ranks_groups(node: nodes.Node, below_keys: bool = False) -> bool:
    """Return whether groups of a TABLE get new keys. Then the newest row of a key wins, so ordinals are relevant."""
    if isinstance(node, nodes.Aggregate) and below_keys and node.input.semantics == "TABLE":
        return True
    below_keys = node.semantics == "TABLE" and (below_keys or isinstance(node, nodes.Rekey))
    return any(_ranks_groups(part, below_keys) for part in nodes.inputs(node))


def _join_below(rekey: nodes.Rekey) -> nodes.Join | None:
    """Return the join of TABLEs whose rows get new keys, if only row-by-row operators are in between."""
    node = rekey.input
    while isinstance(node, nodes.Filter | nodes.Project | nodes.Repartition | nodes.EventTime):
        node = node.input
    return node if isinstance(node, nodes.Join) and node.style == "table-table" else None


def _has_history(node: nodes.Node, draft: _Draft) -> bool:
    """Return whether a node over the topics of a stage has all versions of the rows of a TABLE."""
    if isinstance(node, nodes.Scan):
        return node.topic.name not in draft.partial
    return (
        keeps_history(node)
        if isinstance(node, nodes.Aggregate | nodes.Rekey | nodes.Reinterpret)
        else all(_has_history(part, draft) for part in nodes.inputs(node))
    )


def _needs_own_stage(node: nodes.Node, above: nodes.Node, versions: Versions, draft: _Draft) -> bool:
    """Return whether an input of an operator with state needs its own stage.

    It does if it has state, or if a join that reads both sides as one stream cannot compute it.
    """
    if len(node.relations) != 1:
        return False
    if isinstance(above, nodes.Rekey) and not _as_ever(above) and _join_below(above) is not None:
        return False
    if isinstance(node, nodes.Union):
        return True
    by_side = isinstance(above, nodes.Join) and _by_side(above) and versions == "newest"
    both = isinstance(above, nodes.Join) and (above.style != "stream-stream" or above.eager) and not by_side
    parts = tuple(_own_parts(node, draft))
    if both and any(isinstance(part, nodes.Scan) and part.topic.files for part in parts):
        # The only common order of files and topics is that of their ordinals.
        return True
    changes_time = any(isinstance(part, nodes.Lateral | nodes.EventTime) for part in parts)
    return any(map(keeps_state, parts)) or (both and changes_time)


def _own_parts(node: nodes.Node, draft: _Draft) -> Iterator[nodes.Node]:
    """Yield a node and all nodes below it, without groups that are computed once for several readers."""
    if not common_group(node, draft.common):
        yield node
        for part in nodes.inputs(node):
            yield from _own_parts(part, draft)


def _by_side(join: nodes.Join) -> bool:
    """Return whether a join of two tables keeps only the newest row of each side.

    Then its sides are read separately.
    """
    return join.style == "table-table" and keyed_by_identity(join)


def _as_ever(rekey: nodes.Rekey) -> bool:
    """Return whether the latest row ever seen for a new key wins."""
    return keeps_history(rekey.input) and not may_be_unmatched(rekey.input)


def _cut(node: nodes.Node, draft: _Draft, above: nodes.Node | None, versions: Versions = "newest") -> nodes.Node:
    """Split the stages below a node off, and return the node over the topics of these stages.

    An operator with state below another one is in another stage. `above`: the nearest operator with state above the
    node; `versions`: the output of joins.
    """
    if group := common_group(node, draft.common):
        if group not in draft.taken:
            cut = nodes.with_inputs(node, tuple(_cut(part, draft, node) for part in nodes.inputs(node)))
            draft.taken[group] = _passed_on((cut,), node, draft)
        return draft.taken[group]
    if above is not None and _needs_own_stage(node, above, versions, draft):
        if isinstance(node, nodes.Union):
            return _passed_on(tuple(_cut(part, draft, None) for part in node.inputs), node, draft)
        return _passed_on((_cut(node, draft, None, versions),), node, draft, versions)
    above = node if keeps_state(node) else above
    # A STREAM, and a TABLE of newest rows, have no versions.
    if node.semantics == "STREAM" or isinstance(node, nodes.Aggregate):
        versions = "newest"
    if isinstance(node, nodes.Rekey):
        # New keys are computed for all versions of the rows.
        ranked: Versions = "counted" if keeps_history(node.input) else "ranked"
        versions = "all" if _as_ever(node) else ranked
        # The projection below computes the new keys. Its input still has the old keys.
        below = nodes.inputs(node.input)[0]
        return structs.replace(node, input=nodes.with_inputs(node.input, (_cut(below, draft, above, versions),)))
    return nodes.with_inputs(node, tuple(_cut(part, draft, above, versions) for part in nodes.inputs(node)))


def _passed_on(
    cut: tuple[nodes.Node, ...], node: nodes.Node, draft: _Draft, versions: Versions = "newest"
) -> nodes.Node:
    """Add a stage that writes a node to an internal topic, and return the node that reads the topic.

    `cut`: the result of `_cut` for the node, or for the inputs of a union; `versions`: as of `_cut`.
    """
    number = len(draft.stages) + 1
    topic = Topic(f"{INTERNAL}{draft.model}.{number}", *passed_on(node), ordinal_width=node.ordinal_width)
    if node.semantics == "TABLE" and not keeps_history(node):
        draft.partial.add(topic.name)
    if versions == "counted" and may_be_unmatched(node):
        draft.forgetting.add(topic.name)
    repeats = isinstance(node, nodes.Union) and node.repeats
    draft.stages.append(_stage(f"{draft.model}.stage{number}", _Output(topic, cut, versions, repeats=repeats), draft))
    draft.internal[topic.name] = topic, node.semantics
    draft.origins[topic.name] = frozenset(scan.topic.name for scan in nodes.scans(node))
    if all(scan.topic.files for scan in nodes.scans(node)):
        draft.of_files.add(topic.name)
    return taken_up(node, nodes.Scan(topic, topic.name, node.semantics, topic.key, topic.value))


@dataclass(frozen=True, slots=True)
class _Output:
    """The output of a stage: a topic, and the nodes whose records it gets.

    `versions`: as of `_cut`; `keepers`: for each node, whether it keeps the headers of its source records; empty: none
    does; `counted`: see `nodes.Sink`; `repeats`: whether several nodes can return the same record (see `nodes.Union`).
    """

    topic: Topic
    inputs: tuple[nodes.Node, ...]
    versions: Versions = "newest"
    keepers: tuple[bool, ...] = ()
    counted: tuple[tuple[str, Expression], ...] = ()
    repeats: bool = False


def _stage(name: str, output: _Output, draft: _Draft) -> Stage:
    """Return the stage that writes an output."""
    topic, inputs = output.topic, output.inputs
    build = _builder(output, draft)
    source = _source(output, build, draft)
    if output.counted:
        metrics = tuple((name, f"count_if({sql(condition)})") for name, condition in output.counted)
        source = build.observe(build.view(), *metrics, name=COUNTED)
    view = _written(output, build, source)
    # Real-time mode supports no other output mode. Without state, both modes are the same.
    update = draft.real_time or any(_needs_update(node) for node in inputs)
    write = Write(view, topic.name, "update" if update else "append", topic, inputs[0].semantics, build.headers)
    # The state of the next stage depends on all output of this one.
    state_end = None if build.passes_on else build.held
    read = sorted({scan.topic.name for node in inputs for scan in nodes.scans(node)} & draft.checks.reasons.keys())
    origin = Origin(inputs, tuple(draft.checks.read[topic] for topic in read), kinds=tuple(build.kinds))
    return replace(build.stage(name, write, origin, state_end), first=_first_rows(output, draft))


def _builder(output: _Output, draft: _Draft, *, before_records: bool = False) -> Builder:
    group_times = draft.table_aggregation != "TABLE aggregation"
    return Builder(
        draft.cases,
        draft.checks,
        draft.server,
        group_times,
        output.versions,
        wires=draft.wires,
        passes_on=output.topic.name.startswith(INTERNAL),
        origins=draft.origins,
        of_files=draft.of_files,
        forgetting=draft.forgetting,
        real_time=draft.real_time,
        before_records=before_records,
    )


def _source(output: _Output, build: Builder, draft: _Draft) -> str:
    """Add the steps of all inputs of an output, and return the name of the piece with their rows."""
    topic, inputs, keepers = output.topic, output.inputs, output.keepers
    parts = []
    for number, (node, keeps) in enumerate(zip(inputs, keepers or [False] * len(inputs), strict=True)):
        if build.before_records and not has_first_row(node):
            continue
        build.headers = keeps
        below = _rows(node, build, draft)
        below = passing_on(node, below, build) if build.passes_on else newest_of_each(node, below, build)
        order = "array(_ord)" if node.ordinal_width < topic.ordinal_width and node.ordinal_width == 1 else "_ord"
        if output.repeats:
            order += f" || array({number}L)"
        order = order if order == "_ord" else f"{order} AS _ord"
        if len(inputs) > 1:
            none = f"{NO_HEADERS}, " if any(keepers) and not keeps else ""
            build.add("input", f"SELECT {build.lead}{none}{order}, _ts, k0, v0 FROM {below}", "one of several inputs")
            below = build.view()
        parts.append(below)
    build.headers = any(keepers)
    if len(inputs) == 1:
        return parts[0]
    union = "\nUNION ALL ".join(f"SELECT * FROM {part}" for part in parts)
    return build.add("inputs", union, "all that is written to the topic")


def _written(output: _Output, build: Builder, source: str) -> str:
    """Add the columns that are written for the rows of a piece, and return the name of their view."""
    table = output.inputs[0].semantics == "TABLE"
    columns = written_columns(output.topic, build.wires, table=table, cases=build.cases, headers=build.headers)
    build.add("written", f"SELECT {build.lead}{columns}\nFROM {source}", f"the lines of {output.topic.name}")
    return build.view()


def _first_rows(output: _Output, draft: _Draft) -> tuple[View, ...]:
    """Return the views of the rows that an output has before the first record."""
    if not any(map(has_first_row, output.inputs)):
        return ()
    build = _builder(output, draft, before_records=True)
    _written(output, build, _source(output, build, draft))
    return tuple(step for step in build.steps if isinstance(step, View))


def _needs_update(node: nodes.Node) -> bool:
    """Return whether a query with this node writes its results as updates of groups."""
    if isinstance(node, nodes.Join):
        return node.style != "stream-stream" or node.eager
    if isinstance(node, nodes.Aggregate) and node.window is not None and once_closed(node.window):
        return False
    return keeps_state(node) or any(_needs_update(part) for part in nodes.inputs(node))


def _rows(node: nodes.Node, build: Builder, draft: _Draft) -> str:
    """Add the pieces of a node, and return the name of the piece with its rows."""
    match node:
        case nodes.Scan() if node.topic.files and not build.cases:
            return files.scan(node, build)
        case nodes.Scan():
            return rows.scan(node, build)
        case nodes.Repartition():
            return _rows(node.input, build, draft)
        case nodes.Reinterpret():
            return rows.reinterpreted(node, _rows(node.input, build, draft), build)
        case nodes.EventTime():
            return rows.event_time(node, _rows(node.input, build, draft), build)
        case nodes.Filter(input=nodes.Scan() as scan) if scan.topic.files and not build.cases:
            return rows.filtered(node, files.scan(scan, build, path_filter(node)), build)
        case nodes.Filter():
            return rows.filtered(node, _rows(node.input, build, draft), build)
        case nodes.Project():
            return rows.projected(node, _rows(node.input, build, draft), build)
        case nodes.Lateral(semantics="TABLE"):
            draft.strategy.append(
                "LATERAL on a TABLE: the elements that each version of a row brings and takes, native"
            )
            rows_below = _rows(node.input, build, draft)
            return build.ends_state(elements.elements(node, rows_below, build), "LATERAL on a TABLE")
        case nodes.Lateral():
            return rows.lateral(node, _rows(node.input, build, draft), build)
        case nodes.Aggregate() if build.before_records:
            return first_row(node, build)
        case nodes.Aggregate():
            draft.strategy.append(_aggregation(node))
            kind = _aggregation_kind(node, draft)
            return build.ends_state(stateful.aggregate(node, _rows(node.input, build, draft), build), kind)
        case nodes.Rekey():
            return _rekeyed(node, build, draft)
        case nodes.Join():
            return _join(node, build, draft)
        case nodes.Union():
            raise AssertionError("a union is a stage of its own")


def _rekeyed(node: nodes.Rekey, build: Builder, draft: _Draft) -> str:
    below = node.input.input if isinstance(node.input, nodes.Project) else node.input
    join, history = _join_below(node), _has_history(node.input, draft)
    if join is not None:
        draft.strategy.append("TABLE with TABLE: pairs of the versions that live at the same time, native")
        build.history = history
    rows = _rows(below, build, draft)
    draft.strategy.append("rekeyed TABLE: the newest version of each new key, native")
    if join is not None:
        kind: Kind = "rekeyed join of TABLEs" if history else "rekeyed join of TABLEs of last versions"
        return build.ends_state(stateful.settled(node, rows, build), kind)
    if history:
        return build.ends_state(stateful.rekey(node, rows, build), "rekeyed TABLE")
    return build.ends_state(stateful.newest_living(node, rows, build), "rekeyed TABLE of last versions")


def _join(node: nodes.Join, build: Builder, draft: _Draft) -> str:
    if node.style == "table-table" and build.history is not None:
        return build.ends_state(
            table_table.entries(node, build, history=build.history), "join of TABLEs under new keys"
        )
    if node.style == "table-table" and (build.versions != "newest" or not _by_side(node)):
        draft.strategy.append("TABLE with TABLE: pairs of the versions that live at the same time, native")
        return build.ends_state(table_table.pairs(node, build), _pairs_kind(node, build.versions))
    if node.style == "table-table":
        draft.strategy.append("TABLE with TABLE on the key: the newest row of each side, native")
        sides = [
            stateful.table_side(node, i, _rows(side, build, draft), build)
            for i, side in enumerate((node.left, node.right))
        ]
        return build.ends_state(stateful.table_join(node, (sides[0], sides[1]), build), "join of TABLEs on their keys")
    if node.eager:
        draft.strategy.append("STREAM with STREAM: the records near each one in time, unmatched at once, native")
        return build.ends_state(stream_stream_eager.eager(node, build), "join of STREAMs, unmatched at once")
    if node.style == "stream-stream":
        draft.strategy.append("STREAM with STREAM: Spark's own join, with a watermark on each side")
        delay = max(node.spread) + node.grace
        sides = [
            # A watermark starts at the epoch, and for a join, a record that is not after it is late.
            stream_stream.stream_side(
                node, i, rows.timed(side, _rows(side, build, draft), delay, build, after=1), build
            )
            for i, side in enumerate((node.left, node.right))
        ]
        return build.ends_state(stream_stream.stream_stream(node, (sides[0], sides[1]), build), "join of STREAMs")
    looks_back = node.kind != "INNER" and node.retention is not None
    late = "" if not looks_back else ", and unmatched records kept for the first row that appears"
    draft.strategy.append(f"STREAM with TABLE: the events of each key replayed in order{late}, native")
    meets_key = stream_table.meets_key(node)
    return build.ends_state(
        stream_table.stream_table(node, build),
        "join of a STREAM and a TABLE on its key" if meets_key else "join of a STREAM and a TABLE on other columns",
    )


def _pairs_kind(node: nodes.Join, versions: Versions) -> Kind:
    if versions in ("ranked", "counted"):
        return "join of TABLEs in ranked pairs below new keys"
    return "join of TABLEs in pairs below new keys" if _by_side(node) else "join of TABLEs in pairs"


def _aggregation_kind(node: nodes.Aggregate, draft: _Draft) -> Kind:
    if node.input.semantics == "TABLE":
        return draft.table_aggregation
    if node.window is None:
        return "STREAM aggregation"
    if isinstance(node.window, Session):
        return "STREAM aggregation in session windows"
    if once_closed(node.window):
        return "STREAM aggregation in time windows, written once closed"
    return "STREAM aggregation in time windows"


def _aggregation(node: nodes.Aggregate) -> str:
    if node.input.semantics == "TABLE":
        counts = ", and a count of each value" if any(map(counts_values, node.aggregates)) else ""
        if any(call.function == "FIRST_ROWS" for call in node.aggregates):
            counts = ", of which the first rows of a group are taken"
        return f"TABLE aggregation: weighted changes of each row{counts}, native"
    if node.window is None:
        return "STREAM aggregation, native"
    if isinstance(node.window, Session):
        return "STREAM aggregation in session windows, native; a session is written once it is closed"
    if once_closed(node.window):
        return "STREAM aggregation in time windows, native; a window is written once it is closed"
    return "STREAM aggregation in time windows, native; a window is written again whenever it changes"
