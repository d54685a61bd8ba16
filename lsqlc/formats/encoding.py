"""The Spark forms of a facet's bytes: what a format declares, as SQL text, and the SQL of a registry's head.

All SQL works on one row of Spark's Kafka source, whose columns `key` and `value` are BINARY.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self

from lsqlc.formats.registered import BROKEN, HEAD, NO_MAGIC
from lsqlc.sql.spark import struct, text
from lsqlc.types.data import DataType

# How an error begins about an id that the registry was not asked for yet; topic, facet and id follow.
UNKNOWN_ID = "LSQLC-SCHEMA"
# How an error begins about a value that a schema has no place for; the clause follows.
UNWRITABLE = "LSQLC-VALUE"

Fault = tuple[str, str]
"""A condition, and the SQL of the error text if it holds."""

Content = Literal["json", "object", "text", "scalar", "other"]
"""The kind of the JSON of `Decoding.parts`, by which a reader chooses the fastest way to the value.

`json`: the record's own text, which may be invalid. `object`: an object, or null, that was created from the bytes.
`text`: the bytes themselves are the value. `scalar`: a number or a BOOLEAN that was created from the bytes. `other`:
none of these.
"""


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A Python function of the session, for bytes that Spark has no function for. `kind`: `read`, from BINARY to the
    STRING of a JSON text, or `write`, the other way; `name`: the same for the same function; `module`: travels to Spark
    by value, and has an exception `BadValue`, and the function `maker`, which makes this one from `arguments`, plain
    data.
    """

    kind: Literal["read", "write"]
    name: str
    module: str
    maker: str
    arguments: tuple[Any, ...]


class Decoding:
    """How Spark reads the bytes of one facet. A format overrides `parts` or `read`."""

    __slots__ = ()

    def read(self, column: str) -> str:
        """SQL of STRUCT<json: STRING, wrong: STRING> of bytes that are not null: the JSON text of the value, or why
        they have none.
        """
        parts = self.parts(column)
        assert parts is not None, "an encoding without parts reads both at once"
        return outcome(*parts)

    def parts(self, column: str) -> tuple[str, str] | None:
        """SQL of the members of `read`, each by itself, where that takes no longer than both at once; else None."""
        return None

    @property
    def content(self) -> Content:
        """The kind of the JSON of `parts`."""
        return "other"

    def fields_of(self, column: str, type: DataType, otherwise: str) -> str | None:
        """SQL of the JSON text for a reader of these fields alone, where that is another text than `parts` gives.
        `otherwise`: what is given for a text whose names cannot be read.
        """
        return None

    def as_ksqldb(self) -> Self:
        """Return the same encoding for the topics of ksqlDB, whose JSON has forms of its own."""
        return self

    @property
    def functions(self) -> tuple[PythonFunction, ...]:
        """The Python functions that the SQL calls. Spark evaluates none inside of a lambda."""
        return ()


class Encoding(Decoding, ABC):
    """How Spark reads and writes the bytes of one facet."""

    __slots__ = ()

    @abstractmethod
    def bytes(self, value: str) -> str:
        """SQL of the bytes of a value that is not null."""


def outcome(json: str, wrong: str) -> str:
    """SQL of the result of reading bytes: their JSON text, and why they have none."""
    return struct((("json", json), ("wrong", wrong)))


def base64_of(sql: str) -> str:
    """SQL for the base64 of BYTES in one line: Spark breaks it into lines of 76 characters."""
    return f"replace(base64({sql}), '\\r\\n', '')"


def head(id: int) -> str:
    """Return the literal of the five bytes before a body."""
    return f"X'00{id:08x}'"


def id_of(column: str) -> str:
    """SQL of the schema's id before the body of a BINARY column, as text."""
    return f"conv(hex(substring({column}, 2, 4)), 16, 10)"


def head_faults(column: str, ids: Iterable[int]) -> list[Fault]:
    """Return the faults of bytes before the body of a BINARY column, whose schema must have one of these IDs."""
    unknown = f"concat({text('the schema id ')}, {id_of(column)}, {text(' is of no version of the subject')})"
    heads = ", ".join(map(head, sorted(ids)))
    return [
        (f"substring({column}, 1, 1) != X'00' OR length({column}) = 0", text(NO_MAGIC)),
        (f"length({column}) < {HEAD}", text(BROKEN)),
        (f"substring({column}, 1, {HEAD}) NOT IN ({heads})" if heads else "TRUE", unknown),
    ]


def unknown_id(column: str, place: tuple[str, str], answered: Iterable[int], fault: str) -> str:
    """SQL of a fault of bytes, which fails the query for an id that the registry was not asked for. `place`: topic and
    facet; `answered`: the ids that it was asked for.
    """
    heads = ", ".join(map(head, sorted({*answered})))
    among = f" AND substring({column}, 1, {HEAD}) NOT IN ({heads})" if heads else ""
    unknown = f"octet_length({column}) >= {HEAD} AND substring({column}, 1, 1) = X'00'{among}"
    message = f"concat({text(f'{UNKNOWN_ID}:{place[0]}:{place[1]}:')}, {id_of(column)})"
    return f"if({unknown}, raise_error({message}), {fault})"
