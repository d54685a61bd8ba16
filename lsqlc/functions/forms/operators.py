"""Arithmetic, comparison and logic on both engines: the result types, and SQL with try semantics.

Overflow and division by zero give null. Integers stay integers and never widen (INT + INT is INT). Decimals grow as
Spark's do, and their quotient is DOUBLE. LIKE has no escape character.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Sequence

from lsqlc.functions.forms.attempts import attempt
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
# Spark rounds the negation of a DECIMAL to this number of digits.
_EXACT_ON_SPARK = 34
_EXACT = {
    "+": _WIDE.add,
    "-": _WIDE.subtract,
    "*": _WIDE.multiply,
    "/": _WIDE.divide,
    "%": _WIDE.remainder,
}


def result_type(op: str, left: DataType, right: DataType) -> DataType | None:
    """Return the type of `left op right`, None if the operator is not defined for these types.

    `op` is in upper case; `!=` is `<>`.
    """
    if op in ARITHMETIC:
        return _arithmetic_type(op, left, right)
    if op in COMPARISON:
        operand_type = unify(left, right)
        return BOOLEAN if operand_type is not None and comparable(operand_type, ordered=op not in ("=", "<>")) else None
    expected = STRING if op == "LIKE" else BOOLEAN
    return BOOLEAN if left in (expected, NULL) and right in (expected, NULL) else None


def comparable(type: DataType, *, ordered: bool) -> bool:
    """Return whether two values of a type can be compared for equality or, with `ordered`, by order."""
    match type:
        case Map():
            return False
        case Array(element):
            return not ordered and comparable(element, ordered=False)
        case Struct(fields):
            return not ordered and all(comparable(f.type, ordered=False) for f in fields)
    return True


def compared(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the common type of the arguments; None if its values cannot be compared."""
    common_type = common(types, literals)
    return common_type if common_type is not None and comparable(common_type, ordered=False) else None


def ordered(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the common type of the arguments; None if its values have no order."""
    common_type = common(types, literals)
    return common_type if common_type is not None and comparable(common_type, ordered=True) else None


def unary_type(op: str, operand: DataType) -> DataType | None:
    """Return the type of `- x`, `+ x` or `NOT x`, None if it is not defined."""
    if op == "NOT":
        return BOOLEAN if operand in (BOOLEAN, NULL) else None
    return operand if is_numeric(operand) or operand == NULL else None


def binary(engine: Engine, op: str, left: str, right: str, left_type: DataType, right_type: DataType) -> str:
    """Return the SQL text of `left op right`, in parentheses or as a call; `result_type` must give a type."""
    if op in LOGIC:
        return f"({left} {op} {right})"
    if op == "LIKE":
        return _like(engine, left, right)
    if op in COMPARISON:
        operand_type = unify(left_type, right_type)
        assert operand_type is not None
        return f"({widen(engine, left, left_type, operand_type)} {op} {widen(engine, right, right_type, operand_type)})"
    result = _arithmetic_type(op, left_type, right_type)
    assert result is not None
    if isinstance(result, Decimal):
        return _decimal_arithmetic(engine, op, left, right, left_type, right_type, result)
    # FLOAT divided by FLOAT is DOUBLE, so the operands take the type of the result.
    left, right = widen(engine, left, left_type, result), widen(engine, right, right_type, result)
    write = _duckdb_arithmetic if engine == "duckdb" else _spark_arithmetic
    return write(op, left, right, result)


def like(engine: Engine, text: str, pattern: str, escape: str) -> str:
    """Return the SQL text of LIKE with an escape character, one code point."""
    own = engines.text(engine, escape)
    if engine == "duckdb":
        # A pattern that ends with the escape character is invalid.
        return attempt(f"{{0}} LIKE {{1}} ESCAPE {_braced(own)}", text, pattern)
    # Spark's LIKE fails if the escape character precedes anything but a wildcard or itself. There it is removed.
    mark = re.escape(escape)
    pairs, escapes = engines.text(engine, f"(?s){mark}."), engines.text(engine, f"({mark}[%_{mark}])|{mark}")
    plain = f"regexp_replace({pattern}, {escapes}, '$1')"
    return (
        f"(case when not endswith(regexp_replace({pattern}, {pairs}, ''), {own}) then {text} LIKE {plain} "
        f"ESCAPE {own} end)"
    )


def _braced(text: str) -> str:
    """Return a text for a form, in which a brace is doubled."""
    return text.replace("{", "{{").replace("}", "}}")


def unary(engine: Engine, op: str, operand: str, type: DataType) -> str:
    """Return the SQL text of `- x`, `+ x` or `NOT x`.

    The smallest integer has no negation, which gives null.
    """
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
        # The negation of a literal would have a wider type.
        is_literal = operand.startswith("CAST(-")
        return f"try({_duckdb_zero(type)} - {operand})" if is_literal else attempt("-({0})", operand)
    return f"try_subtract({_zero(type)}, {operand})"


def _duckdb_zero(type: DataType) -> str:
    return f"cast(0 as {type_text('duckdb', type)})"


def in_list(engine: Engine, value: str, items: Sequence[str], type: DataType, item_types: Sequence[DataType]) -> str:
    """Return the SQL text of `value IN (items)`, all converted to their common type, which must exist."""
    common_type: DataType | None = type
    for item in item_types:
        common_type = None if common_type is None else unify(common_type, item)
    assert common_type is not None
    texts = [widen(engine, sql, item, common_type) for sql, item in zip(items, item_types, strict=True)]
    return f"({widen(engine, value, type, common_type)} IN ({', '.join(texts)}))"


def _arithmetic_type(op: str, left: DataType, right: DataType) -> DataType | None:
    common_type = unify(left, right)
    if common_type is None or not (is_numeric(common_type) or common_type == NULL):
        return None
    if op == "/" and not is_integer(common_type) and common_type != NULL:
        return DOUBLE
    if not isinstance(common_type, Decimal):
        return common_type
    a, b = _as_decimal(left, common_type), _as_decimal(right, common_type)
    whole, scale = max(a.precision - a.scale, b.precision - b.scale), max(a.scale, b.scale)
    if op == "*":
        return _bounded(a.precision + b.precision + 1, a.scale + b.scale)
    if op == "%":
        return _bounded(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)
    return _bounded(whole + scale + 1, scale)


def quotient_type(left: Decimal, right: Decimal) -> Decimal:
    """Return the type of the quotient of two decimals if it is a decimal, as in ksqlDB: with at least six places."""
    scale = max(6, left.scale + right.precision + 1)
    return _bounded(left.precision - left.scale + right.scale + scale, scale)


def quotient(engine: Engine, left: str, right: str, result: Decimal) -> str:
    """Return the SQL text of `left / right` for decimals, rounded half away from zero. A division by zero gives
    null.
    """
    if engine == "spark":
        return f"try_cast(try_divide({left}, {right}) as {result})"
    texts = [f"cast({side} as varchar)" for side in (left, right)]
    call = DECIMAL_ARITHMETIC.call(["'/'", *texts, str(result.precision), str(result.scale)])
    return f"try_cast({call} as {result})"


def _as_decimal(type: DataType, default: Decimal) -> Decimal:
    if isinstance(type, Decimal):
        return type
    return default if type == NULL else Decimal(10, 0) if type == INT else Decimal(20, 0)


def _bounded(precision: int, scale: int) -> Decimal:
    """Return Spark's limit to 38 digits.

    Whole digits are kept first, except that six places after the point (or all, if fewer) remain.
    """
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
    """Return a DuckDB expression of `{a}` and `{b}` that computes each of them once.

    DuckDB expands NULLIF and similar functions to a CASE, and computes both copies. Each level of nesting would double
    the work.
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
        # The smallest integer modulo -1 is 0, but DuckDB raises unless the type is wider.
        name, wider = ("integer", "bigint") if result == INT else ("bigint", "hugeint")
        return f"cast({attempt(f'cast({{0}} as {wider}) % ({{1}})', left, right)} as {name})"
    return attempt(f"({{0}}) {'//' if op == '/' else op} ({{1}})", left, right)


def _decimal_arithmetic(
    engine: Engine, op: str, left: str, right: str, left_type: DataType, right_type: DataType, result: Decimal
) -> str:
    operand_type = unify(left_type, right_type)
    assert isinstance(operand_type, Decimal)
    left = widen(engine, left, left_type, _as_decimal(left_type, operand_type))
    right = widen(engine, right, right_type, _as_decimal(right_type, operand_type))
    if engine == "spark":
        return f"{_TRY[op]}({left}, {right})"
    texts = [f"cast({side} as varchar)" for side in (left, right)]
    call = DECIMAL_ARITHMETIC.call([f"'{op}'", *texts, str(result.precision), str(result.scale)])
    return f"try_cast({call} as {result})"


def _like(engine: Engine, left: str, right: str) -> str:
    if engine == "duckdb":
        return f"({left} LIKE {right})"
    # The escape character of Spark's LIKE is a backslash, and one that escapes nothing fails.
    return f"({left} LIKE replace({right}, chr(92), repeat(chr(92), 2)))"


def decimal_arithmetic(op: str, left: str, right: str, precision: int, scale: int) -> str | None:
    """Return exact arithmetic on decimal texts, rounded half away from zero to the result's scale; None for no
    result.
    """
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
