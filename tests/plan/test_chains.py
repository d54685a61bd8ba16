"""How long and how deep an expression may be, in all dialects: a limit has a code of its own, and no walk a stack."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.dialects import NAMES, DialectName
from lsqlc.dialects.lenses import DIALECT as LENSES
from lsqlc.lower.duckdb.queries import plan_sql
from lsqlc.plan.expression import MAX_LEVELS, Literal, Operation, joined, levels
from lsqlc.plan.plan import Plan
from lsqlc.project.build.formatting import format_model
from lsqlc.types import data

LONG = 10_000
COLUMNS = "a INT, b INT, c BOOLEAN, s STRING, arr ARRAY<INT>"
TOPICS = [lsqlc.Topic("t", key="INT", value=COLUMNS)]
KSQL = f"CREATE STREAM t ({COLUMNS}) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');\nCREATE STREAM result AS SELECT"


def program(expression: str, dialect: DialectName) -> str:
    if dialect == "lenses":
        return f"SELECT STREAM {expression} AS x FROM t"
    if dialect == "sql":
        return f"SELECT {expression} AS x FROM STREAM(t)"
    return f"{KSQL} {expression} AS x FROM t;"


def compiled(expression: str, dialect: DialectName) -> Plan:
    return lsqlc.compile(program(expression, dialect), dialect=dialect, topics=() if dialect == "ksql" else TOPICS)


def refused(expression: str, dialect: DialectName) -> str:
    """The code and the message of the one error."""
    with pytest.raises(lsqlc.CompileError) as error:
        compiled(expression, dialect)
    (found,) = error.value.diagnostics
    return f"{found.code} {found.message}"


def value(expression: str, dialect: DialectName) -> object:
    """What DuckDB computes for one record."""
    fields = {"a": 7, "b": 2, "c": True, "s": "x", "arr": [1]}
    named = fields if dialect != "ksql" else {name.upper(): field for name, field in fields.items()}
    plan = compiled(expression, dialect)
    (rows,) = lsqlc.evaluate(plan, [lsqlc.Record("t", None if dialect == "ksql" else 1, named, 0)]).values()
    (found,) = rows[0].value.values()
    return found


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize(
    "chain",
    [
        lambda n: " OR ".join(f"a = {i}" for i in range(n)),
        pytest.param(lambda n: " AND ".join(f"a <> {i}" for i in range(n)), marks=pytest.mark.nightly),
        pytest.param(lambda n: " OR ".join(f"a = {i} AND b = {i}" for i in range(n)), marks=pytest.mark.nightly),
        lambda n: f"CONCAT({', '.join(['s'] * n)})",
        pytest.param(
            lambda n: "CASE " + " ".join(f"WHEN a = {i} THEN {i}" for i in range(n)) + " END", marks=pytest.mark.nightly
        ),
        lambda n: f"a IN ({', '.join(map(str, range(n)))})",
    ],
    ids=["or", "and", "or of and", "concat", "case", "in"],
)
def test_what_is_long_compiles(chain: Callable[[int], str], dialect: DialectName) -> None:
    """In any number; what is 101 long, one more than a chain of levels could be, is computed too."""
    assert compiled(chain(LONG), dialect).fingerprint
    plan = compiled(chain(LONG // 10), dialect)
    assert plan.tree() and plan.to_json() and plan_sql(plan)
    assert value(chain(MAX_LEVELS + 1), dialect) == value(chain(MAX_LEVELS), dialect) or "CONCAT" in chain(1)


def test_texts_are_joined_in_any_number() -> None:
    """By `||`, which ksqlDB has."""
    assert compiled(" || ".join(["s"] * LONG), "ksql").fingerprint
    assert value(" || ".join(["s"] * 101), "ksql") == "x" * 101


def test_fmt_prints_a_chain_on_and_on() -> None:
    """And finds the same program in it."""
    text = program(" OR ".join(f"(a = {i} OR c)" for i in range(LONG // 10)), "lenses")
    formatted = format_model(text, "it", LENSES).text
    assert formatted is not None and format_model(formatted, "it", LENSES).text == formatted


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "%", "="])
def test_other_chains_have_a_limit_that_says_so(operator: str, dialect: DialectName) -> None:
    """A hundred operands are computed, and one more is refused."""
    for number in (101, 300, 900, LONG):
        message = refused(f" {operator} ".join(["a"] * number), dialect)
        assert message == "LSQ114 this chain of operators has more than 100 operands"
    if operator != "=":
        assert value(f" {operator} ".join(["a"] * 100), dialect) is not Exception


@pytest.mark.parametrize("dialect", NAMES)
def test_parentheses_are_the_way_out(dialect: DialectName) -> None:
    """Of groups of fifty a sum can have as many as levels are left."""
    group = f"({' + '.join(['b'] * 50)})"
    assert value(" + ".join([group] * 50), dialect) == 50 * 50 * 2


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize(
    ("before", "behind"),
    [("(", ")"), ("(", " + 1)"), ("(", " OR c)"), ("(", " AND c OR c)"), ("NOT ", ""), ("- ", ""), ("arr[", "]"),
     ("CASE WHEN c THEN ", " END"), ("CONCAT(s, ", ")"), ("(1 + 2 + ", ")"), ("(", " = 1)"), ("(", " IS NULL)")],
)  # fmt: skip
def test_what_is_deep_is_refused_as_that(before: str, behind: str, dialect: DialectName) -> None:
    """However it nests, and in fmt too."""
    for number in (101, 2_000):
        text = before * number + "c" + behind * number
        assert refused(text, dialect).startswith("LSQ103 this expression has more than 100 levels")
    assert [d.code for d in format_model(program("(" * 200 + "c" + ")" * 200, "lenses"), "it", LENSES).diagnostics] == [
        "LSQ103"
    ]


@pytest.mark.parametrize(
    ("dialect", "expression", "code"),
    [
        ("lenses", "c" + " BETWEEN FALSE AND TRUE" * 60, "LSQ115"),
        ("lenses", "CASE " * 60 + "a" + " WHEN 1 THEN 2 WHEN 2 THEN 3 END" * 60, "LSQ115"),
        ("ksql", "arr[" * 60 + "a" + "]" * 60, "LSQ115"),
        ("ksql", "(" * 60 + "a" + " IS DISTINCT FROM 1)" * 60, "LSQ213"),
        ("ksql", "REDUCE(arr, 0, (s, e) => " * 60 + "a" + ")" * 60, "LSQ103"),
        ("ksql", " + ".join(["a"] * 99) + " + s", "LSQ212"),
    ],
)
def test_what_doubles_with_every_level_ends_at_once(dialect: DialectName, expression: str, code: str) -> None:
    """Nothing is bound twice, and an operand that is used more than once is counted as often."""
    assert refused(expression, dialect)[:6] == code


def test_a_text_that_doubles_with_every_level_is_refused_by_the_lowering() -> None:
    """Where the form of a function repeats its argument, and not the plan."""
    plan = compiled("arr[" * 40 + "a" + "]" * 40, "lenses")
    with pytest.raises(LsqlcError, match="LSQ115"):
        plan_sql(plan)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 99, 100, 101, 1_000])
def test_conditions_are_joined_in_their_order(number: int) -> None:
    """From the left where that is low enough, as it ever was, else as a tree that is as low as can be."""
    parts = [Literal(i, data.BOOLEAN) for i in range(number)]
    whole = joined("AND", parts)
    found, pending = [], [whole]
    while pending:
        part = pending.pop()
        if isinstance(part, Operation):
            pending += reversed(part.operands)
        else:
            found.append(part)
    assert found == parts
    assert levels(whole) == (number if number < MAX_LEVELS else 1 + (number - 1).bit_length())
