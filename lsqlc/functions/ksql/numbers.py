"""Functions of ksqlDB over numbers. Angles are in radians; outside of its domain a function returns NaN, as in Java."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from lsqlc.functions.forms.attempts import attempt
from lsqlc.functions.forms.casts import cast
from lsqlc.functions.forms.operators import ordered
from lsqlc.functions.lenses.nulls import in_common_type
from lsqlc.functions.lenses.number_forms import rounded_on_spark
from lsqlc.functions.lenses.numbers import NUMBERS
from lsqlc.functions.results import always, first
from lsqlc.functions.signature import Function, Nulls, Parameter, Render, ValueForm
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, DOUBLE, INT, DataType, Decimal, is_integer

_NUMBER = Parameter("number", "number")
_DOUBLE = Parameter("number", "double")
_PLACES = Parameter("places", "index", optional=True)
_NAN = "cast('NaN' as double)"
_INFINITE = "cast('Infinity' as double)"
_BEYOND = "cast(9223372036854775808 as double)"
# From this number on a DOUBLE has no fraction.
_WHOLE = "cast(4503599627370496 as double)"


def _of(name: str, new: str = "") -> Function:
    """Return a function of the Lenses language, optionally under another name, and without its aliases."""
    function = next(f for f in NUMBERS if f.name == name)
    return replace(function, name=new or name, aliases=()) if new or function.aliases else function


def _rounded(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    type = types[0]
    if isinstance(type, Decimal):
        return type if len(types) > 1 else Decimal(max(type.precision - type.scale, 1), 0)
    if len(types) == 1:
        return type if is_integer(type) else BIGINT
    return type if is_integer(type) else DOUBLE


def _round(engine: Engine) -> Render:
    """Return the form of ROUND, half up: a negative half is rounded towards zero."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        number, places = texts[0], texts[1] if len(texts) > 1 else "0"
        if is_integer(types[0]):
            return f"({number})"
        if isinstance(types[0], Decimal):
            return _round_decimal(engine, number, places, types[0], f"{_rounded(types, ())}")
        double = cast(engine, number, types[0], DOUBLE)
        if len(types) == 1:
            return _as_bigint(double, f"floor({double} + 0.5)")
        return _at_place(double, places, lambda shifted: f"floor({shifted} + 0.5)")

    return render


def _round_decimal(engine: Engine, number: str, places: str, type: Decimal, result: str) -> str:
    def to(constant: int) -> str:
        if engine == "spark":
            return f"try_cast({rounded_on_spark(number, constant, type)} as {result})"
        return f"try_cast({attempt(f'round({{0}}, {constant})', number)} as {result})"

    if re.fullmatch(r"-?[0-9]+", places):
        return to(int(places))
    # Both engines round to a constant number of places only.
    most, least = type.scale, type.scale - type.precision
    branches = (f"when {places} = {n} then {to(n)}" for n in range(least, most))
    return f"case when {places} >= {most} then {number} when {places} < {least} then 0 {' '.join(branches)} end"


def _truncated(engine: Engine) -> Render:
    """Return the form of TRUNC, which rounds towards zero."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        number, places = texts[0], texts[1] if len(texts) > 1 else "0"
        if is_integer(types[0]):
            return f"({number})"
        if isinstance(types[0], Decimal):
            return f"try_cast({_at_place(f'cast({number} as double)', places, _cut)} as {_rounded(types, ())})"
        double = cast(engine, number, types[0], DOUBLE)
        return _as_bigint(double, _cut(double)) if len(types) == 1 else _at_place(double, places, _cut)

    return render


def _cut(number: str) -> str:
    return f"(case when {number} < 0 then ceil({number}) else floor({number}) end)"


def _as_bigint(number: str, whole: str) -> str:
    """Return a BIGINT, null beyond its range and for NaN, for which Spark's FLOOR and CEIL raise."""
    return f"case when {number} >= -{_BEYOND} and {number} < {_BEYOND} then cast({whole} as bigint) end"


def _at_place(number: str, places: str, whole: Callable[[str], str]) -> str:
    """Return the SQL of a DOUBLE that is rounded at a decimal place.

    A value without digits there, such as NaN and an infinity, stays as it is: Spark's FLOOR and CEIL give a BIGINT, and
    raise beyond its range.
    """
    unit = f"pow(10, {places})"
    shifted = f"({number} * {unit})"
    return (
        f"case when abs({shifted}) >= {_WHOLE} then {number} when {unit} = 0 then cast(0 as double)"
        f" else cast(cast({whole(shifted)} as bigint) as double) / {unit} end"
    )


def _same_whole(name: str) -> Render:
    """Return a form that is also for DOUBLE, whose large values are whole numbers already."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        number = texts[0]
        if is_integer(types[0]):
            return f"({number})"
        if isinstance(types[0], Decimal):
            return f"try_cast({name}({number}) as {types[0]})"
        whole = f"cast(cast({name}({number}) as bigint) as double)"
        return f"case when abs({number}) >= {_WHOLE} then {number} else {whole} end"

    return render


def _most(name: str, doc: str) -> Function:
    return Function(
        name, (Parameter("value", "any"),), ordered, in_common_type("duckdb", name.lower()),
        in_common_type("spark", name.lower()), doc, nulls=Nulls.ALL, variadic=True,
    )  # fmt: skip


_LN = f"case when {{0}} > 0 then ln({{0}}) when {{0}} = 0 then -{_INFINITE} when {{0}} is not null then {_NAN} end"


def _logarithm(texts: Sequence[str], types: Sequence[DataType]) -> str:
    """Return the SQL of a logarithm to base 10, or to the base in the first argument."""
    base, value = (texts[0], texts[1]) if len(texts) > 1 else ("10.0", texts[0])
    logarithm = f"log10({value})" if len(texts) == 1 else f"ln({value}) / ln({base})"
    return (
        f"case when {base} is null or {value} is null then null when {base} <= 0 or {base} = 1 or {value} < 0"
        f" then {_NAN} when {value} = 0 then -{_INFINITE} else {logarithm} end"
    )


_UNITS = {"KM": 6371.0, "KILOMETER": 6371.0, "KILOMETERS": 6371.0, "MILE": 3959.0, "MILES": 3959.0, "MI": 3959.0}


def _distance_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    unit = literals[4] if len(literals) > 4 else "KM"
    return DOUBLE if isinstance(unit, str) and unit.upper() in _UNITS else None


def _distance() -> ValueForm:
    """Return the form of the haversine formula over a sphere of the earth's mean radius."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        radius = _UNITS[str(values[4]).upper() if len(values) > 4 else "KM"]
        a, b, c, d = texts[:4]
        chord = (
            f"(pow(sin(radians(({c}) - ({a})) / 2), 2)"
            f" + cos(radians({a})) * cos(radians({c})) * pow(sin(radians(({d}) - ({b})) / 2), 2))"
        )
        return f"({2 * radius} * asin(sqrt(least(1.0, {chord}))))"

    return ValueForm(render)


_PLACES_ON_EARTH = tuple(Parameter(name, "double") for name in ("latitude1", "longitude1", "latitude2", "longitude2"))
NUMBER_FUNCTIONS: tuple[Function, ...] = (
    _of("ABS"),
    Function("CEIL", (_NUMBER,), first, _same_whole("ceil"), _same_whole("ceil"),
             "the smallest whole number that is not smaller, of the same type; null where that does not hold it",
             nulls=Nulls.MAY, aliases=("CEILING",)),
    Function("FLOOR", (_NUMBER,), first, _same_whole("floor"), _same_whole("floor"),
             "the largest whole number that is not larger, of the same type; null where that does not hold it",
             nulls=Nulls.MAY),
    Function("ROUND", (_NUMBER, _PLACES), _rounded, _round("duckdb"), _round("spark"),
             "the number rounded half up: to a whole number, or to `places` after the point", nulls=Nulls.MAY),
    Function("TRUNC", (_NUMBER, _PLACES), _rounded, _truncated("duckdb"), _truncated("spark"),
             "the number cut to a whole number, or to `places` after the point", nulls=Nulls.MAY),
    _of("SQRT"),
    _of("CBRT"),
    _of("EXP"),
    Function("LN", (_DOUBLE,), always(DOUBLE), _LN, _LN,
             "the natural logarithm; NaN of a negative number, -Infinity of 0"),
    Function("LOG", (Parameter("base_or_number", "double"), Parameter("number", "double", optional=True)),
             always(DOUBLE), _logarithm, _logarithm,
             "the logarithm to base 10 of a number alone, else to the base that comes first"),
    _of("POW", "POWER"),
    Function("SIGN", (_NUMBER,), always(INT), "cast(sign({0}) as integer)", "cast(nanvl(sign({0}), 0D) as int)",
             "-1, 0 or 1, as the number is negative, zero (or NaN) or positive"),
    *(_of(name) for name in ("SIN", "COS", "TAN")),
    Function("COT", (_DOUBLE,), always(DOUBLE), f"case when {{0}} = 0 then {_INFINITE} else 1 / tan({{0}}) end",
             f"case when {{0}} = 0 then {_INFINITE} else 1 / tan({{0}}) end", "the cotangent of an angle in radians"),
    *(_of(name) for name in ("ASIN", "ACOS", "ATAN", "ATAN2", "SINH", "COSH", "TANH", "DEGREES", "RADIANS")),
    Function("PI", (), always(DOUBLE), "pi()", "pi()", "the number pi", nulls=Nulls.NEVER),
    Function("GEO_DISTANCE", (*_PLACES_ON_EARTH, Parameter("unit", "string", literal=True, optional=True)),
             _distance_type, _distance(), _distance(),
             "the distance of two places given in degrees, in 'KM' unless the unit is 'MILES'"),
    _most("GREATEST", "the largest of several values; nulls are skipped"),
    _most("LEAST", "the smallest of several values; nulls are skipped"),
)  # fmt: skip
