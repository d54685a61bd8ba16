"""Records of case files before conversion to input records or expected rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lsqlc.diagnostics import Span
from lsqlc.formats.catalogue import find_format
from lsqlc.formats.json.codec import from_ksqldb
from lsqlc.formats.record import Part, StoredFacet
from lsqlc.formats.windows import windowed
from lsqlc.types.codec import ValueProblems
from lsqlc.types.headers import Headers
from lsqlc.types.record import Raw, Record, Topic


@dataclass(frozen=True, slots=True)
class Expected:
    """One record of a case file.

    `timestamp` and `headers` None: not set, which matches any in an `expect`. `span`: its position, None if unknown.
    """

    key: Any
    value: Any
    timestamp: int | None
    headers: Headers | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Advance:
    """The watermark reaches `time`, in epoch milliseconds, without a record. `span`: its position."""

    time: int
    span: Span


@dataclass(frozen=True, slots=True)
class InputRecord:
    """An input record, and its position; None outside of case files."""

    record: Record
    span: Span | None = None


Item = InputRecord | Advance


def raw_facet(topic: Topic, facet: Part, text: str) -> Raw:
    """Return the unparsed text of a `key` or `value`. JSON of ksqlDB is converted as for Kafka; an envelope is taken
    off.
    """
    of = topic.key if facet == "key" else topic.value
    format = None if windowed(of.format) else find_format(of.format)
    if format is not None and format.row_text is not None:
        row = format.row_text(StoredFacet(topic.name, facet, of.type, of.format))
        try:
            return Raw(_text(row(_bytes(text))))
        except ValueProblems as problems:
            return Raw(text, "; ".join(map(str, problems.problems)))
    if not topic.ksql_json or format is None or not format.has_ksql_numbers:
        return Raw(text)
    return Raw(_text(from_ksqldb(of.type)(_bytes(text))))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")
