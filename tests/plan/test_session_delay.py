"""The finding for sessions, which Spark writes once they are closed."""

from __future__ import annotations

import pytest

from lsqlc import dialects
from tests.fixture_files import topics

SOURCE = (
    "CREATE STREAM clicks (id INT KEY, page STRING) WITH (KAFKA_TOPIC='clicks', VALUE_FORMAT='JSON', PARTITIONS=1);"
)
LENSES = "INSERT INTO counts SELECT STREAM COUNT(*) AS n FROM gaming-sessions WINDOW BY {} GROUP BY country"
KSQL = SOURCE + " CREATE TABLE counts AS SELECT id, COUNT(*) AS n FROM clicks WINDOW {} GROUP BY id{};"


def delays(text: str, dialect: str) -> list[str]:
    """Return the messages of the finding in a program that compiles."""
    language = dialects.dialect(dialect)
    parsed = language.parse(text, "counts.sql")
    assert parsed.program is not None
    compiled = language.bind(parsed.program, topics(), name="counts")
    assert compiled.plan is not None
    return [finding.message for finding in compiled.diagnostics if finding.code == "LSQ827"]


@pytest.mark.parametrize(
    ("window", "delay"), [("SESSION 5m", "1d"), ("SESSION 5m GRACE BY 10m", "10m"), ("SESSION 5m GRACE BY 1m", "5m")]
)
def test_lenses(window: str, delay: str) -> None:
    """The longer one of gap and grace."""
    assert delays(LENSES.format(window), "lenses") == [
        f"on Spark the rows of these sessions come {delay} after their last records"
    ]


@pytest.mark.parametrize(
    ("window", "delay"), [("SESSION (5 MINUTES)", "1d"), ("SESSION (5 MINUTES, GRACE PERIOD 1 HOUR)", "65m")]
)
def test_ksqldb(window: str, delay: str) -> None:
    """A session of ksqlDB is open for its gap and the grace."""
    assert delays(KSQL.format(window, ""), "ksql") == [
        f"on Spark the rows of these sessions come {delay} after their last records"
    ]


def test_no_finding() -> None:
    """Windows of fixed size are written with each record; EMIT FINAL asks for closed sessions."""
    assert not delays(LENSES.format("TUMBLE 5m"), "lenses")
    assert not delays(KSQL.format("SESSION (5 MINUTES)", " EMIT FINAL"), "ksql")
