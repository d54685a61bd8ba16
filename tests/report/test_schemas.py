"""The published JSON Schemas: they say what the readers read and the writers write, of every file that there is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import jsonschema
import msgspec
import pytest

from lsqlc.golden.cases import load_cases
from lsqlc.project.build.compile import compile_project
from lsqlc.project.declared.config import Defaults, read_config
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.project.discovery import load_project
from lsqlc.report.schemas import NAMES, WRITTEN_BY_PEOPLE, described, schema_text
from lsqlc.yaml.described import POSITIVE, reference
from lsqlc.yaml.described import described as member_text
from lsqlc.yaml.nodes import read_yaml
from tools.schemas import TYPES, definition, generated, member

from ..cli.conftest import Cli, bikes, cli  # noqa: F401 (fixtures)
from ..golden.project import plan

ROOT = Path(__file__).resolve().parents[2]
NAMES_OF_X = {"items": {"type": "string", "pattern": "x"}}


@cache
def _validator(name: str) -> jsonschema.Draft7Validator:
    return jsonschema.Draft7Validator(json.loads(schema_text(name)))


def _wrong(name: str, data: Any) -> list[str]:
    return [f"{error.json_path}: {error.message[:200]}" for error in _validator(name).iter_errors(data)]


def _kind(path: Path, data: Any) -> str | None:
    """Which schema a YAML file has, None for one that is none of lsqlc's."""
    if path.name in ("lsqlc.yml", "profiles.yml"):
        return "project" if path.name == "lsqlc.yml" else "profiles"
    if not isinstance(data, dict):
        return None
    if data.keys() & {"cases", "fixtures"}:
        return "cases"
    return "models" if data.keys() & {"topics", "sources", "models"} else None


def _files() -> Iterator[Any]:
    for top in ("lsqlc.yml", "models", "tests", "project_template", "tools"):
        base = ROOT / top
        for path in [base] if base.is_file() else sorted((*base.rglob("*.yml"), *base.rglob("*.yaml"))):
            text = path.read_text("utf-8", errors="replace").replace("{{project_name}}", "p")
            document = read_yaml(text, path.name)
            kind = None if document.diagnostics else _kind(path, document.data)
            if kind:
                yield pytest.param(kind, document.data, id=path.relative_to(ROOT).as_posix())


@pytest.mark.parametrize("name", NAMES)
def test_each_is_a_schema_with_a_version(name: str) -> None:
    """Its `$id` has its name and version, and it says what it is of."""
    schema = json.loads(schema_text(name))
    jsonschema.Draft7Validator.check_schema(schema)
    assert schema["$id"] == f"urn:lsqlc:schema:{name}:1" and described(name).endswith(".")


@pytest.mark.parametrize(("kind", "data"), list(_files()))
def test_the_yaml_files_of_project_and_tests_fit(kind: str, data: Any) -> None:
    """Of the reference project, the template and the suite."""
    assert _wrong(kind, data) == []


@pytest.mark.parametrize("name", WRITTEN_BY_PEOPLE)
def test_those_of_what_people_write_are_generated(name: str) -> None:
    """`python -m tools.schemas` would change nothing: keys, required ones and defaults are those that are read."""
    assert schema_text(name) == generated(name)


def test_every_type_of_a_file_is_in_a_schema() -> None:
    """And no mapping is open: an unknown key is a mistake."""
    found = {name: json.loads(schema_text(file)) for file in WRITTEN_BY_PEOPLE for name in _definitions(file)}
    assert found.keys() >= TYPES.keys() - {"project"}
    for name in TYPES:
        made = definition(name)
        assert made["additionalProperties"] is False and all(
            each["description"] for each in made["properties"].values()
        )


def _definitions(file: str) -> set[str]:
    return set(json.loads(schema_text(file)).get("definitions", ()))


def test_a_member_is_as_it_is_declared() -> None:
    """With its type, choices in their order, constraints in place of the type's, and its default."""

    class Made(msgspec.Struct, frozen=True, kw_only=True):
        mode: Annotated[Literal["z", "a"] | None, member_text("A choice.")] = None
        size: Annotated[int, member_text("A number.", POSITIVE)] = 3
        names: Annotated[list[str], member_text("Names.", NAMES_OF_X)] = []
        other: Annotated[Any, member_text("Another.", reference("facet"))] = None
        bare: str = ""

    mode, size, names, other, bare = msgspec.structs.fields(Made)
    assert member(mode) == {"description": "A choice.", "enum": ["z", "a", None]}
    assert member(size) == {"description": "A number.", "type": "integer", "minimum": 1, "default": 3}
    assert member(names) == {"description": "Names.", "type": "array", "items": {"type": "string", "pattern": "x"}}
    assert member(other) == {"description": "Another.", "$ref": "#/definitions/facet"}
    with pytest.raises(AssertionError, match="'bare' is not described"):
        member(bare)


CASE = "cases:\n  - name: a\n    model: m\n"


@pytest.mark.parametrize(
    ("good", "text"),
    [
        (True, "inputs: {flights: [{key: a, value: {id: 1}, timestamp: 2024-01-01 05:00}, {key: a}]}"),
        (True, "arrivals: [{topic: flights, raw: '{', raw_key: '1'}]"),
        (True, "batches: [[{topic: flights}], [{topic: flights}]]"),
        (True, "defaults: {flights: {value: {id: 1}}}\n    inputs: {flights: []}\n    batches: []"),
        (
            True,
            "inputs: {}\n    golden: false\n    expect: {late: {rows: [], unique: id, not_null: [id], no_rows: true}}",
        ),
        (True, "inputs: {}\n    expect: {late: {condition: [id > 1], no_rows: id > 1}, counted: null}"),
        (False, "inputs: {flights: {key: a}}"),
        (False, "inputs: {flights: [{kye: a}]}"),
        (False, "inputs: {flights: [{timestamp: [1]}]}"),
        (False, "arrivals: [{key: a}]"),
        (False, "batches: [0]\n    inputs: {}"),
        (False, "batches: [[]]"),
        (False, "inputs: {}\n    golden: maybe"),
        (False, "inputs: {}\n    expect: {late: {uniqe: id}}"),
        (False, "inputs: {}\n    expect: {late: {no_rows: 3}}"),
        (False, "inputs: {}\n    expected: {}"),
        (False, "inputs: {flights: [{advance_watermark: 1, key: a}]}"),
        (False, "inputs: {}\n    defaults: {flights: [1]}"),
    ],
)
def test_cases_are_read_as_the_schema_says(good: bool, text: str) -> None:
    """Schema and reader agree on what is a case."""
    text = f"{CASE}    {text}\n"
    assert (not _wrong("cases", read_yaml(text, "c.yml").data)) is good
    assert (not load_cases({"c.yml": text}, {"m": plan()}).diagnostics) is good


@pytest.mark.parametrize(
    ("good", "text"),
    [
        (True, "name: p\nvars: {a: 1}\nselectors: {ci: 'tag:x', other: {select: [a, b], exclude: c}}\n"),
        (
            True,
            "name: p\ndefaults: {grace: 5m, tags: [a], partitions: 3, nullability: strict}\nlint: {ignore: [LSQ801]}\n",
        ),
        (True, "name: p\ndefaults: {error_policy: dlq, dead_letters: bad}\n"),
        (False, "name: p\ndefaults: {error_policy: skip}\n"),
        (False, "name: p\ndefaults: {dead_letters: 'a b'}\n"),
        (
            True,
            "name: p\nalerts: {severity: info, lag: 5m, progress: false, letters: 0, state: 9, runbooks: 'https://a.b'}\n",
        ),
        (False, "name: p\nalerts: {lag: 5}\n"),
        (False, "name: p\nalerts: {lag: true}\n"),
        (False, "name: p\nalerts: {letters: -1}\n"),
        (False, "name: p\nalerts: {restarts: true}\n"),
        (False, "name: p\nalerts: {severity: high}\n"),
        (False, "name: p\nalerts: {runbooks: docs}\n"),
        (False, "nmae: p\n"),
        (False, "name: p\ndefaults: {grace: 5 minutes}\n"),
        (False, "name: p\ndefaults: {partitions: 0}\n"),
        (False, "name: p\nmodel-paths: models\n"),
        (False, "name: p\ndialect: mysql\n"),
        (False, "name: p\nselectors: {ci: [a]}\n"),
    ],
)
def test_project_files_are_read_as_the_schema_says(good: bool, text: str) -> None:
    """Schema and reader agree on what is a project file."""
    assert (not _wrong("project", read_yaml(text, "lsqlc.yml").data)) is good
    assert (not read_config(text)[1]) is good


@pytest.mark.parametrize(
    ("good", "text"),
    [
        (True, "topics: [{name: a, key: INT, value: {format: json, schema: 'id INT'}, tags: x, seed: {path: s.csv}}]"),
        (True, "sources: [{name: s, topics: [{name: a, value: 'id INT'}]}]\nmodels: [{name: m, config: {tags: [a]}}]"),
        (False, "topics: [{name: a, value: INT, partitions: 0}]"),
        (False, "topics: [{name: a, value: {format: avro, schema: [a.json]}}]"),
        (False, "topics: [{name: a, value: {format: avro, schema: []}}]"),
        (False, "topics: [{name: a b, value: INT}]"),
        (False, "topics: [{value: INT}]"),
        (False, "topics: [{name: a, value: {schema: 'id INT'}}]"),
        (False, "topics: [{name: a, value: INT, seed: {key: id}}]"),
        (False, "models: [{name: m, config: {nullability: maybe}}]"),
        (True, "models: [{name: m, config: {error_policy: dlq, dead_letters: bad}}]"),
        (False, "models: [{name: m, config: {error_policy: ignore}}]"),
        (False, "models: [{name: m, config: {dead_letters: /bad}}]"),
        (False, "topic: []"),
        (True, "models: [{name: m, alerts: {lag: 1m, state: false}}]"),
        (False, "models: [{name: m, alerts: {runbooks: 'https://a.b'}}]"),
        (True, "topics: [{name: a, value: 'id INT', tests: [{not_null: id}, {unique: [id, _key], severity: warn}]}]"),
        (True, "topics: [{name: a, value: 'id INT', tests: [{freshness: 1h}, {condition: id > 1}]}]"),
        (True, "models: [{name: m, tests: [{accepted_values: {column: a, values: [x, 1, true]}}]}]"),
        (True, "models: [{name: m, columns: [{name: a, tests: [not_null, {unique: null, severity: warn}]}]}]"),
        (True, "models: [{name: m, columns: [{name: a, tests: [{relationships: {to: t, field: b}}]}]}]"),
        (False, "models: [{name: m, tests: [not_null]}]"),
        (False, "models: [{name: m, tests: [{not_null: a, unique: a}]}]"),
        (False, "models: [{name: m, tests: [{not_null: []}]}]"),
        (False, "models: [{name: m, tests: [{not_null: a, severity: high}]}]"),
        (False, "models: [{name: m, tests: [{freshness: soon}]}]"),
        (False, "models: [{name: m, tests: [{accepted_values: {column: a}}]}]"),
        (False, "models: [{name: m, tests: [{accepted_values: {column: a, values: [1.5]}}]}]"),
        (False, "models: [{name: m, columns: [{name: a, tests: [freshness]}]}]"),
        (False, "models: [{name: m, columns: [{name: a, tests: [{unique: a}]}]}]"),
        (False, "models: [{name: m, columns: [{tests: []}]}]"),
    ],
)
def test_declarations_are_read_as_the_schema_says(good: bool, text: str) -> None:
    """Schema and reader agree on what is a declaration."""
    assert (not _wrong("models", read_yaml(text, "t.yml").data)) is good
    assert (not read_declarations(text, "t.yml", Defaults()).diagnostics) is good


def test_the_manifest_of_the_reference_project_fits() -> None:
    """With all its topics and models."""
    project = load_project(ROOT).project
    assert project is not None
    manifest = json.loads(msgspec.json.encode(compile_project(project).manifest("0.0.0")))
    assert len(manifest["models"]) > 3 and _wrong("manifest", manifest) == []


def test_what_commands_write_fits(cli: Cli, bikes: Path) -> None:  # noqa: F811 (fixtures)
    """A build that passes, one that fails in every way, a project that cannot be read, and a diff."""
    assert cli("build").code == 0
    assert _wrong("manifest", json.loads((bikes / "target/manifest.json").read_text())) == []
    assert _wrong("run_results", json.loads((bikes / "target/run_results.json").read_text())) == []
    (bikes / "before.json").write_text((bikes / "target/manifest.json").read_text())
    golden = bikes / "golden/bikes_at_station/a_bike_moves.jsonl"
    golden.write_text(golden.read_text().replace(":1", ":2"))
    (bikes / "golden/bikes_at_station/gone.jsonl").write_text("")
    case = bikes / "tests/bikes.yml"
    case.write_text(f"{case.read_text()}    expect: {{bikes_at_station: {{rows: [], no_rows: true}}}}\n")
    model = bikes / "models/rides_by_station.sql"
    model.write_text(model.read_text().replace("COUNT(*) ", "COUNT(1) ").replace("AVG(minutes)", "SUM(minutes)"))
    ran = cli("build", "--output", "json")
    assert ran.code == 1 and _wrong("run_results", ran.data) == []
    assert {r["kind"] for r in ran.data["results"]} == {"case", "plan", "orphan"}
    changed = cli("diff", "--against", "before.json", "--output", "json")
    assert changed.data["models"] and _wrong("diff", changed.data) == []
    model.write_text("SELECT TABLE nothing FROM nowhere\n")
    assert _wrong("run_results", cli("build", "--output", "json").data) == []


def test_the_command(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811 (fixtures)
    """It lists, prints and writes them."""
    monkeypatch.chdir(tmp_path)
    assert [line.split()[0] for line in cli("schema").out.splitlines()] == list(NAMES)
    assert json.loads(cli("schema", "manifest").out) == json.loads(schema_text("manifest"))
    assert set(cli("schema", "--output", "json").data["schemas"]) == set(NAMES)
    assert cli("schema", "case").code == 2
    assert cli("schema", "--write", "here").code == 0
    assert {path.name for path in (tmp_path / "here").iterdir()} == {f"{name}.json" for name in WRITTEN_BY_PEOPLE}
    assert cli("schema", "diff", "--write", "there", "--output", "json").data["files"] == ["there/diff.json"]


def test_the_template_points_editors_to_them(cli: Cli, bikes: Path) -> None:  # noqa: F811 (fixtures)
    """Each YAML file has the place of its schema in a comment; the schema is there and is the one that it fits."""
    found = set()
    for path in sorted(bikes.rglob("*.yml")):
        if ".github" in path.parts or path.name.startswith("."):
            continue
        (place,) = re.findall(r"^# yaml-language-server: \$schema=(.*)$", path.read_text(), re.MULTILINE)
        schema = (path.parent / place).resolve()
        found.add(schema.stem)
        assert schema.read_text() == schema_text(schema.stem)
        assert schema.stem == _kind(path, read_yaml(path.read_text(), path.name).data)
    assert found == {"project", "models", "cases"}
