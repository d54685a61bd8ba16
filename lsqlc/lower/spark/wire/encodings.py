"""How the bytes of a facet are read and written, one class for a family of formats.

An encoding is given by whoever knows where a topic lies: the plan speaks of types and formats only. All SQL works on
one row of Spark's Kafka source, whose columns `key` and `value` are BINARY.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from lsqlc.lower.spark.expressions import text, ticked
from lsqlc.types import codec_text, data, formats
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import Facet

# Hexadecimal digits.
_INT, _LONG = 8, 16


class Encoding(Protocol):
    """How one facet lies in Kafka."""

    def wrong(self, column: str) -> str | None:
        """SQL of why the bytes, not null, are no value; null if they are one. None: any bytes are."""
        ...

    def json(self, column: str) -> str:
        """SQL of the value's JSON text, of bytes that are not null and of which nothing is `wrong`."""
        ...

    def bytes(self, value: str, worded: str) -> str:
        """SQL of the bytes of a value that is not null. `worded`: the same with each TIMESTAMP as text."""
        ...


@dataclass(frozen=True, slots=True)
class Json:
    """JSON text. Its SQL is strict: a text that is more than one value would else reach into the line around it."""

    type: DataType

    def wrong(self, column: str) -> str | None:
        content = f"CAST({column} AS STRING)"
        # A name that nobody can know beforehand is still a member of the object only if the text is one value.
        whole = f"concat('{{\"a\":', {content}, ',\"', md5({column}), '\":0}}')"
        return f"if(json_object_keys({whole}) <=> array('a', md5({column})), NULL, 'expected JSON')"

    def json(self, column: str) -> str:
        return f"CAST({column} AS STRING)"

    def bytes(self, value: str, worded: str) -> str:
        return f"CAST({json_text(worded, self.type)} AS BINARY)"


@dataclass(frozen=True, slots=True)
class Text:
    """A STRING as UTF-8, or another primitive as the text that JSON has for it, without quotes."""

    type: DataType

    def wrong(self, column: str) -> str | None:
        return f"if(is_valid_utf8({column}), NULL, 'expected UTF-8')"

    def json(self, column: str) -> str:
        content = f"CAST({column} AS STRING)"
        quoted = f"to_json(array({content}))"
        if self.type in (data.STRING, data.TIMESTAMP, data.DATE):
            return f"substring({quoted}, 2, length({quoted}) - 2)"
        # What is no such value is not JSON of that type, which is found where the line is looked at.
        return f"if({content} RLIKE '^[-+.0-9eE]+$|^true$|^false$', {content}, {quoted})"

    def bytes(self, value: str, worded: str) -> str:
        return f"CAST(CAST({worded} AS STRING) AS BINARY)"


@dataclass(frozen=True, slots=True)
class Number:
    """INT or BIGINT as Kafka's own serializers write them: 4 or 8 bytes, the highest first."""

    type: DataType

    @property
    def _digits(self) -> int:
        return _INT if self.type == data.INT else _LONG

    def wrong(self, column: str) -> str | None:
        size = self._digits // 2
        return f"if(octet_length({column}) = {size}, NULL, 'expected {size} bytes of {self.type}')"

    def json(self, column: str) -> str:
        if self.type == data.BIGINT:
            return f"conv(hex({column}), 16, -10)"
        # As an INT: above 2^31 - 1 the first bit is the sign.
        unsigned = f"CAST(conv(hex({column}), 16, 10) AS BIGINT)"
        return f"CAST({unsigned} - if({unsigned} > 2147483647L, 4294967296L, 0L) AS STRING)"

    def bytes(self, value: str, worded: str) -> str:
        return f"unhex(right(lpad(hex(CAST({value} AS BIGINT)), {_LONG}, '0'), {self._digits}))"


@dataclass(frozen=True, slots=True)
class Floating:
    """FLOAT or DOUBLE as Kafka's own serializers write them: 4 or 8 bytes of IEEE 754, the highest first.

    Spark has no function for that but its Avro ones, which write the lowest byte first.
    """

    type: DataType

    @property
    def _size(self) -> int:
        return 4 if self.type == data.FLOAT else 8

    @property
    def _schema(self) -> str:
        return text('"float"' if self.type == data.FLOAT else '"double"')

    def _turned(self, column: str) -> str:
        pieces = ", ".join(f"substring({column}, {place}, 1)" for place in range(self._size, 0, -1))
        return f"concat({pieces})"

    def wrong(self, column: str) -> str | None:
        return f"if(octet_length({column}) = {self._size}, NULL, 'expected {self._size} bytes of {self.type}')"

    def json(self, column: str) -> str:
        value = f"from_avro({self._turned(column)}, {self._schema})"
        return json_text(value, self.type)

    def bytes(self, value: str, worded: str) -> str:
        return self._turned(f"to_avro({value}, {self._schema})")


@dataclass(frozen=True, slots=True)
class Truth:
    """BOOLEAN as Kafka's own serializer writes it: one byte, 1 or 0."""

    type: DataType = data.BOOLEAN

    def wrong(self, column: str) -> str | None:
        return f"if({column} IN (X'00', X'01'), NULL, 'expected 1 byte of BOOLEAN')"

    def json(self, column: str) -> str:
        return f"if({column} = X'01', 'true', 'false')"

    def bytes(self, value: str, worded: str) -> str:
        return f"if({value}, X'01', X'00')"


@dataclass(frozen=True, slots=True)
class Bytes:
    """BYTES as they are."""

    type: DataType = data.BYTES

    def wrong(self, column: str) -> str | None:
        return None

    def json(self, column: str) -> str:
        return f"concat('\"', replace(base64({column}), '\\r\\n', ''), '\"')"

    def bytes(self, value: str, worded: str) -> str:
        return value


def json_text(worded: str, type: DataType) -> str:
    """SQL of the JSON text of a value, every field written, nulls included. `worded`: TIMESTAMPs are text already."""
    options = "map('ignoreNullFields', 'false')"
    if isinstance(type, Struct | Array | Map):
        return f"to_json({worded}, {options})"
    # to_json takes no other types: the value is the one element of an array.
    whole = f"to_json(array({worded}))"
    return f"substring({whole}, 2, length({whole}) - 2)"


@dataclass(frozen=True, slots=True)
class Column:
    """The one field of a STRUCT as the whole of the bytes: the format KAFKA of ksqlDB. A null has none."""

    name: str
    inner: Encoding

    def wrong(self, column: str) -> str | None:
        return self.inner.wrong(column)

    def json(self, column: str) -> str:
        return f"concat({text(_member(self.name))}, {self.inner.json(column)}, '}}')"

    def bytes(self, value: str, worded: str) -> str:
        own, own_worded = f"{value}.{ticked(self.name)}", f"{worded}.{ticked(self.name)}"
        return f"if({own} IS NULL, NULL, {self.inner.bytes(own, own_worded)})"


@dataclass(frozen=True, slots=True)
class Windowed:
    """The key of a group in a window, as Kafka Streams writes it: the key inside, then the start of its time window in
    8 bytes, or the end and the start of its session in 8 bytes each. `size`: of a time window, in milliseconds.
    """

    inner: Encoding
    size: int | None

    @property
    def _length(self) -> int:
        return 16 if self.size is None else 8

    def _key(self, column: str) -> str:
        return f"substring({column}, 1, octet_length({column}) - {self._length})"

    def _bound(self, column: str, place: int) -> str:
        """The bound that begins so many bytes before the end."""
        return f"CAST(conv(hex(substring({column}, octet_length({column}) - {place - 1}, 8)), 16, -10) AS BIGINT)"

    def wrong(self, column: str) -> str | None:
        inside = self.inner.wrong(self._key(column)) or "NULL"
        bounds = "a window's start" if self.size is not None else "a session's bounds"
        expected = text(f"expected a key and {self._length} bytes of {bounds}")
        return f"if(octet_length({column}) < {self._length}, {expected}, {inside})"

    def json(self, column: str) -> str:
        start = self._bound(column, 8)
        end = self._bound(column, 16) if self.size is None else f"({start} + {self.size}L)"
        inside = self.inner.json(self._key(column))
        return f"concat('{{\"key\":', {inside}, ',\"start\":', {start}, ',\"end\":', {end}, '}}')"

    def bytes(self, value: str, worded: str) -> str:
        inside = f"if({value}.key IS NULL, X'', {self.inner.bytes(f'{value}.key', f'{worded}.key')})"
        start, end = (f"unhex(lpad(hex({value}.{bound}), 16, '0'))" for bound in ("start", "end"))
        return f"concat({inside}, {start})" if self.size is not None else f"concat({inside}, {end}, {start})"


def encoding(facet: Facet, window_size: int | None = None) -> Encoding | None:
    """The encoding of a facet that is not absent, where its format needs nothing but the type; None for the formats of
    a schema registry. `window_size`: of the time windows in a key, in milliseconds.
    """
    window = formats.windowed(facet.format)
    if window is not None and isinstance(facet.type, Struct):
        inner = encoding(Facet(facet.type.fields[0].type, window[1]))
        size = window_size if window[0] == "tw" else None
        return None if inner is None or (window[0] == "tw" and size is None) else Windowed(inner, size)
    if facet.format == "json":
        return Json(facet.type)
    if facet.format == "kafka" and isinstance(facet.type, Struct) and len(facet.type.fields) == 1:
        (only,) = facet.type.fields
        return Column(only.name, primitive(only.type))
    return primitive(facet.type) if formats.PRIMITIVES.get(facet.format) == facet.type else None


def primitive(type: DataType) -> Encoding:
    """The encoding of a type without parts, as Kafka's own serializers write it, or as text where they have none."""
    match type:
        case data.INT | data.BIGINT:
            return Number(type)
        case data.FLOAT | data.DOUBLE:
            return Floating(type)
        case data.BOOLEAN:
            return Truth()
        case data.BYTES:
            return Bytes()
    return Text(type)


def _member(name: str) -> str:
    """How an object with one member begins."""
    return f"{{{codec_text.quoted(name)}:"
