"""Encoding of a record's key and value as bytes, and decoding, by the formats of its topic's facets.

Each format has its own bytes (see `lsqlc.formats`). A windowed key in `tw[...]` is the inner key, then the start of its
window, 8 bytes; the end follows from the size of the window. One in `sw[...]` is the inner key, then the end and the
start of its session, 8 bytes each. An absent facet has no bytes.

A null value is written as a record without a value: a tombstone.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from lsqlc.connectors.lines import raw_text, record_checker, time_problem
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.catalogue import find_format, is_plain_json
from lsqlc.formats.record import Format, Part, StoredFacet
from lsqlc.formats.registered import FacetSchemas
from lsqlc.formats.windows import may_be_empty, windowed
from lsqlc.types import codec
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.codec_text import BIGINT_RANGE
from lsqlc.types.data import Struct
from lsqlc.types.record import Facet, Record, StoredRecord, Topic

_TIME = struct.Struct(">q")
_SESSION = struct.Struct(">qq")


@dataclass(frozen=True, slots=True)
class Codecs:
    """The data that codecs need beside a topic.

    `schemas`: returns the schemas of a `key` or `value` in a registry, by the topic's name without prefix, and
    raises LsqlcError for a facet without any; None: there is no registry. `window_sizes`: milliseconds, by the name of
    a topic whose keys have time windows: the bytes do not contain the size. `prefix`: of the names of topics in Kafka.
    """

    schemas: Callable[[str, str], FacetSchemas] | None = None
    window_sizes: Mapping[str, int] = field(default_factory=dict)
    prefix: str = ""


def record_encoder(
    topic: Topic, codecs: Codecs
) -> Callable[[Record | StoredRecord], tuple[bytes | None, bytes | None]]:
    """Return a function from a record to the bytes of its key and its value.

    The function raises ValueProblems with all problems of the record. Raises LsqlcError LSQ738 for a format without a
    codec.
    """
    check = record_checker(topic)
    write_key, write_value = facet_encoder(topic, "key", codecs), facet_encoder(topic, "value", codecs)

    def write(record: Record | StoredRecord) -> tuple[bytes | None, bytes | None]:
        raw_key, raw_value = _raw(topic.key, record.key, "key"), _raw(topic.value, record.value, "value")
        if raw_key is not None or raw_value is not None:
            # JSON is copied; in another format, the text is encoded as a value.
            key, value = raw_key or (record.key, None), raw_value or (record.value, None)
            encoded = write(replace(record, key=key[0], value=value[0]))
            return key[1] or encoded[0], value[1] or encoded[1]
        time, key, value = check(record)
        problem = time_problem(topic, None, time)
        if problem is not None:
            raise ValueProblems([problem])
        return None if key is None else write_key(key), None if value is None else write_value(value)

    return write


def _raw(facet: Facet, value: Any, part: Part) -> tuple[Any, bytes | None] | None:
    """Return the value of a facet that is `Raw`, or its bytes for JSON; None for one that is a value already."""
    text = raw_text(value)
    if text is None:
        return None
    return (None, text) if is_plain_json(facet.format) else (codec.decoder(facet.type, path=part)(text), None)


def record_decoder(
    topic: Topic, codecs: Codecs
) -> Callable[[bytes | None, bytes | None, int, tuple[int, ...]], StoredRecord]:
    """Return a function from the bytes of a key and a value, the time in epoch milliseconds and the ordinal, to the
    record.

    The function raises ValueProblems with all problems of the bytes. Raises LsqlcError LSQ738 for a format without a
    codec.

    The facets of the topic are complete, not pruned to the columns of a query: some formats identify columns by
    position.
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
    """Return a function from a normalized value of a facet, not None, to bytes. Raises LsqlcError LSQ738."""
    facet = topic.key if part == "key" else topic.value
    window = windowed(facet.format)
    if window is not None and isinstance(facet.type, Struct):
        inner = facet_encoder(_inside(topic, part, facet.type, window[1]), part, codecs)
        return _window_encoder(window[0], inner)
    if facet.is_absent:
        return lambda value: None
    return _format(topic, part, facet, codecs).encoder(stored_facet(topic, part, codecs))


def facet_decoder(topic: Topic, part: Part, codecs: Codecs) -> Callable[[bytes], Any]:
    """Return a function from bytes to the value of a facet. The function raises ValueProblems. Raises LsqlcError
    LSQ738.
    """
    facet = topic.key if part == "key" else topic.value
    window = windowed(facet.format)
    if window is not None and isinstance(facet.type, Struct):
        inner = _or_null(facet_decoder(_inside(topic, part, facet.type, window[1]), part, codecs), facet.type)
        if window[0] == "sw":
            return _session_decoder(inner, facet.type, part)
        return _window_decoder(inner, facet.type, part, _window_size(topic, codecs))
    if facet.is_absent:
        return lambda raw: None
    return _format(topic, part, facet, codecs).decoder(stored_facet(topic, part, codecs))


def stored_facet(topic: Topic, part: Part, codecs: Codecs) -> StoredFacet:
    """Return the facet as input of its format, without a window."""
    facet = topic.key if part == "key" else topic.value
    schemas = None if codecs.schemas is None else partial(codecs.schemas, topic.name, part)
    return StoredFacet(topic.name, part, facet.type, facet.format, topic.ksql_json, schemas)


def _inside(topic: Topic, part: Part, type: Struct, format: str) -> Topic:
    """Return the topic with the key without its window."""
    facet = Facet(type.fields[0].type, format)
    inner = Topic(topic.name, facet) if part == "key" else Topic(topic.name, value=facet)
    return replace(inner, ksql_json=topic.ksql_json)


def _format(topic: Topic, part: Part, facet: Facet, codecs: Codecs) -> Format:
    """Return the format of a facet that can be stored. Raises LsqlcError LSQ738."""
    format, whose = find_format(facet.format), f"the {part} of '{topic.name}'"
    if format is None or not format.fits(facet.type):
        message = f"{whose} is {facet.type}, which is not supported in the format {facet.format.upper()}"
        help = "declare another format, such as JSON or AVRO"
    elif format.has_schema_id and codecs.schemas is None:
        message = f"{whose} is stored as {facet.format.upper()}, whose schemas are in a schema registry"
        help = "add `registry:` to the target in profiles.yml"
    else:
        return format
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
    """Return a decoder of a key in its window, which has no bytes if it is null.

    A text without characters has no bytes either.
    """
    if may_be_empty(type.fields[0].type):
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
        if start > BIGINT_RANGE[1] - size:
            raise ValueProblems([Problem(part, f"expected {type}, found a window that begins at {start}")])
        return {"key": inner(raw[: -_TIME.size]), "start": start, "end": start + size}

    return decode


def _too_short(raw: bytes, type: Struct, part: Part) -> ValueProblems:
    return ValueProblems([Problem(part, f"expected {type}, found {len(raw)} bytes")])


def _all_bad(facets: tuple[tuple[Callable[[bytes], Any], bytes | None], ...]) -> list[Problem]:
    """Return the problems of both facets. Invalid JSON has a path here, since a record has two texts."""
    problems: list[Problem] = []
    for part, (read, raw) in zip(("key", "value"), facets, strict=True):
        try:
            _ = None if raw is None else read(raw)
        except ValueProblems as found:
            problems += [Problem(p.path or part, p.clause, p.start, p.end) for p in found.problems]
    return problems
