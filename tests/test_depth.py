"""Expressions as deep as each dialect allows compile, and compute on DuckDB; deeper ones end in a finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

import lsqlc
from lsqlc import dialects
from lsqlc.dialects import NAMES, DialectName
from lsqlc.lower.duckdb import default_session
from lsqlc.syntax.program import Parsed
from lsqlc.types.record import Case, Record

TOPICS = [lsqlc.Topic("t", key="INT", value="n INT")]
FORMS: Mapping[DialectName, str] = {
    "lenses": "INSERT INTO o SELECT STREAM {} AS x FROM t",
    "ksql": """
        CREATE STREAM s (n INT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');
        CREATE STREAM o WITH (KAFKA_TOPIC = 'o') AS SELECT {} AS x FROM s;
    """,
    "sql": "CREATE STREAMING TABLE o AS SELECT {} AS x FROM STREAM(t)",
}
# What stands before and behind what is nested, how often, and what comes of it where n is 1.
NESTS: Mapping[DialectName, Mapping[str, tuple[str, str, int, float]]] = {
    "lenses": {
        "CASE": ("CASE ", " WHEN 1 THEN 1 END", 99, 1),
        "CASE WHEN": ("CASE WHEN TRUE THEN ", " END", 99, 1),
        "casts of a text": ("CAST(CAST(", " AS STRING) AS INT)", 49, 1),
        "sums": ("1 + (", ") - 1", 49, 1),
        "quotients": ("1.0 / (", ")", 40, 1),
        "remainders": ("(", " * 1.0) % 2.0", 40, 1),
        "arrays": ("[", "][0]", 49, 1),
        "calls": ("COALESCE(", ", 2)", 99, 1),
    },
    "ksql": {
        "CASE": ("CASE ", " WHEN 1 THEN 1 END", 99, 1),
        "CASE WHEN": ("CASE WHEN TRUE THEN ", " END", 99, 1),
        "casts of a text": ("CAST(CAST(", " AS STRING) AS INT)", 49, 1),
        "sums": ("1 + (", ") - 1", 49, 1),
        "quotients": ("(", ") / 1", 99, 1),
        "remainders": ("(", ") % 5", 99, 1),
        "arrays": ("ARRAY[", "][1]", 49, 1),
        "maps": ("MAP('a' := ", ")['a']", 49, 1),
        "structs": ("STRUCT(a := ", ")->a", 49, 1),
        "calls": ("COALESCE(", ", 2)", 99, 1),
        "NULLIF": ("NULLIF(", ", 2)", 99, 1),
        "lambdas": ("TRANSFORM(ARRAY[", "], e => e)[1]", 33, 1),
    },
    "sql": {
        "CASE": ("CASE ", " WHEN 1 THEN 1 END", 98, 1),
        "CASE WHEN": ("CASE WHEN TRUE THEN ", " END", 98, 1),
        "casts of a text": ("CAST(CAST(", " AS STRING) AS INT)", 49, 1),
        "sums": ("1 + (", ") - 1", 32, 1),
        "quotients": ("1.0D / (", ")", 40, 1),
        "remainders": ("(", " * 1.0D) % 2.0D", 32, 1),
        "arrays": ("ARRAY(", ")[0]", 49, 1),
        "calls": ("COALESCE(", ", 2)", 98, 1),
    },
}
EACH = [(dialect, nest) for dialect, nests in NESTS.items() for nest in nests]


def compiled(dialect: DialectName, expression: str) -> lsqlc.Plan:
    return lsqlc.compile(FORMS[dialect].format(expression), dialect=dialect, topics=() if dialect == "ksql" else TOPICS)


def below(frames: int, action: Callable[[], object]) -> object:
    """What an action gives that is called by so many functions."""
    return action() if frames == 0 else below(frames - 1, action)


def test_every_dialect_is_tried() -> None:
    """With nests of its own."""
    assert set(NESTS) == set(FORMS) == set(NAMES)


@pytest.mark.parametrize(("dialect", "nest"), EACH)
def test_what_may_be_deep_compiles_and_computes(dialect: DialectName, nest: str) -> None:
    """Also where it is called by others: a server, or an editor."""
    before, behind, depth, result = NESTS[dialect][nest]
    plan = compiled(dialect, before * depth + "n" + behind * depth)
    assert below(150, lambda: plan.fingerprint)
    (outcome,) = default_session().evaluate(
        plan, [Case("", ((Record("t", None, {"N" if dialect == "ksql" else "n": 1}, 0),),))]
    )
    assert [r.value for r in outcome.topics["o"]] == [{"X" if dialect == "ksql" else "x": result}]


@pytest.mark.parametrize(("dialect", "nest"), EACH)
def test_what_is_deeper_is_refused(dialect: DialectName, nest: str) -> None:
    """However much deeper, and as soon as the text is read."""
    before, behind, _, _ = NESTS[dialect][nest]
    for depth in (101, 2_000):
        with pytest.raises(lsqlc.CompileError) as refused:
            compiled(dialect, before * depth + "n" + behind * depth)
        assert [d.code for d in refused.value.diagnostics] == ["LSQ103"]


@pytest.mark.parametrize(
    ("dialect", "nest"),
    [
        ("lenses", "c OR c AND c = 1 + 2 * ("),
        ("lenses", "c OR c AND NOT c LIKE 1 + 2 * -f("),
        ("ksql", "c OR c AND c = c || 1 + 2 * ("),
        ("ksql", "c OR c AND c = c || 1 + 2 * -f(x => "),
        ("ksql", "NOT c IS DISTINCT FROM 1 + STRUCT(a := "),
        ("sql", "c OR c AND NOT c LIKE 1 + 2 * -f("),
    ],
)
def test_operators_of_every_level_are_refused_where_they_are_too_deep(dialect: str, nest: str) -> None:
    """The reader itself needs no more calls for them than Python allows, nor do its callers."""
    before = {"lenses": "SELECT STREAM ", "ksql": "CREATE STREAM s AS SELECT ", "sql": "SELECT "}[dialect]
    text = before + nest * 2_000
    parsed = below(250, lambda: dialects.dialect(dialect).parse(text, "deep"))
    assert isinstance(parsed, Parsed)
    assert [d.code for d in parsed.diagnostics] == ["LSQ103"]


def test_what_ksqldb_nests_computes() -> None:
    """A null that an inner NULLIF makes stays one."""
    plan = compiled("ksql", "NULLIF(" * 40 + "n" + ", 2)" * 40)
    records = tuple(Record("t", None, {"N": n}, 0) for n in (1, 2))
    (outcome,) = default_session().evaluate(plan, [Case("", (records,))])
    assert [r.value for r in outcome.topics["o"]] == [{"X": 1}, {"X": None}]
