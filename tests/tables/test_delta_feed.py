"""The rows of a Delta table as records of a topic, by versions."""

from __future__ import annotations

import base64
import json
import struct
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from lsqlc.diagnostics import LsqlcError, Span
from lsqlc.tables.delta.feed import DeltaFeed
from lsqlc.tables.delta.reader import DeltaReader
from lsqlc.tables.delta.source import DeltaSource, table_columns
from lsqlc.types.data import Struct
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import ABSENT, Facet, Record, Topic

SPAN = Span("models/topics.yml", 2, 5, 2, 11)
COLUMNS = "id BIGINT, v STRING"
CDF = {"delta.enableChangeDataFeed": "true"}


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return str(tmp_path / "table")


def _rows(*rows: tuple[int | None, str | None]) -> pa.Table:
    return pa.table({"id": pa.array([r[0] for r in rows], pa.int64()), "v": pa.array([r[1] for r in rows])})


def _feed(uri: str, columns: str = COLUMNS, event_time: str | None = None, **source: Any) -> DeltaFeed:
    value = parse_columns(columns)
    assert isinstance(value, Struct)
    declared = DeltaSource("table", SPAN, **source)
    keys = tuple(f for f in value.fields if f.name in declared.key)
    key = ABSENT if not keys else Facet(keys[0].type if len(keys) == 1 else Struct(keys), "json")
    topic = Topic("orders", key, Facet(value, "json"), event_time=event_time, connector="delta")
    return DeltaFeed(topic, declared, DeltaReader(uri, "table", "orders"))


def _parts(feed: DeltaFeed, position: int | None) -> list[tuple[int, list[Record]]]:
    return [(part.version, list(part.records)) for part in feed.parts(position)]


def _values(feed: DeltaFeed, position: int | None) -> list[tuple[int, list[tuple[Any, Any]]]]:
    """Versions with their records: the key, and the value of `v`; None of a record without a value."""
    return [
        (version, [(r.key, r.value and r.value["v"]) for r in records]) for version, records in _parts(feed, position)
    ]


def _code(feed: DeltaFeed, position: int | None) -> str:
    with pytest.raises(LsqlcError) as raised:
        _parts(feed, position)
    return "\n".join(f"{d.code} {d.message}" for d in raised.value.diagnostics)


def test_rows_that_are_there_come_first_and_then_each_version(uri: str) -> None:
    """In a stable order, with the time of the commit."""
    write_deltalake(uri, _rows((2, "b"), (1, "a")))
    write_deltalake(uri, _rows((3, "c")), mode="append")
    feed = _feed(uri)
    assert _values(feed, None) == [(1, [(None, "a"), (None, "b"), (None, "c")])]
    write_deltalake(uri, _rows((9, "y"), (4, "z")), mode="append")
    write_deltalake(uri, _rows((5, None)), mode="append")
    later = _feed(uri)
    assert _values(later, 2) == [(2, [(None, "z"), (None, "y")]), (3, [(None, None)])]
    times = {h["version"]: h["timestamp"] for h in DeltaTable(uri).history()}
    for version, records in _parts(later, 1):
        assert {r.timestamp for r in records} == {times[version]}
    assert list(later.parts(4)) == [] and feed.writer == later.writer


def test_a_topic_can_begin_with_a_version(uri: str) -> None:
    """Then each commit has its own time."""
    for n in range(3):
        write_deltalake(uri, _rows((n, "a")), mode="append")
    assert [v for v, _ in _values(_feed(uri, from_version=0), None)] == [0, 1, 2]
    assert [v for v, _ in _values(_feed(uri, from_version=2), None)] == [2]
    assert _values(_feed(uri, from_version=3), None) == []


def test_compactions_have_no_records(uri: str) -> None:
    write_deltalake(uri, _rows((1, "a")))
    write_deltalake(uri, _rows((2, "b")), mode="append")
    DeltaTable(uri).optimize.compact()
    DeltaTable(uri).alter.set_table_properties({"delta.logRetentionDuration": "interval 60 days"})
    assert _values(_feed(uri), 1) == [(1, [(None, "b")]), (2, []), (3, [])]
    assert _values(_feed(uri, rows="current", key=("id",)), 1) == [(1, [(2, "b")]), (2, []), (3, [])]


def test_rows_that_are_equal_are_all_records(uri: str) -> None:
    """A topic of appended rows needs no key."""
    write_deltalake(uri, _rows((1, "a"), (1, "a")))
    write_deltalake(uri, _rows((1, "a"), (1, "a")), mode="append")
    assert _values(_feed(uri), 0) == [(0, [(None, "a")] * 2), (1, [(None, "a")] * 2)]


@pytest.mark.parametrize("configuration", [{}, CDF])
@pytest.mark.parametrize("partitions", [None, ["v"]])
def test_changes_of_rows(uri: str, configuration: dict[str, str], partitions: list[str] | None) -> None:
    """With and without a change data feed: rows of rewritten files that are the same are no records."""
    write_deltalake(uri, _rows((1, "a"), (2, "b"), (3, "c")), configuration=configuration, partition_by=partitions)
    DeltaTable(uri).update(updates={"v": "'B'"}, predicate="id = 2")
    DeltaTable(uri).delete("id = 3")
    merger = DeltaTable(uri).merge(_rows((1, "A"), (4, "d")), "t.id = s.id", source_alias="s", target_alias="t")
    merger.when_matched_update_all().when_not_matched_insert_all().execute()
    write_deltalake(uri, _rows((4, "d"), (5, "e")), mode="overwrite")
    feed = _feed(uri, rows="current", key=("id",))
    assert _values(feed, 0) == [
        (0, [(1, "a"), (2, "b"), (3, "c")]),
        (1, [(2, "B")]),
        (2, [(3, None)]),
        (3, [(1, "A"), (4, "d")]),
        (4, [(5, "e"), (1, None), (2, None)]),
    ]
    assert _values(feed, None) == [(4, [(4, "d"), (5, "e")])]


@pytest.mark.parametrize("configuration", [{}, CDF])
def test_columns_of_partitions(uri: str, configuration: dict[str, str]) -> None:
    """They are in the log, and not in the files; a null too."""
    days = [datetime(2024, 5, 1, tzinfo=UTC).date(), None]
    table = pa.table(
        {
            "id": pa.array([1, 2], pa.int64()),
            "day": pa.array(days, pa.date32()),
            "n": pa.array([7, None], pa.int32()),
            "at": pa.array([datetime(2024, 5, 1, 12, tzinfo=UTC), None], pa.timestamp("us", "UTC")),
            "ok": pa.array([True, None]),
        }
    )
    write_deltalake(uri, table, configuration=configuration, partition_by=["day", "n", "at", "ok"])
    DeltaTable(uri).update(updates={"n": "8"}, predicate="id = 1")
    columns = "id BIGINT, day DATE, n INT, at TIMESTAMP, ok BOOLEAN"
    feed = _feed(uri, columns, rows="current", key=("id",))
    first = {"id": 1, "day": days[0], "n": 7, "at": datetime(2024, 5, 1, 12, tzinfo=UTC), "ok": True}
    second = {"id": 2, "day": None, "n": None, "at": None, "ok": None}
    assert [[r.value for r in records] for _, records in _parts(feed, 0)] == [[first, second], [{**first, "n": 8}]]
    assert [r.value for r in _parts(feed, None)[0][1]] == [{**first, "n": 8}, second]


@pytest.mark.parametrize("configuration", [{}, CDF])
def test_an_empty_partition_value_is_null(uri: str, configuration: dict[str, str]) -> None:
    """In all rows of a version, and in those that a version has changed."""
    rows = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "p": ["", None, "x"]})
    write_deltalake(uri, rows, partition_by=["p"], configuration=configuration)
    write_deltalake(uri, rows, mode="append")
    feed = _feed(uri, "id BIGINT, p STRING")
    parts = [*_parts(feed, None), *_parts(feed, 0)]
    values = [[(r.value["id"], r.value["p"]) for r in records if r.value] for _, records in parts]
    once = [(1, None), (2, None), (3, "x")]
    assert values == [sorted(once * 2, key=lambda row: row[0]), once, once]


@pytest.mark.parametrize("name", ["my table", "größe", "a+b=c"])
def test_paths_of_tables(tmp_path: Path, name: str) -> None:
    """With characters that an address would escape."""
    uri = str(tmp_path / name)
    write_deltalake(uri, _rows((1, "a")))
    DeltaTable(uri).update(updates={"v": "'b'"}, predicate="id = 1")
    feed = _feed(uri, rows="current", key=("id",))
    assert _values(feed, 0) == [(0, [(1, "a")]), (1, [(1, "b")])]
    assert _values(feed, None) == [(1, [(1, "b")])]


def test_a_key_of_several_columns(uri: str) -> None:
    write_deltalake(uri, _rows((1, "a"), (1, "b")))
    DeltaTable(uri).delete("v = 'b'")
    feed = _feed(uri, rows="current", key=("v", "id"))
    assert [(r.key, r.value) for _, records in _parts(feed, 1) for r in records] == [({"v": "b", "id": 1}, None)]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (((1, "a"), (None, "b")), "LSQ614 the column 'id' of the key of the topic 'orders' is null in version"),
        (((1, "a"), (1, "b")), "LSQ614 the key id 1 of the topic 'orders' is the key of several rows in version"),
    ],
)
def test_keys_that_make_no_row_unique(uri: str, rows: tuple[tuple[int | None, str], ...], problem: str) -> None:
    """In the rows that are there, and in those of a version."""
    write_deltalake(uri, _rows((7, "x")))
    write_deltalake(uri, _rows(*rows), mode="append")
    feed = _feed(uri, rows="current", key=("id",))
    assert _code(feed, None) == _code(feed, 1) == f"{problem} 1 of the Delta table 'table'"
    assert len(_values(_feed(uri, key=("id",)), 1)[0][1]) == 2


@pytest.mark.parametrize("configuration", [{}, CDF])
@pytest.mark.parametrize("partitions", [None, ["v"]])
def test_a_key_that_an_earlier_version_has(
    uri: str, configuration: dict[str, str], partitions: list[str] | None
) -> None:
    """Else the row that stays would be lost when the other one is removed. A key may come back once it is removed."""
    write_deltalake(uri, _rows((1, "a"), (9, "z")), configuration=configuration, partition_by=partitions)
    write_deltalake(uri, _rows((5, "m")), mode="append")
    write_deltalake(uri, _rows((1, "b")), mode="append")
    DeltaTable(uri).delete("v = 'a'")
    feed = _feed(uri, rows="current", key=("id",))
    assert next(feed.parts(1)).version == 1
    assert _code(feed, 2).startswith(
        "LSQ614 the key id 1 of the topic 'orders' is the key of several rows in version 2"
    )
    DeltaTable(uri).delete("id = 1")
    write_deltalake(uri, _rows((1, "c")), mode="append")
    assert _values(_feed(uri, rows="current", key=("id",)), 4) == [(4, [(1, None)]), (5, [(1, "c")])]


def test_keys_of_other_types_in_earlier_versions(uri: str) -> None:
    """Texts with quotes and line breaks, and keys of several columns."""
    strange = "it's\na\\b"
    rows = pa.table({"id": pa.array([1], pa.int32()), "v": [strange], "d": pa.array([Decimal("1.50")])})
    write_deltalake(uri, rows)
    write_deltalake(uri, rows.set_column(0, "id", pa.array([2], pa.int32())), mode="append")
    columns = "id INT, v STRING, d DECIMAL(3, 2)"
    for key in (("v",), ("d",), ("d", "v")):
        assert "LSQ614" in _code(_feed(uri, columns, rows="current", key=key), 1)
    assert len(_parts(_feed(uri, columns, rows="current", key=("v", "id")), 1)[0][1]) == 1


def test_rows_that_are_removed_are_no_appended_rows(uri: str) -> None:
    """They are an error with the version, unless the declaration passes over such versions."""
    write_deltalake(uri, _rows((1, "a"), (2, "b")))
    DeltaTable(uri).update(updates={"v": "'B'"}, predicate="id = 2")
    assert _code(_feed(uri), 1) == (
        "LSQ612 version 1 of the Delta table 'table' changes or rewrites rows, and the topic 'orders' has appended rows"
    )
    assert "LSQ612 version 1" in _code(_feed(uri, ignore="deletes"), 1)
    with pytest.raises(LsqlcError) as raised:
        list(_feed(uri, ignore="deletes").parts(1))
    assert raised.value.diagnostics[0].notes[0] == "`ignore: deletes` passes over versions that only remove whole files"
    write_deltalake(uri, _rows((3, "c")), mode="append")
    assert _values(_feed(uri, ignore="changes"), 1) == [(1, []), (2, [(None, "c")])]
    DeltaTable(uri).delete()
    assert _code(_feed(uri), 3).startswith("LSQ612 version 3 of the Delta table 'table' removes rows")
    assert _values(_feed(uri, ignore="deletes"), 3) == _values(_feed(uri, ignore="changes"), 3) == [(3, [])]


def test_values_of_all_types(uri: str) -> None:
    """Times without a zone are those of UTC, whatever the zone of the machine."""
    at = datetime(2024, 5, 1, 12, 30, 0, 250_000)
    table = pa.table(
        {
            "s": pa.array([7], pa.int16()),
            "x": pa.array([b"\x00\xff"]),
            "f": pa.array([1.5], pa.float32()),
            "price": pa.array([Decimal("12.50")], pa.decimal128(12, 2)),
            "day": pa.array([at.date()]),
            "at": pa.array([at.replace(tzinfo=UTC)], pa.timestamp("us", "UTC")),
            "local": pa.array([at], pa.timestamp("us")),
            "list": pa.array([[at, None]], pa.list_(pa.timestamp("us"))),
            "map": pa.array([[("a", {"n": 1})]], pa.map_(pa.string(), pa.struct([("n", pa.int8())]))),
            "none": pa.array([None], pa.string()),
            "texts": pa.array([[{"t": "x", "b": [b"\x01"]}, None]]),
        }
    )
    write_deltalake(uri, table)
    columns = table_columns(DeltaTable(uri).schema().to_json()).columns
    feed = _feed(uri)
    feed = DeltaFeed(Topic("orders", ABSENT, Facet(columns, "json")), feed.source, feed.reader)
    utc = at.replace(tzinfo=UTC)
    for position in (None, 0):
        ((_, (record,)),) = _parts(feed, position)
        assert record.value == {
            "s": 7, "x": b"\x00\xff", "f": 1.5, "price": Decimal("12.50"), "day": at.date(), "at": utc, "local": utc,
            "list": [utc, None], "map": {"a": {"n": 1}}, "none": None,
            "texts": [{"t": "x", "b": [b"\x01"]}, None],
        }  # fmt: skip


def test_a_value_that_no_record_can_have(uri: str) -> None:
    """The column is named, and nothing of the version is a record."""
    days = pa.array([0, 6_673_000], pa.int32()).cast(pa.date32())
    write_deltalake(uri, pa.table({"id": pa.array([1, 2], pa.int64()), "v": ["a", "b"], "day": days}))
    assert _code(_feed(uri, f"{COLUMNS}, day DATE"), None) == (
        "LSQ616 a value of 'day' in the Delta table 'table' of the topic 'orders' is out of range"
    )
    assert len(_values(_feed(uri), None)[0][1]) == 2


def test_records_of_a_version_are_in_the_order_of_their_time(uri: str) -> None:
    """Of the field that the topic declares, before that of the columns."""
    rows = [{"id": 1, "m": {"at": 30}}, {"id": 2, "m": {"at": 10}}, {"id": 3, "m": {"at": 20}}]
    write_deltalake(uri, pa.Table.from_pylist(rows))
    feed = _feed(uri, "id BIGINT, m STRUCT<at: BIGINT>", event_time="m.at")
    assert [r.value["id"] for r in _parts(feed, None)[0][1]] == [2, 3, 1]


@pytest.mark.parametrize("configuration", [{}, CDF])
def test_a_new_column_goes_on(uri: str, configuration: dict[str, str]) -> None:
    """It is not read until it is declared; then it is null in older rows. The commit that adds it may have rows."""
    write_deltalake(uri, _rows((1, "a")), configuration=configuration)
    write_deltalake(uri, _rows((2, "b")), mode="append")
    wider = pa.table({"id": pa.array([3], pa.int64()), "v": ["c"], "w": ["new"]})
    write_deltalake(uri, wider, mode="append", schema_mode="merge")
    assert _values(_feed(uri), 1) == [(1, [(None, "b")]), (2, [(None, "c")])]
    feed = _feed(uri, f"{COLUMNS}, w STRING", rows="current", key=("id",))
    assert [(v, [(r.key, r.value["w"]) for r in records]) for v, records in _parts(feed, 0)] == [
        (0, [(1, None)]), (1, [(2, None)]), (2, [(3, "new")]),
    ]  # fmt: skip


@pytest.mark.parametrize("configuration", [{}, CDF])
def test_a_removed_column_that_the_topic_does_not_have(uri: str, configuration: dict[str, str]) -> None:
    """Earlier versions are read as well as later ones, also after the change data feed was switched on."""
    wider = pa.table({"x": [1.5, 2.5], "id": pa.array([1, 2], pa.int64()), "v": ["a", "b"]})
    write_deltalake(uri, wider, configuration=configuration)
    DeltaTable(uri).update(updates={"v": "'A'"}, predicate="id = 1")
    write_deltalake(uri, _rows((1, "A"), (2, "B")), mode="overwrite", schema_mode="overwrite")
    DeltaTable(uri).alter.set_table_properties(CDF)
    DeltaTable(uri).delete("id = 2")
    feed = _feed(uri, rows="current", key=("id",))
    assert _values(feed, 0) == [
        (0, [(1, "a"), (2, "b")]), (1, [(1, "A")]), (2, [(2, "B")]), (3, []), (4, [(2, None)]),
    ]  # fmt: skip


def test_a_feed_that_was_switched_off(uri: str) -> None:
    """Versions before, between and after are read."""
    write_deltalake(uri, _rows((1, "a"), (2, "b")))
    for value, id in (("true", 1), ("false", 2)):
        DeltaTable(uri).alter.set_table_properties({"delta.enableChangeDataFeed": value})
        DeltaTable(uri).update(updates={"v": f"'{value}'"}, predicate=f"id = {id}")
    feed = _feed(uri, rows="current", key=("id",))
    assert _values(feed, 0) == [
        (0, [(1, "a"), (2, "b")]), (1, []), (2, [(1, "true")]), (3, []), (4, [(2, "false")]),
    ]  # fmt: skip


def test_a_table_that_was_restored(uri: str) -> None:
    """Its current rows are those of the former version; rows that were removed are a change of appended rows."""
    write_deltalake(uri, _rows((1, "a")))
    DeltaTable(uri).update(updates={"v": "'b'"}, predicate="id = 1")
    write_deltalake(uri, _rows((2, "c")), mode="append")
    DeltaTable(uri).restore(0)
    assert _values(_feed(uri, rows="current", key=("id",)), 3) == [(3, [(1, "a"), (2, None)])]
    assert "LSQ612 version 3" in _code(_feed(uri), 3)


def test_a_changed_or_removed_column_is_an_error(uri: str) -> None:
    write_deltalake(uri, _rows((1, "a")))
    other = pa.table({"id": ["1"], "w": ["a"]})
    write_deltalake(uri, other, mode="overwrite", schema_mode="overwrite")
    assert _code(_feed(uri), 1) == (
        "LSQ611 the column 'id' of the Delta table of 'orders' is STRING in version 1, and BIGINT in the topic\n"
        "LSQ611 the Delta table of 'orders' has no column 'v' in version 1"
    )
    assert _code(_feed(uri, "id STRING", rows="current", key=("id",)), 0) == (
        "LSQ611 the column 'id' of the Delta table of 'orders' is BIGINT in version 0, and STRING in the topic"
    )


def test_versions_that_are_no_longer_there(uri: str) -> None:
    """Their files were vacuumed, or the log was cleaned. The rows that are there can still be read."""
    write_deltalake(uri, _rows((1, "a")))
    write_deltalake(uri, _rows((2, "b")), mode="append")
    write_deltalake(uri, _rows((3, "c")), mode="append")
    DeltaTable(uri).optimize.compact()
    DeltaTable(uri).vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False)
    message = "of the Delta table 'table' of the topic 'orders' cannot be read any more"
    assert _code(_feed(uri), 1) == f"LSQ613 version 1 {message}"
    DeltaTable(uri).create_checkpoint()
    (Path(uri) / "_delta_log" / f"{1:020}.json").unlink()
    (Path(uri) / "_delta_log" / f"{0:020}.json").unlink()
    assert _code(_feed(uri), 1) == f"LSQ613 version 1 {message}"
    assert len(_values(_feed(uri), None)[0][1]) == 3


def test_tables_that_cannot_be_read(uri: str, tmp_path: Path) -> None:
    missing = _code(_feed(uri), None)
    assert missing == "LSQ610 there is no Delta table 'table', which the topic 'orders' reads"
    write_deltalake(uri, _rows((1, "a")))
    next(Path(uri).glob("*.parquet")).unlink()
    assert _code(_feed(uri), None).startswith("LSQ610 the Delta table 'table' of the topic 'orders' cannot be read: ")
    (Path(uri) / "_delta_log" / f"{0:020}.json").write_text("no json")
    assert _code(_feed(uri), None).startswith("LSQ610 the Delta table 'table' of the topic 'orders' cannot be read: ")


def test_a_file_is_no_table(uri: str) -> None:
    Path(uri).write_text("")
    assert _code(_feed(uri), None) == "LSQ610 there is no Delta table 'table', which the topic 'orders' reads"


def test_deletion_vectors(uri: str) -> None:
    """A row that a deletion vector removes from a file is removed, and the others of the file are no records."""
    write_deltalake(uri, _rows((1, "a"), (2, "b"), (3, "c")))
    _delete_by_vector(Path(uri), row=1)
    write_deltalake(uri, _rows((4, "d")), mode="append")
    current = _feed(uri, rows="current", key=("id",))
    assert _values(current, 0) == [(0, [(1, "a"), (2, "b"), (3, "c")]), (1, [(2, None)]), (2, [(4, "d")])]
    assert _values(current, None) == [(2, [(1, "a"), (3, "c"), (4, "d")])]
    assert "LSQ612 version 1" in _code(_feed(uri), 1)
    assert _values(_feed(uri, ignore="changes"), 1) == [(1, []), (2, [(None, "d")])]


def test_columns_with_other_names_in_the_files(uri: str) -> None:
    """A table that maps the names of its columns: appended rows and changes are those of two versions."""
    write_deltalake(uri, pa.table({"c1": pa.array([1, 2], pa.int64()), "c2": ["a", "b"]}))
    _map_names(Path(uri), {"c1": "id", "c2": "v"})
    source = DeltaTable(uri)
    assert source.metadata().configuration["delta.columnMapping.mode"] == "name"
    files = [file.name for file in Path(uri).glob("*.parquet")]
    write_deltalake(f"{uri}-2", pa.table({"c1": pa.array([3], pa.int64()), "c2": ["c"]}))
    (added,) = Path(f"{uri}-2").glob("*.parquet")
    added.rename(Path(uri) / added.name)
    add = {"path": added.name, "partitionValues": {}, "size": (Path(uri) / added.name).stat().st_size}
    add |= {"modificationTime": 7, "dataChange": True}
    _commit(Path(uri), 1, [{"commitInfo": {"timestamp": 7}}, {"add": add}])
    removal = {"path": files[0], "dataChange": True, "deletionTimestamp": 8}
    _commit(Path(uri), 2, [{"commitInfo": {"timestamp": 8}}, {"remove": removal}])
    current = _feed(uri, rows="current", key=("id",))
    assert _values(current, 0) == [(0, [(1, "a"), (2, "b")]), (1, [(3, "c")]), (2, [(1, None), (2, None)])]
    assert _values(_feed(uri, ignore="deletes"), 1) == [(1, [(None, "c")]), (2, [])]


def _map_names(table: Path, names: dict[str, str]) -> None:
    """Rewrite the first commit of a table, so that its columns have other names than in the files."""
    log = table / "_delta_log" / f"{0:020}.json"
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        if "metaData" in action:
            schema = json.loads(action["metaData"]["schemaString"])
            for number, each in enumerate(schema["fields"], 1):
                each["metadata"] = {
                    "delta.columnMapping.id": number, "delta.columnMapping.physicalName": each["name"],
                }  # fmt: skip
                each["name"] = names[each["name"]]
            action["metaData"]["schemaString"] = json.dumps(schema)
            mapping = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": str(len(names))}
            action["metaData"]["configuration"] = mapping
        if "protocol" in action:
            action["protocol"] = {"minReaderVersion": 2, "minWriterVersion": 5}
    log.write_text("".join(json.dumps(action) + "\n" for action in actions))


def _commit(table: Path, version: int, actions: list[dict[str, Any]]) -> None:
    lines = [json.dumps(action) + "\n" for action in actions]
    (table / "_delta_log" / f"{version:020}.json").write_text("".join(lines))


def _delete_by_vector(table: Path, row: int) -> None:
    """Commit a deletion vector for one row of the only file."""
    log = table / "_delta_log"
    actions = [json.loads(line) for line in (log / f"{0:020}.json").read_text().splitlines()]
    (add,) = (action["add"] for action in actions if "add" in action)
    # A roaring bitmap of 64 bits with one bitmap of 32 bits, of one array container with one value.
    bitmap = struct.pack("<II", 12346, 1) + struct.pack("<HH", 0, 0) + struct.pack("<I", 16) + struct.pack("<H", row)
    content = struct.pack("<I", 1681511377) + struct.pack("<Q", 1) + struct.pack("<I", 0) + bitmap
    content += b"\0" * (-len(content) % 4)
    vector = {
        "storageType": "i", "pathOrInlineDv": _z85(content), "sizeInBytes": len(content), "cardinality": 1,
    }  # fmt: skip
    features: dict[str, Any] = {"minReaderVersion": 3, "minWriterVersion": 7}
    features |= {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    removal = {"path": add["path"], "dataChange": True, "deletionTimestamp": 5, "partitionValues": {}}
    commit = [
        {"commitInfo": {"timestamp": add["modificationTime"] + 1, "operation": "DELETE"}},
        {"protocol": features},
        {"remove": removal},
        {"add": {**add, "deletionVector": vector}},
    ]
    _commit(table, 1, commit)


def _z85(content: bytes) -> str:
    """Return bytes in the base 85 of ZeroMQ."""
    ours = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
    theirs = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    return base64.b85encode(content).decode().translate(str.maketrans(ours, theirs))
