"""From a program and its topics to a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lsqlc.bind.error_policy import check_dead_letters, check_default, with_default
from lsqlc.bind.findings import Findings
from lsqlc.bind.lenses.files import with_files
from lsqlc.bind.lenses.queries import Sources, bind_select, refuse_elements
from lsqlc.bind.lenses.settings import SKIP_SETTING, check_settings
from lsqlc.bind.lenses.store import extent_of, stored
from lsqlc.bind.limits import DEFAULT_LIMITS, MAX_DEPTH, MAX_NODES, Limits
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.storage import unfit, unwritable
from lsqlc.bind.topic_settings import setting_of
from lsqlc.bind.trace import Trace, TracedSource
from lsqlc.diagnostics import listing, order
from lsqlc.plan.identity import has_elements, keyed_by_identity, unique_key
from lsqlc.plan.nodes import Node, Rekey, Sink
from lsqlc.plan.passes import optimise
from lsqlc.plan.plan import Compiled, Plan
from lsqlc.plan.policies import passing_over, read_policy
from lsqlc.syntax import tree
from lsqlc.types.digits import integer
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.record import Facet, Topic


def compile_program(
    program: tree.Program,
    topics: Mapping[str, Topic],
    *,
    name: str,
    nullability: str = "lenient",
    limits: Limits = DEFAULT_LIMITS,
    trace: Trace | None = None,
    functions: OwnFunctions | None = None,
    errors: ErrorPolicy = UNSET,
) -> Compiled:
    """Bind a program against the topics in scope. `name`: the target of a bare SELECT.

    `nullability`: `lenient`, or `strict` for the documented check that refuses nullable operands. `trace` is filled
    with the meaning of words. `errors`: the policy for bad records if the program sets none.
    """
    findings = Findings(program.source, trace=trace, functions=functions or {})
    topics = with_files(program, topics)
    targets = tuple(insert.target.text if insert.target else name for insert in program.inserts)
    own = check_settings(program, targets, topics.keys() & set(targets), findings, errors)
    settings = with_default(own, errors)
    withs: dict[str, Node] = {}
    broken: set[str] = set()
    sizes: dict[str, _Size] = {}
    for statement in program.withs:
        size = sizes[statement.name.text] = _size(statement.select, sizes)
        if size.depth > MAX_DEPTH or size.nodes > MAX_NODES:
            broken.add(statement.name.text)
            if size.is_first:
                findings.error(
                    "LSQ345",
                    f"this query depends on too many others: {size.depth} deep, {size.nodes} in all",
                    statement.name.at,
                    help="write an intermediate topic, and continue from there in another model",
                )
            continue
        sources = Sources(topics, withs, frozenset(broken), limits, nullability == "strict")
        node = bind_select(statement.select, statement.name.text, sources, findings)
        # A name shadows earlier names, but not in its own body.
        if node is None:
            broken.add(statement.name.text)
        else:
            withs = {**withs, statement.name.text: node}
            if trace is not None:
                trace.sources[statement.name.text] = TracedSource(node)
    sources = Sources(topics, withs, frozenset(broken), limits, nullability == "strict")
    results: list[tuple[tree.Insert, Node]] = []
    for insert in program.inserts:
        target = insert.target.text if insert.target else name
        node = bind_select(insert.select, target, sources, findings)
        node = node and _one_row_per_key(node, insert.select, findings)
        node = node and stored(node, insert, findings)
        if node is not None:
            results.append((insert, node))
    sinks = _sinks(results, topics, name, settings, findings)
    top = (0, min(len(program.source.text), 1))
    check_default(own, errors, top, findings)
    at = next((s.value.at for s in reversed(program.settings) if s.key.text == "dead.letter.queue"), top)
    check_dead_letters(settings, {source.text for source in program.reads}, targets, topics, at, findings)
    sinks = passing_over(sinks, read_policy(settings))
    plan = (
        None if findings.has_errors else Plan(name, sinks, tuple(sorted(settings.items())), skip_setting=SKIP_SETTING)
    )
    return Compiled(plan, order(findings.found))


@dataclass(frozen=True, slots=True)
class _Size:
    """The size of a WITH: the number of nested queries, and of all queries. `is_first`: its inputs are within the
    limits.
    """

    depth: int
    nodes: int
    is_first: bool


def _size(select: tree.Select, sizes: Mapping[str, _Size]) -> _Size:
    read = (select.source.left, select.source.right) if isinstance(select.source, tree.Join) else (select.source,)
    below = [sizes[source.name.text] for source in read if source.name.text in sizes]
    depth = 1 + len(select.laterals) + max((s.depth for s in below), default=0)
    nodes = 1 + len(select.laterals) + sum(s.nodes for s in below)
    return _Size(depth, nodes, all(s.depth <= MAX_DEPTH and s.nodes <= MAX_NODES for s in below))


def _one_row_per_key(node: Node, select: tree.Select, findings: Findings) -> Node | None:
    """Return a TABLE with one row per key for writing, if its keys do not identify its rows yet."""
    if node.semantics == "STREAM" or keyed_by_identity(node):
        return node
    if has_elements(node):
        refuse_elements(select.laterals[0].at if select.laterals else select.semantics_at, findings)
        return None
    if not unique_key(node):
        join = select.source
        findings.warn(
            "LSQ805",
            "the keys of this TABLE may not be unique",
            (join.on.at if join.on else join.kind_at) if isinstance(join, tree.Join) else select.semantics_at,
            notes=("the key is what ON equates; of the rows with the same key, only the newest is kept",),
        )
    return Rekey(node)


def _sinks(
    targets: list[tuple[tree.Insert, Node]],
    topics: Mapping[str, Topic],
    name: str,
    settings: Mapping[str, str],
    findings: Findings,
) -> tuple[Sink, ...]:
    """Return one sink per target; several statements may write one STREAM."""
    sinks: dict[str, Sink] = {}
    for insert, node in targets:
        target = insert.target.text if insert.target else name
        at = insert.target.at if insert.target else insert.select.semantics_at
        relation = node.relations[0]
        topic = _topic(target, relation.key, relation.value, node.ordinal_width, topics.get(target), settings)
        declared = topics.get(target)
        if declared is None and (setting_of(settings, target, "autocreate") or "true").lower() == "false":
            findings.error(
                "LSQ327",
                f"the target '{target}' is not declared",
                at,
                notes=("the program sets autocreate to false",),
                help=f"declare it in YAML, or remove the setting; known are {listing(topics)}",
            )
            continue
        if declared is not None and declared.files:
            message = f"the topic '{target}' is a topic of files, which cannot be written"
            findings.error("LSQ445", message, at, help="write to another topic")
            continue
        foreign = unwritable(declared)
        if foreign is not None:
            findings.error(foreign.code, foreign.message, at, help=foreign.help)
            continue
        if declared is not None and not _agree(declared, topic):
            findings.error(
                "LSQ328",
                f"the result does not match the topic '{target}'",
                at,
                notes=(
                    f"declared: key {declared.key}, value {declared.value}",
                    f"result:   key {topic.key}, value {topic.value}",
                ),
                help="change the projections, or the declaration",
            )
            continue
        wrong = unfit(topic)
        if wrong is not None:
            place = (extent_of(insert.select, wrong.way) if wrong.way else None) or at
            findings.error(wrong.code, wrong.message, place, notes=wrong.notes, help=wrong.help)
            continue
        if findings.trace is not None:
            findings.trace.written(target, (node,))
        other = sinks.get(target)
        if other is None:
            sinks[target] = Sink((optimise(node),), topic)
        elif other.semantics == "TABLE" or node.semantics == "TABLE":
            findings.error(
                "LSQ329", f"only one statement may write the TABLE '{target}'", at, help="use another target"
            )
        elif (other.topic.key, other.topic.value) != (topic.key, topic.value):
            findings.error(
                "LSQ328",
                f"two statements write '{target}' with different schemas",
                at,
                notes=(
                    f"before: key {other.topic.key}, value {other.topic.value}",
                    f"here: key {topic.key}, value {topic.value}",
                ),
            )
        else:
            width = max(other.topic.ordinal_width, topic.ordinal_width)
            merged = replace(other.topic, ordinal_width=width)
            sinks[target] = Sink((*other.inputs, optimise(node)), merged)
    return tuple(sinks.values())


def _topic(
    name: str, key: Facet, value: Facet, width: int, declared: Topic | None, settings: Mapping[str, str]
) -> Topic:
    partitions = setting_of(settings, name, "partitions")
    count = integer(partitions) if partitions and partitions.isdecimal() else None
    if declared is not None:
        return replace(declared, key=key, value=value, ordinal_width=width)
    return Topic(name, key, value, partitions=count, ordinal_width=width)


def _agree(declared: Topic, result: Topic) -> bool:
    """Return whether two topics have the same types, ignoring nullability."""
    return (_bare(declared.key), _bare(declared.value)) == (_bare(result.key), _bare(result.value))


def _bare(facet: Facet) -> str:
    return f"{facet.type} {facet.format}".replace(" NOT NULL", "")
