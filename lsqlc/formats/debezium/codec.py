"""Rows in envelopes of Debezium, for the client of topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import structs

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.debezium.columns import rewriter
from lsqlc.formats.debezium.envelope import Unwrapped, changed, unwrapped
from lsqlc.formats.debezium.kind import SOURCE, row_of
from lsqlc.formats.debezium.settings import settings_of
from lsqlc.formats.record import Decode, Encode, Format, StoredFacet
from lsqlc.types import codec, data
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.codec_text import millis_of_timestamp
from lsqlc.types.data import DataType, Struct

_NO_JSON = "expected JSON"


def row_text(inner: Format, facet: StoredFacet, around: StoredFacet) -> Callable[[bytes], bytes]:
    """Return the function from bytes to the JSON text of the row, which raises ValueProblems. `inner`: the format of
    envelopes; `around`: the facet with their type.
    """
    rewrite = rewriter(facet.type, settings_of(facet.format))
    return _text(inner, around, lambda text: rewrite(unwrapped(text)))


def change_text(inner: Format, facet: StoredFacet, around: StoredFacet) -> Callable[[bytes], bytes]:
    """Return the function from bytes to the JSON text of the change; arguments and errors as for `row_text`."""
    row = row_of(facet.type)
    rewrite = rewriter(row, settings_of(facet.format))
    mark, has_source = "{" if isinstance(row, Struct) else '"', inner.is_json
    return _text(inner, around, lambda text: changed(text, rewrite, mark, has_source=has_source))


def _text(inner: Format, around: StoredFacet, opened: Callable[[str], Unwrapped]) -> Callable[[bytes], bytes]:
    envelope_text = _envelope_text(inner, around)

    def read(raw: bytes) -> bytes:
        unwrapped = opened(envelope_text(raw))
        if unwrapped.wrong is not None:
            raise _bad(around, unwrapped.wrong)
        return unwrapped.row.encode()

    return read


def _envelope_text(inner: Format, around: StoredFacet) -> Callable[[bytes], str]:
    """Return the function from bytes to the JSON text of the envelope, which raises ValueProblems."""
    if inner.json_text is None:
        decode, write = inner.decoder(around), codec.encoder(around.type)
        return lambda raw: write(decode(raw)).decode()
    text_of = inner.json_text(around)

    def read(raw: bytes) -> str:
        text = text_of(raw)
        if not codec.is_json(text):
            raise _bad(around, _NO_JSON)
        return text.decode("utf-8")

    return read


def decoder(facet: StoredFacet, row: Callable[[bytes], bytes]) -> Decode:
    """Return the function of `Format.decoder`. `row`: the result of `row_text`."""
    read = codec.decoder(facet.type, path=facet.part)
    return lambda raw: read(row(raw))


def encoder(facet: StoredFacet) -> Encode:
    """Return the function of `Format.encoder`, for records of cases and of `lsqlc produce`: the envelope of an
    insertion.

    Times are text, and a DECIMAL is a number, which each form accepts.
    """
    write = _row_encoder(facet.type)
    return lambda row: b'{"before":null,"after":%s,"op":"c"}' % write(row)


def change_encoder(facet: StoredFacet) -> Encode:
    """Return the function of `encoder` for whole changes, whose times are in milliseconds."""
    row, source = _row_encoder(row_of(facet.type)), codec.encoder(SOURCE)

    def encode(value: Any) -> bytes:
        before, after = (b"null" if value[name] is None else row(value[name]) for name in ("before", "after"))
        ts = "null" if value["ts"] is None else str(millis_of_timestamp(value["ts"]))
        op, of = codec.encode_text(data.STRING, value["op"]), source(value["source"])
        return b'{"before":%s,"after":%s,"source":%s,"op":%s,"ts_ms":%s}' % (
            before,
            after,
            of,
            op.encode(),
            ts.encode(),
        )

    return encode


def _row_encoder(type: DataType) -> Callable[[Any], bytes]:
    if not isinstance(type, Struct):
        return codec.encoder(type)
    times = [f.name for f in type.fields if f.type == data.TIME]
    fields = (structs.replace(f, type=data.STRING if f.name in times else f.type) for f in type.fields)
    write = codec.encoder(Struct(tuple(fields)))

    def encode(row: Any) -> bytes:
        return write({**row, **{name: _clock(row[name]) for name in times if row[name] is not None}})

    return encode


def _clock(micros: int) -> str:
    seconds, fraction = divmod(micros, 1_000_000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"


def refuse(facet: StoredFacet) -> Encode:
    """Return the function of `Format.encoder` for envelopes with a schema in a registry, which only a connector can
    write.
    """
    message = f"the {facet.part} of '{facet.topic}' cannot be written: records are envelopes with a schema"
    raise LsqlcError([Diagnostic("LSQ646", message, help="let the connector write them, or declare another topic")])


def _bad(facet: StoredFacet, clause: str) -> ValueProblems:
    return ValueProblems([Problem(facet.part, clause)])
