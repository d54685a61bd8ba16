"""Functions that create maps, by Spark's names. A map with a null key or a repeated key is null, where Spark stops."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.results import always, common, map_type
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BOOLEAN, DOUBLE, FLOAT, STRING, Array, DataType, Map, Struct

_MAP, _LAMBDA = Parameter("map", "map"), Parameter("lambda", "lambda")
_VALUE = Parameter("value", "any")
ENTRY = {"duckdb": "{'key': %s, 'value': %s}", "spark": "named_struct('key', %s, 'value', %s)"}


def strict_map(engine: Engine, entries: str, key: DataType) -> str:
    """Return the SQL text of the map of an array of entries; null if a key is null or repeated. `key`: its type."""
    if engine == "spark":
        twice = "size(array_distinct(transform(es, d -> d.key))) < size(es)"
        checked_map = f"if(exists(es, d -> d.key is null) or {twice}, null, map_from_entries(es))"
        return f"get(transform(array({entries}), es -> {checked_map}), 0)"
    if key in (FLOAT, DOUBLE):
        # Zero keys have no sign.
        entries = f"list_transform({entries}, lambda d: {ENTRY['duckdb'] % ('d.key + 0', 'd.value')})"
    twice = "len(list_distinct(list_transform(es, lambda d: d.key))) < len(es)"
    checked_map = f"case when es is null or {twice} then null else map_from_entries(es) end"
    return f"list_transform([{entries}], lambda es: {checked_map})[1]"


def _map(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of `MAP(key, value, ...)`."""
    if len(types) % 2:
        return None
    key, value = common(types[::2], ()), common(types[1::2], ())
    return map_type(key, value) if key is not None and value is not None else None


def _map_literal(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        whole = _map(types, ())
        assert isinstance(whole, Map)
        sides = [whole.key, whole.value] * (len(texts) // 2)
        wide = [widen(engine, text, type, side) for text, type, side in zip(texts, types, sides, strict=True)]
        entries = ", ".join(ENTRY[engine] % pair for pair in zip(wide[::2], wide[1::2], strict=True))
        return strict_map(engine, f"[{entries}]" if engine == "duckdb" else f"array({entries})", whole.key)

    return render


def _from_arrays_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    keys, values = types
    return map_type(keys.element, values.element) if isinstance(keys, Array) and isinstance(values, Array) else None


def _from_arrays(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        keys, values = texts
        assert isinstance(types[0], Array)
        if engine == "duckdb":
            pairs = f"list_transform({keys}, lambda d, i: {ENTRY[engine] % ('d', f'({values})[i]')})"
            same = f"len({keys}) = len({values})"
        else:
            pairs = f"transform({keys}, (d, i) -> {ENTRY[engine] % ('d', f'get({values}, i)')})"
            same = f"{keys} is not null and {values} is not null and size({keys}) = size({values})"
        return f"case when {same} then {strict_map(engine, pairs, types[0].element)} end"

    return render


def entry_types(type: DataType) -> tuple[DataType, DataType] | None:
    """Return the types of the key and the value of an array of entries; None for any other type."""
    if not isinstance(type, Array) or not isinstance(type.element, Struct) or len(type.element.fields) != 2:
        return None
    key, value = type.element.fields
    return key.type, value.type


def _from_entries_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    pair = entry_types(types[0])
    return map_type(*pair) if pair is not None else None


def _from_entries(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        (array,), type = texts, types[0]
        assert isinstance(type, Array) and isinstance(type.element, Struct)
        key, value = (f.name for f in type.element.fields)
        quote = '"' if engine == "duckdb" else "`"
        fields = tuple(f"d.{quote}{name.replace(quote, quote * 2)}{quote}" for name in (key, value))
        if engine == "duckdb":
            entries = f"list_transform({array}, lambda d: {ENTRY[engine] % fields})"
            whole = f"len(list_filter({array}, lambda d: d is null)) = 0"
        else:
            entries = f"transform({array}, d -> {ENTRY[engine] % fields})"
            whole = f"not exists({array}, d -> d is null)"
        return f"case when {whole} then {strict_map(engine, entries, type.element.fields[0].type)} end"

    return render


def _all_maps(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return common(types, ())


def _concat(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        common_type = common(types, ())
        assert isinstance(common_type, Map)
        entries = [
            f"map_entries({widen(engine, text, type, common_type)})" for text, type in zip(texts, types, strict=True)
        ]
        condition = " and ".join(f"{text} is not null" for text in texts)
        joined = " || ".join(entries) if engine == "duckdb" else f"concat({', '.join(entries)})"
        return f"case when {condition} then {strict_map(engine, joined, common_type.key)} end"

    return render


def _over_entries(engine: Engine, each: str) -> Render:
    """Return a function of a map's entries and a lambda, with a map as its result. `each`: a filter or a
    transformation.
    """

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        map, lambda_ = texts
        entries = f"{each}(map_entries({map}), {lambda_})"
        result_type, whole = types[1], types[0]
        assert isinstance(whole, Map)
        key = result_type.fields[0].type if isinstance(result_type, Struct) else whole.key
        return f"case when {map} is not null then {strict_map(engine, entries, key)} end"

    return render


def _same_map(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0] if types[1] == BOOLEAN else None


def _made_map(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of the map whose entries a lambda returns."""
    entry_type = types[-1]
    return (
        map_type(*(f.type for f in entry_type.fields))
        if isinstance(entry_type, Struct) and len(entry_type.fields) == 2
        else None
    )


def _zipped(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        one, other, lambda_ = texts
        assert isinstance(types[0], Map)
        if engine == "duckdb":
            keys = f"list_concat(map_keys({one}), list_filter(map_keys({other}), lambda z: not map_contains({one}, z)))"
            entries = f"list_transform({keys}, {lambda_})"
        else:
            entries = f"transform(array_union(map_keys({one}), map_keys({other})), {lambda_})"
        zipped_map = strict_map(engine, entries, types[0].key)
        return f"case when {one} is not null and {other} is not null then {zipped_map} end"

    return render


def pairs_of(text: str, between: str, inside: str) -> list[str] | None:
    """Return the alternating keys and values of a text, each value after a mark that is empty for no value."""
    pairs: list[str] = []
    for part in text.split(between) if between else [text]:
        key, mark, value = part.partition(inside) if inside else (part, "", "")
        pairs += [key, f"={value}" if mark else ""]
    return None if len(set(pairs[::2])) < len(pairs) // 2 else pairs


_PAIRS = PythonForm("lsqlc_sql_str_to_map", pairs_of, ("VARCHAR", "VARCHAR", "VARCHAR"), "VARCHAR[]")


def _text_to_map_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    value = "case when e[2] <> '' then substr(e[2], 2) end"
    pairs = "list_transform(range(1, len(p) + 1, 2), lambda i: [p[i], p[i + 1]])"
    entries = f"list_transform({pairs}, lambda e: {ENTRY['duckdb'] % ('e[1]', value)})"
    pairs_as_map = f"case when p is not null then map_from_entries({entries}) end"
    return f"list_transform([{_PAIRS.call(texts)}], lambda p: {pairs_as_map})[1]"


def _text_to_map_spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
    text, between, inside = texts
    parts_ = rf"if({between} = '', array({text}), split({text}, concat('\\Q', {between}, '\\E')))"
    pair = rf"if({inside} = '', array(p), split(p, concat('\\Q', {inside}, '\\E'), 2))"
    entry = f"transform(array({pair}), q -> {ENTRY['spark'] % ('q[0]', 'get(q, 1)')})[0]"
    condition = f"{text} is not null and {between} is not null and {inside} is not null"
    return f"case when {condition} then {strict_map('spark', f'transform({parts_}, p -> {entry})', STRING)} end"


MAPS: tuple[Function, ...] = (
    Function("MAP", (_VALUE, _VALUE), _map, _map_literal("duckdb"), _map_literal("spark"),
             "a map of keys and values, which stand in turn; null if a key is null or stands twice", nulls=Nulls.MAY,
             variadic=True, repeats=2, takes_null=True),
    Function("MAP_FROM_ARRAYS", (Parameter("keys", "array"), Parameter("values", "array")), _from_arrays_type,
             _from_arrays("duckdb"), _from_arrays("spark"),
             "a map of an array of keys and one of as many values; null if a key is null or stands twice",
             nulls=Nulls.MAY),
    Function("MAP_FROM_ENTRIES", (Parameter("entries", "array"),), _from_entries_type, _from_entries("duckdb"),
             _from_entries("spark"),
             "a map of an array of structs of a key and a value; null if a key is null or stands twice",
             nulls=Nulls.MAY),
    Function("MAP_CONCAT", (_MAP,), _all_maps, _concat("duckdb"), _concat("spark"),
             "the entries of all maps; null if a key stands in two of them", nulls=Nulls.MAY, variadic=True),
    Function("STR_TO_MAP", (Parameter("text", "string"),
                            Parameter("between", "string", optional=True, default=","),
                            Parameter("inside", "string", optional=True, default=":")),
             always(Map(STRING, STRING)), _text_to_map_duckdb, _text_to_map_spark,
             "a map of a text's entries: `between` stands between them, `inside` between key and value, neither of"
             " which is a regular expression here; null if a key stands twice", nulls=Nulls.MAY, uses=(_PAIRS,)),
    Function("MAP_FILTER", (_MAP, _LAMBDA), _same_map, _over_entries("duckdb", "list_filter"),
             _over_entries("spark", "filter"), "the entries for which the lambda `(k, v) -> ...` is true",
             nulls=Nulls.MAY),
    Function("TRANSFORM_KEYS", (_MAP, _LAMBDA), _made_map, _over_entries("duckdb", "list_transform"),
             _over_entries("spark", "transform"),
             "the map with the keys that the lambda `(k, v) -> ...` makes; null if one stands twice", nulls=Nulls.MAY),
    Function("TRANSFORM_VALUES", (_MAP, _LAMBDA), _made_map, _over_entries("duckdb", "list_transform"),
             _over_entries("spark", "transform"), "the map with the values that the lambda `(k, v) -> ...` makes",
             nulls=Nulls.MAY),
    Function("MAP_ZIP_WITH", (_MAP, _MAP, _LAMBDA), _made_map, _zipped("duckdb"), _zipped("spark"),
             "a map of the keys of both maps, with what the lambda `(k, v, w) -> ...` makes of both values",
             nulls=Nulls.MAY),
)  # fmt: skip
