"""Types as text: `id INT, name STRING NOT NULL, tags ARRAY<STRING>, at STRUCT<lat: DOUBLE, lon: DOUBLE>`."""

from __future__ import annotations

import re

from msgspec import structs

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Field, Map, Struct, quote

_NAMES: dict[str, DataType] = {
    "BOOLEAN": data.BOOLEAN, "BOOL": data.BOOLEAN,
    "INT": data.INT, "INTEGER": data.INT, "SMALLINT": data.INT, "TINYINT": data.INT,
    "BIGINT": data.BIGINT, "LONG": data.BIGINT,
    "FLOAT": data.FLOAT, "REAL": data.FLOAT,
    "DOUBLE": data.DOUBLE,
    "STRING": data.STRING, "VARCHAR": data.STRING,
    "BYTES": data.BYTES, "BINARY": data.BYTES,
    "DATE": data.DATE, "TIME": data.TIME, "TIMESTAMP": data.TIMESTAMP,
}  # fmt: skip
_KNOWN = (
    "BOOLEAN, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), STRING, BYTES, DATE, TIME, TIMESTAMP, "
    "ARRAY<T>, MAP<K,V>, STRUCT<a: T>"
)
TYPE_NAMES = (*_NAMES, "DECIMAL", "ARRAY", "MAP", "STRUCT")

_HALF = re.compile("[\ud800-\udfff]")
_TOKEN = re.compile(r"\s*(?:(?P<word>\w+)|`(?P<quoted>(?:[^`]|``)*)`|(?P<mark>[<>(),:])|(?P<bad>\S))")
# Deeper types than this are refused, so that a hostile schema cannot exhaust the stack.
_MAX_DEPTH = 64


class DdlError(ValueError):
    """Text that is no type. `offset` is where, in code points from 0; the message is one clause."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def parse_type(text: str) -> DataType:
    """One type, such as `INT` or `ARRAY<STRING>`. Raises DdlError."""
    reader = _Reader(text)
    type = reader.type()
    reader.end()
    return type


def parse_columns(text: str, *, intervals: bool = False) -> Struct:
    """A column list, `id INT, name STRING`. `intervals`: a column may be an interval. Raises DdlError, for two names
    that differ in case alone too.
    """
    reader = _Reader(text, intervals=intervals)
    struct = reader.columns(closing=None)
    reader.end()
    return struct


def parse_stored(text: str) -> tuple[DataType, tuple[tuple[str, str], ...]]:
    """A type or a column list as it is stored, with the types of its columns that are intervals: a column of the type
    INTERVAL DAY TO SECOND is stored as a STRING, Spark's text of it. Raises DdlError.
    """
    type = parse_type_or_columns(text, intervals=True)
    if not isinstance(type, Struct):
        return type, ()
    columns = tuple((f.name, str(f.type)) for f in type.fields if f.type in data.INTERVALS)
    fields = tuple(structs.replace(f, type=data.STRING) if f.type in data.INTERVALS else f for f in type.fields)
    return Struct(fields), columns


def interval_of(text: str) -> DataType | None:
    """Return the type of intervals that a whole text names, such as `INTERVAL DAY TO SECOND`; None for another text."""
    if "interval" not in text.lower():
        return None
    try:
        reader = _Reader(text, intervals=True)
        type = reader.type()
        reader.end()
    except DdlError:
        return None
    return type if type in data.INTERVALS else None


def parse_type_or_columns(text: str, *, intervals: bool = False) -> DataType:
    """A type if the text is one, else a column list. `intervals`: the columns of a list may be intervals. Raises
    DdlError.
    """
    first = _TOKEN.match(text)
    word = first and first["word"]
    if word and word.upper() in TYPE_NAMES:
        try:
            return parse_type(text)
        except DdlError:
            # `date DATE, at INT`: a column may be called like a type.
            try:
                return parse_columns(text, intervals=intervals)
            except DdlError:
                pass
            raise
    if len(text.split()) == 1 and word:
        return parse_type(text)
    return parse_columns(text, intervals=intervals)


def columns_text(struct: Struct, separator: str = ", ") -> str:
    """The column list that parses to this struct. `separator`: a comma, and white space."""
    return separator.join(f"{quote(f.name)} {f.type}" + ("" if f.nullable else " NOT NULL") for f in struct.fields)


class _Reader:
    def __init__(self, text: str, *, intervals: bool = False) -> None:
        self._intervals = intervals
        self._tokens: list[tuple[str, str, int]] = []
        if not text.isascii() and (half := _HALF.search(text)):
            raise DdlError(f"half a character, {half[0]!r}", half.start())
        end = len(text.rstrip())
        place = 0
        while place < end:
            found = _TOKEN.match(text, place)
            assert found is not None and found.lastgroup is not None
            kind = found.lastgroup
            if kind == "bad":
                raise DdlError(f"unexpected '{found['bad']}' in a type", found.start("bad"))
            self._tokens.append((kind, found[kind], found.start(kind)))
            place = found.end()
        self._tokens.append(("end", "", end))
        self._at = 0
        self._depth = 0

    def _next(self) -> tuple[str, str, int]:
        token = self._tokens[self._at]
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def _accept(self, mark: str) -> bool:
        if self._tokens[self._at][:2] == ("mark", mark):
            self._at += 1
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            raise self._unexpected(f"'{mark}'")

    def _unexpected(self, wanted: str) -> DdlError:
        _, text, offset = self._tokens[self._at]
        return DdlError(f"expected {wanted}, found '{text}'" if text else f"expected {wanted}", offset)

    def end(self) -> None:
        if self._tokens[self._at][0] != "end":
            raise self._unexpected("the end of the type")

    def type(self) -> DataType:
        kind, text, offset = self._next()
        name = text.upper()
        if (kind, name) == ("word", "INTERVAL") and self._intervals:
            return self._interval(offset)
        if kind != "word" or name not in TYPE_NAMES:
            raise DdlError(f"unknown type '{text}'; known are {_KNOWN}" if text else "expected a type", offset)
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise DdlError(f"a type nested deeper than {_MAX_DEPTH}", offset)
        type = self._compound(name, offset)
        self._depth -= 1
        return type

    def _compound(self, name: str, offset: int) -> DataType:
        if name == "DECIMAL":
            return self._decimal(offset)
        if name == "ARRAY":
            self._expect("<")
            element = self.type()
            self._expect(">")
            return Array(element)
        if name == "MAP":
            self._expect("<")
            key = self.type()
            self._expect(",")
            value = self.type()
            self._expect(">")
            return Map(key, value)
        if name == "STRUCT":
            self._expect("<")
            return self.columns(closing=">")
        return _NAMES[name]

    def _interval(self, offset: int) -> DataType:
        """The type INTERVAL DAY TO SECOND, whose first word has been read."""
        if self._depth:
            raise DdlError("an INTERVAL is only a column by itself, not a part of one", offset)
        kind, word, place = self._next()
        first = last = word.upper() if kind == "word" else ""
        kind, word, _ = self._tokens[self._at]
        if kind == "word" and word.upper() == "TO":
            self._next()
            kind, word, _ = self._next()
            last = word.upper() if kind == "word" else ""
        for units in (data.MONTH_UNITS, data.TIME_UNITS):
            if first in units and last in units[units.index(first) :]:
                return data.interval(first, last)
        raise DdlError("expected fields such as DAY TO SECOND or YEAR TO MONTH behind INTERVAL", place)

    def _decimal(self, offset: int) -> Decimal:
        if not self._accept("("):
            return Decimal(10, 0)
        precision, scale = self._number(), 0
        if self._accept(","):
            scale = self._number()
        self._expect(")")
        if not (1 <= precision <= 38 and scale <= precision):
            raise DdlError(f"DECIMAL({precision},{scale}) is not within DECIMAL(1..38, 0..precision)", offset)
        return Decimal(precision, scale)

    def _number(self) -> int:
        kind, text, offset = self._next()
        if kind != "word" or not text.isdecimal() or len(text) > 3:
            raise DdlError(f"expected a number of digits, found '{text}'", offset)
        return int(text)

    def columns(self, closing: str | None) -> Struct:
        fields: list[Field] = []
        seen: dict[str, str] = {}
        while True:
            kind, text, offset = self._next()
            if kind not in ("word", "quoted"):
                raise DdlError(f"expected a field name, found '{text}'" if text else "expected a field name", offset)
            name = text.replace("``", "`") if kind == "quoted" else text
            if not name:
                raise DdlError("a field name must have at least one character", offset)
            if "\x00" in name:
                raise DdlError("a field name cannot have the character NUL", offset)
            if name.casefold() in seen:
                other = seen[name.casefold()]
                same = f"the field '{name}' is declared twice"
                raise DdlError(
                    same if other == name else f"the fields '{other}' and '{name}' differ only in case", offset
                )
            seen[name.casefold()] = name
            self._accept(":")
            fields.append(Field(name, self.type(), self._nullable()))
            if self._accept(","):
                continue
            if closing:
                self._expect(closing)
            return Struct(tuple(fields))

    def _nullable(self) -> bool:
        def word(ahead: int) -> str:
            kind, text, _ = self._tokens[min(self._at + ahead, len(self._tokens) - 1)]
            return text.upper() if kind == "word" else ""

        if word(0) == "NOT" and word(1) == "NULL":
            self._at += 2
            return False
        if word(0) == "NULL":
            self._at += 1
        return True
