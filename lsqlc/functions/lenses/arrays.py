"""Functions over arrays. Indexes start at 0; an index out of range gives null."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.forms.operators import comparable
from lsqlc.functions.forms.sizes import MOST, bounded
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, Render, ValueForm
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BOOLEAN, INT, Array, DataType, Field, Struct, unify

_ARRAY = Parameter("array", "array")


def _element(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    assert isinstance(types[0], Array)
    return types[0].element


def _found(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    common_type = _searched(types)
    return BOOLEAN if common_type is not None and comparable(common_type, ordered=False) else None


def _searched(types: Sequence[DataType]) -> DataType | None:
    """Return the common type of an element and the elements of an array."""
    assert isinstance(types[1], Array)
    return unify(types[0], types[1].element)


def _in_array(engine: Engine, template: str) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        common_type = _searched(types)
        assert common_type is not None
        element, array = (
            widen(engine, texts[0], types[0], common_type),
            widen(engine, texts[1], types[1], Array(common_type)),
        )
        return template.format(element, array)

    return render


def _size_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return f"cast({'len' if isinstance(types[0], Array) else 'cardinality'}({texts[0]}) as integer)"


def _zipped(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of an array of structs; each array has a name, and no two are equal."""
    names = literals[1::2]
    if len(types) % 2 or len(set(names)) < len(names):
        return None
    arrays = [type for type in types[::2] if isinstance(type, Array)]
    return Array(Struct(tuple(Field(str(n), a.element) for n, a in zip(names, arrays, strict=True))))


def _zip(engine: Engine, template: str, shortest: str) -> ValueForm:
    """Return the form of a zip.

    `template` zips the arrays `{all}`. `shortest` is the size of one array, or an expression for the sizes of all.
    """

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        result = _zipped(types, values)
        assert result is not None
        arrays = [f"({text})" for text in texts[::2]]
        zipped = template.format(all=", ".join(arrays), sizes=", ".join(shortest.format(array) for array in arrays))
        condition = " and ".join(f"{array} is not null" for array in arrays)
        return f"case when {condition} then cast({zipped} as {type_text(engine, result)}) end"

    return ValueForm(render)


_PAIRS = (_ARRAY, Parameter("name", "field name", literal=True))

ARRAYS: tuple[Function, ...] = (
    Function(
        "SIZEOF", (Parameter("collection", "collection"),), always(INT), _size_duckdb, "size({0})",
        "the number of elements",
    ),
    Function(
        "ELEMENT_OF", (_ARRAY, Parameter("index", "index")), _element,
        "list_extract({0}, case when {1} >= 0 then cast({1} as bigint) + 1 end)", "get({0}, {1})",
        "the element at an index", nulls=Nulls.MAY,
    ),
    Function(
        "IN_ARRAY", (Parameter("element", "any"), _ARRAY), _found,
        # Unknown if the value is null, or if an element is null and no other element is equal.
        _in_array("duckdb", "case when list_contains({1}, {0}) then true"
                            " when {0} is null or len({1}) > list_count({1}) then null"
                            " else list_contains({1}, {0}) end"),
        _in_array("spark", "array_contains({1}, {0})"),
        "whether the element occurs in the array", nulls=Nulls.MAY,
    ),
    Function(
        "FLATTEN", (Parameter("arrays", "nested array"),), _element,
        "case when len({0}) = list_count({0}) then flatten({0}) end", "flatten({0})",
        "the elements of all arrays in one; null if one of the arrays is null", nulls=Nulls.MAY,
    ),
    Function(
        "REPEAT", (Parameter("element", "any"), Parameter("size", "index")),
        lambda types, literals: Array(types[0]), f"case when {{1}} <= {MOST} then repeat([{{0}}], {{1}}) end",
        bounded("array_repeat({0}, {1})", 1), "an array of `size` times the element; null beyond 1,000,000",
        nulls=Nulls.MAY,
    ),
    Function(
        "ZIP", (*_PAIRS, *_PAIRS), _zipped, _zip("duckdb", "list_zip({all}, true)", ""),
        _zip("spark", "slice(arrays_zip({all}), 1, least({sizes}))", "size({0})"),
        "an array of structs of the arrays' elements, as many as the shortest has; each array is followed by the name"
        " of its field", variadic=True, repeats=2,
    ),
    Function(
        "ZIP_ALL", (*_PAIRS, *_PAIRS), _zipped, _zip("duckdb", "list_zip({all}, false)", ""),
        _zip("spark", "arrays_zip({all})", ""),
        "an array of structs of the arrays' elements, as many as the longest has; what is missing is null",
        variadic=True, repeats=2,
    ),
)  # fmt: skip
