"""The pages of the codes: each code has one, and what it shows is true.

A page of the language has fenced blocks: `yaml topics`, shared by `sql wrong` and `sql right`, which may say `strict`
for the check of nullability. A page of ksqlDB has `ksql wrong` and `ksql right`, one of standard SQL `spark wrong` and
`spark right`.
"""

from __future__ import annotations

import re
from pathlib import Path

from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.catalogue import codes, page
from lsqlc.dialects.ksql import DIALECT as KSQL
from lsqlc.dialects.sql import DIALECT as STANDARD
from lsqlc.lint import ignore, lint_program
from lsqlc.lower.spark import unsupported
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.lenses.parser import parse
from tests.each import each

ROOT = Path(__file__).parents[2] / "lsqlc"
# Hundreds whose findings SQL alone causes; the others come of files, records, servers, runs, cases, or `config()`.
_OF_CONFIG = ("LSQ831",)
_OF_HUNDREDS = (
    code
    for code in codes()
    if code[3] in "1238"
    and code[3:5] not in ("86", "87", "88", "89")
    and not "811" <= code[3:] <= "819"
    and not "832" <= code[3:] <= "849"
    and code not in _OF_CONFIG
)
_STANDARD = (
    "LSQ450",
    "LSQ451",
    "LSQ452",
    "LSQ454",
    "LSQ455",
    "LSQ456",
    "LSQ457",
    "LSQ458",
    "LSQ459",
    "LSQ460",
    "LSQ462",
    "LSQ466",
)
OF_SQL = (*_OF_HUNDREDS, "LSQ442", "LSQ443", "LSQ445", *_STANDARD, "LSQ600", "LSQ617")
_FENCE = re.compile(r"^```(\w+) (topics|wrong|right)( strict)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(code: str) -> dict[str, tuple[str, bool]]:
    """The text of each block by its word, and whether it says `strict`."""
    text = page(code)
    assert text
    return {word: (content, bool(strict)) for _, word, strict, content in _FENCE.findall(text)}


def findings(code: str, which: str) -> tuple[Diagnostic, ...]:
    """What compiling, lint, and lowering to Spark, find in an example of a page."""
    found = blocks(code)
    if "topics" not in found:
        # Programs of ksqlDB declare their topics themselves.
        program = KSQL.parse(found[which][0], f"{code}.sql")
        made = program.program and KSQL.bind(program.program, {}, name="result")
        return (*program.diagnostics, *(made.diagnostics if made else ()))
    declared = read_declarations(found["topics"][0], f"{code}.yml", Defaults())
    assert not declared.diagnostics, declared.diagnostics
    topics = {d.topic.name: d.topic for d in declared.topics}
    text, strict = found[which]
    if f"```spark {which}" in (page(code) or ""):
        standard = STANDARD.parse(text, f"{code}.sql")
        bound = standard.program and STANDARD.bind(standard.program, topics, name="result")
        return (*standard.diagnostics, *(bound.diagnostics if bound else ()))
    parsed = parse(text, f"{code}.sql")
    if parsed.program is None:
        return parsed.diagnostics
    compiled = compile_program(parsed.program, topics, name="result", nullability="strict" if strict else "lenient")
    of_spark = unsupported(compiled.plan) if compiled.plan and code == "LSQ600" else ()
    # An example of one finding may have others of lint.
    linted = [d for d in lint_program(parsed.program, topics) if d.code == code or code == "LSQ826"]
    shown = ignore((*parsed.diagnostics, *compiled.diagnostics, *linted), {f"{code}.sql": text})
    return (*shown.remaining, *shown.idle, *of_spark)


def used() -> set[str]:
    """The codes that the sources name."""
    files = (p.read_text("utf-8") for p in ROOT.rglob("*.py"))
    return {code for text in files for code in re.findall(r"[\"'](LSQ\d{3})[\"']", text)}


def test_every_code_in_use_has_a_page() -> None:
    """`lsqlc explain` knows each code that a run can print."""
    assert used() <= set(codes())


def test_every_page_is_of_a_code_in_use() -> None:
    """A page of what no run prints any more is a stale one."""
    assert set(codes()) <= used()


@each("code", codes())
def test_a_page_has_a_title_and_both_examples(code: str) -> None:
    """A title without a stop, why, then what is wrong and what is right."""
    text = page(code)
    assert text and text.endswith("\n")
    title = text.split("\n", 1)[0].removeprefix("# ")
    assert text.startswith("# ") and not title.endswith(".")
    places = [text.find(part) for part in ("\n\n## Wrong\n", "\n\n## Right\n")]
    assert 0 < places[0] < places[1], "## Wrong, then ## Right"
    assert all(len(line) <= 160 for line in text.splitlines())


@each("code", OF_SQL)
def test_the_wrong_example_is_wrong_in_that_way(code: str) -> None:
    """It gives the code, and no error of another code beside it."""
    found = findings(code, "wrong")
    assert code in {d.code for d in found}
    assert {d.code for d in found if d.is_error} <= {code}


@each("code", OF_SQL)
def test_the_right_example_compiles(code: str) -> None:
    """Without an error, and without the finding that the page is about."""
    found = findings(code, "right")
    assert not [d for d in found if d.is_error or d.code == code]
