"""A program for each strategy of the Spark lowering, over a few records: Spark gives what DuckDB gives.

`make test` runs those that differ most, so that a lowering which breaks is seen without the long lane. The others are
left to the nightly lane: for each of their strategies `tests/core.txt` lists a test. The other files of this folder
have every program, over random records that are cut at random.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.lower import duckdb
from lsqlc.plan import Plan
from lsqlc.remote.cases import outcomes
from lsqlc.types.record import Case, Raw, Record
from tests.differential import test_engines as lenses
from tests.differential import test_ksql_engines as ksql
from tests.differential.test_engines import agree
from tests.lanes import only
from tests.lower_duckdb.test_files import write
from tests.lower_duckdb.test_reference import some_records
from tests.remote.test_file_topics import on_duckdb, on_spark
from tests.remote.test_file_topics import plan_of as plan_over_files

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

pytestmark = pytest.mark.smoke

LENSES = {
    "a projected STREAM": "stream projected and filtered",
    "a rekeyed STREAM": "stream rekeyed",
    "an aggregated STREAM": "aggregate of a stream",
    "windows": "tumbling",
    "sessions": "sessions",
    "a projected TABLE": "table projected and filtered",
    "an aggregated TABLE": "aggregate of a table",
    "lists of a TABLE": "collected from a table",
    "a rekeyed TABLE": "table rekeyed",
    "changes of a TABLE": "changes of a table",
    "TABLEs joined on keys": "tables by key, outer",
    "TABLEs joined on fields": "tables on fields, outer",
    "a STREAM joined with a TABLE": "stream with table on a field",
    "STREAMs joined": "streams, outer",
    "LATERAL over a STREAM": "lateral",
    "LATERAL over a TABLE": "lateral of a table, counted",
}
KSQL = {
    "EXPLODE": "CREATE STREAM o AS SELECT id, EXPLODE(tags) AS tag FROM a;",
    "unmatched records at once": ksql.PROGRAMS["eager left"],
    "closed windows": ksql.PROGRAMS["final"],
    "several values by offset": ksql.PROGRAMS["several by offset"],
}
FAST = (
    "a projected STREAM",
    "windows",
    "an aggregated TABLE",
    "a rekeyed TABLE",
    "TABLEs joined on fields",
    "a STREAM joined with a TABLE",
    "STREAMs joined",
    "LATERAL over a TABLE",
    "closed windows",
)
"""The strategies that the fast lane runs."""


@pytest.mark.parametrize("strategy", only(LENSES, FAST))
def test_lenses(strategy: str, spark: SparkSession, tmp_path: Path) -> None:
    plan = lenses.plan_of(LENSES[strategy])
    _agree(plan, some_records, spark, tmp_path)


@pytest.mark.parametrize("strategy", only(KSQL, FAST))
def test_ksql(strategy: str, spark: SparkSession, tmp_path: Path) -> None:
    plan = lsqlc.compile(ksql.SOURCES + KSQL[strategy], dialect="ksql", name="out")
    _agree(plan, ksql.some_log, spark, tmp_path)


def test_files(spark: SparkSession, tmp_path: Path) -> None:
    """CSV and JSON, with a row that cannot be read."""
    plan = plan_over_files("""
        SET error.policy = 'dlq'; SET dead.letter.queue = 'bad';
        INSERT INTO of_rows SELECT STREAM *, filename, dir0 FROM rows;
        INSERT INTO of_lines SELECT STREAM * FROM lines;
    """)
    write(tmp_path, {"rows/2012/1.csv": "a,b,n\n1,x,1\nno,bad,3\n", "lines/1.json": '{"a":1,"b":"x"}\nnope\n'})
    here = on_duckdb(plan, tmp_path)
    assert {topic: len(rows) for topic, rows in here.items()} == {"of_rows": 1, "of_lines": 1, "bad": 2}
    assert on_spark(spark, plan, tmp_path) == here


@pytest.mark.nightly
def test_dead_letters(spark: SparkSession, tmp_path: Path) -> None:
    """A record that is not of its type becomes a letter, and the good ones around it go on."""
    text = "SET error.policy = 'dlq'; SET dead.letter.queue = 'bad'; INSERT INTO copies SELECT STREAM * FROM orders"
    plan = lsqlc.compile(text, topics=[lsqlc.Topic("orders", key="INT", value="id INT NOT NULL")], name="out")
    values = ('{"id":1}', '{"id":null}', '{"id":1', '{"id":2}')
    case = Case("c", (tuple(Record("orders", n, Raw(value), n) for n, value in enumerate(values)),))
    here, there = duckdb.evaluate(plan, [case])[0], outcomes.evaluate(spark, tmp_path, plan, [case])[0]
    assert (len(here.topics["bad"]), len(here.topics["copies"])) == (2, 2)
    assert there.topics == here.topics


def _agree(plan: Plan, log: Callable[[Plan, Random], list[Record]], spark: SparkSession, tmp_path: Path) -> None:
    """Over the first random log that has some records and gives results for all topics, in two batches: the second
    reads the state of the first.
    """
    for seed in range(100):
        records = log(plan, Random(seed))
        middle = len(records) // 2
        case = Case("c", (tuple(records[:middle]), tuple(records[middle:])))
        if middle >= 4 and all(duckdb.evaluate(plan, [case])[0].topics.values()):
            agree(plan, [case], spark, tmp_path)
            return
    pytest.fail("no log gives results")
