"""docs/reference/ksql.md: every program does what the page says. The tables of ksql-functions.md are up to date.

`python -m tests.docs.test_ksql` writes the tables again.
"""

from __future__ import annotations

import re

import pytest

import lsqlc
from lsqlc import CompileError
from lsqlc.functions.matrix import matrix
from lsqlc.lower.spark import lower, unsupported
from tests.docs.blocks import DOCS, Block, blocks, evaluated

KSQL, FUNCTIONS = DOCS / "reference/ksql.md", DOCS / "reference/ksql-functions.md"
_MARKS = re.compile(r"(<!-- generated: [^>]*-->\n).*?(<!-- end -->)", re.DOTALL)
_HEAD = """\
# Functions of ksqlDB

Generated from the catalogue by `python -m tests.docs.test_ksql`. Places in texts and arrays count from 1. The pattern
of a date is a literal over Java's letters, a regular expression a literal too. What fails on a value gives null, as
[ksqlDB programs](ksql.md) says.

"""

PAGE = blocks(KSQL.read_text("utf-8"))
SOURCES = next(b.text for b in PAGE if b.info == ("ksql", "sources"))


def examples() -> list[tuple[Block, str | None, str | None]]:
    """Each program with the records and the result behind it."""
    found: list[tuple[Block, str | None, str | None]] = []
    for block in PAGE:
        if block.info[:1] == ("ksql",) and block.info != ("ksql", "sources"):
            found.append((block, None, None))
        elif block.info == ("yaml", "records"):
            found[-1] = (found[-1][0], block.text, None)
        elif block.info == ("json", "result"):
            found[-1] = (*found[-1][:2], block.text)
    return found


EXAMPLES = examples()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"line {e[0].line}")
def test_programs_compile_or_are_refused_as_announced(example: tuple[Block, str | None, str | None]) -> None:
    """A code behind the fence announces that error; `duckdb`, that Spark cannot run it yet."""
    program, _, _ = example
    words = program.info[1:]
    try:
        plan = lsqlc.compile(SOURCES + program.text, dialect="ksql")
    except CompileError as refused:
        assert tuple(d.code for d in refused.diagnostics) == words
        return
    assert words in ((), ("duckdb",))
    assert bool(unsupported(plan)) == (words == ("duckdb",))
    assert words or lower(plan).stages


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e[1]], ids=lambda e: f"line {e[0].line}")
def test_records_give_the_result_shown(example: tuple[Block, str, str]) -> None:
    """On DuckDB, to the byte of a golden file."""
    program, records, result = example
    plan = lsqlc.compile(SOURCES + program.text, dialect="ksql")
    assert evaluated(plan, records) == result


_JOIN = "FROM orders o {} payments p WITHIN 1 HOUR {} ON o.id = p.id"
_GROUP = "CREATE TABLE n AS SELECT item, {} AS x FROM orders GROUP BY item"
# What the table of engines shows: words for people, and a program over the sources of the page.
SUPPORT = (
    ("STREAM: filters, projections, PARTITION BY", "CREATE STREAM o AS SELECT * FROM orders PARTITION BY item"),
    ("STREAM: EXPLODE", "CREATE STREAM o AS SELECT id, EXPLODE(tags) AS tag FROM orders"),
    ("STREAM: ROWTIME", "CREATE STREAM o AS SELECT id, ROWTIME AS at FROM orders"),
    ("TABLE: ROWTIME", "CREATE TABLE o AS SELECT id, ROWTIME AS at FROM users"),
    ("TABLE: ROWTIME of groups",
     "CREATE TABLE n AS SELECT city, COUNT(*) AS c FROM users GROUP BY city; "
     "CREATE TABLE o AS SELECT city, c, ROWTIME AS at FROM n"),
    ("the same where a query makes the TABLE that is grouped",
     "CREATE TABLE j AS SELECT u.id AS id, size FROM users u JOIN cities c ON u.city = c.name; "
     "CREATE TABLE n AS SELECT size, COUNT(*) AS c FROM j GROUP BY size; "
     "CREATE TABLE o AS SELECT size, c, ROWTIME AS at FROM n"),
    ("ROWPARTITION, ROWOFFSET", "CREATE STREAM o AS SELECT id, ROWOFFSET AS place FROM orders"),
    ("STREAM: GROUP BY", _GROUP.format("SUM(amount)")),
    ("STREAM: GROUP BY with WINDOW",
     "CREATE TABLE n AS SELECT id, COUNT(*) AS n FROM orders WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY id"),
    ("EMIT FINAL",
     "CREATE TABLE n AS SELECT id, COUNT(*) AS n FROM orders WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY id EMIT FINAL"),
    ("COUNT_DISTINCT, COLLECT_SET, TOPKDISTINCT", _GROUP.format("COUNT_DISTINCT(id)")),
    ("COLLECT_LIST", _GROUP.format("COLLECT_LIST(id)")),
    ("HISTOGRAM", _GROUP.format("HISTOGRAM(item)")),
    ("several values BY_OFFSET", _GROUP.format("LATEST_BY_OFFSET(id, 2)")),
    ("TABLE: GROUP BY", "CREATE TABLE n AS SELECT city, COUNT(*) AS n FROM users GROUP BY city"),
    ("STREAM with STREAM: JOIN", f"CREATE STREAM j AS SELECT o.id, item {_JOIN.format('JOIN', '')}"),
    ("STREAM with STREAM: LEFT, RIGHT, FULL JOIN with GRACE PERIOD",
     f"CREATE STREAM j AS SELECT o.id, item {_JOIN.format('LEFT JOIN', 'GRACE PERIOD 1 HOUR')}"),
    ("STREAM with STREAM: the same without GRACE PERIOD",
     f"CREATE STREAM j AS SELECT o.id, item {_JOIN.format('LEFT JOIN', '')}"),
    ("STREAM with TABLE", "CREATE STREAM j AS SELECT o.id, city FROM orders o LEFT JOIN users u ON o.id = u.id"),
    ("TABLE with TABLE on their keys",
     "CREATE TABLE more AS SELECT id, city FROM users; "
     "CREATE TABLE j AS SELECT u.id, boss FROM users u JOIN more m ON u.id = m.id"),
    ("TABLE with TABLE on a foreign key", "CREATE TABLE j AS SELECT id, size FROM users JOIN cities ON city = name"),
)  # fmt: skip


def support_table() -> str:
    """What Spark does with each program, as the lowering says."""
    rows = ["| construct | DuckDB | Spark |", "| --- | --- | --- |"]
    for words, program in SUPPORT:
        plan = lsqlc.compile(SOURCES + program, dialect="ksql")
        reasons = unsupported(plan)
        if reasons:
            spark = "not yet: " + "; ".join(dict.fromkeys(note for d in reasons for note in d.notes))
        else:
            last = lower(plan).strategy[-1:]
            spark = "; ".join(s.partition(": ")[2] or s for s in last) or "native, without state"
        rows.append(f"| {words} | yes | {spark} |")
    return "\n".join(rows) + "\n"


def ksql_page() -> str:
    """docs/reference/ksql.md with its generated part again."""
    text = KSQL.read_text("utf-8")
    assert len(_MARKS.findall(text)) == 1
    table = support_table()
    return _MARKS.sub(lambda m: f"{m[1]}\n{table}\n{m[2]}", text)


def functions_page() -> str:
    return _HEAD + matrix("ksql").rstrip("\n") + "\n"


def test_the_table_of_engines_is_what_the_lowering_says() -> None:
    """Else run the module again."""
    assert KSQL.read_text("utf-8") == ksql_page()


def test_the_table_of_functions_is_the_catalogues() -> None:
    """Else run the module again."""
    assert FUNCTIONS.read_text("utf-8") == functions_page()


if __name__ == "__main__":
    FUNCTIONS.write_text(functions_page(), "utf-8")
    KSQL.write_text(ksql_page(), "utf-8")
