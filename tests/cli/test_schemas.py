"""`show --schema` and `compile --schemas`: the schemas of topics and results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fastavro
import jsonschema

from .conftest import Cli


def test_show_prints_the_schemas_of_a_topic(cli: Cli, bikes: Path) -> None:
    """Of key and value, each with its format, in the language asked for."""
    ran = cli("show", "rides", "--schema", "ddl")
    assert ran.code == 0
    assert ran.out.startswith("rides key (string)\nSTRING\n\nrides value (json)\n")
    found = cli("show", "rides", "--schema", "avro", "--output", "json").lines
    assert [(f["topic"], f["facet"], f["format"]) for f in found] == [
        ("rides", "key", "string"),
        ("rides", "value", "json"),
    ]
    assert _parsed(found[1]["schema"])["name"] == "rides_value"


def test_show_prints_the_schemas_of_all_that_a_model_writes(cli: Cli, bikes: Path) -> None:
    """By the model's name; as JSON Schema with the topic's name in the title."""
    (bikes / "models" / "two.sql").write_text(
        "INSERT INTO one SELECT STREAM bike FROM rides;\nINSERT INTO other SELECT STREAM bike AS _value FROM rides\n"
    )
    found = cli("show", "two", "--schema", "json", "--output", "json").lines
    assert [f["schema"]["title"] for f in found] == ["one-key", "one-value", "other-key", "other-value"]
    for each in found:
        jsonschema.Draft7Validator.check_schema(each["schema"])


def test_records_are_named_as_the_program_says(cli: Cli, bikes: Path) -> None:
    """By `value.avro.record` and its like, for one topic or for all; a full name goes before the namespace."""
    (bikes / "models" / "named.sql").write_text(
        "SET defaults.topic.value.avro.record = 'Ride';\n"
        "SET topic.`two`.value.avro.namespace = 'com.example';\n"
        "SET topic.`three`.value.avro.record = 'org.example.Three';\n"
        "INSERT INTO one SELECT STREAM bike, minutes FROM rides;\n"
        "INSERT INTO two SELECT STREAM bike, minutes FROM rides;\n"
        "INSERT INTO three SELECT STREAM bike, minutes FROM rides;\n"
    )
    found = cli("show", "named", "--schema", "avro", "--output", "json").lines
    names = [_parsed(f["schema"])["name"] for f in found if f["facet"] == "value"]
    assert names == ["Ride", "com.example.Ride", "org.example.Three"]


def test_compile_writes_the_schemas_of_all_results(cli: Cli, bikes: Path) -> None:
    """One file for each facet, named after topic and facet as a schema registry names subjects; stale ones go."""
    folder = bikes / "target" / "schemas"
    assert cli("compile", "--schemas", "avro").code == 0
    (folder / "gone-value.avsc").write_text("{}")
    (folder / "mine.txt").write_text("mine")
    for language, ending in (("avro", "avsc"), ("json", "json"), ("ddl", "ddl")):
        assert cli("compile", "--schemas", language).code == 0
        written = {p.name for p in folder.glob(f"*.{ending}")}
        assert written == {
            f"{topic}-{facet}.{ending}"
            for topic in ("arrivals", "bikes_at_station", "rides_by_station")
            for facet in ("key", "value")
        }
    assert (folder / "mine.txt").exists()
    fastavro.parse_schema(json.loads((folder / "rides_by_station-value.avsc").read_text()))
    assert cli("compile").code == 0


def test_a_selection_writes_its_schemas_alone(cli: Cli, bikes: Path) -> None:
    """And leaves the others where they are."""
    assert cli("compile", "--schemas", "avro", "--select", "arrivals").code == 0
    assert {p.name for p in (bikes / "target" / "schemas").iterdir()} == {"arrivals-key.avsc", "arrivals-value.avsc"}
    assert cli("compile", "--schemas", "avro", "--select", "rides_by_station").code == 0
    assert len(list((bikes / "target" / "schemas").iterdir())) == 4


def test_a_name_that_avro_cannot_hold(cli: Cli, bikes: Path) -> None:
    """A finding for each topic that has one; what can be printed is; the other languages hold it."""
    (bikes / "models" / "odd.sql").write_text("SELECT STREAM bike, minutes + 1 FROM rides\n")
    for words in (("show", "odd", "--schema"), ("compile", "--schemas")):
        ran = cli(*words, "avro")
        assert ran.code == 1
        assert "error[LSQ036]: the value of 'odd' has no schema in Avro" in ran.err
        assert "'minutes + 1' is not a valid name in AVRO" in ran.err
        assert cli(*words, "ddl").code == cli(*words, "json").code == 0
    assert (bikes / "target" / "schemas" / "odd-key.avsc").exists()
    assert not (bikes / "target" / "schemas" / "odd-value.avsc").exists()


def _parsed(schema: Any) -> dict[str, Any]:
    parsed = fastavro.parse_schema(schema)
    assert isinstance(parsed, dict)
    return parsed
