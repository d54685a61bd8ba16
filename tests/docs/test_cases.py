"""docs/how-to/cases.md: every example is run on DuckDB, with the files that the page shows."""

from __future__ import annotations

from functools import cache

from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import Diagnostic
from lsqlc.golden.cases import LoadedCases, load_cases
from lsqlc.golden.run import Goldens, Options, run
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan import Plan
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.lenses.parser import parse

from .blocks import DOCS, blocks

BLOCKS = blocks((DOCS / "how-to/cases.md").read_text())


@cache
def plans() -> dict[str, Plan]:
    """The models of the page."""
    (text,) = (b.text for b in BLOCKS if b.info == ("yaml", "topics"))
    topics = {t.topic.name: t.topic for t in read_declarations(text, "topics.yml", Defaults()).topics}
    found = {}
    for block in BLOCKS:
        if block.info[:2] == ("sql", "model"):
            program = parse(block.text, f"models/{block.info[2]}.sql").program
            assert program is not None
            plan = compile_program(program, topics, name=block.info[2]).plan
            assert plan is not None
            found[block.info[2]] = plan
    return found


def cases() -> LoadedCases:
    """The cases of the page, with the files beside them."""
    files = {b.info[1]: b.text for b in BLOCKS if b.info[0] in ("csv", "json") and len(b.info) > 1}
    texts = {
        (b.info[2] if len(b.info) > 2 else f"tests/{n}.yml"): b.text
        for n, b in enumerate(BLOCKS)
        if b.info[:2] == ("yaml", "cases")
    }
    return load_cases(files | texts, plans())


def test_the_cases_of_the_page_are_read() -> None:
    """Without a finding, each with its model."""
    loaded = cases()
    assert loaded.diagnostics == ()
    assert {case.model for case in loaded.cases} == set(plans())


def test_the_cases_of_the_page_give_what_they_expect() -> None:
    """What they expect and assert holds on DuckDB."""
    ran = run(plans(), cases(), evaluate, Goldens({}), Options(update="new"))
    failed: list[Diagnostic] = [d for result in ran.results for d in result.diagnostics]
    assert failed == [] and ran.ok


def test_the_late_order_is_late() -> None:
    """With time moved on by a second less, the third order of the page counts."""
    text = next(b.text for b in BLOCKS if "advance_watermark" in b.text and b.info[0] == "yaml")
    loaded = load_cases({"c.yml": text.replace("06:21:30", "06:21:29")}, plans())
    assert not run(plans(), loaded, evaluate, Goldens({}), Options(update="new")).ok
