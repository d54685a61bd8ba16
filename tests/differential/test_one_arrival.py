"""What one record causes arrives together: on both engines and in the reference its elements do not make each other
late, and where it is a row of a TABLE as well, they meet the table as it was before it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lsqlc
from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.limits import Limits
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import unsupported
from lsqlc.plan import Plan
from lsqlc.remote.cases import outcomes
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.record import Case, Record
from tests import reference
from tests.lower_duckdb.programs import TOPICS

_LISTS = (
    Record("lists", "p", {"id": 1, "xs": [9, 1, 2]}, 7),
    Record("lists", "p", {"id": 1, "xs": [8, 7]}, 7),
)
_OF_LISTS = "WITH e AS (SELECT STREAM lists.id AS id, x FROM lists LATERAL xs AS x);"
# Each with the values that it writes over the two records above, in any order.
LATE: dict[str, tuple[str, list[Any]]] = {
    "session": (
        # Of the first record: the second would be late on DuckDB, where Spark keeps a session for its gap.
        """
        SELECT STREAM COUNT(*) AS n FROM lists LATERAL xs AS x WHERE x IN (9, 1, 2)
        WINDOW BY SESSION 5ms GRACE BY 0s GROUP BY id
        """,
        [{"n": 3}],
    ),
    "session of times of elements": (
        f"""
        {_OF_LISTS}
        SELECT STREAM COUNT(*) AS n FROM e EVENTTIME BY x * 10 WINDOW BY SESSION 10ms GRACE BY 0s GROUP BY id
        """,
        [{"n": 2}, {"n": 1}],
    ),
    "tumbling": (
        f"""
        {_OF_LISTS}
        SELECT STREAM COUNT(*) AS n FROM e EVENTTIME BY x * 10 WINDOW BY TUMBLE 10ms GRACE BY 0s GROUP BY id
        """,
        [{"n": 1}] * 3,
    ),
    "hopping": (
        f"""
        {_OF_LISTS}
        SELECT STREAM COUNT(*) AS n FROM e EVENTTIME BY x * 10 WINDOW BY HOP 20ms, 10ms GRACE BY 0s GROUP BY id
        """,
        [{"n": 1}, {"n": 2}, {"n": 1}, {"n": 2}, {"n": 1}],
    ),
    "streams": (
        f"""
        {_OF_LISTS}
        WITH t AS (SELECT STREAM id, x FROM e EVENTTIME BY x * 10);
        SELECT STREAM t.x AS x, l.id AS id FROM t JOIN lists AS l WITHIN 5ms
        """,
        # 10 and 20 have the record itself within 5 ms, which arrived with them: 7.
        [{"x": 1, "id": 1}],
    ),
}  # fmt: skip
_ROW = "WITH t AS (SELECT TABLE * FROM lists);"
BOTH: dict[str, tuple[str, list[Any]]] = {
    "stream with its own table": (
        f"{_ROW} SELECT STREAM lists.xs AS mine, t.xs AS met FROM lists JOIN t",
        [{"mine": [8, 7], "met": [9, 1, 2]}],
    ),
    "left": (
        f"{_ROW} SELECT STREAM lists.xs AS mine, t.xs AS met FROM lists LEFT JOIN t",
        # What is unmatched meets the first row that appears, which is its own.
        [
            {"mine": [9, 1, 2], "met": None},
            {"mine": [9, 1, 2], "met": [9, 1, 2]},
            {"mine": [8, 7], "met": [9, 1, 2]},
        ],
    ),
    "right": (
        f"{_ROW} SELECT STREAM lists.xs[0] AS mine, t.xs[0] AS met FROM t RIGHT JOIN lists ON t.id = lists.id",
        [{"mine": 9, "met": None}, {"mine": 9, "met": 9}, {"mine": 8, "met": 9}],
    ),
    "elements": (
        f"{_OF_LISTS} {_ROW} SELECT STREAM x, t.xs[0] AS met FROM e JOIN t",
        [{"x": 8, "met": 9}, {"x": 7, "met": 9}],
    ),
    "elements, left": (
        f"{_OF_LISTS} {_ROW} SELECT STREAM x, t.xs[0] AS met FROM e LEFT JOIN t",
        [
            *({"x": x, "met": met} for x in (9, 1, 2) for met in (None, 9)),
            {"x": 8, "met": 9},
            {"x": 7, "met": 9},
        ],
    ),
    "elements on a field": (
        f"{_OF_LISTS} {_ROW} SELECT STREAM x, t.xs[0] AS met FROM t RIGHT JOIN e ON t.id = e.id",
        [
            *({"x": x, "met": met} for x in (9, 1, 2) for met in (None, 9)),
            {"x": 8, "met": 9},
            {"x": 7, "met": 9},
        ],
    ),
    "elements with rows of elements": (
        f"""
        {_OF_LISTS}
        WITH t AS (SELECT TABLE lists.id AS id, y FROM lists LATERAL xs AS y);
        SELECT STREAM x, y FROM e JOIN t ON e.id = t.id
        """,
        # Of the rows with one id the newest counts: the last element of the record before.
        [{"x": 8, "y": 2}, {"x": 7, "y": 2}],
    ),
    "matches of two streams": (
        f"""
        WITH m AS (SELECT STREAM e.id AS id, e.xs[0] AS x, l.xs[0] AS y FROM lists AS e JOIN lists AS l WITHIN 5ms);
        {_ROW}
        SELECT STREAM x, y, t.xs[0] AS met FROM m LEFT JOIN t
        """,
        [
            {"x": 9, "y": 9, "met": None},
            {"x": 9, "y": 9, "met": 9},
            {"x": 9, "y": 8, "met": 9},
            {"x": 8, "y": 9, "met": 9},
            {"x": 8, "y": 8, "met": 9},
        ],
    ),
}
_COUNTED = "SELECT TABLE COUNT(*) AS n, SUM(x) AS total FROM lists LATERAL xs AS x"
# A group changes once with a record, whatever number of its elements or matches are in it.
GROUPS: dict[str, tuple[str, list[Any]]] = {
    "met by a stream": (
        f"WITH t AS ({_COUNTED} GROUP BY lists._key); SELECT STREAM lists.xs[0] AS x, t.n AS n FROM lists LEFT JOIN t",
        [{"x": 9, "n": None}, {"x": 9, "n": 3}, {"x": 8, "n": 3}],
    ),
    "met by a stream on a field": (
        # The total is never 9 or 8: what the first elements make is no state of the group.
        f"""
        WITH t AS ({_COUNTED} GROUP BY lists._key);
        SELECT STREAM lists.xs[0] AS x, t.n AS n FROM lists LEFT JOIN t ON lists.xs[0] = t.total
        """,
        [{"x": 9, "n": None}, {"x": 8, "n": None}],
    ),
    "in windows": (
        """
        WITH t AS (
            SELECT STREAM COUNT(*) AS n FROM lists LATERAL xs AS x WINDOW BY TUMBLE 10ms GROUP BY lists._key
        );
        SELECT STREAM n FROM t
        """,
        [{"n": 3}, {"n": 5}],
    ),
    "with its changes": (
        f"WITH t AS ({_COUNTED} GROUP BY lists._key); SELECT STREAM n, total FROM t WHERE n IN (1, 3, 4)",
        [{"n": 3, "total": 12}],
    ),
    "of matches": (
        """
        WITH m AS (SELECT STREAM e.id AS id, l.xs[0] AS y FROM lists AS e JOIN lists AS l WITHIN 5ms);
        WITH t AS (SELECT TABLE COUNT(*) AS n FROM m GROUP BY m._key);
        SELECT STREAM lists.xs[0] AS x, t.n AS n FROM lists LEFT JOIN t
        """,
        [{"x": 9, "n": None}, {"x": 9, "n": 1}, {"x": 8, "n": 1}],
    ),
    "two of one record": (
        f"""
        WITH t AS ({_COUNTED} GROUP BY lists._key);
        WITH c AS (SELECT TABLE COUNT(*) AS k FROM lists GROUP BY lists._key);
        WITH b AS (SELECT TABLE t.n AS n, c.k AS k FROM t JOIN c);
        SELECT STREAM n, k FROM b
        """,
        [{"n": 3, "k": 1}, {"n": 2, "k": 1}],
    ),
}
_KSQL = """
CREATE STREAM l (k STRING KEY, id INT, xs ARRAY<INT>) WITH (KAFKA_TOPIC = 'lists', VALUE_FORMAT = 'JSON');
CREATE TABLE t (k STRING PRIMARY KEY, id INT, xs ARRAY<INT>) WITH (KAFKA_TOPIC = 'lists', VALUE_FORMAT = 'JSON');
CREATE STREAM e AS SELECT k, id, EXPLODE(xs) AS x FROM l;
"""
KSQL: dict[str, tuple[str, list[Any]]] = {
    "session": (
        """
        CREATE TABLE o AS SELECT k, COUNT(*) AS n FROM e
        WINDOW SESSION (5 MILLISECONDS, GRACE PERIOD 0 SECONDS) WHERE x IN (9, 1, 2) GROUP BY k;
        """,
        [{"N": 3}],
    ),
    "stream with its own table": (
        "CREATE STREAM o AS SELECT l.k, l.xs[1] AS mine, t.xs[1] AS met FROM l LEFT JOIN t ON l.k = t.k;",
        # Here an unmatched record does not wait.
        [{"MINE": 9, "MET": None}, {"MINE": 8, "MET": 9}],
    ),
    "elements": (
        "CREATE STREAM o AS SELECT e.k, x, t.xs[1] AS met FROM e LEFT JOIN t ON e.k = t.k;",
        [{"X": x, "MET": None} for x in (9, 1, 2)] + [{"X": 8, "MET": 9}, {"X": 7, "MET": 9}],
    ),
}


def _compiled(dialect: str, text: str) -> Plan:
    if dialect == "ksql":
        return lsqlc.compile(_KSQL + text, dialect="ksql")
    program = parse(text, "program").program
    assert program is not None
    plan = compile_program(program, TOPICS, name="o", limits=Limits(grace=0, retention=86_400_000)).plan
    assert plan is not None
    return plan


_ALL = {
    **{f"late: {name}": ("lenses", *rest) for name, rest in LATE.items()},
    **{f"both: {name}": ("lenses", *rest) for name, rest in BOTH.items()},
    **{f"groups: {name}": ("lenses", *rest) for name, rest in GROUPS.items()},
    **{f"ksql: {name}": ("ksql", *rest) for name, rest in KSQL.items()},
}


@pytest.mark.parametrize("name", _ALL)
def test_one_arrival_on_duckdb_and_in_the_reference(name: str) -> None:
    dialect, text, wanted = _ALL[name]
    plan = _compiled(dialect, text)
    rows = default_session().evaluate(plan, [_case(dialect)])[0].topics[plan.sinks[-1].topic.name]
    assert sorted((r.value for r in rows), key=repr) == sorted(wanted, key=repr)
    rows = tuple(reference.run(plan, _records(dialect))[plan.sinks[-1].topic.name])
    assert sorted((r.value for r in rows), key=repr) == sorted(wanted, key=repr)


@pytest.mark.parametrize("name", _ALL)
def test_one_arrival_on_spark(name: str, spark: Any, tmp_path: Path) -> None:
    dialect, text, wanted = _ALL[name]
    plan = _compiled(dialect, text)
    assert not unsupported(plan)
    rows = outcomes.evaluate(spark, tmp_path, plan, [_case(dialect)])[0].topics[plan.sinks[-1].topic.name]
    assert sorted((r.value for r in rows), key=repr) == sorted(wanted, key=repr)


def _case(dialect: str) -> Case:
    """Batches of one record: what is late depends on the cut."""
    return Case("0", tuple((record,) for record in _records(dialect)))


def _records(dialect: str) -> tuple[Record, ...]:
    if dialect == "lenses":
        return _LISTS
    return tuple(replace(r, value={name.upper(): v for name, v in r.value.items()}) for r in _LISTS)
