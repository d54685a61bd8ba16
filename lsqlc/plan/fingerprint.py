"""Fingerprints of nodes: equal if the nodes compute the same, independent of aliases.

The fingerprint of a node depends on the nodes below it only.
"""

from __future__ import annotations

from hashlib import sha256

from lsqlc.plan import nodes, windows
from lsqlc.plan.expression import Expression
from lsqlc.types.data import Primitive
from lsqlc.types.frozen import field_names
from lsqlc.types.record import Topic

VERSION = 1
"""Increased when the algorithm changes: fingerprints of different versions are not comparable."""

# Fields that do not affect results: names, origins, and values that follow from the dialect.
_IGNORED = frozenset(
    {
        "alias",
        "name",
        "description",
        "tags",
        "connector",
        "ksql_json",
        "window_size",
        "changes",
        "intervals",
        "examples",
    }
)
_CONSTANTS = frozenset({type(None), bool, int, float, str})
_fields: dict[type, tuple[str, ...]] = {}


def fingerprint(node: nodes.Node) -> str:
    """Return the fingerprint of a node including all nodes below it."""
    return _digest(node)


def own_fingerprint(node: nodes.Node | nodes.Sink) -> str:
    """Return the fingerprint of a node without its inputs; for a scan, without unused columns of its topic."""
    if isinstance(node, nodes.Sink):
        return _digest(("Sink", node.topic, node.semantics))
    kind = type(node)
    names = [
        n for n in _fields.get(kind) or _meaningful(kind) if n not in ("input", "inputs", "left", "right", "topic")
    ]
    about: tuple[object, ...] = ()
    if isinstance(node, nodes.Scan):
        topic = node.topic
        about = (topic.name, topic.event_time, topic.partitions, topic.ordinal_width)
        names = names if node.headers else [n for n in names if n != "headers"]
    if isinstance(node, nodes.Aggregate) and (node.keeps_empty or not node.total):
        names = [n for n in names if n != "total"]
    return _digest((kind.__name__, about, *(getattr(node, name) for name in names)))


def plan_fingerprint(sinks: tuple[nodes.Sink, ...], settings: tuple[tuple[str, str], ...]) -> str:
    """Return the fingerprint of a plan: its sinks with their topics, and its settings."""
    return _digest((sinks, settings))


def expression_key(expression: Expression) -> str:
    """Return a text that is equal only for equal expressions, by which they can be sorted."""
    return repr(_canonical(expression))


def _digest(value: object) -> str:
    return sha256(repr(_canonical(value)).encode()).hexdigest()


def _canonical(value: object) -> object:
    """Return nested tuples of constants. Their `repr` is equal only for equal data."""
    kind = type(value)
    if kind in _CONSTANTS:
        return value
    if kind is Primitive:
        # A type is never next to a constant, so a string is unambiguous.
        return str(value)
    # This runs for every part of every plan, so calls are avoided. Comprehensions count as calls in Python, and
    # expressions may be as deep as the limit of recursion.
    parts: list[object] = []
    names = _fields.get(kind)
    if names is None:
        if isinstance(value, tuple):
            for part in value:
                parts.append(part if type(part) in _CONSTANTS else _canonical(part))
            return tuple(parts)
        if isinstance(value, nodes.Sink):
            return ("Sink", _canonical(value.topic), *map(fingerprint, value.inputs))
        if isinstance(value, windows.Window):
            return ("Window", *windows.window_data(value).values())
        names = _meaningful(kind)
    if kind is nodes.Scan and not value.headers:  # type: ignore[attr-defined]
        names = names[:-1]
    if kind is nodes.Aggregate and (value.keeps_empty or not value.total):  # type: ignore[attr-defined]
        # In one dialect, the group of all rows of a TABLE is the only one that keeps empty groups.
        names = names[:-1]
    parts.append(kind.__name__)
    for name in names:
        part = getattr(value, name)
        parts.append(part if type(part) in _CONSTANTS else _canonical(part))
    return tuple(parts)


def _meaningful(kind: type) -> tuple[str, ...]:
    """Return the fields of a class that affect the meaning of its objects."""
    ignored: frozenset[str] = frozenset()
    if kind is Topic:
        ignored = _IGNORED - {"name"}
    elif kind in (nodes.Scan, nodes.Lateral, nodes.Project):
        ignored = _IGNORED
    elif kind is nodes.Join:
        # Derived from the inputs.
        ignored = frozenset({"meets_itself"})
    elif kind is nodes.EventTime:
        # Derived from the settings.
        ignored = frozenset({"lettered"})
    names = _fields[kind] = tuple(name for name in field_names(kind) if name not in ignored)
    return names
