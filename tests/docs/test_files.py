"""docs/reference/files.md: its declaration can be read, its program compiles, and its plan says what it says."""

from __future__ import annotations

import re
from pathlib import Path

from lsqlc.bind.lenses.program import compile_program
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.project.declared.file_topics import FilesFile
from lsqlc.syntax.lenses.parser import parse

TEXT = (Path(__file__).parents[2] / "docs/reference/files.md").read_text("utf-8")


def _block(info: str) -> str:
    found = re.search(rf"^```{info}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


def test_the_example_compiles() -> None:
    """Over the topic that the page declares; the plan asks for the columns that the query names."""
    declared = read_declarations(_block("yaml topics"), "topics.yml", Defaults())
    assert not declared.diagnostics, declared.diagnostics
    parsed = parse(_block("sql"), "files.md")
    assert parsed.program is not None, parsed.diagnostics
    compiled = compile_program(parsed.program, {d.topic.name: d.topic for d in declared.topics}, name="high")
    assert compiled.plan is not None, compiled.diagnostics
    tree = compiled.plan.tree()
    assert "of csv 'data/readings', with dir0" in tree and 'reads files with dir0 = "2013" alone' in tree


def test_the_table_has_every_option() -> None:
    """A key that the declaration takes and the page does not explain is one that nobody finds."""
    told = set(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE))
    assert told == set(FilesFile.__struct_fields__)
