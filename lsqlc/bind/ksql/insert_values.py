"""INSERT INTO ... VALUES of a ksqlDB program: a record, as test data of its topic.

A value is a constant: a literal, ARRAY, MAP or STRUCT of constants, or an expression without columns, which an engine
computes later. As in ksqlDB an integer is valid for a BIGINT, a DECIMAL or a DOUBLE, and a text for a time; there are
no other conversions. ROWTIME is the record's timestamp, 0 by default, so that a program always has the same records.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, time
from typing import Any

from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.constants import as_column, constant
from lsqlc.bind.ksql.create_source import Source
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import name_text, text_of
from lsqlc.types import codec_text, data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct
from lsqlc.types.record import Record

_TIME = "ROWTIME"


class _Computed(Exception):
    """The value is an expression, not a literal."""


class _Misfit(Exception):
    """A constant that is not valid for the type."""

    def __init__(self, expression: tree.Expression, type: DataType) -> None:
        super().__init__()
        self.expression, self.type = expression, type


def inserted(statement: ksql.InsertValues, target: Source, findings: Findings) -> Record | None:
    """Return the record; None after a diagnostic. The stream or table `target` is neither windowed nor read-only."""
    types = {c.name: c.type for c in (*target.keys, *target.values)}
    names = _names(statement, types, target, findings)
    if names is None:
        return None
    before = len(findings.found)
    value_by_name = dict(zip(names, statement.values, strict=True))
    try:
        read = {n: _read(n, e, types.get(n, data.BIGINT), findings) for n, e in value_by_name.items()}
    except _Computed as computed:
        findings.warn(
            "LSQ830", f"this record is skipped, because {computed} is not constant", statement.at,
            notes=("the records of a program are test data, which must be constant",),
            help="write a constant value, or put the record into a golden case",
        )  # fmt: skip
        return None
    keys = {k.name: read.get(k.name) for k in target.keys}
    lacks = [name for name, value in keys.items() if value is None]
    if target.kind == "TABLE" and lacks and len(findings.found) == before:
        findings.error(
            "LSQ081", f"the row has no primary key: {', '.join(lacks)}", statement.at,
            notes=("the primary key identifies the rows of a table",), help="give it a value",
        )  # fmt: skip
    if len(findings.found) > before:
        return None
    values = {v.name: read.get(v.name) for v in target.values}
    return Record(target.topic, _key(keys), values, read.get(_TIME) or 0)


def _key(keys: dict[str, Any]) -> Any:
    """Return the key: the only key column, or a struct of several, unless none has a value."""
    if len(keys) == 1:
        return next(iter(keys.values()))
    return keys if any(value is not None for value in keys.values()) else None


def _names(
    statement: ksql.InsertValues, types: dict[str, DataType], target: Source, findings: Findings
) -> tuple[str, ...] | None:
    """Return the columns of the values, in their order; None after an error."""
    before = len(findings.found)
    used_names: set[str] = set()
    headers = [header.name for header in target.headers]
    if headers and not statement.columns:
        findings.error(
            "LSQ391", f"'{target.name}' has columns of headers, which cannot be written", statement.at,
            notes=(f"its columns of headers are {listing(headers)}",),
            help=f"name the other columns: INSERT INTO {name_text(target.name)} ({', '.join(map(name_text, types))})",
        )  # fmt: skip
        return None
    for column in statement.columns:
        if column.text in headers:
            findings.error("LSQ391", f"'{column.text}' is a column of headers, which cannot be written", column.at,
                           help="remove it, and its value; a golden case can give its records headers")  # fmt: skip
        elif column.text not in types and column.text != _TIME:
            help = did_you_mean(column.text, types)
            findings.error("LSQ201", f"unknown column '{column.text}' in '{target.name}'", column.at, help=help)
        elif column.text in used_names:
            findings.error("LSQ305", f"'{column.text}' occurs twice", column.at, help="remove one, and its value")
        used_names.add(column.text)
    names = tuple(c.text for c in statement.columns) or tuple(types)
    if len(statement.values) != len(names):
        findings.error("LSQ379", f"{len(names)} columns, and {len(statement.values)} values", statement.at,
                       notes=(f"the columns are {', '.join(names)}",))  # fmt: skip
    return names if len(findings.found) == before else None


def _read(name: str, expression: tree.Expression, type: DataType, findings: Findings) -> Any:
    try:
        return _computed(expression, type, findings)
    except _Misfit as misfit:
        wrong = misfit.expression
        findings.error(
            "LSQ080", f"{text_of(wrong)} is no {misfit.type}", wrong.at,
            notes=(f"the column '{name}' is {type}",
                   "only integers to wider types, and strings to times, are converted"),
            help=_help(wrong, misfit.type),
        )  # fmt: skip
        return None


def _help(expression: tree.Expression, type: DataType) -> str | None:
    match expression:
        case tree.Literal(str()) if data.is_numeric(type):
            return "write the number without quotes"
        case tree.Literal(value) if type == data.STRING:
            return f"write it in quotes: '{value}'"
    return None


def _computed(expression: tree.Expression, type: DataType, findings: Findings) -> Any:
    """Return the Python value of a literal; the expression of any other constant, in the type.

    Raises as `_value` does.
    """
    try:
        return _value(expression, type)
    except _Computed:
        bound = constant(expression, findings)
        if bound is None:
            raise
    column_value = as_column(bound, type)
    if column_value is None:
        raise _Misfit(expression, type)
    return column_value


def _value(expression: tree.Expression, type: DataType) -> Any:
    """Return the Python value of a constant.

    Raises _Misfit, and _Computed for an expression.
    """
    match expression, type:
        case tree.Literal(None), _:
            return None
        case tree.ArrayLiteral(items), Array(element):
            return [_value(item, element) for item in items]
        case tree.Call(tree.Name("MAP"), parts), Map(key, value):
            return {_key_of_map(k, key): _value(v, value) for k, v in zip(parts[::2], parts[1::2], strict=True)}
        case tree.Call(tree.Name("STRUCT"), parts), Struct():
            return _struct(expression, parts, type)
        case tree.Literal() | tree.Cast(tree.Literal(str()), Decimal()) | tree.Unary("-"), _:
            return _scalar(expression, type)
        case ((tree.ArrayLiteral() | tree.Call(tree.Name("MAP" | "STRUCT"))), _):
            raise _Misfit(expression, type)
    raise _Computed(text_of(expression))


def _key_of_map(expression: tree.Expression, type: DataType) -> Any:
    key = _value(expression, type)
    if key is None:
        raise _Misfit(expression, type)
    return key


def _struct(whole: tree.Expression, parts: tuple[tree.Expression, ...], type: Struct) -> dict[str, Any]:
    field_values = {
        str(n.value): v for n, v in zip(parts[::2], parts[1::2], strict=True) if isinstance(n, tree.Literal)
    }
    if set(field_values) - {f.name for f in type.fields}:
        raise _Misfit(whole, type)
    return {f.name: _value(field_values[f.name], f.type) if f.name in field_values else None for f in type.fields}


def _scalar(expression: tree.Expression, type: DataType) -> Any:
    literal_value = _constant(expression)
    value = None
    if isinstance(type, Decimal):
        value = (
            codec_text.parse_decimal(str(literal_value), type.precision, type.scale)
            if _is_exact(literal_value)
            else None
        )
    elif type in _CONVERSIONS:
        with suppress(ValueError, OverflowError):
            value = _CONVERSIONS[type](literal_value)
    elif type == data.BYTES:
        # ksqlDB has no literal of BYTES: a function returns them.
        raise _Computed(text_of(expression))
    if value is None:
        raise _Misfit(expression, type)
    return value


class _Digits(str):
    """A number with a point, by its digits: a DECIMAL, or a DOUBLE if the column is one."""


def _constant(expression: tree.Expression) -> bool | int | float | str:
    match expression:
        case tree.Literal(bool() | int() | float() | str() as value):
            return value
        case tree.Cast(tree.Literal(str(value)), Decimal()):
            return _Digits(value)
        case tree.Unary("-", operand):
            number = _constant(operand)
            if isinstance(number, _Digits):
                return _Digits(f"-{number}")
    raise _Computed(text_of(expression))


def _is_exact(literal_value: bool | int | float | str) -> bool:
    return isinstance(literal_value, _Digits) or type(literal_value) is int


def _integer(range: tuple[int, int]) -> Callable[[Any], int | None]:
    return lambda number: number if type(number) is int and range[0] <= number <= range[1] else None


def _double(literal_value: Any) -> float | None:
    return (
        float(literal_value)
        if isinstance(literal_value, _Digits | int | float) and not isinstance(literal_value, bool)
        else None
    )


def _boolean(literal_value: Any) -> bool | None:
    return literal_value if isinstance(literal_value, bool) else None


def _string(literal_value: Any) -> str | None:
    return literal_value if type(literal_value) is str else None


def _timestamp(literal_value: Any) -> datetime | None:
    """Convert ISO text, by default in UTC."""
    if type(literal_value) is not str:
        return None
    moment = datetime.fromisoformat(literal_value)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def _date(literal_value: Any) -> date | None:
    return date.fromisoformat(literal_value) if type(literal_value) is str else None


def _time(literal_value: Any) -> int | None:
    """Convert a time to microseconds since midnight."""
    if type(literal_value) is not str:
        return None
    of_day = time.fromisoformat(literal_value)
    return ((of_day.hour * 60 + of_day.minute) * 60 + of_day.second) * 1_000_000 + of_day.microsecond


_CONVERSIONS: dict[DataType, Callable[[Any], Any]] = {
    data.BOOLEAN: _boolean,
    data.INT: _integer(codec_text.INT_RANGE),
    data.BIGINT: _integer(codec_text.BIGINT_RANGE),
    data.DOUBLE: _double,
    data.STRING: _string,
    data.TIMESTAMP: _timestamp,
    data.DATE: _date,
    data.TIME: _time,
}
