"""The current rows of TABLEs in one database in memory: written by one thread, read by several.

Each topic is a table with an index on the text of the key, and plans read these tables in place of topics. A reader
sees the rows as of its statement, while others are written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

import duckdb
import msgspec

from lsqlc.lower.duckdb.database import connect_all
from lsqlc.lower.duckdb.queries import FirstRows
from lsqlc.lower.duckdb.session import Database, Session, value_reader
from lsqlc.lower.duckdb.sources import of_rows, table_name
from lsqlc.plan.kafka_order import by_time
from lsqlc.plan.plan import Plan
from lsqlc.sql.writer import nested
from lsqlc.types import codec
from lsqlc.types.record import Outcome, Record, StoredRecord, Topic

# The numbers of an ordinal whose first one is the time.
_TIMED_WIDTH = 3


class MemorySizeError(Exception):
    """A text that is not an amount of memory."""


class MemoryLimitError(Exception):
    """The rows do not fit into the memory of the database. Nothing was written."""


class InterruptedEvaluationError(Exception):
    """Another thread has ended the evaluation."""


@dataclass(frozen=True, slots=True)
class RowTopic:
    """A topic whose rows are kept. `has_partitions`: its ordinals are those of `kafka_order`."""

    topic: Topic
    has_partitions: bool = False

    @property
    def stored(self) -> Topic:
        """The topic with the ordinals of its rows."""
        return replace(self.topic, ordinal_width=_TIMED_WIDTH) if self.has_partitions else self.topic

    def row_ids(self) -> Callable[[object], str]:
        """Return the function from a key to the text that identifies its row, which is the JSON of the key."""
        encode = codec.encoder(self.topic.key.type)
        return lambda key: encode(key).decode()


class CurrentRows:
    """The rows of some topics. `readers`: for how many threads; `memory`: as of `connect_all`. Raises MemorySizeError
    for another text.

    `write` and `clear` are called by one thread. Close it: see `functions.calls.register`.
    """

    def __init__(self, topics: Iterable[RowTopic], readers: int = 1, memory: str | None = None) -> None:
        self._topics = {each.topic.name: each for each in topics}
        try:
            self._writer, *connections = connect_all(readers + 1, memory)
        except duckdb.Error as error:
            raise MemorySizeError(str(error).splitlines()[0]) from None
        for each in self._topics.values():
            source = f"SELECT * FROM {nested(of_rows(each.stored, 1))} LIMIT 0"
            table = table_name(each.topic.name)
            self._writer.execute(f"CREATE TABLE {table} AS {source}", ["[]"])
            self._writer.execute(f"ALTER TABLE {table} ADD PRIMARY KEY (_case)")
        first = Database(connections[0])
        databases = (Database(connection, first.registered, first.lock) for connection in connections)
        self.readers = tuple(Reader(self._topics, database) for database in databases)

    def write(self, topic: str, rows: Mapping[str, StoredRecord]) -> None:
        """Replace and remove rows in one transaction. `rows`: by their ids, those without a value are removed.

        Raises MemoryLimitError.
        """
        text = _json_rows(self._topics[topic], rows)
        table = table_name(topic)
        self._writer.begin()
        try:
            # INSERT OR REPLACE would lose the sign of zeros in a struct.
            self._writer.execute(f"DELETE FROM {table} WHERE _case IN (SELECT unnest($1::VARCHAR[]))", [[*rows]])
            source = of_rows(self._topics[topic].stored, 1)
            self._writer.execute(f"INSERT INTO {table} {source}", [text])
            self._writer.commit()
        except duckdb.Error as error:
            self._writer.rollback()
            if isinstance(error, duckdb.OutOfMemoryException):
                raise MemoryLimitError from None
            raise

    def clear(self, topic: str) -> None:
        """Remove all rows of a topic."""
        self._writer.execute(f"DELETE FROM {table_name(topic)}")

    def before(self, topic: str, ids: Collection[str]) -> dict[str, Record]:
        """Return the rows with some ids, by id. Called by the thread that writes."""
        return _by_id(self._writer, self._topics[topic].topic, ids)

    def close(self) -> None:
        """Close all connections, which no thread uses any more."""
        for reader in self.readers:
            reader.database.connection.close()
        self._writer.close()


@dataclass(slots=True)
class Reader:
    """A connection that reads the rows, for one thread at a time."""

    topics: Mapping[str, RowTopic]
    database: Database
    _session: Session = field(default_factory=Session)
    _lock: Lock = field(default_factory=Lock)
    _is_busy: bool = False

    def row(self, topic: str, id: str) -> Record | None:
        """Return the row with an id; None if there is none."""
        return _by_id(self.database.connection, self.topics[topic].topic, (id,)).get(id)

    def count(self, topic: str) -> int:
        """Return the number of rows."""
        result = self.database.connection.execute(f"SELECT count(*) FROM {table_name(topic)}").fetchone()
        assert result is not None, "a count has a row"
        return int(result[0])

    def evaluate(self, plan: Plan, now: int, first: FirstRows | None = None) -> Outcome:
        """Return the outcome of a plan over the rows.

        Raises InterruptedEvaluationError. Arguments and other errors: see `Session.evaluate_tables`.
        """
        timestamps = by_time(plan)
        tables = {t.name: _source(self.topics[t.name], is_timed=t.name in timestamps) for t in plan.inputs}
        with self._lock:
            self._is_busy = True
        try:
            return self._session.evaluate_tables(self.database, plan, tables, now, first)
        except duckdb.InterruptException:
            raise InterruptedEvaluationError from None
        finally:
            with self._lock:
                self._is_busy = False

    def interrupt(self) -> None:
        """End an evaluation, from another thread. Without one nothing happens."""
        with self._lock:
            if self._is_busy:
                self.database.connection.interrupt()


def _json_rows(each: RowTopic, rows: Mapping[str, StoredRecord]) -> str:
    """Return the rows that have a value, as `of_rows` reads them."""
    topic = each.stored
    write, quote = codec.encoder(topic.value.type), msgspec.json.encode
    parts = []
    for id, record in rows.items():
        if record.value is None:
            continue
        time = record.timestamp
        # The time is stored; a plan that does not order by it takes a zero.
        ordinal = (time, *record.ordinal[1:]) if each.has_partitions else record.ordinal
        place = str(ordinal[0]) if topic.ordinal_width == 1 else str(list(ordinal))
        parts.append(
            f'{{"case":{quote(id).decode()},"ordinal":{place},"timestamp":{time},"key":{id},"value":{write(record.value).decode()}}}'
        )
    return f"[{','.join(parts)}]"


def _source(each: RowTopic, *, is_timed: bool) -> str:
    ordinal = "_ord" if is_timed or not each.has_partitions else "[0, _ord[2], _ord[3]]"
    return f"SELECT 0 AS _case, {ordinal} AS _ord, _ts, k, v FROM {table_name(each.topic.name)}"


def _by_id(connection: duckdb.DuckDBPyConnection, topic: Topic, ids: Collection[str]) -> dict[str, Record]:
    read_key, read_value = value_reader(topic.key.type), value_reader(topic.value.type)
    read = f"SELECT _case, k, v, _ts FROM {table_name(topic.name)} WHERE _case"
    rows: Sequence[tuple[str, object, object, int]]
    if len(ids) == 1:
        # The index is used for one id only.
        rows = connection.execute(f"{read} = $1", [*ids]).fetchall()
    else:
        rows = connection.execute(f"{read} IN (SELECT unnest($1::VARCHAR[]))", [[*ids]]).fetchall()
    return {id: Record(topic.name, read_key(k), read_value(v), time) for id, k, v, time in rows}
