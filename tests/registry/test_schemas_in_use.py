"""Which schemas the topics of a run have by the lock file, without a registry and without a broker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

import lsqlc
from lsqlc.connectors.kafka.names import SubjectNames
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.json_schema.format import JSON_SR
from lsqlc.formats.json_schema.write import json_schema_text
from lsqlc.formats.subjects import Subject, SubjectVersion
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.project.declared.target import Target
from lsqlc.registry.registry import RegisteredSchema, Registry
from lsqlc.registry.written import written_schemas
from lsqlc.tasks.run_target import open_target
from lsqlc.tasks.schemas_in_use import schemas_in_use
from lsqlc.types.ddl import parse_columns
from lsqlc.types.kafka import Elsewhere, KafkaSettings

ORDERS = lsqlc.Topic("orders", key="STRING", value={"format": "json_sr", "schema": "id BIGINT, note STRING"})


def subject(name: str, *texts: str) -> dict[str, Subject]:
    versions = (SubjectVersion(10 + n, n + 1, "JSON", text) for n, text in enumerate(texts))
    return {name: Subject(name, "BACKWARD", tuple(versions))}


def test_the_schema_that_a_model_writes() -> None:
    """It is a version of the lock file's subject, in whatever order its keys are there."""
    plan = lsqlc.compile("SELECT STREAM id FROM orders", topics=[ORDERS], name="out")
    (written,) = written_schemas([plan])
    turned = json.dumps(json.loads(written.text), sort_keys=True)
    assert turned != written.text and written.type == "JSON"
    found = schemas_in_use([plan], [], subject("out-value", "{", "{}", turned), {}, None)
    assert found.of("out", "value").written == (written.text, 12)
    missing = schemas_in_use([plan], [], subject("out-value", "{}"), {}, None)
    assert missing.problems["out", "value"].code == "LSQ756"


def test_the_schema_that_the_client_writes_topics_of_others_with() -> None:
    """The newest version that has the columns, with types that hold them; without one nothing is written, and reading
    needs none.
    """
    plan = lsqlc.compile("INSERT INTO out STORE VALUE AS JSON SELECT STREAM id FROM orders", topics=[ORDERS])
    texts = [
        json_schema_text(parse_columns(columns))
        for columns in ("id BIGINT", "id BIGINT, note STRING, more INT", "id INT, note STRING", "id BIGINT, m INT")
    ]
    found = schemas_in_use([plan], [], subject("orders-value", *texts), {}, None)
    assert found.of("orders", "value").written == (texts[1], 11)
    (orders,) = plan.inputs
    without = schemas_in_use([plan], [], {}, {}, None)
    stored = without.stored("orders", "value", orders.value.type, "json_sr")
    assert encoding(orders.value, stored=stored) is not None
    assert JSON_SR.decoder(stored)(b'{"id":1,"note":null}') == {"id": 1, "note": None}
    with pytest.raises(LsqlcError) as error:
        JSON_SR.encoder(stored)
    assert [d.code for d in error.value.diagnostics] == ["LSQ862"]


def test_protobuf_without_a_registry(tmp_path: Path) -> None:
    """Where it is read, and where it is written."""
    plan = lsqlc.compile(
        "CREATE STREAM orders (item STRING) WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'PROTOBUF');"
        " CREATE STREAM notes AS SELECT * FROM orders EMIT CHANGES;",
        dialect="ksql",
    )
    with pytest.raises(LsqlcError) as error:
        _ = open_target(tmp_path, Target("local", connection=KafkaSettings("localhost:1")), [plan]).wires
    assert [d.code for d in error.value.diagnostics] == ["LSQ758", "LSQ756"]


class Asked:
    """A registry with the versions of one subject."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text

    def versions(self, subject: str) -> tuple[RegisteredSchema, ...]:
        if subject != self.name:
            raise LsqlcError([Diagnostic("LSQ714", "no such subject")])
        return (RegisteredSchema(30, 1, "JSON", self.text),)


@pytest.mark.parametrize(("name", "id"), [("shop.out-value", 30), ("out-value", None)])
def test_what_is_written_is_registered_under_the_prefix(name: str, id: int | None) -> None:
    """A version that only the lock file has, or a subject of another target, is not enough."""
    plan = lsqlc.compile("SELECT STREAM id FROM orders", topics=[ORDERS], name="out")
    (written,) = written_schemas([plan])
    names = SubjectNames(KafkaSettings("localhost:1", prefix="shop."))
    registry = cast("Registry", Asked(name, written.text))
    found = schemas_in_use([plan], [], subject("out-value", written.text), {}, registry, names=names)
    if id is None:
        problem = found.problems["out", "value"]
        assert problem.code == "LSQ756" and "'shop.out-value'" in problem.message
    else:
        assert found.of("out", "value").written == (written.text, 30)


def test_a_topic_of_another_target_has_its_prefix() -> None:
    """What an environment writes has its own."""
    settings = KafkaSettings("h:1", prefix="pr.", elsewhere=Elsewhere("prod", "prod.", frozenset(["own-topic"])))
    names = SubjectNames(settings, frozenset(["given-value"]))
    assert [names(s) for s in ("own-topic-key", "orders-value", "given-value")] == [
        "pr.own-topic-key", "prod.orders-value", "given-value",
    ]  # fmt: skip
    assert SubjectNames()("orders-value") == "orders-value"
