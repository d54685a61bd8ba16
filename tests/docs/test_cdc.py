"""docs/how-to/cdc.md: its models compile over its topics, and its case is run on DuckDB."""

from __future__ import annotations

from lsqlc.bind.lenses.program import compile_program
from lsqlc.golden.cases import load_cases
from lsqlc.golden.run import Goldens, Options, run
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan import Plan
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.record import Topic

from .blocks import DOCS, blocks

PAGE = blocks((DOCS / "how-to/cdc.md").read_text())
BLOCKS = {block.info: block.text for block in PAGE}


def plans() -> dict[str, Plan]:
    """The models of the page, over all topics that it declares."""
    found = [block.text for block in PAGE if block.info[0] == "yaml" and block.text.startswith("topics:")]
    topics: dict[str, Topic] = {}
    for text in found:
        declared = read_declarations(text, "topics.yml", Defaults())
        # The schema of a subject is in the lock file.
        assert {d.code for d in declared.diagnostics} <= {"LSQ716"}
        topics |= {each.topic.name: each.topic for each in declared.topics}
    made = {}
    for info, text in BLOCKS.items():
        if info[:2] == ("sql", "model"):
            program = parse(text, f"models/{info[2]}.sql").program
            assert program is not None
            plan = compile_program(program, topics, name=info[2]).plan
            assert plan is not None
            made[info[2]] = plan
    return made


def test_the_models_of_the_page_compile() -> None:
    assert set(plans()) == {"per_status", "moved"}


def test_the_case_of_the_page_gives_what_it_expects() -> None:
    models = {"per_status": plans()["per_status"]}
    cases = load_cases({"c.yml": BLOCKS["yaml", "cases"]}, models)
    ran = run(models, cases, evaluate, Goldens({}), Options(update="new"))
    assert [d for result in ran.results for d in result.diagnostics] == [] and ran.ok
