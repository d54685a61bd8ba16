"""The queries of Nexmark and a TABLE aggregation by several engines: one broker, the same topics, one after another.

The topics are filled before. Each query of each engine is a process of its own, which is timed from its start until its
whole result can be read; it fails the benchmark if that is not what lsqlc gives on DuckDB.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lsqlc.remote.server.broker import Broker, BrokerOptions
from tests.standard_sql.compare import same_rows
from tools.bench.peers.engine import Engine, Job, is_installed
from tools.bench.peers.figures import Figures, table
from tools.bench.peers.flink.engine import Flink
from tools.bench.peers.lsqlc import Lsqlc
from tools.bench.peers.measure import FailedError, watched
from tools.bench.peers.output import BadRowError, Output, rows
from tools.bench.peers.pathway.engine import Pathway
from tools.bench.peers.streams.engine import KafkaStreams
from tools.bench.peers.workload import QUERIES, Size, Workload

SIZE = Size(events=200_000, updates=400_000, keys=87_000)
QUICK = Size(events=12_000, updates=10_000, keys=2_000)

# With one network thread and little memory the broker would be what is measured.
_BROKER = {"num.network.threads": "2", "num.io.threads": "4"}


def run(work: Path, size: Size, queries: Sequence[str] = (), only: Sequence[str] = ()) -> None:
    """Raises RuntimeError at the end, when all have run, for results that are wrong or not there, each by name."""
    load = Workload(size)
    here = [engine for engine in engines() if not only or engine.name in only]
    here = [engine for engine in here if is_installed(engine)]
    found: list[Figures] = []
    wrong: list[str] = []
    with Broker(work / "peers-broker", dict(os.environ), BrokerOptions(memory="1g", settings=_BROKER)) as broker:
        load.fill(broker.bootstrap)
        for query in queries or QUERIES:
            for figures in _turn(load, query, here, broker.bootstrap, work / "peers"):
                if isinstance(figures, str):
                    wrong.append(figures)
                    print(f"  {figures}", flush=True)
                else:
                    found.append(figures)
                    print(f"  {figures.line}", flush=True)
    print(f"\nNexmark, {size.events:,} events; table_by_group, {size.updates:,} updates of {size.keys:,} rows")
    print(f"Records are written {'; '.join(f'{engine.promise} by {engine.name}' for engine in here)}\n")
    print("\n".join(table(found)), flush=True)
    if wrong:
        raise RuntimeError("\n".join(wrong))


def engines() -> tuple[Engine, ...]:
    """All, lsqlc first."""
    return (Lsqlc(), Flink(), Flink(mini_batch=True), KafkaStreams(), Pathway())


def _turn(load: Workload, query: str, here: Sequence[Engine], bootstrap: str, work: Path) -> Iterator[Figures | str]:
    """Figures of each engine that has the query, or what is wrong."""
    plan, count, expected = load.plan(query), load.rows(query), load.expected(query)
    for number, engine in enumerate(here):
        if query not in engine.queries:
            continue
        name, made = engine.output(query)
        folder = work / query / str(number)
        folder.mkdir(parents=True)
        job = Job(query, bootstrap, name, folder, f"{number}-{query}")
        output = Output(bootstrap, name, made=made)
        try:
            looks = watched(engine.command(job), output, folder / "log.txt")
            given = load.compared(query, rows(plan, output.records()))
        except (FailedError, BadRowError) as error:
            yield f"{query} of {engine.name} {error}"
            continue
        if not same_rows(given, expected):
            yield f"{query} of {engine.name} differs from lsqlc on DuckDB: {_differences(given, expected)}"
            continue
        yield Figures(query, engine.name, count, looks, engine.reading(job))


def _differences(given: Counter[Any], expected: Counter[Any]) -> str:
    found = {"more": given - expected, "less": expected - given}
    some = (f"{sum(rows.values()):,} {word}, such as {next(iter(rows))}" for word, rows in found.items() if rows)
    return "; ".join(some)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.peers.contest", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--quick", action="store_true", help="few records, to see that everything runs")
    parser.add_argument("--query", nargs="+", default=(), choices=tuple(QUERIES))
    parser.add_argument("--engine", nargs="+", default=(), choices=[engine.name for engine in engines()])
    parser.add_argument("--events", type=int, metavar="N", help="so many of Nexmark, and twice as many updates")
    given = parser.parse_args()
    size = QUICK if given.quick else SIZE
    if given.events:
        size = Size(given.events, 2 * given.events, max(given.events // 2, 1))
    with tempfile.TemporaryDirectory(prefix="lsqlc-peers-") as work:
        run(Path(work), size, given.query, given.engine)


if __name__ == "__main__":
    main()
