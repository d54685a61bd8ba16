"""Topics of Debezium in programs of each dialect: declared, read as STREAM and as TABLE, and written by none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc import CompileError, Plan, Topic
from lsqlc.diagnostics import LsqlcError
from lsqlc.dialects import DialectName
from lsqlc.formats.debezium.settings import settings_of
from lsqlc.golden.case_records import raw_facet
from lsqlc.lower import duckdb
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.project.declared.facets import FacetError, facet_of
from lsqlc.tasks.produce import raw_reader
from lsqlc.types.record import Case, Record, StoredRecord
from tests.each import each

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

COLUMNS = "ID INT, STATUS STRING, TOTAL DECIMAL(10,2)"
ORDERS = Topic("orders", key="ID INT", value={"format": "debezium", "schema": COLUMNS, "decimals": "number"})
TABLES: dict[DialectName, str] = {
    "lenses": "INSERT INTO OUT SELECT TABLE STATUS, COUNT(*) AS N FROM orders GROUP BY STATUS",
    "sql": "SELECT STATUS, COUNT(*) AS N FROM orders GROUP BY STATUS",
    "ksql": "CREATE TABLE o (K STRUCT<ID INT> PRIMARY KEY, STATUS STRING)"
    " WITH (KAFKA_TOPIC = 'orders', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');"
    " CREATE TABLE OUT AS SELECT STATUS, COUNT(*) AS N FROM o GROUP BY STATUS;",
}
STREAMS: dict[DialectName, str] = {
    "lenses": "INSERT INTO OUT SELECT STREAM * FROM orders",
    "sql": "SELECT * FROM STREAM(orders)",
    "ksql": f"CREATE STREAM o (K STRUCT<ID INT> KEY, {COLUMNS})"
    " WITH (KAFKA_TOPIC = 'orders', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');"
    " CREATE STREAM OUT AS SELECT * FROM o;",
}


def plan_of(program: str, dialect: DialectName, *topics: Topic) -> Plan:
    return lsqlc.compile(program, dialect=dialect, topics=topics or (ORDERS,), name="OUT")


def envelope(op: str, id: int, before: str = "null", after: str = "null") -> Record:
    text = f'{{"before":{before},"after":{after},"source":{{"connector":"mysql"}},"op":"{op}","ts_ms":1}}'
    topic = plan_of(TABLES["lenses"], "lenses").inputs[0]
    return Record("orders", {"ID": id}, raw_facet(topic, "value", text))


NEW, PAID = '{"ID":1,"STATUS":"new","TOTAL":1.50}', '{"ID":1,"STATUS":"paid","TOTAL":1.50}'
OTHER = '{"ID":2,"STATUS":"new","TOTAL":7.00}'
CHANGES = (
    envelope("r", 1, after=NEW),
    envelope("c", 2, after=OTHER),
    envelope("u", 1, before=NEW, after=PAID),
    # The same envelope once more, as after a restart of the connector.
    envelope("u", 1, before=NEW, after=PAID),
    envelope("d", 2, before=OTHER),
    Record("orders", {"ID": 2}, None),
)


@each(("dialect", "program"), TABLES.items())
def test_a_table_has_the_rows_of_the_database(dialect: DialectName, program: str) -> None:
    """Deletions take rows away; tombstones and replayed envelopes change nothing more."""
    (found,) = duckdb.evaluate(plan_of(program, dialect), [Case("c", (CHANGES,))])[0].topics.values()
    rows = [(r.key["STATUS"] if isinstance(r.key, dict) else r.key, r.value and r.value["N"]) for r in found]
    assert [row for row in rows if row[1]] == [("paid", 1)]


@each(("dialect", "program"), STREAMS.items())
def test_results_are_stored_as_json(dialect: DialectName, program: str) -> None:
    plan = plan_of(program, dialect)
    assert [topic.value.format for topic in plan.inputs] == ["debezium[decimals=number]"]
    assert [topic.value.format for topic in plan.outputs] == ["json"]


@each(
    ("dialect", "program"),
    [
        ("lenses", "INSERT INTO orders SELECT STREAM ID, STATUS, TOTAL FROM other"),
        ("sql", "SELECT _key, ID, STATUS, TOTAL FROM STREAM(other)"),
        (
            "ksql",
            f"CREATE STREAM o (K STRUCT<ID INT> KEY, {COLUMNS})"
            " WITH (KAFKA_TOPIC = 'other', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');"
            " CREATE STREAM orders WITH (KAFKA_TOPIC = 'orders') AS SELECT * FROM o;",
        ),
        (
            "ksql",
            f"CREATE STREAM o (K STRUCT<ID INT> KEY, {COLUMNS})"
            " WITH (KAFKA_TOPIC = 'other', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');"
            f"CREATE STREAM t (K STRUCT<ID INT> KEY, {COLUMNS})"
            " WITH (KAFKA_TOPIC = 'orders', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');"
            " INSERT INTO t SELECT * FROM o;",
        ),
    ],
)
def test_models_do_not_write_it(dialect: DialectName, program: str) -> None:
    other = Topic("other", key="ID INT", value=COLUMNS)
    with pytest.raises(CompileError) as caught:
        lsqlc.compile(program, dialect=dialect, topics=(ORDERS, other), name="orders")
    assert [(d.code, d.message) for d in caught.value.diagnostics if d.is_error] == [
        ("LSQ643", "the topic 'orders' is stored as DEBEZIUM, which models only read")
    ]


def test_store_does_not_convert_to_it() -> None:
    with pytest.raises(CompileError) as caught:
        plan_of("INSERT INTO OUT STORE VALUE AS DEBEZIUM SELECT STREAM * FROM orders", "lenses")
    assert [d.code for d in caught.value.diagnostics] == ["LSQ326"]


@each(
    ("value", "message"),
    [
        ({"format": "debezium", "schema": "INT"}, "the format 'debezium' holds columns, not INT"),
        ({"format": "TW[debezium]", "schema": "id INT"}, "'TW[debezium]' is a format of values, not of keys"),
        ({"format": "debezium"}, "the format 'debezium' requires a schema"),
    ],
)
def test_what_is_no_declaration(value: Any, message: str) -> None:
    with pytest.raises(FacetError) as caught:
        facet_of(value)
    assert str(caught.value) == message


def test_a_key_is_not_an_envelope() -> None:
    text = "topics:\n  - {name: t, key: {format: debezium-json, schema: id INT}}\n"
    (finding,) = read_declarations(text, "t.yml", Defaults()).diagnostics
    assert (finding.code, finding.message) == ("LSQ018", "'debezium-json' is a format of values, not of keys")


def test_produce_takes_envelopes_as_raw_values() -> None:
    (topic,) = plan_of(TABLES["lenses"], "lenses").inputs
    read: Callable[[str, int], Record] = raw_reader(topic, "stdin", lambda: 1.0)
    text = '{"op":"c","after":{"ID":1},"source":{"connector":"mysql"}}'
    assert read(text, 1).value == {"ID": 1, "STATUS": None, "TOTAL": None}
    assert read('{"op":"d","before":{"ID":1}}', 1).value is None
    for line in ('{"ID":1}', '{"op":"c","after":{"ID":"x"}}'):
        with pytest.raises(LsqlcError) as caught:
            read(line, 1)
        assert [d.code for d in caught.value.diagnostics] == ["LSQ681"]


TYPED = "id INT, at TIMESTAMP, hour TIME, price DECIMAL(10,2), day DATE"


@each(
    ("settings", "format"),
    [
        ({"times": "micros", "decimals": "base64"}, "debezium[times=micros,decimals=base64]"),
        (
            {"times": "text", "decimals": "text", "unavailable": "null", "columns": {"at": "nanos"}},
            "debezium[times=text,decimals=text,unavailable=null,.at=nanos]",
        ),
        (
            {"times": "text", "decimals": "text", "unavailable": None},
            "debezium[times=text,decimals=text,unavailable=null]",
        ),
        (
            {"columns": {"at": "millis", "hour": "micros", "price": "number"}},
            "debezium[.at=millis,.hour=micros,.price=number]",
        ),
    ],
)
def test_settings_are_in_the_format(settings: dict[str, Any], format: str) -> None:
    facet = facet_of({"format": "debezium", "schema": TYPED, **settings})
    assert facet.format == format
    assert str(settings_of(format)) == format.removeprefix("debezium[").removesuffix("]")


@each(
    ("settings", "code", "message", "help"),
    [
        ({"decimals": "text"}, "LSQ644", "'at' is TIMESTAMP, and nothing says how the connector writes it",
         "add `times: micros`, or one of 'micros', 'millis', 'nanos', 'text'"),
        ({"times": "micros"}, "LSQ644", "'price' is DECIMAL(10,2), and nothing says how the connector writes it",
         "add `decimals: text`, or one of 'base64', 'number', 'text'"),
        ({"times": "seconds"}, "LSQ645", "'seconds' is not a form of 'times'",
         "write 'micros', 'millis', 'nanos', 'text'"),
        ({"unavailable": "x"}, "LSQ645", "'x' is not a form of 'unavailable'", "write 'fail', 'keep', 'null'"),
        ({"columns": 1}, "LSQ645", "expected the forms of columns", "write {created: millis}"),
        ({"columns": {"hours": "millis"}}, "LSQ645", "'hours' is not a column", "did you mean 'hour'?"),
        ({"columns": {"id": "millis"}}, "LSQ645", "'id' is INT, which has one form only",
         "leave it out: only TIMESTAMP, TIME and DECIMAL have several"),
        ({"columns": {"at": "base64"}}, "LSQ645", "'base64' is not a form of 'at'",
         "write 'micros', 'millis', 'nanos', 'text'"),
        ({"schema": "a ARRAY<TIMESTAMP>"}, "LSQ644",
         "'a' is ARRAY<TIMESTAMP>, and TIMESTAMP is only converted as a column of the row",
         "declare BIGINT in place of TIMESTAMP"),
        ({"time": "micros"}, "LSQ006", "unknown key 'time'", "did you mean 'times'?"),
    ],
)  # fmt: skip
def test_forms_are_declared(settings: dict[str, Any], code: str, message: str, help: str) -> None:
    with pytest.raises(FacetError) as caught:
        facet_of({"format": "debezium", "schema": TYPED, **settings})
    assert (caught.value.code, str(caught.value), caught.value.help) == (code, message, help)


def test_a_wrong_setting_is_shown_at_its_place() -> None:
    text = "topics:\n  - name: t\n    value: {format: debezium, schema: at TIMESTAMP, columns: {at: secs}}\n"
    (finding,) = read_declarations(text, "t.yml", Defaults()).diagnostics
    assert finding.span is not None
    assert (finding.code, text.splitlines()[2][finding.span.column - 1 :][:4]) == ("LSQ645", "secs")


def test_settings_are_only_for_this_format() -> None:
    with pytest.raises(FacetError, match="unknown key 'times'"):
        facet_of({"format": "json", "schema": TYPED, "times": "micros"})


CHANGED = Topic("orders", key="ID INT", value={"format": "debezium-changes", "schema": "ID INT, STATUS STRING"})


@each(
    ("dialect", "program"),
    [
        (
            "lenses",
            "INSERT INTO OUT"
            " SELECT STREAM op, after.ID AS id, before.STATUS AS was, source.connector AS kind FROM orders",
        ),
        ("sql", "SELECT op, after.ID AS id, before.STATUS AS was, source.connector AS kind FROM STREAM(orders)"),
        (
            "ksql",
            "CREATE STREAM o (`op` STRING, `after` STRUCT<ID INT, STATUS STRING>,"
            " `before` STRUCT<ID INT, STATUS STRING>)"
            " WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON');"
            " CREATE STREAM OUT AS SELECT `op`, `after`->ID AS `id`, `before`->STATUS AS `was` FROM o;",
        ),
    ],
)
def test_changes_are_read_as_they_are(dialect: DialectName, program: str) -> None:
    """Truncations too; a tombstone is a record without a value."""
    plan = plan_of(program, dialect, CHANGED)
    texts = [
        f'{{"op":"u","before":{NEW},"after":{PAID},"source":{{"connector":"mysql"}},"ts_ms":1}}',
        f'{{"op":"d","before":{PAID},"after":null}}',
        '{"op":"t"}',
    ]
    given = [Record("orders", {"ID": 1}, raw_facet(plan.inputs[0], "value", text)) for text in texts]
    (found,) = duckdb.evaluate(plan, [Case("c", (tuple(given),))])[0].topics.values()
    rows = [tuple(record.value[name] for name in ("op", "id", "was")) for record in found]
    assert rows == [("u", 1, "new"), ("d", None, "paid"), ("t", None, None)]
    assert dialect == "ksql" or [record.value["kind"] for record in found] == ["mysql", None, None]


def test_documents_of_mongodb_are_texts() -> None:
    topic = Topic("orders", key="STRING", value={"format": "debezium-changes", "schema": "STRING"})
    plan = plan_of(
        "INSERT INTO OUT SELECT STREAM op, JSON_EXTRACT_FIRST(after, '$.item') AS item FROM orders", "lenses", topic
    )
    text = '{"op":"c","after":"{\\"_id\\": 7, \\"item\\": \\"pen\\"}","before":null}'
    given = Record("orders", "7", raw_facet(plan.inputs[0], "value", text))
    (found,) = duckdb.evaluate(plan, [Case("c", ((given,),))])[0].topics.values()
    assert found[0].value["op"] == "c"


LETTERS = "SET error.policy = 'dlq'; SET dead.letter.queue = 'letters'; "
WRITTEN = (
    *CHANGES,
    envelope("t", 3),
    Record("orders", {"ID": 3}, raw_facet(plan_of(TABLES["lenses"], "lenses").inputs[0], "value", "\t{")),
    envelope("c", 3, after='{"ID":3,"TOTAL":"x"}'),
)


def _letters(topics: Mapping[str, Sequence[Record | StoredRecord]]) -> list[tuple[str, str]]:
    return sorted((record.value["reason"], record.value["record"]) for record in topics["letters"])


def test_cases_have_letters_about_envelopes() -> None:
    """What stands in the letter is the text of the envelope."""
    plan = plan_of(LETTERS + "SELECT TABLE TOTAL, COUNT(*) AS N FROM orders GROUP BY TOTAL", "lenses")
    found = _letters(duckdb.evaluate(plan, [Case("c", (WRITTEN,))])[0].topics)
    assert [reason for reason, _ in found] == [
        "value.TOTAL: expected DECIMAL(10,2)",
        "value: a truncation (op t) has no row",
        "value: expected JSON",
    ]
    assert found[2][1] == '{"ordinal":7,"timestamp":0,"key":{"ID":3},"value":"\\t{"}'


def test_cases_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    """Both engines agree, about letters too."""
    from lsqlc.remote.cases.outcomes import evaluate

    plan = plan_of(LETTERS + "SELECT TABLE TOTAL, COUNT(*) AS N FROM orders GROUP BY TOTAL", "lenses")
    case = Case("c", (WRITTEN[:3], WRITTEN[3:]))
    (of_spark,), (of_duckdb,) = evaluate(spark, tmp_path, plan, [case]), duckdb.evaluate(plan, [case])
    assert _letters(of_spark.topics) == _letters(of_duckdb.topics)
    assert [(r.key, r.value) for r in of_spark.topics["OUT"]] == [(r.key, r.value) for r in of_duckdb.topics["OUT"]]
