"""Records as a case writes them, before they are those of a case or of an `expect`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lsqlc.diagnostics import Span
from lsqlc.formats.json.codec import from_ksqldb
from lsqlc.types.headers import Headers
from lsqlc.types.record import Raw, Record, Topic


@dataclass(frozen=True, slots=True)
class Expected:
    """One record as it is written. `timestamp` and `headers` None: not given; in an `expect`, any. `span`: where it is
    written, None where that is not known.
    """

    key: Any
    value: Any
    timestamp: int | None
    headers: Headers | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Advance:
    """Time reaches `time`, epoch milliseconds, and no record comes. `span`: where it is written."""

    time: int
    span: Span


@dataclass(frozen=True, slots=True)
class Given:
    """A record of a case, and where it is written; None: nowhere in a file of cases."""

    record: Record
    span: Span | None = None


Item = Given | Advance


def raw_facet(topic: Topic, facet: str, text: str) -> Raw:
    """Return the text of a record's `key` or `value` as it stands in a line. The JSON of ksqlDB is read as in Kafka."""
    of = topic.key if facet == "key" else topic.value
    if not topic.ksql_json or of.format != "json":
        return Raw(text)
    return Raw(from_ksqldb(of.type)(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass"))
