"""No expression is bound a second time to find out what it is: once of a record, and where records are grouped once of
the group.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

import pytest

import lsqlc
from lsqlc import CompileError, Topic
from lsqlc.bind.expressions import Binder
from lsqlc.dialects import DialectName
from lsqlc.plan.expression import Expression
from lsqlc.syntax import tree

TOPICS = (Topic("a", key="id INT", value="n INT, s STRING"), Topic("b", key="id INT", value="n INT, s STRING"))
KSQL = "".join(
    f"CREATE STREAM {name} (id INT KEY, n INT, s STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON');"
    for name in "ab"
)
DEEP = "((n + 1) * 2 - SUM(n + 3)) / COUNT(*) + (CASE WHEN (n + 1) > 2 THEN n + 1 ELSE 3 END)"
PROGRAMS: tuple[tuple[DialectName, str], ...] = (
    ("lenses", "SELECT STREAM a.n AS x FROM a JOIN b ON a.id = b.id AND a.n + 1 = b.n AND a.n > 2 WITHIN 5s"),
    ("lenses", "SELECT STREAM a.n AS x FROM a JOIN b ON a.id = b.id AND (a.n > 2 OR a.n < 0) WITHIN 5s"),
    ("lenses", "SELECT STREAM a.n AS x FROM a JOIN b ON a.id = b.id AND a.n > b.n AND a.n + 1 WITHIN 5s"),
    ("lenses", f"SELECT STREAM {DEEP} AS x, n + 1 AS y FROM a GROUP BY n + 1, n HAVING SUM(n + 3) > 2 AND x > 3"),
    ("lenses", f"SELECT STREAM {DEEP} AS x FROM a GROUP BY s"),
    ("ksql", f"{KSQL} CREATE TABLE o AS SELECT n, {DEEP} AS x FROM a GROUP BY n HAVING SUM(n) > 2 AND n > 3;"),
    ("ksql", f"{KSQL} CREATE TABLE o AS SELECT s, {DEEP} AS x FROM a GROUP BY s;"),
    ("ksql", f"{KSQL} CREATE STREAM o AS SELECT id, n + 1 AS x, UCASE(s || 'y') AS y FROM a WHERE n > 1;"),
    ("ksql", f"{KSQL} CREATE STREAM o AS SELECT id, n + s AS x FROM a PARTITION BY n + 1;"),
    ("ksql", f"{KSQL} CREATE STREAM o AS SELECT a.id, b.n FROM a JOIN b WITHIN 1 DAY ON a.n + 1 = b.n + 2;"),
)  # fmt: skip


@pytest.mark.parametrize("nullability", ["lenient", "strict"])
@pytest.mark.parametrize(("dialect", "text"), PROGRAMS)
def test_an_expression_is_bound_once(
    dialect: DialectName, text: str, nullability: Literal["lenient", "strict"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a program with errors."""
    met: list[tree.Expression] = []
    times: Counter[tuple[int, bool]] = Counter()
    bound = Binder._bound

    def counted(self: Binder, expression: tree.Expression) -> Expression | None:
        met.append(expression)
        times[id(expression), self.grouping is None] += 1
        return bound(self, expression)

    monkeypatch.setattr(Binder, "_bound", counted)
    try:
        lsqlc.compile(text, topics=TOPICS if dialect == "lenses" else [], dialect=dialect, nullability=nullability)
    except CompileError as error:
        assert error.diagnostics
    assert times
    assert set(times.values()) == {1}
