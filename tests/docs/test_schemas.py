"""docs/reference/schemas.md: files become the columns that it shows, and types the schemas of its table."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from lsqlc.diagnostics.render import render_all
from lsqlc.formats.avro.read import read_avro
from lsqlc.formats.avro.write import avro_schema
from lsqlc.formats.json_schema.read import read_json_schema
from lsqlc.formats.json_schema.write import json_schema
from lsqlc.project.discovery import load_project
from lsqlc.types.ddl import parse_columns, parse_type
from tests.docs.blocks import DOCS, blocks

TEXT = (DOCS / "reference/schemas.md").read_text("utf-8")
BLOCKS = blocks(TEXT)
ROWS = re.findall(r"^\| ([A-Z].*?) \| `(.*?)` \| `(.*)` \|$", TEXT, re.MULTILINE)


def block(*info: str) -> str:
    return next(b.text for b in BLOCKS if b.info == info)


@pytest.mark.parametrize(("name", "read"), [("order.avsc", read_avro), ("click.json", read_json_schema)])
def test_a_file_is_the_columns_below_it(name: str, read: object) -> None:
    """Of the schema that is shown."""
    at = next(i for i, b in enumerate(BLOCKS) if b.info == ("json", name))
    shown, columns = BLOCKS[at], BLOCKS[at + 1]
    assert columns.info == ("text", "ddl")
    found = read(shown.text)  # type: ignore[operator]
    assert (found.problems, found.type) == ((), parse_columns(columns.text))


@pytest.mark.parametrize(("type", "avro", "in_json"), ROWS)
def test_each_row_of_the_table_is_what_is_printed(type: str, avro: str, in_json: str) -> None:
    """In Avro and in JSON Schema, without its `$schema`."""
    parsed = parse_type(html.unescape(type))
    assert json.loads(avro) == avro_schema(parsed, "t")
    assert json.loads(in_json.replace("\\|", "|")) == {k: v for k, v in json_schema(parsed).items() if k != "$schema"}


def test_the_table_has_every_kind_of_type() -> None:
    """All fourteen."""
    assert len(ROWS) == 14


def test_the_declarations_and_the_error_are_real(tmp_path: Path) -> None:
    """The topics of the page are read from the files of the page; with the wrong file the error is the one shown."""
    for path, text in {
        "lsqlc.yml": "name: shop\n",
        "models/topics.yml": block("yaml", "topics"),
        "schemas/order.avsc": block("json", "order.avsc"),
        "schemas/click.json": block("json", "click.json"),
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    loaded = load_project(tmp_path)
    assert loaded.project is not None and loaded.diagnostics == ()
    assert {t.topic.name: t.topic.value.format for t in loaded.project.topics} == {"orders": "avro", "clicks": "json"}
    for name in ("types.avsc", "client.avsc"):
        (tmp_path / "schemas" / name).write_text(block("json", name))
    columns = parse_columns("home STRUCT<zip: STRING NOT NULL> NOT NULL, rank STRING")
    for schema in ("", "schemas/client.avsc"):
        several = block("yaml", "several", "files")
        several = several.replace("[schemas/types.avsc, schemas/client.avsc]", schema) if schema else several
        (tmp_path / "models/more.yml").write_text(several)
        loaded = load_project(tmp_path)
        assert loaded.project is not None and loaded.diagnostics == ()
        assert [t.topic.value.type for t in loaded.project.topics if t.topic.name == "clients"] == [columns]
    wrong = '{"type": "record", "name": "Order",\n "fields": [{"name": "id", "type": ["int", "string"]}]}\n'
    (tmp_path / "schemas/order.avsc").write_text(wrong)
    loaded = load_project(tmp_path)
    assert render_all(loaded.diagnostics, loaded.texts, colour=False).strip() == block("text", "error").strip()
