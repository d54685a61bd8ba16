"""How the bytes of a facet are read and written, one class for a family of formats.

An encoding is given by whoever knows where a topic lies: the plan speaks of types and formats only. All SQL works on
one row of Spark's Kafka source, whose columns `key` and `value` are BINARY.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from lsqlc.formats import names as formats
from lsqlc.formats.json.numbers import for_spark, of_ksqldb
from lsqlc.functions.forms.json_values import json_of, worded
from lsqlc.lower.spark.wire import avro
from lsqlc.lower.spark.wire.any_case import spelled
from lsqlc.lower.spark.wire.delimited import Delimited
from lsqlc.lower.spark.wire.header import HEAD, head, id_of
from lsqlc.lower.spark.wire.json_text import base64_of, is_one_value, json_outcome, rewritten
from lsqlc.sql.spark import text, ticked
from lsqlc.types import codec_text, data
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Facet

# Hexadecimal digits.
_INT, _LONG = 8, 16
# How an error begins about a schema that was not asked for yet; topic, facet and id follow.
UNKNOWN_ID = "LSQLC-SCHEMA"


class Encoding(Protocol):
    """How one facet lies in Kafka."""

    def read(self, column: str) -> str:
        """SQL of STRUCT<json: STRING, wrong: STRING> of bytes that are not null: the JSON text of the value, or why
        they have none.
        """
        ...

    def parts(self, column: str) -> tuple[str, str] | None:
        """SQL of the members of `read`, each by itself, where that takes no longer than both at once; else None."""
        ...

    def bytes(self, value: str) -> str:
        """SQL of the bytes of a value that is not null."""
        ...


class CallsPython:
    """An encoding whose SQL calls a function of Python: Spark evaluates none inside of a lambda."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Json:
    """JSON text, strictly one value: a text that is more would else reach into the line around it. It may stand behind
    the id of a JSON Schema in a registry. `ksql_json`: it is ksqlDB's, whose members have the names of fields in any
    case, and, without a JSON Schema, other forms of numbers and times (see `formats.json.numbers`).
    """

    type: DataType
    ksql_json: bool = field(default=False, kw_only=True)

    def read(self, column: str) -> str:
        return json_outcome(*self.parts(column))

    def parts(self, column: str) -> tuple[str, str]:
        json = self.own_form(column, self.type) if self.ksql_json else self.text(column)
        return json, f"if({is_one_value(self.text(column))}, NULL, 'expected JSON')"

    def own_form(self, column: str, type: DataType, otherwise: str | None = None) -> str:
        """SQL of a text of ksqlDB in the language's own form. `type`: the fields that are read; `otherwise`: as that of
        `spelled`. Which numbers are rewritten depends on the types of all fields, as for the client.
        """
        json = self.text(column)
        if self.has_numbers_of_ksqldb:
            json = rewritten(rewritten(json, of_ksqldb(self.type)), for_spark(self.type, any_case=True))
        names = spelled("_n", type, otherwise)
        return json if names == "_n" else f"get(transform(array({json}), _n -> {names}), 0)"

    @property
    def has_numbers_of_ksqldb(self) -> bool:
        """Whether numbers and times have ksqlDB's forms."""
        return self.ksql_json

    def text(self, column: str) -> str:
        """SQL of the text as it was written."""
        # No JSON text begins with a byte 0.
        body = f"substring({column}, {HEAD + 1}, octet_length({column}))"
        return f"CAST(if(substring({column}, 1, 1) = X'00', {body}, {column}) AS STRING)"

    def bytes(self, value: str) -> str:
        return f"CAST({json_of(value, self.type, times_as_numbers=self.has_numbers_of_ksqldb)} AS BINARY)"


@dataclass(frozen=True, slots=True)
class Text:
    """A STRING as UTF-8, or another primitive as the text that JSON has for it, without quotes."""

    type: DataType

    def read(self, column: str) -> str:
        return json_outcome(*self.parts(column))

    def parts(self, column: str) -> tuple[str, str]:
        content = f"CAST({column} AS STRING)"
        # to_json takes no text by itself. Behind the brackets there are quotes, so that no other one is trimmed.
        json = f"trim(BOTH '[]' FROM to_json(array({content})))"
        if self.type not in (data.STRING, data.TIMESTAMP, data.DATE):
            # What is not such a value becomes JSON of another type, which is found where the line is looked at.
            json = f"if({content} RLIKE '^-?[0-9]+$', {content}, {json})"
        return json, f"if(is_valid_utf8({column}), NULL, 'expected {self.type}')"

    def bytes(self, value: str) -> str:
        return f"CAST(CAST({worded(value, self.type)} AS STRING) AS BINARY)"


@dataclass(frozen=True, slots=True)
class Number:
    """INT or BIGINT as Kafka's own serializers write them: 4 or 8 bytes, the highest first."""

    type: DataType

    @property
    def _digits(self) -> int:
        return _INT if self.type == data.INT else _LONG

    def read(self, column: str) -> str:
        return json_outcome(*self.parts(column))

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

    def read(self, column: str) -> str:
        return json_outcome(*self.parts(column))

    def parts(self, column: str) -> tuple[str, str]:
        value = f"from_avro({self._turned(column)}, {self._schema})"
        return _sized(column, json_of(value, self.type), self._size, self.type)

    def bytes(self, value: str) -> str:
        return self._turned(f"to_avro({value}, {self._schema})")


@dataclass(frozen=True, slots=True)
class Truth:
    """BOOLEAN as Kafka's own serializer writes it: one byte, 1 or 0."""

    def read(self, column: str) -> str:
        return json_outcome(*self.parts(column))

    def parts(self, column: str) -> tuple[str, str]:
        wrong = f"if({column} IN (X'00', X'01'), NULL, 'expected BOOLEAN')"
        return f"if({column} = X'01', 'true', 'false')", wrong

    def bytes(self, value: str) -> str:
        return f"if({value}, X'01', X'00')"


@dataclass(frozen=True, slots=True)
class Bytes:
    """BYTES as they are."""

    def read(self, column: str) -> str:
        return json_outcome(*self.parts(column))

    def parts(self, column: str) -> tuple[str, str]:
        return f"concat('\"', {base64_of(column)}, '\"')", "CAST(NULL AS STRING)"

    def bytes(self, value: str) -> str:
        return value


@dataclass(frozen=True, slots=True)
class Avro:
    """Avro behind the id of a schema in a registry. `reader`: the schema that values are read with; `writers`: those
    that the topic's records were written with, by id; `written`: the one that is written, and its id; None: nothing is.

    `place`: topic and facet. `rejected`: ids that no schema has: a record with one is bad. One with an id that is in
    neither fails the query with `UNKNOWN_ID`, so that the registry is asked for it. None: all unknown ids are rejected.
    """

    type: DataType
    reader: str
    writers: Mapping[int, str] = field(default_factory=dict)
    written: tuple[str, int] | None = None
    place: tuple[str, str] = ("", "")
    rejected: frozenset[int] | None = None

    def read(self, column: str) -> str:
        found = avro.decoded(column, self.type, self.reader, self.writers)
        fault = "_a.fault"
        if self.rejected is not None:
            fault = unknown_id(column, self.place, (*self.writers, *self.rejected), fault)
        return f"get(transform(array({found}), _a -> {json_outcome(json_of('_a.value', self.type), fault)}), 0)"

    def parts(self, column: str) -> None:
        return None

    def bytes(self, value: str) -> str:
        assert self.written is not None, "whoever writes has the schema registered"
        return avro.encoded(value, self.type, *self.written)


@dataclass(frozen=True, slots=True)
class Column:
    """The one field of a STRUCT as the whole of the bytes: the format KAFKA of ksqlDB. A null has none."""

    name: str
    inner: Encoding

    def read(self, column: str) -> str:
        member = text(f"{{{codec_text.quoted(self.name)}:")
        around = json_outcome(f"concat({member}, _c.json, '}}')", "_c.wrong")
        return f"get(transform(array({self.inner.read(column)}), _c -> {around}), 0)"

    def parts(self, column: str) -> None:
        return None

    def bytes(self, value: str) -> str:
        own = f"{value}.{ticked(self.name)}"
        return f"if({own} IS NULL, NULL, {self.inner.bytes(own)})"


@dataclass(frozen=True, slots=True)
class Windowed:
    """The key of a group in a window, as Kafka Streams writes it: the key inside, then the start of its time window in
    8 bytes, or the end and the start of its session in 8 bytes each. `size`: of a time window, in milliseconds; None:
    of a session.
    """

    type: DataType
    inner: Encoding
    size: int | None

    @property
    def _length(self) -> int:
        return 16 if self.size is None else 8

    def _bound(self, column: str, place: int) -> str:
        """The bound that begins so many bytes before the end."""
        return f"CAST(conv(hex(substring({column}, octet_length({column}) - {place - 1}, 8)), 16, -10) AS BIGINT)"

    def read(self, column: str) -> str:
        start = self._bound(column, 8)
        end = self._bound(column, 16) if self.size is None else f"({start} + {self.size}L)"
        json = f"concat('{{\"key\":', _w.json, ',\"start\":', {start}, ',\"end\":', {end}, '}}')"
        inside = self.inner.read(f"substring({column}, 1, octet_length({column}) - {self._length})")
        if isinstance(self.type, Struct) and not formats.may_be_empty(self.type.fields[0].type):
            # A key that is null has no bytes in its window.
            null = json_outcome("'null'", "CAST(NULL AS STRING)")
            inside = f"if(octet_length({column}) = {self._length}, {null}, {inside})"
        around = f"get(transform(array({inside}), _w -> {json_outcome(json, '_w.wrong')}), 0)"
        short = json_outcome("CAST(NULL AS STRING)", text(f"expected {self.type}"))
        return f"if(octet_length({column}) < {self._length}, {short}, {around})"

    def parts(self, column: str) -> None:
        return None

    def bytes(self, value: str) -> str:
        inside = f"if({value}.key IS NULL, X'', {self.inner.bytes(f'{value}.key')})"
        start, end = (f"unhex(lpad(hex({value}.{bound}), 16, '0'))" for bound in ("start", "end"))
        return f"concat({inside}, {start})" if self.size is not None else f"concat({inside}, {end}, {start})"


def unknown_id(column: str, place: tuple[str, str], answered: Iterable[int], fault: str) -> str:
    """SQL of a fault of bytes, which fails the query for an id that nobody has asked the registry for. `place`: topic
    and facet; `answered`: the ids that it was asked for.
    """
    heads = ", ".join(map(head, sorted({*answered})))
    among = f" AND substring({column}, 1, {HEAD}) NOT IN ({heads})" if heads else ""
    unknown = f"octet_length({column}) >= {HEAD} AND substring({column}, 1, 1) = X'00'{among}"
    said = f"concat({text(f'{UNKNOWN_ID}:{place[0]}:{place[1]}:')}, {id_of(column)})"
    return f"if({unknown}, raise_error({said}), {fault})"


def calls_python(encoding: Encoding | None) -> bool:
    """Whether an encoding calls a function of Python, by itself or inside of a window."""
    return isinstance(encoding.inner if isinstance(encoding, Windowed) else encoding, CallsPython)


def encoding(facet: Facet, window_size: int | None = None, registered: Encoding | None = None) -> Encoding | None:
    """The encoding of a facet that is not absent; None for a format that has none here. `window_size`: of the time
    windows in a key, in milliseconds; `registered`: the encoding of a format that is made from a schema, as those of a
    registry are, which the facet, or the key in its window, has.
    """
    window = formats.windowed(facet.format)
    if window is not None and isinstance(facet.type, Struct):
        inner = encoding(Facet(facet.type.fields[0].type, window[1]), registered=registered)
        size = window_size if window[0] == "tw" else None
        return None if inner is None or (window[0] == "tw" and size is None) else Windowed(facet.type, inner, size)
    if facet.format in formats.REGISTERED or facet.format == formats.BARE_PROTOBUF:
        return registered
    if facet.format == "json":
        return Json(facet.type)
    delimiter = formats.delimiter(facet.format)
    if delimiter is not None:
        return Delimited(facet.type, delimiter)
    if facet.format == "kafka" and isinstance(facet.type, Struct) and len(facet.type.fields) == 1:
        (only,) = facet.type.fields
        return Column(only.name, primitive(only.type))
    return primitive(facet.type) if formats.PRIMITIVES.get(facet.format) == facet.type else None


def as_ksqldb(encoding: Encoding | None) -> Encoding | None:
    """The same encoding, with ksqlDB's JSON."""
    match encoding:
        case Json():
            return replace(encoding, ksql_json=True)
        case Windowed(inner=Json() as inner):
            return replace(encoding, inner=replace(inner, ksql_json=True))
    return encoding


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


def _sized(column: str, json: str, size: int, type: DataType) -> tuple[str, str]:
    fits = f"octet_length({column}) = {size}"
    return f"if({fits}, {json}, NULL)", f"if({fits}, NULL, 'expected {type}')"
