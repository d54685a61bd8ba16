"""LATERAL VIEW and LATERAL of generators such as explode: a row for each element of an array instead of its row.

The elements are a source of their own. Those of a stream have the key of their record. Those of a table share the key
of their row, which is enough for groups and DISTINCT, or add their position in the array.
"""

from __future__ import annotations

from dataclasses import replace

from lsqlc.bind.coerce import coerce
from lsqlc.bind.columns import Column
from lsqlc.bind.sql.called import called
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.key_parts import key_parts, struct_of
from lsqlc.bind.sql.rows import Input
from lsqlc.bind.sql.scope import Scope
from lsqlc.plan.expression import (
    ArrayOf,
    Case,
    Cast,
    ElementAt,
    Expression,
    Field,
    Literal,
    Member,
    Operation,
    StructOf,
)
from lsqlc.plan.nodes import Lateral
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data
from lsqlc.types.data import Array, Map, Struct, unify


def bind_lateral(lateral: sql.Lateral, query_input: Input, binder: SqlBinder, *, numbered: bool) -> Input | None:
    """Return the rows of FROM with those of a generator; None after an error.

    `numbered`: the key of an element of a table is that of its row and its position.
    """
    findings = binder.findings
    label = lateral.label
    if label and label.casefold() in (other_label.casefold() for other_label in query_input.labels):
        findings.error("LSQ338", f"two sources have the name '{label}'", lateral.at, help="give it another alias")
        return None
    bound = [binder.bind(argument) for argument in lateral.arguments]
    arguments = [argument for argument in bound if argument is not None]
    if len(arguments) < len(bound):
        return None
    generated = _generated(lateral, arguments, len(query_input.node.relations), binder)
    if generated is None:
        return None
    array, columns = generated
    numbered = numbered and query_input.kind == "TABLE"
    if numbered and not (lateral.generator == "posexplode" or isinstance(arguments[0].type, Map)):
        array, columns = _numbered(array, columns, len(query_input.node.relations))
    names = [name.text for name in lateral.columns] or [name for name, _ in columns]
    if len(names) != len(columns):
        findings.error("LSQ475", f"the list names {len(names)} columns, and there are {len(columns)}", lateral.at,
                       help=f"name each of them: {', '.join(name for name, _ in columns)}")  # fmt: skip
        return None
    assert isinstance(array.type, Array)
    node = Lateral(query_input.node, _or_null(array, array.type) if lateral.outer else array, label)
    elements = tuple(Column(label, name, value, True) for name, (_, value) in zip(names, columns, strict=True))
    result = replace(
        query_input, node=node, labels=(*query_input.labels, label), columns=(*query_input.columns, *elements)
    )
    if not numbered:
        return replace(result, unkeyed=query_input.kind == "TABLE")
    name = f"{label}_pos" if label and label != sql.GENERATED else "pos"
    place = (name, Field(len(query_input.node.relations), "value", (), data.INT, True))
    of_row = key_parts(query_input.key, query_input.labels[0] or "key", several=len(query_input.labels) > 1)
    return replace(result, key=struct_of((*of_row, place)), key_format="json")


# An array, and the columns of its elements.
_Made = tuple[Expression, list[tuple[str, Expression]]]


def _generated(lateral: sql.Lateral, arguments: list[Expression], number: int, binder: SqlBinder) -> _Made | None:
    """Return the array of a generator's rows, and their columns by Spark's names; None after an error.

    `number`: that of the relation of the elements.
    """
    first, at = arguments[0], lateral.arguments[0].at
    if lateral.generator == "stack":
        return _stacked(lateral, arguments, number, binder)
    if isinstance(first.type, Map) and lateral.generator != "inline":
        keys, values = (called(name, (first,)) for name in ("MAP_KEYS", "MAP_VALUES"))
        place = Field(number, "value", (), data.INT, True)
        entry_columns = [("key", _element(keys, place)), ("value", _element(values, place))]
        return _places(keys), [("pos", place), *entry_columns] if lateral.generator == "posexplode" else entry_columns
    is_array = isinstance(first.type, Array)
    element = first.type.element if isinstance(first.type, Array) else data.NULL
    if lateral.generator == "inline" and isinstance(element, Struct):
        fields = [(f.name, Field(number, "value", (f.name,), f.type, True)) for f in element.fields]
        return first, list(fields)
    if not is_array or lateral.generator == "inline":
        takes = "an array of structs" if lateral.generator == "inline" else "an array or a map"
        binder.findings.error("LSQ463", f"{lateral.generator} takes {takes}, not {first.type}", at,
                              help="give it such a column, or array(...)")  # fmt: skip
        return None
    if lateral.generator == "posexplode":
        place = Field(number, "value", (), data.INT, True)
        return _places(first), [("pos", place), ("col", _element(first, place))]
    return first, [("col", Field(number, "value", (), element, True))]


def _numbered(array: Expression, columns: list[tuple[str, Expression]], number: int) -> _Made:
    """Return the positions of the elements of an array, with the same columns."""
    assert isinstance(array.type, Array)
    element = _element(array, Field(number, "value", (), data.INT, True))

    def at_place(value: Expression) -> Expression:
        assert isinstance(value, Field), "a column of an element is it, or a field of it"
        return Member(element, value.path[0], value.type, True) if value.path else element

    return _places(array), [(name, at_place(value)) for name, value in columns]


def _stacked(lateral: sql.Lateral, arguments: list[Expression], number: int, binder: SqlBinder) -> _Made | None:
    """Return `stack(n, ...)`: the values in n rows, the first ones in the first row; missing values in the last row are
    null.
    """
    count, values = arguments[0], arguments[1:]
    rows = count.value if isinstance(count, Literal) and isinstance(count.value, int) else 0
    if rows < 1 or not values:
        binder.findings.error("LSQ463", "stack takes a number of rows and values", lateral.at,
                              help="write stack(2, a, b), which makes two rows of one column")  # fmt: skip
        return None
    width = -(-len(values) // rows)
    types = [values[i].type for i in range(width)]
    for i, value in enumerate(values):
        common_type = unify(types[i % width], value.type)
        if common_type is None:
            message = f"the column {i % width} of stack is {types[i % width]} and {value.type}"
            binder.findings.error("LSQ463", message, lateral.arguments[i + 1].at, help="convert one with CAST")
            return None
        types[i % width] = common_type
    padded = [*values, *(Literal(None, types[i % width]) for i in range(len(values), rows * width))]
    names = tuple(f"col{i}" for i in range(width))
    each = [tuple(coerce(padded[row * width + i], types[i]) for i in range(width)) for row in range(rows)]
    type = Struct(tuple(data.Field(name, t) for name, t in zip(names, types, strict=True)))
    array = ArrayOf(tuple(StructOf(names, row) for row in each), Array(type))
    return array, [(n, Field(number, "value", (n,), t, True)) for n, t in zip(names, types, strict=True)]


def _element(array: Expression, place: Expression) -> Expression:
    assert isinstance(array.type, Array)
    return ElementAt(array, Cast(place, data.BIGINT, True), array.type.element)


def _places(array: Expression) -> Expression:
    """Return the positions of the elements of an array, from 0; null for an empty array."""
    zero, one = Literal(0, data.INT), Literal(1, data.INT)
    size = called("SIZE", (array,), data.INT)
    last = Operation("-", (size, one), data.INT, True)
    type = Array(data.INT)
    some = Operation(">", (size, zero), data.BOOLEAN, True)
    return Case(((some, called("SEQUENCE", (zero, last), type)),), Literal(None, type), type)


def _or_null(array: Expression, type: Array) -> Expression:
    """Return the array, or an array of one null for an empty one, so that the row of OUTER stays."""
    size = called("SIZE", (array,), data.INT, nullable=array.nullable)
    some = Operation(">", (size, Literal(0, data.INT)), data.BOOLEAN, array.nullable)
    return Case(((some, array),), ArrayOf((Literal(None, type.element),), type), type)


def with_laterals(select: sql.Select, query_input: Input, binder: SqlBinder, *, numbered: bool) -> Input | None:
    """Return the rows of FROM with all its laterals, from left to right (see `bind_lateral`); None after an error."""
    for lateral in select.laterals:
        binder = replace(binder, scope=Scope(query_input.labels, query_input.columns))
        extended_input = bind_lateral(lateral, query_input, binder, numbered=numbered)
        if extended_input is None:
            return None
        query_input = extended_input
    return query_input
