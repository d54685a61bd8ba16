"""Changes of a PostgreSQL database as a connector of Debezium writes them: its logical decoding by the plugin
`pgoutput`, in envelopes of JSON.

The format is that of protocol version 1 of "Logical Replication Message Formats" in PostgreSQL's documentation.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from psycopg import Connection

SLOT = "lsqlc_demo"
# Forms of values by the object identifiers of types: boolean, bigint, smallint, integer, real, double precision. All
# others, numeric among them, are text, as with `decimal.handling.mode=string`.
_FORMS: Mapping[int, Callable[[str], Any]] = {16: "t".__eq__, 20: int, 21: int, 23: int, 700: float, 701: float}


@dataclass(frozen=True, slots=True)
class Change:
    """A record: the table, its key and its envelope; `envelope` None: the tombstone behind a deletion."""

    table: str
    key: dict[str, Any]
    envelope: dict[str, Any] | None

    @property
    def line(self) -> str:
        """The change as a line for `lsqlc produce`."""
        value = {"value": None} if self.envelope is None else {"raw": json.dumps(self.envelope)}
        return json.dumps({"key": self.key, **value})


@dataclass(frozen=True, slots=True)
class _Relation:
    """`columns`: name, object identifier of the type, and whether it is part of the key."""

    name: str
    columns: tuple[tuple[str, int, bool], ...]


@dataclass(slots=True)
class _Message:
    """The bytes of a message, read from the front."""

    data: bytes
    place: int = 0

    def read(self, form: str) -> Any:
        (value,) = struct.unpack_from(f">{form}", self.data, self.place)
        self.place += struct.calcsize(f">{form}")
        return value

    def text(self) -> str:
        end = self.data.index(b"\0", self.place)
        text = self.data[self.place : end].decode()
        self.place = end + 1
        return text

    def take(self, count: int) -> bytes:
        self.place += count
        return self.data[self.place - count : self.place]


def watch(connection: Connection[Any], *tables: str) -> None:
    """Have the database keep the changes of tables. Old rows are logged whole, so that `before` has them."""
    for table in tables:
        connection.execute(f"ALTER TABLE {table} REPLICA IDENTITY FULL")
    connection.execute(f"CREATE PUBLICATION {SLOT} FOR TABLE {', '.join(tables)}")
    connection.commit()
    connection.execute("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (SLOT,))
    connection.commit()


@dataclass(slots=True)
class Decoder:
    """Reads the changes since the last call. `keys`: the columns of each table's key."""

    keys: Mapping[str, tuple[str, ...]]
    relations: dict[int, _Relation] = field(default_factory=dict)

    def changes(self, connection: Connection[Any]) -> Iterator[Change]:
        rows = connection.execute(
            "SELECT lsn - '0/0'::pg_lsn, xid::text::bigint, data "
            "FROM pg_logical_slot_get_binary_changes(%s, NULL, NULL, 'proto_version', '1', 'publication_names', %s)",
            (SLOT, SLOT),
        ).fetchall()
        connection.commit()
        for lsn, transaction, data in rows:
            yield from self._decoded(int(lsn), int(transaction), _Message(bytes(data)))

    def _decoded(self, lsn: int, transaction: int, message: _Message) -> Iterator[Change]:
        kind = chr(message.read("B"))
        if kind == "R":
            number, _, name = message.read("I"), message.text(), message.text()
            message.read("B")
            columns = []
            for _ in range(message.read("H")):
                is_key = bool(message.read("B") & 1)
                column = message.text()
                columns.append((column, message.read("I"), is_key))
                message.read("i")
            self.relations[number] = _Relation(name, tuple(columns))
            return
        if kind not in "IUD":
            return
        relation = self.relations[message.read("I")]
        rows = {}
        while message.place < len(message.data):
            which = chr(message.read("B"))
            rows["before" if which in "KO" else "after"] = _row(relation, message)
        before, after = rows.get("before"), rows.get("after")
        source = {
            "connector": "postgresql", "name": "shop", "db": "postgres", "schema": "public", "table": relation.name,
            "lsn": lsn, "txId": transaction, "snapshot": "false",
        }  # fmt: skip
        op = {"I": "c", "U": "u", "D": "d"}[kind]
        row = after or before or {}
        key = {name: row[name] for name in self.keys[relation.name]}
        yield Change(relation.name, key, {"before": before, "after": after, "source": source, "op": op})
        if op == "d":
            yield Change(relation.name, key, None)


def _row(relation: _Relation, message: _Message) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for (name, type, _), _ in zip(relation.columns, range(message.read("H")), strict=True):
        kind = chr(message.read("B"))
        if kind == "t":
            text = message.take(message.read("I")).decode()
            row[name] = _FORMS.get(type, str)(text)
        else:
            row[name] = "__debezium_unavailable_value" if kind == "u" else None
    return row
