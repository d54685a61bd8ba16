"""Functions over arrays, maps and structs by Spark's names. Positions count from 1."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.forms.operators import comparable
from lsqlc.functions.forms.sizes import MOST
from lsqlc.functions.ksql.collections import COLLECTION_FUNCTIONS, common_array, in_common_array
from lsqlc.functions.ksql.maps import element as entry
from lsqlc.functions.lenses.arrays import ARRAYS
from lsqlc.functions.results import first
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render, Result, ValueForm
from lsqlc.functions.sql.lambdas import zipped_duckdb, zipped_spark
from lsqlc.functions.sql.scalars import of
from lsqlc.sql import engines
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, BOOLEAN, INT, NULL, STRING, Array, DataType, Field, Map, Struct, unify

_ARRAY, _ELEMENT, _MAP = Parameter("array", "array"), Parameter("element", "any"), Parameter("map", "map")
_NONE_NULL = "{0} is not null and {1} is not null"


def _met(types: Sequence[DataType]) -> DataType | None:
    """Return the common type of an element and the elements of an array."""
    return unify(types[0].element, types[1]) if isinstance(types[0], Array) else None


def _longer(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    common_type = _met(types)
    return Array(common_type) if common_type is not None else None


def _searched(type: DataType) -> Result:
    """Return the result type of a search for elements that can be compared."""

    def result(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
        common_type = _met(types)
        return type if common_type is not None and comparable(common_type, ordered=False) else None

    return result


def _without(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    common_type = _met(types)
    return Array(common_type) if common_type is not None and comparable(common_type, ordered=False) else None


def _both(engine: Engine, template: str) -> Render:
    """Return a form over an array and an element, in their common type."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        common_type = _met(types)
        assert common_type is not None
        array, element = (
            widen(engine, texts[0], types[0], Array(common_type)),
            widen(engine, texts[1], types[1], common_type),
        )
        return template.format(array, element)

    return render


def _of_element(
    name: str, result: Result, duckdb: str, spark: str, doc: str, nulls: Nulls = Nulls.MAY, takes_null: bool = False
) -> Function:
    return Function(name, (_ARRAY, _ELEMENT), result, _both("duckdb", duckdb), _both("spark", spark), doc, nulls=nulls,
                    takes_null=takes_null)  # fmt: skip


_OVERLAP = (
    f"case when {_NONE_NULL} then case when list_has_any({{0}}, {{1}}) then true when len({{0}}) > 0"
    " and len({1}) > 0 and (len({0}) > list_count({0}) or len({1}) > list_count({1})) then null else false end end"
)


def joined(array: Sequence[str | None], separator: str, instead: str | None = None) -> str:
    """Return the texts with the separator between them; nulls are dropped, or replaced by another text."""
    texts = (instead if text is None else text for text in array)
    return separator.join(text for text in texts if text is not None)


_JOIN = PythonForm("lsqlc_sql_array_join", lambda array, separator: joined(array, separator),
                   ("VARCHAR[]", "VARCHAR"), "VARCHAR")  # fmt: skip
_JOIN_ALL = PythonForm("lsqlc_sql_array_join_all", lambda array, separator, instead: joined(array, separator, instead),
                       ("VARCHAR[]", "VARCHAR", "VARCHAR"), "VARCHAR")  # fmt: skip


def _texts(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return STRING if types[0] == Array(STRING) else None


def _sortable(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    array = types[0]
    flat = isinstance(array, Array) and not isinstance(array.element, Array | Struct | Map)
    return array if flat and literals[1:] in ([], [True], [False]) else None


def _sorted(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0] if len(types) > 1 else _sortable(types, literals)


def _sort_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    """Return the SQL of a sort with a comparison. The lambda returns the rank of an element, its position and the
    element.
    """
    if len(texts) == 1:
        return f"list_sort({texts[0]}, 'ASC', 'NULLS LAST')"
    return f"list_transform(list_sort(list_transform({texts[0]}, {texts[1]})), lambda z: z.element)"


def _sorting(engine: Engine) -> ValueForm:
    """Return the form of a sort in which nulls are the smallest."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        upwards = len(values) < 2 or values[1] is True
        if engine == "spark":
            return f"sort_array({texts[0]}, {str(upwards).lower()})"
        order = "'ASC', 'NULLS FIRST'" if upwards else "'DESC', 'NULLS LAST'"
        return f"list_sort({texts[0]}, {order})"

    return ValueForm(render)


def _at_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of an element: an array's index is an INT, a map's has the type of its keys."""
    match types[0]:
        case Array(element):
            return element if types[1] in (INT, NULL) else None
        case Map(key, value):
            return value if unify(key, types[1]) == key else None
    return None


def _at(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        collection, place = texts
        if isinstance(types[0], Map):
            key = widen(engine, place, types[1], types[0].key)
            return f"{'map_extract_value' if engine == 'duckdb' else 'try_element_at'}({collection}, {key})"
        if engine == "duckdb":
            return f"list_extract({collection}, {place})"
        return f"case when {place} <> 0 then try_element_at({collection}, {place}) end"

    return render


_FIRST = "(case when {1} > 0 then cast({1} as bigint) else len({0}) + cast({1} as bigint) + 1 end)"
_SLICE = (
    f"case when {{0}} is not null and {{1}} <> 0 and {{2}} >= 0 then case when {_FIRST} > 0"
    f" then list_slice({{0}}, {_FIRST}, {_FIRST} + {{2}} - 1) else list_slice({{0}}, 1, 0) end end"
)


def _inserted_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return _longer((types[0], types[2]), ())


def _inserted(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        whole = _longer((types[0], types[2]), ())
        assert isinstance(whole, Array)
        array, place = widen(engine, texts[0], types[0], whole), f"({texts[1]})"
        element = widen(engine, texts[2], types[2], whole.element)
        condition = f"{place} <> 0 and abs(cast({place} as bigint)) <= {MOST}"
        if engine == "spark":
            return f"case when {condition} then array_insert({array}, {place}, {element}) end"
        none = f"cast(null as {type_text(engine, whole.element)})"
        behind = (
            f"case when {place} <= len(l) + 1 then l[:{place} - 1] || [{element}] || l[{place}:]"
            f" else l || list_transform(range({place} - 1 - len(l)), lambda z: {none}) || [{element}] end"
        )
        at = f"(len(l) + {place} + 1)"
        before = (
            f"case when {at} >= 0 then l[:{at}] || [{element}] || l[{at} + 1:]"
            f" else [{element}] || list_transform(range(-{at}), lambda z: {none}) || l end"
        )
        inserted = f"case when {place} > 0 then {behind} else {before} end"
        return (
            f"case when {array} is not null and {condition} then list_transform([{array}], lambda l: {inserted})[1] end"
        )

    return render


def _zipped(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    elements = [type.element for type in types if isinstance(type, Array)]
    return Array(Struct(tuple(Field(str(i), type) for i, type in enumerate(elements))))


def _series(engine: Engine) -> Render:
    """Return the form of a series, null if the step does not lead to its end."""
    declaration = next(f for f in COLLECTION_FUNCTIONS if f.name == "GENERATE_SERIES")

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        form = declaration.duckdb if engine == "duckdb" else declaration.spark
        assert callable(form)
        series = form(texts, types)
        if len(texts) < 3:
            return series
        first, last, step = texts
        leads = f"{step} > 0 and {first} <= {last} or {step} < 0 and {first} >= {last}"
        return f"case when {leads} then {series} end"

    return render


def _sequence() -> Function:
    declaration = of(COLLECTION_FUNCTIONS, "GENERATE_SERIES", "SEQUENCE")
    return replace(declaration, duckdb=_series("duckdb"), spark=_series("spark"),
                   doc="the integers from one to another, both included; null for more than 1,000,000, and where the"
                       " step does not lead there")  # fmt: skip


def _is_key(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return BOOLEAN if isinstance(types[0], Map) and unify(types[0].key, types[1]) == types[0].key else None


def _has_key(engine: Engine, template: str) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        assert isinstance(types[0], Map)
        return template.format(texts[0], widen(engine, texts[1], types[1], types[0].key))

    return render


def _entries(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(entry(types[0])) if isinstance(types[0], Map) else None


def _struct(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    names = [str(name) for name in literals[::2]]
    if len(types) % 2 or len(set(names)) < len(names):
        return None
    return Struct(tuple(Field(name, type) for name, type in zip(names, types[1::2], strict=True)))


def _struct_of(engine: Engine) -> ValueForm:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        struct_type = _struct(types, values)
        assert isinstance(struct_type, Struct)
        if engine == "spark":
            pairs = (
                f"{engines.text(engine, f.name)}, {text}"
                for f, text in zip(struct_type.fields, texts[1::2], strict=True)
            )
            return f"cast(named_struct({', '.join(pairs)}) as {type_text(engine, struct_type)})"
        pairs = (
            f"{engines.name(engine, f.name)} := {text}" for f, text in zip(struct_type.fields, texts[1::2], strict=True)
        )
        return f"cast(struct_pack({', '.join(pairs)}) as {type_text(engine, struct_type)})"

    return ValueForm(render)


MORE_COLLECTIONS: tuple[Function, ...] = (
    _of_element("ARRAY_APPEND", _longer, "case when {0} is not null then list_append({0}, {1}) end",
                "array_append({0}, {1})", "the array with an element behind"),
    _of_element("ARRAY_PREPEND", _longer, "case when {0} is not null then list_prepend({1}, {0}) end",
                "array_prepend({0}, {1})", "the array with an element before"),
    _of_element("ARRAY_POSITION", _searched(BIGINT),
                f"case when {_NONE_NULL} then cast(coalesce(list_position({{0}}, {{1}}), 0) as bigint) end",
                "array_position({0}, {1})", "the place of the first element that is equal, or 0"),
    _of_element("ARRAY_REMOVE", _without,
                "case when {1} is not null then list_filter({0}, lambda y: y is distinct from {1}) end",
                "array_remove({0}, {1})", "the array without the elements that are equal"),
    Function("ARRAY_COMPACT", (_ARRAY,), first, "list_filter({0}, lambda y: y is not null)", "array_compact({0})",
             "the elements that are not null"),
    Function("ARRAY_JOIN", (_ARRAY, Parameter("separator", "string"), Parameter("null", "string", optional=True)),
             _texts, lambda texts, types: (_JOIN if len(texts) == 2 else _JOIN_ALL).call(texts),
             lambda texts, types: f"array_join({', '.join(texts)})",
             "the texts with the separator between them; nulls are left out, or another text stands for them",
             uses=(_JOIN, _JOIN_ALL)),
    of(ARRAYS, "REPEAT", "ARRAY_REPEAT"),
    Function("ARRAY_INSERT", (_ARRAY, Parameter("place", "index"), _ELEMENT), _inserted_type, _inserted("duckdb"),
             _inserted("spark"),
             "the array with an element at a place that counts from 1, or from the end if negative, nulls before it;"
             " null for place 0 and beyond 1,000,000", nulls=Nulls.MAY),
    Function("ARRAYS_ZIP", (_ARRAY,), _zipped, lambda texts, types: zipped_duckdb(texts),
             lambda texts, types: zipped_spark(texts),
             "structs of the elements of arrays at each place, whose fields are `0`, `1`, ...; as many as the longest"
             " array has", nulls=Nulls.MAY, variadic=True),
    Function("ARRAYS_OVERLAP", (_ARRAY, _ARRAY), lambda types, literals: BOOLEAN if common_array(types) else None,
             in_common_array("duckdb", _OVERLAP), in_common_array("spark", "arrays_overlap({0}, {1})"),
             "whether two arrays have an element in common; null if only nulls could be", nulls=Nulls.MAY),
    Function("SORT_ARRAY", (_ARRAY, Parameter("ascending", "boolean", literal=True, optional=True)), _sortable,
             _sorting("duckdb"), _sorting("spark"), "the elements in order, nulls first; backwards for FALSE"),
    Function("ARRAY_SORT", (_ARRAY, Parameter("lambda", "lambda", optional=True)), _sorted, _sort_duckdb,
             lambda texts, types: f"array_sort({', '.join(texts)})",
             "the elements in order, nulls last, or as the lambda `(a, b) -> ...` says by a number below, equal to or"
             " above 0"),
    Function("ELEMENT_AT", (Parameter("collection", "collection"), Parameter("place_or_key", "any")), _at_type,
             _at("duckdb"), _at("spark"),
             "the element at a place that counts from 1, or from the end if negative, or the value of a key",
             aliases=("TRY_ELEMENT_AT",), nulls=Nulls.MAY),
    of(ARRAYS, "ELEMENT_OF", "GET"),
    Function("SLICE", (_ARRAY, Parameter("place", "index"), Parameter("size", "index")), first, _SLICE,
             "case when {1} <> 0 and {2} >= 0 then slice({0}, {1}, {2}) end",
             "as many elements from a place that counts from 1, or from the end if negative; null for place 0",
             nulls=Nulls.MAY),
    _sequence(),
    Function("MAP_CONTAINS_KEY", (_MAP, Parameter("key", "any")), _is_key,
             _has_key("duckdb", f"case when {_NONE_NULL} then list_contains(map_keys({{0}}), {{1}}) end"),
             _has_key("spark", "map_contains_key({0}, {1})"), "whether a map has a key"),
    Function("MAP_ENTRIES", (_MAP,), _entries, "map_entries({0})", "map_entries({0})",
             "the entries of a map, structs of `key` and `value`"),
    Function("NAMED_STRUCT", (Parameter("name", "field name", literal=True), Parameter("value", "any")), _struct,
             _struct_of("duckdb"), _struct_of("spark"), "a struct of fields, each a name and a value",
             nulls=Nulls.NEVER, variadic=True, repeats=2, takes_null=True),
)  # fmt: skip
