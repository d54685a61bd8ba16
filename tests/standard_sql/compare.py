"""A random model on DuckDB against the oracle, after prefixes of its input."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from lsqlc import Record
from lsqlc.lower.duckdb import default_session
from lsqlc.plan import Plan
from lsqlc.types.record import Case
from tests.standard_sql.oracle import Oracle, canonical
from tests.standard_sql.programs import Drawn, Programs, compiled, records


def prefixes(seed: int, count: int) -> list[int]:
    """How many records each case has."""
    rand = random.Random(f"prefixes {seed}")
    return sorted({0, count, *(rand.randint(1, count) for _ in range(3))})


def read_by(plan: Plan, given: Sequence[Record]) -> tuple[Record, ...]:
    """The records of topics that a plan reads."""
    names = {topic.name for topic in plan.inputs}
    return tuple(r for r in given if r.topic in names)


def same_rows(one: Counter[Any], other: Counter[Any]) -> bool:
    """Whether both have the same rows. Of a number that lies between two with few digits, the last bit says which it is
    rounded to, so that what differs is compared again by distance.
    """
    rest = list((other - one).elements())
    for row in (one - other).elements():
        found = next((each for each in rest if _is_close(row, each)), None)
        if found is None:
            return False
        rest.remove(found)
    return not rest


def _is_close(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_is_close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-8)
    return bool(one == other)


def given_rows(rows: Sequence[Record]) -> Counter[Any]:
    return Counter(canonical(row.value) for row in rows)


def differences(seed: int, oracle: Oracle, size: int = 24) -> list[str]:
    """What a program of this seed gives otherwise than the oracle, with the program."""
    drawn = Programs(seed).draw()
    return differences_of(drawn, seed, oracle, size)


def differences_of(drawn: Drawn, seed: int, oracle: Oracle, size: int) -> list[str]:
    plan = compiled(drawn)
    given = records(seed, size)
    cuts = prefixes(seed, size)
    cases = [Case(f"{n}", (read_by(plan, given[:n]),)) for n in cuts]
    found = []
    for cut, outcome in zip(cuts, default_session().evaluate(plan, cases), strict=True):
        got = given_rows(outcome.topics["out"])
        wanted = oracle.rows(drawn, given[:cut])
        if got != wanted:
            found.append(f"seed {seed} after {cut}: {drawn.text}\n  more: {got - wanted}\n  less: {wanted - got}")
            break
    return found
