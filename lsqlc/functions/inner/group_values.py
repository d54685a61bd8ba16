"""Functions over all values of a group, which the binder puts into plans for aggregates.

Such a function takes the array of the values that are not null, in the order of the rows. A function of pairs takes
structs whose first two fields are `c0` and `c1`. Over no value it returns null, unless its documentation says
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, ValueForm
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, DOUBLE, Array, DataType, Struct

_VALUES = Parameter("values", "array")


def named(engine: Engine, value: str, name: str, body: str) -> str:
    """Return an expression in which a name stands for a value that is computed once."""
    if engine == "duckdb":
        return f"list_transform([{value}], lambda {name}: {body})[1]"
    return f"get(transform(array({value}), {name} -> {body}), 0)"


def _each(engine: Engine, array: str, name: str, body: str) -> str:
    if engine == "duckdb":
        return f"list_transform({array}, lambda {name}: {body})"
    return f"transform({array}, {name} -> {body})"


def _kept(engine: Engine, array: str, name: str, condition: str) -> str:
    if engine == "duckdb":
        return f"list_filter({array}, lambda {name}: {condition})"
    return f"filter({array}, {name} -> {condition})"


def _size(engine: Engine, array: str) -> str:
    return f"len({array})" if engine == "duckdb" else f"size({array})"


def _sum(engine: Engine, array: str) -> str:
    if engine == "duckdb":
        return f"coalesce(list_sum({array}), cast(0 as double))"
    return f"aggregate({array}, 0D, (total, term) -> total + term)"


def _at(engine: Engine, array: str, index: str) -> str:
    """Return the SQL of the element at an index from 0, which is a DOUBLE with a whole number."""
    if engine == "duckdb":
        return f"{array}[cast({index} as integer) + 1]"
    return f"get({array}, cast({index} as int))"


def _sorted(engine: Engine, array: str, *, descending: bool = False) -> str:
    if engine == "duckdb":
        return f"list_sort({array}, '{'DESC' if descending else 'ASC'}', 'NULLS LAST')"
    return f"sort_array({array}, {'false' if descending else 'true'})"


def _over(engine: Engine, percentages: str, type: DataType, one: Callable[[str], str], values: str) -> str:
    """Return the SQL of the result for one percentage, or for each of an array of them; null for no value."""
    result = _each(engine, percentages, "p", one("p")) if isinstance(type, Array) else one(percentages)
    return f"case when {_size(engine, values)} > 0 then {result} end"


def _interpolated(engine: Engine) -> ValueForm:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        def one(percentage: str) -> str:
            place = f"(({_size(engine, 's')} - 1) * {percentage})"
            low, high = _at(engine, "s", f"floor({place})"), _at(engine, "s", f"ceil({place})")
            between = f"(ceil({place}) - {place}) * {low} + ({place} - floor({place})) * {high}"
            return f"case when floor({place}) = ceil({place}) then {low} else {between} end"

        ordered = _sorted(engine, texts[0], descending=values[2] is True)
        return named(engine, ordered, "s", _over(engine, texts[1], types[1], one, "s"))

    return ValueForm(render)


def _percentile_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(DOUBLE) if isinstance(types[1], Array) else DOUBLE


def _ranked(engine: Engine) -> ValueForm:
    """Return the value that the percentage of the values do not exceed, or with `descending` do not fall below."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        def one(percentage: str) -> str:
            return _at(engine, "s", f"greatest(ceil({_size(engine, 's')} * {percentage}) - 1, 0)")

        ordered = _sorted(engine, texts[0], descending=values[2] is True)
        return named(engine, ordered, "s", _over(engine, texts[1], types[1], one, "s"))

    return ValueForm(render)


def _ranked_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    assert isinstance(types[0], Array)
    return Array(types[0].element) if isinstance(types[1], Array) else types[0].element


# Statistics from the deviations `d` of `n` values from their mean: the sums of their powers.
_MOMENTS = {
    "VAR_POP": "{m2} / {n}",
    "VAR_SAMP": "case when {n} > 1 then {m2} / ({n} - 1) end",
    "STDDEV_POP": "sqrt({m2} / {n})",
    "STDDEV_SAMP": "case when {n} > 1 then sqrt({m2} / ({n} - 1)) end",
    "SKEWNESS": "case when {m2} <> 0 then sqrt({n}) * {m3} / sqrt({m2} * {m2} * {m2}) end",
    "KURTOSIS": "case when {m2} <> 0 then {n} * {m4} / ({m2} * {m2}) - 3 end",
}
# The same for pairs: `c0` is the dependent value.
_PAIRS = {
    "CORR": "case when {xx} <> 0 and {yy} <> 0 then {xy} / sqrt({xx} * {yy}) end",
    "COVAR_POP": "{xy} / {n}",
    "COVAR_SAMP": "case when {n} > 1 then {xy} / ({n} - 1) end",
    "REGR_SXX": "{xx}",
    "REGR_SYY": "{yy}",
    "REGR_SXY": "{xy}",
    "REGR_AVGX": "{x}",
    "REGR_AVGY": "{y}",
    "REGR_SLOPE": "case when {xx} <> 0 then {xy} / {xx} end",
    "REGR_INTERCEPT": "case when {xx} <> 0 then {y} - {xy} / {xx} * {x} end",
    "REGR_R2": "case when {xx} = 0 then null when {yy} = 0 then cast(1 as double) else {xy} * {xy} / ({xx} * {yy}) end",
}


def _moment(engine: Engine, form: str) -> str:
    """Return the SQL of a form over `{0}`.

    Deviations are computed from the first value first, so that those of equal values are exactly 0.
    """
    first = _at(engine, "v", "0")
    n = f"cast({_size(engine, 'v')} as double)"
    mean = f"{_sum(engine, _each(engine, 'v', 'y', f'y - {first}'))} / {n}"
    deviations = _each(engine, "v", "y", f"y - {first} - m")
    powers = {f"m{k}": _sum(engine, _each(engine, "d", "y", " * ".join(["y"] * k))) for k in (2, 3, 4)}
    result = named(engine, mean, "m", named(engine, deviations, "d", form.format(n=n, **powers)))
    return named(engine, "{0}", "v", f"case when {_size(engine, 'v')} > 0 then {result} end")


def _pair(engine: Engine, form: str) -> str:
    first = {side: f"{_at(engine, 'v', '0')}.c{i}" for i, side in enumerate("yx")}
    n = f"cast({_size(engine, 'v')} as double)"
    means = {
        side: f"{_sum(engine, _each(engine, 'v', 'e', f'e.c{i} - {first[side]}'))} / {n}" for i, side in enumerate("yx")
    }
    deviations = {side: f"e.c{i} - {first[side]} - m{side}" for i, side in enumerate("yx")}
    products = {two: f"({deviations[two[0]]}) * ({deviations[two[1]]})" for two in ("xx", "yy", "xy")}
    sums = {two: _sum(engine, _each(engine, "v", "e", product)) for two, product in products.items()}
    whole = form.format(n=n, x=f"({first['x']} + mx)", y=f"({first['y']} + my)", **sums)
    result = named(engine, means["x"], "mx", named(engine, means["y"], "my", whole))
    return named(engine, "{0}", "v", f"case when {_size(engine, 'v')} > 0 then {result} end")


def _mode(engine: Engine) -> ValueForm:
    """Return the smallest of the most frequent values, or the largest with `descending`."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        down = values[1] is True
        if engine == "duckdb":
            ordered = _sorted(engine, "map_keys(h)", descending=down)
            often = _kept(engine, ordered, "k", "map_extract_value(h, k) = list_max(map_values(h))")
            return named(engine, f"list_aggregate({texts[0]}, 'histogram')", "h", f"{often}[1]")
        ordered = _sorted(engine, "array_distinct(v)", descending=down)
        counts = f"transform({ordered}, k -> struct(k AS value, size(filter(v, y -> y = k)) AS occurs))"
        most = "array_max(transform(c, e -> e.occurs))"
        often = named(engine, counts, "c", f"get(filter(c, e -> e.occurs = {most}), 0).value")
        return named(engine, texts[0], "v", often)

    return ValueForm(render)


def _element(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0].element if isinstance(types[0], Array) else None


def _bits(name: str, symbol: str, start: str) -> Function:
    def spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
        assert isinstance(types[0], Array)
        zero = f"cast({start} as {types[0].element})"
        total = f"aggregate(v, {zero}, (total, y) -> total {symbol} y)"
        return named("spark", texts[0], "v", f"case when size(v) > 0 then {total} end")

    return Function(name, (_VALUES,), _element, f"list_aggregate({{0}}, '{name.lower()}')", spark,
                    "the bits of all values together", nulls=Nulls.MAY)  # fmt: skip


def _second(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of the field `c1` of the structs."""
    inner = _element(types, literals)
    field = inner.field("c1") if isinstance(inner, Struct) else None
    return field.type if field is not None else None


def _extreme(engine: Engine, function: str) -> str:
    """Return the value of the first pair with the smallest or largest order."""
    orders = _each(engine, "v", "e", "e.c0")
    if engine == "duckdb":
        value = f"struct_extract(v[list_position({orders}, list_{function}({orders}))], 'c1')"
    else:
        value = f"get(v, cast(array_position({orders}, array_{function}({orders})) as int) - 1).c1"
    return named(engine, "{0}", "v", f"case when {_size(engine, 'v')} > 0 then {value} end")


def _repeated_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    inner = _second(types, literals)
    return Array(inner) if inner is not None else None


_ORDER = Parameter("descending", "boolean", literal=True)
GROUP_VALUES: tuple[Function, ...] = (
    Function("PERCENTILE", (_VALUES, Parameter("percentage", "any"), _ORDER), _percentile_type, _interpolated("duckdb"),
             _interpolated("spark"), "the value at a percentage, between two values if none is there", nulls=Nulls.MAY),
    Function("RANKED", (_VALUES, Parameter("percentage", "any"), _ORDER), _ranked_type, _ranked("duckdb"),
             _ranked("spark"), "the first value in order up to which the percentage of all are", nulls=Nulls.MAY),
    *(Function(name, (_VALUES,), always(DOUBLE), _moment("duckdb", form), _moment("spark", form), name.lower(),
               nulls=Nulls.MAY) for name, form in _MOMENTS.items()),
    *(Function(name, (_VALUES,), always(DOUBLE), _pair("duckdb", form), _pair("spark", form), name.lower(),
               nulls=Nulls.MAY) for name, form in _PAIRS.items()),
    Function("COUNTED", (_VALUES,), always(BIGINT), "cast(len({0}) as bigint)", "cast(size({0}) as bigint)",
             "how many values there are", nulls=Nulls.NEVER),
    Function("MODE", (_VALUES, _ORDER), _element, _mode("duckdb"), _mode("spark"), "the value that occurs most often",
             nulls=Nulls.MAY),
    _bits("BIT_AND", "&", "-1"),
    _bits("BIT_OR", "|", "0"),
    _bits("BIT_XOR", "^", "0"),
    *(Function(name, (_VALUES,), _second, _extreme("duckdb", function), _extreme("spark", function),
               f"the value `c1` of the first pair whose `c0` is the {function}", nulls=Nulls.MAY)
      for name, function in (("MIN_BY", "min"), ("MAX_BY", "max"))),
    Function("REPEATED", (_VALUES,), _repeated_type,
             "flatten(list_transform({0}, lambda e: list_transform(range(e.c0), lambda k: e.c1)))",
             "flatten(transform({0}, e -> array_repeat(e.c1, cast(e.c0 as int))))",
             "each value `c1` as often as `c0` says; an empty array for none", nulls=Nulls.NEVER),
)  # fmt: skip
