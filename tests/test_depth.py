"""Expressions as deep as the language allows compile, and compute on DuckDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import lsqlc
from lsqlc import dialects
from lsqlc.bind.lenses.program import compile_program
from lsqlc.lower.duckdb import default_session
from lsqlc.syntax.lenses.parser import parse
from lsqlc.syntax.program import Parsed
from lsqlc.types import data
from lsqlc.types.data import Field, Struct
from lsqlc.types.record import Case, Facet, Record, Topic

TOPIC = Topic("t", Facet(data.INT, "int"), Facet(Struct((Field("n", data.INT),)), "json"))
NESTS = {
    "CASE": ("CASE ", " WHEN 1 THEN 1 END", 99),
    "CASE WHEN": ("CASE WHEN TRUE THEN ", " END", 99),
    "casts of a text": ("CAST(CAST(", " AS STRING) AS INT)", 49),
    "sums": ("1 + (", ") - 1", 49),
    "quotients": ("1.0 / (", ")", 40),
    "remainders": ("(", " * 1.0) % 2.0", 40),
    "arrays": ("[", "][0]", 49),
}


def below(frames: int, action: Callable[[], object]) -> object:
    """What an action gives that is called by so many functions."""
    return action() if frames == 0 else below(frames - 1, action)


@pytest.mark.parametrize("nest", NESTS)
def test_what_may_be_deep_compiles_and_computes(nest: str) -> None:
    """Also where it is called by others: a server, or an editor."""
    before, behind, depth = NESTS[nest]
    program = parse(f"SELECT STREAM {before * depth}n{behind * depth} AS x FROM t", "deep").program
    assert program is not None
    plan = compile_program(program, {"t": TOPIC}, name="out").plan
    assert plan is not None
    assert below(150, lambda: plan.fingerprint)
    (outcome,) = default_session().evaluate(plan, [Case("", ((Record("t", 1, {"n": 1}, 0),),))])
    assert [r.value for r in outcome.topics["out"]] == [{"x": 1}]


@pytest.mark.parametrize(
    ("dialect", "nest"),
    [
        ("lenses", "c OR c AND c = 1 + 2 * ("),
        ("lenses", "c OR c AND NOT c LIKE 1 + 2 * -f("),
        ("ksql", "c OR c AND c = c || 1 + 2 * ("),
        ("ksql", "c OR c AND c = c || 1 + 2 * -f(x => "),
        ("ksql", "NOT c IS DISTINCT FROM 1 + STRUCT(a := "),
    ],
)
def test_operators_of_every_level_are_refused_where_they_are_too_deep(dialect: str, nest: str) -> None:
    """The reader itself needs no more calls for them than Python allows, nor do its callers."""
    before = {"lenses": "SELECT STREAM ", "ksql": "CREATE STREAM s AS SELECT "}[dialect]
    text = before + nest * 2_000
    parsed = below(250, lambda: dialects.dialect(dialect).parse(text, "deep"))
    assert isinstance(parsed, Parsed)
    assert [d.code for d in parsed.diagnostics] == ["LSQ103"]


def test_what_ksqldb_nests_computes() -> None:
    """NULLIF too, of which DuckDB writes the first argument twice."""
    source = "CREATE STREAM s (n INT) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');"
    nested = "NULLIF(" * 40 + "n" + ", 2)" * 40
    plan = lsqlc.compile(f"{source} CREATE STREAM o AS SELECT {nested} AS x FROM s;", dialect="ksql")
    records = tuple(Record("s", None, {"N": n}, 0) for n in (1, 2))
    (outcome,) = default_session().evaluate(plan, [Case("", (records,))])
    assert [r.value for r in outcome.topics["O"]] == [{"X": 1}, {"X": None}]
