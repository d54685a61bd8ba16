"""Runs over Delta tables: each version is read once, in runs that end and in one that goes on."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.shared import SharedServer

from .conftest import Cli

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytestmark = pytest.mark.spark

TOPICS = """\
topics:
  - name: orders
    connector: delta
    delta: {path: lake/orders}
    value: id BIGINT, customer STRING, amount DOUBLE
  - name: customers
    connector: delta
    key: id
    delta: {path: lake/customers}
    value: id STRING, name STRING
"""
NAMED = """\
WITH c AS (SELECT TABLE * FROM customers);
SELECT STREAM o.id AS id, c.name AS name FROM orders AS o LEFT JOIN c ON o.customer = c._key
"""
TOTALS = "SELECT STREAM count(*) AS n, sum(amount) AS amount FROM orders GROUP BY customer"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark_server: SharedServer) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: shop\n")
    (tmp_path / "profiles.yml").write_text(f"targets: {{dev: {{type: connect, address: '{spark_server.address}'}}}}\n")
    (tmp_path / "models/topics.yml").write_text(TOPICS)
    (tmp_path / "models/named.sql").write_text(NAMED)
    (tmp_path / "models/totals.sql").write_text(TOTALS)
    write_deltalake("lake/customers", pa.table({"id": ["a", "b"], "name": ["Ann", "Bob"]}))
    _order(1, "a")
    return tmp_path


def _order(id: int, customer: str) -> None:
    write_deltalake("lake/orders", pa.table({"id": [id], "customer": [customer], "amount": [float(id)]}), mode="append")


def test_versions_are_read_once(cli: Cli, shop: Path) -> None:
    """A join has the rows of the table as they were when an order came, and DuckDB finds the same."""
    assert cli("run").code == 0
    DeltaTable("lake/customers").update(updates={"name": "'Anna'"}, predicate="id = 'a'")
    DeltaTable("lake/customers").delete("id = 'b'")
    _order(2, "a")
    _order(3, "b")
    again = cli("run", "--verify")
    assert again.code == 0, again.err
    assert "'customers' has 2 records more, up to version 2 of its Delta table" in again.err
    assert "named: 'named' STREAM, 3 records on DuckDB, 3 on Spark, 3 equal" in again.err
    rows = [record["value"] for record in cli("show", "named", "--output", "json").lines]
    assert sorted((row["id"], row["name"]) for row in rows) == [(1, "Ann"), (2, "Anna"), (3, None)]
    quiet = cli("run", "--output", "json")
    assert quiet.code == 0 and sum(q["rows"] for q in quiet.lines[-1]["queries"]) == 0
    # Everything anew: the topics begin with the rows that the tables have now.
    assert cli("tables", "load", "--full-refresh", "--quiet").code == 0
    anew = cli("run", "--verify")
    assert anew.code == 0 and "named: 'named' STREAM, 3 records on DuckDB, 3 on Spark, 3 equal" in anew.err
    rows = [record["value"] for record in cli("show", "named", "--output", "json").lines]
    assert sorted((row["id"], row["name"]) for row in rows) == [(1, "Anna"), (2, "Anna"), (3, None)]


def test_a_run_that_goes_on_takes_new_versions(cli: Cli, shop: Path) -> None:
    """Until a version cannot be read, which ends it with the reason; what was written stays."""
    written = shop / ".lsqlc/topics/totals/data"

    def until(count: int) -> None:
        deadline = time.monotonic() + 300
        while len(list(written.glob("*.jsonl"))) < count and time.monotonic() < deadline:
            time.sleep(0.2)

    def change() -> None:
        until(1)
        _order(2, "b")
        until(2)
        DeltaTable("lake/orders").delete("id = 1")
        ended.wait(300)
        if not ended.is_set():
            os.kill(os.getpid(), signal.SIGTERM)

    ended = threading.Event()
    changer = threading.Thread(target=change)
    changer.start()
    ran = cli("run", "--continuous", "--select", "totals")
    ended.set()
    changer.join()
    assert ran.code == 1 and "error[LSQ612]: version 2 of the Delta table 'lake/orders' removes rows" in ran.err
    rows = cli("show", "totals", "--output", "json").lines
    assert sorted((row["key"], row["value"]["n"]) for row in rows) == [("a", 1), ("b", 1)]
    text = (shop / "models/topics.yml").read_text()
    (shop / "models/topics.yml").write_text(text.replace("lake/orders", "lake/orders, ignore: changes"))
    assert cli("run", "--select", "totals", "--verify").code == 0
