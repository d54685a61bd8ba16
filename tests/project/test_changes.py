"""What depends on how many changes of a derived TABLE a batch keeps: the same in one program and in several models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.discovery import load_project
from lsqlc.project.model import Project

from .conftest import Write

TOPICS = """topics:
  - {name: t, key: INT, value: 'id INT, name STRING, tags ARRAY<STRING>'}
  - {name: u, key: STRING, value: 'city STRING'}
"""
COUNTS = "SELECT STREAM COUNT(*) AS n, COLLECT(id, 3) AS ids FROM t GROUP BY name"
LENSES = [
    ("SELECT STREAM n FROM counts", []),
    ("SELECT STREAM n FROM counts WHERE _key = 'a'", []),
    ("SELECT STREAM CONCAT(_key, '!') AS _key, n FROM counts", []),
    ("SELECT STREAM n FROM counts WHERE n = 1", ["LSQ397"]),
    ("SELECT STREAM n AS _key, n FROM counts", ["LSQ397"]),
    ("SELECT STREAM n AS _key, i FROM counts LATERAL ids AS i WHERE n = 1", ["LSQ397"]),
    ("SELECT STREAM n, i FROM counts LATERAL ids AS i", ["LSQ397"]),
    ("SELECT STREAM COUNT(*) AS c FROM counts GROUP BY n", ["LSQ344"]),
    ("SELECT STREAM COUNT(*) AS c FROM counts WHERE n = 1 GROUP BY n", ["LSQ344"]),
    ("WITH c AS (SELECT STREAM n FROM counts); SELECT STREAM n, city FROM c LEFT JOIN people", ["LSQ344"]),
    ("WITH c AS (SELECT STREAM n FROM counts); SELECT STREAM n FROM c WHERE n = 1", ["LSQ397"]),
    ("WITH c AS (SELECT STREAM n FROM counts); SELECT TABLE n FROM c WHERE n = 1", []),
    ("WITH c AS (SELECT TABLE n FROM counts WHERE n = 1); SELECT STREAM n FROM c", []),
    ("WITH c AS (SELECT TABLE n FROM counts WHERE n = 1); SELECT STREAM n FROM c WHERE n = 1", ["LSQ397"]),
    ("WITH c AS (SELECT STREAM n FROM counts); WITH d AS (SELECT TABLE n FROM c);"
     " SELECT STREAM n FROM d WHERE n = 1", ["LSQ397"]),
    ("SELECT TABLE n FROM counts WHERE n = 1", []),
    ("SELECT TABLE COUNT(*) AS c FROM counts GROUP BY n", []),
]  # fmt: skip
PEOPLE = "WITH people AS (SELECT TABLE city FROM u); "
KSQL_WRITER = """CREATE STREAM s (id INT KEY, name STRING)
  WITH (KAFKA_TOPIC = 'k', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE counts WITH (KAFKA_TOPIC = 'counts') AS
  SELECT name, COUNT(*) AS n, COLLECT_LIST(id) AS ids FROM s GROUP BY name;
"""
KSQL_READER = """CREATE STREAM r (name STRING KEY, n BIGINT, ids ARRAY<INT>)
  WITH (KAFKA_TOPIC = 'counts', VALUE_FORMAT = 'JSON');
"""
KSQL = [
    ("CREATE STREAM o AS SELECT name, n FROM r;", []),
    ("CREATE STREAM o AS SELECT name, n FROM r WHERE name = 'a';", []),
    ("CREATE STREAM o AS SELECT name, n FROM r WHERE n = 1;", ["LSQ397"]),
    ("CREATE STREAM o AS SELECT name, n FROM r WHERE ROWTIME > 1;", ["LSQ397"]),
    ("CREATE STREAM o AS SELECT UCASE(name) AS up, n FROM r PARTITION BY UCASE(name);", []),
    ("CREATE STREAM o AS SELECT n, name FROM r PARTITION BY n;", ["LSQ397"]),
    ("CREATE STREAM o AS SELECT name, EXPLODE(ids) AS i FROM r;", ["LSQ397"]),
    ("CREATE TABLE o AS SELECT n, COUNT(*) AS c FROM r GROUP BY n;", ["LSQ344"]),
    ("CREATE STREAM m AS SELECT name, n FROM r; CREATE TABLE o AS SELECT n, COUNT(*) AS c FROM m GROUP BY n;",
     ["LSQ344"]),
]  # fmt: skip
SQL = [
    ("SELECT n FROM STREAM(counts)", []),
    ("SELECT n FROM STREAM(counts) WHERE _key = 'a'", []),
    ("SELECT n FROM STREAM(counts) WHERE n = 1", ["LSQ397"]),
    ("SELECT n, COUNT(*) AS c FROM STREAM(counts) GROUP BY n", ["LSQ344"]),
    ("SELECT DISTINCT n FROM STREAM(counts)", ["LSQ344"]),
    ("SELECT c.n, u.city FROM STREAM(counts) c JOIN u ON c._key = u._key", ["LSQ344"]),
    ("SELECT n FROM counts WHERE n = 1", []),
]  # fmt: skip


def compiled(root: Path) -> Compilation:
    return compile_project(loaded(root))


def loaded(root: Path) -> Project:
    project = load_project(root).project
    assert project is not None
    return project


def codes(compilation: Compilation) -> list[str]:
    return [d.code for d in compilation.diagnostics if d.code in ("LSQ344", "LSQ397") or d.is_error]


@pytest.mark.parametrize(("reader", "expected"), LENSES)
def test_one_program_and_two_models_have_one_rule(project: Write, reader: str, expected: list[str]) -> None:
    reader = PEOPLE + reader if "people" in reader else reader
    one = project({"models/topics.yml": TOPICS, "models/one.sql": f"WITH counts AS ({COUNTS}); {reader}"})
    assert codes(compiled(one)) == expected
    two = project({"models/one.sql": reader, "models/counts.sql": COUNTS})
    assert codes(compiled(two)) == expected


@pytest.mark.parametrize(("reader", "expected"), KSQL)
def test_programs_of_ksqldb_have_the_same_rule(project: Write, reader: str, expected: list[str]) -> None:
    one = project({"lsqlc.yml": "name: a\ndialect: ksql\n", "models/one.sql": KSQL_WRITER + KSQL_READER + reader})
    assert codes(compiled(one)) == expected
    two = project({"models/one.sql": KSQL_WRITER, "models/two.sql": KSQL_READER + reader})
    assert codes(compiled(two)) == expected


@pytest.mark.parametrize(("reader", "expected"), SQL)
def test_models_of_standard_sql_have_the_same_rule(project: Write, reader: str, expected: list[str]) -> None:
    head = '{{ config(dialect="sql") }}\n'
    files = {"models/topics.yml": TOPICS, "models/counts.sql": COUNTS, "models/reader.sql": head + reader}
    assert codes(compiled(project({**files}))) == expected


def test_the_finding_names_the_stream_and_its_place(project: Write) -> None:
    head = '{{ config(dialect="sql") }}\n'
    files = {"models/topics.yml": TOPICS, "models/counts.sql": COUNTS}
    root = project({**files, "models/reader.sql": "SELECT STREAM n FROM counts WHERE n = 1"})
    (found,) = compiled(root).diagnostics
    assert (found.code, found.line, found.column) == ("LSQ397", 1, 35)
    assert found.message == "the result depends on the batches: 'counts' is the STREAM of changes of a derived TABLE"
    root = project({"models/reader.sql": head + "SELECT n FROM STREAM(counts) WHERE n = 1"})
    (found,) = [d for d in compiled(root).diagnostics if d.code == "LSQ397"]
    assert (found.line, found.column) == (2, 22)


def test_what_a_stream_of_changes_writes_lacks_changes_too(project: Write) -> None:
    """However many models lie between, and whatever their dialects."""
    files = {
        "models/topics.yml": TOPICS,
        "models/counts.sql": COUNTS,
        "models/mid.sql": "SELECT STREAM n FROM counts",
        "models/end.sql": "SELECT STREAM COUNT(*) AS c FROM mid GROUP BY n",
    }
    assert codes(compiled(project({**files}))) == ["LSQ344"]
    end = '{{ config(dialect="ksql") }}\n' + (
        "CREATE STREAM r (k STRING KEY, `n` BIGINT) WITH (KAFKA_TOPIC = 'mid', VALUE_FORMAT = 'JSON');"
        "CREATE TABLE o AS SELECT `n`, COUNT(*) AS c FROM r GROUP BY `n`;"
    )
    assert codes(compiled(project({"models/end.sql": end}))) == ["LSQ344"]


def test_the_changes_of_a_filtered_topic_are_all_there(project: Write) -> None:
    files = {
        "models/topics.yml": TOPICS,
        "models/some.sql": "SELECT TABLE id, name FROM t WHERE id > 1",
        "models/end.sql": "SELECT STREAM COUNT(*) AS c FROM some GROUP BY name",
    }
    assert codes(compiled(project({**files}))) == []


def test_a_deletion_that_is_dropped_is_a_finding(project: Write) -> None:
    """Of a TABLE that can delete rows: after a row that the same batch deletes, nothing of it is left."""
    files = {
        "models/topics.yml": TOPICS,
        "models/counts.sql": COUNTS + " HAVING n < 3",
        "models/reader.sql": '{{ config(dialect="sql") }}\nSELECT n FROM STREAM(counts)',
    }
    assert codes(compiled(project({**files}))) == ["LSQ397"]
    having = KSQL_WRITER.replace("GROUP BY name", "GROUP BY name HAVING COUNT(*) < 3")
    read = "CREATE STREAM o AS SELECT name, n FROM r WHERE name = 'a';"
    for models in ({"reader": having + KSQL_READER + read}, {"reader": KSQL_READER + read, "counts": having}):
        head = '{{ config(dialect="ksql") }}\n'
        root = project({"models/counts.sql": COUNTS, **{f"models/{n}.sql": head + text for n, text in models.items()}})
        if "counts" not in models:
            (root / "models/counts.sql").unlink()
        assert codes(compiled(root)) == ["LSQ397"]


def test_a_window_that_is_written_once_lacks_no_changes(project: Write) -> None:
    """EMIT FINAL: a condition and an aggregate over its changes give the same whatever the batches."""
    writer = KSQL_WRITER.replace(
        "FROM s GROUP BY name", "FROM s WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY name EMIT FINAL"
    )
    reader = KSQL_READER.replace("'JSON'", "'JSON', WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '1 HOUR'")
    query = "CREATE TABLE o AS SELECT n, COUNT(*) AS c FROM r WHERE n > 1 GROUP BY n;"
    files = {"lsqlc.yml": "name: a\ndialect: ksql\n", "models/one.sql": writer, "models/two.sql": reader + query}
    assert codes(compiled(project({**files}))) == []
    again = writer.replace(" EMIT FINAL", "")
    assert codes(compiled(project({"models/one.sql": again}))) == ["LSQ344"]


def test_a_cached_model_says_what_its_topic_holds(project: Write) -> None:
    """A model that is compiled again reads the topic of one that is not."""
    root = project(
        {"models/topics.yml": TOPICS, "models/counts.sql": COUNTS, "models/end.sql": "SELECT STREAM n FROM counts"}
    )
    first = compiled(root)
    assert first.topics["counts"].changes == "last, never deleted"
    project({"models/end.sql": "SELECT STREAM COUNT(*) AS c FROM counts GROUP BY n"})
    again = compile_project(loaded(root), cache=first.entries, plans=False)
    assert {name: build.status for name, build in again.models.items()} == {"counts": "cached", "end": "failed"}
    assert codes(again) == ["LSQ344"]


def test_topics_that_differ_in_their_changes_only_are_equal(project: Write) -> None:
    """How a topic is written is no part of a fingerprint, nor of what plans show."""
    root = project(
        {"models/topics.yml": TOPICS, "models/counts.sql": COUNTS, "models/end.sql": "SELECT STREAM n FROM counts"}
    )
    plan = compiled(root).plans["end"]
    (topic,) = plan.inputs
    assert topic.changes == "last, never deleted" and topic == replace(topic, changes="every")
    assert "changes" not in plan.to_json()["sinks"][0]["topic"]
