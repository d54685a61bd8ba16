"""The joins document on LATERAL: one, several, over any array, in STREAM and TABLE."""

from __future__ import annotations

from typing import Any

import pytest

from lsqlc import Record, Topic
from tests.documents.programs import codes, run, schema, values

TOPICS = (
    Topic(
        "s",
        "STRING",
        "id INT, xs ARRAY<INT>, ys ARRAY<INT>, deep ARRAY<ARRAY<INT>>, inner STRUCT<xs: ARRAY<INT>>,"
        " items ARRAY<STRUCT<name: STRING, tags: ARRAY<STRING>>>, `my-xs` ARRAY<INT>",
    ),
    Topic("keyed", "k INT, xs ARRAY<INT>", "id INT"),
    Topic("bare", "STRING", "ARRAY<INT>"),
    Topic("names", "STRING", "name STRING"),
)


def s(key: str, id: int, **arrays: Any) -> Record:
    none = dict.fromkeys(("xs", "ys", "deep", "items", "inner", "my-xs"))
    return Record("s", key, {"id": id, **none, **arrays})


def test_a_record_for_each_element() -> None:
    """In order, each with the key of its record; a null or empty array gives none, a null element is one."""
    log = [s("a", 1, xs=[3, None, 3]), s("b", 2, xs=[]), s("c", 3), s("a", 4, xs=[5])]
    found = run("SELECT STREAM id, x FROM s LATERAL xs AS x", TOPICS, log)
    assert [(key, *value.values()) for key, value in found] == [("a", 1, 3), ("a", 1, None), ("a", 1, 3), ("a", 4, 5)]


def test_everything_of_a_lateral() -> None:
    """The fields of the source, then the elements in the order of the LATERALs."""
    _, value = schema("SELECT STREAM * FROM names LATERAL [1, 2] AS n LATERAL ['x'] AS c", TOPICS)
    assert value == "STRUCT<name: STRING, n: INT, c: STRING> (json)"


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        ("xs", [1, 2]),
        ("s.xs", [1, 2]),
        ("_value.xs", [1, 2]),
        ("my-xs", [7]),
        ("inner.xs", [8, 9]),
        ("flatten([xs, ys])", [1, 2, 3]),
        ("FLATTEN([ys, [id, id + 1], xs])", [3, 10, 11, 1, 2]),
        ("flatten(deep)", [4, 5, 6]),
        ("deep[1]", [5, 6]),
        ("[id]", [10]),
        ("[1, 2, 3]", [1, 2, 3]),
        ("COALESCE(items[5].tags, ['none'])", ["none"]),
        ("CASE WHEN id > 5 THEN ys ELSE xs END", [3]),
    ],
)
def test_any_array_will_do(array: str, expected: list[Any]) -> None:
    """A field however deep, and every expression that gives an array."""
    given = {"xs": [1, 2], "ys": [3], "deep": [[4], [5, 6]], "inner": {"xs": [8, 9]}, "my-xs": [7], "items": []}
    text = f"SELECT STREAM x AS _value FROM s LATERAL {array} AS x"
    assert values(text, TOPICS, [s("a", 10, **given)]) == expected


def test_arrays_of_the_key_and_of_a_bare_value() -> None:
    """Both facets can be opened."""
    keyed = [Record("keyed", {"k": 1, "xs": [1, 2]}, {"id": 1})]
    assert values("SELECT STREAM x FROM keyed LATERAL _key.xs AS x", TOPICS, keyed) == [(1,), (2,)]
    bare = [Record("bare", "a", [3, 4])]
    assert values("SELECT STREAM x FROM bare LATERAL _value AS x", TOPICS, bare) == [(3,), (4,)]


def test_several_laterals() -> None:
    """A later one may read an earlier one's alias; else they give every combination."""
    nested = "SELECT STREAM x AS _value FROM s LATERAL deep AS xs_ LATERAL xs_ AS x"
    assert values(nested, TOPICS, [s("a", 1, deep=[[1, 2], [], None, [3]])]) == [1, 2, 3]
    pairs = "SELECT STREAM x, y FROM s LATERAL xs AS x LATERAL ys AS y"
    assert values(pairs, TOPICS, [s("a", 1, xs=[1, 2], ys=[3, 4])]) == [(1, 3), (1, 4), (2, 3), (2, 4)]
    three = "SELECT STREAM item.name, tag FROM s LATERAL items AS item LATERAL item.tags AS tag LATERAL [tag] AS same"
    items = [{"name": "desk", "tags": ["old", "oak"]}, {"name": "lamp", "tags": None}]
    assert values(three, TOPICS, [s("a", 1, items=items)]) == [("desk", "old"), ("desk", "oak")]


def test_the_alias_is_a_field_like_others() -> None:
    """In projections, WHERE, the key and GROUP BY; a struct is opened by `.` and by `.*`."""
    items = [{"name": "desk", "tags": ["a"]}, {"name": "lamp", "tags": []}]
    log = [s("a", 1, xs=[1, 5], items=items)]
    keyed = "SELECT STREAM x + 1 AS _key, id FROM s LATERAL xs AS x WHERE x > 1 AND id = 1"
    assert run(keyed, TOPICS, log) == [(6, {"id": 1})]
    opened = "SELECT STREAM item.*, id FROM s LATERAL items AS item WHERE item.name = 'lamp'"
    assert values(opened, TOPICS, log) == [("lamp", [], 1)]
    assert values("SELECT STREAM item FROM s LATERAL items AS item", TOPICS, log) == [(item,) for item in items]
    grouped = "SELECT STREAM COUNT(*) AS n, SUM(x) AS sum FROM s LATERAL xs AS x GROUP BY id"
    assert run(grouped, TOPICS, log) == [(1, {"n": 2, "sum": 6})]


def test_a_query_that_joins_gets_a_name_first() -> None:
    """The result of a join can be opened through a WITH, and what was opened can be joined."""
    log = [Record("names", "a", {"name": "Ann"}), s("a", 1, xs=[1, 2])]
    joined = (
        "WITH j AS (SELECT STREAM name, xs FROM s JOIN names WITHIN 1h); SELECT STREAM name, x FROM j LATERAL xs AS x"
    )
    assert values(joined, TOPICS, log) == [("Ann", 1), ("Ann", 2)]
    opened = "WITH o AS (SELECT STREAM x FROM s LATERAL xs AS x); SELECT STREAM name, x FROM o JOIN names WITHIN 1h"
    assert values(opened, TOPICS, log) == [("Ann", 1), ("Ann", 2)]
    assert codes("SELECT STREAM x FROM s JOIN names WITHIN 1h LATERAL xs AS x", TOPICS) == ["LSQ340"]
    assert codes("SELECT STREAM x FROM s LATERAL xs AS x JOIN names WITHIN 1h", TOPICS) == ["LSQ340"]


def test_the_elements_of_a_table_follow_its_rows() -> None:
    """An update takes the old elements away; a key of their own, or a group, makes a TABLE of them."""
    log = [s("a", 1, xs=[1, 2]), s("b", 2, xs=[2, 3]), s("a", 1, xs=[3])]
    counted = "SELECT TABLE COUNT(*) AS n FROM s LATERAL xs AS x GROUP BY x"
    assert run(counted, TOPICS, log) == [(2, {"n": 1}), (3, {"n": 2})]
    assert run(counted, TOPICS, [*log, Record("s", "b", None)]) == [(3, {"n": 1})]
    keyed = "SELECT TABLE x AS _key, id FROM s LATERAL xs AS x"
    assert run(keyed, TOPICS, log) == [(2, {"id": 2}), (3, {"id": 1})]
    assert codes("SELECT TABLE id, x FROM s LATERAL xs AS x", TOPICS) == ["LSQ343"]


def test_elements_of_a_table_have_a_use_before_they_are_written() -> None:
    """Under a name they are grouped, rekeyed or joined; written as they are they would share keys."""
    elements = "WITH e AS (SELECT TABLE id, x FROM s LATERAL xs AS x);"
    log = [s("a", 1, xs=[1, 2]), s("b", 2, xs=[2])]
    assert run(f"{elements} SELECT TABLE SUM(x) AS n FROM e GROUP BY id", TOPICS, log) == [(1, {"n": 3}), (2, {"n": 2})]
    assert run(f"{elements} SELECT TABLE x AS _key, id FROM e", TOPICS, log) == [(1, {"id": 1}), (2, {"id": 2})]
    joined = f"{elements} WITH j AS (SELECT TABLE x, name FROM e JOIN names);"
    ann = Record("names", "a", {"name": "Ann"})
    assert run(f"{joined} SELECT TABLE SUM(x) AS n FROM j GROUP BY name", TOPICS, [*log, ann]) == [("Ann", {"n": 3})]
    assert codes(f"{elements} SELECT TABLE * FROM e", TOPICS) == ["LSQ343"]
    assert codes(f"{elements} SELECT STREAM * FROM e", TOPICS) == ["LSQ343"]
