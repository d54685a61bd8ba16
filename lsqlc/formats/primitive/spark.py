"""Values without parts by Spark's own functions, as Kafka's own serializers write them, and the format KAFKA."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.formats.encoding import Content, Encoding, base64_of, outcome
from lsqlc.functions.forms.json_values import json_of, worded
from lsqlc.sql.spark import text, ticked
from lsqlc.types import codec_text, data
from lsqlc.types.data import DataType

# Hexadecimal digits.
_INT, _LONG = 8, 16


@dataclass(frozen=True, slots=True)
class Text(Encoding):
    """A STRING as UTF-8, or another primitive as the text that JSON has for it, without quotes."""

    type: DataType

    @property
    def content(self) -> Content:
        """As `Encoding.content`."""
        return "text" if self.type == data.STRING else "other"

    def parts(self, column: str) -> tuple[str, str]:
        content = f"CAST({column} AS STRING)"
        # to_json does not accept a string alone. The text in brackets has quotes, so that no other bracket is trimmed.
        json = f"trim(BOTH '[]' FROM to_json(array({content})))"
        if self.type not in (data.STRING, data.TIMESTAMP, data.DATE):
            # An invalid value becomes JSON of another type, which is reported when the line is checked.
            json = f"if({content} RLIKE '^-?[0-9]+$', {content}, {json})"
        return json, f"if(is_valid_utf8({column}), NULL, 'expected {self.type}')"

    def bytes(self, value: str) -> str:
        return f"CAST(CAST({worded(value, self.type)} AS STRING) AS BINARY)"


@dataclass(frozen=True, slots=True)
class Number(Encoding):
    """INT or BIGINT as Kafka's own serializers write them: 4 or 8 bytes, the highest first."""

    type: DataType

    @property
    def content(self) -> Content:
        """As `Encoding.content`."""
        return "scalar"

    @property
    def _digits(self) -> int:
        return _INT if self.type == data.INT else _LONG

    def parts(self, column: str) -> tuple[str, str]:
        json = f"conv(hex({column}), 16, -10)"
        if self.type == data.INT:
            # Above 2^31 - 1 the first bit is the sign.
            unsigned = f"CAST(conv(hex({column}), 16, 10) AS BIGINT)"
            json = f"CAST({unsigned} - if({unsigned} > 2147483647L, 4294967296L, 0L) AS STRING)"
        size = self._digits // 2
        return _sized(column, json, size, self.type)

    def bytes(self, value: str) -> str:
        return f"unhex(right(lpad(hex(CAST({value} AS BIGINT)), {_LONG}, '0'), {self._digits}))"


@dataclass(frozen=True, slots=True)
class Floating(Encoding):
    """FLOAT or DOUBLE as Kafka's own serializers write them: 4 or 8 bytes of IEEE 754, the highest first.

    Only Spark's functions for Avro convert these types to bytes, with the lowest byte first.
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

    def parts(self, column: str) -> tuple[str, str]:
        value = f"from_avro({self._turned(column)}, {self._schema})"
        return _sized(column, json_of(value, self.type), self._size, self.type)

    def bytes(self, value: str) -> str:
        return self._turned(f"to_avro({value}, {self._schema})")


@dataclass(frozen=True, slots=True)
class Truth(Encoding):
    """BOOLEAN as Kafka's own serializer writes it: one byte, 1 or 0."""

    @property
    def content(self) -> Content:
        """As `Encoding.content`."""
        return "scalar"

    def parts(self, column: str) -> tuple[str, str]:
        wrong = f"if({column} IN (X'00', X'01'), NULL, 'expected BOOLEAN')"
        return f"if({column} = X'01', 'true', 'false')", wrong

    def bytes(self, value: str) -> str:
        return f"if({value}, X'01', X'00')"


@dataclass(frozen=True, slots=True)
class Bytes(Encoding):
    """BYTES as they are."""

    def parts(self, column: str) -> tuple[str, str]:
        return f"concat('\"', {base64_of(column)}, '\"')", "CAST(NULL AS STRING)"

    def bytes(self, value: str) -> str:
        return value


@dataclass(frozen=True, slots=True)
class Column(Encoding):
    """The one field of a STRUCT as the whole of the bytes: the format KAFKA of ksqlDB. A null has none."""

    name: str
    inner: Encoding

    def read(self, column: str) -> str:
        member = text(f"{{{codec_text.quoted(self.name)}:")
        around = outcome(f"concat({member}, _c.json, '}}')", "_c.wrong")
        return f"get(transform(array({self.inner.read(column)}), _c -> {around}), 0)"

    def bytes(self, value: str) -> str:
        own = f"{value}.{ticked(self.name)}"
        return f"if({own} IS NULL, NULL, {self.inner.bytes(own)})"


def primitive(type: DataType) -> Encoding:
    """Return the encoding of a type without parts: that of Kafka's own serializers, or text if they have none."""
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


def _sized(column: str, json: str, size: int, type: DataType) -> tuple[str, str]:
    fits = f"octet_length({column}) = {size}"
    return f"if({fits}, {json}, NULL)", f"if({fits}, NULL, 'expected {type}')"
