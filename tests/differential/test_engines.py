"""DuckDB against Spark: the same programs over random records, cut into batches at random.

What is promised (docs/reference/lenses.md, "Engines"): a TABLE's final rows are equal, a STREAM's records are equal
as a multiset and in order within a key, however the records are cut, as long as none is late.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.limits import Limits
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import unsupported
from lsqlc.plan import Plan
from lsqlc.plan.identity import compacted
from lsqlc.remote.cases import outcomes
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.record import Case, Record
from tests import reference
from tests.lower_duckdb.programs import PROGRAMS, TOPICS
from tests.lower_duckdb.test_reference import some_records

# A long grace: what is late depends on the cut. A short retention, so that unmatched records wait in vain too.
LIMITS = Limits(grace=86_400_000, retention=8)
WINDOWED = {
    "tumbling": "SELECT STREAM COUNT(*) AS n, SUM(n) AS s FROM a WINDOW BY TUMBLE 5ms GROUP BY name",
    "hopping": "SELECT STREAM COUNT(n) AS n FROM a WINDOW BY HOP 9ms, 4ms GROUP BY id AS i HAVING n > 0",
    "sessions": "SELECT STREAM COUNT(*) AS n, MAXK(n, 1) AS m FROM a WINDOW BY SESSION 3ms GROUP BY name",
    "another time": """
        SELECT STREAM COUNT(*) AS n FROM a EVENTTIME BY COALESCE(id, 0) * 7 WINDOW BY TUMBLE 5ms GROUP BY name
    """,
    "groups of windows": """
        WITH w AS (SELECT STREAM COUNT(*) AS n FROM a WINDOW BY TUMBLE 5ms GROUP BY name);
        SELECT TABLE COUNT(*) AS windows, SUM(n) AS records FROM w GROUP BY w._key.key
    """,
}


def plan_of(name: str) -> Plan:
    program = parse({**PROGRAMS, **WINDOWED}[name], name).program
    assert program is not None
    plan = compile_program(program, TOPICS, name="out", limits=LIMITS).plan
    assert plan is not None
    return plan


# A stream meets the rows of a derived table as they stand at the end of a batch, and a filter over compacted changes
# keeps what the batch kept: both depend on the cut.
DEPEND_ON_BATCHES = (
    "stream with aggregate",
    "stream with outer tables",
    "stream with rekeyed table",
    "changes of an aggregate",
)


def runs(name: str) -> bool:
    return name not in DEPEND_ON_BATCHES and not unsupported(plan_of(name))


def every() -> list[str]:
    return [name for name in (*PROGRAMS, *WINDOWED) if runs(name)]


def some_cases(plan: Plan, random: Random) -> list[Case]:
    # A query has one watermark, so cases of a plan with one run one by one.
    windowed = "grace" in plan.tree().lower()
    return [Case(str(i), cut(some_records(plan, random), random)) for i in range(3 if windowed else 16)]


def cut(records: Sequence[Record], random: Random) -> tuple[tuple[Record, ...], ...]:
    batches: list[list[Record]] = [[]]
    for record in records:
        if batches[-1] and random.random() < 0.4:
            batches.append([])
        batches[-1].append(record)
    return tuple(tuple(batch) for batch in batches)


@pytest.mark.parametrize(
    "join",
    [
        "w RIGHT JOIN b ON w._key = b.ref AND b.m = 1",
        "w OUTER JOIN b ON w._key = b.ref AND b.m = 1",
        "b LEFT JOIN w ON w._key = b.ref AND b.m = 1",
    ],
)
def test_a_row_that_stands_alone_has_the_rank_of_its_own_record(join: str, spark: Any, tmp_path: Path) -> None:
    """However its records are cut: what it met within a batch, or before it, never was."""
    text = f"""
        WITH w AS (SELECT TABLE COUNT(*) AS n FROM a GROUP BY name HAVING n < 2);
        SELECT TABLE w.n AS n, b._key AS bk FROM {join}
    """
    program = parse(text, "program").program
    assert program is not None
    plan = compile_program(program, TOPICS, name="out", limits=LIMITS).plan
    assert plan is not None
    records = (
        Record("b", "B1", {"id": 1, "m": 1, "ref": "x"}, 0),
        Record("b", "B3", {"id": 1, "m": 0, "ref": "x"}, 0),
        Record("a", "A1", {"id": 1, "n": 0, "name": "x"}, 0),
        Record("a", "A2", {"id": 1, "n": 0, "name": "x"}, 0),
    )
    assert [r.value["bk"] for r in reference.run(plan, records)["out"]] == ["B3"]
    cases = [Case(str(n), _cut_at(records, n)) for n in range(2 ** (len(records) - 1))]
    for evaluated in (default_session().evaluate(plan, cases), outcomes.evaluate(spark, tmp_path, plan, cases)):
        assert [[r.value["bk"] for r in outcome.topics["out"]] for outcome in evaluated] == [["B3"]] * len(cases)


# Chains of joins whose rows may lose what they met, under keys that several rows may have.
CHAINS = {
    "twice outer": """
        WITH ab AS (SELECT TABLE a.id AS id, n, m FROM a JOIN b ON a.id = b.id);
        WITH cb AS (SELECT TABLE c.id AS id, c.z AS z, b.m AS y FROM c LEFT JOIN b ON c.id = b.id);
        SELECT TABLE n, m, z, y FROM ab OUTER JOIN cb ON ab.m = cb.id
    """,
    "inner above outer": """
        WITH cb AS (SELECT TABLE c.id AS id, c.z AS z, b.m AS y FROM c LEFT JOIN b ON c.id = b.id);
        WITH ac AS (SELECT TABLE a.id AS id, n FROM a JOIN c ON a.id = c.id);
        SELECT TABLE n, z, y FROM cb INNER JOIN ac ON cb.id = ac.id
    """,
    "three deep": """
        WITH cb AS (SELECT TABLE c.id AS id, c.z AS z, b.m AS y FROM c LEFT JOIN b ON c.id = b.id);
        WITH ac AS (SELECT TABLE a.id AS id, n FROM a JOIN c ON a.id = c.id);
        WITH three AS (SELECT TABLE cb.id AS id, cb.y AS y, cb.z AS z, ac.n AS n FROM cb LEFT JOIN ac ON cb.id = ac.id);
        SELECT TABLE three.y AS y, three.z AS z, three.n AS n, d.n AS d FROM three LEFT JOIN ac AS d ON three.id = d.id
    """,
    "on the key, below": """
        WITH cb AS (SELECT TABLE c.id AS id, c.z AS z, b.m AS y FROM c LEFT JOIN b ON c._key = b._key);
        SELECT TABLE a.n AS n, cb.z AS z, cb.y AS y FROM cb LEFT JOIN a ON cb.id = a.id
    """,
}


@pytest.mark.parametrize("chain", CHAINS)
def test_a_row_that_has_lost_what_it_met_counts_in_joins_above(chain: str, spark: Any, tmp_path: Path) -> None:
    """The pairs that it was in are newer, and have left; its key is no tombstone for that."""
    program = parse(CHAINS[chain], chain).program
    assert program is not None
    plan = compile_program(program, TOPICS, name="out", limits=LIMITS).plan
    assert plan is not None
    records = (
        Record("b", "r", {"id": 0, "m": 1, "ref": "r"}, 1),
        Record("a", "p", {"id": 0, "n": 3, "name": "p"}, 2),
        Record("c", "r", {"id": 0, "z": None}, 3),
        Record("b", "r", None, 17),
    )
    cases = [Case(f"cut {n}", _cut_at(records, n)) for n in range(2 ** (len(records) - 1))]
    wanted = comparable(plan, "out", reference.run(plan, records)["out"])
    assert wanted, "the row is there"
    for outcome in outcomes.evaluate(spark, tmp_path / "cuts", plan, cases):
        assert comparable(plan, "out", outcome.topics["out"]) == wanted, outcome
    agree(plan, some_cases(plan, Random(chain)), spark, tmp_path / "random")


def _cut_at(records: Sequence[Record], places: int) -> tuple[tuple[Record, ...], ...]:
    """The records in batches; a bit of `places` that is set is a cut behind the record of its number."""
    ends = [n + 1 for n in range(len(records)) if places >> n & 1 or n == len(records) - 1]
    return tuple(tuple(records[begin:end]) for begin, end in zip([0, *ends], ends, strict=False))


def agree(plan: Plan, cases: Sequence[Case], spark: Any, tmp_path: Path) -> None:
    """Assert that both engines give the same for each case."""
    wanted = default_session().evaluate(plan, cases)
    got = outcomes.evaluate(spark, tmp_path, plan, cases)
    for case, expected, found in zip(cases, wanted, got, strict=True):
        for topic, rows in expected.topics.items():
            assert comparable(plan, topic, found.topics[topic]) == comparable(plan, topic, rows), case.batches


def comparable(plan: Plan, topic: str, rows: Sequence[Record]) -> Any:
    """What both engines promise to give alike."""
    sink = next(s for s in plan.sinks if s.topic.name == topic)
    if sink.semantics == "TABLE":
        return [(r.key, r.value) for r in rows]
    if any(compacted(node) for node in sink.inputs):
        # The deletion of a row that never was may come out, or not.
        last = {reference.frozen(r.key): r.value for r in rows}
        return {key: value for key, value in last.items() if value is not None}
    by_key = defaultdict(list)
    for record in rows:
        by_key[reference.frozen(record.key)].append((record.value, record.timestamp))
    # Records of one ordinal have no order among themselves.
    return {key: sorted(found, key=repr) for key, found in by_key.items()}


@pytest.mark.parametrize("name", every())
def test_spark_gives_what_duckdb_gives(name: str, spark: Any, tmp_path: Path) -> None:
    """Final rows and records agree over random logs, whatever the batches."""
    plan = plan_of(name)
    cases = some_cases(plan, Random(name))
    agree(plan, cases, spark, tmp_path)
