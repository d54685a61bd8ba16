"""The project's own functions as expressions: what they give, where they may be called, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

import lsqlc
from lsqlc.diagnostics.catalogue import page
from lsqlc.plan import Plan
from lsqlc.project.declared.own_functions import read_own_functions
from tests.each import each

ORDERS = lsqlc.Topic("orders", key="INT", value="id INT NOT NULL, price DOUBLE, name STRING, tags ARRAY<INT>")
NET = "CREATE FUNCTION net(price DOUBLE, rate DOUBLE) RETURNS DOUBLE RETURN price / (1 + rate);"
ROW = {"id": 1, "price": 119.0, "name": "a", "tags": [1, 2]}
KSQL = "CREATE STREAM o (id INT KEY, price DOUBLE, tags ARRAY<INT>) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');"


def values(plan: Plan, topic: str, *rows: dict[str, Any]) -> list[Any]:
    records = [lsqlc.Record("orders", key=i, value=row) for i, row in enumerate(rows or (ROW,))]
    return [record.value for record in lsqlc.evaluate(plan, records)[topic]]


def compiled(select: str, functions: str, topic: lsqlc.Topic = ORDERS) -> Plan:
    return lsqlc.compile(f"INSERT INTO out {select}", topics=[topic], functions=functions)


def codes(functions: str, *, dialect: str = "lenses") -> list[tuple[str, int, int]]:
    found = read_own_functions({"functions/f.sql": functions}, dialect, (dialect,)).diagnostics
    return [(d.code, d.line or 0, d.column or 0) for d in found]


def refused(select: str, functions: str = NET, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(lsqlc.CompileError) as error:
        lsqlc.compile(f"INSERT INTO out {select}", topics=[ORDERS], functions=functions, **options)
    return [(d.code, d.message) for d in error.value.diagnostics]


def test_the_body_takes_the_place_of_the_call() -> None:
    """The plan is that of the query without the function."""
    called = "INSERT INTO out SELECT STREAM net(price, 0.19) AS net FROM orders WHERE NET(price, 0.0) > 1.0"
    written = "INSERT INTO out SELECT STREAM price / (1 + 0.19) AS net FROM orders WHERE price / (1 + 0.0) > 1.0"
    plan = lsqlc.compile(called, topics=[ORDERS], functions=NET)
    assert plan.to_json() == lsqlc.compile(written, topics=[ORDERS]).to_json()
    assert values(plan, "out") == [{"net": 100.0}]


def test_functions_call_functions_whatever_their_order() -> None:
    """The callee may stand behind the caller, and an argument is converted to a wider number."""
    functions = f"CREATE FUNCTION half(n INT) RETURNS DOUBLE RETURN net(n, 1);\n{NET}"
    plan = lsqlc.compile(
        "INSERT INTO out SELECT STREAM half(id) AS h FROM orders", topics=[ORDERS], functions=functions
    )
    assert values(plan, "out") == [{"h": 0.5}]


def test_a_call_may_stand_where_an_expression_may() -> None:
    """In GROUP BY and as what it is grouped by, within an aggregate and around one."""
    functions = (
        "CREATE FUNCTION bucket(n INT) RETURNS INT RETURN n % 2;"
        "CREATE FUNCTION twice(n BIGINT) RETURNS BIGINT RETURN n * 2"
    )
    text = "SELECT STREAM bucket(id) AS b, twice(COUNT(*)) AS n, SUM(bucket(id)) AS s FROM orders GROUP BY bucket(id)"
    plan = compiled(text, functions)
    rows = [{**ROW, "id": n} for n in (1, 2, 3)]
    assert values(plan, "out", *rows) == [{"b": 0, "n": 2, "s": 0}, {"b": 1, "n": 4, "s": 2}]


def test_a_parameter_may_be_a_struct() -> None:
    """Its fields are read by path, in the function and of the argument."""
    topic = lsqlc.Topic("orders", key="INT", value="place STRUCT<lat: DOUBLE, at: STRUCT<n: INT>>")
    functions = "CREATE FUNCTION n_of(p STRUCT<lat: DOUBLE, at: STRUCT<n: INT>>) RETURNS INT RETURN p.at.n + 1"
    plan = lsqlc.compile(
        "INSERT INTO out SELECT STREAM n_of(place) AS n FROM orders", topics=[topic], functions=functions
    )
    assert values(plan, "out", {"place": {"lat": 1.0, "at": {"n": 4}}}) == [{"n": 5}]


def test_a_literal_of_a_number_fits_a_decimal_that_holds_it() -> None:
    """Any other number needs a CAST."""
    functions = "CREATE FUNCTION same(d DECIMAL(4, 2)) RETURNS DECIMAL(4, 2) RETURN d"
    plan = lsqlc.compile(
        "INSERT INTO out SELECT STREAM same(0.19) AS d FROM orders", topics=[ORDERS], functions=functions
    )
    (value,) = values(plan, "out")
    assert str(value["d"]) == "0.19"
    found = refused("SELECT STREAM same(0.199) AS d, same(price) AS e FROM orders", functions)
    assert [message for _, message in found] == ["'d' of same must be DECIMAL(4,2), not DOUBLE"] * 2


def test_a_ksql_function_may_have_lambdas_and_be_called_in_one() -> None:
    """The variables of both stay apart: that of the call's lambda is an argument."""
    functions = "CREATE FUNCTION add_all(xs ARRAY<INT>, n INT) RETURNS ARRAY<INT> RETURN TRANSFORM(xs, x => x + n);"
    text = f"{KSQL} CREATE STREAM out AS SELECT id, TRANSFORM(tags, x => add_all(tags, x)) AS t FROM o;"
    plan = lsqlc.compile(text, dialect="ksql", functions=functions)
    assert values(plan, "OUT", {"PRICE": 1.0, "TAGS": [1, 10]}) == [{"T": [[2, 11], [11, 20]]}]


def test_standard_sql_has_functions_too() -> None:
    """With Spark's types and functions."""
    functions = (
        "CREATE OR REPLACE FUNCTION net(price DOUBLE, rate DECIMAL(4, 2)) RETURNS DOUBLE COMMENT 'x' "
        "RETURN CASE WHEN price IS NULL THEN 0 ELSE price / (1 + rate) END"
    )
    text = "SELECT net(price, 0.19) AS n, Net(NULL, 0) AS z FROM orders"
    plan = lsqlc.compile(text, dialect="sql", topics=[ORDERS], functions=functions, name="out")
    assert values(plan, "out") == [{"n": 100.0, "z": 0.0}]


def test_errors_of_a_call_are_at_the_call() -> None:
    """All of them, in one run."""
    select = "SELECT STREAM net(1) AS a, net('x', 1) AS b, net(prise, 1) AS c, nett(1, 1) AS d FROM orders"
    found = refused(select)
    assert [code for code, _ in found] == ["LSQ208", "LSQ209", "LSQ201", "LSQ206"]
    assert found[1][1] == "'price' of net must be DOUBLE, not STRING"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE FUNCTION f(a STRING) RETURNS STRING RETURN UPPERCASE(b)", [("LSQ201", 1, 61)]),
        ("CREATE FUNCTION f(a INT) RETURNS INT\nRETURN a * 1.5", [("LSQ483", 2, 8)]),
        ("CREATE FUNCTION f(a INT, A INT) RETURNS INT RETURN a", [("LSQ484", 1, 26)]),
        ("CREATE FUNCTION `f-g`(a INT) RETURNS INT RETURN a", [("LSQ484", 1, 17)]),
        ("CREATE FUNCTION f(a INTT) RETURNS INT RETURN a", [("LSQ104", 1, 21)]),
        ("CREATE FUNCTION f(a ARRAY<ARRAY<INT>>) RETURNS INT RETURN a[0][1]", []),
        ("CREATE FUNCTION f(a INT) RETURN a", [("LSQ102", 1, 26)]),
        ("CREATE FUNCTION f(a INT) RETURNS INT AS (a)", [("LSQ102", 1, 38)]),
        ("CREATE FUNCTION f(a INT DEFAULT 1) RETURNS INT RETURN a", [("LSQ102", 1, 25)]),
        ("CREATE TEMPORARY FUNCTION f(a INT) RETURNS INT RETURN a", [("LSQ102", 1, 8)]),
        ("CREATE FUNCTION f() RETURNS TIMESTAMP RETURN NOW()", [("LSQ312", 1, 46)]),
        ("CREATE FUNCTION f(a INT) RETURNS BIGINT RETURN SUM(a)", [("LSQ313", 1, 48)]),
        ("CREATE FUNCTION concat(a INT) RETURNS INT RETURN a", [("LSQ481", 1, 17)]),
        ("-- nothing\n", [("LSQ488", 1, 1)]),
        ("CREATE FUNCTION f(a INT) RETURNS INT RETURN a +; CREATE FUNCTION g() RETURNS INT RETURN b", [
            ("LSQ102", 1, 48), ("LSQ201", 1, 89)]),
        # What is wrong with the callee is told once.
        ("CREATE FUNCTION f(a INT) RETURNS INT RETURN g(a); CREATE FUNCTION g(a INT) RETURNS INT RETURN b", [
            ("LSQ201", 1, 95)]),
    ],
)  # fmt: skip
def test_errors_of_a_declaration_are_in_its_file(text: str, expected: list[tuple[str, int, int]]) -> None:
    """With the caret at the very words."""
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE FUNCTION f(a INT) RETURNS INT RETURN a, 1", [("LSQ102", 1, 48)]),
        ("CREATE FUNCTION f(a INT) RETURNS INT RETURN a AS b", [("LSQ102", 1, 45)]),
        ("CREATE FUNCTION f(a INT) RETURNS INT RETURN (SELECT 1 FROM t)", [("LSQ450", 1, 45)]),
        ("CREATE FUNCTION f() RETURNS INT RETURN", [("LSQ102", 1, 39)]),
        ("CREATE FUNCTION initcap(a STRING) RETURNS STRING RETURN a", [("LSQ481", 1, 17)]),
    ],
)
def test_errors_of_a_declaration_in_standard_sql(text: str, expected: list[tuple[str, int, int]]) -> None:
    """sqlglot reads the body, at its place in the file."""
    assert codes(text, dialect="sql") == expected


def test_a_circle_is_told_with_the_way_round() -> None:
    """Once, at the function of it that stands first; a caller of the circle has no error of its own."""
    text = (
        "CREATE FUNCTION use(n INT) RETURNS INT RETURN a(n);\n"
        "CREATE FUNCTION a(n INT) RETURNS INT RETURN b(n);\n"
        "CREATE FUNCTION b(n INT) RETURNS INT RETURN c(n);\n"
        "CREATE FUNCTION c(n INT) RETURNS INT RETURN a(n);\n"
        "CREATE FUNCTION self(n INT) RETURNS INT RETURN self(n)\n"
    )
    found = read_own_functions({"f.sql": text}, "lenses", ()).diagnostics
    assert [(d.code, d.line, d.notes) for d in found] == [
        ("LSQ482", 2, ("a -> b -> c -> a",)),
        ("LSQ482", 5, ("self -> self",)),
    ]


def test_many_functions_deep_end_in_a_diagnostic() -> None:
    """Each adds levels and parts to its callers; neither Python's stack nor time is exhausted."""
    deep = "".join(f"CREATE FUNCTION f{n}(a INT) RETURNS BIGINT RETURN f{n - 1}(a) + 1;" for n in range(1, 110))
    found = codes(f"CREATE FUNCTION f0(a INT) RETURNS BIGINT RETURN a;{deep}")
    assert [code for code, _, _ in found] == ["LSQ103"]
    one = "CREATE FUNCTION f{0}(a BIGINT) RETURNS BIGINT RETURN " + " + ".join(["f{1}(a)"] * 20) + ";"
    wide = "".join(one.format(n, n - 1) for n in range(1, 6))
    found = codes(f"CREATE FUNCTION f0(a BIGINT) RETURNS BIGINT RETURN a;{wide}")
    assert [code for code, _, _ in found] == ["LSQ115"]


def test_the_strict_check_looks_at_arguments() -> None:
    """One that may be null is refused unless the body takes it."""
    functions = f"{NET} CREATE FUNCTION or_zero(a DOUBLE) RETURNS DOUBLE RETURN COALESCE(a, 0.0)"
    found = refused("SELECT STREAM net(price, 0.1) AS a FROM orders", functions, nullability="strict")
    assert [code for code, _ in found] == ["LSQ220"]
    text = "INSERT INTO out SELECT STREAM or_zero(price) AS a, net(id, 0.1) AS b FROM orders"
    assert lsqlc.compile(text, topics=[ORDERS], functions=functions, nullability="strict")


@each("code", ["LSQ480", "LSQ481", "LSQ482", "LSQ483", "LSQ484", "LSQ488"])
def test_the_examples_of_the_pages_are_wrong_and_right(code: str) -> None:
    """In the Lenses language."""
    wrong, right = re.findall(r"^```sql\n(.*?)^```$", page(code) or "", re.DOTALL | re.MULTILINE)
    assert {found for found, _, _ in codes(wrong)} == {code}
    assert codes(right) == []
