"""DuckDB against Spark for what programs of ksqlDB have of their own: unmatched records at once, closed windows,
histograms, the time of a table's rows, places of records.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import lsqlc
from lsqlc import Plan, Record
from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import NEWEST, counts, lower
from lsqlc.remote.cases import outcomes
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.session.session import parse_address, server_version
from lsqlc.types.record import Case
from tests.differential.test_engines import agree, comparable, cut
from tests.differential.test_versions import older
from tests.lower_duckdb.test_reference import value
from tests.shared import SharedServer

SOURCES = """
CREATE STREAM a (id INT KEY, n INT, name STRING, tags ARRAY<STRING>) WITH (KAFKA_TOPIC = 'a', VALUE_FORMAT = 'JSON');
CREATE STREAM b (id INT KEY, m INT, other STRING) WITH (KAFKA_TOPIC = 'b', VALUE_FORMAT = 'JSON');
CREATE STREAM again (id INT KEY, n INT) WITH (KAFKA_TOPIC = 'c', VALUE_FORMAT = 'JSON');
CREATE STREAM same (id INT KEY, n INT) WITH (KAFKA_TOPIC = 'c', VALUE_FORMAT = 'JSON');
CREATE TABLE t (id INT PRIMARY KEY, n INT, name STRING) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');
CREATE TABLE u (id INT PRIMARY KEY, m INT, name STRING) WITH (KAFKA_TOPIC = 'u', VALUE_FORMAT = 'JSON');
"""
# The times of records are some seconds apart.
PROGRAMS = {
    "eager left": "CREATE STREAM o AS SELECT a.id, n, m FROM a LEFT JOIN b WITHIN 2 SECONDS ON a.id = b.id;",
    "eager right": """
        CREATE STREAM o AS SELECT b.id, n, m FROM a RIGHT JOIN b WITHIN (3 SECONDS, 1 SECONDS) ON a.id = b.id;
    """,
    "eager full": """
        CREATE STREAM o AS SELECT ROWKEY AS k, name, other, a.ROWTIME AS at
        FROM a FULL JOIN b WITHIN (0 SECONDS, 700 MILLISECONDS) ON a.name = b.other;
    """,
    "eager at one instant": """
        CREATE STREAM o AS SELECT a.id, n, m FROM a LEFT JOIN b WITHIN 0 SECONDS ON a.id = b.id;
    """,
    "eager over filters": """
        CREATE STREAM x AS SELECT id, n + 1 AS n FROM a WHERE name <> 'p';
        CREATE STREAM y AS SELECT * FROM b WHERE m > 0 PARTITION BY m;
        CREATE STREAM o AS SELECT x.id, n, y.id AS yid FROM x LEFT JOIN y WITHIN 3 SECONDS ON x.id = y.m;
    """,
    "eager over elements": """
        CREATE STREAM x AS SELECT id, EXPLODE(tags) AS tag FROM a;
        CREATE STREAM o AS SELECT x.id, tag, m FROM x LEFT JOIN b WITHIN 2 SECONDS ON x.id = b.id;
    """,
    "eager over one topic": """
        CREATE STREAM o AS SELECT ROWKEY AS k, x.n AS xn, y.n AS yn
        FROM again x FULL JOIN same y WITHIN 1 SECONDS ON x.n = y.n;
    """,
    "eager and a table": """
        CREATE STREAM o AS SELECT a.id, a.n, m, t.name FROM a
        LEFT JOIN b WITHIN 2 SECONDS ON a.id = b.id LEFT JOIN t ON a.id = t.id;
    """,
    "counted after eager": """
        CREATE STREAM x AS SELECT a.id AS id, n, m FROM a LEFT JOIN b WITHIN 2 SECONDS ON a.id = b.id;
        CREATE TABLE o AS SELECT id, COUNT(*) AS c, COUNT(m) AS met FROM x GROUP BY id;
    """,
    "final": """
        CREATE TABLE o AS SELECT id, COUNT(*) AS c, LATEST_BY_OFFSET(n) AS last
        FROM a WINDOW TUMBLING (SIZE 3 SECONDS) GROUP BY id EMIT FINAL;
    """,
    "final hops": """
        CREATE TABLE o AS SELECT name, WINDOWEND AS until, SUM(n) AS s
        FROM a WINDOW HOPPING (SIZE 4 SECONDS, ADVANCE BY 3 SECONDS) GROUP BY name HAVING COUNT(*) > 1 EMIT FINAL;
    """,
    "final sessions": """
        CREATE TABLE o AS SELECT id, COUNT(*) AS c FROM a WINDOW SESSION (1 SECONDS) GROUP BY id EMIT FINAL;
    """,
    "sessions": """
        CREATE TABLE o AS SELECT id, WINDOWSTART AS since, COUNT(*) AS c
        FROM a WINDOW SESSION (1 SECONDS, GRACE PERIOD 1 SECONDS) GROUP BY id;
    """,
    "changes of sessions": """
        CREATE TABLE x AS SELECT id, COUNT(*) AS c
        FROM a WINDOW SESSION (1 SECONDS, GRACE PERIOD 300 MILLISECONDS) GROUP BY id;
        CREATE STREAM y (id INT KEY, c BIGINT) WITH (KAFKA_TOPIC = 'X', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'SESSION');
        CREATE STREAM o AS SELECT id, c + 1 AS c FROM y;
    """,
    "changes by their key": """
        CREATE TABLE x AS SELECT name, COUNT(*) AS c, COLLECT_LIST(n) AS ns FROM a GROUP BY name;
        CREATE STREAM y (k STRING KEY, c BIGINT) WITH (KAFKA_TOPIC = 'X', VALUE_FORMAT = 'JSON');
        CREATE STREAM o AS SELECT LCASE(k) AS k, AS_VALUE(k) AS name, c FROM y WHERE k <> 'q' PARTITION BY LCASE(k);
    """,
    "changes of closed windows": """
        CREATE TABLE x AS SELECT id, COUNT(*) AS c FROM a WINDOW TUMBLING (SIZE 3 SECONDS) GROUP BY id EMIT FINAL;
        CREATE STREAM y (id INT KEY, c BIGINT) WITH (KAFKA_TOPIC = 'X', VALUE_FORMAT = 'JSON',
          WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '3 SECONDS');
        CREATE STREAM f AS SELECT id, c FROM y WHERE c > 1;
        CREATE TABLE o AS SELECT c, COUNT(*) AS windows FROM y GROUP BY c;
    """,
    "joined on by the key": """
        CREATE STREAM o AS SELECT a.id, a.n, m, t.name FROM a LEFT JOIN b WITHIN 2 SECONDS ON a.id = b.id
          LEFT JOIN t ON b.id = t.id;
    """,
    "histogram": "CREATE TABLE o AS SELECT id, HISTOGRAM(name) AS h, COUNT(*) AS c FROM a GROUP BY id;",
    "histogram of a table": "CREATE TABLE o AS SELECT n, HISTOGRAM(name) AS h FROM t GROUP BY n;",
    "histogram of windows": """
        CREATE TABLE o AS SELECT id, HISTOGRAM(name) AS h FROM a WINDOW TUMBLING (SIZE 3 SECONDS) GROUP BY id;
    """,
    "several by offset": """
        CREATE TABLE o AS SELECT id, EARLIEST_BY_OFFSET(n, 2) AS e, LATEST_BY_OFFSET(name, 3, false) AS l,
          LATEST_BY_OFFSET(n, 2, true) AS s, EARLIEST_BY_OFFSET(name, false) AS f FROM a GROUP BY id;
    """,
    "time of a table": "CREATE TABLE o AS SELECT id, ROWTIME AS at, name FROM t WHERE ROWTIME > 2000;",
    "time of groups": """
        CREATE TABLE x AS SELECT name, COUNT(*) AS c FROM a GROUP BY name;
        CREATE TABLE o AS SELECT name, c, ROWTIME AS at FROM x;
    """,
    "time of joined tables": """
        CREATE TABLE x AS SELECT t.id AS id, n, m FROM t LEFT JOIN u ON t.id = u.id;
        CREATE TABLE o AS SELECT id, n, m, ROWTIME AS at FROM x;
    """,
    "time of a table's groups": """
        CREATE TABLE x AS SELECT n, COUNT(*) AS c, COLLECT_LIST(name) AS l FROM t WHERE name <> 'q' GROUP BY n;
        CREATE TABLE o AS SELECT n, c, l, ROWTIME AS at FROM x;
    """,
    "time of a table's groups in a stream": """
        CREATE TABLE x AS SELECT n, HISTOGRAM(name) AS h FROM t GROUP BY n;
        CREATE TABLE y AS SELECT n, h, ROWTIME AS at FROM x;
        CREATE STREAM o AS SELECT a.n, a.id, at FROM a JOIN y ON a.n = y.n;
    """,
    "places": """
        CREATE STREAM o AS SELECT id, ROWPARTITION AS part, ROWOFFSET AS place FROM a WHERE n > 0 AND ROWOFFSET > 0;
    """,
    "places of rows": "CREATE TABLE o AS SELECT name, COUNT(*) AS c, SUM(ROWOFFSET) AS s FROM t GROUP BY name;",
    "places of both sides": """
        CREATE STREAM o AS SELECT a.id, a.ROWOFFSET AS x, t.ROWOFFSET AS y, t.name FROM a LEFT JOIN t ON a.id = t.id;
    """,
    "places under a star": """
        CREATE STREAM o AS SELECT * FROM a LEFT JOIN b WITHIN 2 SECONDS ON a.id = b.id PARTITION BY a.n;
    """,
    "times of both tables": """
        CREATE TABLE o AS SELECT ROWKEY AS k, t.ROWTIME AS tt, u.ROWTIME AS ut FROM t FULL JOIN u ON t.id = u.id;
    """,
    "time of a foreign key's rows": """
        CREATE TABLE x AS SELECT t.id AS id, t.n, m FROM t JOIN u ON t.n = u.id;
        CREATE TABLE o AS SELECT id, m, ROWTIME AS at FROM x;
    """,
    "groups of several writers": """
        CREATE STREAM w AS SELECT id, n FROM a; INSERT INTO w SELECT id, m AS n FROM b;
        INSERT INTO w SELECT id, n + 1 AS n FROM a WHERE n > 0;
        CREATE TABLE o AS SELECT id, COUNT(*) AS c, COLLECT_LIST(n) AS l, LATEST_BY_OFFSET(n) AS last
        FROM w WHERE n <> 7 GROUP BY id;
    """,
    "windows of several writers": """
        CREATE STREAM w AS SELECT id, n FROM a; INSERT INTO w SELECT id, m AS n FROM b;
        CREATE TABLE o AS SELECT id, COUNT(*) AS c, SUM(n) AS s FROM w WINDOW TUMBLING (SIZE 3 SECONDS) GROUP BY id;
    """,
    "join of several writers": """
        CREATE STREAM w AS SELECT id, EXPLODE(tags) AS tag FROM a; INSERT INTO w SELECT id, other AS tag FROM b;
        CREATE STREAM v AS SELECT id, n FROM again; INSERT INTO v SELECT id, m AS n FROM b;
        CREATE STREAM o AS SELECT w.id, tag, n FROM w JOIN v WITHIN 2 SECONDS ON w.id = v.id;
    """,
    "eager join of several writers": """
        CREATE STREAM w AS SELECT id, n FROM again; INSERT INTO w SELECT id, m AS n FROM b;
        CREATE STREAM o AS SELECT w.id, w.n, a.n AS an FROM w LEFT JOIN a WITHIN 2 SECONDS ON w.id = a.id;
    """,
}

# A stream meets a derived table as it stood at the end of a batch.
ONE_BY_ONE = ("time of a table's groups in a stream", "sessions", "changes of sessions")
# These have other words on older servers.
OTHERWISE = ("histogram", "histogram of a table", "several by offset")


def plan_of(name: str) -> Plan:
    return lsqlc.compile(SOURCES + PROGRAMS[name], dialect="ksql", name="out")


def some_cases(name: str, plan: Plan) -> list[Case]:
    """Some logs of records that are seconds apart, cut at random; few, where time makes each a query of its own."""
    timed, random = "grace" in plan.tree().lower(), Random(name)
    logs = [some_log(plan, random) for _ in range(3 if timed else 16)]
    alone = name in ONE_BY_ONE
    return [Case(str(i), tuple((r,) for r in log) if alone else cut(log, random)) for i, log in enumerate(logs)]


def some_log(plan: Plan, random: Random) -> list[Record]:
    found = []
    for place in range(random.randrange(8, 22)):
        topic = random.choice(plan.inputs)
        facet = None if random.random() < 0.15 else value(topic.value.type, random)
        time = max(0, 500 * place + random.randrange(-9, 10) * 250)
        found.append(Record(topic.name, value(topic.key.type, random), facet, time))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_spark_gives_what_duckdb_gives(name: str, spark: Any, tmp_path: Path) -> None:
    """Final rows and records agree over random logs, whatever the batches."""
    _agree(plan_of(name), name, spark, tmp_path)


@pytest.mark.parametrize("name", OTHERWISE)
def test_the_words_for_old_servers_mean_the_same(
    name: str, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over random logs, whatever the batches."""
    monkeypatch.setattr(outcomes, "lower", older)
    _agree(plan_of(name), name, spark, tmp_path)


@pytest.mark.parametrize(
    "name", ["places of both sides", "eager full", "histogram of a table", "time of a table's groups"]
)
def test_what_was_stopped_goes_on(name: str, spark: Any, spark_server: SharedServer, tmp_path: Path) -> None:
    """From its checkpoint, over topics on disk: what DuckDB gives over the same topics, places of records too."""
    plan, random, log = plan_of(name), Random(name), FileLog(tmp_path / "topics")
    topics = {topic.name: topic for topic in plan.inputs}
    jobs = [Job("out", lower(plan, server=server_version(spark.version)))]
    started = 0
    for resumed in (False, True, True):
        for record in some_log(plan, random):
            log.append(topics[record.topic], [replace(record, timestamp=started + record.timestamp)])
        # As seconds go by, the next records come later.
        started += 20_000
        summaries = run(
            RunResources(spark, parse_address(spark_server.address), FileTransport(log.root), tmp_path / "checkpoints"),
            jobs,
            options=RunOptions(QueryOptions(4)),
        )
        assert all(s.finished and s.resumed == resumed for s in summaries)
        wanted = default_session().evaluate_logs(plan, {name: log.segments(name) for name in topics})
        for topic in plan.outputs:
            found: Any = list(log.read(topic))
            if plan.semantics[topic.name] == "TABLE":
                found = outcomes.final_rows(topic, found)
            assert comparable(plan, topic.name, found) == comparable(plan, topic.name, wanted.topics[topic.name])


def test_what_approx_top_k_cannot_count_fails(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives the numbers of all values as long as it tracks them all, and never wrong ones."""
    monkeypatch.setattr(counts, "MOST", 20)
    count = f"SELECT size({counts.counted(NEWEST, 'CAST(id % {} AS STRING)', 'id > 4')}) FROM range(500)"
    assert spark.sql(count.format(*[20] * count.count("{}"))).collect()[0][0] == 20
    with pytest.raises(Exception, match="cannot count 20 different values"):
        spark.sql(count.format(*[200] * count.count("{}"))).collect()


def _agree(plan: Plan, name: str, spark: Any, tmp_path: Path) -> None:
    agree(plan, some_cases(name, plan), spark, tmp_path)
