"""A program and its topics to a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lsqlc.diagnostics import listing, order
from lsqlc.plan.bind_joins import Limits
from lsqlc.plan.bind_queries import Sources, bind_select
from lsqlc.plan.expression import Field
from lsqlc.plan.identity import keyed_by_identity
from lsqlc.plan.nodes import Node, Project, Rekey, Sink
from lsqlc.plan.passes import optimise
from lsqlc.plan.plan import Compiled, Plan
from lsqlc.plan.report import Findings
from lsqlc.plan.settings import check_settings
from lsqlc.plan.storage import FORMATS, choices, store
from lsqlc.syntax import tree
from lsqlc.types.data import Array, Map, Struct
from lsqlc.types.record import Facet, Topic

DAY = 86_400_000
# Bounds of a plan: what walks it does so by recursion, and meets a query once for each of its readers.
MAX_DEPTH = 60
MAX_NODES = 1_000
DEFAULT_LIMITS = Limits(grace=DAY, retention=7 * DAY)


def compile_program(
    program: tree.Program,
    topics: Mapping[str, Topic],
    *,
    name: str,
    nullability: str = "lenient",
    limits: Limits = DEFAULT_LIMITS,
) -> Compiled:
    """Bind a program against the topics that it can name. `name`: the target of a bare SELECT.

    `nullability`: `lenient`, or `strict` for the documented check that refuses operands which may be null.
    """
    findings = Findings(program.source)
    settings = check_settings(program, findings)
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
                    f"this query builds on too many others: {size.depth} deep, {size.nodes} in all",
                    statement.name.at,
                    help="write an intermediate topic, and go on from there in another model",
                )
            continue
        sources = Sources(topics, withs, frozenset(broken), limits, nullability == "strict")
        node = bind_select(statement.select, statement.name.text, sources, findings)
        # A name hides what it hid before it too, but not in its own body.
        if node is None:
            broken.add(statement.name.text)
        else:
            withs = {**withs, statement.name.text: node}
    sources = Sources(topics, withs, frozenset(broken), limits, nullability == "strict")
    written: list[tuple[tree.Insert, Node]] = []
    for insert in program.inserts:
        target = insert.target.text if insert.target else name
        node = bind_select(insert.select, target, sources, findings)
        node = node and _stored(_one_row_per_key(node), insert, findings)
        if node is not None:
            written.append((insert, node))
    sinks = _sinks(written, topics, name, dict(settings), findings)
    plan = None if findings.has_errors else Plan(name, sinks, settings)
    return Compiled(plan, order(findings.found))


@dataclass(frozen=True, slots=True)
class _Size:
    """How many queries a WITH stands on, one on another and in all. `is_first`: what it stands on is within bounds."""

    depth: int
    nodes: int
    is_first: bool


def _size(select: tree.Select, sizes: Mapping[str, _Size]) -> _Size:
    read = (select.source.left, select.source.right) if isinstance(select.source, tree.Join) else (select.source,)
    below = [sizes[source.name.text] for source in read if source.name.text in sizes]
    depth = 1 + len(select.laterals) + max((s.depth for s in below), default=0)
    nodes = 1 + len(select.laterals) + sum(s.nodes for s in below)
    return _Size(depth, nodes, all(s.depth <= MAX_DEPTH and s.nodes <= MAX_NODES for s in below))


def _one_row_per_key(node: Node) -> Node:
    """A TABLE whose rows are not told apart by their keys gets one row per key where it is written."""
    return Rekey(node) if node.semantics == "TABLE" and not keyed_by_identity(node) else node


def _stored(node: Node, insert: tree.Insert, findings: Findings) -> Node | None:
    """The result in the formats that STORE asks for."""
    relation = node.relations[0]
    key = Field(0, "key", (), relation.key.type, True)
    value = Field(0, "value", (), relation.value.type, True)
    result = Project(node, key, value, relation.key.format, relation.value.format, False, relation.name)
    for asked, facet in ((insert.key_format, "key"), (insert.value_format, "value")):
        if asked is None:
            continue
        after = asked.text.lower()
        before = result.key_format if facet == "key" else result.value_format
        stored = store(result.key if facet == "key" else result.value, before, after) if after in FORMATS else None
        if stored is None:
            known = after in FORMATS
            message = (
                f"a {facet} stored as {before.upper()} cannot be stored as {asked.text}"
                if known
                else (f"'{asked.text}' is no storage format that can be written")
            )
            findings.error("LSQ326", message, asked.at, help=f"it can be stored as {' or '.join(choices(before))}")
            return None
        if facet == "key":
            result = replace(result, key=stored.expression, key_format=stored.format)
        else:
            result = replace(result, value=stored.expression, value_format=stored.format)
    same = (result.key, result.value) == (key, value)
    if same and (result.key_format, result.value_format) == (relation.key.format, relation.value.format):
        return node
    return result


def _sinks(
    written: list[tuple[tree.Insert, Node]],
    topics: Mapping[str, Topic],
    name: str,
    settings: Mapping[str, str],
    findings: Findings,
) -> tuple[Sink, ...]:
    """One sink per target; several statements may write one STREAM."""
    sinks: dict[str, Sink] = {}
    for insert, node in written:
        target = insert.target.text if insert.target else name
        at = insert.target.at if insert.target else insert.select.semantics_at
        relation = node.relations[0]
        topic = _topic(target, relation.key, relation.value, node.ordinal_width, topics.get(target), settings)
        declared = topics.get(target)
        if declared is None and settings.get("defaults.topic.autocreate", "true").lower() == "false":
            findings.error(
                "LSQ327",
                f"the target '{target}' is not declared",
                at,
                notes=("defaults.topic.autocreate is false",),
                help=f"declare it in YAML, or drop the setting; known are {listing(topics)}",
            )
            continue
        if declared is not None and not _agree(declared, topic):
            findings.error(
                "LSQ328",
                f"the result does not fit the topic '{target}'",
                at,
                notes=(
                    f"declared: key {declared.key}, value {declared.value}",
                    f"result:   key {topic.key}, value {topic.value}",
                ),
                help="change the projections, or the declaration",
            )
            continue
        unfit = _not_avro(topic.key) or _not_avro(topic.value)
        if unfit is not None:
            findings.error(
                "LSQ308",
                f"'{unfit}' is no name that AVRO can hold",
                at,
                notes=("a name in AVRO has letters, digits and _, and begins with no digit",),
                help="give the projection an alias: AS name",
            )
            continue
        other = sinks.get(target)
        if other is None:
            sinks[target] = Sink((optimise(node),), topic)
        elif other.semantics == "TABLE" or node.semantics == "TABLE":
            findings.error(
                "LSQ329", f"only one statement can write the TABLE '{target}'", at, help="use another target"
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
    partitions = settings.get(f"topic.{name}.partitions") or settings.get("defaults.topic.partitions")
    count = int(partitions) if partitions and partitions.isdecimal() else None
    if declared is not None:
        return replace(declared, key=key, value=value, ordinal_width=width)
    return Topic(name, key, value, partitions=count, ordinal_width=width)


def _not_avro(facet: Facet) -> str | None:
    """The first name of a field that the facet's format cannot hold, if it is AVRO."""
    pending = [facet.type] if facet.format == "avro" else []
    while pending:
        match pending.pop():
            case Struct(fields):
                bad = next((f.name for f in fields if not (f.name.isascii() and f.name.isidentifier())), None)
                if bad is not None:
                    return bad
                pending += [f.type for f in fields]
            case Array(element):
                pending.append(element)
            case Map(_, value):
                pending.append(value)
    return None


def _agree(declared: Topic, result: Topic) -> bool:
    """Whether two topics hold the same types; which of their fields may be null is the result's affair."""
    return (_bare(declared.key), _bare(declared.value)) == (_bare(result.key), _bare(result.value))


def _bare(facet: Facet) -> str:
    return f"{facet.type} {facet.format}".replace(" NOT NULL", "")
