"""Functions over numbers. Outside of its domain a function returns Spark's result: NaN, or null for a logarithm."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.attempts import attempt
from lsqlc.functions.forms.casts import cast
from lsqlc.functions.forms.operators import binary, result_type, unary
from lsqlc.functions.lenses import number_forms as forms
from lsqlc.functions.lenses.nulls import in_common_type
from lsqlc.functions.results import always, common, first
from lsqlc.functions.signature import Function, Nulls, Parameter, Render, ValueForm
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, DOUBLE, FLOAT, NULL, DataType, Decimal, is_integer

_NUMBER = Parameter("number", "number")
_PLACES = Parameter("places", "size", literal=True, optional=True, default=0)


def _absolute(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        if engine == "duckdb" and not is_integer(types[0]):
            return f"abs({texts[0]})"
        if engine == "spark" and types[0] in (FLOAT, DOUBLE, NULL):
            return f"abs({texts[0]})"
        if engine == "duckdb":
            return attempt("abs({0})", texts[0])
        return f"case when {texts[0]} < 0 then {unary(engine, '-', texts[0], types[0])} else {texts[0]} end"

    return render


def _whole(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the result type: an integer type stays, DOUBLE becomes BIGINT, a decimal loses its places and may gain a
    digit.
    """
    type = types[0]
    if isinstance(type, Decimal):
        return Decimal(min(38, type.precision - type.scale + 1), 0)
    return BIGINT if type in (FLOAT, DOUBLE) else type


def _to_whole(engine: Engine, name: str) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        result = _whole(types, ())
        if result == types[0] and not isinstance(result, Decimal):
            return f"({texts[0]})"
        if isinstance(result, Decimal):
            return f"cast({name}({texts[0]}) as {result})"
        double = cast(engine, texts[0], types[0], DOUBLE)
        # Spark raises beyond a BIGINT and for NaN, which both engines order above all numbers.
        return f"case when {double} >= -{_BEYOND} and {double} < {_BEYOND} then cast({name}({double}) as bigint) end"

    return render


_BEYOND = "cast(9223372036854775808 as double)"


def _rounded(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    type = types[0]
    if not isinstance(type, Decimal):
        return DOUBLE if type == FLOAT else type
    places = literals[1] if len(literals) > 1 else 0
    if not isinstance(places, int):
        return None
    digits = type.precision - type.scale + 1
    if places < 0:
        return Decimal(min(38, max(digits, 1 - places)), 0)
    scale = min(type.scale, places)
    return Decimal(min(38, digits + scale), scale)


_FAR = 400


def _round(engine: Engine) -> ValueForm:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        assert isinstance(values[1], int), "a number of places is a literal"
        # No number has a digit further from its point, and Spark would write all the zeros.
        number, far = texts[0], max(-_FAR, min(_FAR, values[1]))
        places, result = str(far), _rounded(types, (None, far))
        if types[0] in (FLOAT, DOUBLE):
            double = cast(engine, number, types[0], DOUBLE)
            if engine == "spark":
                return f"round({double}, {places})"
            # DuckDB takes a NaN that a Python function returns for null.
            rounded = forms.ROUND_DOUBLE.call([double, places])
            return f"case when isfinite({double}) then {rounded} else {double} end"
        if types[0] == NULL or result is None:
            return number
        if engine == "duckdb":
            text = forms.ROUND_DECIMAL.call([f"cast({number} as varchar)", places])
            return f"try_cast({text} as {_DUCKDB_INTEGERS.get(str(result), str(result))})"
        if isinstance(types[0], Decimal):
            return forms.rounded_on_spark(number, far, types[0])
        # A decimal cannot overflow; an integer could, where Spark raises.
        return f"try_cast(round(cast({number} as decimal(20,0)), {places}) as {result})"

    return ValueForm(render)


_DUCKDB_INTEGERS = {"INT": "INTEGER", "BIGINT": "BIGINT"}


def _modulo_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return result_type("%", types[0], types[1])


def _modulo(engine: Engine) -> Render:
    return lambda texts, types: binary(engine, "%", texts[0], texts[1], types[0], types[1])


def _negated(engine: Engine) -> Render:
    return lambda texts, types: unary(engine, "-", texts[0], types[0])


def _several(name: str, doc: str, function: str) -> Function:
    return Function(
        name, (_NUMBER, _NUMBER), common, in_common_type("duckdb", function), in_common_type("spark", function), doc,
        nulls=Nulls.ALL, variadic=True, takes_null=True,
    )  # fmt: skip


def _double(name: str, doc: str, duckdb: str = "", spark: str = "", aliases: tuple[str, ...] = ()) -> Function:
    """Return a function from DOUBLE to DOUBLE, which has the same name on the engines by default."""
    template = f"{name.lower()}({{0}})"
    parameters = (Parameter("number", "double"),)
    return Function(name, parameters, always(DOUBLE), duckdb or template, spark or template, doc, aliases)


_EARTH = 6371000.0
# Half the chord between two points of the unit sphere, squared.
_CHORD = (
    "(pow(sin(radians(({2}) - ({0})) / 2), 2)"
    " + cos(radians({0})) * cos(radians({2})) * pow(sin(radians(({3}) - ({1})) / 2), 2))"
)
_HAVERSINE = f"({2 * _EARTH} * atan2(sqrt({_CHORD}), sqrt(abs(1 - {_CHORD}))))"

# Spark ignores the sign of a zero in an angle.
_UNSIGNED = "case when {0} = 0 then 0::double else {0} end"

_ONE = "case when abs({0}) = 1 and isinf({1}) or isnan({1}) then 'NaN'::double else pow({0}, {1}) end"

NUMBERS: tuple[Function, ...] = (
    Function(
        "ABS", (_NUMBER,), first, _absolute("duckdb"), _absolute("spark"),
        "the number without its sign; null for the smallest integer, which has no opposite", nulls=Nulls.MAY,
    ),
    Function(
        "CEIL", (_NUMBER,), _whole, _to_whole("duckdb", "ceil"), _to_whole("spark", "ceil"),
        "the smallest whole number that is not smaller; null if it is no BIGINT", nulls=Nulls.MAY,
    ),
    Function(
        "FLOOR", (_NUMBER,), _whole, _to_whole("duckdb", "floor"), _to_whole("spark", "floor"),
        "the largest whole number that is not larger; null if it is no BIGINT", nulls=Nulls.MAY,
    ),
    Function(
        "ROUND", (_NUMBER, _PLACES), _rounded, _round("duckdb"), _round("spark"),
        "the number rounded to `places` after the point, half away from zero", nulls=Nulls.MAY,
        uses=(forms.ROUND_DOUBLE, forms.ROUND_DECIMAL),
    ),
    Function(
        "MOD", (_NUMBER, Parameter("divisor", "number")), _modulo_type, _modulo("duckdb"), _modulo("spark"),
        "the remainder of the division, with the sign of the number", nulls=Nulls.MAY,
    ),
    Function(
        "NEG", (_NUMBER,), first, _negated("duckdb"), _negated("spark"),
        "the number with the other sign; null for the smallest integer, which has no opposite", nulls=Nulls.MAY,
    ),
    _several("MIN", "the smallest of several numbers; nulls are skipped", "least"),
    _several("MAX", "the largest of several numbers; nulls are skipped", "greatest"),
    _double(
        "SIGN", "-1, 0 or 1, as the number is negative, zero or positive",
        "case when isnan({0}) or {0} = 0 then {0} else cast(sign({0}) as double) end",
    ),
    _double("SQRT", "the square root", "case when {0} < 0 then 'NaN'::double else sqrt({0}) end"),
    _double("CBRT", "the cube root"),
    _double("EXP", "e to the power of the number"),
    Function(
        "LN", (Parameter("number", "double"),), always(DOUBLE), "case when {0} > 0 then ln({0}) end", "ln({0})",
        "the natural logarithm; null unless the number is positive", nulls=Nulls.MAY,
    ),
    Function(
        "LOG10", (Parameter("number", "double"),), always(DOUBLE),
        "case when {0} > 0 then log10({0}) end", "log10({0})",
        "the logarithm to base 10; null unless the number is positive", nulls=Nulls.MAY,
    ),
    Function(
        "POW", (Parameter("base", "double"), Parameter("exponent", "double")), always(DOUBLE), _ONE, "pow({0}, {1})",
        "the base to the power of the exponent", aliases=("POWER",),
    ),
    _double("SIN", "the sine of an angle in radians"),
    _double("COS", "the cosine of an angle in radians"),
    _double("TAN", "the tangent of an angle in radians"),
    _double("ASIN", "the angle in radians with this sine"),
    _double("ACOS", "the angle in radians with this cosine"),
    _double("ATAN", "the angle in radians with this tangent"),
    Function(
        "ATAN2", (Parameter("y", "double"), Parameter("x", "double")), always(DOUBLE),
        f"atan2({_UNSIGNED.format('{0}')}, {_UNSIGNED.format('{1}')})", "atan2({0}, {1})",
        "the angle in radians of the point (x, y)",
    ),
    _double("SINH", "the hyperbolic sine"),
    _double("COSH", "the hyperbolic cosine"),
    _double("TANH", "the hyperbolic tangent"),
    Function(
        "DISTANCE", tuple(Parameter(name, "double") for name in ("latitude1", "longitude1", "latitude2", "longitude2")),
        always(DOUBLE), _HAVERSINE, _HAVERSINE,
        "the metres between two points given in degrees, by the haversine method on a sphere of 6,371 km",
    ),
    _double("DEGREES", "radians as degrees"),
    _double("RADIANS", "degrees as radians"),
)  # fmt: skip
