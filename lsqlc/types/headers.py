"""Headers of records: what Kafka has beside a record's key and value, and how columns of ksqlDB read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Struct

Headers = tuple[tuple[str, bytes | None], ...]
"""The headers of a record in order, each a key and a value; a key may occur several times."""

# As lines have them; null where a record has none.
LINE_HEADERS = Array(Struct((Field("key", data.STRING, nullable=False), Field("value", data.BYTES))))
# As a column of all headers has them in ksqlDB.
ALL_HEADERS = Array(Struct((Field("KEY", data.STRING), Field("VALUE", data.BYTES))))


@dataclass(frozen=True, slots=True)
class HeaderColumn:
    """A column of headers. `key`: it has the value of the last header of that key, or null; None: it has all headers,
    which are an empty array for a record without any.
    """

    name: str
    key: str | None

    @property
    def type(self) -> DataType:
        return ALL_HEADERS if self.key is None else data.BYTES

    @property
    def field(self) -> Field:
        return Field(self.name, self.type, nullable=self.key is not None)


def headers_of(given: Iterable[Mapping[str, Any]] | None) -> Headers | None:
    """Headers from values of `LINE_HEADERS`; None for none."""
    return tuple((header["key"], header["value"]) for header in given if header is not None) or None if given else None


def header_values(headers: Headers) -> list[dict[str, Any]]:
    """Headers as values of `LINE_HEADERS`."""
    return [{"key": key, "value": value} for key, value in headers]
