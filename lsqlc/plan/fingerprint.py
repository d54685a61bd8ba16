"""Fingerprints of nodes: equal for nodes that compute the same, whatever the query calls its sources.

Built from the leaves up, so that a change shows in the nodes above it and in no other.
"""

from __future__ import annotations

from hashlib import sha256

from lsqlc.plan import nodes, windows
from lsqlc.types.data import Primitive
from lsqlc.types.frozen import field_names
from lsqlc.types.record import Topic

VERSION = 1
"""Raised when fingerprints are computed in another way: those of different versions say nothing about each other."""

# What names things for people, or where they come from, or follows from the dialect, and changes no result.
_IGNORED = frozenset(
    {"alias", "name", "description", "tags", "connector", "ksql_json", "window_size", "changes", "examples"}
)
_CONSTANTS = frozenset({type(None), bool, int, float, str})
_fields: dict[type, tuple[str, ...]] = {}


def fingerprint(node: nodes.Node) -> str:
    """Of one node and all that feeds it."""
    return _digest(node)


def own_fingerprint(node: nodes.Node | nodes.Sink) -> str:
    """Of one node without what feeds it; of a scan without the columns of its topic that the query does not use."""
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
    return _digest((kind.__name__, about, *(getattr(node, name) for name in names)))


def plan_fingerprint(sinks: tuple[nodes.Sink, ...], settings: tuple[tuple[str, str], ...]) -> str:
    """Of a whole plan: its sinks, with the topics that they write, and its settings."""
    return _digest((sinks, settings))


def _digest(value: object) -> str:
    return sha256(repr(_canonical(value)).encode()).hexdigest()


def _canonical(value: object) -> object:
    """Return constants and tuples of them, whose text is equal for equal data and for no other."""
    kind = type(value)
    if kind in _CONSTANTS:
        return value
    if kind is Primitive:
        # No other constant can stand where a type does.
        return str(value)
    # This runs for every part of every plan: what needs no call gets none. Loops, and no comprehensions, which Python
    # counts as calls: expressions may be as deep as it allows calls to be.
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
    parts.append(kind.__name__)
    for name in names:
        part = getattr(value, name)
        parts.append(part if type(part) in _CONSTANTS else _canonical(part))
    return tuple(parts)


def _meaningful(kind: type) -> tuple[str, ...]:
    """Return the fields of a class that are part of what its objects mean."""
    ignored: frozenset[str] = frozenset()
    if kind is Topic:
        ignored = _IGNORED - {"name"}
    elif kind in (nodes.Scan, nodes.Lateral, nodes.Project):
        ignored = _IGNORED
    elif kind is nodes.Join:
        # It follows from what the sides read.
        ignored = frozenset({"meets_itself"})
    elif kind is nodes.EventTime:
        # It follows from the settings.
        ignored = frozenset({"lettered"})
    found = _fields[kind] = tuple(name for name in field_names(kind) if name not in ignored)
    return found
