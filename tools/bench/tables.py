"""Updates of a Delta table that follows a topic, beside a merge of the same rows by `deltalake` alone.

Both write into tables of the same rows and files, by turns. The merge has its rows as Arrow data already; lsqlc reads
them from the lines of a topic in a folder, and notes its position. Only the ratio is worth comparing.
"""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median

import pyarrow
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake

from lsqlc.connectors.folders.log import FileLog
from lsqlc.tables import arrow, store_kinds
from lsqlc.tables.delta.store import DeltaSettings
from lsqlc.tables.record import Row, Store, StoreOpening
from lsqlc.tables.schema import Keep, table_schema
from lsqlc.tasks.table_sync import TableWriter, prepare
from lsqlc.tasks.tables import FollowedTable
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, Topic

COLUMNS = "item STRING, amount DECIMAL(10,2), quantity INT, weight DOUBLE, changed TIMESTAMP"
BUDGET = 1.2
_START = datetime(2026, 1, 1, tzinfo=UTC)
_ITEMS = [f"item {n}" for n in range(5_000)]


def run(work: Path, quick: bool) -> None:
    size, updates, rounds = (20_000, 1_000, 2) if quick else (1_000_000, 50_000, 7)
    print(f"\ntables: {updates:,} updates of {size:,} rows in Delta, {rounds} rounds by turns")
    draw = random.Random(1)
    folder = work / "tables"
    log, topic = (
        FileLog(folder / "topics"),
        Topic("orders", Facet(data.BIGINT, "long"), Facet(parse_columns(COLUMNS), "json")),
    )
    table = _followed(folder, topic)
    prepare(table, log)
    rows = arrow.arrow_table(table.schema.columns, [_row(draw, key) for key in range(size)], has_time=False)
    write_deltalake(folder / "lake" / "orders", rows, mode="append")
    write_deltalake(folder / "bare", rows)
    writer = TableWriter(table, log, bounded=False)
    ratios: list[tuple[float, float]] = []
    for number in range(rounds):
        changed = [_row(draw, key) for key in draw.sample(range(size + size // 100), updates)]
        names = table.schema.names[1:]
        log.append(topic, [Record("orders", row[0], dict(zip(names, row[1:], strict=True)), number) for row in changed])
        source = arrow.arrow_table(table.schema.columns, changed, has_time=False)
        begin = _now()
        merge(folder / "bare", source, number)
        middle = _now()
        batch = writer.write()
        end = _now()
        if batch is None or batch.changes != updates:
            raise SystemExit(f"the table has not read all updates: {batch}")
        bare, ours = (
            [late - early for late, early in zip(*pair, strict=True)] for pair in ((middle, begin), (end, middle))
        )
        ratios.append((ours[0] / bare[0], ours[1] / bare[1]))
        spent = f"{bare[1]:5.2f} and {ours[1]:5.2f} s of the processors, {ratios[-1][1]:.2f}"
        print(f"  merge {bare[0]:5.2f} s, lsqlc {ours[0]:5.2f} s, {ratios[-1][0]:.2f} ({spent})", flush=True)
    same = _sorted(DeltaTable(folder / "bare")) == _sorted(DeltaTable(folder / "lake" / "orders"))
    if not same:
        raise SystemExit("the tables differ")
    wall, processors = (median(each) for each in zip(*ratios, strict=True))
    print(f"  median {wall:.2f} of the bare merge, {processors:.2f} of its processor time; the goal is {BUDGET}")


def _now() -> tuple[float, float]:
    """Return the time, and the processor time of this process."""
    return time.perf_counter(), time.process_time()


def merge(path: Path, source: pyarrow.Table, version: int) -> None:
    """Merge rows by their key, in a transaction of the application."""
    table = DeltaTable(path)
    every = {f'"{name}"': f's."{name}"' for name in source.column_names}
    properties = CommitProperties(app_transactions=[Transaction("bench", version + 1)])
    merger = table.merge(
        source, 't."_key" = s."_key"', source_alias="s", target_alias="t", commit_properties=properties
    )
    merger.when_matched_update(every).when_not_matched_insert(every).execute()


def _followed(folder: Path, topic: Topic, keep: Keep = "current") -> FollowedTable:
    kind = next(kind for kind in store_kinds() if kind.key == "delta")
    store = Store("lake", kind, DeltaSettings("lake"))
    opened = kind.open(StoreOpening(folder, store.settings, topic.name))
    return FollowedTable(store, topic.name, table_schema(topic, keep, (), None), opened)


def _row(draw: random.Random, key: int) -> Row:
    amount = Decimal(draw.randrange(10_000_000)) / 100
    changed = _START + timedelta(milliseconds=draw.randrange(10**10))
    return key, draw.choice(_ITEMS), amount, draw.randrange(1_000), draw.random() * 100, changed


def _sorted(table: DeltaTable) -> pyarrow.Table:
    return table.to_pyarrow_table().sort_by("_key")
