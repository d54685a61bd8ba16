"""Streams of ksqlDB that several statements write, grouped and joined with streams."""

from __future__ import annotations

from random import Random

import pytest

import lsqlc
from lsqlc import Record
from lsqlc.lower import spark
from lsqlc.plan.column_changes import column_changes
from lsqlc.plan.lineage import lineage
from lsqlc.plan.real_time import obstacles
from tests.ksql.programs import SOURCES, codes, order, payment, user

WRITERS = """CREATE STREAM a AS SELECT id, amount FROM orders;
INSERT INTO a SELECT id, paid AS amount FROM payments;
"""
UNITED = {
    "grouped": """CREATE TABLE o AS SELECT id, COUNT(*) AS c, COLLECT_LIST(amount) AS l FROM a GROUP BY id;""",
    "grouped without a key": "CREATE TABLE o AS SELECT 1 AS one, COUNT(*) AS c, SUM(amount) AS s FROM a GROUP BY 1;",
    "in windows": """CREATE TABLE o AS SELECT id, COUNT(*) AS c FROM a WINDOW HOPPING (SIZE 4 SECONDS, ADVANCE BY 3
      SECONDS, GRACE PERIOD 1 SECOND) WHERE amount > 0 GROUP BY id;""",
    "joined": "CREATE STREAM o AS SELECT a.id, amount, paid FROM a JOIN payments p WITHIN 2 SECONDS ON a.id = p.id;",
    "joined eagerly": """CREATE STREAM o AS SELECT ROWKEY AS k, amount, paid
      FROM payments p FULL JOIN a WITHIN 2 SECONDS ON a.amount = p.paid;""",
    "joined, then with a table": """CREATE STREAM o AS SELECT a.id, amount, paid, city
      FROM a JOIN payments p WITHIN 2 SECONDS ON a.id = p.id LEFT JOIN users u ON a.id = u.id;""",
}


@pytest.mark.parametrize("name", UNITED)
@pytest.mark.parametrize("insert", ["", "INSERT INTO a SELECT id, amount + 1 AS amount FROM orders WHERE amount > 1;"])
def test_several_writers_are_read_as_one_stream(name: str, insert: str) -> None:
    """By a group and by a join of streams: what a program over their topic gives, over the records as they came."""
    random = Random(name)
    writers, query = SOURCES + WRITERS + insert, UNITED[name]
    declared = "CREATE STREAM a (id INT KEY, amount INT) WITH (KAFKA_TOPIC = 'A', VALUE_FORMAT = 'JSON');"
    united = lsqlc.compile(writers + query, dialect="ksql")
    first, second = lsqlc.compile(writers, dialect="ksql"), lsqlc.compile(SOURCES + declared + query, dialect="ksql")
    for _ in range(3):
        log = [each for place in range(14) for each in _some_records(place, random)]
        apart: list[Record] = []
        for record in log:
            made = lsqlc.evaluate(first, [record])["A"] if record.topic in {t.name for t in first.inputs} else []
            apart += [record, *(Record("A", r.key, r.value, r.timestamp) for r in made)]
        wanted = lsqlc.evaluate(second, [r for r in apart if r.topic in {t.name for t in second.inputs}])["O"]
        got = lsqlc.evaluate(united, [r for r in log if r.topic in {t.name for t in united.inputs}])["O"]
        assert sorted(map(repr, got)) == sorted(map(repr, wanted))


def _some_records(place: int, random: Random) -> list[Record]:
    at, id = max(0, 500 * place + random.randrange(-9, 10) * 250), random.randrange(3)
    kind = random.randrange(3)
    if kind == 2:
        return [user(id, random.choice("xy"), at=at)]
    return [order(id, "x", random.randrange(4), at) if kind else payment(id, random.randrange(4), at)]


def test_the_plan_shows_that_several_writers_are_read() -> None:
    """And where each column is from."""
    plan = lsqlc.compile(SOURCES + WRITERS + UNITED["grouped"], dialect="ksql")
    assert plan.tree().split("Sink O")[1].splitlines()[3:] == [
        "      Union [STREAM] the records of 2 queries",
        "        Project [STREAM] key _key (int), value {AMOUNT: AMOUNT} (json)",
        "          Scan [STREAM] orders as ORDERS key INT (int), reads STRUCT<AMOUNT: INT> (json)",
        "        Project [STREAM] key _key (int), value {AMOUNT: PAID} (json)",
        "          Scan [STREAM] payments as PAYMENTS key INT (int), reads STRUCT<PAID: INT> (json)",
    ]
    found = {each.topic: each for each in lineage(plan)}["O"]
    assert [str(c.topic) + " " + c.name for c in found.columns["_value.L"]] == [
        "orders _value.AMOUNT", "payments _value.PAID",
    ]  # fmt: skip
    nodes = plan.to_json()["sinks"][1]["inputs"][0]["inputs"][0]["inputs"][0]
    assert (nodes["node"], len(nodes["inputs"])) == ("Union", 2)
    other = WRITERS.replace("paid AS", "paid + 1 AS")
    changes = column_changes(plan, lsqlc.compile(SOURCES + other + UNITED["grouped"], dialect="ksql"))
    assert [(c.topic, c.name) for c in changes.changed] == [("A", "_value.AMOUNT"), ("O", "_value.L")]


def test_a_group_of_several_writers_is_a_stage_of_its_own_on_spark() -> None:
    """Their records come to it by a topic between the two, so that no query writes them record by record."""
    plan = lsqlc.compile(SOURCES + WRITERS + UNITED["grouped"], dialect="ksql")
    writers = spark.lower(plan).stages[1]
    assert (writers.name, len(writers.origin.fed)) == ("result.stage2", 2)
    assert "a union that is grouped or joined" in [each.what for each in obstacles(plan)]


def test_what_several_writers_read_together_is_bounded() -> None:
    """Each of many writers may read many topics."""
    merged = "CREATE STREAM b AS SELECT a.id AS id, amount, paid FROM a JOIN payments p WITHIN 1 HOUR ON a.id = p.id;"
    insert = "INSERT INTO a SELECT id, paid AS amount FROM payments;"
    into = "CREATE STREAM c AS SELECT id, amount FROM b;" + "INSERT INTO c SELECT id, amount FROM b;" * 60
    program = WRITERS + insert * 4 + merged + into + "CREATE TABLE o AS SELECT id, COUNT(*) AS n FROM c GROUP BY id;"
    assert codes(program) == ["LSQ386"]
    assert codes(program.replace(insert, "", 3).replace("INSERT INTO c SELECT id, amount FROM b;", "", 40)) == []
