"""Times of records of files that no record can have: bad records on both engines, by the policy, with equal letters."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import Session
from lsqlc.types.record import LATEST
from tests.lower_duckdb.test_files import write
from tests.remote.test_file_topics import on_duckdb, on_spark, parquet, plan_of

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

LETTERS = "SET error.policy = 'dlq'; SET dead.letter.queue = 'bad';\n"
CONTINUE = "SET error.policy = 'continue';\n"
TIMES = (0, -1, LATEST, LATEST + 1, 2**62, -(2**63), 2**63 - 1)
FORMATS = ("csv", "json", "parquet")


def declared(format: str, type: str = "LONG", *, event_time: bool = True) -> str:
    time = "event_time: at, " if event_time else ""
    files = f"files: {{path: data, format: {format}}}"
    return f"topics:\n  - {{name: t, connector: files, {time}{files}, value: 'a INT, at {type}'}}\n"


def make(root: Path, format: str, rows: list[tuple[int, Any]], type: str = "BIGINT") -> None:
    """A file of the topic. What is no number is text of CSV and JSON as it stands."""
    match format:
        case "csv":
            write(root, {"data/1.csv": "a,at\n" + "".join(f"{a},{'' if at is None else at}\n" for a, at in rows)})
        case "json":
            write(root, {"data/1.json": "".join(json.dumps({"a": a, "at": at}) + "\n" for a, at in rows)})
        case _:
            values = ", ".join(f"({a}, CAST({'NULL' if at is None else repr(at)} AS {type}))" for a, at in rows)
            parquet(root / "data/1.parquet", f'SELECT a::INT AS a, "at" FROM (VALUES {values}) AS r(a, "at")')
            os.utime(root / "data/1.parquet", (1_000_000, 1_000_000))


ROWS: list[tuple[int, Any]] = [*enumerate(TIMES), (9, None)]


@pytest.mark.parametrize("format", FORMATS)
def test_duckdb_counts_the_rows_of_files_whose_time_is_none(tmp_path: Path, format: str) -> None:
    """What has a time passes, and what has none is counted; under `fail` it ends the run."""
    make(tmp_path, format, ROWS)
    outcome = Session().evaluate_logs(plan_of(CONTINUE + "SELECT STREAM a FROM t", declared(format)), {}, root=tmp_path)
    good = [(r.value["a"], r.timestamp) for r in outcome.topics["m"]]
    assert (good, outcome.counts["bad record"]) == ([(0, 0), (2, LATEST), (9, 1_000_000_000)], 5)
    with pytest.raises(LsqlcError, match="at: expected a time from 1970 to 9999") as refused:
        Session().evaluate_logs(plan_of("SELECT STREAM a FROM t", declared(format)), {}, root=tmp_path)
    assert {d.code for d in refused.value.diagnostics} == {"LSQ440"}


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_from_before_1970_has_no_record_with_a_time(tmp_path: Path, format: str) -> None:
    """Where no field says when a record was made, its file does."""
    make(tmp_path, format, [(1, 5)])
    (file,) = (tmp_path / "data").iterdir()
    os.utime(file, (-10, -10))
    plan = plan_of(LETTERS + "INSERT INTO o SELECT STREAM a FROM t", declared(format, event_time=False))
    outcome = Session().evaluate_logs(plan, {}, root=tmp_path)
    assert (len(outcome.topics["o"]), outcome.counts["bad record"]) == (0, 1)
    assert outcome.topics["bad"][0].value["reason"] == f"data/1.{format}: timestamp: expected a time from 1970 to 9999"


@pytest.mark.spark
@pytest.mark.parametrize("format", FORMATS)
def test_spark_has_the_same_letters(spark: SparkSession, tmp_path: Path, format: str) -> None:
    """Of numbers, of a TIMESTAMP and a DATE, and of a file without any."""
    program = (
        LETTERS
        + "INSERT INTO o SELECT STREAM a, at FROM t; INSERT INTO n SELECT STREAM COUNT(*) AS n FROM t GROUP BY a;"
    )
    plan = plan_of(program, declared(format))
    make(tmp_path, format, ROWS)
    found = on_duckdb(plan, tmp_path)
    assert (len(found["o"]), len(found["n"]), len(found["bad"])) == (3, 3, 5)
    assert on_spark(spark, plan, tmp_path) == found
    dates = [(1, "1969-12-31"), (2, "1970-01-01"), (3, "9999-12-31"), (4, None)]
    make(tmp_path, format, dates, "DATE")
    plan = plan_of(program, declared(format, "DATE"))
    found = on_duckdb(plan, tmp_path)
    assert (len(found["o"]), len(found["bad"])) == (3, 1)
    assert on_spark(spark, plan, tmp_path) == found
    times = [(1, "1969-12-31T23:59:59.5Z"), (2, "1970-01-01T00:00:00Z"), (3, "9999-12-31T23:59:59.999Z")]
    make(tmp_path, format, times, "TIMESTAMP")
    plan = plan_of(program, declared(format, "TIMESTAMP"))
    found = on_duckdb(plan, tmp_path)
    assert (len(found["o"]), len(found["bad"])) == (2, 1)
    assert on_spark(spark, plan, tmp_path) == found
    make(tmp_path, format, [(1, 5)])
    (file,) = (tmp_path / "data").iterdir()
    os.utime(file, (-10, -10))
    plan = plan_of(program, declared(format, event_time=False))
    found = on_duckdb(plan, tmp_path)
    assert (len(found["o"]), len(found["bad"])) == (0, 1)
    assert on_spark(spark, plan, tmp_path) == found


@pytest.mark.spark
@pytest.mark.parametrize("format", FORMATS)
def test_spark_fails_on_times_that_are_none(spark: SparkSession, tmp_path: Path, format: str) -> None:
    """The policy to fail ends the query."""
    make(tmp_path, format, [(1, -1)])
    with pytest.raises(Exception, match="expected a time from 1970 to 9999"):
        on_spark(spark, plan_of("SELECT STREAM a FROM t", declared(format)), tmp_path)


def test_a_row_of_parquet_has_the_words_of_json(tmp_path: Path) -> None:
    """In the letter of what does not fit it stands as a record would."""
    select = "SELECT NULL::INT AS a, TIMESTAMP '2013-01-01 05:00:00.5' AS \"at\""
    parquet(tmp_path / "data/1.parquet", select)
    topics = declared("parquet", "TIMESTAMP").replace("a INT,", "a INT NOT NULL,")
    plan = plan_of(LETTERS + "INSERT INTO o SELECT STREAM a, at FROM t", topics)
    (letter,) = Session().evaluate_logs(plan, {}, root=tmp_path).topics["bad"]
    assert letter.value["record"] == '{"a":null,"at":"2013-01-01T05:00:00.5Z"}'
