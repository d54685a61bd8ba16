"""The computation of a stage, as digests of the nodes of its steps: a checkpoint identifies the stage by them.

A digest outlives releases of lsqlc. So it contains only the properties that determine rows of state and of output. It
has no name for display and no storage format (lines are JSON on Spark). It has no nullability of computed values, which
the compiler may infer better later. It has no rows before the first record, which are not in the state. It has no grace
(watermarks are parts of their own). A field of a node with its default is left out, so that a release can add one.
Another name of a node, a field, a function or an operator is another digest, which `tests/history` detects.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from lsqlc.lower.spark.bounds import keeps_state
from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.plan import nodes, windows
from lsqlc.plan.expression import Aggregation, Expression, Variable
from lsqlc.plan.identity import identity_type
from lsqlc.scan.file_topics import needed
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.frozen import field_defaults
from lsqlc.types.record import Topic

_INPUTS = frozenset({"input", "left", "right"})
# For every node and expression.
_LEFT_OUT = _INPUTS | {"nullable", "alias", "name", "key_format", "value_format", "lettered", "total"}
_OF_A_JOIN = _LEFT_OUT | {"within", "within_after", "grace", "retention", "expires", "meets_itself"}
_WORDS = {
    "EventTime": "the event time",
    "Filter": "the filter",
    "Lateral": "the array that is laid open",
    "LateralOfAll": "the tests",
    "Project": "the projection",
    "Reinterpret": "how rows are read",
    "Rekey": "the new key",
    "Aggregate": "the aggregation",
    "Join": "the join",
}


def expression_digest(expression: Expression) -> str:
    """Return a digest that is equal for expressions that compute the same of the same relations."""
    return _digest(_spelled(expression))


def node_digests(node: nodes.Node, where: str = "") -> Iterator[tuple[str, str]]:
    """Yield a node and all below it, each with a name for display and a digest of its own; `where` ends the names."""
    if not isinstance(node, nodes.Repartition):
        yield _words(node) + where, node_digest(node)
    if isinstance(node, nodes.Join):
        for side, part in (("left", node.left), ("right", node.right)):
            yield from node_digests(part, f" of the {side} side{where}")
        return
    for part in nodes.inputs(node):
        yield from node_digests(part, where)


def node_digest(node: nodes.Node) -> str:
    """Return the digest of one node without its inputs."""
    return _digest(_own(node))


def shape(node: nodes.Node) -> str:
    """Return the kinds of a node and of all below it, in their order."""
    below = ", ".join(shape(part) for part in nodes.inputs(node))
    if isinstance(node, nodes.Repartition):
        return below
    return f"{type(node).__name__}({below})"


def read_digest(topic: Topic) -> str:
    """Return the digest of the validation of a topic's records: its facets have the validated fields."""
    return _digest((topic.name, str(topic.key.type), str(topic.value.type), topic.event_time, _of_files(topic)))


def state_key(node: nodes.Node) -> str:
    """Return the type of the key of an operator's state."""
    match node:
        case nodes.Aggregate():
            return type_text(node.group_type)
        case nodes.Join():
            return ", ".join(type_text(left.type) for left, _ in node.equalities)
        case nodes.Rekey(input=nodes.Project() as project):
            return f"{type_text(identity_type(project.input))}, then {type_text(project.key.type)}"
        case nodes.Lateral():
            return type_text(identity_type(node.input))
    raise AssertionError(f"{type(node).__name__} keeps no state")


def state_columns(node: nodes.Node) -> str:
    """Return the types of an operator's state, as far as the plan defines them; the layout defines the rest."""
    match node:
        case nodes.Aggregate():
            calls = (f"{c.function}({', '.join(type_text(a.type) for a in c.arguments)})" for c in node.aggregates)
            return f"{', '.join(calls)}; ordinals of {node.input.ordinal_width}"
        case nodes.Rekey(input=nodes.Project() as project):
            return f"{type_text(project.value.type)}; ordinals of {node.ordinal_width}"
    return "; ".join(
        f"{', '.join(f'{type_text(r.key.type)}: {type_text(r.value.type)}' for r in part.relations)}; "
        f"ordinals of {part.ordinal_width}"
        for part in nodes.inputs(node)
    )


def operators(node: nodes.Node) -> tuple[nodes.Node, ...]:
    """Return the stateful operators, inputs of others first."""
    below = tuple(each for part in nodes.inputs(node) for each in operators(part))
    return (*below, node) if keeps_state(node) else below


def type_text(type: DataType) -> str:
    """Return a type without its nullability."""
    match type:
        case Struct(found):
            return f"STRUCT<{', '.join(f'{f.name!r}: {type_text(f.type)}' for f in found)}>"
        case Array(element):
            return f"ARRAY<{type_text(element)}>"
        case Map(key, value):
            return f"MAP<{type_text(key)}, {type_text(value)}>"
    return str(type)


def _words(node: nodes.Node) -> str:
    if isinstance(node, nodes.Scan):
        return f"what is read of '{node.topic.name}'"
    return _WORDS[type(node).__name__]


def _own(node: nodes.Node) -> tuple[object, ...]:
    match node:
        case nodes.Scan():
            return _scan(node)
        case nodes.Aggregate(window=window) if window is not None:
            times = tuple(part for name, part in windows.window_data(window).items() if name != "grace")
            return (*_parts(node, _LEFT_OUT | {"window"}), times)
        case nodes.Join(style="stream-stream"):
            return (*_parts(node, _OF_A_JOIN), node.spread)
        case nodes.Join():
            waits = node.style != "table-table" and node.kind != "INNER"
            return (*_parts(node, _OF_A_JOIN), node.retention if waits else None)
        case nodes.Project(semantics="TABLE"):
            return _parts(node, _LEFT_OUT)
        case nodes.Project():
            return _parts(node, _LEFT_OUT | {"rekeys"})
    return _parts(node, _LEFT_OUT)


def _scan(node: nodes.Scan) -> tuple[object, ...]:
    topic = node.topic
    # A topic between two stages is made by the compiler, and so is its nullability.
    text_of = type_text if topic.name.startswith(INTERNAL) else str
    facets = tuple("" if facet.is_absent else text_of(facet.type) for facet in (node.key, node.value))
    time = (topic.event_time, _type_at(topic.value.type, topic.event_time)) if topic.event_time else None
    parts: tuple[object, ...] = ("Scan", topic.name, node.semantics, facets, time, topic.ordinal_width, node.places)
    if node.headers:
        parts = (*parts, tuple((header.name, header.key) for header in node.headers))
    if topic.files is None:
        return parts
    assert isinstance(node.value.type, Struct), "a row of a file has columns"
    columns = tuple((f.name, str(f.type), f.nullable) for f in needed(topic, node.value.type))
    return (*parts, _of_files(topic), columns)


def _of_files(topic: Topic) -> object:
    return None if topic.files is None else _parts(topic.files, frozenset())


def _type_at(type: DataType, path: str) -> str:
    for name in path.split("."):
        field_type = type.field(name) if isinstance(type, Struct) else None
        if field_type is None:
            return ""
        type = field_type.type
    return str(type)


def _spelled(value: object) -> object:
    """Return constants and tuples of them, equal for equal computations."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return tuple(map(_spelled, value))
    if isinstance(value, DataType):
        return type_text(value)
    assert isinstance(value, Expression | Aggregation | Variable), f"{type(value).__name__} has no form"
    return _parts(value, _IN_EXPRESSIONS)


_known: dict[type[Any], tuple[tuple[str, object], ...]] = {}
_IN_EXPRESSIONS = frozenset({"nullable", "examples"})


def _parts(value: Any, left_out: frozenset[str]) -> tuple[object, ...]:
    """Return the kind of an object and its fields, without those that have their default."""
    parts = []
    for name, default in _fields(type(value)):
        part = getattr(value, name)
        if name not in left_out and part != default:
            parts.append((name, _spelled(part)))
    return (type(value).__name__, *parts)


def _fields(kind: type[Any]) -> tuple[tuple[str, object], ...]:
    """Return the fields of a class with their defaults."""
    if kind not in _known:
        _known[kind] = field_defaults(kind)
    return _known[kind]


def _digest(value: object) -> str:
    return sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]
