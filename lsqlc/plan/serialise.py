"""Plans as versioned JSON-ready data. Later releases must read every version."""

from __future__ import annotations

from typing import Any

from lsqlc.plan import expression as ex
from lsqlc.plan import nodes, windows
from lsqlc.plan.fingerprint import fingerprint, plan_fingerprint
from lsqlc.types.data import Array, Decimal, Map, Primitive, Struct
from lsqlc.types.files import Files
from lsqlc.types.frozen import field_names
from lsqlc.types.headers import HeaderColumn
from lsqlc.types.record import Facet, Topic

VERSION = 1
_TYPES = (Primitive, Decimal, Array, Map, Struct)


def plan_data(name: str, sinks: tuple[nodes.Sink, ...], settings: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """Return the whole plan: `version`, `name`, `fingerprint`, `settings`, and `sinks` with their trees of nodes."""
    return {
        "version": VERSION,
        "name": name,
        "fingerprint": plan_fingerprint(sinks, settings),
        "settings": dict(settings),
        "sinks": [
            {
                "topic": topic_data(sink.topic),
                "semantics": sink.semantics,
                "inputs": [node_data(node) for node in sink.inputs],
            }
            for sink in sinks
        ],
    }


def topic_data(topic: Topic) -> dict[str, Any]:
    """Return the properties of a topic that affect plans."""
    files = {name: _data(getattr(topic.files, name)) for name in field_names(Files)} if topic.files else None
    return {
        "name": topic.name,
        "key": facet_data(topic.key),
        "value": facet_data(topic.value),
        "event_time": topic.event_time,
        "partitions": topic.partitions,
        "ordinal_width": topic.ordinal_width,
        **({"files": files} if files else {}),
    }


def facet_data(facet: Facet) -> dict[str, str]:
    return {"type": str(facet.type), "format": facet.format}


def node_data(node: nodes.Node) -> dict[str, Any]:
    """Return a node and all nodes below it, with schema, semantics and fingerprint."""
    own = {name: _data(getattr(node, name)) for name in _own_fields(node)}
    return {
        "node": type(node).__name__,
        "fingerprint": fingerprint(node),
        "semantics": node.semantics,
        "relations": [{"name": r.name, "key": facet_data(r.key), "value": facet_data(r.value)} for r in node.relations],
        **own,
        "inputs": [node_data(part) for part in nodes.inputs(node)],
    }


def _own_fields(node: nodes.Node) -> list[str]:
    """Return the fields that are specific to a node's class, without its inputs."""
    left_out = {"input", "inputs", "left", "right", "semantics", "meets_itself"}
    if isinstance(node, nodes.Scan) and not node.headers:
        left_out.add("headers")
    if isinstance(node, nodes.Aggregate) and not node.total:
        left_out.add("total")
    if isinstance(node, nodes.EventTime) and not node.lettered:
        left_out.add("lettered")
    return [name for name in field_names(type(node)) if name not in left_out]


def _parts(value: ex.Expression | ex.Aggregation) -> dict[str, Any]:
    return {name: _data(getattr(value, name)) for name in field_names(type(value))}


def _data(value: object) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return [_data(v) for v in value]
    if isinstance(value, _TYPES):
        return str(value)
    if isinstance(value, Facet):
        return facet_data(value)
    if isinstance(value, Topic):
        return topic_data(value)
    if isinstance(value, HeaderColumn):
        return {"name": value.name, "key": value.key}
    if isinstance(value, windows.Window):
        return windows.window_data(value)
    assert isinstance(value, ex.Expression | ex.Aggregation), f"no JSON form for {type(value).__name__}"
    return {"expression": type(value).__name__, **_parts(value)}
