"""A record to which the program gives no time: one finding on both engines, in each dialect that stops at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.connectors.timeless import NO_EVENT_TIME
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower import duckdb
from lsqlc.plan import Plan
from lsqlc.remote.cases import outcomes
from lsqlc.remote.session.failures import query_failed
from lsqlc.types.record import Case, Record

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

LENSES, KSQLDB = "SET error.policy = 'continue';", "SET 'ksql.fail.on.deserialization.error'='false';"
KSQL = "CREATE STREAM orders (k INT KEY, id BIGINT, s STRING) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON'{0});\n"
COPY = "CREATE STREAM out {0} AS SELECT * FROM orders;"
FORMAT = "TIMESTAMP='s', TIMESTAMP_FORMAT='yyyy-MM-dd'"


def lenses(text: str) -> Plan:
    return lsqlc.compile(text, topics=[lsqlc.Topic("orders", key="INT", value="ID BIGINT, S STRING")], name="out")


def ksql(text: str) -> Plan:
    return lsqlc.compile(text, dialect="ksql", name="out")


PLANS = {
    "EVENTTIME BY": lenses("SELECT STREAM S FROM orders EVENTTIME BY ID"),
    "TIMESTAMP of a source": ksql(KSQL.format(", TIMESTAMP='id'") + COPY.format("")),
    "TIMESTAMP of a result": ksql(KSQL.format("") + COPY.format("WITH (TIMESTAMP='id')")),
    "a format": ksql(KSQL.format(f", {FORMAT}") + COPY.format("")),
    "a format of a result": ksql(KSQL.format("") + COPY.format(f"WITH ({FORMAT})")),
}
VALUES = [
    {"ID": None, "S": None}, {"ID": -1, "S": "soon"}, {"ID": 10**17, "S": "1969-12-31"}, {"ID": -5, "S": "2013-02-30"},
]  # fmt: skip


def _check(found: Diagnostic, plan: Plan) -> None:
    assert (found.code, found.message) == ("LSQ431", "the model 'out': a record has no event time from 1970 to 9999")
    assert found.notes[0] == "it is a record of 'orders'"
    assert plan.skip_setting in (LENSES, KSQLDB) and (found.help or "").endswith(f"`{plan.skip_setting}` skips them")


@pytest.mark.parametrize("way", PLANS)
def test_on_duckdb(way: str) -> None:
    """Null, a time before 1970 or too far away, a text of another form, and a day that is none."""
    for value in VALUES:
        with pytest.raises(LsqlcError) as raised:
            duckdb.evaluate(PLANS[way], [Case("c", ((Record("orders", 1, value),),))])
        _check(raised.value.diagnostics[0], PLANS[way])


def test_the_error_of_a_query_is_told_alike() -> None:
    """With the way to skip such records in the dialect."""
    error = f"[STREAM_FAILED] Query terminated with exception: [USER_RAISED_EXCEPTION] {NO_EVENT_TIME} SQLSTATE: P0001"
    for setting in (LENSES, KSQLDB):
        found = query_failed("out", "out", error, ["orders"], setting)
        assert found.code == "LSQ431" and f"`{setting}` skips them" in (found.help or "")


@pytest.mark.parametrize("way", PLANS)
def test_on_spark(spark: SparkSession, tmp_path: Path, way: str) -> None:
    """The same, of a null and of a text that is no time."""
    for value in (VALUES[0], VALUES[3]):
        with pytest.raises(LsqlcError) as raised:
            outcomes.evaluate(spark, tmp_path, PLANS[way], [Case("c", ((Record("orders", 1, value),),))])
        _check(raised.value.diagnostics[0], PLANS[way])
