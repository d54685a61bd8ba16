"""Time that goes on without a record, on both engines: what comes behind it is late, on Spark by its watermark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsqlc import Record, Topic, compile
from lsqlc.golden.cases import cut
from lsqlc.lower import duckdb
from lsqlc.remote.cases import outcomes
from lsqlc.types.record import Case

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TOPICS = [Topic("clicks", key="STRING", value="n INT"), Topic("views", key="STRING", value="m INT")]
DAY = 86_400_000
PROGRAMS = {
    "tumble": "SELECT STREAM COUNT(*) AS n FROM clicks WINDOW BY TUMBLE 10s GRACE BY 5s GROUP BY n",
    "hop": "SELECT STREAM COUNT(*) AS n FROM clicks WINDOW BY HOP 10s, 5s GRACE BY 5s GROUP BY n",
    "session": "SELECT STREAM COUNT(*) AS n FROM clicks WINDOW BY SESSION 10s GRACE BY 15s GROUP BY n",
    "join": "SELECT STREAM clicks.n, views.m FROM clicks LEFT JOIN views ON clicks._key = views._key WITHIN 10s",
}


def _case(name: str, reached: int) -> Case:
    other = "views" if name == "join" else "clicks"
    value = {"m": 2} if name == "join" else {"n": 1}
    records = (
        Record("clicks", "a", {"n": 1}, 1000),
        Record(other, "a", value, 2000),
        Record("clicks", "a", {"n": 1}, 3000),
        Record(other, "a", value, 4000),
    )
    return Case(name, (records,), 0, ((2, reached), (3, reached)))


@pytest.mark.parametrize(("name", "count"), [("tumble", 1), ("hop", 4), ("session", 1), ("join", 4)])
def test_both_engines_take_the_same_records_for_late(
    spark: SparkSession, tmp_path: Path, name: str, count: int
) -> None:
    """Just before the bound nothing is late, at the bound all that comes behind; however the records are cut."""
    plan = compile(PROGRAMS[name], topics=TOPICS)
    # The first bound of a record behind the advance, and one that is past all bounds.
    early = 4000 if name == "join" else 14_999
    cases = [_case(name, early), _case(name, 2 * DAY)]
    expected = duckdb.evaluate(plan, cases)
    found = outcomes.evaluate(spark, tmp_path, plan, [cut(case, count) for case in cases])
    for one, other in zip(expected, found, strict=True):
        for topic, rows in one.topics.items():
            assert sorted(map(repr, other.topics[topic])) == sorted(map(repr, rows))
    (topic,) = expected[0].topics
    assert expected[0].topics != expected[1].topics and expected[1].counts["late"] >= 2
