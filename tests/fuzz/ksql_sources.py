"""Random streams and tables that a ksqlDB program declares, and what a query knows of a stream or table.

Few names and few types, so that the columns of two sources meet, by name and by value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Field, Map, Struct
from tests.fuzz.ksql_syntax import Column, Create, Properties
from tests.fuzz.syntax import Word

_INNER = Struct((Field("P", data.INT), Field("Q", data.STRING)))
_PLAIN: tuple[DataType, ...] = (data.INT, data.INT, data.INT, data.STRING, data.STRING, data.BIGINT, data.DOUBLE)
_RICH: tuple[DataType, ...] = (
    data.BOOLEAN, data.TIMESTAMP, data.DATE, Decimal(5, 2), _INNER, Array(data.INT), Array(data.STRING), Array(_INNER),
    Map(data.STRING, data.INT),
)  # fmt: skip
_NAMES = "ABCDEFGH"
# The types that the format KAFKA holds; keys are of few values.
_BARE: tuple[DataType, ...] = (data.INT, data.INT, data.STRING, data.STRING, data.BIGINT)
TIME = "AT"


@dataclass(frozen=True, slots=True)
class KsqlKnown:
    """What a query can read. `window`: TUMBLING, HOPPING or SESSION, where its key has the bounds of one; `declared`:
    by columns, not by a query; `timed`: whether the times of its records, or rows, are those of records; `weight`: how
    often it is chosen.
    """

    name: str
    word: Word
    columns: tuple[Column, ...]
    window: str | None = None
    declared: bool = True
    timed: bool = True
    weight: float = 1.0

    @property
    def keys(self) -> tuple[Column, ...]:
        return tuple(c for c in self.columns if c.is_key)


def some_sources(random: Random) -> list[tuple[Create, KsqlKnown]]:
    """A few declarations: streams without key, with one and with several, tables, a windowed stream."""
    found = []
    for number in range(random.choice((2, 3, 4, 4))):
        word: Word = "STREAM" if random.random() < 0.58 else "TABLE"
        keys = random.choices((0, 1, 2), (1, 6, 2) if word == "STREAM" else (0, 6, 2))[0]
        found.append(_source(f"S{number}", word, keys, random))
    return found


def _source(name: str, word: Word, keys: int, random: Random) -> tuple[Create, KsqlKnown]:
    types: list[DataType] = [random.choice(_BARE) for _ in range(keys)]
    rich = random.random() < 0.4
    values = random.choice((1, 2, 3, 3, 4))
    types += [random.choice(_RICH if rich and random.random() < 0.6 else _PLAIN) for _ in range(values)]
    names = random.sample(_NAMES, len(types))
    if keys == 1 and random.random() < 0.6:
        names[0] = "ID"
    columns = [Column(n, t, i < keys) for i, (n, t) in enumerate(zip(names, types, strict=True))]
    window = None
    topic = [("KAFKA_TOPIC", name.lower())]
    flat = all(type in _PLAIN for type in types[keys:])
    value = random.choice(("JSON", "JSON", "AVRO", "DELIMITED")) if flat else random.choice(("JSON", "AVRO"))
    whole = random.random() < 0.2 and (keys != 0) and value != "DELIMITED"
    formats = [("FORMAT", value)] if whole else [("VALUE_FORMAT", value)]
    if not whole and (keys > 1 or (keys and random.random() < 0.3)):
        formats.insert(0, ("KEY_FORMAT", "JSON"))
    if value == "DELIMITED" and random.random() < 0.5:
        formats.append(("VALUE_DELIMITER", random.choice(("|", "-", "TAB"))))
    more: list[tuple[str, str]] = []
    if word == "STREAM" and keys == 1 and random.random() < 0.08:
        window = random.choice(("TUMBLING", "HOPPING", "SESSION"))
        more = [("WINDOW_TYPE", window), *([] if window == "SESSION" else [("WINDOW_SIZE", "5 MILLISECONDS")])]
    if random.random() < 0.15:
        columns.append(Column(TIME, data.BIGINT))
        more.append(("TIMESTAMP", TIME))
    if random.random() < 0.2:
        more.append(("PARTITIONS", "2"))
    random.shuffle(columns)
    properties: Properties = (*topic, *formats, *more)
    return Create(word, name, tuple(columns), properties), KsqlKnown(name, word, tuple(columns), window)


def over(known: KsqlKnown, name: str, word: Word, properties: Properties) -> tuple[Create, KsqlKnown]:
    """A second stream or table over the topic that a query writes."""
    bounds: Properties = ()
    if known.window is not None:
        size: Properties = () if known.window == "SESSION" else (("WINDOW_SIZE", "5 MILLISECONDS"),)
        bounds = (("WINDOW_TYPE", known.window), *size)
    topic = (("KAFKA_TOPIC", known.name), *properties, *bounds)
    return Create(word, name, known.columns, topic), KsqlKnown(name, word, known.columns, known.window, False, False)


def named(columns: Sequence[Column]) -> set[str]:
    """The names of columns."""
    return {c.name for c in columns}
