"""Topics whose schema is a file: Avro and JSON Schema, and what is said where one cannot be used."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import lsqlc
from lsqlc.project.build import cache
from lsqlc.project.build.compile import compile_project
from lsqlc.project.discovery import load_project
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.formats import window_key
from lsqlc.types.record import Facet, natural_format

from .conftest import Write

KEY = b"k" * 32
AVRO = json.dumps(
    {
        "type": "record",
        "name": "Order",
        "fields": [{"name": "id", "type": "int"}, {"name": "item", "type": ["null", "string"]}],
    },
    indent=1,
)
JSON = json.dumps({"type": "object", "properties": {"id": {"type": "integer"}, "at": {"format": "date-time"}}})
COLUMNS = parse_columns("id INT NOT NULL, item STRING")


def facets(project: Write, topic: str, **schemas: str) -> list[tuple[Facet, Facet]]:
    """Key and value of the one topic that is declared, with schema files below `schemas/`."""
    files = {f"schemas/{name.replace('_', '.')}": text for name, text in schemas.items()}
    loaded = load_project(project({**files, "models/t.yml": f"topics:\n  - name: orders\n    {topic}\n"}))
    assert loaded.project is not None
    assert loaded.diagnostics == ()
    return [(t.topic.key, t.topic.value) for t in loaded.project.topics]


@pytest.mark.parametrize(
    ("declared", "format"),
    [
        ("value: {format: avro, schema: schemas/order.avsc}", "avro"),
        ("value: {format: json, schema: schemas/order.avsc}", "json"),
        ("value: {format: avro, schema: ./schemas/order.avsc}", "avro"),
        ("value: schemas/order.avsc", "avro"),
    ],
)
def test_an_avro_schema(project: Write, declared: str, format: str) -> None:
    """The path is taken from the project's root; alone it stands for records in AVRO."""
    assert facets(project, declared, order_avsc=AVRO)[0][1] == Facet(COLUMNS, format)


def test_a_json_schema(project: Write) -> None:
    """By the endings `.json` and `.jsonschema`, for the key as well."""
    columns = parse_columns("id BIGINT, at TIMESTAMP")
    declared = "key: schemas/key.jsonschema\n    value: {format: json, schema: schemas/order.json}"
    key = '{"type": "string"}'
    assert facets(project, declared, order_json=JSON, key_jsonschema=key) == [
        (Facet(data.STRING, "json"), Facet(columns, "json"))
    ]


def test_a_field_without_a_type(project: Write) -> None:
    """In JSON it is text, of a key in a window too; in AVRO there is nothing that it could be."""
    schema = '{"properties": {"id": {"type": "integer"}, "more": {"type": "object"}}}'
    columns = parse_columns("id BIGINT, more STRING")
    for format in ("json", "JSON_SR"):
        declared = f"value: {{format: {format}, schema: schemas/o.json}}"
        assert facets(project, declared, o_json=schema)[0][1] == Facet(columns, format.lower())
    declared = "key: {format: 'TW[JSON]', schema: schemas/o.json}"
    assert facets(project, declared, o_json=schema)[0][0] == Facet(window_key(columns), "tw[json]")
    found = findings(project, "value: {format: avro, schema: schemas/o.json}", o_json=schema)
    assert [(f[0], f[4]) for f in found] == [("LSQ035", "an object without named fields has no type")]


def test_a_windowed_key(project: Write) -> None:
    """The file may hold the key inside of the window, or the whole windowed key, as a build writes it."""
    expected = Facet(window_key(COLUMNS), "tw[avro]")
    declared = "key: {format: 'TW[AVRO]', schema: schemas/k.avsc}"
    bounds = [{"name": name, "type": "long"} for name in ("start", "end")]
    fields = [{"name": "key", "type": ["null", json.loads(AVRO)]}, *bounds]
    whole = json.dumps({"type": "record", "name": "K", "fields": fields})
    assert facets(project, declared, k_avsc=AVRO)[0][0] == expected
    assert facets(project, declared, k_avsc=whole)[0][0] == expected


def test_a_primitive_format_wants_its_own_type(project: Write) -> None:
    """As with a type in the YAML."""
    facet = facets(project, "key: {format: long, schema: schemas/k.avsc}", k_avsc='"long"')[0][0]
    assert facet.format == natural_format(facet.type) == "long"
    found = findings(project, "key: {format: int, schema: schemas/k.avsc}")
    assert found == [("LSQ018", "models/t.yml", 3, 19, "the format 'int' holds INT, not BIGINT")]


Finding = tuple[str, object, int | None, int | None, str]


def findings(project: Write, topic: str, **schemas: str | bytes) -> list[Finding]:
    """What is said of a project with one topic."""
    files = {f"schemas/{name.replace('_', '.')}": text for name, text in schemas.items()}
    loaded = load_project(project({**files, "models/t.yml": f"topics:\n  - name: orders\n    {topic}\n"}))
    return [(d.code, d.span and d.span.path, d.line, d.column, d.message) for d in loaded.diagnostics]


def test_what_is_wrong_in_a_file_is_told_there(project: Write) -> None:
    """With its place, all of it, and once although two topics read it; the topics are not known then."""
    wrong = AVRO.replace('"int"', '"integer"').replace('"string"', '"int", "long"')
    declared = (
        "value: schemas/o.avsc\n  - name: more\n    key: STRING\n    value: {format: avro, schema: schemas/o.avsc}"
    )
    assert findings(project, declared, o_avsc=wrong) == [
        ("LSQ011", "schemas/o.avsc", 7, 12, "unknown type 'integer'"),
        ("LSQ035", "schemas/o.avsc", 11, 12, "a union of int and long has no type"),
    ]
    loaded = load_project(project({}))
    assert loaded.project is not None
    assert (loaded.project.topics, loaded.project.broken_topics) == ((), frozenset({"orders", "more"}))
    assert [d.notes for d in loaded.diagnostics] == [("at $.fields[0].type",), ("at $.fields[1].type",)]
    assert loaded.texts["schemas/o.avsc"] == wrong


@pytest.mark.parametrize(
    ("schema", "code", "message"),
    [
        ("schemas/none.avsc", "LSQ001", "cannot read 'schemas/none.avsc': no such file or directory"),
        ("../secret.json", "LSQ009", "'../secret.json' leads out of the project"),
        ("schemas/o.proto", "LSQ011", "'schemas/o.proto': Protobuf schemas are not supported"),
        ("schemas/o.avro", "LSQ011", "'schemas/o.avro': a file of Avro records is not a schema"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_where_it_is_named(
    project: Write, schema: str, code: str, message: str
) -> None:
    """Under the path in the YAML."""
    found = findings(project, f"value: {{format: avro, schema: {schema}}}")
    assert found == [(code, "models/t.yml", 3, 35, message)]


def test_a_link_out_of_the_project_is_refused(project: Write, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A pull request cannot read the machine by it."""
    outside = tmp_path_factory.mktemp("outside") / "o.avsc"
    outside.write_text(AVRO)
    root = project({"schemas/a.avsc": AVRO})
    (root / "schemas/o.avsc").symlink_to(outside)
    assert [f[0] for f in findings(project, "value: schemas/o.avsc")] == ["LSQ009"]


@pytest.mark.parametrize(
    ("content", "place", "code"),
    [(b'{"type": "\xff"}', (1, 11), "LSQ002"), (b"{", (1, 2), "LSQ011"), (b"", (1, 1), "LSQ011")],
)
def test_a_file_that_is_no_json_is_told_at_its_place(
    project: Write, content: bytes, place: tuple[int, int], code: str
) -> None:
    """Bytes that are no text as well."""
    found = findings(project, "value: schemas/o.avsc", o_avsc=content)
    assert [(f[0], f[1], f[2:4]) for f in found] == [(code, "schemas/o.avsc", place)]


@pytest.mark.parametrize("format", ["xml", "XML", "custom"])
def test_formats_of_elsewhere_have_a_way_out(project: Write, format: str) -> None:
    """XML and custom formats are refused by name."""
    loaded = load_project(project({"models/t.yml": f"topics:\n  - {{name: t, value: {{format: {format}}}}}\n"}))
    assert [(d.code, d.message, d.help) for d in loaded.diagnostics] == [
        ("LSQ018", f"unknown format '{format}'", "convert the topic to JSON or AVRO before it is read here")
    ]


def test_names_that_avro_cannot_hold(project: Write) -> None:
    """A JSON Schema may have them; a topic in AVRO may not."""
    schema = '{"properties": {"a b": {"type": "string"}}}'
    assert facets(project, "value: schemas/o.json", o_json=schema)
    found = findings(project, "value: {format: avro, schema: schemas/o.json}", o_json=schema)
    assert [(f[0], f[4]) for f in found] == [("LSQ018", "avro does not support the name 'a b'")]


def test_a_change_of_a_schema_file_is_a_change_of_the_project(project: Write) -> None:
    """An unchanged build is one whose schema files are unchanged too; one that is gone is no cache, and no crash."""
    root = project(
        {"schemas/o.avsc": AVRO, "models/t.yml": "topics:\n  - {name: orders, key: INT, value: schemas/o.avsc}\n"}
    )
    project({"models/m.sql": "SELECT STREAM item FROM orders"})
    loaded = load_project(root).project
    assert loaded is not None
    compilation = compile_project(loaded)
    assert compilation.ok

    def unchanged() -> bool:
        return cache.look(root, stamp="s", salt="", key=KEY).unchanged is not None

    assert not cache.keep(
        root, "target", ["models"], stamp="s", salt="", key=KEY, texts=loaded.texts, manifest=b"{}", summary={},
        diagnostics=(),
    )  # fmt: skip
    assert unchanged()
    project({"schemas/o.avsc": AVRO + "\n"})
    assert not unchanged()
    project({"schemas/o.avsc": AVRO})
    assert unchanged()
    (root / "schemas/o.avsc").unlink()
    assert not unchanged()


def test_the_api_reads_schema_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the current folder, or by an absolute path; what is wrong is raised with its place."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "o.avsc").write_text(AVRO)
    for path in ("o.avsc", os.fspath(tmp_path / "o.avsc")):
        plan = lsqlc.compile("SELECT STREAM item FROM t", topics=[lsqlc.Topic("t", "INT", path)])
        assert (plan.inputs[0].value.format, plan.outputs[0].value.format) == ("avro", "avro")
    (tmp_path / "o.avsc").write_text('["int", "string"]')
    with pytest.raises(lsqlc.CompileError) as caught:
        lsqlc.compile("SELECT STREAM item FROM t", topics=[lsqlc.Topic("t", "INT", "o.avsc")])
    assert [(d.code, d.line, d.column) for d in caught.value.diagnostics] == [("LSQ035", 1, 1)]
    for path in ("none.avsc", "no\0ne.avsc"):
        with pytest.raises(lsqlc.CompileError) as caught:
            lsqlc.compile("SELECT STREAM item FROM t", topics=[lsqlc.Topic("t", "INT", path)])
        assert [d.code for d in caught.value.diagnostics] == ["LSQ001"]
