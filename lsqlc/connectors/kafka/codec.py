"""The key and the value of a record as bytes, by the formats of its topic's facets, both ways.

| format | bytes |
| --- | --- |
| `json` | JSON text, as in a line of a file: fields in the order of the schema, nulls included; read behind an id too |
| `string`, `int`, `long`, ... | see `primitives` |
| `kafka` | the one column of a struct, as a primitive |
| `delimited`, `delimited[;]` | see `delimited` |
| `tw[...]` | the key inside, then the start of its window, 8 bytes; the end follows from the window's size |
| `sw[...]` | the key inside, then the end and the start of its session, 8 bytes each |
| `null`, or an absent facet | no bytes |

A null value is written as a record without a value: a tombstone. Formats whose schemas lie in a registry are not here:
the caller brings a `FacetCodec` for each.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from lsqlc.connectors.lines import raw_text, record_checker, time_problem
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats import names as formats
from lsqlc.formats.delimited import codec as delimited
from lsqlc.formats.json.any_case import spelling
from lsqlc.formats.json.codec import from_ksqldb
from lsqlc.formats.primitive import codec as primitives
from lsqlc.formats.registered import json_body
from lsqlc.types import codec, data
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Facet, Record, StoredRecord, Topic

Part = Literal["key", "value"]
# Formats whose bytes begin with the number of a schema that a registry keeps.
REGISTERED = tuple(formats.REGISTERED)

_TIME = struct.Struct(">q")
_SESSION = struct.Struct(">qq")


class FacetCodec(Protocol):
    """The bytes of one format, for a facet of a topic. `topic` is the name without the prefix that
    it has in Kafka.
    """

    def encoder(self, topic: str, part: Part, type: DataType) -> Callable[[Any], bytes]:
        """From a value in its one form, not None, to bytes. The function raises ValueProblems."""
        ...

    def decoder(self, topic: str, part: Part, type: DataType) -> Callable[[bytes], Any]:
        """From bytes to the value, with problems under the path `part`. The function raises ValueProblems."""
        ...


@dataclass(frozen=True, slots=True)
class Codecs:
    """What it takes beside a topic. `formats`: those of a registry, by name. `window_sizes`: milliseconds, by the name
    of a topic whose keys have time windows, which its bytes do not say. `prefix`: of the names of topics in Kafka.
    """

    formats: Mapping[str, FacetCodec] = field(default_factory=dict)
    window_sizes: Mapping[str, int] = field(default_factory=dict)
    prefix: str = ""


def record_encoder(
    topic: Topic, codecs: Codecs
) -> Callable[[Record | StoredRecord], tuple[bytes | None, bytes | None]]:
    """From a record to the bytes of its key and its value. The function raises ValueProblems with all that does not
    fit. Raises LsqlcError LSQ738 for a format that has no codec.
    """
    check = record_checker(topic)
    write_key, write_value = facet_encoder(topic, "key", codecs), facet_encoder(topic, "value", codecs)

    def write(record: Record | StoredRecord) -> tuple[bytes | None, bytes | None]:
        raw_key, raw_value = _raw(topic.key, record.key, "key"), _raw(topic.value, record.value, "value")
        if raw_key is not None or raw_value is not None:
            # JSON goes as it is; of another format, the text stands for a value.
            key, value = raw_key or (record.key, None), raw_value or (record.value, None)
            found = write(replace(record, key=key[0], value=value[0]))
            return key[1] or found[0], value[1] or found[1]
        time, key, value = check(record)
        problem = time_problem(topic, None, time)
        if problem is not None:
            raise ValueProblems([problem])
        return None if key is None else write_key(key), None if value is None else write_value(value)

    return write


def _raw(facet: Facet, value: Any, part: Part) -> tuple[Any, bytes | None] | None:
    """Of a facet that is `Raw` the value, or for JSON its bytes; None for one that is a value already."""
    text = raw_text(value)
    if text is None:
        return None
    return (None, text) if facet.format == "json" else (codec.decoder(facet.type, path=part)(text), None)


def record_decoder(
    topic: Topic, codecs: Codecs
) -> Callable[[bytes | None, bytes | None, int, tuple[int, ...]], StoredRecord]:
    """From the bytes of a key and a value, the time in epoch milliseconds and the ordinal, to the record. The function
    raises ValueProblems with all that is wrong with them. Raises LsqlcError LSQ738 for a format that has no codec.

    The facets of the topic are whole, not pruned to what a query reads: some formats know columns by their place.
    """
    read_key, read_value = facet_decoder(topic, "key", codecs), facet_decoder(topic, "value", codecs)
    name = topic.name

    def read(key: bytes | None, value: bytes | None, timestamp: int, ordinal: tuple[int, ...]) -> StoredRecord:
        try:
            record = StoredRecord(
                name,
                None if key is None else read_key(key),
                None if value is None else read_value(value),
                timestamp,
                ordinal,
            )
        except ValueProblems:
            raise ValueProblems(_all_bad(((read_key, key), (read_value, value)))) from None
        problem = time_problem(topic, record.value, timestamp)
        if problem is not None:
            raise ValueProblems([problem])
        return record

    return read


def facet_encoder(topic: Topic, part: Part, codecs: Codecs) -> Callable[[Any], bytes | None]:
    """From a value of a facet in its one form, not None, to bytes. Raises LsqlcError LSQ738."""
    facet = topic.key if part == "key" else topic.value
    window = formats.windowed(facet.format)
    if window is not None and isinstance(facet.type, Struct):
        inner = facet_encoder(_inside(topic, part, facet.type, window[1]), part, codecs)
        return _window_encoder(window[0], inner)
    if _has_no_bytes(facet):
        return lambda value: None
    if facet.format == "json":
        return codec.encoder(facet.type, times_as_numbers=topic.ksql_json)
    delimiter = formats.delimiter(facet.format)
    if delimiter is not None:
        return delimited.encoder(facet.type, delimiter)
    if facet.format == "kafka" and isinstance(facet.type, Struct) and len(facet.type.fields) == 1:
        only = facet.type.fields[0]
        write, name = primitives.encoder(only.type), only.name
        return lambda value: None if value[name] is None else write(value[name])
    if formats.PRIMITIVES.get(facet.format) == facet.type:
        return primitives.encoder(facet.type)
    return _registered(topic, part, facet, codecs).encoder(topic.name, part, facet.type)


def facet_decoder(topic: Topic, part: Part, codecs: Codecs) -> Callable[[bytes], Any]:
    """From bytes to the value of a facet. The function raises ValueProblems. Raises LsqlcError LSQ738."""
    facet = topic.key if part == "key" else topic.value
    window = formats.windowed(facet.format)
    if window is not None and isinstance(facet.type, Struct):
        inner = _or_null(facet_decoder(_inside(topic, part, facet.type, window[1]), part, codecs), facet.type)
        if window[0] == "sw":
            return _session_decoder(inner, facet.type, part)
        return _window_decoder(inner, facet.type, part, _window_size(topic, codecs))
    if _has_no_bytes(facet):
        return lambda raw: None
    if facet.format == "json_sr" and topic.ksql_json:
        # What there is to say about the registry is said as for a topic in exact case.
        _registered(topic, part, facet, codecs)
    if facet.format == "json" or (facet.format == "json_sr" and topic.ksql_json):
        text, spelled = codec.decoder(facet.type, path=part), json_spelling(topic, facet)
        return lambda raw: text(spelled(json_body(raw)))
    delimiter = formats.delimiter(facet.format)
    if delimiter is not None:
        return delimited.decoder(facet.type, part, delimiter)
    if facet.format == "kafka" and isinstance(facet.type, Struct) and len(facet.type.fields) == 1:
        only = facet.type.fields[0]
        read, name = primitives.decoder(only.type, f"{part}.{data.quote(only.name)}"), only.name
        return lambda raw: {name: read(raw)}
    if formats.PRIMITIVES.get(facet.format) == facet.type:
        return primitives.decoder(facet.type, part)
    return _registered(topic, part, facet, codecs).decoder(topic.name, part, facet.type)


def json_spelling(topic: Topic, facet: Facet) -> Callable[[bytes], bytes]:
    """From the JSON text of a facet to the text in the language's own form. Where it has a JSON Schema, that says how
    numbers and times are written.
    """
    if not topic.ksql_json:
        return lambda text: text
    return spelling(facet.type) if facet.format == "json_sr" else from_ksqldb(facet.type)


def _has_no_bytes(facet: Facet) -> bool:
    return facet.is_absent or facet.format in ("null", "none")


def _inside(topic: Topic, part: Part, type: Struct, format: str) -> Topic:
    """The topic as if the key stood there without its window."""
    facet = Facet(type.fields[0].type, format)
    inner = Topic(topic.name, facet) if part == "key" else Topic(topic.name, value=facet)
    return replace(inner, ksql_json=topic.ksql_json)


def _registered(topic: Topic, part: Part, facet: Facet, codecs: Codecs) -> FacetCodec:
    known = codecs.formats.get(facet.format)
    if known is not None:
        return known
    whose = f"the {part} of '{topic.name}'"
    if facet.format in REGISTERED:
        message = f"{whose} is stored as {facet.format.upper()}, whose schemas are in a schema registry"
        help = "add `registry:` to the target in profiles.yml"
    else:
        message = f"{whose} is {facet.type}, which is not supported in the format {facet.format.upper()}"
        help = "declare another format, such as JSON or AVRO"
    raise LsqlcError([Diagnostic("LSQ738", message, help=help)])


def _window_size(topic: Topic, codecs: Codecs) -> int:
    size = codecs.window_sizes.get(topic.name)
    if size is not None:
        return size
    note = "the bytes of such a key only have the start of its window, not its end"
    raise LsqlcError(
        [
            Diagnostic(
                "LSQ738",
                f"the size of the windows in the keys of '{topic.name}' is not known",
                notes=(note,),
                help="read it where the model that writes it is known",
            )
        ]
    )


def _window_encoder(kind: str, inner: Callable[[Any], bytes | None]) -> Callable[[Any], bytes]:
    def encode(value: Any) -> bytes:
        key = b"" if value["key"] is None else inner(value["key"]) or b""
        if kind == "sw":
            return key + _SESSION.pack(value["end"], value["start"])
        return key + _TIME.pack(value["start"])

    return encode


def _or_null(inner: Callable[[bytes], Any], type: Struct) -> Callable[[bytes], Any]:
    """The decoder of a key in its window, which has no bytes if it is null. No bytes are also a text without
    characters.
    """
    if formats.may_be_empty(type.fields[0].type):
        return inner
    return lambda raw: inner(raw) if raw else None


def _session_decoder(inner: Callable[[bytes], Any], type: Struct, part: Part) -> Callable[[bytes], Any]:
    def decode(raw: bytes) -> Any:
        if len(raw) < _SESSION.size:
            raise _too_short(raw, type, part)
        end, start = _SESSION.unpack_from(raw, len(raw) - _SESSION.size)
        return {"key": inner(raw[: -_SESSION.size]), "start": start, "end": end}

    return decode


def _window_decoder(inner: Callable[[bytes], Any], type: Struct, part: Part, size: int) -> Callable[[bytes], Any]:
    def decode(raw: bytes) -> Any:
        if len(raw) < _TIME.size:
            raise _too_short(raw, type, part)
        (start,) = _TIME.unpack_from(raw, len(raw) - _TIME.size)
        return {"key": inner(raw[: -_TIME.size]), "start": start, "end": start + size}

    return decode


def _too_short(raw: bytes, type: Struct, part: Part) -> ValueProblems:
    return ValueProblems([Problem(part, f"expected {type}, found {len(raw)} bytes")])


def _all_bad(facets: tuple[tuple[Callable[[bytes], Any], bytes | None], ...]) -> list[Problem]:
    """What is wrong with both facets. JSON that is none has a path here, since a record has two texts."""
    problems: list[Problem] = []
    for part, (read, raw) in zip(("key", "value"), facets, strict=True):
        try:
            _ = None if raw is None else read(raw)
        except ValueProblems as found:
            problems += [Problem(p.path or part, p.clause, p.start, p.end) for p in found.problems]
    return problems
