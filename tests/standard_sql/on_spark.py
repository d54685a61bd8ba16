"""A random model on Spark, its input cut into batches, against DuckDB and against the oracle."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from lsqlc import Record
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import unsupported
from lsqlc.plan import Plan
from lsqlc.types.record import Case, Outcome
from tests.fuzz.limits import timed
from tests.standard_sql.compare import given_rows, prefixes, read_by
from tests.standard_sql.oracle import Oracle, canonical
from tests.standard_sql.programs import Drawn, Programs, compiled, records

Engine = Callable[[Plan, Sequence[Case]], Sequence[Outcome]]
# How many cases a program is tried with: all in one query, or where a query has a watermark, one query each.
_CASES, _TIMED_CASES = 5, 2


def differences(seed: int, oracle: Oracle, spark: Engine, size: int = 24) -> list[str]:
    """What a program of this seed gives otherwise on Spark than on DuckDB and the oracle, with the program: after
    prefixes of its input, each in up to three batches.
    """
    return differences_of(Programs(seed).draw(), seed, oracle, spark, size)


def differences_of(drawn: Drawn, seed: int, oracle: Oracle, spark: Engine, size: int) -> list[str]:
    """The same of a program that was drawn elsewhere; the seed is that of its input and its cuts."""
    plan = compiled(drawn)
    lacking = unsupported(plan)
    if lacking:
        return [f"seed {seed} has no form on Spark: {drawn.text}\n  {lacking}"]
    given = records(seed, size)
    count = _TIMED_CASES if timed(plan) else _CASES
    cuts = prefixes(seed, size)[-count:]
    cases = [Case(f"{n}", tuple(cut(read_by(plan, given[:n]), seed + n))) for n in cuts]
    wholes = [Case(c.name, (read_by(plan, given[:n]),)) for c, n in zip(cases, cuts, strict=True)]
    has_times = plan.semantics["out"] == "STREAM"
    found = []
    for n, case, ours, theirs in zip(
        cuts, cases, default_session().evaluate(plan, wholes), spark(plan, cases), strict=True
    ):
        one, other = records_of(ours.topics["out"], has_times), records_of(theirs.topics["out"], has_times)
        got, wanted = given_rows(theirs.topics["out"]), oracle.rows(drawn, given[:n])
        if one != other or got != wanted:
            sizes = [len(batch) for batch in case.batches]
            found.append(
                f"seed {seed} after {n} in batches of {sizes}: {drawn.text}\n"
                f"  Spark more: {other - one or got - wanted}\n  less: {one - other or wanted - got}"
            )
            break
    return found


def cut(given: Sequence[Record], seed: int) -> list[tuple[Record, ...]]:
    """The records in one to three batches."""
    rand = random.Random(f"cuts {seed}")
    cuts = sorted({0, len(given), *(rand.randint(0, len(given)) for _ in range(2))})
    return [tuple(given[a:b]) for a, b in pairwise(cuts)] or [()]


def records_of(rows: Sequence[Record], has_times: bool) -> Counter[Any]:
    """Keys, values and times; of the rows of a TABLE the time is not defined."""
    keys = ({"key": record.key} if not isinstance(record.key, dict) else record.key for record in rows)
    return Counter(
        (canonical(key), canonical(r.value), r.timestamp if has_times else 0) for key, r in zip(keys, rows, strict=True)
    )
