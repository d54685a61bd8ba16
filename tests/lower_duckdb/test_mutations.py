"""Programs that chance has changed, over values at the edges of their types: rows come out, or an error."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower import spark
from lsqlc.lower.duckdb.queries import plan_sql
from lsqlc.lower.duckdb.session import Session
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import Case, Record
from tests.lower_duckdb.programs import PROGRAMS, TOPICS

_VALUES: dict[DataType, Sequence[object]] = {
    data.INT: (0, 1, -1, 2**31 - 1, -(2**31)),
    data.BIGINT: (0, 1, 2**63 - 1, -(2**63)),
    data.STRING: ("", "a", "1", "é😀", "\x00", "%"),
}
_TEXT = """
n id m z name ref a.n b.m _key _value a._key b._key 0 1 -1 2147483647 9223372036854775807 1.5 1e308 NULL TRUE '' 'x' '%'
+ - * / % = <> < AND OR NOT IS LIKE COUNT(*) SUM(n) LENGTH(name) UPPER(name) 1h LEFT OUTER INNER STREAM TABLE
"""
_WORDS = _TEXT.split()
_USED = Session()


def _values(type: DataType) -> st.SearchStrategy[object]:
    if isinstance(type, Struct):
        return st.none() | st.fixed_dictionaries({f.name: _values(f.type) for f in type.fields})
    if isinstance(type, Array):
        return st.none() | st.lists(_values(type.element), max_size=2)
    if isinstance(type, Map):
        return st.none() | st.dictionaries(st.sampled_from(_VALUES[type.key]), _values(type.value), max_size=2)
    return st.none() | st.sampled_from(_VALUES[type])


@settings(max_examples=300, derandomize=True, deadline=None, database=None)
@given(st.data())
def test_whatever_compiles_is_lowered_and_evaluated(drawn: st.DataObject) -> None:
    """One word or two of a program are exchanged, for words that may well stand there."""
    programs = [*PROGRAMS.values()]
    words = drawn.draw(st.sampled_from(programs)).split(" ")
    for _ in range(drawn.draw(st.integers(1, 2))):
        place = drawn.draw(st.integers(0, len(words) - 1))
        words[place] = drawn.draw(st.sampled_from(_WORDS))
    program = parse(" ".join(words), "program").program
    plan = compile_program(program, TOPICS, name="out").plan if program else None
    if plan is None:
        return
    assert plan_sql(plan) and plan.tree() and plan.to_json() and plan.fingerprint
    if not spark.unsupported(plan):
        assert spark.lower(plan).stages
    log = [
        Record(
            t.name, drawn.draw(_values(t.key.type)), drawn.draw(_values(t.value.type)), drawn.draw(st.integers(0, 9))
        )
        for t in plan.inputs
        for _ in range(2)
    ]
    with suppress(LsqlcError):
        outcomes = _USED.evaluate(plan, [Case("", (tuple(log),))])
        assert {*outcomes[0].topics} == {sink.topic.name for sink in plan.sinks}
