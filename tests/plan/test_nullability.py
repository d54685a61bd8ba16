# ruff: noqa: E501  tables of projections read better in long rows
"""The strict check and the nullability of results, function by function."""

from __future__ import annotations

import pytest

from lsqlc import CompileError, Topic, compile
from lsqlc.functions.catalogue import functions
from lsqlc.functions.signature import Nulls
from lsqlc.types.data import Struct

_TOPICS = [
    Topic("t", key="INT", value="a INT, b INT NOT NULL, s STRING, n STRING NOT NULL, l BIGINT NOT NULL, x ARRAY<INT>")
]


def codes(projection: str, rest: str = "") -> list[str]:
    """The codes of a strict program's errors."""
    try:
        compile(f"SELECT STREAM {projection} AS r FROM t {rest}", topics=_TOPICS, nullability="strict")
    except CompileError as error:
        return [d.code for d in error.diagnostics]
    return []


@pytest.mark.parametrize(
    "projection",
    ["a + 1", "-a", "a = 1", "a IN (1, 2)", "b IN (1, a)", "a BETWEEN 1 AND 2", "s LIKE 'a%'", "n LIKE s", "ABS(a)", "UPPER(s)", "DECODE64(s)", "CONCAT(n, s)", "IN_ARRAY(a, [1])",
     "SIZEOF(x)", "MAX(a, a) + 1", "AS_NULLABLE(b) + 1", "CASE WHEN b > 1 THEN a ELSE 1 END + 1", "CASE WHEN a IS NULL THEN a + 1 ELSE 1 END", "CASE WHEN b > 1 THEN 1 END + 1",
     "CASE WHEN a IS NOT NULL OR b > 1 THEN a + 1 ELSE 1 END", "CAST(a AS BIGINT) + 1", "x[0] + 1", "NULL + 1"],
)  # fmt: skip
def test_an_operand_that_may_be_null_is_refused(projection: str) -> None:
    """Wherever a null would be passed on."""
    assert codes(projection) == ["LSQ220"]


@pytest.mark.parametrize(
    "projection",
    ["a", "a IS NULL", "b + 1 + b", "-b + 1", "b / 0 + 1", "ABS(b) + 1", "DECODE64(n)", "LENGTH(DECODE64(n)) + 1", "CAST(n AS INT) + 1", "COALESCE(a, 0) + 1", "COALESCE(a, a) + 1", "AS_NON_NULLABLE(a) + 1",
     "MAX(a, b) + 1", "ISNULL(a)", "CASE WHEN a IS NOT NULL THEN a ELSE 0 END + 1", "CASE WHEN a IS NOT NULL THEN a + 1 ELSE 0 END", "CASE WHEN a IS NULL THEN 0 ELSE a + 1 END", "CASE WHEN ISNULL(a) OR ISNULL(s) THEN 0 ELSE a + LENGTH(s) END",
     "CASE WHEN NOT (a IS NULL) AND b > 1 THEN a + 1 ELSE 0 END", "CASE WHEN a IS NULL THEN 0 WHEN a > 1 THEN a * 2 ELSE a END + 1", "[a, b]", "TAKELEFT(n, l)"],
)  # fmt: skip
def test_the_ways_out_are_taken(projection: str) -> None:
    """A default, an assertion, a test for null; and an operation that can fail is not declared nullable."""
    assert codes(projection) == []


def test_aggregates_are_judged_by_what_they_aggregate() -> None:
    """HAVING compares a total of values that are never null, and no other."""
    assert codes("SUM(b)", "GROUP BY n HAVING SUM(b) > 1") == []
    assert codes("COUNT(a)", "GROUP BY n HAVING COUNT(a) > 1") == []
    assert codes("SUM(a)", "GROUP BY n HAVING SUM(a) > 1") == ["LSQ220"]


@pytest.mark.parametrize(
    ("projection", "expected"),
    [("UPPER(n)", False), ("UPPER(s)", True), ("ABS(b)", True), ("COALESCE(a, b)", False), ("COALESCE(a, a)", True), ("MAX(a, b)", False), ("MAX(a, a)", True), ("ISNULL(a)", False), ("TAKELEFT(n, b)", False),
     ("TAKELEFT(n, l)", True), ("DECODE64(n)", True), ("UUID()", False), ("NOW()", False), ("DATE(b)", True), ("FORMAT_DATE(NOW(), 'y')", False), ("AS_NON_NULLABLE(a)", False), ("ZIP([b], 'x', [n], 'y')", False)],
)  # fmt: skip
def test_a_result_is_nullable_where_null_can_come_out(projection: str, expected: bool) -> None:
    """In the output's schema, by declaration, arguments and what may fail; in both modes."""
    for mode in ("lenient", "strict"):
        if mode == "strict" and codes(projection):
            continue
        plan = compile(f"SELECT STREAM {projection} AS r, 1 AS one FROM t", topics=_TOPICS, nullability=mode)
        value = plan.sinks[0].topic.value.type
        assert isinstance(value, Struct)
        field = value.field("r")
        assert field is not None and field.nullable is expected, mode


def test_every_function_is_declared_for_both_modes() -> None:
    """What never gives null without a null argument is not declared to fail, and only what is about nulls takes them."""
    about_nulls = {f.name for f in functions() if f.takes_null}
    assert about_nulls == {"COALESCE", "ISNULL", "ISNOTNULL", "AS_NULLABLE", "AS_NON_NULLABLE", "MIN", "MAX"}
    assert all(
        f.takes_null or not f.parameters or f.of_record for f in functions() if f.nulls in (Nulls.ALL, Nulls.NEVER)
    )
