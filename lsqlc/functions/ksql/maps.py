"""Functions of ksqlDB over maps, and functions with a lambda.

On both engines a map is converted to an array of its entries, structs of `key` and `value`. A lambda is the engine's
own text, with the type of its result; over a map its parameter is an entry. The last of several entries with one key
wins. A zero key has no sign, because Spark removes the sign from the keys of every map that it creates.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.results import always, common, map_type
from lsqlc.functions.signature import Function, Nulls, Parameter, Render
from lsqlc.sql.engines import Engine
from lsqlc.types.data import DOUBLE, FLOAT, STRING, Array, DataType, Field, Map, Struct, unify

_DUCKDB_ENTRY = "{'key': %s, 'value': %s}"
_SPARK_ENTRY = "named_struct('key', %s, 'value', %s)"
_COLLECTION = Parameter("collection", "collection")
_LAMBDA = Parameter("lambda", "lambda")
_MAP = Parameter("map", "map")


def map_of(engine: Engine, entries: str) -> str:
    """Return the SQL text of the map of an array of entries; an entry without a key is dropped."""
    if engine == "duckdb":
        later = "list_contains(list_transform(es[i + 1:], lambda e: e.key), d.key)"
        last = f"list_filter(es, lambda d, i: d.key is not null and not coalesce({later}, false))"
        return f"list_transform([{entries}], lambda es: map_from_entries({last}))[1]"
    later = "exists(slice(es, i + 2, size(es)), e -> e.key <=> d.key)"
    last = f"filter(es, (d, i) -> d.key is not null and not {later})"
    return f"transform(array({entries}), es -> map_from_entries({last}))[0]"


def _signless(engine: Engine, entries: str, key: DataType) -> str:
    """Return the entries with keys that have no negative zero. `key`: the type of the keys."""
    if engine == "spark" or key not in (FLOAT, DOUBLE):
        return entries
    return f"list_transform({entries}, lambda e: {_DUCKDB_ENTRY % ('e.key + 0', 'e.value')})"


def _entries(texts: str, type: DataType) -> str:
    return f"map_entries({texts})" if isinstance(type, Map) else texts


def _over(engine: Engine, name: str) -> Render:
    """Return a function of an array and a lambda, also over the entries of a map."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        entries = f"{name}({_entries(texts[0], types[0])}, {texts[1]})"
        if not isinstance(types[0], Map):
            return entries
        key_type = types[1].fields[0].type if isinstance(types[1], Struct) else types[0].key
        return f"case when {texts[0]} is not null then {map_of(engine, _signless(engine, entries, key_type))} end"

    return render


def _transformed(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    collection, result_type = types
    if isinstance(collection, Array):
        return Array(result_type)
    return (
        map_type(*(f.type for f in result_type.fields))
        if isinstance(result_type, Struct) and len(result_type.fields) == 2
        else None
    )


def _filtered(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0]


def _state(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return common((types[1], types[2]), ())


def element(type: DataType) -> DataType:
    """Return the type of a lambda's parameter over a collection."""
    if isinstance(type, Map):
        return Struct((Field("key", type.key, False), Field("value", type.value)))
    assert isinstance(type, Array)
    return type.element


def _reduce_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    """Return the SQL of REDUCE for DuckDB.

    DuckDB's own function keeps the type of the elements. So the elements here are pairs of a state and an element, and
    the lambda is over such pairs `s` and `e`.
    """
    collection, start, step = texts
    pair = f"{{'s': %s, 'e': cast(%s as {type_text('duckdb', element(types[0]))})}}"
    state = type_text("duckdb", types[1])
    elements = f"list_transform({_entries(collection, types[0])}, lambda d: {pair % (f'cast(null as {state})', 'd')})"
    first = f"[{pair % (f'cast({start} as {state})', 'null')}]"
    return f"case when {start} is not null then list_reduce(list_concat({first}, {elements}), {step}).s end"


def _reduce_spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
    collection, start, step = texts
    none = f"cast(array() as array<{type_text('spark', element(types[0]))}>)"
    elements = f"coalesce({_entries(collection, types[0])}, {none})"
    return f"case when {start} is not null then aggregate({elements}, {start}, {step}) end"


LAMBDA_FUNCTIONS: tuple[Function, ...] = (
    Function("TRANSFORM", (_COLLECTION, _LAMBDA), _transformed, _over("duckdb", "list_transform"),
             _over("spark", "transform"),
             "what the lambda makes of each element; of a map, two lambdas make keys and values", nulls=Nulls.MAY),
    Function("FILTER", (_COLLECTION, _LAMBDA), _filtered, _over("duckdb", "list_filter"), _over("spark", "filter"),
             "the elements, or the entries, for which the lambda is true", nulls=Nulls.MAY),
    Function("REDUCE", (_COLLECTION, Parameter("state", "any"), _LAMBDA), _state, _reduce_duckdb, _reduce_spark,
             "the last state: the lambda makes the next of a state and an element", nulls=Nulls.MAY),
)  # fmt: skip


def _union(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return common(types, ()) if all(isinstance(t, Map) for t in types) else None


def _map_union(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        join = "list_concat" if engine == "duckdb" else "concat"
        both = map_of(engine, f"{join}(map_entries({texts[0]}), map_entries({texts[1]}))")
        return f"case when {texts[0]} is null then {texts[1]} when {texts[1]} is null then {texts[0]} else {both} end"

    return render


def _entries_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    map = types[0]
    return Array(Struct((Field("K", map.key), Field("V", map.value)))) if isinstance(map, Map) else None


def _entries_of(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        map, is_sorted = texts
        if engine == "duckdb":
            entries = f"list_transform(map_entries({map}), lambda d: {{'K': d.key, 'V': d.value}})"
            pair = f"{{'K': d, 'V': map_extract_value({map}, d)}}"
            by_key = f"list_transform(list_sort(map_keys({map})), lambda d: {pair})"
        else:
            entries = f"transform(map_entries({map}), d -> named_struct('K', d.key, 'V', d.value))"
            sorted = f"sort_array(map_keys({map}))"
            by_key = f"transform({sorted}, d -> named_struct('K', d, 'V', try_element_at({map}, d)))"
        return f"case when {is_sorted} then {by_key} else {entries} end"

    return render


def _as_map(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    keys, values = types
    return map_type(keys.element, values.element) if isinstance(keys, Array) and isinstance(values, Array) else None


def _as_map_of(engine: Engine) -> Render:
    """Return a map with as many entries as the shorter of both arrays."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        keys, values = texts
        if engine == "duckdb":
            pairs = f"list_transform({keys}[:len({values})], lambda d, i: {{'key': d, 'value': {values}[i]}})"
        else:
            cut = f"slice({keys}, 1, size({values}))"
            pairs = f"transform({cut}, (d, i) -> named_struct('key', d, 'value', get({values}, i)))"
        assert isinstance(types[0], Array)
        new_map = map_of(engine, _signless(engine, pairs, types[0].element))
        return f"case when {keys} is not null and {values} is not null then {new_map} end"

    return render


def _map(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of `MAP(key := value, ...)`, whose keys and values alternate."""
    key, value = common(types[::2], ()), common(types[1::2], ())
    return map_type(key, value) if len(types) % 2 == 0 and key is not None and value is not None else None


def _map_literal(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        whole = _map(types, ())
        assert isinstance(whole, Map)
        key, value = type_text(engine, whole.key), type_text(engine, whole.value)
        pairs = [(f"cast({k} as {key})", f"cast({v} as {value})") for k, v in zip(texts[::2], texts[1::2], strict=True)]
        if engine == "duckdb":
            entries = f"[{', '.join(map(_DUCKDB_ENTRY.__mod__, pairs))}]"
            return map_of(engine, _signless(engine, entries, whole.key))
        return map_of(engine, f"array({', '.join(map(_SPARK_ENTRY.__mod__, pairs))})")

    return render


def _keys(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(types[0].key) if isinstance(types[0], Map) else None


def _values(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(types[0].value) if isinstance(types[0], Map) else None


def _value_of(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    map, key = types
    return map.value if isinstance(map, Map) and unify(map.key, key) == map.key else None


def _value_in(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        map, key = types
        assert isinstance(map, Map)
        name = "map_extract_value" if engine == "duckdb" else "try_element_at"
        return f"{name}({texts[0]}, {widen(engine, texts[1], key, map.key)})"

    return render


def _split_to_map(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        text, between, inside = texts
        if engine == "duckdb":
            parts, key, value = (f"string_split({t})" for t in (f"{text}, {between}", *[f"p, {inside}"] * 2))
            entry = _DUCKDB_ENTRY % (f"{key}[1]", f"{value}[2]")
            entries = f"list_transform(list_filter({parts}, lambda p: contains(p, {inside})), lambda p: {entry})"
        else:
            parts, pair = (rf"split({t}, concat('\\Q', {d}, '\\E'))" for t, d in ((text, between), ("p", inside)))
            entry = _SPARK_ENTRY % (f"{pair}[0]", f"{pair}[1]")
            entries = f"transform(filter({parts}, p -> contains(p, {inside})), p -> {entry})"
        return f"case when {text} is not null and {between} <> '' and {inside} <> '' then {map_of(engine, entries)} end"

    return render


_VALUE = Parameter("value", "any")

MAP_FUNCTIONS: tuple[Function, ...] = (
    Function("MAP", (_VALUE, _VALUE), _map, _map_literal("duckdb"), _map_literal("spark"),
             "a map of keys and values, written MAP(key := value, ...)", nulls=Nulls.NEVER, variadic=True),
    Function("AS_MAP", (Parameter("keys", "array"), Parameter("values", "array")), _as_map, _as_map_of("duckdb"),
             _as_map_of("spark"), "a map of an array of keys and one of values", nulls=Nulls.MAY),
    Function("MAP_KEYS", (_MAP,), _keys, "map_keys({0})", "map_keys({0})", "the keys of a map"),
    Function("MAP_VALUES", (_MAP,), _values, "map_values({0})", "map_values({0})", "the values of a map"),
    Function("MAP_VALUE", (_MAP, Parameter("key", "any")), _value_of, _value_in("duckdb"),
             _value_in("spark"), "the value of a key, what `map[key]` gives", nulls=Nulls.MAY),
    Function("MAP_UNION", (_MAP, _MAP), _union, _map_union("duckdb"), _map_union("spark"),
             "the entries of both maps, those of the second before those of the first", nulls=Nulls.ALL),
    Function("ENTRIES", (_MAP, Parameter("sorted", "boolean")), _entries_type, _entries_of("duckdb"),
             _entries_of("spark"), "an array of the entries, structs of K and V, sorted by key if asked for",
             nulls=Nulls.MAY),
    Function("SPLIT_TO_MAP", (Parameter("text", "string"), Parameter("between", "string"),
                              Parameter("inside", "string")),
             always(Map(STRING, STRING)),
             _split_to_map("duckdb"), _split_to_map("spark"),
             "a map of a text's entries: `between` stands between them, `inside` between key and value",
             nulls=Nulls.MAY),
)  # fmt: skip
