"""Whether the columns that a model declares as its key identify its rows.

They do if they contain the columns of a group, or the key that the rows have from their sources. If rows shared a key,
the deletion of one would delete the others, and the view would not be its query.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from lsqlc.bind.sql.rows import Rows
from lsqlc.plan.expression import Expression, Field, StructOf
from lsqlc.plan.identity import has_elements, is_keyed_by_parts, keyed_by_identity
from lsqlc.plan.nodes import Filter, Node, Project
from lsqlc.types.data import Struct


def are_unique(rows: Rows, names: Iterable[str]) -> bool:
    """Return whether all rows of a TABLE certainly have different values in these columns together."""
    key_names = {name.casefold() for name in names}
    if any(
        unique_columns is not None and {n.casefold() for n in unique_columns} <= key_names
        for unique_columns in (rows.group, rows.unique)
    ):
        return True
    if rows.unkeyed or not (keyed_by_identity(rows.node) or is_keyed_by_parts(rows.node) or has_elements(rows.node)):
        return False
    values = [c.expression for c in rows.columns if c.name.casefold() in key_names]
    return holds(rows.node, rows.key, values)


def holds(node: Node, key: Expression, values: Sequence[Expression]) -> bool:
    """Return whether the values of a row contain its key, or a part of them is the key."""
    while True:
        if _covers(key, values):
            return True
        if isinstance(node, Project):
            below = [_below(value, node) for value in values]
            values_below, whole = [value for value in below if value is not None], _below(key, node)
            if whole is None:
                return False
            node, key, values = node.input, whole, values_below
        elif isinstance(node, Filter):
            node = node.input
        else:
            return False


def _covers(key: Expression, values: Sequence[Expression]) -> bool:
    if any(_same(key, value) or _is_in(key, value) for value in values):
        return True
    if isinstance(key, StructOf):
        return all(_covers(part, values) for part in key.values)
    if isinstance(key, Field) and isinstance(key.type, Struct):
        return all(
            _covers(Field(key.relation, key.facet, (*key.path, f.name), f.type, f.nullable), values)
            for f in key.type.fields
        )
    return False


def _is_in(part: Expression, value: Expression) -> bool:
    """Return whether a value is a struct that has the part as a field."""
    if not isinstance(part, Field) or not isinstance(value, Field):
        return False
    of_one = (part.relation, part.facet) == (value.relation, value.facet)
    return of_one and part.path[: len(value.path)] == value.path


def _same(one: Expression, other: Expression) -> bool:
    """Return whether two expressions are equal except for nullability."""
    if isinstance(one, Field) and isinstance(other, Field):
        return (one.relation, one.facet, one.path) == (other.relation, other.facet, other.path)
    return one == other


def _below(expression: Expression, node: Project) -> Expression | None:
    """Return the expression of a field of a projection over the rows below it; None for any other expression."""
    if not isinstance(expression, Field):
        return None
    value, path = (node.key if expression.facet == "key" else node.value), expression.path
    while path and isinstance(value, StructOf):
        value, path = value.values[value.names.index(path[0])], path[1:]
    if not path:
        return value
    if not isinstance(value, Field):
        return None
    return structs.replace(value, path=(*value.path, *path), type=expression.type, nullable=expression.nullable)
