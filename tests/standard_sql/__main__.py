"""`python -m tests.standard_sql`: random models in standard SQL on DuckDB or on Spark, against the oracle, queries
against their parts, or flows of changes against the documented meaning.
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
from typing import Literal

from lsqlc.api import CompileError
from tests.fuzz.run import PROGRAMS_PER_SERVER
from tests.fuzz.run import on_spark as spark_server
from tests.standard_sql import compare, flows, on_spark, partitions
from tests.standard_sql.oracle import Oracle
from tests.standard_sql.partitions import Partitions
from tests.standard_sql.programs import Programs

Differences = Callable[[int, Oracle], list[str]]
Kind = Literal["models", "parts", "flows"]


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
    parser.add_argument("--flows", action="store_true", help="flows of AUTO CDC against the documented meaning")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    kind: Kind = "flows" if options.flows else "parts" if options.parts else "models"
    tried = _on_duckdb(seeds, kind) if options.engine == "duckdb" else _on_spark(seeds, options.jobs, kind)
    bad = sum(tried)
    if options.flows:
        print(f"{options.programs} flows on {options.engine}, {bad} differ")
        return int(bad > 0)
    made: Counter[str] = Counter()
    for seed in seeds:
        programs: Programs = Partitions(seed) if options.parts else Programs(seed)
        programs.draw_parted() if isinstance(programs, Partitions) else programs.draw()
        made.update(programs.made)
    print(f"{options.programs} programs on {options.engine}, {bad} differ", dict(made))
    return int(bad > 0)


def _on_duckdb(seeds: Sequence[int], kind: Kind) -> Iterator[bool]:
    with _oracle() as oracle:
        for seed in seeds:
            yield _tried(seed, oracle, _differences(kind, None))


def _differences(kind: Kind, engine: on_spark.Engine | None) -> Differences:
    """Of queries and their parts, and of flows, which need no oracle, or of models."""
    if kind == "parts":
        return lambda seed, _: partitions.differences(seed, engine)
    if kind == "flows":
        return lambda seed, _: flows.differences(seed, engine)
    return compare.differences if engine is None else partial(on_spark.differences, spark=engine)


def _on_spark(seeds: Sequence[int], jobs: int, kind: Kind) -> Iterator[bool]:
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
            differences = _differences(kind, spark)
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
