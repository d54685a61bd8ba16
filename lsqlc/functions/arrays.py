"""Functions over arrays. Indexes start at 0; one that is out of range gives null."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.casts import widen
from lsqlc.functions.results import always
from lsqlc.functions.signature import Engine, Function, Nulls, Parameter, Render
from lsqlc.types.data import BOOLEAN, INT, NULL, Array, DataType, unify

_ARRAY = Parameter("array", "array")


def _element(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0].element if isinstance(types[0], Array) else NULL


def _found(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return BOOLEAN if _searched(types) is not None else None


def _searched(types: Sequence[DataType]) -> DataType | None:
    """The type in which an element and the elements of an array meet."""
    return unify(types[0], types[1].element) if isinstance(types[1], Array) else types[0]


def _in_array(engine: Engine, template: str) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        met = _searched(types)
        assert met is not None
        element, array = widen(engine, texts[0], types[0], met), widen(engine, texts[1], types[1], Array(met))
        return template.format(element, array)

    return render


def _size_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return f"cast({'len' if isinstance(types[0], Array) else 'cardinality'}({texts[0]}) as integer)"


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
        # Neither found nor surely absent while an element is null.
        _in_array("duckdb", "case when list_contains({1}, {0}) then true when len({1}) > list_count({1}) then null"
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
        lambda types, literals: Array(types[0]), "case when {1} is not null then repeat([{0}], {1}) end",
        "array_repeat({0}, {1})", "an array of `size` times the element", nulls=Nulls.MAY,
    ),
)  # fmt: skip
