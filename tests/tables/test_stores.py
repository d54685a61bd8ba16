"""What all stores do with a table: each test runs with each kind of store."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import psycopg
import pyarrow
import pytest
from deltalake import write_deltalake

from lsqlc.connectors.folders.log import FileLog
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.windows import window_key
from lsqlc.tables.check import check
from lsqlc.tables.postgres.store import PostgresSettings
from lsqlc.tables.record import Conflict, Noted, Store, StoreOpening
from lsqlc.tables.schema import Keep, table_schema
from lsqlc.tasks.table_sync import Batch, TableWriter, prepare, sync_tables
from lsqlc.tasks.tables import FollowedTable, maintain, own_source, table_status
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, Topic
from tests.tables.conftest import store_of

TOPIC = Topic("orders", Facet(data.INT, "int"), Facet(parse_columns("item STRING, n BIGINT"), "json"))


def followed(store: Store, folder: Path, keep: Keep, topic: Topic = TOPIC, name: str = "") -> FollowedTable:
    schema = table_schema(topic, keep, (), None)
    name = name or f"orders_{keep}"
    return FollowedTable(store, name, schema, store.kind.open(StoreOpening(folder, store.settings, name)))


def written(log: FileLog, records: Sequence[tuple[Any, Any, int]], topic: Topic = TOPIC) -> None:
    log.append(topic, [Record(topic.name, key, value, time) for key, value, time in records])


def synced(table: FollowedTable, log: FileLog, most: int = 100, *, rebuild: bool = False) -> int:
    """Bring the table up to date; how many batches that took."""
    writer = TableWriter(table, log, rebuild, most=most)
    batches = 0
    while writer.write() is not None:
        batches += 1
    writer.close()
    return batches


def rows(table: FollowedTable) -> list[tuple[Any, ...]]:
    return sorted(table.table.rows(table.schema), key=repr)


def codes(act: Callable[[], object]) -> list[str]:
    with pytest.raises(LsqlcError) as raised:
        act()
    return [d.code for d in raised.value.diagnostics]


KEEPS: tuple[Keep, ...] = ("current", "all", "history")
FIRST = [(1, {"item": "a", "n": 1}, 10), (2, {"item": "b", "n": None}, 20), (1, {"item": "c", "n": 3}, 30)]
SECOND = [(2, None, 40), (3, {"item": None, "n": 9}, 50), (1, None, 60), (1, {"item": "d", "n": 4}, 70)]


def at(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def test_a_table_of_current_rows(store: Store, tmp_path: Path, log: FileLog) -> None:
    table = followed(store, tmp_path, "current")
    written(log, FIRST)
    assert synced(table, log) == 1
    assert rows(table) == [(1, "c", 3), (2, "b", None)]
    written(log, SECOND)
    assert synced(table, log) == 1
    assert rows(table) == [(1, "d", 4), (3, None, 9)]
    assert synced(table, log) == 0


def test_a_table_of_all_records(store: Store, tmp_path: Path, log: FileLog) -> None:
    table = followed(store, tmp_path, "all")
    written(log, FIRST)
    written(log, SECOND)
    assert synced(table, log, most=1) == 2
    assert rows(table) == [(1, "a", 1), (1, "c", 3), (1, "d", 4), (2, "b", None), (3, None, 9)]
    assert synced(table, log) == 0


def test_a_table_with_history(store: Store, tmp_path: Path, log: FileLog) -> None:
    table = followed(store, tmp_path, "history")
    written(log, FIRST)
    synced(table, log)
    written(log, SECOND)
    synced(table, log)
    assert rows(table) == [
        (1, "a", 1, at(10), at(30), False),
        (1, "c", 3, at(30), at(60), False),
        (1, "d", 4, at(70), None, True),
        (2, "b", None, at(20), at(40), False),
        (3, None, 9, at(50), None, True),
    ]
    # A record with the time of the open version replaces it, an earlier one counts from its beginning.
    written(log, [(1, {"item": "e", "n": 5}, 70), (3, {"item": "late", "n": 0}, 45)])
    synced(table, log)
    assert [row for row in rows(table) if row[-1]] == [
        (1, "e", 5, at(70), None, True),
        (3, "late", 0, at(50), None, True),
    ]
    assert (result := check(table.table, table.schema, log)) is not None
    assert result.ok


@pytest.mark.parametrize("keep", ["current", "all", "history"])
def test_a_batch_is_written_once(store: Store, tmp_path: Path, log: FileLog, keep: Keep) -> None:
    """A writer that stopped before it noted the end of a batch does not write it again, and neither does a second one
    that began at the same time.
    """
    table = followed(store, tmp_path, keep)
    written(log, FIRST)
    slow, fast = TableWriter(table, log), TableWriter(table, log)
    for writer in (slow, fast):
        writer.most = 0
        assert writer.write() is None
        writer.most = 100
    assert fast.write() is not None
    before = rows(table)
    assert slow.write() is None
    assert rows(table) == before
    assert synced(table, log) == 0
    with pytest.raises(Conflict):
        table.table.apply(table.schema, [], {"": 9}, Noted(own_source(table, log).text, {}))


@pytest.mark.parametrize("keep", ["current", "all", "history"])
@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_a_writer_that_is_overtaken(
    kind: str, tmp_path: Path, log: FileLog, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer writes the same batch between the moments when a batch is begun and committed. A database locks
    the position instead.
    """
    store = store_of(kind, tmp_path)
    slow, fast = followed(store, tmp_path, keep), followed(store, tmp_path, keep)
    written(log, FIRST)
    prepare(slow, log)
    opened = type(slow.table)._table  # type: ignore[attr-defined]
    overtaken: list[int] = []

    def overtake(table: Any) -> Any:
        begun = opened(table)
        if table is slow.table and not overtaken:
            overtaken.append(synced(fast, log))
        return begun

    monkeypatch.setattr(type(slow.table), "_table", overtake)
    assert synced(slow, log) == 0
    assert overtaken == [1]
    assert (result := check(slow.table, slow.schema, log)) is not None
    assert result.ok


def test_all_types(store: Store, tmp_path: Path, log: FileLog) -> None:
    """Values come back as they were written; keys may be null in parts."""
    value = parse_columns(
        "b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, dc DECIMAL(38,9), s STRING, by BYTES, day DATE, t TIME, "
        "ts TIMESTAMP, a ARRAY<DECIMAL(5,2)>, m MAP<STRING, TIMESTAMP>, "
        "st STRUCT<x: DATE, y: ARRAY<STRUCT<z: BYTES>>>, `odd name \"'` STRING"
    )
    topic = Topic("orders", Facet(parse_columns("k STRING, `odd key` INT"), "json"), Facet(value, "json"))
    full = {
        "b": True, "i": -(2**31), "l": 2**63 - 1, "f": 1.5, "d": -0.1,
        "dc": Decimal("12345678901234567890123456789.123456789"),
        "s": "é\n'\"\\", "by": b"\x00\xff", "day": date(1, 1, 1), "t": 86_399_999_999,
        "ts": datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC), "a": [Decimal("1.10"), None],
        "m": {"k": datetime(2026, 1, 1, tzinfo=UTC), "": None}, "st": {"x": date(2026, 1, 2), "y": [{"z": b"z"}]},
        "odd name \"'": "odd",
    }  # fmt: skip
    nulls = dict.fromkeys(full)
    written(log, [({"k": "a", "odd key": 1}, full, 0), ({"k": None, "odd key": 1}, nulls, 0)], topic)
    written(
        log, [({"k": None, "odd key": 1}, {**nulls, "s": "again"}, 0), ({"k": "a", "odd key": None}, full, 0)], topic
    )
    for keep in KEEPS[::2]:
        table = followed(store, tmp_path, keep, topic)
        assert synced(table, log, most=1) == 2
        assert (result := check(table.table, table.schema, log)) is not None
        assert result.ok, result
        assert result.rows == 3
    written(log, [({"k": "a", "odd key": 1}, None, 0), ({"k": None, "odd key": 1}, None, 0)], topic)
    table = followed(store, tmp_path, "current", topic)
    synced(table, log)
    assert rows(table) == [("a", None, *full.values())]


def test_numbers_that_are_none(store: Store, tmp_path: Path, log: FileLog) -> None:
    topic = Topic("orders", Facet(data.INT, "int"), Facet(parse_columns("d DOUBLE, l ARRAY<DOUBLE>"), "json"))
    written(log, [(1, {"d": math.nan, "l": [math.inf]}, 0), (2, {"d": -math.inf, "l": []}, 0)], topic)
    table = followed(store, tmp_path, "current", topic)
    synced(table, log)
    assert (result := check(table.table, table.schema, log)) is not None
    assert result.ok, result


def test_new_columns_are_added(store: Store, tmp_path: Path, log: FileLog) -> None:
    written(log, FIRST)
    for keep in KEEPS:
        synced(followed(store, tmp_path, keep), log)
    wider = replace(TOPIC, value=Facet(parse_columns("item STRING, n BIGINT, more ARRAY<INT>"), "json"))
    written(log, [(1, {"item": "x", "n": 1, "more": [1]}, 90)], wider)
    for keep in KEEPS:
        table = followed(store, tmp_path, keep, wider)
        synced(table, log)
        names = [name for name in table.schema.names if not name.startswith("_valid") and name != "_is_current"]
        more = names.index("more")
        assert [row[more] for row in rows(table) if row[1] == "x"] == [[1]]
        assert {row[more] is None for row in rows(table) if row[1] != "x"} == {True}


def test_columns_that_went_are_null(store: Store, tmp_path: Path, log: FileLog) -> None:
    written(log, FIRST)
    narrow = replace(TOPIC, value=Facet(parse_columns("item STRING"), "json"))
    for keep in KEEPS:
        synced(followed(store, tmp_path, keep), log)
    written(log, [(7, {"item": "x"}, 90)], narrow)
    for keep in KEEPS:
        synced(followed(store, tmp_path, keep, narrow), log)
        table = followed(store, tmp_path, keep)
        assert [row[:3] for row in rows(table) if row[0] == 7] == [(7, "x", None)]


def test_tables_that_cannot_follow(store: Store, tmp_path: Path, log: FileLog) -> None:
    written(log, FIRST)
    table = followed(store, tmp_path, "current", name="t")
    synced(table, log)
    other_type = replace(TOPIC, value=Facet(parse_columns("item STRING, n STRING"), "json"))
    other_key = replace(TOPIC, key=Facet(parse_columns("a INT, b INT"), "json"))
    for wrong in (
        followed(store, tmp_path, "current", other_type, "t"),
        followed(store, tmp_path, "current", other_key, "t"),
        followed(store, tmp_path, "all", name="t"),
    ):
        assert codes(partial(prepare, wrong, log)) == ["LSQ562"]
    assert rows(table) == [(1, "c", 3), (2, "b", None)]
    # Written anew, it has the rows and the columns of the other declaration.
    other = replace(other_type, name="others")
    written(log, [(5, {"item": "z", "n": "text"}, 0)], other)
    anew = followed(store, tmp_path, "all", other, "t")
    assert synced(anew, log, rebuild=True) == 1
    assert rows(anew) == [(5, "z", "text")]


def test_a_topic_that_was_written_anew(store: Store, tmp_path: Path, log: FileLog) -> None:
    table = followed(store, tmp_path, "all")
    written(log, FIRST)
    written(log, SECOND)
    synced(table, log)
    running = TableWriter(table, log, bounded=False)
    assert running.write() is None
    log.delete("orders")
    written(log, FIRST[:1])
    assert codes(running.write) == ["LSQ563"]
    assert codes(lambda: synced(table, log)) == ["LSQ563"]
    assert synced(table, log, rebuild=True) == 1
    assert rows(table) == [(1, "a", 1)]


def test_a_check_finds_other_rows(store: Store, tmp_path: Path, log: FileLog) -> None:
    table = followed(store, tmp_path, "all")
    written(log, FIRST)
    assert check(table.table, table.schema, log) is None
    synced(table, log)
    written(log, SECOND)
    synced(table, log)
    # The segment of the second batch is gone, and another one has its name.
    _, second = log.segments("orders")
    second.write_bytes(second.read_bytes().replace(b'"d"', b'"e"'))
    for sums in (second.parent.parent / "sums").iterdir():
        sums.unlink()
    result = check(table.table, table.schema, log)
    assert result is not None
    assert (result.missing, result.extra) == (1, 1)
    assert [clause for clause, _ in result.examples] == ["missing", "extra"]


def test_maintenance_changes_no_row(store: Store, tmp_path: Path, log: FileLog) -> None:
    table = followed(store, tmp_path, "history")
    for records in (FIRST, SECOND):
        written(log, records)
        synced(table, log)
    before = rows(table)
    assert table.table.maintain(168, datetime.now(UTC))
    assert rows(table) == before
    written(log, [(3, None, 99)])
    assert synced(table, log) == 1


def test_the_key_of_a_window(store: Store, tmp_path: Path, log: FileLog) -> None:
    """The bounds are times, and the parts of the key inside are columns."""
    key = window_key(parse_columns("a INT, b STRING"))
    topic = Topic("orders", Facet(key, "tw[json]"), Facet(parse_columns("n BIGINT"), "json"))
    records = [
        ({"key": {"a": 1, "b": None}, "start": 0, "end": 60_000}, {"n": 1}, 0),
        ({"key": {"a": 1, "b": None}, "start": 60_000, "end": 120_000}, {"n": 2}, 0),
        ({"key": {"a": 1, "b": None}, "start": 0, "end": 60_000}, {"n": 3}, 0),
    ]
    written(log, records, topic)
    table = followed(store, tmp_path, "current", topic)
    synced(table, log)
    assert rows(table) == [(1, None, at(0), at(60_000), 3), (1, None, at(60_000), at(120_000), 2)]


def test_whole_keys_and_values(store: Store, tmp_path: Path, log: FileLog) -> None:
    topic = Topic("orders", Facet(data.STRING, "string"), Facet(data.BIGINT, "long"))
    written(log, [("a", 1, 0), ("a", 2, 0)], topic)
    table = followed(store, tmp_path, "current", topic)
    synced(table, log)
    assert table.schema.names == ("_key", "_value")
    assert rows(table) == [("a", 2)]


@pytest.mark.parametrize("keep", ["current", "all", "history"])
def test_records_that_make_no_rows(store: Store, tmp_path: Path, log: FileLog, keep: Keep) -> None:
    """Their positions are noted, so that the table goes on behind them."""
    table = followed(store, tmp_path, keep)
    for key in (1, 2):
        written(log, [(key, None, 10)])
    written(log, FIRST)
    assert synced(table, log, most=1) == 3
    assert len(rows(table)) == (2 if keep == "current" else 3)
    written(log, [(9, None, 10)])
    assert synced(table, log, most=1) == 1
    assert synced(table, log) == 0


@pytest.mark.parametrize("keep", ["current", "history"])
def test_records_without_a_key(store: Store, tmp_path: Path, log: FileLog, keep: Keep) -> None:
    """They are no rows of a table, and are counted."""
    table = followed(store, tmp_path, keep)
    for number in range(3):
        written(log, [(None, {"item": "x", "n": number}, number), (5, {"item": "y", "n": number}, 0), (None, None, 9)])
    batch = TableWriter(table, log, most=1).write()
    assert batch is not None
    assert (batch.records, batch.keyless) == (3, 2)
    synced(table, log, most=1)
    assert [row[:3] for row in rows(table)] == [(5, "y", 2)]


def test_a_table_that_was_rebuilt_meanwhile(store: Store, tmp_path: Path, log: FileLog) -> None:
    """A writer that still has another declaration stops, and writes nothing into the new rows."""
    old = followed(store, tmp_path, "current", name="t")
    written(log, FIRST)
    running = TableWriter(old, log, bounded=False)
    assert running.write() is not None
    new = followed(store, tmp_path, "all", name="t")
    synced(new, log, rebuild=True)
    written(log, SECOND)
    assert codes(running.write) == ["LSQ562"]
    synced(new, log)
    assert (result := check(new.table, new.schema, log)) is not None
    assert result.ok


def test_a_column_that_went_is_null_in_changed_rows(store: Store, tmp_path: Path, log: FileLog) -> None:
    written(log, FIRST)
    table = followed(store, tmp_path, "current")
    synced(table, log)
    narrow = replace(TOPIC, value=Facet(parse_columns("item STRING"), "json"))
    written(log, [(1, {"item": "new"}, 90)], narrow)
    synced(followed(store, tmp_path, "current", narrow), log)
    assert rows(table) == [(1, "new", None), (2, "b", None)]


def test_maintenance_is_for_own_tables(tmp_path: Path, log: FileLog) -> None:
    """A table that something else has created is not touched."""
    write_deltalake(tmp_path / "lake" / "orders_all", pyarrow.table({"n": [1]}))
    table = followed(store_of("delta", tmp_path), tmp_path, "all")
    assert codes(lambda: maintain(table, 168, datetime.now(UTC))) == ["LSQ562"]
    written(log, FIRST)
    assert codes(lambda: synced(table, log)) == ["LSQ562"]
    assert table_status(table, log).problem == "lsqlc has not created it"


def test_names_that_postgres_cannot_hold(tmp_path: Path, log: FileLog) -> None:
    """They would be cut, so that a column is not found again."""
    topic = replace(TOPIC, value=Facet(parse_columns("c" * 70 + " INT"), "json"))
    written(log, [(1, {"c" * 70: 1}, 0)], topic)
    table = followed(store_of("postgres", tmp_path), tmp_path, "current", topic)
    with pytest.raises(LsqlcError, match="more than 63 bytes"):
        synced(table, log)
    for name in ("n" * 60 + "1", "n" * 60 + "2"):
        long = followed(store_of("postgres", tmp_path), tmp_path, "current", topic=TOPIC, name=name)
        written(log, FIRST)
        synced(long, log)
        assert rows(long)


def test_a_position_that_somebody_removed(tmp_path: Path, log: FileLog) -> None:
    """The table is no longer known, so that nothing is written twice."""
    store = store_of("postgres", tmp_path)
    table = followed(store, tmp_path, "all")
    written(log, FIRST)
    running = TableWriter(table, log, bounded=False)
    assert running.write() is not None
    with psycopg.connect(store.settings.url) as connection:
        connection.execute(f'DELETE FROM "{store.settings.schema}".lsqlc_positions')
    written(log, SECOND)
    assert codes(running.write) == ["LSQ562"]
    assert len(rows(table)) == 3


def test_grants_and_views_survive_a_rebuild(tmp_path: Path, log: FileLog) -> None:
    store = store_of("postgres", tmp_path)
    table, schema = followed(store, tmp_path, "current", name="t"), store.settings.schema
    written(log, FIRST)
    synced(table, log)
    with psycopg.connect(store.settings.url) as connection:
        connection.execute(f'CREATE VIEW "{schema}".v AS SELECT item FROM "{schema}".t')
    wider = replace(TOPIC, value=Facet(parse_columns("item STRING, n STRING"), "json"))
    log.delete("orders")
    written(log, [(1, {"item": "a", "n": "text"}, 0)], wider)
    table = followed(store, tmp_path, "current", wider, "t")
    assert synced(table, log, rebuild=True) == 1
    with psycopg.connect(store.settings.url) as connection:
        assert connection.execute(f'SELECT * FROM "{schema}".v').fetchall() == [("a",)]
    assert rows(table) == [(1, "a", "text")]


def test_a_file_is_read_once(tmp_path: Path, log: FileLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """In whatever batch its records are, and whatever follows it; its checksum needs no other reading."""
    table = followed(store_of("delta", tmp_path), tmp_path, "all")
    for _ in range(5):
        written(log, FIRST)
    prepare(table, log)
    reads: Counter[str] = Counter()
    opened = Path.open

    def counted(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.parent.name == "data":
            reads[path.name] += 1
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", counted)
    writer = TableWriter(table, log, most=1)
    batches = [batch for _ in range(5) if (batch := writer.write()) is not None]
    assert writer.write() is None
    # By the sizes of files, which differ by the digits of ordinals.
    assert [batch.left - 3 * (4 - n) for n, batch in enumerate(batches)] in ([1, 1, 1, 1, 0], [0] * 5)
    assert set(reads.values()) == {1}


def test_a_topic_is_identified_once(tmp_path: Path, log: FileLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster is asked for the id of the topic once for a batch."""
    asked: list[str] = []

    def topic_id(log: FileLog, topic: str) -> str:
        asked.append(topic)
        return "id"

    monkeypatch.setattr(FileLog, "topic_id", topic_id)
    table = followed(store_of("delta", tmp_path), tmp_path, "all")
    for _ in range(2):
        written(log, FIRST)
    writer = TableWriter(table, log, most=1)
    assert writer.write() is not None
    assert asked == ["orders"]
    assert writer.write() is not None
    assert asked == ["orders"] * 2


def test_keys_of_numbers_that_are_none(store: Store, tmp_path: Path, log: FileLog) -> None:
    """NaN is one key, and so are both zeros."""
    topic = Topic("orders", Facet(data.DOUBLE, "json"), Facet(parse_columns("n BIGINT"), "json"))
    written(log, [(key, {"n": n}, n) for n, key in enumerate([math.nan, 0.0, -0.0, float("nan")])], topic)
    for keep in KEEPS[::2]:
        table = followed(store, tmp_path, keep, topic)
        synced(table, log)
        assert [row[1] for row in rows(table) if row[-1] is not False] == [2, 3]


def test_tables_are_kept_up_to_date_until_the_end(tmp_path: Path, log: FileLog) -> None:
    """A table that fails is reported once, and the others go on. New records are taken after a pause."""
    down = replace(store_of("postgres", tmp_path), settings=PostgresSettings("postgresql://127.0.0.1:1/none", "s"))
    good, bad = followed(store_of("delta", tmp_path), tmp_path, "all"), followed(down, tmp_path, "all")
    written(log, FIRST)
    reports: list[tuple[FollowedTable, Batch | LsqlcError]] = []

    def sync(pause: Callable[[], object] | None) -> list[str]:
        writers = [TableWriter(table, log, bounded=pause is None) for table in (bad, good)]
        failures = sync_tables(writers, lambda: stopped, lambda *of_table: reports.append(of_table), pause)
        return [str(error) for error in failures]

    stopped = False
    (failure,) = sync(None)
    assert "LSQ564" in failure
    assert [table.shown for table, _ in reports] == [bad.shown, good.shown]
    assert len(rows(good)) == 3

    def pause() -> None:
        nonlocal stopped
        stopped = len(rows(good)) > 3
        written(log, SECOND[1:2])

    reports.clear()
    assert len(sync(pause)) == 1
    assert [table.shown for table, _ in reports] == [bad.shown, good.shown]
    assert len(rows(good)) == 4


def test_an_outage_that_has_ended_is_no_failure(tmp_path: Path, log: FileLog) -> None:
    """Although no record came behind it. A second outage is reported again."""
    table = followed(store_of("delta", tmp_path), tmp_path, "all")
    outage = LsqlcError([Diagnostic("LSQ564", "the store does not answer")])
    writer = Mock(spec=TableWriter, table=table)
    writer.write.side_effect = [outage, outage, None, outage, None]
    reports: list[object] = []
    pauses = iter(range(5))
    stopped = False

    def pause() -> None:
        nonlocal stopped
        stopped = next(pauses) == 4

    assert sync_tables([writer], lambda: stopped, lambda _, result: reports.append(result), pause) == ()
    assert reports == [outage, outage]


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
@pytest.mark.parametrize("keep", ["current", "all"])
def test_a_lake_takes_changes_as_arrow_data(
    kind: str, tmp_path: Path, log: FileLog, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No record is made of a line, unless a line of its batch has another form than lsqlc writes."""
    table = followed(store_of(kind, tmp_path), tmp_path, keep)
    decoded: list[str] = []
    records_of = FileLog._records

    def counted(log: FileLog, topic: Topic, *arguments: Any, **options: Any) -> Any:
        for record in records_of(log, topic, *arguments, **options):
            decoded.append(topic.name)
            yield record

    monkeypatch.setattr(FileLog, "_records", counted)
    written(log, FIRST)
    written(log, SECOND)
    assert synced(table, log, most=1) == 2
    assert not decoded
    log.append(TOPIC, [Record("orders", 8, {"item": "h", "n": 1}, 90, (("trace", b"x"),))])
    assert synced(table, log) == 1
    assert decoded == ["orders"]
    assert (result := check(table.table, table.schema, log)) is not None
    assert result.ok
