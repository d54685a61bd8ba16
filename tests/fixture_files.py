"""Reading of fixture files.

`*__invalid.sql` and the files of the syntax hold what must fail, as entries parted by empty lines:

    # what is wrong
    # LSQ201 at 1:15, the message
    SELECT STREAM itm FROM orders
    # right
    SELECT STREAM item FROM orders

The twin behind `# right` differs in the fault alone. Files of a pass hold pairs, `input; expected`:

    # what happens
    SELECT STREAM 1 + 1 AS n FROM orders;
    # expected
    the plan
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import Diagnostic
from lsqlc.plan import Compiled
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.record import Topic

_TOPICS = Path(__file__).parent / "plan" / "fixtures" / "topics.yml"
_PLACE = re.compile(r"# (LSQ\d{3}) at (\d+):(\d+), (.+)")


@dataclass(frozen=True)
class Invalid:
    """A text that must fail, where and how, and its twin that compiles."""

    title: str
    code: str
    line: int
    column: int
    message: str
    wrong: str
    right: str


@dataclass(frozen=True)
class Pair:
    title: str
    text: str
    expected: str


@cache
def topics() -> dict[str, Topic]:
    """The topics that the fixtures read."""
    found = read_declarations(_TOPICS.read_text("utf-8"), _TOPICS.name, Defaults())
    assert not found.diagnostics, found.diagnostics
    return {d.topic.name: d.topic for d in found.topics}


def invalid(folder: Path) -> list[Invalid]:
    """All entries of the files in a folder that must fail."""
    entries = []
    for path in sorted([*folder.glob("*__invalid.sql"), *folder.glob("*.txt")]):
        for text in _entries(path):
            head, _, right = text.partition("\n# right\n")
            title, place, *lines = head.split("\n")
            match = _PLACE.fullmatch(place)
            assert match and right, f"{path.name}: {title}"
            name = f"{path.name.split('.')[0].removesuffix('__invalid')}: {title.removeprefix('# ')}"
            entries.append(
                Invalid(name, match[1], int(match[2]), int(match[3]), match[4], "\n".join(lines), right.rstrip("\n"))
            )
    return entries


def pairs(path: Path) -> list[Pair]:
    """All pairs of a file."""
    found = []
    for text in _entries(path):
        head, _, expected = text.partition("\n# expected\n")
        title, _, source = head.partition("\n")
        assert expected, f"{path.name}: {title}"
        found.append(Pair(title.removeprefix("# "), source, expected.rstrip("\n") + "\n"))
    return found


def _entries(path: Path) -> list[str]:
    return [e for e in re.split(r"\n\n(?=# )", path.read_text("utf-8")) if e.strip()]


def compiled(text: str, *, strict: bool = False) -> tuple[Compiled, tuple[Diagnostic, ...]]:
    """The program compiled over the fixtures' topics, and all that was found."""
    parsed = parse(text, "fixture")
    if parsed.program is None:
        return Compiled(None, parsed.diagnostics), parsed.diagnostics
    result = compile_program(parsed.program, topics(), name="result", nullability="strict" if strict else "lenient")
    return result, (*parsed.diagnostics, *result.diagnostics)
