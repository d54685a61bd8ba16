"""Columns of a result that are intervals: their topic has their texts, and the plan below has numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.interval_casts import stored
from lsqlc.bind.sql.intervals import may_be_held
from lsqlc.bind.sql.rows import Rows
from lsqlc.bind.sql.scope import field_names
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import Cast, Field, StructOf
from lsqlc.plan.nodes import Node, Project, all_nodes
from lsqlc.types import data
from lsqlc.types.data import Primitive


def interval_columns(rows: Rows) -> tuple[tuple[str, str], ...]:
    """Return the columns that are intervals, with their types."""
    return tuple((c.name, str(c.expression.type)) for c in rows.columns if c.expression.type in data.INTERVALS)


def with_texts(rows: Rows, at: Extent, findings: Findings) -> Rows | None:
    """Return the rows of a result, with the texts of their intervals; None after an error."""
    relation = rows.node.relations[0]
    owned = [(f"the column '{c.name}'", c.expression.type) for c in rows.columns]
    nested = [(owner, type) for owner, type in owned if type not in data.INTERVALS]
    for owner, type in (*nested, ("the key", relation.key.type)):
        if not may_be_held(type, owner, at, findings):
            return None
    if not interval_columns(rows):
        return rows
    names = field_names([c.name for c in rows.columns])
    value = StructOf(names, tuple(stored(c.expression) for c in rows.columns))
    node = Project(rows.node, rows.key, value, relation.key.format, relation.value.format, False, "")
    columns = tuple(
        replace(c, expression=Field(0, "value", (name,), v.type, v.nullable))
        for c, name, v in zip(rows.columns, names, value.values, strict=True)
    )
    return replace(rows, node=node, columns=columns)


def has_interval_columns(nodes: Sequence[Node]) -> bool:
    """Return whether a node, or one below it, has a facet with an interval."""
    relations = (relation for node in nodes for part in all_nodes(node) for relation in part.relations)
    return any(data.has_interval(facet.type) for relation in relations for facet in (relation.key, relation.value))


def as_numbers(node: Node) -> Node:
    """Return a plan with a BIGINT in place of each interval, which has the same value on every engine."""
    result: Node = _replaced(node, {})
    return result


def _replaced(value: Any, results: dict[int, tuple[Any, Any]]) -> Any:
    """Return a part of a plan without intervals. `results`: parts by their identity, with their replacements."""
    if isinstance(value, Primitive):
        return data.BIGINT if value in data.INTERVALS else value
    if isinstance(value, tuple):
        parts = tuple(_replaced(part, results) for part in value)
        return value if all(a is b for a, b in zip(parts, value, strict=True)) else parts
    if not isinstance(value, msgspec.Struct):
        return value
    if id(value) in results:
        return results[id(value)][1]
    changes = {}
    for name in value.__struct_fields__:
        part = getattr(value, name)
        new = _replaced(part, results)
        if new is not part:
            changes[name] = new
    result = msgspec.structs.replace(value, **changes) if changes else value
    if isinstance(result, Cast) and changes and result.operand.type == result.type:
        result = result.operand
    results[id(value)] = value, result
    return result
