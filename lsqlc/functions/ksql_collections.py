"""Functions of ksqlDB over arrays and maps. Places in an array count from 1."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.results import always, common, first
from lsqlc.functions.signature import Engine, Function, Nulls, Parameter, Render
from lsqlc.types.data import BOOLEAN, INT, NULL, STRING, Array, DataType, Map, is_integer, unify

_VALUE = Parameter("value", "any")
_ARRAY = Parameter("array", "array")


def _element(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0].element if isinstance(types[0], Array) else NULL


def _contains(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    array = types[0]
    return BOOLEAN if isinstance(array, Array) and unify(array.element, types[1]) == array.element else None


def _keys(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(types[0].key) if isinstance(types[0], Map) else None


def _values(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(types[0].value) if isinstance(types[0], Map) else None


def _value_of(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0].value if isinstance(types[0], Map) else None


def _map(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """The type of `MAP(key := value, ...)`, whose keys and values come in turn."""
    key, value = common(types[::2], ()), common(types[1::2], ())
    return Map(key, value) if len(types) % 2 == 0 and key is not None and value is not None else None


def _map_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return f"map([{', '.join(texts[::2])}], [{', '.join(texts[1::2])}])"


def _as_map(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    keys, values = types
    return Map(keys.element, values.element) if isinstance(keys, Array) and isinstance(values, Array) else None


def _array_join(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        array, separator = texts[0], texts[1] if len(texts) > 1 else "','"
        if engine == "duckdb":
            listed = f"list_transform({array}, lambda e: coalesce(cast(e as varchar), 'null'))"
            return f"array_to_string({listed}, {separator})"
        return f"array_join(transform({array}, e -> coalesce(cast(e as string), 'null')), {separator})"

    return render


def _texts(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    whole = isinstance(types[0], Array) and (types[0].element in (STRING, BOOLEAN) or is_integer(types[0].element))
    return STRING if whole else None


_MAP = Parameter("map", "collection")
COLLECTION_FUNCTIONS: tuple[Function, ...] = (
    Function("ARRAY_LENGTH", (_ARRAY,), always(INT), "cast(len({0}) as integer)", "size({0})",
             "the number of elements"),
    Function("ARRAY_CONTAINS", (_ARRAY, Parameter("element", "any")), _contains,
             "case when {0} is not null then coalesce(list_contains({0}, {1}), {1} is null and "
             "len({0}) > list_count({0})) end",
             "case when {0} is not null then exists({0}, e -> e <=> {1}) end",
             "whether the element occurs in the array", nulls=Nulls.MAY),
    Function("ARRAY_MIN", (_ARRAY,), _element, "list_min({0})", "array_min({0})", "the smallest element",
             nulls=Nulls.MAY),
    Function("ARRAY_MAX", (_ARRAY,), _element, "list_max({0})", "array_max({0})", "the largest element",
             nulls=Nulls.MAY),
    Function("ARRAY_DISTINCT", (_ARRAY,), first,
             "list_filter({0}, lambda y, i: list_position({0}, y) = i)", "array_distinct({0})",
             "the different elements in order", nulls=Nulls.MAY),
    Function("ARRAY_CONCAT", (_ARRAY, _ARRAY), common,
             "case when {0} is null then {1} when {1} is null then {0} else list_concat({0}, {1}) end",
             "case when {0} is null then {1} when {1} is null then {0} else concat({0}, {1}) end",
             "the elements of the first array, then those of the second", nulls=Nulls.ALL),
    Function("ARRAY_UNION", (_ARRAY, _ARRAY), common,
             "list_filter(list_concat({0}, {1}), lambda y, i: list_position(list_concat({0}, {1}), y) = i)",
             "array_union({0}, {1})", "the different elements of both arrays", nulls=Nulls.MAY),
    Function("ARRAY_INTERSECT", (_ARRAY, _ARRAY), common,
             "list_filter({0}, lambda y, i: list_position({0}, y) = i and list_contains({1}, y))",
             "array_intersect({0}, {1})", "the different elements that both arrays have", nulls=Nulls.MAY),
    Function("ARRAY_EXCEPT", (_ARRAY, _ARRAY), common,
             "list_filter({0}, lambda y, i: list_position({0}, y) = i and not list_contains({1}, y))",
             "array_except({0}, {1})", "the different elements of the first array that the second lacks",
             nulls=Nulls.MAY),
    Function("ARRAY_REMOVE", (_ARRAY, Parameter("element", "any")), first,
             "list_filter({0}, lambda y: y is distinct from {1})", "filter({0}, y -> not (y <=> {1}))",
             "the array without an element", nulls=Nulls.MAY),
    Function("ARRAY_SORT", (_ARRAY,), first, "list_sort({0}, 'ASC', 'NULLS LAST')", "array_sort({0})",
             "the elements in ascending order, nulls last", nulls=Nulls.MAY),
    Function("ARRAY_JOIN", (_ARRAY, Parameter("separator", "string", optional=True)), _texts, _array_join("duckdb"),
             _array_join("spark"), "the elements as text with the separator between them, a comma unless said",
             nulls=Nulls.MAY),
    Function("SLICE", (_ARRAY, Parameter("from", "index"), Parameter("to", "index")), first,
             "list_slice({0}, greatest({1}, 1), {2})",
             "slice({0}, greatest({1}, 1), greatest({2} - greatest({1}, 1) + 1, 0))",
             "the elements between two places, both counted from 1 and both included", nulls=Nulls.MAY),
    Function("MAP", (_VALUE, _VALUE), _map, _map_duckdb, lambda texts, types: f"map({', '.join(texts)})",
             "a map of keys and values, written MAP(key := value, ...)", nulls=Nulls.NEVER, variadic=True),
    Function("AS_MAP", (Parameter("keys", "array"), Parameter("values", "array")), _as_map, "map({0}, {1})",
             "map_from_arrays({0}, {1})", "a map of an array of keys and one of values", nulls=Nulls.MAY),
    Function("MAP_KEYS", (_MAP,), _keys, "map_keys({0})", "map_keys({0})", "the keys of a map"),
    Function("MAP_VALUES", (_MAP,), _values, "map_values({0})", "map_values({0})", "the values of a map"),
    Function("MAP_VALUE", (_MAP, Parameter("key", "any")), _value_of, "map_extract_value({0}, {1})",
             "try_element_at({0}, {1})", "the value of a key, what `map[key]` gives", nulls=Nulls.MAY),
)  # fmt: skip
