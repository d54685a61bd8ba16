"""docs/reference/lenses.md: every program on the page does what the page says."""

from __future__ import annotations

import pytest

from lsqlc.lower.spark import lower, unsupported
from tests.docs.blocks import DOCS, Example, compiled, evaluated, page

PAGE = page((DOCS / "reference/lenses.md").read_text("utf-8"))


def _name(example: Example) -> str:
    return f"line {example.program.line}"


@pytest.mark.parametrize("example", PAGE.examples, ids=_name)
def test_programs_compile_or_are_refused_as_announced(example: Example) -> None:
    """An info string with a code alone announces that error; `finding` and a code, a warning; no code, neither."""
    plan, found = compiled(example.program.text, PAGE.topics)
    codes = {d.code for d in found}
    announced = {word for word in example.words if word.startswith("LSQ")}
    assert codes == announced, [str(d) for d in found]
    assert (plan is None) == bool(announced and "finding" not in example.words)


@pytest.mark.parametrize(
    "example", [e for e in PAGE.examples if not e.words or e.words[0] in ("finding", "duckdb")], ids=_name
)
def test_programs_run_on_spark_unless_the_page_says_duckdb(example: Example) -> None:
    """What has no form on Spark yet is marked."""
    plan, found = compiled(example.program.text, PAGE.topics)
    assert plan is not None, found
    assert bool(unsupported(plan)) == ("duckdb" in example.words)
    if "duckdb" not in example.words:
        assert lower(plan).stages


@pytest.mark.parametrize("example", [e for e in PAGE.examples if e.records], ids=_name)
def test_records_give_the_result_shown(example: Example) -> None:
    """On DuckDB, to the byte of a golden file."""
    plan, found = compiled(example.program.text, PAGE.topics)
    assert plan is not None and example.records is not None, found
    assert evaluated(plan, example.records) == example.result


def test_the_page_has_programs_of_each_kind() -> None:
    """A fence that nobody reads any more would leave nothing to test."""
    words = [e.words for e in PAGE.examples]
    assert PAGE.topics and () in words and ("duckdb",) in words
    assert any(w and w[0].startswith("LSQ") for w in words) and any(w and w[0] == "finding" for w in words)
    assert any(e.result for e in PAGE.examples)
