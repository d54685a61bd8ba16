"""Groups that several parts of a query read: one stage computes them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import lsqlc
from lsqlc import Topic
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.plan import Plan
from tests.each import each

TOPICS = (Topic("t", key="INT", value="id INT, g STRING, x INT"),)
BY_G = "WITH c AS (SELECT g, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY g)"
# By query: its stages, and by topic how many of them read it where more than one does.
SHARED = {
    f"{BY_G} SELECT a.g, b.g AS h FROM c AS a JOIN c AS b ON a.n = b.n": (2, {}),
    f"{BY_G} SELECT c.g, m.n FROM c JOIN (SELECT MAX(n) AS n FROM c GROUP BY 'all') AS m ON c.n = m.n": (
        3, {"_lsqlc.out.1": 2},
    ),
    f"{BY_G} SELECT g, n FROM c WHERE s = (SELECT MAX(s) FROM c)": (3, {"_lsqlc.out.1": 2}),
    # Written twice, under other names.
    "SELECT a.g, b.n FROM (SELECT g, COUNT(*) AS n FROM t GROUP BY g) AS a"
    " JOIN (SELECT g, COUNT(*) AS n FROM t AS v GROUP BY g) AS b ON a.n = b.n": (2, {}),
    f"{BY_G}, d AS (SELECT n, COUNT(*) AS k FROM c GROUP BY n)"
    " SELECT d.n, e.n AS m, c.g FROM d JOIN d AS e ON d.k = e.k JOIN c ON c.n = e.n": (4, {"_lsqlc.out.1": 2}),
}  # fmt: skip


def plan_of(text: str) -> Plan:
    return lsqlc.compile(text, topics=TOPICS, dialect="sql", name="out")


def readers(lowered: SparkPlan) -> dict[str, int]:
    read = Counter(topic for stage in lowered.stages for topic in {t for s in stage.sources for t in s.topics})
    return {topic: count for topic, count in read.items() if count > 1}


@each("text", SHARED)
def test_groups_that_are_read_twice_are_computed_once(text: str) -> None:
    lowered = lower(plan_of(text))
    assert (len(lowered.stages), readers(lowered)) == SHARED[text]


def test_other_groups_have_a_query_each() -> None:
    text = (
        "SELECT a.g, b.n FROM (SELECT g, COUNT(*) AS n FROM t GROUP BY g) AS a"
        " JOIN (SELECT g, COUNT(*) AS n FROM t WHERE x > 0 GROUP BY g) AS b ON a.n = b.n"
    )
    assert len(lower(plan_of(text)).stages) == 3


GROUPS = "WITH c AS (SELECT TABLE COUNT(*) AS n FROM t GROUP BY g);\n"
JOINED = f"{GROUPS}INSERT INTO out SELECT TABLE a.n AS x, b.n AS y FROM c AS a JOIN c AS b ON a.n = b.n;"
WRITTEN = f"{GROUPS}INSERT INTO p SELECT TABLE n FROM c WHERE n > 1;\nINSERT INTO q SELECT TABLE n FROM c;"


def test_a_program_of_lenses_has_the_queries_that_it_had() -> None:
    """Its checkpoints are older."""
    plan = lsqlc.compile(JOINED, topics=TOPICS)
    assert (len(lower(plan).stages), len(lower(replace(plan, computes_once=True)).stages)) == (3, 2)


def test_groups_that_are_only_written_are_part_of_what_writes_them() -> None:
    plan = replace(lsqlc.compile(WRITTEN, topics=TOPICS), computes_once=True)
    assert [stage.name for stage in lower(plan).stages] == ["result.p", "result.q"]
