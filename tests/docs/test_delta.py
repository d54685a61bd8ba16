"""docs/how-to/delta.md and docs/reference/delta.md: their declarations can be read, and the tables have each option."""

from __future__ import annotations

import re

import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.project.declared.delta_topics import DeltaTopicFile
from lsqlc.syntax.lenses.parser import parse
from lsqlc.tables.delta import source
from tests.docs.blocks import DOCS

HOW_TO, REFERENCE = ((DOCS / folder / "delta.md").read_text("utf-8") for folder in ("how-to", "reference"))


def _blocks(text: str, info: str) -> list[str]:
    return re.findall(rf"^```{info}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", [*_blocks(HOW_TO, "yaml topics"), *_blocks(REFERENCE, "yaml topics")])
def test_the_declarations_can_be_read(block: str) -> None:
    declared = read_declarations(block, "topics.yml", Defaults())
    assert not declared.diagnostics and all(topic.delta is not None for topic in declared.topics)


def test_the_program_compiles() -> None:
    declared = read_declarations(_blocks(HOW_TO, "yaml topics")[0], "topics.yml", Defaults())
    parsed = parse(_blocks(HOW_TO, "sql")[0], "delta.md")
    assert parsed.program is not None, parsed.diagnostics
    compiled = compile_program(parsed.program, {d.topic.name: d.topic for d in declared.topics}, name="named")
    assert compiled.plan is not None, compiled.diagnostics


def test_the_table_has_every_option() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", REFERENCE, re.MULTILINE)) >= set(DeltaTopicFile.__struct_fields__)


def test_every_type_is_explained() -> None:
    """Of those that a topic can have."""
    types = REFERENCE[REFERENCE.index("## Types") :]
    assert set(source._PRIMITIVES) <= set(re.findall(r"`(\w+)`", types))
