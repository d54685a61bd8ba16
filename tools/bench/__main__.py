"""`python -m tools.bench [NAME ...] [--quick]`: all of `BENCHMARKS`, or those that are named. Those of `CRASHES`, which
take an hour and measure nothing, run only by name; so do those of `PEERS`, which download other engines.

What each number means, and where it stands, is told in docs/internals/performance.md.
"""

from __future__ import annotations

import argparse
import tempfile
from importlib import import_module
from pathlib import Path

from tools.bench.report import print_machine

CRASHES = ("crashes", "kafka_crashes", "real_time_crashes")
PEERS = ("peers", "peers_latency")
BENCHMARKS = (
    "compile",
    "golden",
    "flights",
    "continuous",
    "aggregation",
    "queries",
    "growth",
    "wide",
    "kafka",
    "tables",
    "latency",
    "sqlglot",
    "serve",
    "nexmark",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description="Measure lsqlc beside its budgets.")
    parser.add_argument("benchmarks", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; all without one")
    parser.add_argument("--kills", type=int, default=200, metavar="N", help="how often crashes kill")
    parser.add_argument("--quick", action="store_true", help="small data, to see that everything runs")
    given = parser.parse_args()
    unknown = set(given.benchmarks).difference(BENCHMARKS, CRASHES, PEERS)
    if unknown:
        parser.error(
            f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join((*BENCHMARKS, *PEERS))}"
        )
    print_machine()
    with tempfile.TemporaryDirectory(prefix="lsqlc-bench-") as work:
        for name in given.benchmarks or BENCHMARKS:
            # Each needs other packages: those of Spark are missing where only the compiler is installed.
            more = (given.kills,) if name in CRASHES else ()
            import_module(f"tools.bench.{name}").run(Path(work), given.quick, *more)


if __name__ == "__main__":
    main()
