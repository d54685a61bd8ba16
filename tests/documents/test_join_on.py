"""The joins document on ON: what it may say, what that means, and the key and the fields that result."""

from __future__ import annotations

from typing import Any

import pytest

import lsqlc
from lsqlc import Record, Topic
from tests.documents.programs import codes, run, schema, values

TOPICS = (
    Topic("a", "INT", "id INT, x INT, name STRING"),
    Topic("b", "INT", "id INT, y INT, ref STRING"),
    Topic("big", "INT", "id BIGINT, z BIGINT"),
)


def a(key: int | None, id: int | None, x: int | None = None, name: str | None = None) -> Record:
    return Record("a", key, {"id": id, "x": x, "name": name})


def b(key: int | None, id: int | None, y: int | None = None, ref: str | None = None) -> Record:
    return Record("b", key, {"id": id, "y": y, "ref": ref})


def same(*conditions: str) -> bool:
    """Whether joins on all of these have one plan."""
    texts = [f"SELECT TABLE x, y FROM a LEFT JOIN b {on}" for on in conditions]
    return len({lsqlc.compile(text, topics=TOPICS).fingerprint for text in texts}) == 1


def test_without_an_equality_the_keys_are_equated() -> None:
    """With no ON, and with one that has conditions on one source alone."""
    assert same("", "ON a._key = b._key", "ON b._key = a._key", "ON (a._key) = (b._key)")
    assert same("ON a.x > 1", "ON a._key = b._key AND a.x > 1", "ON a.x > 1 AND b._key = a._key")
    assert same("ON x > 1 AND y > 2", "ON b.y > 2 AND a.x > 1")


def test_an_equality_that_stands_twice_is_one() -> None:
    """Turned round or not: the key stays bare."""
    assert same("ON a.id = b.id", "ON a.id = b.id AND b.id = a.id")


LOG = [
    a(1, 5, 1, "Johnny"),
    a(2, 6, 2, "Jane"),
    a(3, None, 3),
    b(1, 5, 1, "ny"),
    b(2, 7, 2, "J"),
    b(3, None, 3),
    b(9, 6, 2),
]


@pytest.mark.parametrize(
    ("on", "expected"),
    [
        ("a.id = b.id", [(1, 1), (2, 2)]),
        ("b.id = a.id", [(1, 1), (2, 2)]),
        ("a.id - 1 = b.id - 1", [(1, 1), (2, 2)]),
        ("a.id + 1 = b.id", [(1, 2), (2, 2)]),
        ("SUBSTR(a.name, 4) = b.ref", [(1, 1)]),
        ("a._key = b.y", [(1, 1), (2, 2), (3, 3)]),
        ("a.name LIKE 'J%'", [(1, 1), (2, 2)]),
        ("LEN(a.name) > 4 OR a.x = 3", [(1, 1), (3, 3)]),
        ("NOT (a.x = 1 OR a.x = 2)", [(3, 3)]),
        ("a.id IS NULL AND b.id IS NULL", [(3, 3)]),
        ("a.x IN (1, 3) AND b.y BETWEEN 2 AND 3", [(3, 3)]),
        ("a.id = b.id AND a.x = b.y", [(1, 1), (2, 2)]),
        ("a.id = b.id AND a.x = 2", [(2, 2)]),
        ("(a.id = b.id AND a.x > 0) AND (b.y > 1)", [(2, 2)]),
        ("a.id = b.id AND (a.x = 1 OR a.x = 3)", [(1, 1)]),
        ("CASE WHEN a.x = 1 THEN TRUE END", [(1, 1)]),
        ("TRUE", [(1, 1), (2, 2), (3, 3)]),
        ("NULL", []),
    ],
)
def test_what_joins(on: str, expected: list[Any]) -> None:
    """Equalities with one source on each side, and conditions on one source; null equals nothing."""
    assert sorted(values(f"SELECT TABLE x, y FROM a JOIN b ON {on}", TOPICS, LOG)) == expected
    stream = f"SELECT STREAM x, y FROM a JOIN b ON {on} WITHIN 1h"
    pairs = set(values(stream, TOPICS, LOG))
    assert set(expected) <= pairs


@pytest.mark.parametrize(
    ("loose", "clear"),
    [
        ("a.id = b.id AND a.x > 1 OR a.x < 0", "a.id = b.id AND (a.x > 1 OR a.x < 0)"),
        ("a.x < 0 OR a.x > 1 AND a.id = b.id", "(a.x < 0 OR a.x > 1) AND a.id = b.id"),
        ("a.x < 0 OR a.x > 9 AND b.y > 1 OR b.y < 0", "(a.x < 0 OR a.x > 9) AND (b.y > 1 OR b.y < 0)"),
        ("(a.id = b.id) AND (a.x > 1) OR (a.x < 0)", "a.id = b.id AND (a.x > 1 OR a.x < 0)"),
        ("a.id = b.id AND a.x > 1 OR a.x < 0 AND b.y = 1", "a.id = b.id AND (a.x > 1 OR a.x < 0) AND b.y = 1"),
    ],
)
def test_an_or_binds_tighter_where_only_that_is_legal(loose: str, clear: str) -> None:
    """The document's last example of what is allowed; in parentheses it is the same plan."""
    assert same(f"ON {loose}", f"ON {clear}")


def test_an_or_over_one_source_keeps_its_precedence() -> None:
    """Nothing mixes sources, so AND binds tighter, as everywhere."""
    assert same("ON a.x > 1 AND a.x < 5 OR a.x = 9", "ON (a.x > 1 AND a.x < 5) OR a.x = 9")
    assert not same("ON a.x > 1 AND a.x < 5 OR a.x = 9", "ON a.x > 1 AND (a.x < 5 OR a.x = 9)")


@pytest.mark.parametrize(
    "on",
    [
        "a.x = 1 OR a.id = b.id",
        "a.x = 1 AND a.name = 'n' OR a.id = b.id",
        "a.id = b.id AND a.x > 1 OR b.y > 1",
        "(a.id = b.id AND a.x > 1) OR a.x < 0",
        "((a.id = b.id) AND (a.x > 1)) OR (a.x < 0)",
        "( -- a comment changes nothing\n a.id = b.id AND a.x > 1 /* nor this one */ ) OR a.x < 0",
        "a.id = b.id OR FALSE",
        "a.id - b.id = 0",
        "a.id + b.id = b.y",
        "CONCAT(a.name, b.ref) = 'x'",
        "(a.id = b.id) = TRUE",
        "a.id >= b.id",
        "NOT a.id <> b.id",
        "a.id IN (b.id, b.y)",
        "COALESCE(a.id, b.id) IS NOT NULL",
        "a.name LIKE b.ref",
    ],
)
def test_what_cannot_join(on: str) -> None:
    """A source too many on one side of an equality, or below anything but AND."""
    assert codes(f"SELECT TABLE x, y FROM a JOIN b ON {on}", TOPICS) == ["LSQ335"]


def test_int_meets_long() -> None:
    """As LONG, and nothing else meets."""
    text = "SELECT TABLE x, z FROM a JOIN big ON a.id = big.id"
    assert schema(text, TOPICS)[0] == "BIGINT (long)"
    assert run(text, TOPICS, [a(1, 5, 1), Record("big", 8, {"id": 5, "z": 2**40})]) == [(5, {"x": 1, "z": 2**40})]
    assert codes("SELECT TABLE x, y FROM a JOIN b ON a.id = b.ref", TOPICS) == ["LSQ213"]
    assert codes("SELECT TABLE x, y FROM a JOIN b ON a.id = CAST(b.y AS DOUBLE)", TOPICS) == ["LSQ336"]
    assert not codes("SELECT TABLE x, y FROM a JOIN b ON CAST(a.id AS DOUBLE) = CAST(b.y AS DOUBLE)", TOPICS)


def test_not_null_makes_no_other_key() -> None:
    """Struct keys that differ in it alone are equated as they are; in an INT and a LONG, field by field."""
    kinds = {"s": "INT NOT NULL", "m": "INT", "l": "BIGINT"}
    sure, maybe, long = (Topic(name, f"k {type}, j STRING", f"{name} INT") for name, type in kinds.items())
    key = {"k": 1, "j": None}
    log = [Record("s", key, {"s": 1}), Record("m", key, {"m": 2})]
    assert "Rekey" not in lsqlc.compile("SELECT TABLE s, m FROM s JOIN m", topics=(sure, maybe)).tree()
    assert run("SELECT TABLE s, m FROM s OUTER JOIN m", (sure, maybe), log) == [(key, {"s": 1, "m": 2})]
    meets = [log[0], Record("l", {"k": 1, "j": None}, {"l": 3})]
    assert run("SELECT TABLE s, l FROM s JOIN l", (sure, long), meets) == [(key, {"s": 1, "l": 3})]
    assert codes("SELECT TABLE s, o FROM s JOIN o", (sure, Topic("o", "k INT, i STRING", "o INT"))) == ["LSQ336"]


@pytest.mark.parametrize(
    ("on", "key"),
    [
        ("", "INT (int)"),
        ("ON a.name = b.ref", "STRING (string)"),
        ("ON a.id + 1 = b.id", "INT (int)"),
        ("ON a.id = b.y AND a.name = b.ref", "STRUCT<id: INT, name: STRING> (json)"),
        ("ON b.y = a.id AND b.ref = a.name", "STRUCT<id: INT, name: STRING> (json)"),
        ("ON a._key = b._key AND a.x - 1 = b.y", "STRUCT<_key: INT, `a.x - 1`: INT> (json)"),
        ("ON a.id = b.id AND a.id = b.y", "STRUCT<id: INT, id_1: INT> (json)"),
    ],
)
def test_the_key_of_the_result(on: str, key: str) -> None:
    """One equality gives the bare value, several a struct, named like unaliased projections of the left side."""
    assert schema(f"SELECT TABLE y FROM a JOIN b {on}", TOPICS)[0] == key


def test_the_key_is_of_the_side_that_is_there() -> None:
    """A null that matched nothing is the key of the record that comes out alone."""
    log = [a(1, 5, 1), a(2, None, 2), b(7, 6, 3), b(8, None, 4)]
    found = run("SELECT STREAM x, y FROM a OUTER JOIN b ON a.id = b.id WITHIN 1h", TOPICS, log)
    assert [(key, *value.values()) for key, value in found] == [
        (5, 1, None), (None, 2, None), (6, None, 3), (None, None, 4),
    ]  # fmt: skip
    several = run("SELECT STREAM x, y FROM a RIGHT JOIN b ON a.id = b.id AND a.x = b.y WITHIN 1h", TOPICS, log)
    assert [key for key, _ in several] == [{"id": 6, "x": 3}, {"id": None, "x": 4}]


def test_a_projection_makes_another_key() -> None:
    """The keys of the sources are there by name."""
    text = "SELECT STREAM a._key AS _key.left, b._key AS _key.right, x FROM a JOIN b ON a.id = b.id WITHIN 1h"
    assert run(text, TOPICS, [a(1, 5, 7), b(2, 5)]) == [({"left": 1, "right": 2}, {"x": 7})]


def test_a_struct_as_the_key_has_the_format_of_its_source() -> None:
    """AVRO where the left source is stored so."""
    avro = {"format": "avro", "schema": "s STRUCT<p: INT>, i INT"}
    topics = (Topic("l", "INT", avro), Topic("r", "INT", "s STRUCT<p: INT>, i INT"))
    assert schema("SELECT TABLE l.i FROM l JOIN r ON l.s = r.s", topics)[0] == "STRUCT<p: INT> (avro)"
    assert schema("SELECT TABLE l.i FROM l JOIN r ON l.s = r.s AND l.i = r.i", topics)[0].endswith("(avro)")
    assert schema("SELECT TABLE l.i FROM r JOIN l ON l.s = r.s", topics)[0] == "STRUCT<p: INT> (json)"


def test_a_table_is_found_by_what_on_equates() -> None:
    """The newest row that was ever mapped to a value, as long as it lives: older ones do not come back."""
    text = "WITH t AS (SELECT TABLE * FROM b); SELECT STREAM x, y FROM a JOIN t ON a.id = t.id"
    gone = Record("b", 2, None)
    assert values(text, TOPICS, [b(1, 5, 1), b(2, 5, 2), a(1, 5, 1)]) == [(1, 2)]
    assert values(text, TOPICS, [b(1, 5, 1), b(2, 5, 2), gone, a(1, 5, 1)]) == []
    assert values(text, TOPICS, [b(1, 5, 1), b(2, 5, 2), b(1, 6, 3), a(1, 5, 1), a(2, 6, 2)]) == [(1, 2), (2, 3)]


def test_two_tables_keep_every_pair_until_they_are_written() -> None:
    """Grouped, all pairs count; written, the ON value is the key and the newest pair is its row."""
    log = [a(1, 5, 1), a(2, 5, 2), b(1, 5, 10), b(2, 5, 20)]
    join = "FROM a JOIN b ON a.id = b.id"
    pairs = f"WITH j AS (SELECT TABLE a.id AS id, x, y {join});"
    assert run(f"{pairs} SELECT TABLE COUNT(*) AS n FROM j GROUP BY id", TOPICS, log) == [(5, {"n": 4})]
    assert run(f"SELECT TABLE x, y {join}", TOPICS, log) == [(5, {"x": 2, "y": 20})]


def test_a_wildcard_has_a_name_once_that_on_equates() -> None:
    """Of the side that is there, in the type in which they meet; a name that ON does not equate is refused."""
    topics = (*TOPICS, Topic("c", "INT", "id INT, w INT"))
    log = [a(1, 5, 1), Record("c", 2, {"id": 6, "w": 9}), Record("c", 3, {"id": 5, "w": 8})]
    text = "SELECT TABLE * FROM a {} JOIN c ON a.id = c.id"
    assert values(text.format("INNER"), topics, log) == [(5, 1, None, 8)]
    assert values(text.format("OUTER"), topics, log) == [(5, 1, None, 8), (6, None, None, 9)]
    long = "SELECT TABLE * FROM a JOIN big ON a.id = big.id"
    assert schema(long, TOPICS)[1] == "STRUCT<id: BIGINT, x: INT, name: STRING, z: BIGINT> (json)"
    for on in ("", "ON a.id = c.w", "ON a.id + 0 = c.id", "ON a._key = c.id"):
        assert codes(f"SELECT TABLE * FROM a JOIN c {on}", topics) == ["LSQ306"]
    assert values("SELECT TABLE a.*, c.w FROM a JOIN c ON a.id = c.id", topics, log) == [(5, 1, None, 8)]


def test_a_nested_field_that_on_equates_merges_nothing() -> None:
    """Only a field of the value itself is one that `*` has twice."""
    nested = tuple(Topic(name, "INT", "id INT, n STRUCT<id: INT>") for name in ("l", "r"))
    assert codes("SELECT TABLE * FROM l JOIN r ON l.n.id = r.n.id", nested) == ["LSQ306"]
    assert not codes("SELECT TABLE * FROM l JOIN r ON l.id = r.id AND l.n = r.n", nested)


def test_plain_names_belong_to_the_source_that_has_them() -> None:
    """In every clause; a name of both is refused, and a source's name goes before a field's."""
    text = "SELECT STREAM x, y FROM a JOIN b ON x = y WITHIN 1h WHERE name IS NULL AND ref IS NULL"
    assert values(text, TOPICS, [a(1, 5, 3), b(2, 6, 3)]) == [(3, 3)]
    assert codes("SELECT TABLE id FROM a JOIN b", TOPICS) == ["LSQ203"]
    topics = (Topic("order", "INT", "item INT"), Topic("item", "INT", "item INT, name STRING"))
    log = [Record("order", 1, {"item": 4}), Record("item", 1, {"item": 5, "name": "desk"})]
    assert values("SELECT TABLE item.item, order.item AS other FROM order JOIN item", topics, log) == [(5, 4)]
