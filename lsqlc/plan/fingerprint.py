"""Fingerprints of nodes: equal for nodes that compute the same, whatever the query calls its sources.

Built from the leaves up, so that a change shows in the nodes above it and in no other.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from lsqlc.plan import nodes
from lsqlc.types.record import Topic

if TYPE_CHECKING:
    from lsqlc.plan.plan import Plan

# What names things for people, or where they come from, and changes no result.
_IGNORED = frozenset({"alias", "name", "description", "tags", "connector"})


@cache
def _fields(kind: type) -> tuple[str, ...]:
    if kind is Topic:
        return tuple(f.name for f in fields(kind) if f.name not in _IGNORED - {"name"})
    if kind in (nodes.Scan, nodes.Lateral, nodes.Project):
        return tuple(f.name for f in fields(kind) if f.name not in _IGNORED)
    return tuple(f.name for f in fields(kind))


def fingerprint(node: nodes.Node) -> str:
    """Of one node and all that feeds it."""
    return sha256(_canonical(node).encode()).hexdigest()


def plan_fingerprint(plan: Plan) -> str:
    """Of a whole plan: its sinks, with the topics that they write."""
    return sha256(_canonical((plan.sinks, plan.settings)).encode()).hexdigest()


def _canonical(value: object) -> str:
    """A text that is equal for equal data and for no other."""
    if isinstance(value, nodes.Sink):
        return f"Sink({_canonical(value.topic)},{','.join(fingerprint(n) for n in value.inputs)})"
    if isinstance(value, tuple):
        return "(" + ",".join(map(_canonical, value)) + ")"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    return f"{type(value).__name__}({','.join(_canonical(getattr(value, f)) for f in _fields(type(value)))})"
