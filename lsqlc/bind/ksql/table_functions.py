"""EXPLODE and CUBE_EXPLODE in the SELECT list of ksqlDB: a record for each element of an array.

Several of them are combined: the first elements are in one record, the second ones in the next, and shorter arrays are
filled with nulls. A null and an empty array have no elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.changes import KSQL, check_changes
from lsqlc.bind.coerce import coerce
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.expressions import KsqlBinder
from lsqlc.bind.ksql.joins import Input
from lsqlc.bind.ksql.scope import TABLE_FUNCTIONS
from lsqlc.plan.expression import Call, Case, Cast, ElementAt, Expression, Field, Lambda, Literal, Operation, StructOf
from lsqlc.plan.expression import Variable as Element
from lsqlc.plan.nodes import Lateral
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.walk import walk as walk_syntax
from lsqlc.types import data
from lsqlc.types.data import Array

_SERIES = Array(data.BIGINT)


def explode(
    query: ksql.Query, query_input: Input, reader: KsqlBinder, findings: Findings
) -> tuple[Input, KsqlBinder] | None:
    """Return the input with the records of the table functions in the SELECT list; None after an error."""
    calls = [
        part
        for item in query.items
        if not isinstance(item.source, tree.Wildcard)
        for part in walk_syntax(item.source)
        if isinstance(part, tree.Call) and part.name.text in TABLE_FUNCTIONS
    ]
    if not calls:
        return query_input, reader
    if query_input.kind == "TABLE":
        findings.error("LSQ382", f"{calls[0].name.text} is not supported in a query over a TABLE", calls[0].at,
                       notes=("a TABLE has one row for each key, and this would give several",),
                       help="read the topic as a STREAM: CREATE STREAM ... WITH (...)")  # fmt: skip
        return None
    arrays = [_array(call, reader, findings) for call in calls]
    bound_arrays = [a for a in arrays if a is not None]
    if len(bound_arrays) < len(calls):
        return None
    relation = len(query_input.node.relations)
    if len(bound_arrays) == 1:
        element = Field(relation, "value", (), _element_type(bound_arrays[0]), True)
        exploded: tuple[tuple[tree.Call, Expression], ...] = ((calls[0], element),)
        array = bound_arrays[0]
    else:
        array = _zipped(bound_arrays)
        fields = [Field(relation, "value", (f"e{i}",), _element_type(a), True) for i, a in enumerate(bound_arrays)]
        exploded = tuple(zip(calls, fields, strict=True))
    node = Lateral(query_input.node, array, "EXPLODE")
    check_changes(node, query_input.sources[0].name, calls[0].at, KSQL, findings)
    return replace(query_input, node=node), replace(reader, exploded=exploded)


def _array(call: tree.Call, reader: KsqlBinder, findings: Findings) -> Expression | None:
    name = call.name.text
    inner = next((p for a in call.arguments for p in walk_syntax(a) if _is_one(p)), None)
    if inner is not None:
        findings.error("LSQ382", f"{name} cannot be nested in another table function", inner.at,
                       help="use the inner one in a separate stream first")  # fmt: skip
        return None
    before = len(findings.found)
    array = reader.bind(call.arguments[0]) if len(call.arguments) == 1 else None
    if array is None or not isinstance(array.type, Array):
        if len(findings.found) == before:
            actual = f"this is {array.type}" if array is not None else "it has one argument"
            findings.error("LSQ341", f"{name} requires an array, {actual}", call.at)
        return None
    return _cube(array) if name == "CUBE_EXPLODE" else array


def _is_one(part: tree.Expression) -> bool:
    return isinstance(part, tree.Call) and part.name.text in TABLE_FUNCTIONS


def _element_type(array: Expression) -> data.DataType:
    assert isinstance(array.type, Array)
    return array.type.element


def _number(value: int) -> Literal:
    return Literal(value, data.BIGINT)


def _length(array: Expression) -> Expression:
    size = Call("ksql.ARRAY_LENGTH", (array,), data.INT, True)
    return Call("COALESCE", (Cast(size, data.BIGINT, True), _number(0)), data.BIGINT, False)


def _series(first: Expression, last: Expression) -> Expression:
    return Call("ksql.GENERATE_SERIES", (first, last, _number(1)), _SERIES, True)


def _less(value: Expression, by: Expression) -> Expression:
    return Operation("-", (value, by), data.BIGINT, True)


def _zipped(arrays: Sequence[Expression]) -> Expression:
    """Return one array of structs `e0`, `e1`, ..., as long as the longest."""
    place = Element("e0", data.BIGINT)
    lengths = tuple(map(_length, arrays))
    places = _series(_number(0), _less(Call("ksql.GREATEST", lengths, data.BIGINT, False), _number(1)))
    values = tuple(ElementAt(a, place, _element_type(a)) for a in arrays)
    row = StructOf(tuple(f"e{i}" for i in range(len(arrays))), values)
    return Call("ksql.TRANSFORM", (places, Lambda((place,), row)), Array(row.type), True)


def _cube(array: Expression) -> Expression:
    """Return all arrays in which some elements are replaced by null, each once, the one of nulls alone first.

    They are the binary numbers with a digit for each element: 1 is the element, 0 is null.
    """
    number, place = Element("e0", data.BIGINT), Element("e1", data.BIGINT)
    length = Cast(Call("ksql.ARRAY_LENGTH", (array,), data.INT, True), data.BIGINT, True)
    one, two = _number(1), Literal(2.0, data.DOUBLE)

    def power(exponent: Expression) -> Expression:
        return Cast(Call("POW", (two, coerce(exponent, data.DOUBLE)), data.DOUBLE, True), data.BIGINT, True)

    shifted = Operation("/", (number, power(_less(length, place))), data.BIGINT, True)
    digit = Operation("%", (shifted, _number(2)), data.BIGINT, True)
    is_one = Operation("=", (digit, one), data.BOOLEAN, True)
    element = ElementAt(array, _less(place, one), _element_type(array))
    # For an element that is null itself, both digits give the same array.
    absent = Operation("IS NULL", (element,), data.BOOLEAN, False)
    again = Operation("AND", (is_one, absent), data.BOOLEAN, True)
    places = _series(one, length)
    tests = Call("ksql.TRANSFORM", (places, Lambda((place,), again)), Array(data.BOOLEAN), True)
    repeats = Call("ksql.ARRAY_CONTAINS", (tests, Literal(True, data.BOOLEAN)), data.BOOLEAN, True)
    different = Lambda((number,), Operation("NOT", (repeats,), data.BOOLEAN, True))
    numbers = Call("ksql.FILTER", (_series(_number(0), _less(power(length), one)), different), _SERIES, True)
    type = _element_type(array)
    element_or_null = Case(((is_one, element),), Literal(None, type), type)
    row = Call("ksql.TRANSFORM", (places, Lambda((place,), element_or_null)), Array(type), True)
    return Call("ksql.TRANSFORM", (numbers, Lambda((number,), row)), Array(Array(type)), True)
