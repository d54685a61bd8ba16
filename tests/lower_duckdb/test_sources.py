"""How records come into DuckDB: from the cases of a test, and from the files of a log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.connectors.lines import line_encoder
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import session
from lsqlc.lower.duckdb.session import Session
from lsqlc.plan import Plan
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.data import STRING
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Case, Facet, Record, Topic
from tests.lanes import sampled
from tests.lower_duckdb.programs import PROGRAMS, TOPICS

EXACT = Topic(
    "exact",
    Facet(STRING, "string"),
    Facet(parse_columns("d DECIMAL(38,10), n BIGINT, ds ARRAY<DECIMAL(30,2)>"), "json"),
)


def compiled(text: str) -> Plan:
    program = parse(text, "source").program
    assert program
    plan = compile_program(program, {**TOPICS, EXACT.name: EXACT}, name="out").plan
    assert plan
    return plan


def lines_of(folder: Path, topic: Topic, records: Sequence[Record], parts: int = 1) -> list[Path]:
    """The records as files of JSON lines."""
    write = line_encoder(topic)
    lines = [write(record, (i,)) for i, record in enumerate(records) if record.topic == topic.name]
    paths = [folder / f"{topic.name}{number}.jsonl" for number in range(parts)]
    for number, path in enumerate(paths):
        path.write_bytes(b"".join(lines[number::parts]))
    return paths


def test_digits_survive(tmp_path: Path) -> None:
    """A DECIMAL of 38 digits and a BIGINT of 19 come out as they went in, from a case and from a file alike."""
    value = {
        "d": Decimal("1234567890123456789012345678.1234567891"),
        "n": 2**63 - 1,
        "ds": [Decimal("12345678901234567.25"), None],
    }
    plan = compiled("SELECT STREAM * FROM exact")
    records = (Record("exact", "k", value),)
    case = Session().evaluate(plan, [Case("", (records,))])[0]
    logs = Session().evaluate_logs(plan, {"exact": lines_of(tmp_path, EXACT, records)})
    assert [r.value for r in case.topics["out"]] == [value]
    assert case == logs


def test_what_spark_writes_is_read(tmp_path: Path) -> None:
    """A DECIMAL may stand as a number with fewer digits than its type has, and fields may be missing."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"ordinal": 1, "timestamp": 2, "key": "k", "value": {"d": 0.1}}) + "\n")
    (row,) = Session().evaluate_logs(compiled("SELECT STREAM d, n FROM exact"), {"exact": [path]}).topics["out"]
    assert row == Record("out", "k", {"d": Decimal("0.1000000000"), "n": None}, 2)


LOG = [
    Record("a", "p", {"id": 1, "n": 10, "name": "x"}, 1),
    Record("b", "p", {"id": 1, "m": 5, "ref": "p"}, 2),
    Record("a", None, {"id": 1, "n": 11, "name": "y"}, 3),
    Record("b", "q", {"id": 2, "m": 6, "ref": "p"}, 4),
    Record("c", "p", {"id": 1, "z": 7}, 5),
    Record("a", "p", None, 6),
    Record("d", 1, {"id": 1, "z": 7}, 7),
    Record("a", "q", {"id": 2, "n": None, "name": "x"}, 8),
]


@pytest.mark.parametrize("name", sampled(PROGRAMS, 6))
def test_planned_for_few_or_for_many(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows and counts are the same with and without DuckDB's optimiser, and from files in several parts."""
    plan = compiled(PROGRAMS[name])
    records = [r for r in LOG if r.topic in {t.name for t in plan.inputs}]
    cases = [Case("", (tuple(records),))]
    few = Session().evaluate(plan, cases)
    monkeypatch.setattr(session, "_SMALL", 0)
    assert Session().evaluate(plan, cases) == few
    files = {t.name: lines_of(tmp_path, t, records, parts=2) for t in plan.inputs}
    assert Session().evaluate_logs(plan, files) == few[0]


def test_one_session_takes_small_and_large_in_turn() -> None:
    """Its settings follow the size of what it evaluates."""
    plan, used = compiled("SELECT STREAM n FROM a WHERE n > 1"), Session()
    small = Case("", (tuple(replace(r, topic="a", key="k", value={"id": 1, "n": 2, "name": "x"}) for r in LOG),))
    large = Case("", (tuple(Record("a", "k", {"id": 1, "n": i, "name": "x" * 100}) for i in range(10_000)),))
    counts = [len(used.evaluate(plan, [case])[0].topics["out"]) for case in (small, large, small, large)]
    assert counts == [8, 9_998, 8, 9_998]


def test_a_model_beyond_duckdb_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB's bound on the depth of a statement, set low here, is told as such."""
    shallow = duckdb.connect(":memory:", config={"max_expression_depth": 10})
    monkeypatch.setattr(session, "connect", lambda **_: shallow)
    used = Session()
    text = f"SELECT STREAM {'-(' * 20}n{')' * 20} AS x FROM a"
    with pytest.raises(LsqlcError) as raised:
        used.evaluate(compiled(text), [Case("", ())])
    assert [d.code for d in raised.value.diagnostics] == ["LSQ433"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"SELECT STREAM CONCAT({', '.join(['name'] * 1500)}) AS x FROM a", "xy" * 1500),
        ("SELECT STREAM e29 AS x FROM lists" + "".join(f" LATERAL xs AS e{i}" for i in range(30)), 3),
    ],
    ids=["arguments", "laterals"],
)
def test_much_of_one_kind(text: str, expected: Any) -> None:
    """Many arguments and many laterals are planned in little time and to little depth."""
    records = (Record("a", "k", {"id": 1, "n": 1, "name": "xy"}), Record("lists", "k", {"id": 1, "xs": [3]}))
    plan = compiled(text)
    own = tuple(r for r in records if r.topic == plan.inputs[0].name)
    (row,) = Session().evaluate(plan, [Case("", (own,))])[0].topics["out"]
    assert row.value == {"x": expected}
