"""Every code has a page, `pages/<code>.md`; the page's first line is the code's title.

Hundreds: 0 project and files, 1 syntax, 2 names and types, 3 rules of the language, 4 topics and records, 5 golden
cases, 6 Spark and running, 7 Kafka, 8 findings that stop nothing.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def codes() -> dict[str, str]:
    """Code to title, in order of the codes."""
    pages = (p for p in files("lsqlc.diagnostics").joinpath("pages").iterdir() if p.name.endswith(".md"))
    return {
        p.name.removesuffix(".md"): p.read_text("utf-8").split("\n", 1)[0].removeprefix("# ")
        for p in sorted(pages, key=lambda p: p.name)
    }


def page(code: str) -> str | None:
    """The Markdown page of a code, or None if there is no such code."""
    if code not in codes():
        return None
    return files("lsqlc.diagnostics").joinpath("pages", f"{code}.md").read_text("utf-8")
