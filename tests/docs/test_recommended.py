"""What the documentation recommends is not what lint warns of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from lsqlc.diagnostics.catalogue import codes
from lsqlc.dialects.ksql import DIALECT as KSQL
from lsqlc.lint import lint_program
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.record import Topic
from tests.cli.conftest import Cli, cli
from tests.diagnostics.test_pages import blocks as of_page
from tests.docs.blocks import DOCS, blocks, page
from tests.each import each

__all__ = ["cli"]

# A page about something else may take all columns, or leave a result without a name.
_BY_THE_WAY = ("LSQ820", "LSQ824")


def test_the_language() -> None:
    """Every program of the page that is not announced as an error or a finding."""
    shown = page((DOCS / "reference/lenses.md").read_text("utf-8"))
    programs = [e.program for e in shown.examples if not any(word.startswith("LSQ") for word in e.words)]
    assert len(programs) > 20
    found = {program.line: _lenses(program.text, shown.topics) for program in programs}
    assert {line: warnings for line, warnings in found.items() if warnings} == {}


def test_ksql() -> None:
    """The same of ksqlDB's page, whose programs all have the page's sources, which no single one reads."""
    shown = blocks((DOCS / "reference/ksql.md").read_text("utf-8"))
    (sources,) = (block.text for block in shown if block.info == ("ksql", "sources"))
    programs = [block for block in shown if block.info == ("ksql",)]
    assert len(programs) > 10
    for block in programs:
        parsed = KSQL.parse(sources + block.text, "it.sql")
        assert parsed.program is not None
        warnings = [d.code for d in KSQL.lint(parsed.program, {}) if d.line and d.line > sources.count("\n")]
        assert warnings == [], f"line {block.line}"


@each("code", [code for code in codes() if {"topics", "right"} <= of_page(code).keys()])
def test_the_pages_of_the_codes(code: str) -> None:
    """The right example of each page."""
    topics = read_declarations(of_page(code)["topics"][0], "topics.yml", Defaults()).topics
    text = of_page(code)["right"][0]
    found = _lenses(text, {declared.topic.name: declared.topic for declared in topics})
    assert [code for code in found if code not in _BY_THE_WAY] == []


@pytest.mark.parametrize("dialect", ["lenses", "ksql", "sql"])
def test_the_templates(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str) -> None:
    """What `lsqlc init` makes."""
    monkeypatch.chdir(tmp_path)
    assert cli("init", "it", "--dialect", dialect, "-q").code == 0
    ran = cli("lint", "--project-dir", "it")
    assert (ran.code, ran.err) == (0, "no findings\n")
    ran = cli("fmt", "--check", "--project-dir", "it")
    assert ran.code == 0, ran.out + ran.err


def _lenses(text: str, topics: Mapping[str, Topic]) -> list[str]:
    parsed = parse(text, "it.sql")
    # What does not parse is standard SQL, which has no rules of its own.
    return [d.code for d in lint_program(parsed.program, topics)] if parsed.program else []
