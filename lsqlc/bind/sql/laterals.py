"""LATERAL VIEW explode and LATERAL explode(): one row for each element of an array, in place of the row that has it.

The elements are a column of a source of their own. They share the key of their row, so that a view of them needs a
declared one, groups, or DISTINCT.
"""

from __future__ import annotations

from dataclasses import replace

from lsqlc.bind.columns import Column
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.rows import Fed
from lsqlc.bind.sql.scope import Scope
from lsqlc.functions import catalogue
from lsqlc.plan.expression import ArrayOf, Call, Case, Expression, Field, Literal, Operation
from lsqlc.plan.nodes import Lateral
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data
from lsqlc.types.data import Array


def bind_lateral(lateral: sql.Lateral, fed: Fed, binder: SqlBinder) -> Fed | None:
    """The rows of FROM with the elements of an array; None after an error."""
    findings = binder.findings
    label = lateral.label
    if label and label.casefold() in (known.casefold() for known in fed.labels):
        findings.error("LSQ338", f"two sources have the name '{label}'", lateral.at, help="give it another alias")
        return None
    array = binder.bind(lateral.array)
    if array is None:
        return None
    if not isinstance(array.type, Array):
        findings.error("LSQ463", f"explode takes an array, not {array.type}", lateral.array.at,
                       help="of a map, take MAP_KEYS(map) or MAP_VALUES(map)")  # fmt: skip
        return None
    number = len(fed.node.relations)
    node = Lateral(fed.node, _or_null(array, array.type) if lateral.outer else array, label)
    element = Column(label, lateral.column.text, Field(number, "value", (), array.type.element, True), True)
    labels = (*fed.labels, label)
    unkeyed = fed.kind == "TABLE"
    return replace(fed, node=node, labels=labels, columns=(*fed.columns, element), unkeyed=unkeyed)


def _or_null(array: Expression, type: Array) -> Expression:
    """The array, or one with a null in it where it has no element: the row of OUTER stays."""
    count = catalogue.scalar("SIZE", "sql")
    assert count is not None
    size = Call(catalogue.plan_name(count, "sql"), (array,), data.INT, array.nullable)
    some = Operation(">", (size, Literal(0, data.INT)), data.BOOLEAN, array.nullable)
    return Case(((some, array),), ArrayOf((Literal(None, type.element),), type), type)


def with_laterals(select: sql.Select, fed: Fed, binder: SqlBinder) -> Fed | None:
    """The rows of FROM with all its laterals, from left to right; None after an error."""
    for lateral in select.laterals:
        binder = replace(binder, scope=Scope(fed.labels, fed.columns))
        found = bind_lateral(lateral, fed, binder)
        if found is None:
            return None
        fed = found
    return fed
