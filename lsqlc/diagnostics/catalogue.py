"""Every code has a page, `pages/<code>.md`.

A page begins with its title. Front matter in front of it says what is not the default: `severity` (`error`, `warning`,
`note`, or several in order, the usual one first; by default `error`), and `exit`, the exit code of a command that an
error of this code ends (2 for wrong usage; by default 1).

Hundreds: 0 project and files, 1 syntax, 2 names and types, 3 rules of the language, 4 topics and records, 5 golden
cases, 6 Spark and running, 7 Kafka, 8 findings that stop nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from lsqlc.diagnostics.diagnostic import Severity

_FENCE = "---\n"


@dataclass(frozen=True, slots=True)
class Code:
    """What the page of a code says of it. `severities`: the usual one first; `exit`: the exit code of a command that an
    error of this code ends; `page`: Markdown, from the title on.
    """

    title: str
    severities: tuple[Severity, ...]
    exit: int
    page: str


@cache
def codes() -> dict[str, str]:
    """Return code to title, in order of the codes."""
    pages = (p for p in files("lsqlc.diagnostics").joinpath("pages").iterdir() if p.name.endswith(".md"))
    return {
        p.name.removesuffix(".md"): parse_page(p.read_text("utf-8")).title for p in sorted(pages, key=lambda p: p.name)
    }


@cache
def code_info(code: str) -> Code | None:
    """What the page of a code says of it, or None if there is no such code. Reads no other page."""
    if not (code.startswith("LSQ") and code[3:].isdecimal()):
        return None
    file = files("lsqlc.diagnostics").joinpath("pages", f"{code}.md")
    return parse_page(file.read_text("utf-8")) if file.is_file() else None


def page(code: str) -> str | None:
    """Return the Markdown page of a code without its front matter, or None if there is no such code."""
    info = code_info(code)
    return info.page if info else None


def exit_code(code: str) -> int:
    """Return the exit code of a command that an error of this code ends."""
    info = code_info(code)
    return info.exit if info else 1


def parse_page(text: str) -> Code:
    """What a page says. Raises ValueError for front matter with another key or value."""
    said, page = {}, text
    if text.startswith(_FENCE):
        front, _, page = text.removeprefix(_FENCE).partition(_FENCE)
        said = dict(line.split(": ", 1) for line in front.splitlines())
    severities = tuple(map(Severity, said.pop("severity", "error").split(", ")))
    exit = int(said.pop("exit", "1"))
    if said:
        raise ValueError(f"front matter has {', '.join(said)}")
    return Code(page.split("\n", 1)[0].removeprefix("# "), severities, exit, page)
