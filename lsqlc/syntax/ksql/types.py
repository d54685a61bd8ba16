"""Types of ksqlDB: `VARCHAR`, `DECIMAL(10, 2)`, `ARRAY<INT>`, `STRUCT<a INT, b MAP<STRING, DOUBLE>>`."""

from __future__ import annotations

from lsqlc.syntax.cursor import MAX_DEPTH, Cursor
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Field, Map, Struct

_NAMES: dict[str, DataType] = {
    "BOOLEAN": data.BOOLEAN, "INT": data.INT, "INTEGER": data.INT, "BIGINT": data.BIGINT, "DOUBLE": data.DOUBLE,
    "VARCHAR": data.STRING, "STRING": data.STRING, "BYTES": data.BYTES, "DATE": data.DATE, "TIME": data.TIME,
    "TIMESTAMP": data.TIMESTAMP,
}  # fmt: skip
_KNOWN = (
    "BOOLEAN, INT, BIGINT, DOUBLE, DECIMAL(p, s), VARCHAR, BYTES, DATE, TIME, TIMESTAMP, ARRAY<T>, MAP<K, V>, "
    "STRUCT<a T>"
)


def type_of(cursor: Cursor) -> DataType:
    """Read one type.

    Raises SyntaxFault.
    """
    token = cursor.token
    at = (token.start, token.end)
    cursor.depth += 1
    if cursor.depth > MAX_DEPTH:
        cursor.fault("LSQ103", f"this type has more than {MAX_DEPTH} levels", at)
    word = token.upper
    if token.kind != "name" or (word not in _NAMES and word not in ("DECIMAL", "ARRAY", "MAP", "STRUCT")):
        cursor.unexpected("a type", help=f"known are {_KNOWN}")
    cursor.advance()
    type = _compound(cursor, word)
    cursor.depth -= 1
    # `INT ARRAY` is the same as ARRAY<INT>.
    while cursor.take_words("ARRAY"):
        type = Array(type)
    return type


def _compound(cursor: Cursor, word: str) -> DataType:
    if word == "DECIMAL":
        return _decimal(cursor)
    if word == "ARRAY":
        cursor.expect_mark("<", "ARRAY")
        element = type_of(cursor)
        cursor.expect_mark(">", "the element's type")
        return Array(element)
    if word == "MAP":
        cursor.expect_mark("<", "MAP")
        key = type_of(cursor)
        cursor.expect_mark(",", "the type of the keys")
        value = type_of(cursor)
        cursor.expect_mark(">", "the type of the values")
        return Map(key, value)
    if word == "STRUCT":
        return _struct(cursor)
    # A length, which is ignored, or the word STRING: VARCHAR(STRING).
    if cursor.take_mark("("):
        if cursor.token.kind != "number" and not cursor.is_word("STRING"):
            cursor.unexpected("a number or STRING")
        cursor.advance()
        cursor.expect_mark(")", "the parameter of the type")
    return _NAMES[word]


def _decimal(cursor: Cursor) -> Decimal:
    start = cursor.token.start
    cursor.expect_mark("(", "DECIMAL")
    digits = [_number(cursor)]
    if cursor.take_mark(","):
        digits.append(_number(cursor))
    cursor.expect_mark(")", "the digits of the DECIMAL")
    precision, scale = (*digits, 0)[:2]
    if not (1 <= precision <= 38 and scale <= precision):
        cursor.fault("LSQ104", f"DECIMAL({precision},{scale}) is not within DECIMAL(1..38, 0..precision)",
                     cursor.extent(start))  # fmt: skip
    return Decimal(precision, scale)


def _number(cursor: Cursor) -> int:
    token = cursor.token
    if token.kind != "number" or not token.text.isdecimal() or len(token.text) > 3:
        cursor.unexpected("a number of digits")
    cursor.advance()
    return int(token.text)


def _struct(cursor: Cursor) -> Struct:
    cursor.expect_mark("<", "STRUCT")
    fields: list[Field] = []
    names: dict[str, str] = {}
    while True:
        token = cursor.token
        if token.kind not in ("name", "quoted"):
            cursor.unexpected("the name of a field")
        cursor.advance()
        name = token.upper or token.text
        other = names.get(name.casefold())
        if other is not None:
            same = f"the field '{name}' is declared twice"
            message = same if other == name else f"the fields '{other}' and '{name}' differ only in case"
            cursor.fault("LSQ104", message, (token.start, token.end))
        names[name.casefold()] = name
        fields.append(Field(name, type_of(cursor)))
        if not cursor.take_mark(","):
            cursor.expect_mark(">", "the fields of the STRUCT")
            return Struct(tuple(fields))
