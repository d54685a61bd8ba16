"""Arithmetic, comparison and logic on both engines: the type of the result, and SQL with try semantics.

Overflow and division by zero give null; integers stay integers and never widen (INT + INT is INT); decimals grow as
Spark's do, and their quotient is DOUBLE. LIKE has no escape character.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Sequence

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.results import common
from lsqlc.functions.signature import PythonForm
from lsqlc.sql import engines
from lsqlc.sql.engines import Engine
from lsqlc.types.data import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INT,
    NULL,
    STRING,
    Array,
    DataType,
    Decimal,
    Map,
    Struct,
    is_integer,
    is_numeric,
    unify,
)

ARITHMETIC = ("+", "-", "*", "/", "%")
COMPARISON = ("=", "<>", "<", "<=", ">", ">=")
LOGIC = ("AND", "OR")

_TRY = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", "%": "try_mod"}
_SAFE_DIVISOR = re.compile(r"[1-9][0-9]{0,8}")
_WIDE = decimal.Context(prec=120, rounding=decimal.ROUND_HALF_UP)
# Spark rounds the opposite of a DECIMAL to so many digits.
_EXACT_ON_SPARK = 34
_EXACT = {
    "+": _WIDE.add,
    "-": _WIDE.subtract,
    "*": _WIDE.multiply,
    "/": _WIDE.divide,
    "%": _WIDE.remainder,
}


def result_type(op: str, left: DataType, right: DataType) -> DataType | None:
    """The type of `left op right`, None if the operator is not defined for them. `op` is upper case; `!=` is `<>`."""
    if op in ARITHMETIC:
        return _arithmetic_type(op, left, right)
    if op in COMPARISON:
        met = unify(left, right)
        return BOOLEAN if met is not None and comparable(met, ordered=op not in ("=", "<>")) else None
    wanted = STRING if op == "LIKE" else BOOLEAN
    return BOOLEAN if left in (wanted, NULL) and right in (wanted, NULL) else None


def comparable(type: DataType, *, ordered: bool) -> bool:
    """Whether two values of a type can be compared for equality or, if `ordered`, by size."""
    match type:
        case Map():
            return False
        case Array(element):
            return not ordered and comparable(element, ordered=False)
        case Struct(fields):
            return not ordered and all(comparable(f.type, ordered=False) for f in fields)
    return True


def compared(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """The type in which all arguments meet; None where its values are not compared."""
    met = common(types, literals)
    return met if met is not None and comparable(met, ordered=False) else None


def ordered(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """The type in which all arguments meet; None where its values have no order."""
    met = common(types, literals)
    return met if met is not None and comparable(met, ordered=True) else None


def unary_type(op: str, operand: DataType) -> DataType | None:
    """The type of `- x`, `+ x` or `NOT x`, None if it is not defined."""
    if op == "NOT":
        return BOOLEAN if operand in (BOOLEAN, NULL) else None
    return operand if is_numeric(operand) or operand == NULL else None


def binary(engine: Engine, op: str, left: str, right: str, left_type: DataType, right_type: DataType) -> str:
    """The SQL text of `left op right`, in parentheses or a call; only where `result_type` gives a type."""
    if op in LOGIC:
        return f"({left} {op} {right})"
    if op == "LIKE":
        return _like(engine, left, right)
    if op in COMPARISON:
        met = unify(left_type, right_type)
        assert met is not None
        return f"({widen(engine, left, left_type, met)} {op} {widen(engine, right, right_type, met)})"
    result = _arithmetic_type(op, left_type, right_type)
    assert result is not None
    if isinstance(result, Decimal):
        return _decimal_arithmetic(engine, op, left, right, left_type, right_type, result)
    # FLOAT with FLOAT divides as DOUBLE, so it is the result's type that the operands take.
    left, right = widen(engine, left, left_type, result), widen(engine, right, right_type, result)
    write = _duckdb_arithmetic if engine == "duckdb" else _spark_arithmetic
    return write(op, left, right, result)


def like(engine: Engine, text: str, pattern: str, escape: str) -> str:
    """The SQL text of LIKE with an escape character, one code point, behind which any character is itself."""
    own = engines.text(engine, escape)
    if engine == "duckdb":
        # A pattern that ends with it is none.
        return f"try({text} LIKE {pattern} ESCAPE {own})"
    # Spark's own fails where it stands before anything but a wildcard or itself: there it is left out.
    mark = re.escape(escape)
    pairs, needed = engines.text(engine, f"(?s){mark}."), engines.text(engine, f"({mark}[%_{mark}])|{mark}")
    plain = f"regexp_replace({pattern}, {needed}, '$1')"
    return (
        f"(case when not endswith(regexp_replace({pattern}, {pairs}, ''), {own}) then {text} LIKE {plain} "
        f"ESCAPE {own} end)"
    )


def unary(engine: Engine, op: str, operand: str, type: DataType) -> str:
    """The SQL text of `- x`, `+ x` or `NOT x`; the smallest integer has no opposite, which is null."""
    if op == "NOT":
        return f"(NOT {operand})"
    if op == "+" or type == NULL:
        return operand
    if engine == "spark" and isinstance(type, Decimal) and type.precision > _EXACT_ON_SPARK:
        text = "cast(n as string)"
        negated = f"case when n < 0 then substring({text}, 2) else concat('-', {text}) end"
        return f"transform(array({operand}), n -> cast({negated} as {type}))[0]"
    if not is_integer(type):
        return f"(-({operand}))"
    if engine == "duckdb":
        # The opposite of a literal would have a wider type.
        is_literal = operand.startswith("CAST(-")
        return f"try({_duckdb_zero(type)} - {operand})" if is_literal else f"try(-({operand}))"
    return f"try_subtract({_zero(type)}, {operand})"


def _duckdb_zero(type: DataType) -> str:
    return f"cast(0 as {type_text('duckdb', type)})"


def in_list(engine: Engine, value: str, items: Sequence[str], type: DataType, item_types: Sequence[DataType]) -> str:
    """The SQL text of `value IN (items)`, all converted to the type in which they meet (which must exist)."""
    met: DataType | None = type
    for item in item_types:
        met = None if met is None else unify(met, item)
    assert met is not None
    texts = [widen(engine, sql, item, met) for sql, item in zip(items, item_types, strict=True)]
    return f"({widen(engine, value, type, met)} IN ({', '.join(texts)}))"


def _arithmetic_type(op: str, left: DataType, right: DataType) -> DataType | None:
    met = unify(left, right)
    if met is None or not (is_numeric(met) or met == NULL):
        return None
    if op == "/" and not is_integer(met) and met != NULL:
        return DOUBLE
    if not isinstance(met, Decimal):
        return met
    a, b = _as_decimal(left, met), _as_decimal(right, met)
    whole, scale = max(a.precision - a.scale, b.precision - b.scale), max(a.scale, b.scale)
    if op == "*":
        return _bounded(a.precision + b.precision + 1, a.scale + b.scale)
    if op == "%":
        return _bounded(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)
    return _bounded(whole + scale + 1, scale)


def quotient_type(left: Decimal, right: Decimal) -> Decimal:
    """The type of a quotient of two decimals where that is one too, as in ksqlDB: with six places at least."""
    scale = max(6, left.scale + right.precision + 1)
    return _bounded(left.precision - left.scale + right.scale + scale, scale)


def quotient(engine: Engine, left: str, right: str, result: Decimal) -> str:
    """The SQL text of `left / right` for decimals, rounded half away from zero; a division by zero gives null."""
    if engine == "spark":
        return f"try_cast(try_divide({left}, {right}) as {result})"
    texts = [f"cast({side} as varchar)" for side in (left, right)]
    called = DECIMAL_ARITHMETIC.call(["'/'", *texts, str(result.precision), str(result.scale)])
    return f"try_cast({called} as {result})"


def _as_decimal(type: DataType, default: Decimal) -> Decimal:
    if isinstance(type, Decimal):
        return type
    return default if type == NULL else Decimal(10, 0) if type == INT else Decimal(20, 0)


def _bounded(precision: int, scale: int) -> Decimal:
    """Spark's cut to 38 digits: whole digits are kept first, but six places (or all, if fewer) after the point."""
    if precision <= 38:
        return Decimal(precision, scale)
    return Decimal(38, max(38 - (precision - scale), min(scale, 6)))


def _zero(type: DataType) -> str:
    return "0L" if type == BIGINT else "0"


def _spark_arithmetic(op: str, left: str, right: str, result: DataType) -> str:
    if op in _TRY:
        return f"{_TRY[op]}({left}, {right})"
    if result in (DOUBLE, NULL):
        return f"try_divide({left}, {right})"
    # `div` gives a BIGINT and raises for zero and for the one quotient that is too large.
    if _SAFE_DIVISOR.fullmatch(right):
        quotient = f"(({left}) div {right})"
    elif result == INT:
        quotient = f"(({left}) div nullif({right}, 0))"
    else:
        quotient = f"(case when {right} = -1 then try_subtract(0L, {left}) else ({left}) div nullif({right}, 0L) end)"
    return f"try_cast({quotient} as int)" if result == INT else quotient


def once(a: str, b: str, form: str) -> str:
    """An expression of `{a}` and `{b}` in DuckDB that computes each of them once, however often the form has it.

    DuckDB writes NULLIF and such out as a CASE, and computes both copies: one level more would be twice the work.
    """
    if "(" not in a + b:
        return f"({form.format(a=a, b=b)})"
    return f"(list_transform([{{'a': {a}, 'b': {b}}}], lambda x: {form.format(a='x.a', b='x.b')})[1])"


def _duckdb_arithmetic(op: str, left: str, right: str, result: DataType) -> str:
    if not is_integer(result):
        if op in "/%":
            return once(left, right, f"CASE WHEN {{b}} <> 0 THEN {{a}} {op} {{b}} END")
        return f"(({left}) {op} ({right}))"
    if op == "%":
        # The smallest integer modulo -1 is 0, but DuckDB raises, unless it is one of more bits.
        name, wider = ("integer", "bigint") if result == INT else ("bigint", "hugeint")
        return f"cast(try(cast({left} as {wider}) % ({right})) as {name})"
    return f"try(({left}) {'//' if op == '/' else op} ({right}))"


def _decimal_arithmetic(
    engine: Engine, op: str, left: str, right: str, left_type: DataType, right_type: DataType, result: Decimal
) -> str:
    met = unify(left_type, right_type)
    assert isinstance(met, Decimal)
    left = widen(engine, left, left_type, _as_decimal(left_type, met))
    right = widen(engine, right, right_type, _as_decimal(right_type, met))
    if engine == "spark":
        return f"{_TRY[op]}({left}, {right})"
    texts = [f"cast({side} as varchar)" for side in (left, right)]
    called = DECIMAL_ARITHMETIC.call([f"'{op}'", *texts, str(result.precision), str(result.scale)])
    return f"try_cast({called} as {result})"


def _like(engine: Engine, left: str, right: str) -> str:
    if engine == "duckdb":
        return f"({left} LIKE {right})"
    # Spark's LIKE takes a backslash for an escape character, and fails on one that escapes nothing.
    return f"({left} LIKE replace({right}, chr(92), repeat(chr(92), 2)))"


def decimal_arithmetic(op: str, left: str, right: str, precision: int, scale: int) -> str | None:
    """Exact arithmetic on decimal texts, rounded half away from zero to the result's scale; None for no result."""
    a, b = decimal.Decimal(left), decimal.Decimal(right)
    if op in "/%" and b == 0:
        return None
    exact = _EXACT[op](a, b)
    rounded = exact.quantize(decimal.Decimal(1).scaleb(-scale), context=_WIDE)
    return format(rounded, "f") if not rounded or rounded.adjusted() < precision - scale else None


DECIMAL_ARITHMETIC = PythonForm(
    "lsqlc_decimal_arithmetic", decimal_arithmetic, ("VARCHAR", "VARCHAR", "VARCHAR", "INTEGER", "INTEGER"), "VARCHAR"
)
FORMS = (DECIMAL_ARITHMETIC,)
