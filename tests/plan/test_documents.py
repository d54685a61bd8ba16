"""The examples of the language's documents, with the results that they print, on DuckDB.

Those of joins are in tests/documents.
"""

from __future__ import annotations

from typing import Any

import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.lower.duckdb.session import Session
from lsqlc.plan import Plan
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.ddl import parse_type_or_columns
from lsqlc.types.record import ABSENT, Case, Facet, Record, Topic, natural_format


def topic(name: str, key: str | None, value: str) -> Topic:
    """A topic from the types or columns of its facets."""
    types = [parse_type_or_columns(text) if text else None for text in (key, value)]
    key_facet, value_facet = (Facet(t, natural_format(t)) if t else ABSENT for t in types)
    return Topic(name, key_facet, value_facet)


def program(text: str, *topics: Topic) -> tuple[Plan | None, list[str]]:
    """The plan, and the codes of what was found."""
    parsed = parse(text, "document")
    if parsed.program is None:
        return None, [d.code for d in parsed.diagnostics]
    compiled = compile_program(parsed.program, {t.name: t for t in topics}, name="result")
    return compiled.plan, [d.code for d in (*parsed.diagnostics, *compiled.diagnostics)]


def run(text: str, topics: list[Topic], *records: Record) -> list[tuple[Any, Any]]:
    """Keys and values that the program writes to its only target."""
    plan, found = program(text, *topics)
    assert plan, found
    (rows,) = Session().evaluate(plan, [Case("", (records,))])[0].topics.values()
    return [(row.key, row.value) for row in rows]


def values(text: str, topics: list[Topic], *records: Record) -> list[Any]:
    """The values alone; of a struct, its fields in order."""
    rows = run(text, topics, *records)
    return [tuple(v.values()) if isinstance(v, dict) else v for _, v in rows]


# Projections

INPUT = topic("input-topic", "field1 INT, field2 STRING, field3 INT, field4 STRING",
              "field1 INT, field2 STRING, field3 STRING, field4 STRING, field5 INT")  # fmt: skip
ONE = Record(
    "input-topic",
    {"field1": 10, "field2": "key two", "field3": 30, "field4": "four"},
    {"field1": 1, "field2": "two", "field3": "Robert", "field4": "quatre", "field5": 5},
)


def test_sources_and_targets_of_projections() -> None:
    """From both facets, to both facets, and from none; the quote in the document's string is doubled."""
    text = """
        INSERT INTO target-topic
        SELECT STREAM
            CONCAT('a', 'b') AS result1
            , field4
            , (1 + field1) AS _key.a
            , _key.field2 AS result3
            , 5 + 7 AS constantField
            , CASE
                WHEN field3 = 'Robert' THEN 'It''s bobby'
                WHEN field3 = 'William' THEN 'It''s willy'
                ELSE 'Unknown'
              END AS who_is_it
        FROM input-topic;"""
    expected = {
        "result1": "ab",
        "field4": "quatre",
        "result3": "key two",
        "constantField": 12,
        "who_is_it": "It's bobby",
    }
    assert run(text, [INPUT], ONE) == [({"a": 2}, expected)]


def test_the_value_is_the_facet_that_is_not_named() -> None:
    """`field1` and `_value.field1` are one field; what has no alias is named by its text."""
    text = """SELECT STREAM CONCAT('> ', _value.field2), field1, LENGTH(field4), _value.field1 AS aliased, 5 + field5
        FROM input-topic"""
    ((_, value),) = run(text, [INPUT], ONE)
    assert list(value.values()) == ["> two", 1, 6, 1, 10]
    assert list(value)[1::2] == ["field1", "aliased"]
    assert list(value)[2] == "LENGTH(field4)" and list(value)[4] == "5 + field5"


def test_projections_of_the_key() -> None:
    """Fields of the key come like those of the value."""
    text = "SELECT STREAM CONCAT('> ', _key.field2), _key.field1, LENGTH(_key.field4), 5 + _key.field3 FROM input-topic"
    assert values(text, [INPUT], ONE) == [("> key two", 10, 4, 35)]


def test_projections_of_whole_facets() -> None:
    """Each becomes a field; the key stays."""
    text = "SELECT STREAM _key AS old-key, _value AS old-value FROM input-topic"
    assert run(text, [INPUT], ONE) == [(ONE.key, {"old-key": ONE.key, "old-value": ONE.value})]


def test_a_wildcard_copies() -> None:
    """The target has the same schema and data."""
    text = "INSERT INTO target-topic SELECT STREAM * FROM input-topic"
    plan, _ = program(text, INPUT)
    assert plan and (plan.outputs[0].key, plan.outputs[0].value) == (INPUT.key, INPUT.value)
    assert run(text, [INPUT], ONE) == [(ONE.key, ONE.value)]


def test_a_qualified_wildcard() -> None:
    """All fields of one source, beside one of the other."""
    topics = [topic("input-topic1", "STRING", "a INT, b INT"), topic("input-topic2", "STRING", "field1 INT, c INT")]
    text = "SELECT STREAM i1.*, i2.field1 FROM input-topic1 AS i1 JOIN input-topic2 AS i2 WITHIN 1h"
    records = Record("input-topic1", "k", {"a": 1, "b": 2}), Record("input-topic2", "k", {"field1": 3, "c": 4})
    assert values(text, topics, *records) == [(1, 2, 3)]


def test_nested_targets() -> None:
    """Dots in an alias make a struct; the comma before FROM is accepted, with a finding."""
    text = "SELECT STREAM field1 AS x.a, field2 AS x.b, FROM input-topic"
    assert run(text, [INPUT], ONE)[0][1] == {"x": {"a": 1, "b": "two"}}
    assert program(text, INPUT)[1] == ["LSQ801"]


@pytest.mark.parametrize(
    ("projections", "code"),
    [
        ("field1 AS _value, field2 AS _value", "LSQ302"),
        ("field1 AS foo.bar, field2 AS foo.bar.field1", "LSQ304"),
        ("field1 AS foo.bar.field1, field2 AS foo.bar", "LSQ303"),
        ("field1 AS foo.bar, field2 AS foo.bar", "LSQ305"),
    ],
)
def test_rules_for_aliases(projections: str, code: str) -> None:
    """One projection for a whole facet; no fields below what is no struct, no overriding, no name twice."""
    assert program(f"SELECT STREAM {projections} FROM input-topic", INPUT) == (None, [code])


def test_filters() -> None:
    """What satisfies the condition stays."""
    other = Record("input-topic", ONE.key, ONE.value | {"field3": "select_me", "field2": "2", "field4": "4"})
    text = "SELECT STREAM field2, field4 FROM input-topic WHERE "
    assert values(text + "field3 = 'select_me'", [INPUT], ONE, other) == [("2", "4")]
    nested = "(field3 = 'select_me' AND LENGTH(CONCAT(field2, field4)) >= 5) OR field1 = (field5 - 4)"
    assert values(text + nested, [INPUT], ONE, other) == [("two", "quatre"), ("2", "4")]


def test_formats_follow_the_projections() -> None:
    """Several projections make a struct; the whole of a facet takes the type and format of what it is."""
    formats = {
        "field1 AS result1, field2": ("json", "json"),
        "field1 AS result1, field2 AS _key": ("string", "json"),
        "field1 AS _value": ("json", "int"),
    }
    for projections, expected in formats.items():
        plan, _ = program(f"SELECT STREAM {projections} FROM input-topic", INPUT)
        assert plan and (plan.outputs[0].key.format, plan.outputs[0].value.format) == expected


# Aggregations

SESSIONS = [topic("gaming-sessions", "STRING", "points INT, country STRING")]
PLAYED = [
    Record("gaming-sessions", player, {"points": points, "country": country})
    for player, points, country in (
        ("billy", 50, "uk"), ("billy", 90, "uk"), ("willy", 70, "uk"), ("noel", 82, "uk"),
        ("john", 50, "usa"), ("dave", 30, "usa"), ("billy", 90, "spain"),
    )
]  # fmt: skip
_TOTALS = """INSERT INTO target-topic
    SELECT {} SUM(points) AS total_points, AVG(points) AS average_points{} FROM gaming-sessions GROUP BY country"""


def totals(text: str) -> dict[Any, tuple[Any, ...]]:
    return {key: tuple(value.values()) for key, value in run(text, SESSIONS, *PLAYED)}


def test_a_stream_is_aggregated_over_all_records() -> None:
    """Every game counts."""
    assert totals(_TOTALS.format("STREAM", "")) == {"uk": (292, 73.0), "usa": (80, 40.0), "spain": (90, 90.0)}


def test_a_table_is_aggregated_over_its_rows() -> None:
    """Billy's last game took him from the uk to Spain."""
    assert totals(_TOTALS.format("TABLE", "")) == {"uk": (152, 76.0), "usa": (80, 40.0), "spain": (90, 90.0)}


def test_the_largest_value() -> None:
    """One of a STREAM, as a bare value; a TABLE cannot give it back, and refuses."""
    text = _TOTALS.format("STREAM", ", MAXK(points, 1) AS max_points")
    assert totals(text) == {"uk": (292, 73.0, 90), "usa": (80, 40.0, 50), "spain": (90, 90.0, 90)}
    assert program(text.replace("STREAM", "TABLE"), *SESSIONS) == (None, ["LSQ314"])


def test_having() -> None:
    """Groups by what their aggregates are."""
    text = "SELECT STREAM COUNT(*) AS sessions FROM gaming-sessions GROUP BY country HAVING sessions > 3"
    assert run(text, SESSIONS, *PLAYED) == [("uk", {"sessions": 4})]


def test_the_key_of_a_group() -> None:
    """A bare value for one expression; a struct of one field where it has an alias."""
    text = "SELECT STREAM COUNT(*) AS records FROM gaming-sessions GROUP BY country"
    assert run(text, SESSIONS, *PLAYED)[0] == ("spain", {"records": 1})
    assert run(text + " AS keep_me", SESSIONS, *PLAYED)[0] == ({"keep_me": "spain"}, {"records": 1})


@pytest.mark.parametrize(
    ("projection", "code"),
    [
        ("COUNT(*) AS _key.a", "LSQ316"),
        ("SUM(points) AS _key", "LSQ316"),
        ("COUNT(_key.b) AS n", "LSQ310"),
        ("points, COUNT(*) AS n", "LSQ311"),
        ("country", "LSQ323"),
    ],
)
def test_rules_of_aggregated_projections(projection: str, code: str) -> None:
    """Not to the key, not from a key without source, not what is not grouped, and at least one aggregate."""
    plan, found = program(f"SELECT STREAM {projection} FROM gaming-sessions GROUP BY country", *SESSIONS)
    assert plan is None and code in found


def test_a_qualified_key_can_be_counted() -> None:
    """With the longest name of a source taken first."""
    keyed = [topic("gaming-sessions", "a STRING", "points INT, country STRING")]
    log = [Record("gaming-sessions", {"a": "x"}, {"points": 1, "country": "uk"})]
    text = "SELECT STREAM COUNT(gaming-sessions._key.a) AS n FROM gaming-sessions GROUP BY country"
    assert run(text, keyed, *log) == [("uk", {"n": 1})]


def test_the_old_form_of_a_window_is_refused_by_name() -> None:
    """Where it stood in GROUP BY, with a message of its own."""
    text = "SELECT STREAM COUNT(*) AS n FROM gaming-sessions GROUP BY TUMBLE(1, m)"
    assert program(text, *SESSIONS) == (None, ["LSQ111"])


def test_a_table_has_no_windows() -> None:
    """It is the latest state of its keys, not events in time."""
    text = "SELECT TABLE COUNT(*) AS n FROM gaming-sessions WINDOW BY TUMBLE 1h GROUP BY country"
    assert program(text, *SESSIONS) == (None, ["LSQ324"])
