"""`python -m tests.fuzz`: random programs on DuckDB and on Spark, or in the reference."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import takewhile
from pathlib import Path

from lsqlc.diagnostics import LsqlcError
from tests.fuzz.compare import by_reference
from tests.fuzz.coverage import report as coverage
from tests.fuzz.kafka import attempt as on_kafka
from tests.fuzz.kafka import through_kafka
from tests.fuzz.programs import Drawn
from tests.fuzz.run import PROGRAMS_PER_SERVER, Report, Tried, attempt, fuzz, on_spark, try_all

# From how many programs of a dialect on each of its kinds has to have come up.
_ENOUGH = 400


def main() -> int:
    """Print what differs, what was drawn and how many there were. 1 if something differs, a kind is missing, or the
    server was lost.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=500, help="how many (default: 500)")
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the next has the next (default: 0)")
    parser.add_argument(
        "--engine", choices=("spark", "kafka", "reference"), default="spark", help="what DuckDB is held against"
    )
    parser.add_argument("--dialect", choices=("lenses", "ksql", "both"), default="both",
                        help="one, or both: every third program is ksqlDB's (default: both)")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time, in one session (default: 2)")
    parser.add_argument("--no-shrink", action="store_true", help="leave what differs as it was drawn")
    parser.add_argument("--minutes", type=float, default=0, help="begin no program after so many (default: no limit)")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    began, complete = time.monotonic(), True

    def say(text: str) -> None:
        print(text, flush=True)

    def in_time(some: Sequence[int]) -> Iterator[int]:
        limit = options.minutes * 60 or float("inf")
        return takewhile(lambda _: time.monotonic() - began < limit, some)

    if options.engine == "reference":
        found = fuzz(in_time(seeds), by_reference, shrink=not options.no_shrink, say=say, dialect=options.dialect)
    else:
        found = Report()
        for start in in_time(range(0, len(seeds), PROGRAMS_PER_SERVER)):
            some = seeds[start : start + PROGRAMS_PER_SERVER]
            try:
                with tempfile.TemporaryDirectory() as folder, _engine(Path(folder), options) as try_one:
                    try_all(in_time(some), try_one, jobs=options.jobs, say=say, report=found, dialect=options.dialect)
            except LsqlcError as lost:
                say(f"{lost}\nWhat was left of the {len(some)} programs from seed {some[0]} on was not run.")
                complete = False
    return _print(found, options.engine, options.dialect, time.monotonic() - began) or int(not complete)


@contextmanager
def _engine(folder: Path, options: argparse.Namespace) -> Iterator[Callable[[Drawn], Tried]]:
    """What tries a program on a Spark server."""
    environment = dict(os.environ)
    if options.engine == "kafka":
        with through_kafka(folder, environment) as through:
            yield partial(on_kafka, through=through)
    else:
        with on_spark(folder, environment) as engine:
            yield partial(attempt, other=engine, shrink=not options.no_shrink, native=True)


def _print(found: Report, engine: str, dialect: str, seconds: float) -> int:
    table, _ = coverage(found.kinds, dialect)
    print(f"\n{table}\n")
    drawn = {"lenses": found.programs - found.ksql, "ksql": found.ksql}
    enough = [one for one, number in drawn.items() if number >= _ENOUGH]
    # What the engine has no form for was drawn all the same.
    missing = [kind for one in enough for kind in coverage(found.kinds + found.lacking, one)[1]]
    refused = sum(found.refused.values())
    print(f"{refused} more queries were drawn and refused: {dict(found.refused.most_common())}")
    if found.left_out:
        print(f"left out: {dict(found.left_out.most_common())}")
    print(
        f"{found.programs} programs ({found.ksql} of ksqlDB) over {found.cases} cases on DuckDB and {engine}"
        f" in {seconds:.0f} s ({found.single} in batches of one record, {found.empty} gave nothing):"
        f" {len(found.differences)} differ"
    )
    if found.differences:
        print(f"seeds: {' '.join(str(d.seed) for d in found.differences)}")
    if missing:
        print(f"never drawn: {', '.join(missing)}")
    return 1 if found.differences or missing else 0


if __name__ == "__main__":
    sys.exit(main())
