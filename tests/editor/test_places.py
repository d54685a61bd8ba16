"""Hover, definition, references and outline: what is known of the words at a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.diagnostics.catalogue import parse_page
from lsqlc.editor.answers import Location
from lsqlc.editor.definition import definition
from lsqlc.editor.hover import hover
from lsqlc.editor.references import references
from lsqlc.editor.snapshot import Snapshot, take
from lsqlc.editor.symbols import symbols

from .project import MARK, OUTSIDE, in_file, typed, write

LARGE, PER_ITEM, TEMPLATED = "models/large.sql", "models/per_item.sql", "models/templated.sql"
TOPICS, CASES = "models/topics.yml", "tests/large.yml"
KSQL = """\
{{ config(dialect='ksql') }}CREATE STREAM sales (id INT KEY, item STRING) WITH (KAFKA_TOPIC='raw', VALUE_FORMAT='JSON');
CREATE STREAM upper_sales AS SELECT id, UCASE(item) AS loud FROM sales s WHERE s.item <> 'x';
CREATE STREAM more AS SELECT id, loud FROM upper_sales;
"""


def words(snapshot: Snapshot, place: Location) -> str:
    """The file's name, and the words at the place in it."""
    return f"{Path(place.path).name}: {snapshot.texts[place.path][slice(*place.at)]}"


@pytest.mark.parametrize(
    ("path", "before", "after", "shown"),
    [
        (LARGE, "FROM ord", "ers", ["topic orders", "price: DOUBLE", "What was ordered.", "partitions: 6", "sales"]),
        (LARGE, "pri", "ce > 100", ["price: DOUBLE", "may be null", "`_value.price` of the topic `orders`"]),
        (LARGE, "_ke", "y AS _key", ["_key: INT", "from `orders._key`"]),
        (LARGE, "price ", "* 2", ["price * 2: DOUBLE", "from `orders._value.price`"]),
        (LARGE, "doub", "led\nFROM", ["doubled: DOUBLE", "of the query `priced`", "from `orders._value.price`"]),
        (LARGE, "FROM pri", "ced", ["STREAM priced", "doubled: DOUBLE"]),
        (
            LARGE,
            "INSERT INTO large-",
            "orders",
            ["STREAM `large-orders`", "by the model `large`", "sales team"],
        ),
        (LARGE, "SEL", "ECT STREAM item, doubled", ["model large", "Sink `large-orders`", "Scan [STREAM] orders"]),
        (PER_ITEM, "CO", "UNT", ["COUNT(* | value)", "never null", "Here: `BIGINT`"]),
        (PER_ITEM, "MA", "XK", ["MAXK(value, n)", "Not supported on a TABLE"]),
        (PER_ITEM, "GROUP BY it", "em", ["item: STRING", "`_value.item` of the topic `large-orders`"]),
        (TEMPLATED, "ref('lar", "ge", ["model large", "Sink"]),
        (TEMPLATED, "doub", "led >", ["doubled: DOUBLE"]),
        (CASES, "model: la", "rge", ["model large"]),
        (CASES, "mod", "el: large", ["The model that it tests."]),
        (CASES, "ord", "ers:", ["topic orders"]),
        (TOPICS, "part", "itions", ["How many partitions"]),
    ],
)
def test_hover(shop: Path, path: str, before: str, after: str, shown: list[str]) -> None:
    """Types, where they come from, and what people wrote of a topic."""
    found = hover(*in_file(shop, path, before, after))
    assert found is not None
    assert [part for part in shown if part not in found.text] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("SELECT STREAM UPP¦ER(item) FROM orders", ["UPPER(text)", "Here: `STRING`"]),
        ("SELECT STREAM i¦d FROM orders", ["id: INT", "never null"]),
        ("SELECT STREAM o¦.id FROM orders AS o", ["topic orders"]),
        ("SELECT STREAM o.id FROM orders AS o¦", ["topic orders"]),
        ("SELECT STREAM o.ship.ci¦ty FROM orders AS o", ["o.ship.city: STRING", "from `orders._value.ship.city`"]),
        ("SELECT STREAM line.sk¦u FROM orders LATERAL lines AS line", ["sku: STRING", "from `orders._value.lines`"]),
        ("SET error.pol¦icy = 'continue'; SELECT STREAM * FROM orders", ["SET error.policy", "'dlq'"]),
        ("SELECT STREAM nothing, i¦d FROM orders", ["id: INT"]),
        ("SELECT STREAM SUM(x), it¦em FROM orders GROUP BY id", ["item: STRING"]),
        ("WITH a AS (SELECT STREAM id FROM orders); INSERT INTO b SELECT STREAM i¦d FROM a; SELECT", ["id: INT"]),
        ("-- lint: ignore LSQ8¦20\nSELECT STREAM * FROM orders", ["# ", "## Wrong"]),
        ("SELECT STR¦EAM nothing FROM orders", ["has errors and no plan"]),
        ("SELECT STREAM o.it¦em FROM orders AS o JOIN orders AS c WITHIN 5s ON o._key = c._key",
         ["o.item: STRING"]),
        ("SELECT STREAM item FROM orders WHERE {{ 'price' }} > 1 AND i¦d = 1", ["id: INT"]),
        ("SELECT STREAM it¦em FROM {{ ref('large'", ["item: STRING"]),
    ],
)  # fmt: skip
def test_hover_in_a_text_being_typed(shop: Path, text: str, shown: list[str]) -> None:
    """What is right has its answer, whatever else is wrong with the text."""
    found = hover(*typed(shop, "models/new.sql", text))
    assert found is not None
    assert [part for part in shown if part not in found.text] == []


@pytest.mark.parametrize("text", ["SELECT ¦ STREAM 1 FROM orders", "¦", "SELECT STREAM 'it¦em' FROM", "{{ ¦"])
def test_nothing_to_hover(shop: Path, text: str) -> None:
    """Where nothing stands, or nothing is known, nothing is said."""
    assert hover(*typed(shop, "models/new.sql", text)) is None


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("FROM upper_", "sales", ["STREAM UPPER_SALES", "LOUD: STRING"]),
        ("UCA", "SE", ["UCASE("]),
        ("id, lo", "ud FROM", ["loud: STRING", "from `raw._value.ITEM`"]),
        ("WHERE s.it", "em", ["s.item: STRING"]),
    ],
)
def test_hover_of_ksql(shop: Path, before: str, after: str, shown: list[str]) -> None:
    """Streams, columns and functions of ksqlDB's dialect."""
    assert KSQL.count(before + after) == 1
    found = hover(*typed(shop, "models/k.sql", KSQL.replace(before + after, before + MARK + after)))
    assert found is not None
    assert [part for part in shown if part not in found.text] == []


@pytest.mark.parametrize(
    ("path", "before", "after", "places"),
    [
        (LARGE, "FROM ord", "ers", ["topics.yml: orders"]),
        (LARGE, "FROM pri", "ced", ["large.sql: priced"]),
        (LARGE, "pri", "ce > 100", ["topics.yml: price"]),
        (LARGE, "doub", "led\nFROM", ["large.sql: doubled"]),
        (LARGE, "INTO large-", "orders", ["large.sql: large-orders"]),
        (PER_ITEM, "FROM large-", "orders", ["large.sql: large-orders"]),
        (PER_ITEM, "dou", "bled", ["large.sql: doubled"]),
        (TEMPLATED, "ref('lar", "ge", ["large.sql: "]),
        (TEMPLATED, "doub", "led >", ["large.sql: doubled"]),
        (CASES, "model: la", "rge", ["large.sql: "]),
        (CASES, "ord", "ers:", ["topics.yml: orders"]),
        (TOPICS, "name: la", "rge", ["large.sql: "]),
    ],
)
def test_definition(shop: Path, path: str, before: str, after: str, places: list[str]) -> None:
    """A topic leads to who writes it, else to its YAML; a column to the projection or the schema that it comes from."""
    snapshot, path, offset = in_file(shop, path, before, after)
    assert [words(snapshot, place) for place in definition(snapshot, path, offset)] == places


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("SELECT STREAM {{ twi¦ce('price') }} FROM orders", ["money.sql: twice"]),
        ("SELECT STREAM text FROM {{ source('crm', 'tick¦ets') }}", ["topics.yml: tickets"]),
        ("SELECT STREAM te¦xt FROM {{ source('crm', 'tickets') }}", ["topics.yml: text"]),
        ("SELECT STREAM customer-events._key.reg¦ion FROM customer-events", ["topics.yml: region"]),
        ("SELECT STREAM o¦.id FROM orders AS o", ["new.sql: o"]),
        ("SELECT STREAM orde¦rs.id FROM orders", ["topics.yml: orders"]),
        ("WITH a AS (SELECT STREAM COUNT(*) AS n FROM orders GROUP BY item AS i);"
         "INSERT INTO b SELECT TABLE _key.¦i AS j FROM a", ["new.sql: i"]),
        ("WITH a AS (SELECT STREAM * FROM orders); INSERT INTO b SELECT STREAM i¦d FROM a", ["new.sql: *"]),
        ("SELECT STREAM UPP¦ER(item) FROM orders", []),
    ],
)  # fmt: skip
def test_definition_in_a_text_being_typed(shop: Path, text: str, places: list[str]) -> None:
    """Macros, sources, facets, aliases, groups, wildcards."""
    snapshot, path, offset = typed(shop, "models/new.sql", text)
    assert [words(snapshot, place) for place in definition(snapshot, path, offset)] == places


def test_a_code_leads_to_its_page(shop: Path) -> None:
    """The page lies in the package."""
    (place,) = definition(*typed(shop, LARGE, "-- lint: ignore LSQ8¦20\nSELECT STREAM * FROM orders"))
    assert parse_page(Path(place.path).read_text("utf-8")).title == "a wildcard depends on the columns of its topic"


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        ("FROM upper_", "sales", ["k.sql: upper_sales"]),
        ("id, lo", "ud FROM", ["k.sql: loud"]),
        ("UCASE(it", "em", ["k.sql: item"]),
        ("WHERE s", ".item", ["k.sql: s"]),
    ],
)
def test_definition_of_ksql(shop: Path, before: str, after: str, places: list[str]) -> None:
    """A stream leads to its CREATE, a column to where it is declared or projected."""
    marked = KSQL.replace(before + after, before + MARK + after)
    snapshot, path, offset = typed(shop, "models/k.sql", marked)
    assert [words(snapshot, place) for place in definition(snapshot, path, offset)] == places


@pytest.mark.parametrize(
    ("path", "before", "after", "places"),
    [
        (LARGE, "INTO large-", "orders",
         ["large.sql: large-orders", "per_item.sql: large-orders", "templated.sql: {{ ref('large') }}"]),
        (CASES, "ord", "ers:", ["large.sql: orders", "topics.yml: orders"]),
        (PER_ITEM, "dou", "bled", ["large.sql: doubled", "per_item.sql: doubled", "templated.sql: doubled"]),
        (LARGE, "pri", "ce > 100", ["large.sql: price", "large.sql: price", "topics.yml: price"]),
        (LARGE, "AS pri", "ced", ["large.sql: priced", "large.sql: priced"]),
        (LARGE, "doub", "led\nFROM", ["large.sql: doubled", "large.sql: doubled"]),
    ],
)  # fmt: skip
def test_references(shop: Path, path: str, before: str, after: str, places: list[str]) -> None:
    """Every model that reads or writes it is told, by ref() too, and the YAML that declares it."""
    text = (shop / path).read_text()
    if before == "AS pri":
        before, after = "WITH pri", "ced"
    assert before + after in text
    snapshot, path, offset = in_file(shop, path, before, after)
    assert sorted(words(snapshot, place) for place in references(snapshot, path, offset)) == sorted(places)


def test_outline(shop: Path) -> None:
    """Queries and targets in order, each with its columns."""
    snapshot = take(shop, {}, OUTSIDE)
    found = symbols(snapshot, LARGE)
    assert [(s.name, s.kind, s.detail, [c.name for c in s.children]) for s in found] == [
        ("priced", "query", "WITH, STREAM", ["item", "doubled", "_key"]),
        ("large-orders", "target", "INSERT INTO, STREAM", ["item", "doubled"]),
    ]
    for symbol in found:
        for each in (symbol, *symbol.children):
            assert each.whole[0] <= each.at[0] <= each.at[1] <= each.whole[1]
    assert symbols(snapshot, TOPICS) == () and symbols(snapshot, "nowhere.sql") == ()


def test_outline_of_ksql(shop: Path) -> None:
    """What is created, with its columns."""
    snapshot = take(shop, {"models/k.sql": KSQL}, OUTSIDE)
    assert [(s.name, s.detail, [c.name for c in s.children]) for s in symbols(snapshot, "models/k.sql")] == [
        ("SALES", "CREATE STREAM", ["ID", "ITEM"]),
        ("UPPER_SALES", "CREATE STREAM AS", ["id", "loud"]),
        ("MORE", "CREATE STREAM AS", ["id", "loud"]),
    ]


FLOW = """\
{{ config(dialect='sql') }}
CREATE OR REFRESH STREAMING TABLE new;
CREATE FLOW f AS AUTO CDC INTO new
FROM (SELECT id, item, price FROM STREAM(orders)) AS o
KEYS (id) SEQUENCE BY o.price COLUMNS (id, item)
STORED AS SCD TYPE 2;
"""


def test_a_flow_of_changes(shop: Path) -> None:
    """Its table is in the outline, and its words have a hover."""
    snapshot = take(shop, {"models/new.sql": FLOW}, OUTSIDE)
    (symbol,) = symbols(snapshot, "models/new.sql")
    assert (symbol.name, symbol.detail) == ("new", "AUTO CDC, SCD TYPE 2")
    assert [(c.name, snapshot.texts["models/new.sql"][slice(*c.at)]) for c in symbol.children] == [
        ("id", "id"),
        ("item", "item"),
    ]
    for before, after, shown in (
        ("KEYS (i", "d)", "id: INT\n```\nnever null"),
        ("BY o.pri", "ce", "DOUBLE"),
        ("STREAM(ord", "ers)", "What was ordered."),
        ("INTO ne", "w", "new"),
    ):
        marked = FLOW.replace(before + after, before + MARK + after)
        found = hover(*typed(shop, "models/new.sql", marked))
        assert found is not None and shown in found.text, before


def test_places_with_carriage_returns(shop: Path) -> None:
    """A file of Windows through Jinja, which reads line ends its own way, has its words where they are."""
    text = "{% set a = 1 %}\r\n\r\nSELECT STREAM\r\n  it¦em\r\nFROM orders\r\n"
    snapshot, path, offset = typed(shop, "models/new.sql", text)
    found = hover(snapshot, path, offset)
    assert found is not None and snapshot.texts[path][slice(*found.at)] == "item"


def test_a_schema_file_is_where_columns_are(tmp_path: Path) -> None:
    """A column of a topic whose schema is a file leads into that file."""
    avro = '{"type": "record", "name": "t", "fields": [{"name": "id", "type": "int"}]}'
    files = {
        "lsqlc.yml": "name: a\n",
        "models/t.yml": "topics:\n  - name: t\n    key: INT\n    value: {format: avro, schema: models/t.avsc}\n",
        "models/t.avsc": avro,
    }
    snapshot, path, offset = typed(write(tmp_path, files), "models/a.sql", "SELECT STREAM i¦d FROM t")
    assert [words(snapshot, place) for place in definition(snapshot, path, offset)] == ["t.avsc: id"]
