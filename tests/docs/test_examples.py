"""Examples of README.md and of the pages about projects: what they show is what happens."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

import lsqlc
from lsqlc.diagnostics.render import render
from lsqlc.golden.cases import load_cases
from lsqlc.golden.compare import compare, expected_rows
from lsqlc.golden.snapshot import golden_text
from lsqlc.lower.duckdb import evaluate
from lsqlc.lower.spark import lower, plan_sql
from lsqlc.plan import Plan
from lsqlc.project.declared.config import ProjectConfig, read_config
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.project.declared.profiles import read_target
from lsqlc.project.discovery import load_project
from tests.docs.blocks import DOCS, ROOT, Block, blocks, compiled

README, SPARK, PYTHON = ROOT / "README.md", DOCS / "explanation/constructs-on-spark.md", DOCS / "reference/python.md"
PROJECT, DECLARATIONS = DOCS / "reference/lsqlc-yml.md", DOCS / "reference/declarations.md"
CASES, PROFILES = DOCS / "reference/cases.md", DOCS / "reference/profiles-yml.md"


def _block(path: Path, *info: str) -> Block:
    (found,) = [b for b in blocks(path.read_text("utf-8")) if b.info == info]
    return found


def _planes_by_airport() -> Plan:
    """The model of the sample project."""
    project = load_project(ROOT).project
    assert project is not None
    text = (ROOT / "models" / "flights" / "planes_by_airport.sql").read_text("utf-8")
    plan, diagnostics = compiled(text, {each.topic.name: each.topic for each in project.topics})
    assert plan is not None, diagnostics
    return Plan("planes_by_airport", plan.sinks, plan.settings)


@pytest.mark.parametrize("path", [README, PYTHON], ids=lambda path: path.name)
def test_python_examples_give_what_their_comment_shows(path: Path) -> None:
    """On DuckDB; the comment behind the last expression is its value."""
    code = _block(path, "python").text
    *_, comment = code.rstrip("\n").split("\n")
    tree = ast.parse(code)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    names: dict[str, object] = {}
    exec(compile(tree, path.name, "exec"), names)
    assert f"# {eval(compile(ast.Expression(last.value), path.name, 'eval'), names)!r}" == comment


def test_the_first_commands_of_the_readme_are_targets_of_make() -> None:
    """`make demo` and `make test`, and nothing before them."""
    first = blocks(README.read_text("utf-8"))[0].text
    commands = re.findall(r"^make (\w+)", first, re.MULTILINE)
    assert commands == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(re.search(rf"^{command}: ", makefile, re.MULTILINE) for command in commands)


def test_the_case_of_the_readme_gives_its_comment() -> None:
    """BOS has no plane left, so its row goes."""
    flights = lsqlc.Topic("flights", key="STRING", value="dest STRING")
    plan = lsqlc.compile(_block(README, "sql").text, dialect="sql", topics=[flights], name="planes_by_airport")
    cases = load_cases({"case.yml": _block(README, "yaml").text}, {plan.name: plan})
    assert not cases.diagnostics
    outcome = evaluate(plan, [cases.cases[0].case])[0]
    assert golden_text(plan, outcome) == (
        '{"topic":"planes_by_airport","key":{"dest":"ORD"},"value":{"dest":"ORD","planes":2}}\n'
    )


def test_the_error_of_the_readme_is_what_the_compiler_prints() -> None:
    """The query is the one under the arrow, at the line that it gives."""
    (shown,) = [b.text for b in blocks(README.read_text("utf-8")) if b.text.startswith("error[")]
    line = re.search(r"^2 \| (.*)$", shown, re.MULTILINE)
    assert line is not None
    text = f"SELECT o.item, p.method\n{line[1]}"
    topics = [
        lsqlc.Topic("orders", key="INT", value="id INT, item STRING"),
        lsqlc.Topic("payments", key="INT", value="order_id INT, method STRING"),
    ]
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile(text, dialect="sql", topics=topics)
    (error,) = refused.value.diagnostics
    assert error.span is not None
    assert render(
        replace(error, span=replace(error.span, path="models/paid.sql")), {"models/paid.sql": text}
    ) == shown.rstrip("\n")


def test_the_project_file_has_the_defaults_that_it_says() -> None:
    """All keys but name, variables and partitions stand there with their defaults."""
    config, found = read_config(_block(PROJECT, "yaml", "lsqlc.yml").text)
    assert config is not None and not found
    default = ProjectConfig("shop")
    for field in ("dialect", "model_paths", "seed_paths", "case_paths", "golden_path", "target_path"):
        assert getattr(config, field) == getattr(default, field)
    assert (config.defaults.grace, config.defaults.retention) == (default.defaults.grace, default.defaults.retention)
    assert config.vars["minimum"] == 10 and config.defaults.partitions == 1


def test_the_declarations_of_the_page_are_read() -> None:
    """Topics in every form, a source, a model."""
    config, _ = read_config("name: shop")
    assert config is not None
    found = read_declarations(_block(DECLARATIONS, "yaml", "models").text, "topics.yml", config.defaults)
    assert not found.diagnostics
    assert [t.topic.name for t in found.topics] == ["orders", "customers", "tickets"]
    assert found.topics[2].source == "crm" and found.models[0].nullability == "strict"


def test_the_case_of_the_page_gives_what_it_expects() -> None:
    """And the golden line below it."""
    plan = _planes_by_airport()
    cases = load_cases({"case.yml": _block(CASES, "yaml", "cases").text}, {plan.name: plan})
    assert not cases.diagnostics
    (case,) = cases.cases
    outcome = evaluate(plan, [case.case])[0]
    assert not compare(plan, expected_rows(plan, case.expect), outcome)
    assert golden_text(plan, outcome) == _block(CASES, "json", "golden").text
    assert [len(batch) for batch in case.case.batches] == [2, 1]


def test_the_profile_of_the_page_is_read() -> None:
    """Its default, and the one with a secret of the environment."""
    text = _block(PROFILES, "yaml", "profiles.yml").text
    local, found = read_target(text, "profiles.yml", None, {})
    assert local is not None and local.type == "embedded", found
    cluster, found = read_target(text, "profiles.yml", "cluster", {"SPARK_TOKEN": "secret"})
    assert cluster is not None and str(cluster.address).endswith("token=secret"), found


def test_the_plan_shown_is_part_of_the_plan() -> None:
    """Line by line."""
    assert _block(SPARK, "sql", "plan").text in plan_sql(lower(_planes_by_airport()))
