"""Column lineage: the answers are worked out by hand from what each construct of the language means."""

from __future__ import annotations

import json
from typing import Any

import pytest

import lsqlc
from lsqlc.plan import Plan, nodes
from lsqlc.plan import expression as ex
from lsqlc.plan.lineage import Column, TopicLineage, columns, lineage, lineage_data, lineage_from
from lsqlc.plan.lineage_graph import LineageGraph, downstream, lineage_graph, upstream
from lsqlc.types.data import INT, STRING, Field, Struct
from lsqlc.types.files import Files
from lsqlc.types.record import Facet, Topic

ORDERS = lsqlc.Topic(
    "orders",
    key="INT",
    value="item STRING, price INT, amount INT, at BIGINT, tags ARRAY<STRUCT<name: STRING, n: INT>>, "
    "to STRUCT<city: STRING, geo: STRUCT<x: INT, y: INT>>",
)
VISITS = lsqlc.Topic("visits", key="page INT, shop STRING", value="who STRING, at BIGINT, ms INT", event_time="at")
PEOPLE = lsqlc.Topic("people", key="INT", value="name STRING, vip BOOLEAN, boss INT")
SHOPS = lsqlc.Topic("shops", key="INT", value="owner STRING, open BOOLEAN")
TOPICS = [ORDERS, VISITS, PEOPLE, SHOPS]

Shown = dict[str, dict[str, str]]


def traced(text: str, **options: Any) -> Shown:
    """Of each written column, its sources with their uses: `{"_value.a": {"t._value.b": "value filter"}}`."""
    (found,) = lineage(lsqlc.compile(text, topics=TOPICS, **options))
    return shown(found)


def shown(found: TopicLineage) -> Shown:
    return {
        name: {f"{s.column.topic}.{s.column.name}": " ".join(s.uses) for s in found.sources(name)}
        for name in found.columns
    }


def values(found: Shown) -> dict[str, set[str]]:
    """What each column is computed from, without the topic's name."""
    return {
        name: {source.split(".", 1)[1] for source, uses in sources.items() if "value" in uses}
        for name, sources in found.items()
    }


def test_a_field_comes_from_the_field_that_it_was() -> None:
    """Renamed, nested, and moved between the facets; the key stays unless something is projected to it."""
    assert traced("SELECT STREAM item AS what, price AS cost.net, to.geo AS place, amount AS _key.n FROM orders") == {
        "_key.n": {"orders._value.amount": "value"},
        "_value.what": {"orders._value.item": "value"},
        "_value.cost.net": {"orders._value.price": "value"},
        "_value.place.x": {"orders._value.to.geo.x": "value"},
        "_value.place.y": {"orders._value.to.geo.y": "value"},
    }


def test_a_star_is_each_of_its_columns() -> None:
    """Each column from its namesake, into structs; an array is one column."""
    found = values(traced("SELECT STREAM * FROM orders"))
    names = ("_key", "item", "price", "amount", "at", "tags", "to.city", "to.geo.x", "to.geo.y")
    wanted = ["_key", *(f"_value.{name}" for name in names[1:])]
    assert found == {name: {name} for name in wanted}
    assert list(found) == wanted


def test_whole_facets_move_with_all_their_columns() -> None:
    """`_value` into a field, `_key` into a field, and a struct of the key."""
    found = values(traced("SELECT STREAM _value AS v, _key AS k, _key.shop AS _key FROM visits"))
    assert found == {
        "_key": {"_key.shop"},
        "_value.v.who": {"_value.who"},
        "_value.v.at": {"_value.at"},
        "_value.v.ms": {"_value.ms"},
        "_value.k.page": {"_key.page"},
        "_value.k.shop": {"_key.shop"},
    }


def test_an_expression_comes_from_all_that_it_reads() -> None:
    """Operators, functions and conversions; a constant comes from nothing."""
    found = values(
        traced(
            "SELECT STREAM price * amount + 1 AS a, UPPERCASE(to.city) AS b, CAST(price AS STRING) AS c, 5 AS d "
            "FROM orders"
        )
    )
    assert found["_value.a"] == {"_value.price", "_value.amount"}
    assert found["_value.b"] == {"_value.to.city"}
    assert found["_value.c"] == {"_value.price"}
    assert found["_value.d"] == set()


def test_case_comes_from_its_conditions_and_results() -> None:
    """A condition chooses the value, so it is a part of it."""
    found = traced("SELECT STREAM CASE WHEN price > 9 THEN item ELSE to.city END AS a FROM orders")
    assert found["_value.a"] == dict.fromkeys(
        ("orders._value.item", "orders._value.price", "orders._value.to.city"), "value"
    )


def test_where_filters_every_column() -> None:
    """The key too; what is both shown and tested has both uses."""
    assert traced("SELECT STREAM item, price FROM orders WHERE price > 9 AND to.city = 'Rome'") == {
        "_key": {"orders._key": "value", "orders._value.price": "filter", "orders._value.to.city": "filter"},
        "_value.item": {
            "orders._value.item": "value",
            "orders._value.price": "filter",
            "orders._value.to.city": "filter",
        },
        "_value.price": {"orders._value.price": "value filter", "orders._value.to.city": "filter"},
    }


def test_a_branch_that_is_never_taken_is_no_source() -> None:
    """What folding removes decides about nothing."""
    found = traced("SELECT STREAM CASE WHEN 1 = 2 OR TRUE THEN item ELSE to.city END AS a FROM orders")
    assert found["_value.a"] == {"orders._value.item": "value"}


def test_the_key_of_a_table_decides_which_row_replaces_which() -> None:
    """Each column of the key of a TABLE that is read; of a STREAM it does not."""
    assert traced("SELECT TABLE name FROM people")["_value.name"] == {
        "people._key": "key",
        "people._value.name": "value",
    }
    assert traced("SELECT STREAM name FROM people")["_value.name"] == {"people._value.name": "value"}


def test_an_aggregate_comes_from_its_argument_and_its_group() -> None:
    """COUNT(*) counts records and so has no value of its own; HAVING filters by what its aggregates read."""
    text = "SELECT STREAM item, COUNT(*) AS n, SUM(price * amount) AS s FROM orders GROUP BY item, to.city AS town"
    found = traced(text)
    group = {"orders._value.item": "key", "orders._value.to.city": "key"}
    assert found["_value.n"] == group
    assert found["_value.s"] == {**group, "orders._value.price": "value", "orders._value.amount": "value"}
    assert found["_value.item"] == {**group, "orders._value.item": "value key"}
    assert found["_key.item"] == {**group, "orders._value.item": "value key"}
    assert found["_key.town"] == {**group, "orders._value.to.city": "value key"}


def test_having_filters_by_what_its_aggregates_read() -> None:
    """Of every column, not of the aggregate's own alone."""
    found = traced("SELECT STREAM COUNT(*) AS n, SUM(price) AS s FROM orders GROUP BY item HAVING SUM(price) > 5")
    assert found["_value.n"] == {"orders._value.item": "key", "orders._value.price": "filter"}
    assert found["_value.s"] == {"orders._value.item": "key", "orders._value.price": "value filter"}


def test_windows_are_made_of_the_records_time() -> None:
    """The event time orders, and the bounds of the window are computed from it."""
    found = traced("SELECT STREAM SUM(ms) AS s FROM visits WINDOW BY TUMBLE 1m GROUP BY who")
    assert found["_value.s"] == {
        "visits._value.at": "order",
        "visits._value.ms": "value",
        "visits._value.who": "key",
    }
    assert found["_key.key"] == {"visits._value.at": "order", "visits._value.who": "value key"}
    assert found["_key.start"] == {"visits._value.at": "value order", "visits._value.who": "key"}


def test_a_join_meets_by_keys_and_keeps_its_sides_apart() -> None:
    """Fields come from the side that they are of; the equality is a key, the rest of ON a filter."""
    found = traced(
        "WITH people_now AS (SELECT TABLE * FROM people); "
        "SELECT STREAM o.item AS i, p.name AS n FROM orders AS o "
        "INNER JOIN people_now AS p ON o._key = p._key AND p.vip = TRUE"
    )
    decides = {"orders._key": "key", "people._key": "key", "people._value.vip": "filter"}
    assert found["_value.i"] == {**decides, "orders._value.item": "value"}
    assert found["_value.n"] == {**decides, "people._value.name": "value"}


def test_the_same_topic_on_both_sides_is_one_source() -> None:
    """A self-join through another field: the boss's name."""
    found = traced(
        "WITH a AS (SELECT TABLE * FROM people); WITH b AS (SELECT TABLE * FROM people); "
        "SELECT TABLE a.name AS name, b.name AS boss FROM a INNER JOIN b ON a.boss = b._key"
    )
    decides = {"people._key": "key", "people._value.boss": "key"}
    assert found["_value.boss"] == {**decides, "people._value.name": "value"}


def test_a_star_over_a_join_takes_both_sides() -> None:
    """`p.*` names the fields of one side."""
    found = values(
        traced(
            "WITH p AS (SELECT TABLE * FROM people); WITH s AS (SELECT TABLE * FROM shops); "
            "SELECT TABLE p.*, s.owner AS o FROM p LEFT JOIN s ON p._key = s._key"
        )
    )
    assert found["_value.boss"] == {"_value.boss"}
    assert found["_value.o"] == {"_value.owner"}
    assert "_key" in found["_key"]


def test_an_element_of_an_array_comes_from_the_array() -> None:
    """LATERAL: the array is the value of what is read of an element, and decides how many records there are."""
    found = traced("SELECT STREAM t.name AS tag, item FROM orders LATERAL tags AS t WHERE t.n > 1")
    assert found["_value.tag"] == {"orders._value.tags": "value filter"}
    assert found["_value.item"] == {"orders._value.item": "value", "orders._value.tags": "filter"}


def test_with_statements_are_seen_through() -> None:
    """A chain that renames, filters and groups; one that is read twice counts each use."""
    found = traced(
        "WITH a AS (SELECT STREAM item AS i, price AS cost.net, amount FROM orders WHERE at > 5); "
        "WITH b AS (SELECT STREAM i AS j, cost.net + 1 AS k FROM a WHERE amount > 0); "
        "SELECT STREAM j AS out.j, k AS out.k FROM b"
    )
    decides = {"orders._value.at": "filter", "orders._value.amount": "filter"}
    assert found["_value.out.j"] == {**decides, "orders._value.item": "value"}
    assert found["_value.out.k"] == {**decides, "orders._value.price": "value"}


def test_several_statements_of_one_target_add_up() -> None:
    """A STREAM that two statements write comes from the sources of both."""
    found = traced(
        "INSERT INTO names SELECT STREAM item AS n FROM orders; "
        "INSERT INTO names SELECT STREAM name AS n FROM people WHERE vip"
    )
    assert found["_value.n"] == {
        "orders._value.item": "value",
        "people._value.name": "value",
        "people._value.vip": "filter",
    }


def test_a_new_key_of_a_table_decides_as_keys_do() -> None:
    """What the key is computed from replaces rows; so does the key that it had."""
    found = traced("SELECT TABLE name, boss AS _key FROM people")
    assert found["_value.name"] == {"people._key": "key", "people._value.boss": "key", "people._value.name": "value"}
    assert found["_key"] == {"people._key": "key", "people._value.boss": "value key"}


def test_a_value_of_a_table_that_can_be_null_deletes() -> None:
    """A field that is the whole value decides whether there is a row; in a STREAM it is a record all the same."""
    assert traced("SELECT TABLE boss AS _value FROM people")["_key"] == {
        "people._key": "value key",
        "people._value.boss": "filter",
    }
    assert traced("SELECT STREAM boss AS _value FROM people") == {
        "_key": {"people._key": "value"},
        "_value": {"people._value.boss": "value"},
    }


def test_odd_names_are_quoted() -> None:
    """A dot in a name is not one between names."""
    topic = lsqlc.Topic("t", value="`a.b` INT, a STRUCT<b: INT>")
    (found,) = lineage(lsqlc.compile("SELECT STREAM `a.b` AS x, a.b AS y FROM t", topics=[topic]))
    assert found.columns["_value.x"] == (Column("t", "_value.`a.b`"),)
    assert found.columns["_value.y"] == (Column("t", "_value.a.b"),)


def test_a_program_of_ksqldb_has_a_lineage_too() -> None:
    """The same nodes carry both dialects; the columns of the key are there by their own names."""
    text = (
        "CREATE STREAM s (id INT KEY, a INT, b VARCHAR) WITH (kafka_topic='s', value_format='JSON');"
        "CREATE TABLE t AS SELECT id, SUM(a) AS total FROM s WHERE b = 'x' GROUP BY id;"
    )
    (found,) = lineage(lsqlc.compile(text, dialect="ksql"))
    assert shown(found)["_value.TOTAL"] == {"s._key": "key", "s._value.A": "value", "s._value.B": "filter"}


def test_every_written_column_is_there() -> None:
    """In order of the schema; topics for bad records have none."""
    plan = lsqlc.compile("INSERT INTO out SELECT STREAM item, to FROM orders", topics=TOPICS)
    (found,) = lineage(plan)
    assert (
        tuple(found.columns)
        == columns(plan.outputs[0])
        == ("_key", "_value.item", "_value.to.city", "_value.to.geo.x", "_value.to.geo.y")
    )


def test_lineage_survives_its_json() -> None:
    """What the manifest holds is all there is."""
    found = lineage(
        lsqlc.compile("SELECT TABLE item, SUM(price) AS s FROM orders WHERE at > 1 GROUP BY item", topics=TOPICS)
    )
    assert lineage_from(json.loads(json.dumps(lineage_data(found)))) == found


@pytest.fixture
def chain() -> LineageGraph:
    """orders -> clean -> (totals, dear) -> names: three models, one after the other, and one aside."""
    clean = "INSERT INTO clean SELECT STREAM item, price AS cost FROM orders WHERE amount > 0"
    totals = "INSERT INTO totals SELECT STREAM item, SUM(cost) AS total FROM clean GROUP BY item"
    dear = "INSERT INTO dear SELECT STREAM item FROM clean WHERE cost > 100"
    names = "INSERT INTO names SELECT STREAM total AS t FROM totals"
    known = [
        *TOPICS,
        lsqlc.Topic("clean", key="INT", value="item STRING, cost INT"),
        lsqlc.Topic("totals", key="STRING", value="item STRING, total BIGINT"),
    ]
    plans = [lsqlc.compile(text, topics=known) for text in (clean, totals, dear, names)]
    return lineage_graph(each for plan in plans for each in lineage(plan))


def reached(sources: Any) -> dict[str, str]:
    return {f"{s.column.topic}.{s.column.name}": " ".join(s.uses) for s in sources}


def test_upstream_goes_through_every_model(chain: LineageGraph) -> None:
    """What is a value all the way is one; what filters or groups on the way decides in the end too."""
    assert reached(upstream(chain, [Column("names", "_value.t")])) == {
        "totals._value.total": "value",
        "clean._value.cost": "value",
        "clean._value.item": "key",
        "orders._value.price": "value",
        "orders._value.item": "key",
        "orders._value.amount": "filter",
    }


def test_downstream_goes_through_every_model(chain: LineageGraph) -> None:
    """`price` becomes totals, and chooses what is dear; `amount` filters all there is."""
    assert reached(downstream(chain, [Column("orders", "_value.price")])) == {
        "clean._value.cost": "value",
        "totals._value.total": "value",
        "names._value.t": "value",
        "dear._key": "filter",
        "dear._value.item": "filter",
    }
    everything = {f"{topic}.{name}" for topic, found in chain.lineages.items() for name in found.columns}
    assert reached(downstream(chain, [Column("orders", "_value.amount")])) == dict.fromkeys(everything, "filter")


def test_what_nobody_reads_leads_nowhere(chain: LineageGraph) -> None:
    """Neither does a column that is not there."""
    assert downstream(chain, [Column("orders", "_value.to.city"), Column("nowhere", "_value.x")]) == ()
    assert upstream(chain, [Column("orders", "_value.price")]) == ()


def test_what_makes_a_row_of_files_the_newest_is_its_order() -> None:
    """The column of `order_by`, where the files are read as a TABLE; a column that nobody declared has its name."""
    facet = Facet(Struct((Field("id", INT), Field("at", INT), Field("name", STRING))), "csv")
    files = Files("prices", "csv", key=("id",), order_by="at")
    topic = Topic("prices", Facet(INT, "int"), facet, files=files)
    value = ex.StructOf(
        ("n", "more"), tuple(ex.Field(0, "value", (name,), STRING, True) for name in ("name", "undeclared"))
    )
    expected: tuple[tuple[nodes.Semantics, dict[str, str]], ...] = (
        ("TABLE", {"prices._key": "key", "prices._value.at": "order"}),
        ("STREAM", {}),
    )
    for semantics, order in expected:
        scan = nodes.Scan(topic, "prices", semantics, topic.key, topic.value)
        node = nodes.Project(scan, ex.Field(0, "key", (), INT, True), value, "int", "json", False, "out")
        written = Topic("out", topic.key, node.relations[0].value)
        found = shown(lineage(Plan("out", (nodes.Sink((node,), written),)))[0])
        assert found["_value.n"] == {"prices._value.name": "value", **order}
        assert found["_value.more"] == {"prices._value.undeclared": "value", **order}
