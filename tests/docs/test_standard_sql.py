"""docs/reference/sql.md: every model does what the page says. The table of sql-functions.md is up to date.

`python -m tests.docs.test_standard_sql` writes the table again.
"""

from __future__ import annotations

import pytest

from lsqlc.diagnostics import Diagnostic
from lsqlc.dialects.sql import DIALECT
from lsqlc.functions.catalogue import refusals
from lsqlc.functions.matrix import matrix
from lsqlc.lower.spark import lower, unsupported
from lsqlc.plan import Plan
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from tests.docs.blocks import DOCS, Block, blocks, evaluated

PAGE, FUNCTIONS = DOCS / "reference/sql.md", DOCS / "reference/sql-functions.md"
_HEAD = """\
# Functions of standard SQL

Generated from the catalogue by `python -m tests.docs.test_standard_sql`. Names are those of Spark, in any letter case.
What fails on a value gives null, as [Expressions](sql.md#expressions) says.

"""
BLOCKS = blocks(PAGE.read_text("utf-8"))
_DECLARED = read_declarations(next(b.text for b in BLOCKS if b.info == ("yaml", "topics")), "sql.md", Defaults())
TOPICS = {d.topic.name: d.topic for d in _DECLARED.topics}


def compiled(text: str) -> tuple[Plan | None, tuple[Diagnostic, ...]]:
    parsed = DIALECT.parse(text, "sql.md")
    if parsed.program is None:
        return None, parsed.diagnostics
    bound = DIALECT.bind(parsed.program, TOPICS, name="result")
    return bound.plan, bound.diagnostics


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.info[:1] == ("spark",)], ids=lambda b: f"line {b.line}")
def test_models_compile_or_are_refused_as_announced(block: Block) -> None:
    """A code behind the fence announces that finding; nothing else is found, and Spark can run the rest."""
    plan, found = compiled(block.text)
    assert tuple(d.code for d in found) == block.info[1:]
    if plan is not None:
        assert not unsupported(plan) and lower(plan).stages


def test_records_give_the_result_shown() -> None:
    """On DuckDB, to the byte of a golden file."""
    shown = [i for i, b in enumerate(BLOCKS) if b.info == ("yaml", "records")]
    assert shown
    for i in shown:
        plan, _ = compiled(BLOCKS[i - 1].text)
        assert plan is not None and BLOCKS[i + 1].info == ("json", "result")
        assert evaluated(plan, BLOCKS[i].text) == BLOCKS[i + 1].text


def test_the_table_of_functions_is_up_to_date() -> None:
    """`python -m tests.docs.test_standard_sql` would change nothing."""
    assert FUNCTIONS.read_text("utf-8") == functions()


def functions() -> str:
    """The text of docs/reference/sql-functions.md."""
    refused = "\n".join(f"- `{name}`: {why}" for name, why in refusals("sql"))
    return f"{_HEAD}{matrix('sql')}\n## Refused\n\n{refused}\n"


if __name__ == "__main__":
    FUNCTIONS.write_text(functions(), "utf-8")
