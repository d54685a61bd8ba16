"""The catalogue of codes. Each code has a page, `pages/<code>.md`.

A page begins with its title. Front matter before the title overrides two defaults: `severity` and `exit`. `severity` is
`error` (the default), `warning` or `note`, or a list of them with the usual one first. `exit` is the exit code of a
command that this error ends: 1 by default, 2 for wrong usage.

Ranges: 0xx project and files, 1xx syntax, 2xx names and types, 3xx rules of the language, 4xx topics and records; 5xx
golden cases, 6xx Spark and runs, 7xx Kafka, 8xx lint rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from lsqlc.diagnostics.diagnostic import Severity

_FENCE = "---\n"


@dataclass(frozen=True, slots=True)
class Code:
    """The page of a code.

    `severities`: the usual one first. `exit`: the exit code of a command that an error of this code ends. `page`:
    Markdown, from the title on.
    """

    title: str
    severities: tuple[Severity, ...]
    exit: int
    page: str


@cache
def codes() -> dict[str, str]:
    """Return the title of each code, ordered by code."""
    pages = (p for p in files("lsqlc.diagnostics").joinpath("pages").iterdir() if p.name.endswith(".md"))
    return {
        p.name.removesuffix(".md"): parse_page(p.read_text("utf-8")).title for p in sorted(pages, key=lambda p: p.name)
    }


@cache
def code_info(code: str) -> Code | None:
    """Return the page of a code, or None if the code does not exist. Reads no other page."""
    if not (code.startswith("LSQ") and code[3:].isdecimal()):
        return None
    file = files("lsqlc.diagnostics").joinpath("pages", f"{code}.md")
    return parse_page(file.read_text("utf-8")) if file.is_file() else None


def page(code: str) -> str | None:
    """Return the Markdown page of a code without its front matter, or None if the code does not exist."""
    info = code_info(code)
    return info.page if info else None


def exit_code(code: str) -> int:
    """Return the exit code of a command that ends with an error of this code."""
    info = code_info(code)
    return info.exit if info else 1


def parse_page(text: str) -> Code:
    """Parse a page. Raises ValueError for front matter with another key or value."""
    settings, page = {}, text
    if text.startswith(_FENCE):
        front, _, page = text.removeprefix(_FENCE).partition(_FENCE)
        settings = dict(line.split(": ", 1) for line in front.splitlines())
    severities = tuple(map(Severity, settings.pop("severity", "error").split(", ")))
    exit = int(settings.pop("exit", "1"))
    if settings:
        raise ValueError(f"front matter has {', '.join(settings)}")
    return Code(page.split("\n", 1)[0].removeprefix("# "), severities, exit, page)
