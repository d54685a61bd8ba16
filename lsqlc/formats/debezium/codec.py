"""Rows in envelopes of Debezium, for the client of topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import structs

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.debezium.columns import rewriter
from lsqlc.formats.debezium.envelope import unwrapped
from lsqlc.formats.debezium.settings import settings_of
from lsqlc.formats.record import Decode, Encode, Format, StoredFacet
from lsqlc.types import codec, data
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import Struct

_NO_JSON = "expected JSON"


def row_text(inner: Format, facet: StoredFacet, around: StoredFacet) -> Callable[[bytes], bytes]:
    """Return the function from bytes to the JSON text of the row, which raises ValueProblems. `inner`: the format of
    envelopes; `around`: the facet with their type.
    """
    envelope_text, rewrite = _envelope_text(inner, around), rewriter(facet.type, settings_of(facet.format))

    def read(raw: bytes) -> bytes:
        found = rewrite(unwrapped(envelope_text(raw)))
        if found.wrong is not None:
            raise _bad(around, found.wrong)
        return found.row.encode()

    return read


def _envelope_text(inner: Format, around: StoredFacet) -> Callable[[bytes], str]:
    """Return the function from bytes to the JSON text of the envelope, which raises ValueProblems."""
    if inner.json_text is None:
        decode, write = inner.decoder(around), codec.encoder(around.type)
        return lambda raw: write(decode(raw)).decode()
    text_of = inner.json_text(around)

    def read(raw: bytes) -> str:
        text = text_of(raw)
        try:
            msgspec.json.decode(text)
            return text.decode("utf-8")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise _bad(around, _NO_JSON) from None

    return read


def decoder(facet: StoredFacet, row: Callable[[bytes], bytes]) -> Decode:
    """As `Format.decoder`. `row`: what `row_text` returned."""
    read = codec.decoder(facet.type, path=facet.part)
    return lambda raw: read(row(raw))


def encoder(facet: StoredFacet) -> Encode:
    """As `Format.encoder`, for records of cases and of `lsqlc produce`: the envelope of an insertion. Times are text,
    and a DECIMAL is a number, which each form takes.
    """
    assert isinstance(facet.type, Struct), "a row has columns"
    times = [f.name for f in facet.type.fields if f.type == data.TIME]
    fields = (structs.replace(f, type=data.STRING if f.name in times else f.type) for f in facet.type.fields)
    write = codec.encoder(Struct(tuple(fields)))

    def encode(value: Any) -> bytes:
        row = (
            {**value, **{name: None if value[name] is None else _clock(value[name]) for name in times}}
            if times
            else value
        )
        return b'{"before":null,"after":%s,"op":"c"}' % write(row)

    return encode


def _clock(micros: int) -> str:
    seconds, fraction = divmod(micros, 1_000_000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"


def refuse(facet: StoredFacet) -> Encode:
    """As `Format.encoder`, for envelopes with a schema in a registry, which only a connector knows."""
    message = f"the {facet.part} of '{facet.topic}' cannot be written: records are envelopes with a schema"
    raise LsqlcError([Diagnostic("LSQ646", message, help="let the connector write them, or declare another topic")])


def _bad(facet: StoredFacet, clause: str) -> ValueProblems:
    return ValueProblems([Problem(facet.part, clause)])
