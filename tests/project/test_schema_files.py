"""Topics whose schema is a file: Avro and JSON Schema, and what is said where one cannot be used."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import lsqlc
from lsqlc.formats.windows import window_key
from lsqlc.project.build import cache
from lsqlc.project.build.compile import compile_project
from lsqlc.project.discovery import load_project
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
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


def record(name: str, *fields: tuple[str, Any], namespace: str = "com.example") -> dict[str, Any]:
    """A record of Avro."""
    parts = [{"name": field, "type": type} for field, type in fields]
    return {"type": "record", "name": name, "namespace": namespace, "fields": parts}


ADDRESS = record("Address", ("zip", "string"))
STATE = {"type": "enum", "name": "State", "namespace": "com.example", "symbols": ["OPEN", "SENT"]}
OTHER = record("Address", ("zip", "int"))
CLIENT = record("Client", ("home", "Address"), ("work", ["null", "com.example.Address"]), ("state", "State"))
CLIENT_COLUMNS = "home STRUCT<zip: STRING NOT NULL> NOT NULL, work STRUCT<zip: STRING NOT NULL>, state STRING NOT NULL"
IN_FILES = "value: {format: avro, schema: [%s]}"


@pytest.mark.parametrize(
    "files",
    [
        {"types_avsc": [ADDRESS, STATE]},
        {"state_avsc": STATE, "address_avsc": ADDRESS},
        {"a_avsc": [ADDRESS, STATE], "b_avsc": record("Other", ("a", {**ADDRESS}), ("s", STATE))},
        {"other_avsc": record("Other", ("a", ["null", ADDRESS]), ("s", {"type": "array", "items": STATE}))},
    ],
    ids=str,
)
def test_types_of_other_avro_files(project: Write, files: dict[str, Any]) -> None:
    """Those of files in a list, and of files in the same folder, at any level in them."""
    texts = {name: json.dumps(schema) for name, schema in files.items()}
    expected = Facet(parse_columns(CLIENT_COLUMNS), "avro")
    paths = ", ".join(f"schemas/{name.replace('_', '.')}" for name in files)
    for declared in (IN_FILES % f"{paths}, schemas/client.avsc", "value: schemas/client.avsc"):
        assert facets(project, declared, client_avsc=json.dumps(CLIENT), **texts)[0][1] == expected


def test_a_list_may_name_files_of_other_folders(project: Write) -> None:
    """What is not in the list, and in another folder, is not looked for. One file in a list is that file."""
    files = {"schemas/client.avsc": json.dumps(CLIENT), "types/all.avsc": json.dumps([ADDRESS, STATE])}
    topics = "topics:\n  - name: t\n    "
    project({**files, "models/t.yml": topics + IN_FILES % "types/all.avsc, schemas/client.avsc" + "\n"})
    assert load_project(project({})).diagnostics == ()
    root = project({"models/t.yml": topics + IN_FILES % "schemas/client.avsc" + "\n"})
    help = "define 'com.example.Address' before it is used, or list the file that defines it: "
    found = load_project(root).diagnostics
    assert (found[0].code, found[0].message) == ("LSQ011", "unknown type 'Address'")
    assert found[0].help == help + "`schema: [TYPES.avsc, schemas/client.avsc]`"


AVRO_FAULTS: list[tuple[str, dict[str, Any], list[tuple[str, str, str]]]] = [
    (
        "value: schemas/a.avsc",
        {"a_avsc": record("A", ("b", "B")), "b_avsc": record("B", ("a", "A"))},
        [("LSQ035", "schemas/b.avsc", "the record 'com.example.A' contains itself")],
    ),
    (
        "value: schemas/a.avsc",
        {"a_avsc": record("A", ("b", "B")), "b_avsc": record("B", ("c", "C"))},
        [("LSQ011", "schemas/b.avsc", "unknown type 'C'")],
    ),
    (
        "value: schemas/a.avsc",
        {"a_avsc": record("A", ("b", "Address")), "b_avsc": ADDRESS, "c_avsc": [STATE, OTHER]},
        [
            (
                "LSQ011",
                "schemas/a.avsc",
                "the type 'com.example.Address' has several definitions in this folder: schemas/b.avsc, schemas/c.avsc",
            )
        ],
    ),
    (
        IN_FILES % "schemas/b.avsc, schemas/c.avsc, schemas/a.avsc",
        {"a_avsc": record("A", ("b", "Address")), "b_avsc": ADDRESS, "c_avsc": [STATE, OTHER]},
        [("LSQ011", "schemas/c.avsc", "the type 'com.example.Address' is defined in 'schemas/b.avsc' too")],
    ),
    (
        IN_FILES % "schemas/b.avsc, schemas/a.avsc",
        {"a_avsc": record("A", ("b", OTHER)), "b_avsc": ADDRESS},
        [("LSQ011", "schemas/a.avsc", "the type 'com.example.Address' is defined in 'schemas/b.avsc' too")],
    ),
    (
        IN_FILES % "schemas/b.avsc, schemas/a.avsc",
        {"a_avsc": record("A", ("b", "Address")), "b_avsc": [ADDRESS, ADDRESS]},
        [("LSQ011", "schemas/b.avsc", "the type 'com.example.Address' is defined twice in this file")],
    ),
    (
        "value: schemas/a.avsc",
        {"a_avsc": record("A", ("b", "Address")), "b_avsc": record("B", ("s", ["int", "long"]))},
        [("LSQ011", "schemas/a.avsc", "unknown type 'Address'")],
    ),
]


@pytest.mark.parametrize(("declared", "files", "expected"), AVRO_FAULTS)
def test_faults_between_avro_files(
    project: Write, declared: str, files: dict[str, Any], expected: list[tuple[str, str, str]]
) -> None:
    """A record inside of itself, a missing name, and several definitions: each at its position, in its file."""
    found = findings(project, declared, **{name: json.dumps(schema) for name, schema in files.items()})
    assert [(f[0], f[1], f[4]) for f in found] == expected


def test_a_file_that_is_meant_is_listed(project: Write) -> None:
    """Of several definitions in the folder, as the help says."""
    files = {"a_avsc": record("A", ("b", "Address")), "b_avsc": ADDRESS, "c_avsc": record("Address", ("x", "int"))}
    texts = {name: json.dumps(schema) for name, schema in files.items()}
    declared = IN_FILES % "schemas/b.avsc, schemas/a.avsc"
    columns = parse_columns("b STRUCT<zip: STRING NOT NULL> NOT NULL")
    assert facets(project, declared, **texts)[0][1] == Facet(columns, "avro")


def test_siblings_that_cannot_be_read(project: Write) -> None:
    """They are reported where a name is missing, which they may define, and nowhere else."""
    broken: dict[str, str | bytes] = {"b_avsc": "{", "c_avsc": b'{"\xff": 1}'}
    whole, lacking = (json.dumps(record("A", ("b", name))) for name in ("string", "Address"))
    assert findings(project, "value: schemas/a.avsc", a_avsc=whole, **broken) == []
    found = findings(project, "value: schemas/a.avsc", a_avsc=lacking, **broken)
    assert [(f[0], f[1]) for f in found] == [
        ("LSQ011", "schemas/a.avsc"),
        ("LSQ011", "schemas/b.avsc"),
        ("LSQ002", "schemas/c.avsc"),
    ]


@pytest.mark.parametrize("schema", ["[]", "[schemas/a.json]", "[schemas/a.avsc, 3]", "['id INT', schemas/a.avsc]"])
def test_a_list_is_of_avro_files(project: Write, schema: str) -> None:
    """Only Avro has types with names that other files define."""
    found = findings(project, f"value: {{format: avro, schema: {schema}}}", a_avsc=AVRO, a_json=JSON)
    assert [(f[0], f[4]) for f in found] == [("LSQ010", "a list of schemas must consist of paths of .avsc files")]


def test_comments_in_avro_files(project: Write) -> None:
    """As Avro's parser for Java takes them. Positions behind them are those of the file."""
    text = """\
// An order, "quoted".
{"type": "record", /* of the
 shop */ "name": "Order", "fields": [ // its fields
  {"name": "id", "type": "int", "doc": "see http://example.com/*.html"}, {"name": "item", "type": ["null", TYPE]}
]}
"""
    good = text.replace("TYPE", '"string"')
    assert facets(project, "value: schemas/o.avsc", o_avsc=good)[0][1] == Facet(COLUMNS, "avro")
    found = findings(project, "value: schemas/o.avsc", o_avsc=text.replace("TYPE", '"text"'))
    assert found == [("LSQ011", "schemas/o.avsc", 4, 108, "unknown type 'text'")]
    found = findings(project, "value: schemas/o.avsc", o_avsc=good + "/* no end")
    assert [(f[0], f[2]) for f in found] == [("LSQ011", 6)]
    assert [f[0] for f in findings(project, "value: schemas/o.json", o_json="// no\n" + JSON)] == ["LSQ011"]


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

    kept = cache.Build(loaded.texts, ["models"], b"{}", {})
    assert not cache.keep(root, "target", kept, cache.Origin("s", "", KEY))
    assert unchanged()
    project({"schemas/o.avsc": AVRO + "\n"})
    assert not unchanged()
    project({"schemas/o.avsc": AVRO})
    assert unchanged()
    project({"schemas/more.avsc": AVRO})
    assert not unchanged()
    (root / "schemas/more.avsc").unlink()
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
    (tmp_path / "types.avsc").write_text(AVRO)
    (tmp_path / "o.avsc").write_text('{"type": "record", "name": "O", "fields": [{"name": "order", "type": "Order"}]}')
    plan = lsqlc.compile("SELECT STREAM order.item FROM t", topics=[lsqlc.Topic("t", "INT", "o.avsc")])
    assert str(plan.inputs[0].value.type) == "STRUCT<`order`: STRUCT<id: INT NOT NULL, item: STRING> NOT NULL>".replace(
        "`", ""
    )
    for path in ("none.avsc", "no\0ne.avsc"):
        with pytest.raises(lsqlc.CompileError) as caught:
            lsqlc.compile("SELECT STREAM item FROM t", topics=[lsqlc.Topic("t", "INT", path)])
        assert [d.code for d in caught.value.diagnostics] == ["LSQ001"]
