"""Numbers and quoted names in GROUP BY and PARTITION BY, which those who come from other databases take for places."""

from __future__ import annotations

import pytest

from lsqlc import CompileError, Topic, compile
from lsqlc.diagnostics import Diagnostic
from tests.fixture_files import compiled

TOPICS = [Topic("t", key="INT", value="country STRING, amount INT")]
_STREAM = "CREATE STREAM s (k INT KEY, a INT) WITH (kafka_topic='s', format='JSON', partitions=1);"


def found(text: str) -> tuple[Diagnostic, ...]:
    """The findings of a program that compiles."""
    return compiled(text.replace(" t ", " gaming-sessions "))[1]


@pytest.mark.parametrize(
    ("group", "advice"),
    [
        ("'all'", None),
        ("country", None),
        ("points + 1", None),
        ("TRUE", None),
        ("1", "for one group of all records, write GROUP BY 'all'"),
        ("2.5", "for one group of all records, write GROUP BY 'all'"),
        (
            '"country"',
            "to group by the expression, write GROUP BY country; for one group of all records, write GROUP BY 'all'",
        ),
    ],
)
def test_a_constant_group_is_a_finding(group: str, advice: str | None) -> None:
    """Unless it is a text that cannot be meant as a name."""
    text = f"SELECT STREAM COUNT(*) AS n FROM t GROUP BY {group}"
    assert [(d.code, d.help) for d in found(text)] == ([("LSQ809", advice)] if advice else [])


def test_the_place_is_named() -> None:
    """The finding stands beside the error that the place was meant for."""
    with pytest.raises(CompileError) as error:
        compile("SELECT STREAM UPPER(country) AS c, COUNT(*) AS n FROM t GROUP BY 1", topics=TOPICS)
    place = next(d for d in error.value.diagnostics if d.code == "LSQ809")
    assert place.help is not None and "write GROUP BY UPPER(country);" in place.help
    compile("SELECT STREAM UPPER(country) AS c, COUNT(*) AS n FROM t GROUP BY UPPER(country)", topics=TOPICS)


@pytest.mark.parametrize(
    ("query", "fixed"),
    [
        ("SELECT a, COUNT(*) AS n FROM s GROUP BY 1", "GROUP BY A"),
        ("SELECT a, k, COUNT(*) AS n FROM s GROUP BY 1, k", "GROUP BY A, K"),
        ("SELECT k, a FROM s PARTITION BY 2", "PARTITION BY A"),
    ],
)
def test_ksql_refuses_places(query: str, fixed: str) -> None:
    """With the clause that is meant, which compiles."""
    kind = "TABLE" if "GROUP" in query else "STREAM"
    program = f"{_STREAM} CREATE {kind} o AS {query};"
    with pytest.raises(CompileError) as error:
        compile(program, topics=(), dialect="ksql")
    assert [(d.code, d.help) for d in error.value.diagnostics] == [("LSQ348", f"write the expression: {fixed}")]
    clause = query[query.index(fixed.split(" BY ")[0]) :]
    compile(program.replace(clause, fixed), topics=(), dialect="ksql")


@pytest.mark.parametrize(
    "query", ["SELECT 1, COUNT(*) AS n FROM s GROUP BY 1", "SELECT 2 AS two, k, a FROM s PARTITION BY 2"]
)
def test_ksql_takes_a_constant_that_is_projected(query: str) -> None:
    """As the key that it is."""
    kind = "TABLE" if "GROUP" in query else "STREAM"
    compile(f"{_STREAM} CREATE {kind} o AS {query};", topics=(), dialect="ksql")
