"""Which topics of a plan are read in order of their times, and which in that of their offsets."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc.plan.kafka_order import by_time, meeting

TOPICS = [lsqlc.Topic("a", key="STRING", value="n INT"), lsqlc.Topic("b", key="STRING", value="n INT")]
TOPICS.append(lsqlc.Topic("c", key="STRING", value="s STRING"))


@pytest.mark.parametrize(
    ("program", "timed"),
    [
        ("SELECT STREAM n FROM a", {"a"}),
        ("SELECT TABLE n FROM a", set()),
        ("SELECT TABLE COUNT(*) AS c FROM a GROUP BY n", set()),
        ("SELECT TABLE a.n AS n, b.n AS m FROM a INNER JOIN b ON a._key = b._key", set()),
        ("WITH t AS (SELECT TABLE n FROM b); SELECT STREAM a.n FROM a INNER JOIN t ON a._key = t._key", {"a", "b"}),
        ("INSERT INTO x SELECT TABLE n FROM a; INSERT INTO y SELECT STREAM n FROM b", {"b"}),
    ],
)
def test_of_a_program(program: str, timed: set[str]) -> None:
    """By time what is a STREAM, and a TABLE that a STREAM meets."""
    assert by_time(lsqlc.compile(program, topics=TOPICS)) == timed


@pytest.mark.parametrize(
    ("program", "met"),
    [
        ("SELECT STREAM n FROM a", {}),
        ("SELECT TABLE a.n AS n, b.n AS m FROM a INNER JOIN b ON a._key = b._key", {}),
        (
            "WITH t AS (SELECT TABLE n FROM a WHERE n > 1); SELECT STREAM b.n FROM b INNER JOIN t ON b._key = t._key",
            {"a": 0, "b": 1},
        ),
        (
            "WITH t AS (SELECT TABLE COUNT(*) AS c FROM c GROUP BY s);"
            " SELECT STREAM t.c FROM a INNER JOIN t ON a._key = t._key",
            {"a": 1},
        ),
    ],
)
def test_what_meets(program: str, met: dict[str, int]) -> None:
    """A STREAM and a TABLE as they are read, the TABLE first."""
    assert meeting(lsqlc.compile(program, topics=TOPICS)) == met
