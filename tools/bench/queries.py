"""Each kind of query on Spark beside the best that PySpark lets a user write by hand, over the same topics.

In one session on one server, in turn, in the same batches, through the same sink; both give the same results, or the
benchmark fails. The TABLE aggregation is in `aggregation`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from lsqlc.connectors.folders.log import FileLog
from lsqlc.remote.server.embedded import WIDE_SESSION, EmbeddedServer, ServerOptions
from lsqlc.remote.session.session import connect
from tools.bench import by_hand, contest
from tools.bench.contest import Results, Timed
from tools.bench.orders import Size, written
from tools.bench.report import Row, print_table

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

RATIO_BUDGET = 1.0
ROUNDS = 4
SIZE = Size(orders=2_000_000, updates=500_000, customers=200_000, segments=20)
QUICK = Size(orders=8_000, updates=2_000, customers=800, segments=2)
WARM = Size(orders=400, updates=100, customers=50, segments=1)


@dataclass(frozen=True, slots=True)
class Query:
    """A query of lsqlc, and the same by hand. `mode`: the output mode of that; `results`: what both must give alike."""

    name: str
    sql: str
    hand: by_hand.ByHand
    way: str
    mode: str
    results: Callable[[Path], Results]


QUERIES = (
    Query(
        "stateless",
        "SELECT STREAM item, UPPER(country) AS country, amount * 2 AS twice FROM orders WHERE amount > 100",
        by_hand.stateless, "native", "append", contest.records,
    ),
    Query(
        "stream aggregation",
        "SELECT STREAM COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY orders._key",
        by_hand.aggregation, "native", "update", contest.newest,
    ),
    Query(
        "windowed aggregation",
        "SELECT STREAM COUNT(*) AS n, SUM(amount) AS total FROM orders WINDOW BY TUMBLE 1m GROUP BY orders._key",
        by_hand.windows, "native", "update", contest.newest,
    ),
    Query(
        "stream-table join",
        "WITH known AS (SELECT TABLE tier FROM customers); "
        "SELECT STREAM o.item, o.amount, known.tier FROM orders AS o INNER JOIN known ON o._key = known._key",
        by_hand.stream_table, "transformWithState", "append", contest.records,
    ),
    Query(
        "table-table join",
        "SELECT TABLE c.tier, a.points FROM customers AS c INNER JOIN accounts AS a ON c._key = a._key",
        by_hand.table_table, "native", "update", contest.newest,
    ),
)  # fmt: skip


def run(work: Path, quick: bool) -> None:
    size, rounds = (QUICK, 1) if quick else (SIZE, ROUNDS)
    log = written(work / "orders", size)
    with EmbeddedServer(work / "queries-server", dict(os.environ), ServerOptions(optimize=True, memory="6g")) as server:
        spark = connect(server.address, settings=WIDE_SESSION)
        try:
            for query in QUERIES:
                # The first query of its kind spends seconds on loading classes.
                _turns(spark, query, written(work / "few", WARM), 1, work)
                # In few batches the rows count, in many what each batch costs.
                # A processor in Python takes minutes, and is so far behind that one turn tells.
                turns = rounds if query.way == "native" else 1
                for files in (size.segments, 1):
                    taken = _turns(spark, query, log, turns, work, files=files)
                    print_table(_title(query, taken, files, size), list(_rows(query, taken)))
        finally:
            spark.stop()


def _turns(
    spark: SparkSession, query: Query, log: FileLog, rounds: int, work: Path, *, files: int = 1
) -> dict[str, list[Timed]]:
    """Both in turn, several times, the first and the second by turns too: whoever comes second finds a warmer server.
    Raises RuntimeError if they do not agree.
    """
    plan = contest.plan_of(query.sql, query.name.replace(" ", "_").replace("-", "_"))
    contenders = {
        "lsqlc": contest.ours(spark, plan, log, files),
        query.way: contest.hand_written(spark, query.hand, log, files, query.mode),
    }
    taken: dict[str, list[Timed]] = {name: [] for name in contenders}
    for number in range(rounds):
        found = []
        for name, begin in contenders.items() if number % 2 else reversed(contenders.items()):
            with contest.place_of_a_run(work) as place:
                taken[name].append(contest.timed(begin, place, f"{query.name} by {name}"))
                if number == 0:
                    found.append(query.results(place))
        if found and (found[0] != found[1] or not found[0]):
            raise RuntimeError(f"lsqlc and {query.way} differ in the {query.name}")
    return taken


def _title(query: Query, taken: dict[str, list[Timed]], files: int, size: Size) -> str:
    rows = taken["lsqlc"][0].rows
    batches = "one file of each topic a batch" if files == 1 else f"all {size.segments} files of each topic a batch"
    return f"{query.name}: {rows:,} records, {size.customers:,} keys, {batches}"


def _rows(query: Query, taken: dict[str, list[Timed]]) -> Iterator[Row]:
    for name, found in taken.items():
        busy, last = median(t.busy for t in found), found[-1]
        samples = [t.rows / t.busy for t in found]
        yield Row(f"{name}: in its batches", last.rows / busy, "rows/s", samples=samples, note=last.state)
        yield Row(f"{name}: start to end", median(t.seconds for t in found))
    ratio = median(t.busy for t in taken[query.way]) / median(t.busy for t in taken["lsqlc"])
    yield Row(f"lsqlc against {query.way}, in batches", ratio, "x", budget=RATIO_BUDGET)
