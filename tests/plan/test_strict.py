# ruff: noqa: E501  tables of programs read better in long rows
"""Where the strict check points, and what passes it: each fault with a twin that differs in the fault alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from lsqlc import CompileError, compile
from lsqlc import Topic as Declared
from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import Diagnostic
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.data import Struct
from lsqlc.types.record import Topic
from tests.docs.blocks import DOCS, page
from tests.documents.samples import Entry
from tests.documents.test_samples import SAMPLES
from tests.documents.test_samples import topics as document_topics
from tests.fixture_files import compiled, invalid
from tests.fixture_files import topics as fixture_topics
from tests.lower_duckdb.programs import PROGRAMS, TOPICS

# What is refused, the column of the operand, and the twin.
PAIRS = [
    ("SELECT STREAM amount + 1 AS x FROM orders", 15, "SELECT STREAM COALESCE(amount, 0) + 1 AS x FROM orders"),
    ("SELECT STREAM -amount AS x FROM orders", 16, "SELECT STREAM -AS_NON_NULLABLE(amount) AS x FROM orders"),
    ("SELECT STREAM amount = 1 AS x FROM orders", 15, "SELECT STREAM amount IS NULL AS x FROM orders"),
    ("SELECT STREAM UPPER(item) AS x FROM orders", 21, "SELECT STREAM UPPER(COALESCE(item, '')) AS x FROM orders"),
    ("SELECT STREAM id FROM orders WHERE amount > 1", 36, "SELECT STREAM id FROM orders WHERE amount IS NULL"),
    (
        "SELECT STREAM id FROM orders WHERE amount > 1 AND amount IS NOT NULL",
        36,
        "SELECT STREAM id FROM orders WHERE amount IS NOT NULL AND amount > 1",
    ),
    (
        "SELECT STREAM id FROM orders WHERE amount IS NULL AND amount > 1",
        55,
        "SELECT STREAM id FROM orders WHERE amount IS NULL OR amount > 1",
    ),
    (
        "SELECT STREAM amount + 1 AS x FROM orders WHERE amount IS NULL",
        15,
        "SELECT STREAM amount + 1 AS x FROM orders WHERE amount IS NOT NULL",
    ),
    (
        "SELECT STREAM CASE WHEN amount IS NULL THEN amount + 1 ELSE 0 END AS x FROM orders",
        45,
        "SELECT STREAM CASE WHEN amount IS NOT NULL THEN amount + 1 ELSE 0 END AS x FROM orders",
    ),
    (
        "SELECT STREAM SUM(amount + 1) AS x FROM orders WHERE id IS NOT NULL GROUP BY item",
        19,
        "SELECT STREAM SUM(amount + 1) AS x FROM orders WHERE amount IS NOT NULL GROUP BY item",
    ),
]


@pytest.mark.parametrize(("wrong", "column", "right"), PAIRS)
def test_an_operand_that_may_be_null_is_refused(wrong: str, column: int, right: str) -> None:
    """At the operand, and only in strict mode; the twin compiles in both."""
    assert [(d.code, d.line, d.column) for d in compiled(wrong, strict=True)[1]] == [("LSQ220", 1, column)]
    assert not compiled(wrong)[1]
    assert not compiled(right, strict=True)[1]
    assert not compiled(right)[1]


LISTS = [
    Declared(
        "lists",
        key="INT",
        value="a0 BIGINT, b BIGINT NOT NULL, k STRING, xs ARRAY<INT> NOT NULL, rows ARRAY<STRUCT<y: INT NOT NULL>> NOT NULL",
    ),
    Declared("bare", key="INT", value="INT"),
    Declared("other", key="INT", value="b BIGINT NOT NULL, c BIGINT"),
]  # fmt: skip


def codes(text: str) -> list[str]:
    """The codes of a strict program's errors."""
    try:
        compile(text, topics=LISTS, nullability="strict")
    except CompileError as error:
        return [d.code for d in error.diagnostics]
    return []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("SELECT STREAM x FROM lists LATERAL xs AS x WHERE x > 90", "SELECT STREAM x FROM lists LATERAL xs AS x WHERE x IS NOT NULL AND x > 90"),
        ("SELECT STREAM x + 1 AS n FROM lists LATERAL xs AS x", "SELECT STREAM COALESCE(x, 0) + 1 AS n FROM lists LATERAL xs AS x"),
        ("SELECT STREAM r.y + 1 AS n FROM lists LATERAL rows AS r", "SELECT STREAM AS_NON_NULLABLE(r.y) + 1 AS n FROM lists LATERAL rows AS r"),
        ("SELECT STREAM xs[0] + 1 AS n FROM lists", "SELECT STREAM CASE WHEN xs[0] IS NULL THEN 0 ELSE xs[0] + 1 END AS n FROM lists"),
        ("SELECT STREAM ELEMENT_OF(xs, 0) + 1 AS n FROM lists", "SELECT STREAM COALESCE(ELEMENT_OF(xs, 0), 1) + 1 AS n FROM lists"),
        ("SELECT STREAM _value + 1 AS n FROM bare", "SELECT STREAM CASE WHEN _value IS NULL THEN 0 ELSE _value + 1 END AS n FROM bare"),
        ("SELECT STREAM * FROM bare WHERE _value > 1", "SELECT STREAM * FROM bare WHERE _value IS NOT NULL AND _value > 1"),
        ("SELECT STREAM SUM(_value) AS n FROM bare GROUP BY bare._key HAVING n > 1", "SELECT STREAM SUM(_value) AS n FROM bare GROUP BY _value HAVING n > 1"),
    ],
)  # fmt: skip
def test_elements_and_whole_facets_may_be_null(wrong: str, right: str) -> None:
    """No declaration says that an element or a value is always there; the ways out are the same as for a field."""
    assert codes(wrong) == ["LSQ220"]
    assert codes(right) == []


def test_an_element_makes_its_fields_nullable() -> None:
    """A field that is NOT NULL in an element is null where the element is, in the schema of the result."""
    (output,) = compile("SELECT STREAM r.y AS y, b FROM lists LATERAL rows AS r", topics=LISTS).outputs
    value = output.value.type
    assert isinstance(value, Struct)
    assert [(f.name, f.nullable) for f in value.fields] == [("y", True), ("b", False)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT STREAM SUM(a0) AS s FROM lists GROUP BY b HAVING SUM(a0) > 1", ["LSQ220"]),
        ("SELECT STREAM SUM(a0) AS s FROM lists WHERE a0 IS NOT NULL GROUP BY b HAVING SUM(a0) > 1", []),
        ("SELECT STREAM SUM(a0) AS s, LAST(c) AS c FROM both WHERE a0 IS NOT NULL GROUP BY b HAVING LAST(c) > 1", ["LSQ220"]),
        ("SELECT STREAM COUNT(*) AS n, UPPER(k) AS u FROM lists GROUP BY k", []),
        ("SELECT STREAM COUNT(*) AS n, UPPER(k) AS u FROM lists GROUP BY k, b", ["LSQ220"]),
        ("SELECT STREAM COUNT(*) AS n, UPPER(k) AS u FROM lists WHERE k IS NOT NULL GROUP BY k, b", []),
        ("SELECT STREAM SUM(a0 + 1) AS n FROM lists GROUP BY a0", []),
    ],
)  # fmt: skip
def test_fields_behind_group_by_are_judged_by_what_they_stand_for(text: str, expected: list[str]) -> None:
    """A field of the source is never taken for the aggregate of that place; a null group is dropped."""
    if " both " in text:
        text = "WITH both AS (SELECT STREAM lists.b AS b, a0, c FROM lists JOIN other WITHIN 1h); " + text
    assert codes(text) == expected


def test_what_joins_two_sources_may_be_null() -> None:
    """A null join key matches nothing, written or not; conditions on one side are operands like any other."""
    join = "SELECT TABLE a0, c FROM lists JOIN other"
    assert codes(join) == codes(f"{join} ON lists._key = other._key") == codes(f"{join} ON lists.a0 = other.c") == []
    assert codes(f"{join} ON lists._key = other._key AND other.c > 1") == ["LSQ220"]
    assert codes(f"{join} ON lists.a0 + 1 = other.c") == ["LSQ220"]
    assert codes(f"{join} ON lists.a0 = other.b AND other.c IS NOT NULL") == []


def programs() -> Iterator[tuple[str, Mapping[str, Topic]]]:
    """Every program of the documentation, of the lowering and of the fixtures, with what it reads."""
    described = page((DOCS / "reference/lenses.md").read_text("utf-8"))
    yield from ((e.program.text, described.topics) for e in described.examples)
    yield from ((text, TOPICS) for text in PROGRAMS.values())
    for entry in invalid(Path(__file__).parent / "fixtures"):
        yield from ((text, fixture_topics()) for text in (entry.wrong, entry.right))


def check(text: str, topics: Mapping[str, Topic]) -> bool:
    """Whether the strict check is all that refuses a program; what compiles has no other error in strict mode."""
    lenient, strict = (errors(text, topics, mode) for mode in ("lenient", "strict"))
    assert lenient or {d.code for d in strict} <= {"LSQ220"}, text
    return not lenient and bool(strict)


def errors(text: str, topics: Mapping[str, Topic], nullability: str) -> list[Diagnostic]:
    parsed = parse(text, "text")
    found = parsed.diagnostics
    if parsed.program is not None:
        found += compile_program(parsed.program, topics, name="result", nullability=nullability).diagnostics
    return [d for d in found if d.is_error]


def test_the_strict_check_adds_its_own_error_only() -> None:
    """Over all programs that the project has: a plan, or LSQ220."""
    refused = [check(text, topics) for text, topics in programs()]
    assert len(refused) > 500 and sum(refused) > 50


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.kind in ("compiled", "mended")], ids=str)
def test_the_strict_check_of_a_sample(sample: Entry) -> None:
    """The documents' own programs, as mended where they are."""
    check(sample.program(sample.mended), document_topics(sample.document))
