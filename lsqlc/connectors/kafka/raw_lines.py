"""Records of Kafka as lines, valid and invalid ones, in the format of Spark (`lsqlc.lower.spark.wire.records`).

JSON is copied into the line, so that problems of its fields are reported with the line; for a topic in any case,
members have the names of fields. Bytes that cannot be decoded are a line that begins with `UNREAD` and the reason.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Protocol, TypeVar

from lsqlc.connectors.bad_records import BASE64, UNREAD, Texts
from lsqlc.connectors.bytes_text import text_of
from lsqlc.connectors.kafka.codec import Codecs, facet_decoder, stored_facet
from lsqlc.connectors.lines import headers_member
from lsqlc.formats.catalogue import find_format, is_json, is_text
from lsqlc.formats.record import Part
from lsqlc.formats.windows import windowed
from lsqlc.types import codec
from lsqlc.types.codec import ValueProblems
from lsqlc.types.headers import Headers
from lsqlc.types.record import Facet, Topic

Read = Callable[[bytes], bytes]
_T = TypeVar("_T")


class UnreadableError(Exception):
    """Bytes that have no value, and the reason in one clause."""


class WriteLine(Protocol):
    """The type of a function that writes a line with its newline.

    Its arguments are the bytes of a key and a value, the time in epoch milliseconds, the ordinal and the headers.
    """

    def __call__(
        self,
        key: bytes | None,
        value: bytes | None,
        time: int,
        ordinal: tuple[int, ...],
        headers: Headers | None = None,
        /,
    ) -> bytes: ...


def line_writer(topic: Topic, codecs: Codecs) -> WriteLine:
    """Return the writer of the lines of a topic. Raises LsqlcError LSQ738 for a format without a codec."""
    readers = [_reader(topic, "key", codecs), _reader(topic, "value", codecs)]
    facets = {"key": topic.key, "value": topic.value}

    def write(
        key: bytes | None, value: bytes | None, time: int, ordinal: tuple[int, ...], headers: Headers | None = None
    ) -> bytes:
        texts, faults = [], []
        displayed: dict[str, tuple[str | None, str | None]] = {}
        for name, read, raw in zip(("key", "value"), readers, (key, value), strict=True):
            try:
                texts.append(b"null" if raw is None else read(raw))
                displayed[name] = (_shown(facets[name], texts[-1]), None)
            except UnreadableError as error:
                faults.append(f"{name}: {error}")
                displayed[name] = _of_bytes(raw or b"")
        place = b'{"ordinal":[%s],"timestamp":%d' % (b",".join(b"%d" % n for n in ordinal), time)
        more = headers_member(headers)
        if not faults:
            return b'%s,"key":%s,"value":%s%s}\n' % (place, *texts, more)
        raws = [b"null" if raw is None else b'"%s"' % base64.b64encode(raw) for raw in (key, value)]
        members = {
            n: text for n, text in asdict(Texts(*displayed["key"], *displayed["value"])).items() if text is not None
        }
        text = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
        reason = f"{UNREAD}{'; '.join(faults)}\t{text}\t".encode()
        return reason + b'%s,"key":%s,"value":%s%s}\n' % (place, *raws, more)

    return write


def _shown(facet: Facet, text: bytes) -> str | None:
    """Return the text of a decoded facet for `Texts`."""
    json_text = text.strip().decode()
    if json_text == "null":
        return None
    return str(json.loads(json_text)) if is_text(facet.format) else json_text


def _of_bytes(raw: bytes) -> tuple[str, str | None]:
    text = text_of(raw)
    return (base64.b64encode(raw).decode(), BASE64) if text is None else (text, None)


def _reader(topic: Topic, part: Part, codecs: Codecs) -> Read:
    """Return a function from the bytes of a facet to JSON text. The function raises UnreadableError."""
    facet = topic.key if part == "key" else topic.value
    if facet.is_absent:
        return lambda raw: b"null"
    format = find_format(facet.format)
    if format is not None and format.json_text is not None and is_json(facet.format):
        text = format.json_text(stored_facet(topic, part, codecs))
        return lambda raw: _json(text(raw))
    if format is not None and format.row_text is not None and not windowed(facet.format):
        row = format.row_text(stored_facet(topic, part, codecs))
        return lambda raw: _json(_read(row, raw))
    decode, write = facet_decoder(topic, part, codecs), codec.encoder(facet.type)

    return lambda raw: write(_read(decode, raw))


def _read(read: Callable[[bytes], _T], raw: bytes) -> _T:
    """Return the value that a format reads. Raises UnreadableError."""
    try:
        return read(raw)
    except ValueProblems as problems:
        clauses = (p.clause.partition(", found")[0] for p in problems.problems)
        raise UnreadableError("; ".join(clauses)) from None


def _json(text: bytes) -> bytes:
    if not codec.is_json(text):
        raise UnreadableError("expected JSON")
    # A line has no line feed within it.
    return b" ".join(text.splitlines())
