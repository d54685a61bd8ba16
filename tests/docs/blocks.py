"""The fenced blocks of a Markdown page, and what the ones of docs/reference/lenses.md stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import Diagnostic
from lsqlc.golden.cases import load_cases
from lsqlc.golden.snapshot import golden_text
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan import Plan
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.record import Topic

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """`info`: the words behind the fence, the language first. `line`: of the fence, from 1."""

    info: tuple[str, ...]
    text: str
    line: int


@dataclass(frozen=True)
class Example:
    """A program of the page: what its info string promises, and the records and results that stand behind it."""

    program: Block
    records: str | None = None
    result: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        return self.program.info[1:]


@dataclass
class Page:
    """The topics that all programs of a page share, and its programs."""

    topics: dict[str, Topic] = field(default_factory=dict)
    examples: list[Example] = field(default_factory=list)


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a page, in order."""
    return [
        Block(tuple(m["info"].split()), m["text"], text.count("\n", 0, m.start()) + 1) for m in _BLOCK.finditer(text)
    ]


def page(text: str) -> Page:
    """A page whose programs are `sql` blocks. A `yaml records` block and a `json result` block belong to the program
    before them.
    """
    found = Page()
    for block in blocks(text):
        match block.info:
            case ("yaml", "topics"):
                declared = read_declarations(block.text, "topics", Defaults())
                assert not declared.diagnostics, declared.diagnostics
                found.topics |= {d.topic.name: d.topic for d in declared.topics}
            case ("sql", *_):
                found.examples.append(Example(block))
            case ("yaml", "records"):
                last = found.examples[-1]
                found.examples[-1] = Example(last.program, block.text, last.result)
            case ("json", "result"):
                last = found.examples[-1]
                assert last.records is not None, f"line {block.line}: a result without records"
                found.examples[-1] = Example(last.program, last.records, block.text)
            case _:
                pass
    return found


def compiled(text: str, topics: dict[str, Topic]) -> tuple[Plan | None, tuple[Diagnostic, ...]]:
    """The plan of a program, and all that was found."""
    parsed = parse(text, "page")
    if parsed.program is None:
        return None, parsed.diagnostics
    bound = compile_program(parsed.program, topics, name="result")
    return bound.plan, (*parsed.diagnostics, *bound.diagnostics)


def evaluated(plan: Plan, records: str) -> str:
    """What the records of a case give on DuckDB, as the lines of a golden file."""
    inner = "".join(f"    {line}\n" for line in records.splitlines())
    cases = load_cases({"case.yml": f"cases:\n  - name: it\n    model: {plan.name}\n{inner}"}, {plan.name: plan})
    assert not cases.diagnostics, cases.diagnostics
    return golden_text(plan, evaluate(plan, [cases.cases[0].case])[0])
