"""Facets, topics and records: what travels through a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import msgspec

from lsqlc.types.data import NULL, DataType, Primitive, Struct
from lsqlc.types.files import Files
from lsqlc.types.headers import Headers


class Facet(msgspec.Struct, frozen=True):
    """One of the two halves of a record, `_key` or `_value`: its type and its storage format.

    `type` NULL says that the facet is absent: a topic without key. `format` is lower case: `json`, `avro`, or the name
    of a primitive (`string`, `int`, `long`, ...).
    """

    type: DataType
    format: str

    @property
    def is_struct(self) -> bool:
        return isinstance(self.type, Struct)

    @property
    def is_absent(self) -> bool:
        return self.type == NULL

    def __str__(self) -> str:
        return f"{self.type} ({self.format})"


ABSENT = Facet(NULL, "null")


def natural_format(type: DataType) -> str:
    """The format of a facet that declares none: a primitive is its own, anything else is JSON."""
    if type == NULL:
        return "null"
    if isinstance(type, Primitive):
        return "long" if type.name == "BIGINT" else type.name.lower()
    return "json"


# The last time that a record can have, 9999-12-31T23:59:59.999Z in epoch milliseconds; the first is 0.
LATEST = 253_402_300_799_999
NO_TIME = "expected a time from 1970 to 9999"
# The number in the ordinal of a row that exists before all records, those of files included (see `Aggregate`).
BEFORE_RECORDS = -200_000_000_000
# Numbers up to here are of rows that exist before all records too: each is computed from rows with lower ones.
LAST_BEFORE_RECORDS = BEFORE_RECORDS + 999


Changes = Literal["every", "last", "last, never deleted"]


@dataclass(frozen=True, slots=True)
class Topic:
    """A named log of records. `event_time` names the value field (dotted path) that is the record's time; None: the
    timestamp that came with it. `partitions` None: not declared. `ksql_json`: its JSON in Kafka is ksqlDB's, with names
    in any case, numbers in other forms, and times as numbers. `window_size`: the length of the time windows in its
    keys, in milliseconds, where no plan writes it. Both say how a topic is read.

    `changes`: which changes of its rows the model that writes it leaves in it: every one, or at least the last one of
    each key in each batch, and whether one may be a deletion. `intervals`: the columns of STRING that are texts of
    intervals, with their types. Topics that differ in these two only are equal.
    """

    name: str
    key: Facet = ABSENT
    value: Facet = ABSENT
    event_time: str | None = None
    partitions: int | None = None
    connector: str = "embedded"
    description: str | None = None
    tags: tuple[str, ...] = ()
    # How many numbers make up the ordinal of a record (1 in a topic that people write; joins and laterals add some).
    ordinal_width: int = 1
    # Where the records lie as files (`connector: files`); None: they are in a log.
    files: Files | None = None
    ksql_json: bool = False
    window_size: int | None = None
    changes: Changes = field(default="every", compare=False)
    intervals: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    @property
    def is_log(self) -> bool:
        """Whether the topic is a log, and not a folder of files."""
        return self.files is None and self.connector != "files"


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """One record as Python values: int, float, str, bool, bytes, Decimal, date, aware datetime, list, dict.

    A struct is a mapping by field name. `value` None is a tombstone. `timestamp`: epoch milliseconds. `headers` None:
    it has none. In a case, a facet may be `Raw`.
    """

    topic: str
    key: Any = None
    value: Any = None
    timestamp: int = 0
    headers: Headers | None = None

    def __repr__(self) -> str:
        return _shown(self)


@dataclass(frozen=True, slots=True)
class Raw:
    """A facet as the JSON text that stands in a line, good or bad: what a record has before it is read.

    `wrong`: why the text has no value, in one clause, where it stands in no line.
    """

    text: str
    wrong: str | None = None


def is_raw(record: Record) -> bool:
    """Whether a facet of the record is text that nobody has read yet."""
    return record.key.__class__ is Raw or record.value.__class__ is Raw


@dataclass(frozen=True, slots=True, repr=False)
class StoredRecord:
    """A record in a log: with its ordinal, which is its place in arrival over all topics.

    `ordinal` is a tuple of integers, compared from left to right; one number for a record that somebody wrote, more for
    one that was derived (docs/reference/lenses.md, "What depends on batches"). `headers` None: it has none.
    """

    topic: str
    key: Any
    value: Any
    timestamp: int
    ordinal: tuple[int, ...]
    headers: Headers | None = None

    def __repr__(self) -> str:
        return _shown(self)


def _shown(record: Record | StoredRecord) -> str:
    """The fields of a record, without headers for one that has none."""
    shown = [(f.name, getattr(record, f.name)) for f in fields(record)]
    parts = ", ".join(f"{name}={value!r}" for name, value in shown if name != "headers" or value is not None)
    return f"{type(record).__name__}({parts})"


@dataclass(frozen=True, slots=True)
class Case:
    """Records for one evaluation of a plan: in order of arrival, cut into batches.

    `batches` are tuples of records; an engine that sees everything at once joins them. `now`: epoch milliseconds, the
    time that clock functions give. `advances`: times that are reached without a record, each with the number of
    records before it, in order: from there on it is as if a record of that time had come. `state`: an engine that keeps
    one is to say what it has kept.
    """

    name: str
    batches: tuple[tuple[Record, ...], ...]
    now: int = 0
    advances: tuple[tuple[int, int], ...] = ()
    state: bool = False

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(r for batch in self.batches for r in batch)


@dataclass(frozen=True, slots=True)
class KeptRows:
    """What an operator of a query keeps behind the last record of a case. `operator`: its number, as Spark counts
    them; `rows`: how many; `shown`: the first of them, as text.
    """

    query: str
    operator: int
    rows: int
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one case gave: `topics` maps each topic that the program writes to its records, in the order in which they
    were written. `counts` are the records that went nowhere, by reason, such as `null key`.
    `state`: what is kept, where the case asks for it and the engine keeps one.
    """

    topics: Mapping[str, tuple[Record, ...]]
    counts: Mapping[str, int] = field(default_factory=dict)
    state: tuple[KeptRows, ...] | None = None
