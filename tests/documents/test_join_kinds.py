"""The joins document on kinds of joins: what may be joined with what, what comes out, and what the plan shows."""

from __future__ import annotations

import re

import pytest

import lsqlc
from lsqlc import Record, Topic
from tests.documents.programs import codes, run, schema, values
from tests.documents.samples import lines_of

SHOP = (Topic("customers", "INT", "id INT, name STRING"), Topic("orders", "INT", "customer_id INT, item STRING"))
KINDS = ("INNER", "LEFT", "RIGHT", "OUTER")
WITHS = "WITH c AS (SELECT TABLE * FROM customers); WITH o AS (SELECT STREAM * FROM orders); "


def customer(id: int, name: str | None, at: int = 0, key: int | None = None) -> Record:
    value = None if name is None else {"id": id, "name": name}
    return Record("customers", id if key is None else key, value, at)


def order(number: int, customer_id: int | None, item: str, at: int = 0) -> Record:
    return Record("orders", number, {"customer_id": customer_id, "item": item}, at)


def joined(a: str, kind: str, b: str, within: str = "") -> str:
    """A query over a join of `customers`, read as `a`, with `orders`, read as `b`."""
    return (
        f"WITH a AS (SELECT {a} * FROM customers); WITH b AS (SELECT {b} * FROM orders);"
        f"SELECT STREAM name, item FROM a {kind} JOIN b {within}"
    )


def test_the_table_of_compatibility() -> None:
    """The document's own rows: which kinds are allowed, whether WITHIN is, and what the result is."""
    for row in lines_of("lenses-joins.md")[289:293]:
        left, right, types, window, result = (cell.strip().upper() for cell in row.strip("| ").split("|"))
        allowed = KINDS if types == "ALL" else tuple(re.findall("INNER|LEFT|RIGHT", types))
        within = "WITHIN 1h" if window == "REQUIRED" else ""
        for kind in KINDS:
            text = joined(left, kind, right, within)
            if kind in allowed:
                assert lsqlc.compile(text, topics=SHOP).semantics["result"] == result, text
            else:
                assert codes(text, SHOP) == ["LSQ331"], text
        other = joined(left, allowed[0], right, "" if within else "WITHIN 1h")
        assert codes(other, SHOP) == ["LSQ332" if within else "LSQ334"]


@pytest.mark.parametrize("word", ["STREAM", "TABLE"])
def test_the_word_after_select_reads_topics_and_decides_no_result(word: str) -> None:
    """A WITH name is what it was defined as; a topic is read as the word says."""
    text = f"{WITHS} SELECT {word} name, item FROM o JOIN c"
    assert lsqlc.compile(text, topics=SHOP).semantics["result"] == "STREAM"
    mixed = f"{WITHS} SELECT {word} name, item FROM o JOIN customers WITHIN 1h"
    assert codes(mixed, SHOP) == ([] if word == "STREAM" else ["LSQ334"])


@pytest.mark.parametrize("kind", ["", "INNER"])
def test_join_alone_is_an_inner_join(kind: str) -> None:
    """One plan with or without the word."""
    plans = [lsqlc.compile(f"SELECT TABLE name FROM customers {k} JOIN orders", topics=SHOP) for k in (kind, "INNER")]
    assert plans[0].fingerprint == plans[1].fingerprint


@pytest.mark.parametrize(
    ("word", "kind"),
    [("LEFT OUTER", "LEFT"), ("RIGHT OUTER", "RIGHT"), ("FULL", "OUTER"), ("FULL OUTER", "OUTER")],
)
def test_other_words_for_a_kind(word: str, kind: str) -> None:
    """The same plan."""
    plans = [lsqlc.compile(f"SELECT TABLE name FROM customers {w} JOIN orders", topics=SHOP) for w in (word, kind)]
    assert plans[0].fingerprint == plans[1].fingerprint


ROWS: dict[str, list[tuple[int, str | None, str | None]]] = {
    "INNER": [(1, "John", "desk")],
    "LEFT": [(1, "John", "desk"), (2, "Frank", None)],
    "RIGHT": [(1, "John", "desk"), (3, None, "lamp")],
    "OUTER": [(1, "John", "desk"), (2, "Frank", None), (3, None, "lamp")],
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_two_tables(kind: str) -> None:
    """A row without a partner comes out alone where its side is kept; the key is that of the side that is there."""
    log = [customer(1, "John"), customer(2, "Frank"), order(1, 1, "desk"), order(3, 3, "lamp")]
    found = run(f"SELECT TABLE name, item FROM customers {kind} JOIN orders", SHOP, log)
    assert [(key, value["name"], value["item"]) for key, value in found] == ROWS[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_records_of_two_streams(kind: str) -> None:
    """The same of streams, each record at its place in arrival, and every pair."""
    log = [customer(1, "John"), customer(2, "Frank"), order(1, 1, "desk"), order(3, 3, "lamp"), order(1, 1, "oven")]
    found = run(f"SELECT STREAM name, item FROM customers {kind} JOIN orders WITHIN 1h", SHOP, log)
    assert sorted((key, str(value)) for key, value in found) == sorted(
        (key, str({"name": name, "item": item})) for key, name, item in [*ROWS[kind], (1, "John", "oven")]
    )


@pytest.mark.parametrize(("apart", "meets"), [(-5001, False), (-5000, True), (0, True), (5000, True), (5001, False)])
def test_within_is_inclusive_before_and_after(apart: int, meets: bool) -> None:
    """A match may be as far away as WITHIN says, in the past and in the future."""
    log = [order(1, 1, "desk", 60_000), customer(1, "John", 60_000 + apart)]
    text = "SELECT STREAM name, item FROM customers JOIN orders {} ON customers.id = orders.customer_id {}"
    for words in (("WITHIN 5s", ""), ("", "WITHIN 5s"), ("WITHIN 5s", "WITHIN 5000ms")):
        assert values(text.format(*words), SHOP, log) == ([("John", "desk")] if meets else [])


def test_within_nothing_is_the_same_moment() -> None:
    """A window of zero still has its two ends, which are one."""
    log = [order(1, 1, "desk", 7), customer(1, "John", 7), order(1, 1, "lamp", 8)]
    assert values("SELECT STREAM name, item FROM customers JOIN orders WITHIN 0s", SHOP, log) == [("John", "desk")]


@pytest.mark.parametrize("text", ["o LEFT JOIN c", "c RIGHT JOIN o"])
def test_a_record_waits_for_the_first_row_of_its_key(text: str) -> None:
    """It comes out once more when that row appears; not for an update, and after a delete for later records alone."""
    query = f"{WITHS} SELECT STREAM name, item FROM {text} ON o.customer_id = c.id"
    log = [order(1, 1, "desk", 1), order(2, 1, "lamp", 2), customer(1, "John", 3), customer(1, "Jack", 4)]
    once = [(None, "desk"), (None, "lamp"), ("John", "desk"), ("John", "lamp")]
    assert values(query, SHOP, log) == once
    again = [customer(1, None, 5), order(3, 1, "oven", 6), customer(1, "Jane", 7)]
    assert values(query, SHOP, [*log, *again]) == [*once, (None, "oven"), ("Jane", "oven")]


def test_the_row_that_counts_is_the_one_when_the_record_is_processed() -> None:
    """Not the newest by time, and an inner join never comes back to a record."""
    query = f"{WITHS} SELECT STREAM name, item FROM o JOIN c ON c.id = o.customer_id"
    log = [order(1, 1, "early", 50), customer(1, "John", 90), order(2, 1, "desk", 10), customer(1, "Jack", 95)]
    assert values(query, SHOP, log) == [("John", "desk")]


def test_how_long_a_record_waits() -> None:
    """Seven days between the record's time and the row's, to the millisecond."""
    week = 7 * 86_400_000
    query = f"{WITHS} SELECT STREAM name, item FROM o LEFT JOIN c"
    for late, found in ((week, [(None, "desk"), ("John", "desk")]), (week + 1, [(None, "desk")])):
        assert values(query, SHOP, [order(1, 1, "desk"), customer(1, "John", late)]) == found


def test_more_than_two_sources_are_joined_through_with() -> None:
    """Streams with streams, then with a table: as many as there are statements."""
    topics = (*SHOP, Topic("payments", "INT", "amount INT"), Topic("refunds", "INT", "reason STRING"))
    text = """WITH o AS (SELECT STREAM orders._key AS number, customer_id, item, amount
            FROM orders JOIN payments WITHIN 1h);
        WITH c AS (SELECT TABLE * FROM customers);
        WITH named AS (SELECT STREAM o.number, o.item, o.amount, c.name FROM o JOIN c ON o.customer_id = c.id);
        SELECT STREAM name, item, amount, reason FROM named LEFT JOIN refunds WITHIN 1h ON number = refunds._key"""
    log = [customer(1, "John"), order(5, 1, "desk"), Record("payments", 5, {"amount": 9}), order(6, 1, "lamp"),
           Record("refunds", 5, {"reason": "broken"}), Record("payments", 6, {"amount": 3})]  # fmt: skip
    assert run(text, topics, log) == [
        (5, {"name": "John", "item": "desk", "amount": 9, "reason": "broken"}),
        (6, {"name": "John", "item": "lamp", "amount": 3, "reason": None}),
    ]


def test_a_join_is_grouped_in_its_own_query() -> None:
    """By fields of either side, or by a key that is named; unmatched rows group by null, which is no group."""
    log = [customer(1, "John"), order(1, 1, "desk"), order(2, 1, "lamp"), order(3, 3, "oven")]
    text = f"{WITHS} SELECT STREAM c.name, COUNT(*) AS n FROM o LEFT JOIN c ON c.id = o.customer_id GROUP BY "
    assert run(text + "c.name", SHOP, log) == [("John", {"name": "John", "n": 2})]
    by_key = f"{WITHS} SELECT STREAM COUNT(*) AS n FROM o LEFT JOIN c ON c.id = o.customer_id GROUP BY o._key"
    assert [key for key, _ in run(by_key, SHOP, log)] == [1, 2, 3]
    tables = "SELECT TABLE COUNT(*) AS n FROM orders JOIN customers ON customers.id = orders.customer_id GROUP BY name"
    assert run(tables, SHOP, [*log, customer(1, "Jack")]) == [("Jack", {"n": 2})]


def test_self_joins() -> None:
    """Of a table by another field, of a stream within a time; one of two aliases is enough."""
    staff = (Topic("staff", "INT", "boss INT, name STRING"),)
    log = [Record("staff", 1, {"boss": None, "name": "Ann"}), Record("staff", 2, {"boss": 1, "name": "Bob"})]
    tables = "SELECT TABLE w.name AS name, b.name AS boss FROM staff AS w LEFT JOIN staff AS b ON w.boss = b._key"
    assert values(tables, staff, log) == [("Bob", "Ann")]
    streams = (
        "SELECT STREAM staff.name AS one, o.name AS other FROM staff JOIN staff AS o ON staff.boss = o._key WITHIN 1s"
    )
    assert values(streams, staff, log) == [("Bob", "Ann")]
    assert codes("SELECT TABLE name FROM staff JOIN staff", staff) == ["LSQ338"]


def test_the_optional_side_may_be_null() -> None:
    """Its fields lose NOT NULL in the result; those of the other side keep it, and strict mode sees it."""
    topics = (
        Topic("a", "INT", "x INT NOT NULL"),
        Topic("b", "INT", "y INT NOT NULL, s STRUCT<z: INT NOT NULL> NOT NULL"),
    )
    select = "SELECT TABLE x, y, s.z AS z, s FROM a {} JOIN b"
    kept, lost = "x: INT NOT NULL", "y: INT NOT NULL, z: INT NOT NULL, s: STRUCT<z: INT NOT NULL> NOT NULL"
    maybe = "y: INT, z: INT, s: STRUCT<z: INT NOT NULL>"
    expected = {"INNER": (kept, lost), "LEFT": (kept, maybe), "RIGHT": ("x: INT", lost), "OUTER": ("x: INT", maybe)}
    for kind, (one, other) in expected.items():
        assert schema(select.format(kind), topics)[1] == f"STRUCT<{one}, {other}> (json)"
    strict = "SELECT TABLE y + 1 AS n FROM a {} JOIN b"
    assert lsqlc.compile(strict.format("INNER"), topics=topics, nullability="strict")
    with pytest.raises(lsqlc.CompileError) as error:
        lsqlc.compile(strict.format("LEFT"), topics=topics, nullability="strict")
    assert [d.code for d in error.value.diagnostics] == ["LSQ220"]


def test_keys_in_two_formats_meet_through_an_intermediate_topic() -> None:
    """STORE KEY AS writes the topic that can be joined; without it the join is refused, with and without ON."""
    topics = (Topic("few", "INT", "x INT"), Topic("many", "STRING", "y INT"))
    for on in ("", "ON few.x = many.y"):
        assert codes(f"SELECT TABLE x, y FROM few JOIN many {on}", topics) == ["LSQ337"]
    stored = lsqlc.compile("INSERT INTO few-again STORE KEY AS STRING SELECT TABLE * FROM few", topics=topics)
    again = Topic("few-again", "STRING", "x INT")
    assert str(stored.outputs[0].key) == "STRING (string)"
    log = [Record("few-again", "1", {"x": 1}), Record("many", "1", {"y": 2})]
    assert values("SELECT TABLE x, y FROM few-again JOIN many", (again, topics[1]), log) == [(1, 2)]
