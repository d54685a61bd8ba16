"""What queries keep: over a fixed set of keys it is bounded, but for the plans that say otherwise."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.limits import Limits
from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.builder import GROWING
from lsqlc.lower.spark.evolution import STATE_FORMAT
from lsqlc.plan import Plan
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.batch_log import read_batches
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.queries import QueryOptions, session_settings
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.session.session import parse_address, server_version
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.data import Struct
from lsqlc.types.record import Record, Topic
from tests.lower_duckdb.programs import TOPICS
from tests.shared import SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# In milliseconds. A round of records takes longer, so that windows close and nobody waits for ever.
LIMITS, ROUND = Limits(grace=10, retention=8), 1_000
ROUNDS = 8
BOUNDED = {
    "groups of a table": "SELECT TABLE COUNT(*) AS n, SUM(n) AS s FROM a GROUP BY name",
    "groups of a stream": "SELECT STREAM COUNT(*) AS n, MAXK(n, 3) AS m FROM a GROUP BY name",
    "windows": "SELECT STREAM COUNT(*) AS n FROM a WINDOW BY HOP 9ms, 4ms GROUP BY name",
    "sessions": "SELECT STREAM COUNT(*) AS n FROM a WINDOW BY SESSION 3ms GROUP BY name",
    "streams": "SELECT STREAM a.n, b.m FROM a OUTER JOIN b WITHIN 3ms ON a.id = b.id",
    "stream with table": """
        WITH t AS (SELECT TABLE * FROM b);
        SELECT STREAM a.n, t.m FROM a LEFT JOIN t ON a._key = t._key
    """,
    "stream with table on a field": """
        WITH t AS (SELECT TABLE * FROM b);
        SELECT STREAM a.n, t.m FROM a JOIN t ON a.id = t.id
    """,
    "tables": "SELECT TABLE a.n, b.m FROM a OUTER JOIN b ON a._key = b._key",
    "new keys of a table": "SELECT TABLE name AS _key, n FROM a",
    "elements of a table": "SELECT TABLE COUNT(*) AS n FROM lists LATERAL xs AS x GROUP BY x",
}
GROWS = {
    "tables on fields": "SELECT TABLE a.n, b.m FROM a JOIN b ON a.id = b.id",
    "lists of a table": "SELECT TABLE COLLECT(n, 3) AS c FROM a GROUP BY name",
    "lists of a stream": "SELECT STREAM COLLECT_UNIQUE(n, 3) AS c FROM a GROUP BY name",
}


@pytest.mark.parametrize("name", [*BOUNDED, *GROWS])
def test_state_is_bounded_or_the_plan_says_that_it_grows(
    name: str, spark: SparkSession, spark_server: SharedServer, tmp_path: Path
) -> None:
    """The same rows come again and again, in a new order each time, and once all were there nothing more is kept. What
    the plan says to grow does.
    """
    plan, log, random = plan_of({**BOUNDED, **GROWS}[name]), FileLog(tmp_path / "topics"), Random(name)
    rows = {topic.name: some_rows(topic, random) for topic in plan.inputs}
    for number in range(ROUNDS):
        for topic in plan.inputs:
            random.shuffle(rows[topic.name])
            times = itertools.count(number * ROUND)
            log.append(topic, [Record(topic.name, *row, next(times)) for row in rows[topic.name]])
    lowered = lower(plan, server=server_version(spark.version))
    options = RunOptions(QueryOptions(segments_per_batch=len(plan.inputs)))
    address, transport = parse_address(spark_server.address), FileTransport(log.root)
    run(RunResources(spark, address, transport, tmp_path / "checkpoints"), [Job("out", lowered)], options=options)
    growth = max(itertools.chain(*(growths(spark, query) for query in queries_in(tmp_path / "checkpoints"))))
    says = any(GROWING in line for stage in lowered.stages for line in stage.state)
    assert says == (name in GROWS)
    assert growth > 1.5 if says else growth < 1.2


def plan_of(sql: str) -> Plan:
    program = parse(sql, "state.sql").program
    assert program is not None
    plan = compile_program(program, TOPICS, name="out", limits=LIMITS).plan
    assert plan is not None
    return plan


def some_rows(topic: Topic, random: Random) -> list[tuple[str, dict[str, object]]]:
    """48 rows of four keys."""
    values: dict[str, Sequence[object]] = {"id": [0, 1, 2], "name": ["x", "y", "z"], "ref": ["r"], "xs": [[1, 2], [2]]}
    assert isinstance(topic.value.type, Struct)
    names = [field.name for field in topic.value.type.fields]
    return [(key, {n: random.choice(values.get(n, range(9))) for n in names}) for key in "pqrs" * 12]


def queries_in(checkpoints: Path) -> list[Path]:
    return sorted(found.parent for found in checkpoints.rglob("offsets"))


def growths(spark: SparkSession, query: Path) -> Iterator[float]:
    """How many times as much each state of a query holds after its last batch as after one in the middle."""
    # A reader takes the format from its session.
    with session_settings(spark, ((STATE_FORMAT, str(read_batches(query).state_format)),)):
        found = list(_sizes(spark, query))
    for middle, last in found:
        assert middle > 0
        yield last / middle


def _sizes(spark: SparkSession, query: Path) -> Iterator[tuple[int, int]]:
    for store in spark.read.format("state-metadata").load(str(query)).collect():
        reader = spark.read.format("statestore").option("path", str(query)).option("operatorId", store.operatorId)
        middle, last = (
            reader.option("storeName", store.stateStoreName).option("batchId", batch).load()
            .selectExpr("coalesce(sum(length(to_json(struct(value)))), 0)").collect()[0][0]
            for batch in (store.maxBatchId // 2, store.maxBatchId)
        )  # fmt: skip
        yield middle, last
