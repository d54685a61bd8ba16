"""Single messages that once misled: each has the words of who reads it, and a help that holds."""

from __future__ import annotations

import re
from typing import Literal

import pytest

import lsqlc
from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.catalogue import page

Dialect = Literal["lenses", "ksql", "sql"]

RIDES = lsqlc.Topic("rides", key="STRING", value="id INT, station STRING, minutes INT, d DOUBLE, ts TIMESTAMP")
OTHERS = lsqlc.Topic("others", key="STRING", value="id INT, station STRING, minutes INT, ts TIMESTAMP")
# What ksqlDB programs begin with.
DECLARED = """CREATE STREAM rides (k STRING KEY, id INT, station STRING, minutes INT, ts TIMESTAMP)
  WITH (kafka_topic = 'rides', value_format = 'JSON');
CREATE TABLE names (id BIGINT PRIMARY KEY, name STRING) WITH (kafka_topic = 'names', value_format = 'JSON');
"""
STREAMS = "SELECT r.station, o.minutes FROM STREAM(rides) r JOIN STREAM(others) o ON r.id = o.id"


def told(dialect: Dialect, text: str) -> list[Diagnostic]:
    """The errors of a program."""
    try:
        if dialect == "ksql":
            lsqlc.compile(DECLARED + text, topics=[], dialect="ksql")
        else:
            lsqlc.compile(text, topics=[RIDES, OTHERS], dialect=dialect)
    except lsqlc.CompileError as error:
        return [d for d in error.diagnostics if d.is_error]
    return []


def compiles(dialect: Dialect, text: str) -> bool:
    return not told(dialect, text)


@pytest.mark.parametrize(
    "expression",
    [
        "float(d)", "float(d) + 1", "(float(d) + 1)", "float(d)::INT", "CAST(float(d) AS DECIMAL(10, 2))",
        "float(d) IS NULL",
        "NOT float(d) IS NULL", "float(d) NOT BETWEEN 1 AND 2", "float(d) IN (1, 2)",
        "EXTRACT(HOUR FROM ts - INTERVAL '1' HOUR)", "-float(d)",
        "ts - INTERVAL '1' HOUR", "minutes > 3 AND (float(d) = 1 OR id = 2)", "date '2020-1-1'", "float ( d )",
        "CASE WHEN float(d) > 1 THEN 'a' END",
    ],
)  # fmt: skip
@pytest.mark.parametrize("behind", ["\nFROM rides", " /* more */ FROM rides", " FROM rides WHERE id > 1"])
def test_a_name_stands_behind_the_whole_expression(expression: str, behind: str) -> None:
    """The help is SQL that compiles, in the place of what has no name."""
    (found,) = told("sql", f"SELECT {expression}{behind}")
    assert found.code == "LSQ457" and found.fix is None
    assert found.help == f"give it one: {expression} AS column_1"
    assert compiles("sql", f"SELECT {expression} AS column_1{behind}")


def test_every_form_of_what_a_model_makes() -> None:
    """OR REFRESH changes nothing, in both of them."""
    body = "v AS SELECT station, COUNT(*) AS n FROM rides WHERE station IS NOT NULL GROUP BY station"
    assert compiles("sql", f"CREATE MATERIALIZED VIEW {body}")
    assert compiles("sql", f"CREATE OR REFRESH MATERIALIZED VIEW {body}")
    (found,) = told("sql", f"CREATE VIEW {body}")
    assert found.message == "CREATE VIEW is not supported in models of the dialect sql"
    (found,) = told("sql", "CREATE FUNCTION f() RETURNS INT RETURN 1")
    assert found.message == "CREATE FUNCTION is not supported in models of the dialect sql"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT station, quantile(d, 0.5) AS x FROM rides GROUP BY station", "QUANTILE"),
        ("OPTIMIZE rides", "OPTIMIZE"), ("MSCK REPAIR TABLE rides", "MSCK REPAIR"), ("SHOW TABLES", "SHOW"),
        ("CALL x()", "CALL"), ("VACUUM rides", "VACUUM"), ("GRANT SELECT ON rides TO x", "GRANT"),
        ("EXPLAIN SELECT 1 FROM rides", "EXPLAIN"), ("DECLARE x INT", "DECLARE"),
        ("SELECT interval 3 fortnight + ts AS x FROM rides", "INTERVAL"),
    ],
)  # fmt: skip
def test_the_words_of_the_program(text: str, words: str) -> None:
    """What is not supported is called as the program calls it, and not as a parser does."""
    (found,) = told("sql", text)
    assert words in found.message
    assert not re.search(r"\bUNIT\b|DECODE CASE|COMMAND|\bVAR\b", found.message)


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        ("", "a join of two streams requires a time bound"),
        (" AND o.ts BETWEEN r.ts AND r.ts + INTERVAL 1 HOUR",
         "the time bound of a join must compare _timestamp, not 'o.ts', 'r.ts'"),
        (" AND o._timestamp <= r._timestamp + INTERVAL 1 HOUR", "the time bound of this join has no lower limit"),
        (" AND o._timestamp BETWEEN r._timestamp AND timestampadd(MINUTE, 10, r._timestamp)",
         "the time bound of this join is in a form that cannot be read"),
    ],
)  # fmt: skip
def test_a_join_that_has_some_time_bound(bound: str, message: str) -> None:
    """It is told what is wrong with the bound, and not that it has none."""
    (found,) = told("sql", STREAMS + bound)
    assert (found.code, found.message) == ("LSQ454", message)
    assert ("without one, each record is kept for ever" in found.notes) == (not bound)


def test_a_time_bound_in_any_place() -> None:
    between = "o._timestamp BETWEEN r._timestamp AND r._timestamp + INTERVAL 10 MINUTES"
    assert compiles("sql", f"{STREAMS} AND ({between})") and compiles("sql", f"{STREAMS} WHERE {between}")


@pytest.mark.parametrize("on", ["r.id = n.id", "n.id = r.id", "r.station = n.id"])
def test_the_help_on_two_types_in_on_holds(on: str) -> None:
    """The side is converted that LSQ356 lets be an expression."""
    (found,) = told("ksql", f"CREATE STREAM j AS SELECT n.id, r.station FROM rides r JOIN names n ON {on};")
    assert found.code == "LSQ359" and found.help is not None
    side = found.help.removeprefix("convert one side: ")
    assert compiles("ksql", f"CREATE STREAM j AS SELECT n.id, r.station FROM rides r JOIN names n ON {side} = n.id;")


def test_the_bounds_of_a_window_of_ksqldb() -> None:
    """They are columns, whoever calls them; no other function is proposed."""
    (found,) = told(
        "ksql",
        "CREATE TABLE x AS SELECT station, WindowStart() AS w, COUNT(*) AS n FROM rides"
        " WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY station;",
    )
    assert found.help == "write WINDOWSTART, which is a column"


def test_the_time_of_records_in_ksqldb() -> None:
    """The clause of a Lenses model is not named."""
    for text in (
        "CREATE STREAM x WITH (timestamp = 'station') AS SELECT k, station FROM rides;",
        "CREATE STREAM y (id INT, t STRING) WITH (kafka_topic = 'y', value_format = 'JSON', timestamp = 't');"
        " CREATE STREAM z AS SELECT id FROM y;",
    ):
        (found,) = told("ksql", text)
        shown = " ".join((found.message, found.help or "", *found.notes, (page("LSQ319") or "").splitlines()[0]))
        assert found.code == "LSQ319" and "EVENTTIME" not in shown


@pytest.mark.parametrize(
    ("dialect", "text", "names"),
    [
        ("lenses", "SELECT STREAM minutes + station AS y FROM rides", "minutes AS STRING), station"),
        ("ksql", "CREATE STREAM x AS SELECT k, minutes + station AS y FROM rides;", "MINUTES AS STRING), STATION"),
    ],
)
def test_a_sum_with_a_text(dialect: Dialect, text: str, names: str) -> None:
    """The help is the expression itself."""
    (found,) = told(dialect, text)
    assert found.help == f"write CONCAT(CAST({names})"
    assert compiles(dialect, text.replace("minutes + station", f"CONCAT(CAST({names})"))


def test_a_sum_of_texts() -> None:
    """In standard SQL a text beside a number is a number; two texts are none."""
    (found,) = told("sql", "SELECT station + station AS y FROM rides")
    assert found.help == "write CONCAT(station, station)"
    assert compiles("sql", "SELECT minutes + station AS y FROM rides")


def test_what_exists_requires() -> None:
    (found,) = told("sql", "SELECT station FROM rides r WHERE EXISTS (SELECT 1 FROM others o WHERE o.id > r.id)")
    assert found.message == "a condition on the outer query must be an equality"


def test_a_join_without_an_equality() -> None:
    (found,) = told("sql", "SELECT r.id FROM STREAM(rides) r CROSS JOIN others o")
    assert found.code == "LSQ465" and found.message == "no equality joins 'o' with the sources before it"
    assert found.help == "add an equality to WHERE: r.x = o.y"
