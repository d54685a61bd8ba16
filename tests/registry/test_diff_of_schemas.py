"""`lsqlc diff` on a changed Avro schema: by the versions and the mode of its subject in the lock file."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.formats.json_schema.write import closed_json_schema
from lsqlc.formats.subjects import Subject, SubjectVersion
from lsqlc.registry.written import change_text
from lsqlc.types.ddl import parse_columns
from tests.cli.conftest import Cli
from tests.cli.test_diff import diff, git

TOPICS = """\
topics:
  - {name: orders, key: STRING, value: {format: avro, schema: 'id BIGINT NOT NULL, note STRING'}}
"""
LOCK = """\
schemas:
  notes-value:
    compatibility: %s
    versions: [{version: 1, id: 7, type: AVRO, schema: '%s'}]
"""
OLD = '{"type":"record","name":"notes_value","fields":[{"name":"id","type":"long"}]}'


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: shop\n")
    (tmp_path / "models" / "topics.yml").write_text(TOPICS)
    (tmp_path / "models" / "notes.sql").write_text("INSERT INTO notes SELECT STREAM id FROM orders")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


@pytest.mark.parametrize(("mode", "query", "said"), [
    ("BACKWARD", "id, note", "compatible with the subject's versions in the mode BACKWARD"),
    ("BACKWARD", "CAST(id AS STRING) AS id", "not compatible with the subject's versions in the mode BACKWARD: the new"
     " version cannot read the old one: 'id' was written as long, and is read as string"),
    ("FORWARD", "note", "not compatible with the subject's versions in the mode FORWARD: the old version cannot read"
     " the new one: 'id' was not written, and has no default"),
    ("NONE", "note", "compatible with the subject's versions in the mode NONE"),
])  # fmt: skip
def test_by_the_lock_file(cli: Cli, repository: Path, mode: str, query: str, said: str) -> None:
    (repository / "lsqlc.lock.yml").write_text(LOCK % (mode, OLD))
    (repository / "models" / "notes.sql").write_text(f"INSERT INTO notes SELECT STREAM {query} FROM orders")
    assert f"  schema of notes-value: {said}\n" in cli("diff", "--against", "HEAD", "--no-rows").out


def test_without_the_lock_file(cli: Cli, repository: Path) -> None:
    """By what the older version of the model wrote; a change that leaves the schema alone says nothing."""
    model = repository / "models" / "notes.sql"
    model.write_text("INSERT INTO notes SELECT STREAM id, note FROM orders")
    (said,) = diff(cli, "--no-rows")["notes"]["schemas"]
    assert (
        said
        == "notes-value: compatible with the other version in the mode BACKWARD (the lock file has no such subject)"
    )
    model.write_text("INSERT INTO notes SELECT STREAM id FROM orders WHERE id > 5")
    assert diff(cli, "--no-rows")["notes"]["schemas"] == []


def test_a_json_schema(cli: Cli, repository: Path) -> None:
    """Only the registry says whether it is compatible; a version that is there already needs no answer."""
    model, lock = repository / "models" / "notes.sql", repository / "lsqlc.lock.yml"
    query = "INSERT INTO notes STORE VALUE AS JSON_SR SELECT STREAM {} FROM orders"
    model.write_text(query.format("id"))
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "second")
    model.write_text(query.format("id, note"))
    (said,) = diff(cli, "--no-rows")["notes"]["schemas"]
    assert said == "notes-value: a new version; `lsqlc schemas check` asks the registry whether it is compatible"
    text = closed_json_schema(parse_columns("id BIGINT NOT NULL, note STRING"), "notes-value")
    lock.write_text((LOCK % ("BACKWARD", text)).replace("AVRO", "JSON"))
    assert diff(cli, "--no-rows")["notes"]["schemas"] == ["notes-value: a version of the subject"]


def test_what_is_no_comparison() -> None:
    """A version that is there already, a mode that is not known, a schema in the lock file that has no tree."""
    version = SubjectVersion(7, 1, "AVRO", '"int"')
    assert change_text('"long"', '"int"', Subject("s", "FULL", (version,)), "AVRO") == "a version of the subject"
    odd = Subject("s", "ODD", (version,))
    assert change_text('"int"', '"long"', odd, "AVRO") == "the subject's mode 'ODD' is unknown"
    broken = Subject("s", "FULL", (SubjectVersion(7, 1, "AVRO", "{"),))
    assert change_text('"int"', '"long"', broken, "AVRO").startswith("not comparable: the schema is not JSON")
