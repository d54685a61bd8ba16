"""`lsqlc schemas` at the command line, and builds that take their columns from the lock file without a registry."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lsqlc.formats.protobuf import compiler
from tests.cli.conftest import Cli
from tests.registry.stand_in import State

ORDER = {
    "type": "record", "name": "Order", "namespace": "com.example", "doc": "An order.",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["OPEN", "SENT"]}},
    ],
}  # fmt: skip
YAML = """\
topics:
  - name: orders
    key: STRING
    value: {format: avro}
"""
MODEL = "INSERT INTO notes SELECT STREAM id, note FROM orders"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> Path:
    """A project with one model over a topic whose schema is in the registry."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: shop\n")
    (tmp_path / "profiles.yml").write_text(f"targets:\n  dev:\n    type: embedded\n    registry: {{url: '{url}'}}\n")
    (tmp_path / "models" / "topics.yml").write_text(YAML)
    (tmp_path / "models" / "notes.sql").write_text(MODEL)
    return tmp_path


def registered(state: State, **fields: Any) -> int:
    return state.register("orders-value", json.dumps({**ORDER, **fields}))


def test_pull_then_build_without_a_registry(cli: Cli, project: Path, state: State) -> None:
    """An error says how to get the schema; the lock file is the same each time, and enough for a build."""
    registered(state)
    refused = cli("compile")
    assert refused.code == 1 and "LSQ716" in refused.err and "lsqlc schemas pull" in refused.err
    pulled = cli("schemas", "pull")
    assert pulled.code == 0 and "lsqlc.lock.yml written" in pulled.err
    text = (project / "lsqlc.lock.yml").read_text()
    assert "orders-value" in text and "compatibility: BACKWARD" in text and "An order" not in text
    asked = len(state.asked)
    assert cli("compile").code == 0 and len(state.asked) == asked
    shown = cli("show", "notes", "--schema", "ddl")
    assert "id BIGINT NOT NULL,\nnote STRING" in shown.out
    again = cli("schemas", "pull")
    assert again.code == 0 and "up to date" in again.err and (project / "lsqlc.lock.yml").read_text() == text


def test_what_is_not_there(cli: Cli, project: Path, state: State) -> None:
    """A subject that a topic needs, a target without a registry, an action that takes no --dry-run."""
    missing = cli("schemas", "pull")
    assert missing.code == 1 and "LSQ714" in missing.err and not (project / "lsqlc.lock.yml").exists()
    assert cli("schemas", "pull", "--dry-run").code == 2
    (project / "profiles.yml").write_text("targets:\n  dev: {type: embedded}\n")
    without = cli("schemas", "list")
    assert without.code == 2 and "LSQ715" in without.err


def test_list(cli: Cli, project: Path, state: State) -> None:
    registered(state)
    state.register("a-key", '"string"')
    assert cli("schemas", "list").out == "a-key\norders-value\n"
    assert cli("schemas", "list", "--output", "json").data["subjects"] == ["a-key", "orders-value"]


def test_check_and_register(cli: Cli, project: Path, state: State) -> None:
    """New subjects are registered once; what is registered is found, and the lock file has it."""
    registered(state)
    assert cli("schemas", "pull").code == 0
    before = cli("schemas", "check")
    assert before.code == 0 and "notes-value: a new subject" in before.out
    tried = cli("schemas", "register", "--dry-run")
    assert tried.code == 0 and "notes-value: a new subject" in tried.err and "notes-value" not in state.subjects
    done = cli("schemas", "register", "--output", "json")
    assert done.code == 0 and done.data["written"][0]["id"] == 2 and "notes-value" in state.subjects
    assert "notes-value" in (project / "lsqlc.lock.yml").read_text()
    again = cli("schemas", "register")
    assert again.code == 0 and again.out == "" and "registered, with the id 2" in again.err
    assert len(state.subjects["notes-value"]) == 1
    checked = cli("schemas", "check")
    assert checked.code == 0 and "notes-value: registered, with the id 2" in checked.out


def test_check_says_what_is_not_compatible(cli: Cli, project: Path, state: State) -> None:
    """With exit code 1; and nothing of it is registered."""
    registered(state)
    state.register("notes-value", '{"type":"record","name":"n","fields":[{"name":"id","type":"string"}]}')
    assert cli("schemas", "pull").code == 0
    found = cli("schemas", "check")
    assert (
        found.code == 1
        and "notes-value: not compatible in the mode BACKWARD" in found.out
        and "'id' was written as" in found.out
    )
    refused = cli("schemas", "register")
    assert refused.code == 1 and "LSQ721" in refused.err and len(state.subjects["notes-value"]) == 1


def test_check_says_that_the_lock_file_is_old(cli: Cli, project: Path, state: State) -> None:
    """A new version, and another mode; a pull brings both."""
    registered(state)
    assert cli("schemas", "pull").code == 0
    registered(state, fields=[*ORDER["fields"], {"name": "new", "type": ["null", "int"], "default": None}])
    state.modes["orders-value"] = "FULL"
    old = cli("schemas", "check")
    assert old.code == 1
    assert "orders-value: the mode was BACKWARD, and is FULL; version 2 is new" in old.out
    assert cli("schemas", "pull").code == 0 and cli("schemas", "check").code == 0


def test_references_are_taken_in(cli: Cli, project: Path, state: State) -> None:
    """A schema of the lock file needs no other one."""
    state.register("address", '{"type":"record","name":"A","namespace":"x","fields":[{"name":"zip","type":"string"}]}')
    uses = {**ORDER, "fields": [*ORDER["fields"], {"name": "home", "type": "x.A"}]}
    reference = {"name": "x.A", "subject": "address", "version": 1}
    state.register("orders-value", json.dumps(uses), "AVRO", [reference])
    assert cli("schemas", "pull").code == 0 and cli("compile").code == 0
    assert "home STRUCT<zip: STRING NOT NULL> NOT NULL" in cli("show", "orders", "--schema", "ddl").out


def test_declared_columns_are_compared(cli: Cli, project: Path, state: State) -> None:
    """Fewer columns are fine; an error names those that do not fit."""
    registered(state)
    declared = (
        "topics:\n  - name: orders\n    key: STRING\n    value: {format: avro, schema: 'id BIGINT, note STRING'}\n"
    )
    (project / "models" / "topics.yml").write_text(declared)
    assert cli("schemas", "pull").code == 0 and cli("compile").code == 0
    (project / "models" / "topics.yml").write_text(declared.replace("note STRING", "note INT, more INT"))
    found = cli("compile")
    assert found.code == 1 and "LSQ717" in found.err
    assert "'note' is INT here, and string in the schema" in found.err and "'more'" in found.err


def test_a_subject_of_another_name_and_of_json(cli: Cli, project: Path, state: State) -> None:
    (project / "models" / "topics.yml").write_text(
        "topics:\n  - {name: orders, value: {format: json, subject: com.example.Order}}\n"
    )
    (project / "models" / "notes.sql").write_text("INSERT INTO notes SELECT STREAM id FROM orders")
    state.register("com.example.Order", '{"type": "object", "properties": {"id": {"type": "integer"}}}', "JSON")
    assert cli("schemas", "pull").code == 0 and cli("compile").code == 0
    assert cli("show", "orders", "--schema", "ddl").out.strip().endswith("id BIGINT")


@pytest.mark.parametrize(("schema", "type", "said"), [
    ('{"type":"record","name":"r","fields":[{"name":"a","type":["int","string"]}]}', "AVRO", "a union of int"),
    ('syntax = "proto3"; message M { int32 a = 1; }', "PROTOBUF", "a schema of PROTOBUF"),
])  # fmt: skip
def test_a_schema_that_has_no_type(cli: Cli, project: Path, state: State, schema: str, type: str, said: str) -> None:
    """It is in the lock file, and an error where a topic takes its columns from it."""
    state.register("orders-value", schema, type)
    cli("schemas", "pull")
    found = cli("compile")
    assert found.code == 1 and "LSQ719" in found.err and said in found.err


def test_a_lock_file_that_is_broken(cli: Cli, project: Path, state: State) -> None:
    (project / "lsqlc.lock.yml").write_text("schemas:\n  orders-value: {versions: [{id: x}]}\n")
    found = cli("compile")
    assert found.code == 1 and "LSQ094" in found.err and "lsqlc schemas pull" in found.err


KSQL = """\
CREATE STREAM orders WITH (KAFKA_TOPIC = 'orders', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'AVRO'{more});
CREATE STREAM notes AS SELECT id, note FROM orders EMIT CHANGES;
"""


@pytest.fixture
def ksql(project: Path) -> Path:
    (project / "lsqlc.yml").write_text("name: shop\ndialect: ksql\n")
    (project / "models" / "topics.yml").unlink()
    (project / "models" / "notes.sql").write_text(KSQL.format(more=""))
    return project


def test_a_ksqldb_source_without_columns(cli: Cli, ksql: Path, state: State) -> None:
    """Its columns are those of the subject, in upper case."""
    registered(state)
    refused = cli("compile")
    assert refused.code == 1 and "LSQ375" in refused.err and "lsqlc schemas pull" in refused.err
    assert cli("schemas", "pull").code == 0
    assert cli("compile").code == 0
    assert cli("show", "notes", "--schema", "ddl").out.strip().endswith("ID BIGINT,\nNOTE STRING")


def test_a_ksqldb_table_gives_its_key(cli: Cli, ksql: Path, state: State) -> None:
    """The columns of the value are taken from the registry where CREATE has only those of the key."""
    registered(state)
    (ksql / "models" / "notes.sql").write_text(
        "CREATE TABLE orders (k STRING PRIMARY KEY) WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'AVRO');\n"
        "CREATE TABLE notes AS SELECT k, note FROM orders EMIT CHANGES;\n"
    )
    assert cli("schemas", "pull").code == 0 and cli("compile").code == 0


def test_a_ksqldb_source_names_a_version(cli: Cli, ksql: Path, state: State) -> None:
    """By its id; a new version of the registry is no change for it."""
    first = registered(state)
    registered(state, fields=[{"name": "id", "type": "long"}])
    (ksql / "models" / "notes.sql").write_text(KSQL.format(more=f", VALUE_SCHEMA_ID = {first}"))
    assert cli("schemas", "pull").code == 0 and cli("compile").code == 0
    (ksql / "models" / "notes.sql").write_text(KSQL.format(more=", VALUE_SCHEMA_ID = 77"))
    found = cli("compile")
    assert found.code == 1 and "LSQ724" in found.err


def test_a_ksqldb_key_of_the_registry(cli: Cli, ksql: Path, state: State) -> None:
    """A record's fields are key columns, and a key without fields is ROWKEY."""
    registered(state)
    state.register("orders-key", '"long"')
    (ksql / "models" / "notes.sql").write_text(
        "CREATE STREAM orders WITH (KAFKA_TOPIC = 'orders', FORMAT = 'AVRO');\n"
        "CREATE STREAM notes AS SELECT rowkey, note FROM orders EMIT CHANGES;\n"
    )
    assert cli("schemas", "pull").code == 0 and cli("compile").code == 0


def test_the_cache_knows_the_schema(cli: Cli, ksql: Path, state: State) -> None:
    """A model whose program did not change is compiled again when its subject did."""
    registered(state)
    assert cli("schemas", "pull").code == 0 and cli("compile").code == 0
    state.subjects.clear()
    registered(state, fields=[{"name": "id", "type": "long"}])
    assert cli("schemas", "pull").code == 0
    found = cli("compile")
    assert found.code == 1 and "NOTE" in found.err.upper()


JSON_MODEL = "INSERT INTO notes STORE VALUE AS JSON_SR SELECT STREAM id, note FROM orders"


def test_what_is_written_in_json_sr(cli: Cli, project: Path, state: State) -> None:
    """It is registered as a JSON Schema, once; a new column that may be null is compatible, another type is not."""
    registered(state)
    (project / "models" / "notes.sql").write_text(JSON_MODEL)
    assert cli("schemas", "pull").code == 0
    assert "notes-value: a new subject" in cli("schemas", "check").out
    assert cli("schemas", "register").out == "notes-value: registered, with the id 2\n"
    (kept,) = state.subjects["notes-value"]
    assert kept["schemaType"] == "JSON" and json.loads(kept["schema"])["additionalProperties"] is False
    assert "type: JSON" in (project / "lsqlc.lock.yml").read_text()
    # Some registries sort the keys of what they store.
    kept["schema"] = json.dumps(json.loads(kept["schema"]), sort_keys=True)
    state.ids = {("JSON", kept["schema"]): 2}
    wider = JSON_MODEL.replace("note FROM", "note, CONCAT(note, note) AS more FROM")
    (project / "models" / "notes.sql").write_text(wider)
    more = cli("schemas", "check")
    assert more.code == 1 and "notes-value: a new version, compatible in the mode BACKWARD" in more.out
    (project / "models" / "notes.sql").write_text(JSON_MODEL.replace("id,", "CAST(id AS STRING) AS id,"))
    other = cli("schemas", "register")
    assert other.code == 1 and "LSQ721" in other.err and len(state.subjects["notes-value"]) == 1


def test_columns_of_a_topic_in_json_sr(cli: Cli, project: Path, state: State) -> None:
    """They are those of the subject, and what is made of it is JSON_SR."""
    fields = {"id": {"type": "integer"}, "Note": {"type": "string"}}
    state.register("orders-value", json.dumps({"type": "object", "properties": fields}), "JSON")
    (project / "models" / "topics.yml").write_text("topics:\n  - {name: orders, value: {format: json_sr}}\n")
    (project / "models" / "notes.sql").write_text("INSERT INTO notes SELECT STREAM id, Note FROM orders")
    refused = cli("compile")
    assert refused.code == 1 and "LSQ716" in refused.err
    assert cli("schemas", "pull").code == 0 and cli("compile").code == 0
    shown = json.loads(cli("show", "notes", "--schema", "ddl", "--output", "json").out.splitlines()[-1])
    assert shown["format"] == "json_sr" and shown["schema"] == "id BIGINT,\nNote STRING"


def test_a_ksqldb_source_takes_the_names_of_a_json_schema(cli: Cli, ksql: Path, state: State) -> None:
    """As they are, since JSON is read by exact names."""
    fields = {"id": {"type": "integer"}, "NOTE": {"type": "string"}}
    state.register("orders-value", json.dumps({"type": "object", "properties": fields}), "JSON")
    (ksql / "models" / "notes.sql").write_text(
        "CREATE STREAM orders WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON_SR');\n"
        "CREATE STREAM notes AS SELECT `id`, note FROM orders EMIT CHANGES;\n"
    )
    assert cli("schemas", "pull").code == 0 and cli("compile").code == 0
    assert cli("show", "notes", "--schema", "ddl").out.strip().endswith("id BIGINT,\nNOTE STRING")


PROTO = """
    syntax = "proto3";
    package shop;
    import "place.proto";
    message Order { int64 id = 1; optional string note = 2; Place at = 3; enum State { OPEN = 0; } State state = 4; }
"""
PLACE = 'syntax = "proto3"; package shop; message Place { double x = 1; }'
PROTO_MODEL = "INSERT INTO notes SELECT STREAM id, note FROM orders"


@pytest.fixture
def protobuf(project: Path, state: State) -> Path:
    """A project over a topic in PROTOBUF, whose schema refers to another one."""
    (project / "models" / "topics.yml").write_text("topics:\n  - {name: orders, value: {format: protobuf}}\n")
    (project / "models" / "notes.sql").write_text(PROTO_MODEL)
    state.register("place", PLACE, "PROTOBUF")
    state.register("orders-value", PROTO, "PROTOBUF", [{"name": "place.proto", "subject": "place", "version": 1}])
    return project


def test_columns_of_a_topic_in_protobuf(cli: Cli, protobuf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build needs the lock file only, and not what compiled the schemas."""
    refused = cli("compile")
    assert refused.code == 1 and "LSQ716" in refused.err
    assert cli("schemas", "pull").code == 0
    for name in ("grpc_tools", "google.protobuf"):
        monkeypatch.setitem(sys.modules, name, None)
    assert cli("compile").code == 0
    shown = cli("show", "orders", "--schema", "ddl").out
    assert "id BIGINT NOT NULL,\nnote STRING,\nat STRUCT<x: DOUBLE NOT NULL>,\nstate STRING NOT NULL" in shown
    compiler.forget()
    missing = cli("schemas", "pull")
    assert missing.code == 1 and "LSQ099" in missing.err and "lsqlc[protobuf]" in missing.err


def test_a_topic_names_a_message(cli: Cli, protobuf: Path, state: State) -> None:
    """Another one than the first; one that the schema does not have, and one of another format."""
    state.register("orders-value", f"{PLACE} message Order {{ int64 id = 1; string note = 2; }}", "PROTOBUF")
    yaml = protobuf / "models" / "topics.yml"
    yaml.write_text("topics:\n  - {name: orders, value: {format: protobuf, message: shop.Order}}\n")
    assert cli("schemas", "pull").code == 0 and cli("compile").code == 0
    yaml.write_text("topics:\n  - {name: orders, value: {format: protobuf, message: shop.Nope}}\n")
    unknown = cli("compile")
    assert unknown.code == 1 and "LSQ719" in unknown.err and "no message 'shop.Nope'" in unknown.err
    yaml.write_text("topics:\n  - {name: orders, value: {format: avro, message: shop.Order}}\n")
    other = cli("compile")
    assert other.code == 1 and "LSQ010" in other.err and "'message' is not for this facet" in other.err


def test_what_is_written_in_protobuf(cli: Cli, protobuf: Path, state: State) -> None:
    """It is registered once, and a new version keeps the numbers; another kind of a field is not compatible."""
    assert cli("schemas", "pull").code == 0
    assert "notes-value: a new subject" in cli("schemas", "check").out
    shown = cli("schemas", "check", "--output", "json").data["written"][0]["schema"]
    assert shown.startswith('syntax = "proto3";\n\nmessage ConnectDefault1 {\n  int64 id = 1;')
    assert "notes-value: registered, with the id 3" in cli("schemas", "register").out
    (kept,) = state.subjects["notes-value"]
    assert kept["schemaType"] == "PROTOBUF" and "message ConnectDefault1 {\n  int64 id = 1;" in kept["schema"]
    again = cli("schemas", "register")
    assert again.code == 0 and "registered, with the id 3" in again.err and len(state.subjects["notes-value"]) == 1
    (protobuf / "models" / "notes.sql").write_text(PROTO_MODEL.replace("id,", "CAST(id AS STRING) AS id,"))
    other = cli("schemas", "register")
    assert other.code == 1 and "LSQ721" in other.err and "FIELD_SCALAR_KIND_CHANGED" in other.err
    (protobuf / "models" / "notes.sql").write_text(PROTO_MODEL.replace("id, note", "state, note"))
    more = cli("schemas", "check")
    assert more.code == 0 and "notes-value: a new version, compatible in the mode BACKWARD" in more.out
    assert cli("schemas", "register").code == 0
    assert "  string state = 3;\n  optional string note = 2;\n" in state.subjects["notes-value"][1]["schema"]


def test_declared_columns_are_compared_with_protobuf(cli: Cli, protobuf: Path) -> None:
    declared = "topics:\n  - {name: orders, value: {format: protobuf, schema: 'id INT NOT NULL, note STRING'}}\n"
    (protobuf / "models" / "topics.yml").write_text(declared)
    assert cli("schemas", "pull").code == 0
    found = cli("compile")
    assert found.code == 1 and "LSQ717" in found.err and "'id' is INT here, and int64 in the schema" in found.err


def test_a_schema_of_protobuf_without_a_type(cli: Cli, protobuf: Path, state: State) -> None:
    """A message that contains itself; and a text that protoc does not take."""
    state.subjects.clear()
    state.register("orders-value", 'syntax = "proto3"; message A { A a = 1; }', "PROTOBUF")
    assert cli("schemas", "pull").code == 0
    found = cli("compile")
    assert found.code == 1 and "LSQ719" in found.err and "'A' contains itself" in found.err
    state.subjects["orders-value"][0]["schema"] = "message"
    broken = cli("schemas", "pull")
    assert broken.code == 1 and "LSQ719" in broken.err and "the schema is not Protobuf: line 1:8:" in broken.err


def test_types_and_names_that_protobuf_does_not_hold(cli: Cli, protobuf: Path) -> None:
    """Are errors of the model."""
    assert cli("schemas", "pull").code == 0
    (protobuf / "models" / "notes.sql").write_text("INSERT INTO notes SELECT STREAM id * 2 FROM orders")
    assert "LSQ308" in cli("compile").err
    topics = "topics:\n  - {name: orders, value: 'rows ARRAY<ARRAY<INT>>'}\n"
    (protobuf / "models" / "topics.yml").write_text(topics)
    (protobuf / "models" / "notes.sql").write_text(
        "INSERT INTO n STORE VALUE AS PROTOBUF SELECT STREAM rows FROM orders"
    )
    found = cli("compile")
    assert found.code == 1 and "LSQ796" in found.err and "no lists of lists" in found.err


def test_a_ksqldb_source_of_protobuf(cli: Cli, ksql: Path, state: State) -> None:
    """Names are in upper case; a key is the one field of its message."""
    state.register("orders-value", PROTO.replace('import "place.proto";', PLACE[PLACE.index("message") :]), "PROTOBUF")
    state.register("orders-key", 'syntax = "proto3"; message K { int64 customer = 1; }', "PROTOBUF")
    (ksql / "models" / "notes.sql").write_text(
        "CREATE STREAM orders"
        " WITH (KAFKA_TOPIC = 'orders', FORMAT = 'PROTOBUF', VALUE_SCHEMA_FULL_NAME = 'shop.Order');\n"
        "CREATE STREAM notes AS SELECT customer, id, note FROM orders EMIT CHANGES;\n"
    )
    assert cli("schemas", "pull").code == 0
    found = cli("compile")
    assert found.code == 0, found.err
    assert cli("show", "notes", "--schema", "ddl").out.strip().endswith("ID BIGINT,\nNOTE STRING")


KAFKA = """\
targets:
  dev:
    type: embedded
    kafka: {{bootstrap: "localhost:1", prefix: shop.}}
    registry: {{url: '{url}'}}
  preview:
    type: embedded
    defer: dev
    kafka: {{bootstrap: "localhost:1", prefix: pr-1.}}
    checkpoints: preview
    registry: {{url: '{url}'}}
"""


def test_subjects_have_the_prefix_of_the_target(cli: Cli, project: Path, state: State, url: str) -> None:
    """As topics have it, so that two targets share none. The lock file has the names without it."""
    (project / "profiles.yml").write_text(KAFKA.format(url=url))
    state.register("shop.orders-value", json.dumps(ORDER))
    pulled = cli("schemas", "pull", "--target", "dev")
    assert pulled.code == 0, pulled.err
    text = (project / "lsqlc.lock.yml").read_text()
    assert "orders-value" in text and "shop." not in text
    checked = cli("schemas", "check", "--target", "dev")
    assert checked.code == 0 and "shop.notes-value: a new subject" in checked.out
    assert cli("schemas", "register", "--target", "dev").code == 0
    assert sorted(state.subjects) == ["shop.notes-value", "shop.orders-value"]
    assert "shop." not in (project / "lsqlc.lock.yml").read_text()
    # The environment reads the topic of the other target, and writes its own.
    assert cli("schemas", "register", "--target", "preview").code == 0
    assert sorted(state.subjects) == ["pr-1.notes-value", "shop.notes-value", "shop.orders-value"]


def test_a_subject_that_is_named_has_no_prefix(cli: Cli, project: Path, state: State, url: str) -> None:
    """Whoever names one means it."""
    (project / "profiles.yml").write_text(KAFKA.format(url=url))
    (project / "models" / "topics.yml").write_text(YAML.replace("avro}", "avro, subject: com.example.Order}"))
    state.register("com.example.Order", json.dumps(ORDER))
    pulled = cli("schemas", "pull", "--target", "dev")
    assert pulled.code == 0 and "com.example.Order" in (project / "lsqlc.lock.yml").read_text(), pulled.err
