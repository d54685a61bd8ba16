"""A build as Markdown, for a comment of a pull request and the summary of a job.

Texts of models, records and file names are only in code blocks and code elements: they come from the author of the pull
request, and must not make mentions, links, pictures or headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.render import render
from lsqlc.diagnostics.visible import visible
from lsqlc.golden.show import escaped, plural
from lsqlc.report.text import failure_text, summary_lines

if TYPE_CHECKING:
    from lsqlc.golden.run import GoldenRun, Result
    from lsqlc.project.build.compile import Compilation

# A comment on GitHub has at most 65,536 characters.
LIMIT = 60_000
# A longer patch would leave no room for the other failures.
_LONGEST_PATCH = 12_000
_BACKTICKS = re.compile("`+")
# ASCII characters of which some mean something in Markdown or HTML.
_MARKS = re.compile(r"[!-,./:-@\[-`{-~]")
_WHATS = {"case": "case", "plan": "plan of", "orphan": "orphaned golden file"}


def build_markdown(
    compilation: Compilation | None,
    run: GoldenRun | None,
    sources: Mapping[str, str],
    *,
    command: str,
    ok: bool,
    diagnostics: Iterable[Diagnostic] = (),
    seconds: float | None = None,
    limit: int = LIMIT,
) -> str:
    """Return the report. `ok`: what the exit code says; `sources`: texts by path, for the lines that findings show;
    `diagnostics`: those that neither the compilation nor the run has; `limit`: characters, above which findings and
    failures are counted instead of shown. The first line is a comment by which a bot finds its own report again.
    """
    found = [*(compilation.diagnostics if compilation else ()), *diagnostics]
    lines = [f"<!-- lsqlc {command} -->", f"### lsqlc {command}: {'passed' if ok else 'failed'}", ""]
    lines += [f"- {escape(line)}" for line in summary_lines(compilation, run, diagnostics=found, seconds=seconds)]
    parts = ["\n".join(lines).rstrip()]
    failures = [result for result in run.results if not result.ok] if run else []
    blocks = [fenced(render(d, sources), "text") for d in found]
    blocks += [_failure(result, sources) for result in failures]
    parts += within(blocks, limit - len(parts[0]))
    return "\n\n".join(parts) + "\n"


def within(blocks: list[str], room: int) -> Iterator[str]:
    """As many blocks as find room, and how many are left."""
    for number, block in enumerate(blocks):
        room -= len(block) + 2
        if room < 0:
            yield f"and {plural(len(blocks) - number, 'more finding')}: the log has all of them"
            return
        yield block


def _failure(result: Result, sources: Mapping[str, str]) -> str:
    what = result.path if result.kind == "orphan" else result.model
    name = f"{what}::{result.name}" if result.kind == "case" else what
    name = "".join(c if c.isprintable() else escaped(c) for c in name)
    parts = [f"<details><summary>{_WHATS[result.kind]} <code>{escape(name)}</code></summary>"]
    parts.append(fenced(failure_text(replace(result, patch=""), sources), "text"))
    if len(result.patch) > _LONGEST_PATCH:
        parts.append("The patch is too long to be shown here; `--output json` has it.")
    elif result.patch:
        parts.append(fenced(result.patch, "diff"))
    return "\n\n".join([*parts, "</details>"])


def code(text: str) -> str:
    """Return a text within a line, as a code element. Markdown is read in one too, so its marks are references."""
    shown = "".join(c if c.isprintable() else escaped(c) for c in text)
    return f"<code>{_MARKS.sub(lambda mark: f'&#{ord(mark[0])};', shown)}</code>"


def fenced(text: str, language: str) -> str:
    """Return a code block, whose fence is longer than any row of backticks within. Controls are pictured."""
    text = visible(text)
    longest = max((len(found) for found in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
