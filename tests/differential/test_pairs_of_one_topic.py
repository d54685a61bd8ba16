"""Two records of a topic that is joined with itself make two pairs. Of these the one whose later record is on the left
comes first, on both engines and in the reference, and the other is the newest row of its key.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import unsupported
from lsqlc.plan import Plan
from lsqlc.remote.cases import outcomes
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.record import Case, Record
from tests import reference
from tests.lower_duckdb.programs import TOPICS

_PAIRS = "FROM a AS l {}JOIN a AS r WITHIN 9ms ON l.id = r.id"
_NAMES = "l.name AS l, r.name AS r"
# Each with the values that it writes over records below, in order.
CASES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "streams": (
        f"SELECT STREAM {_NAMES}, l.n AS _key {_PAIRS.format('RIGHT ')}",
        [("z", "z"), ("y", "z"), ("z", "y"), ("y", "y"), ("x", "z"), ("z", "x"), ("x", "y"), ("y", "x"), ("x", "x")],
    ),
    "streams, nothing matched": (
        f"SELECT STREAM {_NAMES} {_PAIRS.format('OUTER ').replace('l.id', 'l.n')}",
        [("z", None), (None, "z"), ("y", None), (None, "y"), ("x", None), (None, "x")],
    ),
    "newest of each key": (
        f"WITH p AS (SELECT STREAM {_NAMES}, 1 AS _key {_PAIRS.format('')} AND l.name <> 'x' AND r.name <> 'y');"
        "WITH q AS (SELECT STREAM l, r, 1 AS _key FROM p WHERE l <> r); SELECT TABLE l, r FROM q",
        [("y", "x")],
    ),
    "lists": (
        f"SELECT STREAM COLLECT(CONCAT(l.name, r.name), 9) AS l {_PAIRS.format('LEFT ')} GROUP BY l.id",
        [(["zz", "yz", "zy", "yy", "xz", "zx", "xy", "yx", "xx"],)],
    ),
    "first and last": (
        f"SELECT STREAM FIRST(l.name) AS f, LAST(r.name) AS l {_PAIRS.format('')} AND l.name <> 'x'"
        " AND r.name <> 'x' GROUP BY l.id",
        [("z", "y")],
    ),
    "tables under the value of ON": (
        # The pairs (x, y) and (y, x) have one key, and so has each row with itself.
        f"SELECT TABLE {_NAMES} FROM a AS l JOIN a AS r ON l.id = r.id AND l.name <> 'z' AND r.name <> 'z'",
        [("x", "x")],
    ),
    "tables, the newest under a new key": (
        "WITH p AS (SELECT TABLE l.name AS l, r.name AS r, l.id AS id FROM a AS l JOIN a AS r ON l.id = r.id);"
        "SELECT TABLE l, r, id AS _key FROM p WHERE l <> r",
        [("y", "x")],
    ),
    "tables, nothing matched": (
        "WITH p AS (SELECT TABLE l.name AS l, r.name AS r FROM a AS l OUTER JOIN a AS r ON l.n = r.id);"
        "SELECT TABLE l, r, 1 AS _key FROM p",
        [(None, "x")],
    ),
    "stream with its table": (
        "WITH t AS (SELECT TABLE * FROM a); SELECT STREAM a.name AS l, t.name AS r FROM a LEFT JOIN t ON a.n = t.id",
        # The row of the later record is the first one for the earlier, and that one's row is there for the later.
        [("y", None), ("x", "y"), ("y", "x")],
    ),
    "table with its stream": (
        "WITH t AS (SELECT TABLE * FROM a);SELECT STREAM t.name AS l, a.name AS r FROM t RIGHT JOIN a ON t.id = a.n",
        [(None, "y"), ("x", "y"), ("y", "x")],
    ),
}
_ROWS = (Record("a", "p", {"id": 1, "n": 2, "name": "y"}, 5), Record("a", "q", {"id": 2, "n": 1, "name": "x"}, 5))
_RECORDS = tuple(
    Record("a", key, {"id": 1, "n": n, "name": name}, 5)
    for key, name, n in (("p", "z", 9), ("q", "y", 8), ("s", "x", 7))
)


def _records(name: str) -> tuple[Record, ...]:
    return _ROWS if "its" in name else _RECORDS


def _plan(name: str) -> Plan:
    program = parse(CASES[name][0], "program").program
    assert program is not None
    plan = compile_program(program, TOPICS, name="o").plan
    assert plan is not None
    assert not unsupported(plan)
    return plan


def _values(rows: Any) -> list[tuple[Any, ...]]:
    return [tuple(r.value.values()) for r in rows]


@pytest.mark.parametrize("name", CASES)
def test_pairs_have_one_order_on_duckdb_and_in_the_reference(name: str) -> None:
    plan, wanted = _plan(name), CASES[name][1]
    case = Case("0", (_records(name),))
    assert _values(default_session().evaluate(plan, [case])[0].topics["o"]) == wanted
    assert _values(reference.run(plan, _records(name))["o"]) == wanted


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_pairs_have_one_order_on_spark(name: str, single: bool, spark: Any, tmp_path: Path) -> None:
    records = _records(name)
    case = Case("0", tuple((r,) for r in records) if single else (records,))
    found = outcomes.evaluate(spark, tmp_path, _plan(name), [case])[0].topics["o"]
    assert _values(found) == CASES[name][1]
