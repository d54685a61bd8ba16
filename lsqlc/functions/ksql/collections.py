"""Functions of ksqlDB over arrays. Positions in an array count from 1."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.forms.operators import comparable
from lsqlc.functions.forms.sizes import MOST, fits
from lsqlc.functions.results import always, common, first
from lsqlc.functions.signature import Function, Nulls, Parameter, Render, ValueForm
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BOOLEAN, DOUBLE, FLOAT, INT, NULL, STRING, Array, DataType, is_integer, unify

_ARRAY = Parameter("array", "array")


def _element(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0].element if isinstance(types[0], Array) else NULL


def _holds(types: Sequence[DataType]) -> bool:
    """Return whether an array can hold a value, and comparisons of it are defined."""
    array, value = types
    return isinstance(array, Array) and unify(array.element, value) == array.element and _is_compared(array)


def _is_compared(type: DataType, *, ordered: bool = False) -> bool:
    return isinstance(type, Array) and comparable(type.element, ordered=ordered)


def _contains(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return BOOLEAN if _holds(types) else None


def _without(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0] if _holds(types) else None


def _different(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0] if _is_compared(types[0]) else None


def _extreme(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return _element(types, literals) if _is_compared(types[0], ordered=True) else None


def common_array(types: Sequence[DataType], literals: Sequence[object] = ()) -> DataType | None:
    """Return the common type of two arrays whose elements can be compared."""
    common_type = common(types, literals)
    return common_type if common_type is not None and _is_compared(common_type) else None


def in_common_array(engine: Engine, form: str | Render) -> Render:
    """Return a form over two arrays in their common type."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        common_type = common(types, ())
        assert common_type is not None
        widened = [widen(engine, text, type, common_type) for text, type in zip(texts, types, strict=True)]
        return form.format(*widened) if isinstance(form, str) else form(widened, (common_type, common_type))

    return render


def _in_array(engine: Engine, form: str) -> Render:
    """Return a form over an array and a value, in the type of the array's elements."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        array = types[0]
        assert isinstance(array, Array)
        return form.format(texts[0], widen(engine, texts[1], types[1], array.element))

    return render


def _of_both(form: str) -> str:
    """Return a form for DuckDB that is null if one of two arrays is; DuckDB's own functions take null for empty."""
    return f"case when {{0}} is not null and {{1}} is not null then {form} end"


def _first_of(function: str) -> str:
    """Return a form for DuckDB that returns the first of zeros of both signs, which are equal, as Spark does.

    DuckDB's own function returns the last one.
    """
    return f"list_extract({{0}}, list_position({{0}}, {function}({{0}})))"


def _signless(form: str) -> Render:
    """Return a form for DuckDB in which no zero of an array of numbers has a sign, as in Spark's set of them."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        result = form.format(*texts)
        floating = any(isinstance(t, Array) and t.element in (FLOAT, DOUBLE) for t in types)
        return f"list_transform({result}, lambda y: y + 0)" if floating else result

    return render


def _array_join(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        # A null separator is an empty one.
        array, separator = texts[0], f"coalesce({texts[1]}, '')" if len(texts) > 1 else "','"
        if engine == "duckdb":
            # DuckDB joins by a constant only.
            separated = f"list_transform({array}, lambda e: {separator} || coalesce(cast(e as varchar), 'null'))"
            return f"substring(array_to_string({separated}, ''), length({separator}) + 1)"
        return f"array_join(transform({array}, e -> coalesce(cast(e as string), 'null')), {separator})"

    return render


def _texts(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    whole = isinstance(types[0], Array) and (types[0].element in (STRING, BOOLEAN) or is_integer(types[0].element))
    return STRING if whole else None


def _sorted_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    direction = str(literals[1]).upper() if len(literals) > 1 else "ASC"
    is_direction = direction in ("ASC", "ASCENDING", "DESC", "DESCENDING")
    return types[0] if is_direction and _is_compared(types[0], ordered=True) else None


def _sorted(engine: Engine) -> ValueForm:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        descending = len(values) > 1 and str(values[1]).upper().startswith("DESC")
        if engine == "duckdb":
            return f"list_sort({texts[0]}, '{'DESC' if descending else 'ASC'}', 'NULLS LAST')"
        return f"sort_array({texts[0]}, false)" if descending else f"array_sort({texts[0]})"

    return ValueForm(render)


_INTEGER = Parameter("from", "integer")


def _series_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(common(types[:2], ()) or NULL)


def _series(engine: Engine) -> Render:
    """Return an empty array if the step is zero or leads away from the end; the default step leads to the end."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        first, last = texts[:2]
        step = texts[2] if len(texts) > 2 else f"(case when {last} < {first} then -1 else 1 end)"
        leads = f"({step} > 0 and {first} <= {last} or {step} < 0 and {first} >= {last})"
        condition = f"{first} is not null and {last} is not null and {step} is not null"
        short = all(map(fits, texts[:2])) and (len(texts) < 3 or (texts[2] != "0" and fits(texts[2])))
        whole = _series_type(types, ()) == Array(INT)
        if engine == "duckdb":
            if not short:
                length = f"abs(cast({last} as hugeint) - cast({first} as hugeint))"
                beyond = f"{step} <> 0 and {length} >= abs(cast({step} as hugeint)) * {MOST}"
                condition = f"{condition} and not ({beyond})"
            series = f"cast(generate_series({first}, {last}, {step}) as {'integer' if whole else 'bigint'}[])"
            return f"case when {condition} then case when {leads} then {series} else [] end end"
        name = "int" if whole else "bigint"
        if not short:
            length = f"abs(cast({last} as decimal(20,0)) - cast({first} as decimal(20,0)))"
            beyond = f"{step} <> 0 and {length} >= abs(cast({step} as decimal(20,0))) * {MOST}"
            condition = f"{condition} and not ({beyond})"
        series = f"sequence(cast({first} as {name}), cast({last} as {name}), cast({step} as {name}))"
        return f"case when {condition} then case when {leads} then {series} else cast(array() as array<{name}>) end end"

    return render


def _element_of(texts: Sequence[str], types: Sequence[DataType]) -> str:
    place, *values = texts
    return f"case {place} {' '.join(f'when {i} then {value}' for i, value in enumerate(values, 1))} end"


def _position_of(texts: Sequence[str], types: Sequence[DataType]) -> str:
    target, *values = texts
    return f"case {' '.join(f'when {target} = {value} then {i}' for i, value in enumerate(values, 1))} else 0 end"


def _slice(texts: Sequence[str], types: Sequence[DataType]) -> str:
    array, start, end = texts
    first, last = f"greatest({start}, 1)", f"coalesce({end}, size({array}))"
    # A size that is too small for an INT is invalid, and `greatest` ignores nulls.
    size = f"{last} - {first}" if fits(end) else f"try_subtract({last}, {first})"
    return f"slice({array}, {first}, greatest({size} + 1, 0))"


COLLECTION_FUNCTIONS: tuple[Function, ...] = (
    Function("ARRAY_LENGTH", (_ARRAY,), always(INT), "cast(len({0}) as integer)", "size({0})",
             "the number of elements"),
    Function("ARRAY_CONTAINS", (_ARRAY, Parameter("element", "any")), _contains,
             _in_array("duckdb", "case when {0} is not null then coalesce(list_contains({0}, {1}), {1} is null and "
                                 "len({0}) > list_count({0})) end"),
             _in_array("spark", "case when {0} is not null then exists({0}, e -> e <=> {1}) end"),
             "whether the element occurs in the array", nulls=Nulls.MAY),
    Function("ARRAY_MIN", (_ARRAY,), _extreme, _first_of("list_min"), "array_min({0})", "the smallest element",
             nulls=Nulls.MAY),
    Function("ARRAY_MAX", (_ARRAY,), _extreme, _first_of("list_max"), "array_max({0})", "the largest element",
             nulls=Nulls.MAY),
    Function("ARRAY_DISTINCT", (_ARRAY,), _different,
             _signless("list_filter({0}, lambda y, i: list_position({0}, y) = i)"), "array_distinct({0})",
             "the different elements in order", nulls=Nulls.MAY),
    Function("ARRAY_CONCAT", (_ARRAY, _ARRAY), common,
             in_common_array("duckdb", "case when {0} is null then {1} when {1} is null then {0}"
                                       " else list_concat({0}, {1}) end"),
             in_common_array("spark", "case when {0} is null then {1} when {1} is null then {0}"
                                      " else concat({0}, {1}) end"),
             "the elements of the first array, then those of the second", nulls=Nulls.ALL),
    Function("ARRAY_UNION", (_ARRAY, _ARRAY), common_array,
             in_common_array("duckdb", _signless(_of_both(
                 "list_filter(list_concat({0}, {1}), lambda y, i: list_position(list_concat({0}, {1}), y) = i)"))),
             in_common_array("spark", "array_union({0}, {1})"), "the different elements of both arrays",
             nulls=Nulls.MAY),
    Function("ARRAY_INTERSECT", (_ARRAY, _ARRAY), common_array,
             in_common_array("duckdb", _signless(_of_both(
                 "list_filter({0}, lambda y, i: list_position({0}, y) = i"
                 " and coalesce(list_position({1}, y), 0) > 0)"))),
             in_common_array("spark", "array_intersect({0}, {1})"), "the different elements that both arrays have",
             nulls=Nulls.MAY),
    Function("ARRAY_EXCEPT", (_ARRAY, _ARRAY), common_array,
             in_common_array("duckdb", _signless(_of_both(
                 "list_filter({0}, lambda y, i: list_position({0}, y) = i"
                 " and coalesce(list_position({1}, y), 0) = 0)"))),
             in_common_array("spark", "array_except({0}, {1})"),
             "the different elements of the first array that the second lacks", nulls=Nulls.MAY),
    Function("ARRAY_REMOVE", (_ARRAY, Parameter("element", "any")), _without,
             _in_array("duckdb", "list_filter({0}, lambda y: y is distinct from {1})"),
             _in_array("spark", "filter({0}, y -> not (y <=> {1}))"),
             "the array without an element", nulls=Nulls.MAY),
    Function("ARRAY_SORT", (_ARRAY, Parameter("direction", "string", literal=True, optional=True)), _sorted_type,
             _sorted("duckdb"), _sorted("spark"), "the elements in ascending order, or in descending for 'DESC', "
             "nulls last", nulls=Nulls.MAY),
    Function("ARRAY_JOIN", (_ARRAY, Parameter("separator", "string", optional=True)), _texts, _array_join("duckdb"),
             _array_join("spark"), "the elements as text with the separator between them, a comma unless said",
             nulls=Nulls.MAY),
    Function("GENERATE_SERIES", (_INTEGER, Parameter("to", "integer"), Parameter("step", "integer", optional=True)),
             _series_type, _series("duckdb"), _series("spark"),
             "the numbers from one to another, both included; null for more than 1,000,000",
             nulls=Nulls.MAY),
    Function("ELT", (Parameter("place", "integer"), Parameter("text", "string")), always(STRING), _element_of,
             _element_of, "the text at a place of those that follow; null if none is", nulls=Nulls.MAY, variadic=True),
    Function("FIELD", (Parameter("text", "string"), Parameter("other", "string")), always(INT),
             _position_of, _position_of, "the place of a text among those that follow, or 0", nulls=Nulls.NEVER,
             variadic=True),
    Function("SLICE", (_ARRAY, Parameter("from", "index"), Parameter("to", "index")), first,
             "list_slice({0}, greatest({1}, 1), coalesce({2}, len({0})))",
             _slice,
             "the elements between two places, both counted from 1 and both included; a null is the first or the last",
             nulls=Nulls.MAY),
)  # fmt: skip
