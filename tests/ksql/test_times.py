"""The time of the rows of a TABLE, which ROWTIME reads."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc import Record
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import unsupported
from tests.ksql.programs import SOURCES, order, rows, user

GROUPS = """CREATE TABLE n AS SELECT city, COUNT(*) AS c FROM users GROUP BY city;
CREATE TABLE o AS SELECT city, c, ROWTIME AS at FROM n;"""


def times(*records: Record) -> dict[object, object]:
    return {key: value["AT"] for key, value in rows(GROUPS, *records)}  # type: ignore[index]


def test_a_group_has_the_time_of_its_latest_record() -> None:
    """Not of its last one, nor of one that lives on."""
    assert times(user(1, "Rome", at=5), user(2, "Rome", at=9), user(3, "Rome", at=7)) == {"Rome": 9}


@pytest.mark.parametrize("last", [user(1, "Oslo", at=8), Record("users", 1, None, 8)])
def test_a_row_that_leaves_a_group_changes_its_time(last: Record) -> None:
    """A deletion as well as a move; the group that has lost its last row too."""
    found = times(user(1, "Rome", at=5), user(2, "Rome", at=6), last)
    assert found["Rome"] == 8
    assert times(user(1, "Rome", at=5), last)["Rome"] == 8


def test_an_older_record_never_sets_a_group_back() -> None:
    """The time of a group only goes on."""
    assert times(user(1, "Rome", at=9), user(1, "Oslo", at=2)) == {"Rome": 9, "Oslo": 2}


def test_a_stream_sees_a_groups_time_as_it_stood() -> None:
    """Each record of it meets the group with the time that it had then."""
    program = GROUPS + "CREATE STREAM s AS SELECT item, id, at FROM orders LEFT JOIN o ON item = city;"
    order = Record("orders", 7, {"ITEM": "Rome", "AMOUNT": None, "TAGS": None})
    records = (user(1, "Rome", at=5), order, user(2, "Rome", at=3), order, Record("users", 1, None, 9), order)
    assert [v for _, v in rows(program, *records, topic="S")] == [{"ID": 7, "AT": t} for t in (5, 5, 9)]


def test_a_joined_row_has_the_later_time_of_both() -> None:
    """Whichever came last."""
    program = """CREATE TABLE more AS SELECT id, city FROM users;
    CREATE TABLE j AS SELECT u.id AS id, c.size FROM users u JOIN cities c ON u.city = c.name;
    CREATE TABLE o AS SELECT id, size, ROWTIME AS at FROM j;"""
    size = Record("cities", "Rome", {"SIZE": 3}, 4)
    assert rows(program, size, user(1, "Rome", at=9)) == rows(program, user(1, "Rome", at=9), size)
    assert rows(program, size, user(1, "Rome", at=2)) == [(1, {"SIZE": 3, "AT": 4})]


def test_groups_of_a_derived_table_have_no_time_on_spark() -> None:
    """Of a topic's own they have."""
    joined = "CREATE TABLE j AS SELECT u.id AS id, u.city FROM users u JOIN cities c ON u.city = c.name;"
    derived = joined + GROUPS.replace("FROM users", "FROM j")
    for program, refused in ((GROUPS, False), (derived, True)):
        found = unsupported(lsqlc.compile(SOURCES + program, dialect="ksql"))
        assert ["the time of a group of a derived TABLE" in d.message for d in found] == [True] * refused


TIMED = "CREATE STREAM o WITH (TIMESTAMP='AT') AS SELECT id, CAST(amount AS BIGINT) AS at FROM orders;"


def test_the_error_of_a_result_without_a_time_has_no_word_of_another_dialect() -> None:
    """TIMESTAMP of the result's WITH gives the time; EVENTTIME BY is of another language."""
    plan = lsqlc.compile(SOURCES + TIMED, dialect="ksql")
    with pytest.raises(LsqlcError) as caught:
        lsqlc.evaluate(plan, [order(1, "pen", None)])
    (found,) = caught.value.diagnostics
    assert found.code == "LSQ431" and "a record has no event time" in found.message
