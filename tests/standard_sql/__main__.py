"""`python -m tests.standard_sql`: random models in standard SQL on DuckDB or on Spark, against the oracle, or queries
against their parts.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from lsqlc.api import CompileError
from tests.fuzz.run import PROGRAMS_PER_SERVER
from tests.fuzz.run import on_spark as spark_server
from tests.standard_sql import compare, on_spark, partitions
from tests.standard_sql.oracle import Oracle
from tests.standard_sql.partitions import Partitions
from tests.standard_sql.programs import Programs

Differences = Callable[[int, Oracle], list[str]]


def main() -> int:
    """Print what differs, and what was drawn. 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.standard_sql", description=__doc__)
    parser.add_argument("--programs", type=int, default=500, help="how many (default: 500)")
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the next has the next (default: 0)")
    parser.add_argument(
        "--engine", choices=("duckdb", "spark"), default="duckdb", help="what is held against the oracle"
    )
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time on Spark, in one session (default: 2)")
    parser.add_argument(
        "--parts",
        action="store_true",
        help="hold queries against their parts where a condition is true, false and null",
    )
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    if options.engine == "duckdb":
        bad = sum(_on_duckdb(seeds, options.parts))
    else:
        bad = sum(_on_spark(seeds, options.jobs, options.parts))
    made: Counter[str] = Counter()
    for seed in seeds:
        programs: Programs = Partitions(seed) if options.parts else Programs(seed)
        programs.draw_parted() if isinstance(programs, Partitions) else programs.draw()
        made.update(programs.made)
    print(f"{options.programs} programs on {options.engine}, {bad} differ", dict(made))
    return int(bad > 0)


def _on_duckdb(seeds: Sequence[int], parts: bool) -> Iterator[bool]:
    with _oracle() as oracle:
        for seed in seeds:
            yield _tried(seed, oracle, _of_parts() if parts else compare.differences)


def _of_parts(engine: on_spark.Engine | None = None) -> Differences:
    """Differences of a query and its parts, which need no oracle."""
    return lambda seed, _: partitions.differences(seed, engine)


def _on_spark(seeds: Sequence[int], jobs: int, parts: bool) -> Iterator[bool]:
    """A new server after some programs, since a server keeps the plans of queries that have ended."""

    def tried(seed: int, differences: Differences) -> bool:
        with _oracle() as oracle:
            return _tried(seed, oracle, differences)

    for start in range(0, len(seeds), PROGRAMS_PER_SERVER):
        some = seeds[start : start + PROGRAMS_PER_SERVER]
        with (
            tempfile.TemporaryDirectory() as folder,
            spark_server(Path(folder), dict(os.environ)) as spark,
            ThreadPoolExecutor(jobs) as pool,
        ):
            differences = _of_parts(spark) if parts else partial(on_spark.differences, spark=spark)
            yield from pool.map(partial(tried, differences=differences), some)
        print(f"{start + len(some)} programs tried", flush=True)


@contextmanager
def _oracle() -> Iterator[Oracle]:
    oracle = Oracle()
    try:
        yield oracle
    finally:
        oracle.close()


def _tried(seed: int, oracle: Oracle, differences: Differences) -> bool:
    """Whether the program of this seed differs, which is printed."""
    try:
        found = differences(seed, oracle)
    except CompileError as error:
        found = [f"seed {seed} is refused:\n{error}"]
    except Exception as error:  # the program that fails is what is asked for
        found = [f"seed {seed} fails: {type(error).__name__}: {error}"]
    for text in found:
        print(text, flush=True)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
