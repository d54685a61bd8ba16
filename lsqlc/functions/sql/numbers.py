"""Functions over numbers by Spark's names that no other dialect has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, InvalidOperation
from decimal import Decimal as Number
from functools import partial

from lsqlc.functions.forms.casts import cast
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.forms.operators import binary
from lsqlc.functions.lenses.numbers import NUMBERS as LENSES_NUMBERS
from lsqlc.functions.results import always, common, first
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render, ValueForm
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, DOUBLE, FLOAT, INT, STRING, DataType, Decimal, is_integer

_DOUBLE, _INTEGER = Parameter("number", "double"), Parameter("number", "integer")
_NAN, _INFINITE = "cast('NaN' as double)", "cast('Infinity' as double)"


def _expm1(number: float) -> float:
    try:
        return math.expm1(number)
    except OverflowError:
        return math.inf


def _rint(number: float) -> float:
    return math.copysign(round(abs(number)), number) if math.isfinite(number) else number


def shifted(number: int, count: int, bits: int) -> int:
    """Shift to the left, or to the right if negative, within this number of bits; bits beyond it are lost."""
    number = number << count if count >= 0 else number >> -count
    half = 1 << (bits - 1)
    return (number + half) % (2 * half) - half


def shifted_unsigned(number: int, count: int, bits: int) -> int:
    return shifted(number % (1 << bits), count, bits)


def _of_double(name: str, function: object, doc: str, *, domain: str = "true", spark: str = "") -> Function:
    """Return a function whose Python form never gets or returns NaN, which is the value outside of its domain."""
    assert callable(function)
    form = PythonForm(f"lsqlc_sql_{name.lower()}", function, ("DOUBLE",), "DOUBLE")
    duckdb = (
        f"case when {{0}} is null then null when isnan({{0}}) or not ({domain}) then {_NAN}"
        f" else {form.call(['case when not isnan({0}) and ' + domain + ' then {0} end'])} end"
    )
    return Function(name, (_DOUBLE,), always(DOUBLE), duckdb, spark or f"{name.lower()}({{0}})", doc, uses=(form,))


# As exact as Python's for tiny and huge arguments; the logarithms of Spark's own forms are not.
_HUGE = "cast(1e150 as double)"
_ASINH = (
    f"signum({{0}}) * case when abs({{0}}) > {_HUGE} then ln(abs({{0}})) + ln(2D)"
    " else log1p(abs({0}) + {0} * {0} / (1 + sqrt(1 + {0} * {0}))) end"
)
_ACOSH = (
    f"case when {{0}} is null then null when isnan({{0}}) or {{0}} < 1 then {_NAN}"
    f" when {{0}} > {_HUGE} then ln({{0}}) + ln(2D)"
    " else log1p(({0} - 1) + sqrt(({0} - 1) * ({0} - 1) + 2 * ({0} - 1))) end"
)
_ATANH = (
    f"case when {{0}} is null then null when isnan({{0}}) or abs({{0}}) > 1 then {_NAN}"
    f" when abs({{0}}) = 1 then {{0}} * {_INFINITE}"
    " else signum({0}) * log1p(2 * abs({0}) / (1 - abs({0}))) / 2 end"
)


def _atanh(number: float) -> float:
    return math.copysign(math.inf, number) if abs(number) == 1 else math.atanh(number)


# DuckDB counts the parameters by the signature, which `math.log1p` does not have.
_LOG1P = PythonForm("lsqlc_sql_log1p", lambda number: math.log1p(number), ("DOUBLE",), "DOUBLE")
_HYPOT = PythonForm("lsqlc_sql_hypot", lambda x, y: math.hypot(x, y), ("DOUBLE", "DOUBLE"), "DOUBLE")


def _shift(name: str, function: object, sign: str, doc: str) -> Function:
    """Return a shift function. The count is taken modulo the number of bits, as in Java."""
    assert callable(function)
    form = PythonForm(f"lsqlc_sql_{name.lower()}", function, ("BIGINT", "INTEGER", "INTEGER"), "BIGINT")

    def duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
        bits, type = (64, "bigint") if types[0] == BIGINT else (32, "integer")
        return f"cast({form.call([texts[0], f'{sign}({texts[1]} & {bits - 1})', str(bits)])} as {type})"

    def spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
        return f"{name.lower()}({texts[0] if types[0] == BIGINT else f'cast({texts[0]} as int)'}, {texts[1]})"

    return Function(
        name, (_INTEGER, Parameter("count", "index")),
        lambda types, literals: BIGINT if types[0] == BIGINT else INT, duckdb, spark, doc, uses=(form,),
    )  # fmt: skip


def _common_integer(types: Sequence[DataType], literals: Sequence[object]) -> DataType:
    common_type = common(types, ())
    return common_type if common_type is not None and is_integer(common_type) else INT


def _positive_modulo(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        type = _common_integer(types, ())
        rest = binary(engine, "%", texts[0], texts[1], BIGINT, BIGINT)
        return f"cast(case when {rest} < 0 and {texts[1]} > 0 then {rest} + {texts[1]} else {rest} end as {type})"

    return render


_BUCKET = (
    "case when {3} is null or {3} <= 0 or {3} = 9223372036854775807"
    " or isnan({0}) or isnan({1}) or isnan({2}) or isinf({1})"
    " or isinf({2}) or {1} = {2} then null"
    " when {1} < {2} and {0} < {1} or {1} > {2} and {0} > {1} then cast(0 as bigint)"
    " when {1} < {2} and {0} >= {2} or {1} > {2} and {0} <= {2} then {3} + 1"
    " else cast(trunc(cast({3} as double) * ({0} - {1}) / ({2} - {1})) as bigint) + 1 end"
)


def rounded_to_even(number: str, places: int) -> str | None:
    """Return the text of a number with this many places, rounded half to even."""
    if not -400 <= places <= 400:
        return None
    try:
        decimal = Number(number)
        if not decimal.is_finite() or -decimal.as_tuple().exponent <= places:  # type: ignore[operator]
            return number
        return format(decimal.quantize(Number(1).scaleb(-places), ROUND_HALF_EVEN, Context(prec=800)), "f")
    except InvalidOperation:
        return None


_TO_EVEN = PythonForm("lsqlc_sql_bround", rounded_to_even, ("VARCHAR", "INTEGER"), "VARCHAR")
_ROUND = next(f for f in LENSES_NUMBERS if f.name == "ROUND")


def _to_even(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    type = _ROUND.result(types, values)
    assert type is not None
    rounded = _TO_EVEN.call([cast("duckdb", texts[0], types[0], STRING), [*texts, "0"][1]])
    return f"try_cast({rounded} as {type_text('duckdb', type)})"


# The DECIMAL of Spark that holds a number of another type.
_AS_DECIMAL: Mapping[DataType, DataType] = {
    INT: Decimal(10, 0), BIGINT: Decimal(20, 0), FLOAT: Decimal(14, 7), DOUBLE: Decimal(30, 15),
}  # fmt: skip
_MOST_DIGITS = 38


def _to_places(name: str, rounding: str, doc: str) -> Function:
    """Return CEIL or FLOOR with an optional number of places, with which it returns a DECIMAL."""
    (whole,) = (f for f in LENSES_NUMBERS if f.name == name)
    form = PythonForm(
        f"lsqlc_sql_{name.lower()}", lambda number, places: cut_to(number, places, rounding), ("VARCHAR", "INTEGER"),
        "VARCHAR",
    )  # fmt: skip

    def result(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
        places = literals[1] if len(literals) > 1 else None
        if places is None:
            return whole.result(types, literals)
        # No DECIMAL holds the smallest number of this many digits.
        if not isinstance(places, int) or places <= -_MOST_DIGITS:
            return None
        return _ROUND.result((_AS_DECIMAL.get(types[0], types[0]), types[1]), literals)

    def render(engine: Engine, texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        form_of_whole = whole.duckdb if engine == "duckdb" else whole.spark
        places = values[1] if len(values) > 1 else None
        type = _AS_DECIMAL.get(types[0], types[0])
        if not isinstance(places, int) or not isinstance(type, Decimal):
            assert callable(form_of_whole)
            return form_of_whole(texts[:1], types[:1])
        number, type_of_result = cast(engine, texts[0], types[0], type), result(types, values)
        if engine == "duckdb":
            return f"try_cast({form.call([cast(engine, number, type, STRING), str(places)])} as {type_of_result})"
        rounded = f"{name.lower()}({number}, {min(places, _MOST_DIGITS)})"
        if places >= 0 or type.precision - type.scale < _MOST_DIGITS:
            return rounded
        # Spark raises for a result that no DECIMAL holds.
        bound = 10**_MOST_DIGITS - 10**-places
        fits = f"<= cast('{bound}' as {type})" if name == "CEIL" else f">= cast('-{bound}' as {type})"
        return f"case when {number} {fits} then {rounded} end"

    return Function(
        name, (Parameter("number", "number"), Parameter("places", "size", literal=True, optional=True)), result,
        ValueForm(partial(render, "duckdb")), ValueForm(partial(render, "spark")), doc, nulls=Nulls.MAY, uses=(form,),
        aliases=("CEILING",) if name == "CEIL" else (),
    )  # fmt: skip


def cut_to(number: str, places: int, rounding: str) -> str:
    """Return the text of a decimal with at most this many places. `rounding`: one of `decimal`."""
    decimal = Number(number)
    exponent = decimal.as_tuple().exponent
    assert isinstance(exponent, int), "a DECIMAL is finite"
    if -exponent <= places:
        return number
    return format(decimal.quantize(Number(1).scaleb(-places), rounding, Context(prec=2 * _MOST_DIGITS)), "f")


_WIDE = "cast({0} as bigint)"
_POSITION = f"case when {{0}} > 0 then ({_WIDE} - 1) % 32768 else -({_WIDE} % 32768) end"


def _bucket(divided: str) -> str:
    return f"case when {{0}} > 0 then 1 + ({_WIDE} - 1) {divided} 32768 else {_WIDE} {divided} 32768 end"


MORE_NUMBERS: tuple[Function, ...] = (
    Function("BITMAP_BIT_POSITION", (_INTEGER,), always(BIGINT), _POSITION, _POSITION,
             "the bit of an integer in its bitmap of 32768"),
    Function("BITMAP_BUCKET_NUMBER", (_INTEGER,), always(BIGINT), _bucket("//"), _bucket("div"),
             "the number of the bitmap of 32768 bits that an integer is in"),
    Function("PMOD", (_INTEGER, Parameter("divisor", "integer")), _common_integer, _positive_modulo("duckdb"),
             _positive_modulo("spark"),
             "the remainder of a division of integers, not negative if the divisor is positive",
             nulls=Nulls.MAY),
    Function("POSITIVE", (Parameter("number", "number"),), first, "({0})", "({0})", "the number"),
    Function("E", (), always(DOUBLE), "cast(2.718281828459045 as double)", "e()", "Euler's number",
             nulls=Nulls.NEVER),
    _of_double("EXPM1", _expm1, "e to the power of the number, less 1"),
    _to_places("CEIL", ROUND_CEILING,
               "the smallest whole number that is not smaller, or the number of so many places"),
    _to_places("FLOOR", ROUND_FLOOR,
               "the largest whole number that is not larger, or the number of so many places"),
    Function("BROUND", _ROUND.parameters, _ROUND.result, ValueForm(_to_even),
             lambda texts, types: f"bround({', '.join(texts)})",
             "the number to so many places, of two equally near ones the even one", nulls=_ROUND.nulls,
             uses=(_TO_EVEN,)),
    Function("LOG2", (_DOUBLE,), always(DOUBLE), "case when {0} > 0 then log2({0}) end", "log2({0})",
             "the logarithm to base 2; null unless the number is positive", nulls=Nulls.MAY),
    Function("LOG1P", (_DOUBLE,), always(DOUBLE),
             f"case when isnan({{0}}) then {{0}} when {{0}} > -1 then "
             f"{_LOG1P.call(['case when {0} > -1 and not isnan({0}) then {0} end'])} end", "log1p({0})",
             "the natural logarithm of the number and 1; null unless that is positive", nulls=Nulls.MAY,
             uses=(_LOG1P,)),
    Function("HYPOT", (Parameter("x", "double"), Parameter("y", "double")), always(DOUBLE),
             f"case when {{0}} is null or {{1}} is null then null when isinf({{0}}) or isinf({{1}}) then {_INFINITE}"
             f" when isnan({{0}}) or isnan({{1}}) then {_NAN} else {_HYPOT.call(['{0}', '{1}'])} end",
             "hypot({0}, {1})", "the length of the hypotenuse of two legs", uses=(_HYPOT,)),
    *(Function(name, (_DOUBLE,), always(DOUBLE), f"(1 / {inverse}({{0}}))", f"{name.lower()}({{0}})", doc)
      for name, inverse, doc in (("COT", "tan", "the cotangent of an angle in radians"),
                                 ("SEC", "cos", "the secant of an angle in radians"),
                                 ("CSC", "sin", "the cosecant of an angle in radians"))),
    _of_double("ASINH", math.asinh, "the inverse hyperbolic sine", spark=_ASINH),
    _of_double("ACOSH", math.acosh, "the inverse hyperbolic cosine", domain="{0} >= 1", spark=_ACOSH),
    _of_double("ATANH", _atanh, "the inverse hyperbolic tangent", domain="abs({0}) <= 1", spark=_ATANH),
    _of_double("RINT", _rint, "the nearest whole number, of two the even one"),
    _shift("SHIFTLEFT", shifted, "", "the bits of an integer, moved to the left"),
    _shift("SHIFTRIGHT", shifted, "-", "the bits of an integer, moved to the right, with its sign"),
    _shift("SHIFTRIGHTUNSIGNED", shifted_unsigned, "-", "the bits of an integer, moved to the right, with zeros"),
    Function("BIT_COUNT", (_INTEGER,), always(INT), "cast(bit_count({0}) as integer)", "bit_count({0})",
             "how many bits of the integer, of 64 bits, are set"),
    Function("FACTORIAL", (Parameter("number", "index"),), always(BIGINT),
             "case when {0} between 0 and 20 then cast(factorial({0}) as bigint) end", "factorial({0})",
             "the factorial of a number from 0 to 20; null for any other", nulls=Nulls.MAY),
    Function("WIDTH_BUCKET", (Parameter("value", "double"), Parameter("from", "double"), Parameter("to", "double"),
                              Parameter("count", "integer")),
             always(BIGINT), _BUCKET, "width_bucket({0}, {1}, {2}, {3})",
             "the number of the bucket, of so many between two bounds, that a value is in; 0 before and 1 more behind",
             nulls=Nulls.MAY),
    Function("NANVL", (_DOUBLE, Parameter("other", "double")), always(DOUBLE),
             "case when isnan({0}) then {1} else {0} end", "nanvl({0}, {1})",
             "the number, or the other where it is NaN"),
)  # fmt: skip
