"""A new format is one folder with a record. All readers and writers take a format that is registered as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc import CompileError, Plan, Record, Topic
from lsqlc.connectors.kafka.codec import Codecs, record_decoder, record_encoder
from lsqlc.connectors.kafka.raw_lines import line_writer
from lsqlc.diagnostics import LsqlcError
from lsqlc.formats import catalogue
from lsqlc.formats.subjects import Subject, SubjectVersion
from lsqlc.lower import duckdb
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import Source, View
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire
from lsqlc.project.declared.facets import facet_of
from lsqlc.project.declared.registered import Registration
from lsqlc.registry.pull import subject
from lsqlc.registry.registry import RegisteredSchema
from lsqlc.registry.written import change_text, written_schemas
from lsqlc.tasks.schemas_in_use import SchemasInUse, schemas_in_use
from lsqlc.types.codec import ValueProblems
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Case, Raw, StoredRecord
from lsqlc.types.record import Topic as Described
from tests.formats.toy.format import TOY

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

COLUMNS = "id INT, name STRING"
ORDERS = Topic("orders", key="INT", value={"format": "toy", "schema": COLUMNS})
PROGRAM = "INSERT INTO out SELECT STREAM id + 1 AS id, name FROM orders"
SUBJECTS = {
    f"{topic}-value": Subject(f"{topic}-value", "BACKWARD", (SubjectVersion(id, 1, "TOY", "id INT, name STRING"),))
    for topic, id in (("orders", 7), ("out", 9))
}
# The bytes of a record, with the id 7 and 9, and some that are none.
GOOD = b'\0\0\0\0\7T{"id":1,"name":"a"}'
BAD = {
    b"{}": "the first byte is not 0, which begins the wire format of schema registries",
    b'\0\0\0\0\x08T{"id":1}': "the schema id 8 is of no version of the subject",
    b'\0\0\0\0\7U{"id":1}': "expected a T",
}


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "FORMATS", (*catalogue.FORMATS, TOY))


def plan_of(program: str = PROGRAM, *topics: Topic) -> Plan:
    return lsqlc.compile(program, topics=topics or (ORDERS,), name="out")


def in_use(plan: Plan) -> SchemasInUse:
    found = schemas_in_use([plan], [], SUBJECTS, {}, None)
    assert not found.problems
    return found


def wires_of(plan: Plan) -> dict[str, TopicWire]:
    schemas = in_use(plan)

    def wire(topic: Described) -> TopicWire:
        stored = schemas.stored(topic.name, "value", topic.value.type, topic.value.format)
        return TopicWire(encoding(topic.key), encoding(topic.value, stored=stored))

    return {topic.name: wire(topic) for topic in (*plan.inputs, *plan.outputs)}


def test_declarations_name_it(tmp_path: Path) -> None:
    """By its name and synonym, with columns, or with a file of its own kind; messages list it."""
    file = tmp_path / "order.toy"
    file.write_text(COLUMNS, "utf-8")
    for given in (str(file), {"format": "PLAYTHING", "schema": COLUMNS}):
        (orders,) = plan_of(PROGRAM, Topic("orders", key="INT", value=given)).inputs
        assert (orders.value.format, orders.value.type) == ("toy", parse_columns(COLUMNS))
    file.write_text("id", "utf-8")
    with pytest.raises(CompileError) as caught:
        plan_of(PROGRAM, Topic("orders", value=str(file)))
    assert [d.code for d in caught.value.diagnostics] == ["LSQ011"]
    with pytest.raises(CompileError) as caught:
        plan_of(PROGRAM, Topic("orders", value={"format": "tou", "schema": COLUMNS}))
    assert caught.value.diagnostics[0].help == "did you mean 'toy'?"


def test_the_binder_stores_results_in_it() -> None:
    """A new struct keeps it, STORE converts to it and from it, and refuses what it cannot hold."""
    assert plan_of().outputs[0].value.format == "toy"
    back = plan_of("INSERT INTO out STORE VALUE AS JSON SELECT STREAM * FROM orders")
    assert back.outputs[0].value.format == "json"
    numbers = Topic("orders", key="INT", value="id INT")
    to = plan_of("INSERT INTO out STORE KEY AS TOY VALUE AS TOY SELECT STREAM * FROM orders", numbers)
    assert (to.outputs[0].key.format, to.outputs[0].value.format) == ("toy", "toy")
    with_map = Topic("orders", value={"format": "toy", "schema": f"{COLUMNS}, m MAP<STRING, INT>"})
    with pytest.raises(CompileError) as caught:
        plan_of("INSERT INTO out SELECT STREAM * FROM orders", with_map)
    assert [d.message for d in caught.value.diagnostics] == ["TOY cannot hold the result: a MAP is too large for a toy"]


def test_ksqldb_names_it() -> None:
    """In WITH, and a result has the format of its source."""
    plan = lsqlc.compile(
        "CREATE STREAM o (id INT, name STRING) WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'TOY');"
        " CREATE STREAM out AS SELECT * FROM o EMIT CHANGES;",
        dialect="ksql",
    )
    assert [topic.value.format for topic in (*plan.inputs, *plan.outputs)] == ["toy", "toy"]


def test_cases_on_duckdb() -> None:
    """With values, and with texts as they stand in a line, of which one is bad."""
    plan = plan_of()
    records = [Record("orders", 1, {"id": 1, "name": "a"}, 5), Record("orders", 2, Raw('{"id": 2, "name": null}'), 6)]
    found = duckdb.evaluate(plan, [Case("c", (tuple(records),))])[0].topics["out"]
    assert [(r.key, r.value) for r in found] == [(1, {"id": 2, "name": "a"}), (2, {"id": 3, "name": None})]
    with pytest.raises(LsqlcError) as caught:
        duckdb.evaluate(plan, [Case("c", ((Record("orders", 1, Raw('{"id": "x"}'), 5),),))])
    assert [d.code for d in caught.value.diagnostics] == ["LSQ432"]


def test_the_client_reads_and_writes_records_in_kafka() -> None:
    """Bytes both ways, and the lines of records that are skipped where they are bad."""
    plan = plan_of()
    (orders,), (out,) = plan.inputs, plan.outputs
    codecs = Codecs(in_use(plan).of)
    record = record_decoder(orders, codecs)(b"\0\0\0\1", GOOD, 5, (0,))
    assert record == StoredRecord("orders", 1, {"id": 1, "name": "a"}, 5, (0,))
    written = record_encoder(out, codecs)(Record("out", 1, {"id": 2, "name": "a"}, 5))
    assert written == (b"\0\0\0\1", b'\0\0\0\0\x09T{"id":2,"name":"a"}')
    line = line_writer(orders, codecs)
    assert line(b"\0\0\0\1", GOOD, 5, (0,)) == b'{"ordinal":[0],"timestamp":5,"key":1,"value":{"id":1,"name":"a"}}\n'
    for raw, reason in BAD.items():
        assert reason.encode() in line(None, raw, 5, (0,))
        with pytest.raises(ValueProblems, match=reason):
            record_decoder(orders, codecs)(None, raw, 5, (0,))
    with pytest.raises(LsqlcError) as caught:
        record_decoder(orders, Codecs())
    assert [d.code for d in caught.value.diagnostics] == ["LSQ738"]


class Kept:
    """A registry with one version of the subject that a model writes."""

    def versions(self, name: str) -> tuple[RegisteredSchema, ...]:
        return (RegisteredSchema(9, 1, "TOY", "id  INT,\nname STRING"),)

    def compatibility(self, name: str) -> str:
        return "BACKWARD"


def test_the_registry_has_its_schemas() -> None:
    """They are pulled, declared facets take columns from them, models write them, and changes are reported."""
    kept = subject(Kept(), "out-value")  # type: ignore[arg-type]
    assert kept == SUBJECTS["out-value"]
    facet = facet_of({"format": "toy"}, registered=Registration("out", "value", {"out-value": kept}))
    assert facet.type == parse_columns(COLUMNS)
    (schema,) = written_schemas([plan_of()])
    assert (schema.subject, schema.type, schema.text) == ("out-value", "TOY", kept.newest.text)
    assert change_text("", schema.text, kept, "TOY") == "a version of the subject"


def test_spark_reads_and_writes_it_in_sql() -> None:
    """The stages of a plan have its forms: one for what is read, one for what is written."""
    plan = plan_of()
    steps = [step for stage in lower(plan, wires=wires_of(plan)).stages for step in stage.steps]
    texts = [step.sql for step in steps if isinstance(step, View)]
    texts += [sql for step in steps if isinstance(step, Source) for _, sql in step.lines]
    whole = "\n".join(texts)
    assert "!= X'54', " in whole or "!= X'54' THEN" in whole
    assert "concat(X'0000000009', X'54'" in whole


def test_spark_agrees_with_the_client(kafka_spark: SparkSession) -> None:
    """On the values of good bytes, and on the reasons of bad ones."""
    from tests.kafka.test_wire import lines

    plan = plan_of()
    (orders,) = plan.inputs
    line, raws = line_writer(orders, Codecs(in_use(plan).of)), (GOOD, *BAD)
    wanted = [line(None, raw, n, (n, n, 2)).decode().rstrip("\n") for n, raw in enumerate(raws)]
    found = lines(kafka_spark, wires_of(plan)["orders"], [(None, raw) for raw in raws])
    assert [_reason(text) for text in found] == [_reason(text) for text in wanted]


def _reason(line: str) -> str:
    """Why a line is bad, or its value."""
    return line.partition("\t")[0] if "\t" in line else line.partition('"value":')[2]
