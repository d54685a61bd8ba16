"""Rows of constants: VALUES, range(), and SELECT without FROM.

They are combined with one row: the group of all rows of the first topic that the model reads, which exists without
rows. In joins they are the elements of an array in the other rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from lsqlc.bind.coerce import coerce
from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.rows import Constants, Rows
from lsqlc.bind.sql.scope import Scope, field_names, result_columns
from lsqlc.bind.sql.side import Side, both_keys
from lsqlc.bind.storage import struct_format
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import (
    Aggregation,
    ArrayOf,
    Case,
    Expression,
    Field,
    Literal,
    Operation,
    StructOf,
    joined,
    rewrite,
)
from lsqlc.plan.expression import walk as parts_of
from lsqlc.plan.nodes import ALL_ROWS, Aggregate, Filter, Lateral, Node, Project
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Struct, unify
from lsqlc.types.record import Facet

# The maximum number of rows of constants in one source.
MAX_ROWS = 1000
# The maximum number of constant rows on the right of a LEFT JOIN, which compares each row with all of them.
_MAX_COMPARED = 100
# The number of a row, from 0: no column has this name.
_PLACE = " place"


def anchored(rows: Rows) -> Node:
    """Return the one row that constants are combined with: the group of all rows of a topic, which exists without
    rows.
    """
    count = Aggregation("COUNT", (), data.BIGINT, False)
    keys = (Literal(ALL_ROWS, data.STRING),)
    return Aggregate(rows.node, keys, (), "string", (count,), None, keeps_empty=rows.kind == "TABLE", total=True)


def bind_constants(source: sql.ConstantSource, anchor: Rows, findings: Findings, *, strict: bool) -> Rows | None:
    """Return the rows of a source of constants; None after an error. `anchor`: the topic with whose group they are
    combined.
    """
    if source.numbers:
        numbers = _range(source, findings)
        if numbers is None:
            return None
        values_of_rows = tuple((Literal(value, data.BIGINT),) for value in numbers)
        return constant_rows(Constants(anchored(anchor), values_of_rows), ("id",), anchor.near)
    binder = SqlBinder(findings, scope=Scope((), ()), strict=strict)
    rows = []
    for row in source.rows:
        bound = [binder.bind(value) for value in row]
        rows.append(tuple(value for value in bound if value is not None))
        if len(rows[-1]) < len(bound):
            return None
    types = _types(source, rows, findings)
    if types is None:
        return None
    converted_rows = tuple(tuple(coerce(value, type) for value, type in zip(row, types, strict=True)) for row in rows)
    names = tuple(f"col{i + 1}" for i in range(len(types)))
    return constant_rows(Constants(anchored(anchor), converted_rows), names, anchor.near)


def _range(source: sql.ConstantSource, findings: Findings) -> range | None:
    """Return the numbers of range(); None after an error."""
    bounds = [_number(value) for value in source.numbers]
    numbers = [value for value in bounds if value is not None]
    if not 1 <= len(bounds) <= 3 or len(numbers) < len(bounds) or numbers[2:] == [0]:
        findings.error("LSQ469", "range takes whole numbers: an end, or a start, an end and a step", source.at,
                       help="write range(10), or range(0, 10, 2)")  # fmt: skip
        return None
    values = range(*numbers)
    if not 1 <= len(values) <= MAX_ROWS:
        findings.error("LSQ469", f"range has {len(values):,} rows, and may have 1 to {MAX_ROWS:,}", source.at,
                       help="write a smaller range, or declare a topic and give it the numbers by a seed")  # fmt: skip
        return None
    return values


def _number(value: tree.Expression) -> int | None:
    sign = 1
    while isinstance(value, tree.Unary) and value.operator == "-":
        value, sign = value.operand, -sign
    number = value.value if isinstance(value, tree.Literal) else None
    return None if not isinstance(number, int) or isinstance(number, bool) else sign * number


def _types(
    source: sql.ConstantSource, rows: Sequence[tuple[Expression, ...]], findings: Findings
) -> list[DataType] | None:  # fmt: skip
    """Return the common types of the rows of VALUES; None after an error."""
    if len(rows) > MAX_ROWS:
        findings.error("LSQ469", f"VALUES has {len(rows):,} rows, and may have {MAX_ROWS:,}", source.at,
                       help="declare a topic, and give it the rows by a seed")  # fmt: skip
        return None
    types = [value.type for value in rows[0]]
    for number, row in enumerate(rows):
        if len(row) != len(types):
            findings.error("LSQ469", f"the rows of VALUES have {len(types)} and {len(row)} columns", source.at,
                           help="give each row the same columns, NULL where one has none")  # fmt: skip
            return None
        for i, value in enumerate(row):
            common_type = unify(types[i], value.type)
            if common_type is None:
                findings.error("LSQ469", f"the column {i + 1} of VALUES is {types[i]} and {value.type}",
                               source.rows[number][i].at, help="convert one with CAST")  # fmt: skip
                return None
            types[i] = common_type
    return types


def constant_rows(constants: Constants, names: tuple[str, ...], near: Facet) -> Rows:
    """Rows of constants with these names of columns: a table whose keys are their numbers; that of one row is `all`."""
    if not names:
        # The row without columns of a SELECT without FROM.
        numbered_rows = constant_rows(replace(constants, rows=((Literal(0, data.INT),),)), (_PLACE,), near)
        return replace(numbered_rows, columns=(), constants=constants)
    if len(constants.rows) == 1:
        key: Expression = Field(0, "key", (), constants.one.relations[0].key.type, True)
        value = StructOf(field_names(names), constants.rows[0])
        node = Project(constants.one, key, value, "string", struct_format(near), False, "")
        return Rows(node, "TABLE", result_columns(node.relations[0], names), near, constants=constants)
    array, fields = _array(constants, 1)
    key, *values = fields
    value = StructOf(field_names(names), tuple(values))
    node = Project(Lateral(constants.one, array, ""), key, value, "json", struct_format(near), True, "")
    return Rows(node, "TABLE", result_columns(node.relations[0], names), near, constants=constants)


def _array(constants: Constants, number: int, *, missing: bool = False) -> tuple[Expression, list[Expression]]:
    """Return an array of the rows, and the fields of their numbers and columns.

    `number`: the number of the relation of its elements. `missing`: the first element stands for a missing row, and all
    of its fields are null.
    """
    names = (_PLACE, *(f"c{i}" for i in range(len(constants.rows[0]))))
    rows = [(Literal(i, data.INT), *row) for i, row in enumerate(constants.rows)]
    types = [value.type for value in rows[0]]
    nullable = [missing or any(row[i].nullable for row in rows) for i in range(len(types))]
    if missing:
        rows.insert(0, tuple(Literal(None, type) for type in types))
    fields = zip(names, types, nullable, strict=True)
    type = Struct(tuple(data.Field(name, each) for name, each in zip(names, types, strict=True)))
    array = ArrayOf(tuple(StructOf(names, row) for row in rows), Array(type))
    return array, [Field(number, "value", (name,), each, may) for name, each, may in fields]


def chosen(constants: Constants, columns: Sequence[Column], expressions: Sequence[Expression]) -> Constants | None:
    """Return the values of expressions over the columns of constants; None if one of them cannot be evaluated here."""
    columns_of = [column.expression for column in columns]
    value_rows = []
    for row in constants.rows:
        values = dict(zip(columns_of, row, strict=True))
        substitute = partial(_substituted, values)
        value_rows.append(tuple(rewrite(each, substitute) for each in expressions))
    if any(isinstance(part, Field) for row in value_rows for value in row for part in parts_of(value)):
        return None
    return replace(constants, rows=tuple(value_rows))


def _substituted(values: Mapping[Expression, Expression], part: Expression) -> Expression:
    return values.get(part, part)


def all_constants(rows: Sequence[Rows]) -> Constants | None:
    """Return the rows of several sources as constants, if all of them are; they have the same types."""
    constant_sources = [each.constants for each in rows if each.constants is not None]
    if len(constant_sources) < len(rows) or sum(len(each.rows) for each in constant_sources) > MAX_ROWS:
        return None
    return replace(constant_sources[0], rows=tuple(row for each in constant_sources for row in each.rows))


def meets_constants(join: sql.Join, right: Rows) -> bool:
    """Return whether a join needs no state: the constants on its right are elements of an array in each row of its
    left.
    """
    if right.constants is None or join.using or join.natural:
        return False
    return join.kind in ("INNER", "CROSS") or (join.kind == "LEFT" and len(right.constants.rows) <= _MAX_COMPARED)


def turned(join: sql.Join) -> sql.Join:
    """Return the join with its sides exchanged."""
    other: dict[sql.JoinKind, sql.JoinKind] = {"LEFT": "RIGHT", "RIGHT": "LEFT"}
    return replace(join, kind=other.get(join.kind, join.kind))


def joined_constants(
    join: sql.Join, left: Side, right: Side, rows: Rows, findings: Findings, *, strict: bool
) -> Side | None:
    """Return the rows of a side, each with the constants for which ON is true; None after an error."""
    constants = rows.constants
    assert constants is not None
    number, outer = len(left.node.relations), join.kind == "LEFT"
    array, (place, *values) = _array(constants, number, missing=outer)
    constant_columns = tuple(replace(c, expression=v) for c, v in zip(_listed(right), values, strict=True))
    columns, labels = (*left.columns, *constant_columns), (*left.labels, *right.labels)
    node: Node = Lateral(left.node, array, right.labels[0])
    if join.on is not None:
        binder = SqlBinder(findings, scope=Scope(labels, columns), strict=strict)
        condition = binder.condition(join.on, "ON")
        if condition is None:
            return None
        node = Filter(node, _or_none(condition, constants, place, values) if outer else condition)
    key, key_format = left.key, left.key_format
    if left.kind == "TABLE" and len(constants.rows) > 1:
        key, key_format = both_keys(left, right, left.key, place, "LEFT" if outer else "INNER"), "json"
    return Side(node, left.kind, columns, labels, key, key_format)


def _listed(side: Side) -> tuple[Column, ...]:
    return tuple(column for column in side.columns if column.listed)


def _or_none(
    condition: Expression, constants: Constants, place: Expression, values: Sequence[Expression]
) -> Expression:  # fmt: skip
    """Return whether ON is true for an element; for the element of a missing row, whether it is true for no
    other one.
    """
    each = []
    for row in constants.rows:
        of = dict(zip(values, row, strict=True))
        each.append(_certain(rewrite(condition, lambda part, of=of: of.get(part, part))))  # type: ignore[misc]
    none = Operation("NOT", (joined("OR", each),), data.BOOLEAN, False)
    is_missing = Operation("IS NULL", (place,), data.BOOLEAN, False)
    return Case(((is_missing, none),), _certain(condition), data.BOOLEAN)


def _certain(condition: Expression) -> Expression:
    """Return a condition that is false if it is null."""
    if not condition.nullable:
        return condition
    return Case(((condition, Literal(True, data.BOOLEAN)),), Literal(False, data.BOOLEAN), data.BOOLEAN)


def no_topic(at: Extent, findings: Findings) -> None:
    """Report a model that reads nothing."""
    findings.error("LSQ468", "a model requires a topic, and this one has constants only", at,
                   notes=("a view is written by a query over topics",),
                   help="declare a topic, and give it the rows by a seed: lsqlc seed")  # fmt: skip
