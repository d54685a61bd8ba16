"""Topics of Delta tables at the command line, without Spark."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, Field, Schema, write_deltalake
from deltalake.schema import PrimitiveType, VariantType

from tests.cli.conftest import Cli

TOPICS = """\
topics:
  - name: orders
    connector: delta
    delta: {path: lake/orders}
    tests: [{columns: [id]}]
  - name: customers
    connector: delta
    key: id
    delta: {path: customers, store: lake}
    value: id STRING, name STRING
"""
MODEL = """\
WITH c AS (SELECT TABLE * FROM customers);
SELECT STREAM o.id AS id, c.name AS name FROM orders AS o LEFT JOIN c ON o.customer = c._key
"""
CASE = """\
cases:
  - name: an order after its customer
    model: named
    inputs:
      customers:
        - {key: a, value: {id: a, name: Ann}}
      orders:
        - {value: {id: 1, customer: a, amount: 2.5}}
    expect:
      named:
        - {key: a, value: {id: 1, name: Ann}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lsqlc.yml").write_text("name: shop\ndialect: lenses\n")
    (tmp_path / "profiles.yml").write_text("targets: {dev: {type: embedded, tables: {lake: {delta: {path: lake}}}}}\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "topics.yml").write_text(TOPICS.replace("    tests: [{columns: [id]}]\n", ""))
    (tmp_path / "models" / "named.sql").write_text(MODEL)
    _append("orders", {"id": [1, 2], "customer": ["a", "b"], "amount": [3.0, 9.0]})
    _append("customers", {"id": ["a", "b"], "name": ["Ann", "Bob"]})
    return tmp_path


def _append(table: str, columns: dict[str, list[object]]) -> None:
    write_deltalake(f"lake/{table}", pa.table(columns), mode="append", schema_mode="merge")


def test_columns_are_learned_once(cli: Cli, project: Path) -> None:
    """Then they are in the lock file, and a build needs no table."""
    refused = cli("build")
    assert refused.code == 1 and "the columns of the Delta table of 'orders' are not known" in refused.err
    assert cli("compile").code == 0
    lock = (project / "lsqlc.lock.yml").read_text()
    assert '"orders": >-\n    id BIGINT,\n    customer STRING,\n    amount DOUBLE' in lock and "customers" not in lock
    shutil.move("lake", "elsewhere")
    assert cli("compile").code == 0 and cli("build").code == 0
    again = cli("compile", "--lock")
    assert again.code == 1 and "error[LSQ610]: there is no Delta table 'lake/orders'" in again.err


def test_a_table_at_an_address(cli: Cli, project: Path) -> None:
    """It is read by the options of its store, and compared with the lock file only when that is written again."""
    store = f"{{delta: {{path: 'file://{project}/lake', options: {{allow_http: 'true'}}}}}}"
    (project / "profiles.yml").write_text(f"targets: {{dev: {{type: embedded, tables: {{lake: {store}}}}}}}\n")
    text = (project / "models" / "topics.yml").read_text()
    text = text.replace("{path: lake/orders}", "{store: lake, path: orders}")
    (project / "models" / "topics.yml").write_text(text)
    assert cli("compile", "--lock").code == 0
    assert len(cli("show", "orders", "--output", "json").lines) == 2
    _append("orders", {"id": [3], "customer": ["a"], "amount": [1.0], "note": ["new"]})
    assert [r["value"]["id"] for r in cli("show", "orders", "--output", "json").lines] == [1, 2, 3]
    (project / "models" / "named.sql").write_text(MODEL + "\n")
    assert "LSQ091" not in cli("compile").err
    assert cli("compile", "--lock").code == 0 and "note STRING" in (project / "lsqlc.lock.yml").read_text()


def test_new_columns_are_a_finding(cli: Cli, project: Path) -> None:
    """Which are not read before the lock file has them."""
    assert cli("compile").code == 0
    _append("orders", {"id": [3], "customer": ["a"], "amount": [1.0], "note": ["new"]})
    drifted = cli("compile")
    assert drifted.code == 0 and "warning[LSQ091]: the Delta table of 'orders' has other columns" in drifted.err
    assert "'note' is new, STRING" in drifted.err
    (first, *_) = cli("show", "orders", "--output", "json").lines
    assert first["value"] == {"id": 1, "customer": "a", "amount": 3.0}
    assert cli("compile", "--lock").code == 0
    assert [r["value"]["note"] for r in cli("show", "orders", "--output", "json").lines] == [None, None, None]


def test_a_type_that_no_topic_has(cli: Cli, project: Path) -> None:
    shutil.rmtree("lake/orders")
    DeltaTable.create("lake/orders", Schema([Field("id", PrimitiveType("long")), Field("v", VariantType())]))
    refused = cli("compile")
    assert refused.code == 1
    assert "error[LSQ611]: the column 'v' of the Delta table of 'orders' has the type variant" in refused.err


def test_commands_read_the_table_as_it_is_now(cli: Cli, project: Path) -> None:
    """`show`, `query` and `check` take the versions that the topic lacks, as `load` does."""
    (project / "models" / "topics.yml").write_text(TOPICS.replace("tests: [{columns: [id]}]", "tests: [{unique: id}]"))
    assert cli("compile").code == 0
    assert [r["value"]["id"] for r in cli("show", "orders", "--output", "json").lines] == [1, 2]
    _append("orders", {"id": [3], "customer": ["a"], "amount": [1.0]})
    DeltaTable("lake/customers").update(updates={"name": "'Anna'"}, predicate="id = 'a'")
    DeltaTable("lake/customers").delete("id = 'b'")
    assert [r["id"] for r in cli("query", "SELECT STREAM id FROM orders", "--output", "json").lines] == [1, 2, 3]
    rows = cli("show", "customers", "--rows", "--output", "json").lines
    assert [(r["key"], r["value"]) for r in rows] == [("a", {"id": "a", "name": "Anna"})]
    changes = cli("show", "customers", "--changes", "--output", "json").lines
    assert [(r["key"], r["value"] and r["value"]["name"]) for r in changes] == [("a", "Anna")]
    DeltaTable("lake/customers").delete("id = 'a'")
    changes = cli("show", "customers", "--changes", "--output", "json").lines
    assert [(r["key"], r["value"] and r["value"]["name"]) for r in changes] == [("a", "Anna"), ("a", None)]
    _append("orders", {"id": [3], "customer": ["a"], "amount": [1.0]})
    checked = cli("check")
    assert checked.code == 1 and "3" in checked.err
    loaded = cli("tables", "load", "orders", "--output", "json")
    assert loaded.data["topics"] == [{"topic": "orders", "records": 0, "versions": 0, "version": 2}]


def test_a_preview_reads_the_tables(cli: Cli, project: Path) -> None:
    assert cli("compile").code == 0
    rows = cli("preview", "named", "--output", "json").lines
    assert sorted((row["id"], row["name"]) for row in rows) == [(1, "Ann"), (2, "Bob")]


def test_load(cli: Cli, project: Path) -> None:
    """Each version once; `--full-refresh` begins with the rows that are there."""
    assert cli("compile").code == 0
    first = cli("tables", "load")
    assert first.code == 0 and first.err.splitlines() == [
        "'customers' has 2 records more, up to version 0 of its Delta table",
        "'orders' has 2 records more, up to version 0 of its Delta table",
    ]
    _append("orders", {"id": [3], "customer": ["a"], "amount": [1.0]})
    assert "'orders' has 1 record more, up to version 1" in cli("tables", "load", "orders").err
    assert "'orders' has version 1 of its Delta table already" in cli("tables", "load", "orders").err
    anew = cli("tables", "load", "orders", "--full-refresh", "--output", "json")
    assert anew.data["topics"] == [{"topic": "orders", "records": 3, "versions": 1, "version": 1}]
    assert len(cli("show", "orders", "--output", "json").lines) == 3
    unknown = cli("tables", "load", "order")
    assert unknown.code == 2 and "LSQ063" in unknown.err and "did you mean 'orders'" in unknown.err


def test_a_topic_that_begins_with_a_later_version(cli: Cli, project: Path) -> None:
    """Nothing is in it before the table has that version."""
    text = (project / "models" / "topics.yml").read_text()
    (project / "models" / "topics.yml").write_text(text.replace("lake/orders", "lake/orders, from_version: 1"))
    assert cli("compile").code == 0
    assert "'orders' begins with a later version of its Delta table" in cli("tables", "load", "orders").err
    _append("orders", {"id": [3], "customer": ["a"], "amount": [1.0]})
    loaded = cli("tables", "load", "orders", "--output", "json")
    assert loaded.data["topics"] == [{"topic": "orders", "records": 1, "versions": 1, "version": 1}]
    assert [r["value"]["id"] for r in cli("show", "orders", "--output", "json").lines] == [3]


def test_no_model_writes_it(cli: Cli, project: Path) -> None:
    """In any language."""
    assert cli("compile").code == 0
    (project / "models" / "w.sql").write_text("INSERT INTO orders SELECT STREAM id, customer, amount FROM others")
    (project / "models" / "others.yml").write_text(
        "topics: [{name: others, value: 'id BIGINT, customer STRING, amount DOUBLE'}]\n"
    )
    refused = cli("compile")
    assert refused.code == 1 and "error[LSQ617]: the topic 'orders' has the rows of a Delta table" in refused.err


def test_a_table_that_was_created_anew(cli: Cli, project: Path) -> None:
    """Its rows are not mixed with those of the former one; a wrong path empties no topic."""
    assert cli("compile").code == 0 and cli("tables", "load").code == 0
    shutil.rmtree("lake/orders")
    missing = cli("tables", "load", "orders", "--full-refresh")
    assert missing.code == 1 and "LSQ610" in missing.err
    _append("orders", {"id": [7], "customer": ["a"], "amount": [1.0]})
    other = cli("show", "orders")
    assert other.code == 1 and "error[LSQ615]: the topic 'orders' has records that are not of the" in other.err
    assert cli("tables", "load", "orders", "--full-refresh").code == 0
    assert [r["value"]["id"] for r in cli("show", "orders", "--output", "json").lines] == [7]


def test_a_plan_reports_tables_that_cannot_be_read(cli: Cli, project: Path) -> None:
    """Before a run ends with it; the rows are not read."""
    assert cli("compile").code == 0
    planned = cli("plan")
    assert planned.code == 0, planned.err
    assert not (project / ".lsqlc" / "topics" / "orders").exists()
    shutil.rmtree("lake/orders")
    missing = cli("plan")
    assert missing.code == 1 and "error[LSQ610]: there is no Delta table 'lake/orders'" in missing.err


def test_a_version_that_removes_rows(cli: Cli, project: Path) -> None:
    """The error is at the declaration, with the ways on. Nothing is in the topic but what was there."""
    assert cli("compile").code == 0 and cli("tables", "load").code == 0
    DeltaTable("lake/orders").delete("id = 1")
    refused = cli("tables", "load", "orders")
    assert refused.code == 1 and "error[LSQ612]: version 1 of the Delta table 'lake/orders'" in refused.err
    assert " --> models/topics.yml:2:11" in refused.err and "`ignore: changes` passes over such" in refused.err
    text = (project / "models" / "topics.yml").read_text()
    (project / "models" / "topics.yml").write_text(text.replace("lake/orders", "lake/orders, ignore: changes"))
    assert "'orders' has 0 records more, up to version 1" in cli("tables", "load", "orders").err


def test_a_case_has_records_for_it_as_for_any_topic(cli: Cli, project: Path) -> None:
    assert cli("compile").code == 0
    (project / "tests" / "cases").mkdir(parents=True)
    (project / "tests" / "cases" / "named.yml").write_text(CASE)
    tested = cli("test")
    assert "1 case: 1 new" in tested.err


def test_nobody_else_writes_it(cli: Cli, project: Path) -> None:
    assert cli("compile").code == 0
    (project / "records.jsonl").write_text('{"value": {"id": 1}}\n')
    refused = cli("produce", "orders", "--file", "records.jsonl")
    assert refused.code != 0 and "LSQ682" in refused.err and "has the rows of a Delta table" in refused.err


def test_a_target_in_kafka_has_no_such_topic(cli: Cli, project: Path) -> None:
    """Before a broker is asked."""
    assert cli("compile").code == 0
    (project / "profiles.yml").write_text('targets: {dev: {type: embedded, kafka: {bootstrap: "localhost:1"}}}\n')
    for words in (("run",), ("show", "orders"), ("query", "SELECT STREAM id FROM orders"), ("tables", "load")):
        refused = cli(*words)
        assert refused.code == 1 and "error[LSQ609]: the topic '" in refused.err, words


def test_a_store_that_the_target_lacks(cli: Cli, project: Path) -> None:
    assert cli("compile").code == 0
    (project / "profiles.yml").write_text("targets: {dev: {type: embedded}}\n")
    refused = cli("show", "customers")
    assert refused.code == 2 and "LSQ561" in refused.err and "has no store 'lake' of Delta tables" in refused.err
    assert cli("show", "orders").code == 0


def test_without_the_library(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install. Nothing else asks for it."""
    assert cli("compile").code == 0
    monkeypatch.setattr("lsqlc.diagnostics.extras._is_there", lambda name: name != "deltalake")
    refused = cli("show", "orders")
    assert refused.code == 1 and "LSQ099" in refused.err and "pip install 'lsqlc[delta]'" in refused.err
    assert cli("compile").code == 0


def test_a_query_of_a_topic_whose_declaration_has_errors(cli: Cli, project: Path) -> None:
    """They are reported, and no unknown topic."""
    topics = project / "models" / "topics.yml"
    topics.write_text(topics.read_text().replace("path: lake/orders", "path: ''"))
    refused = cli("query", "SELECT STREAM * FROM orders")
    assert refused.code == 1 and "error[LSQ007]: the path is empty @ $.topics[0].delta.path" in refused.err
    assert "LSQ200" not in refused.err


def test_a_case_is_recorded_from_the_table(cli: Cli, project: Path) -> None:
    assert cli("compile").code == 0
    assert cli("test", "--record", "orders", "--record", "customers").code == 0
    recorded = "".join(path.read_text() for path in (project / "tests").rglob("*") if path.is_file())
    assert '"customer":"b"' in recorded and '"name":"Bob"' in recorded


def test_a_null_that_the_declaration_excludes(cli: Cli, project: Path) -> None:
    """The row is named, and nothing of its version is in the topic."""
    text = TOPICS.replace("    tests: [{columns: [id]}]\n", "").replace("name STRING", "name STRING NOT NULL")
    (project / "models" / "topics.yml").write_text(text)
    assert cli("compile").code == 0 and cli("tables", "load", "customers").code == 0
    _append("customers", {"id": ["c", "d"], "name": ["Cy", None]})
    refused = cli("tables", "load", "customers")
    assert refused.code == 1 and "error[LSQ400]" in refused.err and "name: expected STRING NOT NULL" in refused.err
    (segment,) = (project / ".lsqlc" / "topics" / "customers" / "data").glob("*.jsonl")
    assert segment.read_text().count("\n") == 2


def test_tables_follow_it_as_any_topic(cli: Cli, project: Path) -> None:
    """A table with the history of another one, of which the source keeps the current rows."""
    text = (project / "models" / "topics.yml").read_text()
    (project / "models" / "topics.yml").write_text(
        text + "    tables: [{store: lake, name: history, keep: history, key: customer}]\n"
    )
    assert cli("compile").code == 0 and cli("tables", "load").code == 0
    assert cli("tables", "sync").code == 0
    DeltaTable("lake/customers").update(updates={"name": "'Anna'"}, predicate="id = 'a'")
    DeltaTable("lake/customers").delete("id = 'b'")
    assert cli("tables", "load").code == 0 and cli("tables", "sync").code == 0
    rows = pa.table(DeltaTable("lake/history").scan(columns=["customer", "name", "_is_current"])).to_pylist()
    assert sorted(tuple(row.values()) for row in rows) == [
        ("a", "Ann", False), ("a", "Anna", True), ("b", "Bob", False),
    ]  # fmt: skip
    assert cli("tables", "verify").code == 0
