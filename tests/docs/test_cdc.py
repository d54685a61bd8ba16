"""docs/how-to/cdc.md: its case is run on DuckDB with its topics and its model."""

from __future__ import annotations

from lsqlc.bind.lenses.program import compile_program
from lsqlc.golden.cases import load_cases
from lsqlc.golden.run import Goldens, Options, run
from lsqlc.lower.duckdb import evaluate
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.lenses.parser import parse

from .blocks import DOCS, blocks

BLOCKS = {block.info: block.text for block in blocks((DOCS / "how-to/cdc.md").read_text())}


def test_the_case_of_the_page_gives_what_it_expects() -> None:
    declared = read_declarations(BLOCKS["yaml", "topics"], "topics.yml", Defaults())
    assert declared.diagnostics == ()
    topics = {each.topic.name: each.topic for each in declared.topics}
    program = parse(BLOCKS["sql", "model", "per_status"], "models/per_status.sql").program
    assert program is not None
    plan = compile_program(program, topics, name="per_status").plan
    assert plan is not None
    plans = {"per_status": plan}
    ran = run(
        plans, load_cases({"c.yml": BLOCKS["yaml", "cases"]}, plans), evaluate, Goldens({}), Options(update="new")
    )
    assert [d for result in ran.results for d in result.diagnostics] == [] and ran.ok
