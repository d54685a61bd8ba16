"""A small real plan, its cases, and an engine that is a table of outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsqlc.bind.lenses.program import compile_program
from lsqlc.golden.cases import LoadedCases, load_cases
from lsqlc.plan import Plan
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns, parse_type
from lsqlc.types.record import Case, Facet, Outcome, Record, Topic

FLIGHTS = Topic(
    "flights",
    Facet(data.STRING, "string"),
    Facet(parse_columns("id INT, delay DOUBLE, dest STRING, price DECIMAL(20,2), tags ARRAY<STRING>"), "json"),
)
PLANES = Topic("planes", Facet(parse_type("INT"), "int"), Facet(parse_columns("model STRING NOT NULL"), "json"))
BOTH = """
INSERT INTO late SELECT STREAM id, delay FROM flights WHERE delay > 1;
INSERT INTO counted SELECT TABLE COUNT(*) AS n, AVG(delay) AS mean FROM flights GROUP BY dest;
"""


def plan(text: str = BOTH, name: str = "m", topics: Sequence[Topic] = (FLIGHTS, PLANES)) -> Plan:
    """The plan of a program over the topics."""
    parsed = parse(text, f"models/{name}.sql")
    assert parsed.program is not None, parsed.diagnostics
    compiled = compile_program(parsed.program, {t.name: t for t in topics}, name=name)
    assert compiled.plan is not None, compiled.diagnostics
    return compiled.plan


def load(text: str, plans: Mapping[str, Plan] | None = None, path: str = "tests/c.yml") -> LoadedCases:
    """The cases of one file."""
    return load_cases({path: text}, {"m": plan()} if plans is None else plans)


def late(*rows: tuple[str | None, int, float, int]) -> tuple[Record, ...]:
    """Records of the STREAM: key, id, delay, timestamp."""
    return tuple(Record("late", key, {"id": id, "delay": delay}, time) for key, id, delay, time in rows)


def counted(*rows: tuple[str, int, float]) -> tuple[Record, ...]:
    """Rows of the TABLE: key, n, mean."""
    return tuple(Record("counted", key, {"n": n, "mean": mean}) for key, n, mean in rows)


def outcome(stream: tuple[Record, ...] = (), table: tuple[Record, ...] = ()) -> Outcome:
    return Outcome({"late": stream, "counted": table})


def engine(outcomes: Mapping[str, Outcome]):  # type: ignore[no-untyped-def]
    """An evaluate function that knows the outcome of each case by its name."""

    def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        return [outcomes[case.name] for case in cases]

    return evaluate
