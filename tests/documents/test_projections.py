"""The projections document: sources and targets, wildcards, aliases, filters, and what becomes of formats and keys."""

from __future__ import annotations

from typing import Any

import pytest

from lsqlc import Record, Topic, compile
from tests.documents.programs import codes, run, schema, values

FIELDS = "field1 INT, field2 STRING, s STRUCT<a: INT, b: STRING>, xs ARRAY<INT>"
TOPICS = (
    Topic("t", "k1 INT, k2 STRING", FIELDS),
    Topic("avro", {"format": "avro", "schema": "k1 INT"}, {"format": "avro", "schema": FIELDS}),
    Topic("bare", "STRING", "INT"),
    Topic("unkeyed", None, "field1 INT"),
    Topic("dotted.name-1", "STRING", "points INT, `net-points` INT"),
)
KEY = {"k1": 7, "k2": "seven"}
VALUE = {"field1": 1, "field2": "two", "s": {"a": 3, "b": "four"}, "xs": [5, 6]}
ONE = Record("t", KEY, VALUE, 10)


def of(projections: str, source: str = "t") -> tuple[Any, Any]:
    """The key and the value that the record of the module gives."""
    (found,) = run(f"SELECT STREAM {projections} FROM {source}", TOPICS, [ONE])
    return found


@pytest.mark.parametrize(
    ("projection", "value"),
    [
        ("field1", {"field1": 1}),
        ("_value.field1", {"field1": 1}),
        ("t.field1", {"field1": 1}),
        ("t._value.field1", {"field1": 1}),
        ("_key.k1", {"k1": 7}),
        ("t._key.k1", {"k1": 7}),
        ("s.a", {"a": 3}),
        ("_value.s.a", {"a": 3}),
        ("s", {"s": VALUE["s"]}),
        ("_key", {"_key": KEY}),
        ("_value", {"_value": VALUE}),
        ("_key AS old-key", {"old-key": KEY}),
        ("_value AS old.value", {"old": {"value": VALUE}}),
        ("xs[0]", {"xs[0]": 5}),
        ("5 + 7", {"5 + 7": 12}),
        ("(1+field1)*2", {"(1 + field1) * 2": 4}),
        ("length( field2 )", {"LENGTH(field2)": 3}),
        ("'x'", {"'x'": "x"}),
        ("field1 AS field1", {"field1": 1}),
        ("field1 AS `a.b`", {"a.b": 1}),
        ("NULL AS nothing", {"nothing": None}),
    ],
)
def test_a_source_and_its_name(projection: str, value: Any) -> None:
    """From the value unless a facet is named; without alias a field's last name, else the expression's text."""
    assert of(projection) == (KEY, value)


@pytest.mark.parametrize(
    ("projections", "key", "value"),
    [
        ("field1 AS _value", KEY, 1),
        ("_key AS _value", KEY, KEY),
        ("s AS _value", KEY, VALUE["s"]),
        ("xs AS _value", KEY, [5, 6]),
        ("'c' AS _value", KEY, "c"),
        ("NULL AS _value", KEY, None),
        ("field1 AS _value.a, field2 AS b", KEY, {"a": 1, "b": "two"}),
        ("field1 AS _value.a.b", KEY, {"a": {"b": 1}}),
        ("field2 AS _key", "two", VALUE),
        ("field2 AS _key.a", {"a": "two"}, VALUE),
        ("field2 AS _key.a.b, _key.k1 AS _key.a.c", {"a": {"b": "two", "c": 7}}, VALUE),
        ("_value AS _key", VALUE, VALUE),
        ("_key AS _key, field1", KEY, {"field1": 1}),
        ("_key.k1 AS _key, field1 AS _value", 7, 1),
        ("s AS _key, _key AS old", VALUE["s"], {"old": KEY}),
        ("_value.s.b AS _key, _key.k2 AS _value", "four", "seven"),
        ("field1 AS x.a, field2 AS y, s.a AS x.b", KEY, {"x": {"a": 1, "b": 3}, "y": "two"}),
    ],
)
def test_a_target(projections: str, key: Any, value: Any) -> None:
    """Fields of a facet, nested or not, or the whole of one; what no projection targets stays."""
    assert of(projections) == (key, value)


@pytest.mark.parametrize(
    ("projections", "key", "value"),
    [
        ("*", KEY, VALUE),
        ("t.*", KEY, VALUE),
        ("_value.*", KEY, VALUE),
        ("t._value.*", KEY, VALUE),
        ("_key.*", KEY, KEY),
        ("t._key.*, s.a", KEY, KEY | {"a": 3}),
        ("*, _key.k1", KEY, VALUE | {"k1": 7}),
        ("_key.k2, *", KEY, {"k2": "seven"} | VALUE),
        ("*, _key.*", KEY, VALUE | KEY),
        ("*, field2 AS _key", "two", VALUE),
        ("field1 AS _key.a, t.*", {"a": 1}, VALUE),
    ],
)
def test_a_wildcard(projections: str, key: Any, value: Any) -> None:
    """The value of its source, or the fields of one facet; beside others too."""
    assert of(projections) == (key, value)


def test_a_wildcard_over_a_primitive() -> None:
    """It is the value as it is; a new key does not change that, another projection of the value does."""
    log = [Record("bare", "a", 1)]
    assert run("SELECT STREAM * FROM bare", TOPICS, log) == [("a", 1)]
    assert run("SELECT STREAM bare.*, 'b' AS _key FROM bare", TOPICS, log) == [("b", 1)]
    assert codes("SELECT STREAM *, 'b' AS b FROM bare", TOPICS) == ["LSQ307"]


def test_a_wildcard_has_the_schema_of_its_source() -> None:
    """Types and formats of both facets, AVRO too."""
    for name in ("t", "avro", "bare"):
        (wanted,) = (t for t in compile(f"SELECT STREAM * FROM {name}", topics=TOPICS).sinks[0].inputs)
        scan = wanted.relations[0]
        assert schema(f"SELECT STREAM * FROM {name}", TOPICS) == (str(scan.key), str(scan.value))
    assert schema("SELECT STREAM * FROM avro", TOPICS)[0] == "STRUCT<k1: INT> (avro)"


def test_names_with_dots_and_hyphens() -> None:
    """They belong to sources, fields and aliases without quotes, numbers too; a minus has a space, or is no name."""
    log = [Record("dotted.name-1", "k", {"points": 5, "net-points": 3})]
    text = """INSERT INTO some.target-topic SELECT STREAM dotted.name-1.net-points AS old-net, points - 1 AS less-one,
        net-points FROM dotted.name-1"""
    assert run(text, TOPICS, log) == [("k", {"old-net": 3, "less-one": 4, "net-points": 3})]
    assert run("SELECT STREAM dotted.name-1.* FROM dotted.name-1", TOPICS, log) == [("k", log[0].value)]
    assert values("SELECT STREAM a-1b.* FROM dotted.name-1 AS a-1b", TOPICS, log) == [(5, 3)]
    assert values("SELECT STREAM a-1b._key AS k FROM dotted.name-1 AS a-1b", TOPICS, log) == [("k",)]
    assert values("SELECT STREAM points-1 AS a, points-1.5 AS b, points-1.*2 AS c FROM dotted.name-1", TOPICS, log) == [
        (4, 3.5, 3.0)
    ]


# Formats and keys


@pytest.mark.parametrize(
    ("projections", "key", "value"),
    [
        ("field1 AS a, field2", "STRUCT<k1: INT, k2: STRING> (json)", "STRUCT<a: INT, field2: STRING> (json)"),
        ("field1", "STRUCT<k1: INT, k2: STRING> (json)", "STRUCT<field1: INT> (json)"),
        ("field1 AS _value", "STRUCT<k1: INT, k2: STRING> (json)", "INT (int)"),
        ("field2 AS _value", "STRUCT<k1: INT, k2: STRING> (json)", "STRING (string)"),
        ("CAST(field1 AS LONG) AS _value", "STRUCT<k1: INT, k2: STRING> (json)", "BIGINT (long)"),
        ("field1, field2 AS _key", "STRING (string)", "STRUCT<field1: INT> (json)"),
        ("field1, field2 AS _key.a", "STRUCT<a: STRING> (json)", "STRUCT<field1: INT> (json)"),
        ("field1, s AS _key", "STRUCT<a: INT, b: STRING> (json)", "STRUCT<field1: INT> (json)"),
        ("_key AS _value", "STRUCT<k1: INT, k2: STRING> (json)", "STRUCT<k1: INT, k2: STRING> (json)"),
        ("s AS _value", "STRUCT<k1: INT, k2: STRING> (json)", "STRUCT<a: INT, b: STRING> (json)"),
    ],
)
def test_formats_follow_the_projections(projections: str, key: str, value: str) -> None:
    """Several projections, or one with a name, make a struct; the whole of a facet takes the type of what it is."""
    assert schema(f"SELECT STREAM {projections} FROM t", TOPICS) == (key, value)


def test_formats_of_avro_stay_avro() -> None:
    """A struct that is computed from AVRO is AVRO, a primitive is stored as itself."""
    assert schema("SELECT STREAM field1, field2 AS _key.a FROM avro", TOPICS) == (
        "STRUCT<a: STRING> (avro)",
        "STRUCT<field1: INT> (avro)",
    )
    assert schema("SELECT STREAM field1 AS _value FROM avro", TOPICS) == ("STRUCT<k1: INT> (avro)", "INT (int)")


def test_a_field_stays_what_it_was() -> None:
    """The whole value of a bare topic as a field, and back."""
    text = "WITH w AS (SELECT STREAM _value AS v, _key AS k FROM bare); SELECT STREAM v AS _value, k AS _key FROM w"
    assert schema(text, TOPICS) == ("STRING (string)", "INT (int)")
    assert run(text, TOPICS, [Record("bare", "a", 1), Record("bare", None, 2)]) == [("a", 1), (None, 2)]


def test_a_new_key_is_seen_in_the_plan() -> None:
    """Records may change partition where the key does, and nowhere else."""
    moves = {"field1 AS _key": True, "field1 AS _key.a": True, "_key AS _key": False, "field1": False, "*": False}
    for projections, moved in moves.items():
        tree = compile(f"SELECT STREAM {projections} FROM t", topics=TOPICS).tree()
        assert ("key <- " in tree) is moved, projections


# Records without value, without key, and tables


def test_a_record_without_value_stays_one() -> None:
    """A STREAM passes it on as null, with the key that is computed without a value."""
    log = [Record("t", KEY, None)]
    assert run("SELECT STREAM field1, 1 AS one FROM t", TOPICS, log) == [(KEY, None)]
    assert run("SELECT STREAM _key.k1 AS _key, field1 FROM t", TOPICS, log) == [(7, None)]
    assert run("SELECT STREAM field2 AS _key, field1 FROM t", TOPICS, log) == [(None, None)]
    assert run("SELECT STREAM _key AS _value FROM t", TOPICS, log) == [(KEY, None)]


def test_a_condition_on_the_value_drops_what_has_none() -> None:
    """Whatever the condition; one on the key alone keeps it."""
    log = [Record("t", KEY, None), ONE]
    assert values("SELECT STREAM field1 FROM t WHERE field1 = 1", TOPICS, log) == [(1,)]
    assert values("SELECT STREAM field1 FROM t WHERE field1 IS NULL", TOPICS, log) == []
    assert values("SELECT STREAM field1 FROM t WHERE field1 IS NULL OR TRUE", TOPICS, log) == [(1,)]
    assert values("SELECT STREAM field1 FROM t WHERE _key.k1 = 7", TOPICS, log) == [None, (1,)]


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("field1 > 1", [2]),
        ("NOT field1 > 1", [1]),
        ("field1 = 1 OR field2 = 'x'", [1, None]),
        ("(field1 = 1 AND field2 = 'a') OR (field1 = 2 AND NOT (field2 = 'a'))", [1, 2]),
        ("field1 = 1 AND field2 = 'a' OR field1 = 2", [1, 2]),
        ("field1 = 1 AND (field2 = 'b' OR field1 = 2)", []),
        ("field1 IN (1, 2) AND field2 LIKE 'a%'", [1]),
        ("field1 BETWEEN 2 AND 3", [2]),
        ("field1 IS NULL", [None]),
        ("_key.k1 = 1 OR LENGTH(CONCAT(field2, 'xy')) >= 4", [1]),
        ("NULL", []),
        ("TRUE", [1, 2, None]),
    ],
)
def test_conditions(condition: str, kept: list[int | None]) -> None:
    """Any boolean expression, nested as one likes; what is unknown is not satisfied."""
    rows = [(1, "a"), (2, "b"), (None, "x")]
    log = [Record("t", {"k1": i, "k2": None}, VALUE | {"field1": a, "field2": b}) for i, (a, b) in enumerate(rows, 1)]
    found = values(f"SELECT STREAM field1 FROM t WHERE {condition}", TOPICS, log)
    assert [row[0] for row in found] == kept


def test_a_table_is_its_newest_rows() -> None:
    """A row that ceases to satisfy WHERE goes, and comes back; a null value deletes, as does a projected one."""
    log = [Record("bare", "a", 1), Record("bare", "b", 2), Record("bare", "a", 5), Record("bare", "c", 3)]
    assert run("SELECT TABLE _value AS v FROM bare", TOPICS, log) == [
        ("a", {"v": 5}),
        ("b", {"v": 2}),
        ("c", {"v": 3}),
    ]
    small = "SELECT TABLE _value AS v FROM bare WHERE _value < 4"
    assert run(small, TOPICS, log) == [("b", {"v": 2}), ("c", {"v": 3})]
    assert run(small, TOPICS, [*log, Record("bare", "a", 0), Record("bare", "b", None)]) == [
        ("a", {"v": 0}),
        ("c", {"v": 3}),
    ]
    assert run("SELECT TABLE NULL AS _value FROM bare", TOPICS, log) == []
    assert run("SELECT TABLE _value + 1 AS _value FROM bare WHERE _key = 'b'", TOPICS, log) == [("b", 3)]


def test_a_table_under_a_new_key() -> None:
    """The newest version that was ever mapped to a key, for as long as it lives: an older row does not come back."""
    text = "SELECT TABLE _value AS _key, _key AS k FROM bare"
    log = [Record("bare", "a", 1), Record("bare", "b", 1)]
    assert run(text, TOPICS, log) == [(1, {"k": "b"})]
    assert run(text, TOPICS, [*log, Record("bare", "b", 2)]) == [(2, {"k": "b"})]
    assert run(text, TOPICS, [*log, Record("bare", "b", None)]) == []
    assert run(text, TOPICS, [*log, Record("bare", "b", 2), Record("bare", "a", 1)]) == [
        (1, {"k": "a"}),
        (2, {"k": "b"}),
    ]


def test_records_without_key() -> None:
    """They pass a STREAM, and can be given one; as rows of a TABLE there are none."""
    log = [Record("unkeyed", None, {"field1": 1}), Record("unkeyed", None, {"field1": 2})]
    assert run("SELECT STREAM field1 FROM unkeyed", TOPICS, log) == [(None, {"field1": 1}), (None, {"field1": 2})]
    assert run("SELECT STREAM field1 AS _key, field1 AS x FROM unkeyed", TOPICS, log) == [(1, {"x": 1}), (2, {"x": 2})]
    assert run("SELECT TABLE field1 FROM unkeyed", TOPICS, log) == []
    assert codes("SELECT STREAM _key AS k FROM unkeyed", TOPICS) == ["LSQ204"]


def test_projections_keep_no_state() -> None:
    """Each record for itself, at its own time, in order of arrival."""
    log = [Record("bare", "a", 1, 30), Record("bare", "a", 1, 10), Record("bare", None, 2, 20)]
    plan = compile("SELECT STREAM _value AS v FROM bare", topics=TOPICS)
    from lsqlc import evaluate

    assert [(r.key, r.value, r.timestamp) for r in evaluate(plan, log)["result"]] == [
        ("a", {"v": 1}, 30),
        ("a", {"v": 1}, 10),
        (None, {"v": 2}, 20),
    ]
