"""What is offered at a place, half-typed text included. `¦` is the cursor; a list is what is offered first."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.editor.calls import call_at
from lsqlc.editor.completion import completion
from lsqlc.editor.snapshot import take

from .project import MARK, OUTSIDE, typed, write

NEW = "models/new.sql"
WITH = "WITH priced AS (SELECT STREAM item, price * 2 AS doubled FROM orders);\n"
KSQL = (
    "{{ config(dialect='ksql') }}CREATE STREAM o (id INT KEY, item STRING) WITH "
    "(KAFKA_TOPIC='raw', VALUE_FORMAT='JSON');\n"
)
FIELDS = {"id", "item", "price", "lines", "ship"}


def offered(shop: Path, path: str, marked: str) -> dict[str, str]:
    """Kind by label of all that is offered."""
    snapshot, path, offset = typed(shop, path, marked)
    found = completion(snapshot, path, offset)
    return {item.label: item.kind for item in found.items} if found else {}


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("¦", {"INSERT INTO", "WITH", "SET", "SELECT STREAM"}, {"FROM", "orders"}),
        ("SELECT ¦", {"STREAM", "TABLE"}, {"FROM", "item"}),
        ("SELECT STREAM * FROM ¦", {"orders", "customer-events", "large-orders", "tickets"}, {"item", "WHERE"}),
        (WITH + "INSERT INTO x SELECT STREAM * FROM pr¦", {"priced", "orders"}, {"doubled"}),
        ("SELECT STREAM * FROM orders AS o JOIN ¦", {"customer-events"}, {"ON"}),
        ("INSERT INTO ¦", {"large-orders", "orders"}, {"item"}),
        ("INSERT INTO x ¦", {"STORE", "SELECT STREAM"}, {"item"}),
        ("INSERT INTO x STORE KEY AS ¦", {"AVRO", "JSON"}, {"_key"}),
        ("SELECT STREAM ¦ FROM orders", FIELDS | {"_key", "_value", "UPPER", "COUNT", "CASE"}, {"AND", "name"}),
        ("SELECT STREAM item, pr¦ FROM orders", FIELDS, {"FROM"}),
        ("SELECT STREAM UPPER(¦) FROM orders", FIELDS | {"LOWER"}, {"FROM"}),
        ("SELECT STREAM item * ¦ FROM orders", FIELDS, {"FROM"}),
        ("SELECT STREAM item ¦ FROM orders", {"AS", "FROM", "AND"}, {"item", "UPPER"}),
        ("SELECT STREAM item AS ¦ FROM orders", {"_key", "_value"}, {"item"}),
        ("SELECT STREAM item FROM orders ¦", {"AS", "LEFT JOIN", "WHERE", "GROUP BY"}, {"HAVING", "item"}),
        ("SELECT STREAM item FROM orders WHERE ¦", FIELDS, {"FROM"}),
        ("SELECT STREAM item FROM orders WHERE price > 1 ¦", {"AND", "GROUP BY"}, {"item", "HAVING"}),
        ("SELECT STREAM item FROM orders WHERE it¦ = 'a' AND", FIELDS, set()),
        ("SELECT STREAM COUNT(*) AS n FROM orders GROUP ¦", {"BY"}, {"item"}),
        ("SELECT STREAM COUNT(*) AS n FROM orders GROUP BY ¦", FIELDS, {"BY"}),
        ("SELECT STREAM COUNT(*) AS n FROM orders WINDOW BY ¦", {"TUMBLE", "HOP", "SESSION"}, {"item"}),
        ("SELECT STREAM COUNT(*) AS n FROM orders GROUP BY item HAVING ¦", {"n"}, set()),
        ("SELECT STREAM CAST(price AS ¦) FROM orders", {"BIGINT", "STRING"}, {"item"}),
        ("SELECT STREAM CASE WHEN price > 1 ¦ FROM orders", {"THEN", "AND"}, {"item"}),
        ("SELECT STREAM o.¦ FROM orders AS o", FIELDS | {"_key", "_value"}, {"UPPER", "o"}),
        ("SELECT STREAM o.ship.¦ FROM orders AS o", {"city"}, FIELDS),
        ("SELECT STREAM ship.¦ FROM orders", {"city"}, FIELDS),
        ("SELECT STREAM _value.ship.¦ FROM orders", {"city"}, FIELDS),
        ("SELECT STREAM _key.¦ FROM customer-events", {"id", "region"}, {"name"}),
        ("SELECT STREAM customer-events._key.¦ FROM customer-events", {"id", "region"}, {"name"}),
        ("SELECT STREAM `customer-events`.¦ FROM `customer-events`", {"name", "age", "_key"}, {"id"}),
        ("SELECT STREAM line.¦ FROM orders LATERAL lines AS line", {"sku", "n"}, FIELDS),
        ("SELECT STREAM ¦ FROM orders LATERAL lines AS line", FIELDS | {"line"}, {"sku"}),
        ("SELECT STREAM c.¦ FROM orders AS o JOIN customer-events AS c ON", {"name", "age"}, {"item"}),
        ("SELECT STREAM ¦ FROM orders AS o JOIN customer-events AS c ON", {"o", "c", "item", "age"}, {"_key"}),
        ("SELECT STREAM * FROM orders AS o JOIN customer-events AS c ON o._key = c._key.¦", {"id"}, {"name"}),
        (WITH + "INSERT INTO x SELECT STREAM ¦ FROM priced", {"item", "doubled"}, {"price"}),
        ("INSERT INTO a SELECT STREAM ¦ FROM tickets; INSERT INTO b SELECT STREAM * FROM orders", {"text"}, {"item"}),
        ("SET ¦", {"error.policy", "defaults.topic.partitions"}, {"FROM"}),
        ("SET defaults.topic.par¦", {"defaults.topic.partitions"}, {"item"}),
        ("SET error.policy = ¦", {"fail", "continue", "dlq"}, {"item"}),
        ("SELECT STREAM 'it¦em' FROM orders", set(), FIELDS),
        ("SELECT STREAM 'it¦", set(), FIELDS),
        ("SELECT STREAM item -- so¦\nFROM orders", set(), FIELDS | {"FROM"}),
        ("SELECT STREAM item FROM {{ ref('¦", {"large", "per_item"}, {"orders"}),
        ("SELECT STREAM item FROM {{ ref('la¦') }};", {"large", "per_item"}, {"orders"}),
        ("SELECT STREAM d¦ FROM {{ ref('large') }}", {"doubled", "item"}, {"price"}),
        ("SELECT STREAM c¦ FROM {{ source('crm', 'tickets') }}", {"customer", "text"}, {"price"}),
        ("SELECT STREAM item FROM {{ source('crm', '¦') }}", {"tickets"}, {"orders"}),
        ("SELECT STREAM item FROM {{ source('¦", {"crm", "orders"}, {"large"}),
        ("SELECT STREAM {{ var('¦') }}", {"least"}, {"large"}),
        ("SELECT STREAM {{ ¦ }} FROM orders", {"ref", "twice"}, {"item"}),
        ("{% if true %}\nSELECT STREAM ¦\nFROM orders\n{% endif %}", FIELDS, {"ref"}),
    ],
)
def test_of_the_lenses_language(shop: Path, text: str, wanted: set[str], unwanted: set[str]) -> None:
    """What fits at the place is offered, what does not is not."""
    found = offered(shop, NEW, text)
    assert wanted <= found.keys() and not unwanted & found.keys()


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("{{ config(dialect='ksql') }}¦", {"CREATE STREAM", "CREATE TABLE"}, {"SELECT STREAM"}),
        ("{{ config(dialect='ksql') }}CREATE ¦", {"STREAM", "OR REPLACE TABLE"}, {"INTO"}),
        ("{{ config(dialect='ksql') }}CREATE STREAM o (id ¦", {"INT", "STRING"}, {"item"}),
        ("{{ config(dialect='ksql') }}CREATE STREAM o (id INT KEY) ¦", {"WITH", "AS SELECT"}, {"INT"}),
        ("{{ config(dialect='ksql') }}CREATE STREAM o (id INT KEY) WITH (¦", {"KAFKA_TOPIC", "VALUE_FORMAT"}, {"INT"}),
        ("{{ config(dialect='ksql') }}CREATE STREAM o (id INT KEY) WITH (KAFKA_TOPIC='or¦", {"orders"}, {"INT"}),
        (KSQL + "CREATE STREAM x AS SELECT ¦ FROM o", {"ID", "ITEM", "UCASE"}, {"_key", "FROM"}),
        (KSQL + "CREATE STREAM x AS SELECT o.¦ FROM o", {"ID", "ITEM"}, {"UCASE"}),
        (KSQL + "CREATE STREAM x AS SELECT * FROM ¦", {"O"}, {"orders"}),
        (KSQL + "CREATE STREAM x AS SELECT ITEM FROM o WHERE ¦", {"ID", "ITEM"}, {"FROM"}),
        (KSQL + "CREATE STREAM x AS SELECT ITEM FROM o ¦", {"WHERE", "EMIT CHANGES", "LEFT JOIN"}, {"ITEM"}),
        (KSQL + "INSERT INTO ¦", {"O"}, {"orders"}),
    ],
)
def test_of_ksql(shop: Path, text: str, wanted: set[str], unwanted: set[str]) -> None:
    """Sources are the program's own, columns have no facets, keywords are its own."""
    found = offered(shop, "models/k.sql", text)
    assert wanted <= found.keys() and not unwanted & found.keys()


FLOW = "CREATE FLOW f AS AUTO CDC INTO new FROM STREAM(orders) AS o"


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("¦", {"SELECT", "CREATE FLOW", "APPLY CHANGES INTO"}, {"FROM", "orders"}),
        ("SELECT ¦ FROM STREAM(orders)", FIELDS | {"UPPER"}, {"FROM", "KEYS"}),
        ("SELECT o.¦ FROM STREAM(orders) AS o", FIELDS, {"FROM"}),
        ("SELECT id FROM STREAM(orders) ¦", {"WHERE", "JOIN"}, {"KEYS", "SEQUENCE BY"}),
        ("SELECT keys AS columns, ¦ FROM orders", FIELDS, {"SEQUENCE BY"}),
        ("CREATE ¦", {"FLOW", "STREAMING TABLE"}, {"FROM"}),
        ("CREATE FLOW f AS AUTO ¦", {"CDC INTO"}, {"FROM"}),
        ("CREATE FLOW f AS AUTO CDC INTO ¦", {"orders"}, {"KEYS"}),
        ("CREATE FLOW f AS AUTO CDC INTO new ¦", {"FROM"}, {"KEYS", "orders"}),
        ("CREATE FLOW f AS AUTO CDC INTO new FROM ¦", {"orders"}, {"KEYS"}),
        (f"{FLOW} ¦", {"KEYS"}, {"WHERE", "id", "SEQUENCE BY"}),
        (f"{FLOW} KEYS (¦", FIELDS, {"KEYS", "SEQUENCE BY"}),
        (f"{FLOW} KEYS (id) ¦", {"SEQUENCE BY", "APPLY AS DELETE WHEN", "STORED AS SCD TYPE 2"}, {"id", "WHERE"}),
        (f"{FLOW} KEYS (id) SEQUENCE ¦", {"BY"}, {"id"}),
        (f"{FLOW} KEYS (id) SEQUENCE BY ¦", FIELDS | {"UPPER"}, {"COLUMNS"}),
        (f"{FLOW} KEYS (id) SEQUENCE BY o.¦", FIELDS, {"COLUMNS"}),
        (f"{FLOW} KEYS (id) SEQUENCE BY id ¦", {"COLUMNS", "AND", "TRACK HISTORY ON"}, {"WHERE", "item"}),
        (f"{FLOW} KEYS (id) APPLY AS DELETE WHEN ¦", FIELDS, {"COLUMNS"}),
        (f"{FLOW} KEYS (id) SEQUENCE BY id COLUMNS * EXCEPT (¦", FIELDS, {"COLUMNS"}),
        (f"{FLOW} KEYS (id) SEQUENCE BY id STORED ¦", {"AS SCD TYPE 1", "AS SCD TYPE 2"}, {"id"}),
        (f"{FLOW} KEYS (id) SEQUENCE BY id TRACK ¦", {"HISTORY ON"}, {"id"}),
        ("APPLY CHANGES INTO new FROM (SELECT ¦ FROM STREAM(orders))", FIELDS, {"KEYS"}),
        ("APPLY CHANGES INTO new FROM (SELECT id FROM STREAM(orders) ¦", {"WHERE"}, {"KEYS"}),
        ("APPLY CHANGES INTO new FROM STREAM(orders) ¦", {"KEYS"}, {"WHERE"}),
    ],
)
def test_of_standard_sql(shop: Path, text: str, wanted: set[str], unwanted: set[str]) -> None:
    """In queries, and in flows of changes, which have clauses of their own."""
    found = offered(shop, NEW, "{{ config(dialect='sql') }}" + text)
    assert wanted <= found.keys() and not unwanted & found.keys()


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("lsqlc.yml", "name: shop\n¦", {"model-paths", "defaults", "lint"}),
        ("lsqlc.yml", "defaults:\n  ¦", {"grace", "nullability"}),
        ("lsqlc.yml", "defaults: {¦", {"grace", "nullability"}),
        ("lsqlc.yml", "defaults:\n  nullability: ¦", {"lenient", "strict"}),
        ("models/topics.yml", "¦", {"topics", "models", "sources"}),
        ("models/topics.yml", "topics:\n- name: a\n  ¦", {"key", "value", "event_time"}),
        ("models/topics.yml", "topics:\n  - ¦", {"name", "key"}),
        ("models/topics.yml", "topics:\n  - name: a\n    connector: ¦", {"kafka", "files"}),
        ("models/topics.yml", "sources:\n  - name: a\n    topics:\n      - {name: b, ¦}", {"key", "value"}),
        ("models/topics.yml", "models:\n  - name: la¦", {"large", "per_item"}),
        ("models/topics.yml", "models:\n  - name: a\n    config:\n      ¦", {"tags", "dialect"}),
        ("tests/large.yml", "cases:\n  - name: one\n    ¦", {"model", "inputs", "expect"}),
        ("tests/large.yml", "cases:\n  - name: one\n    model: ¦", {"large"}),
        ("tests/large.yml", "cases:\n  - name: one\n    inserts: ¦", {"true", "false"}),
        ("tests/large.yml", "cases:\n  - name: one\n    inputs:\n      ¦", {"orders", "tickets"}),
        ("tests/large.yml", "cases:\n  - name: one\n    inputs:\n      orders:\n        - {key: 1, ¦", {"value"}),
        ("tests/large.yml", "cases:\n  - arrivals:\n      - topic: ¦", {"orders"}),
        ("profiles.yml", "targets:\n  a:\n    ¦", {"type", "address"}),
    ],
)
def test_of_yaml(shop: Path, path: str, text: str, wanted: set[str]) -> None:
    """Keys and values are those of the schema of the file, models and topics where they are named."""
    assert wanted <= offered(shop, path, text).keys()


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("SELECT STREAM it¦ FROM orders", "it"),
        ("SELECT STREAM o.it¦ FROM orders AS o", "it"),
        ("SELECT STREAM item FROM customer-ev¦", "customer-ev"),
        ("SELECT STREAM price -¦ FROM orders", ""),
        ("SET error.po¦", "error.po"),
        ("SELECT STREAM item FROM {{ ref('la¦') }}", "la"),
    ],
)
def test_what_is_replaced(shop: Path, text: str, replaced: str) -> None:
    """A topic with all its hyphens and dots, a column behind its last dot."""
    snapshot, path, offset = typed(shop, NEW, text)
    found = completion(snapshot, path, offset)
    assert found is not None and snapshot.texts[path][slice(*found.at)] == replaced


def test_names_that_need_quotes_get_them(tmp_path: Path) -> None:
    """A column that is a keyword, or has a space, is written between backticks."""
    topic = 'topics: [{name: t, key: INT, value: "`a b` INT, `from` INT, plain INT, `hy-phen` INT"}]'
    root = write(tmp_path, {"lsqlc.yml": "name: a\n", "models/t.yml": topic, "models/a.sql": ""})
    snapshot, path, offset = typed(root, "models/a.sql", "SELECT STREAM ¦ FROM t")
    found = completion(snapshot, path, offset)
    inserted = {item.label: item.insert for item in found.items} if found else {}
    assert [inserted[n] for n in ("a b", "from", "plain", "hy-phen")] == ["`a b`", "`from`", "plain", "hy-phen"]


def test_an_ambiguous_column_comes_with_its_source(shop: Path) -> None:
    """Of two sides that have it, the name alone would be an error."""
    found = offered(shop, NEW, "SELECT STREAM ¦ FROM orders AS a JOIN orders AS b ON a._key = b._key")
    assert {"a.item", "b.item"} <= found.keys() and "item" not in found


def test_it_needs_no_new_compilation(shop: Path) -> None:
    """The last snapshot answers for a text that was typed since: as fast as each key wants it."""
    snapshot = take(shop, {}, OUTSIDE)
    text = "WITH a AS (SELECT STREAM ship FROM orders);\nINSERT INTO b SELECT STREAM ship.¦ FROM a"
    found = completion(snapshot.typed({NEW: text.replace(MARK, "")}), NEW, text.index(MARK))
    assert found is not None and [item.label for item in found.items] == ["city"]


@pytest.mark.parametrize(
    ("text", "form", "active"),
    [
        ("SELECT STREAM SUBSTRING(¦", "SUBSTRING(text, start, [end])", "text"),
        ("SELECT STREAM SUBSTRING(item, ¦", "SUBSTRING(text, start, [end])", "start"),
        ("SELECT STREAM SUBSTRING(UPPER(item), 1, 2¦) FROM orders", "SUBSTRING(text, start, [end])", "[end]"),
        ("SELECT STREAM SUBSTRING(UPPER(it¦em), 1) FROM orders", "UPPER(text)", "text"),
        ("SELECT STREAM CONCAT(item, item, item, item, ¦", "CONCAT(text, ...)", "..."),
        ("{{ config(dialect='ksql') }}CREATE STREAM a AS SELECT UCASE(¦", "UCASE(text)", "text"),
        ("SELECT STREAM UPPER(item)¦ FROM orders", None, None),
        ("SELECT STREAM (item¦) FROM orders", None, None),
        ("SELECT STREAM NOTHING(¦) FROM orders", None, None),
        ("¦", None, None),
    ],
)
def test_the_call_that_is_being_written(shop: Path, text: str, form: str | None, active: str | None) -> None:
    """The innermost one, with the argument at the cursor; of what repeats, the last."""
    path = "models/k.sql" if "ksql" in text else NEW
    found = call_at(*typed(shop, path, text))
    assert (found.form if found else None) == form
    assert (found.parameters[found.active] if found else None) == active
