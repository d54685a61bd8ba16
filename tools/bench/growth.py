"""How throughput and state of lsqlc's queries grow with the number of keys: the TABLE aggregation, and the join of a
stream with a table. The number of records stays; what changes is over how many keys they spread.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.connectors.folders.log import FileLog
from lsqlc.remote.server.embedded import WIDE_SESSION, EmbeddedServer, ServerOptions
from lsqlc.remote.session.session import connect
from lsqlc.types.record import Record
from tools.bench import contest
from tools.bench.orders import CUSTOMERS, ORDERS, TIERS
from tools.bench.report import Row, print_table

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

KEYS, UPDATES, SEGMENTS = (10_000, 100_000, 500_000, 2_000_000), 2_000_000, 8
# Prime, so that numbers times it, modulo a count that it does not divide, go through all that are below.
_STRIDE = 7_368_787
QUERIES = {
    "TABLE aggregation": "SELECT TABLE COUNT(*) AS n FROM customers GROUP BY tier",
    "stream-table join": (
        "WITH known AS (SELECT TABLE tier FROM customers); "
        "SELECT STREAM o.item, known.tier FROM orders AS o INNER JOIN known ON o._key = known._key"
    ),
}


def run(work: Path, quick: bool) -> None:
    updates, segments, sizes = (4_000, 2, (500, 2_000)) if quick else (UPDATES, SEGMENTS, KEYS)
    rows: dict[str, list[Row]] = {name: [] for name in QUERIES}
    with EmbeddedServer(work / "growth-server", dict(os.environ), ServerOptions(optimize=True, memory="8g")) as server:
        spark = connect(server.address, settings=WIDE_SESSION)
        try:
            # The first query of its kind spends seconds on loading classes.
            for keys, told in ((100, False), *((size, True) for size in sizes)):
                log = _spread(work / f"keys-{keys}", keys, updates if told else 200, segments if told else 1)
                for name, sql in QUERIES.items():
                    found = list(_measured(spark, name, sql, log, keys, work))
                    rows[name] += found if told else []
                shutil.rmtree(log.root)
        finally:
            spark.stop()
    for name, found in rows.items():
        print_table(f"growth: {name}, {updates:,} updates in {segments} batches", found)


def _spread(folder: Path, keys: int, updates: int, segments: int) -> FileLog:
    """Updates of so many customers, each as often as any other, and half as many orders of theirs."""
    log, each = FileLog(folder), updates // segments
    for first in range(0, updates, each):
        log.append(CUSTOMERS, _customers(first, each, keys))
        log.append(ORDERS, _orders(first, each // 2, keys))
    return log


def _customers(first: int, count: int, keys: int) -> Iterator[Record]:
    for number in range(first, first + count):
        tier = TIERS[number * _STRIDE // keys % len(TIERS)]
        yield Record("customers", f"c{number * _STRIDE % keys}", {"name": f"customer {number}", "tier": tier}, number)


def _orders(first: int, count: int, keys: int) -> Iterator[Record]:
    for number in range(first, first + count):
        value = {"country": "it", "item": f"item {number % 5_000}", "amount": number % 1_000}
        yield Record("orders", f"c{number * _STRIDE % keys}", value, number)


def _measured(spark: SparkSession, name: str, sql: str, log: FileLog, keys: int, work: Path) -> Iterator[Row]:
    with contest.place_of_a_run(work) as place:
        found = contest.timed(contest.ours(spark, contest.plan_of(sql, "grown"), log, 1), place, name)
        disk = sum(p.stat().st_size for p in (place / "checkpoint" / "state").rglob("*") if p.is_file())
    yield Row(f"{keys:,} keys", found.rows / found.busy, "rows/s", note=f"{found.state}, {disk / 1e6:,.0f} MB on disk")
