"""A build as Markdown, for a comment on a pull request and the summary of a job.

Texts of models, records and file names are only in code blocks and code elements. They come from the author of the pull
request, and must not create mentions, links, pictures or headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from lsqlc.diagnostics.render import render
from lsqlc.diagnostics.visible import visible
from lsqlc.golden.show import plural, printable
from lsqlc.report.command_result import CommandResult
from lsqlc.report.text import failure_text, summary_lines

if TYPE_CHECKING:
    from lsqlc.golden.run import Result

# A comment on GitHub has at most 65,536 characters.
LIMIT = 60_000
# A longer patch would leave no space for other failures.
_LONGEST_PATCH = 12_000
_BACKTICKS = re.compile("`+")
# ASCII punctuation, some of which has a meaning in Markdown or HTML.
_MARKS = re.compile(r"[!-,./:-@\[-`{-~]")
_WHATS = {"case": "case", "plan": "plan of", "orphan": "orphaned golden file"}


def build_markdown(
    command_result: CommandResult, sources: Mapping[str, str], *, command: str, ok: bool, limit: int = LIMIT
) -> str:
    """Return the report.

    `ok`: whether the command succeeds. `sources`: texts by path, for diagnostics. `limit`: characters, after which
    failures are only counted. The first line is a comment by which a bot finds its earlier report.
    """
    compilation, run, seconds = command_result.compilation, command_result.run, command_result.seconds
    all_diagnostics = [*(compilation.diagnostics if compilation else ()), *command_result.diagnostics]
    lines = [f"<!-- lsqlc {command} -->", f"### lsqlc {command}: {'passed' if ok else 'failed'}", ""]
    lines += [
        f"- {escape(line)}" for line in summary_lines(compilation, run, diagnostics=all_diagnostics, seconds=seconds)
    ]
    parts = ["\n".join(lines).rstrip()]
    failures = [result for result in run.results if not result.ok] if run else []
    blocks = [fenced(render(d, sources), "text") for d in all_diagnostics]
    blocks += [_failure(result, sources) for result in failures]
    parts += within(blocks, limit - len(parts[0]))
    return "\n\n".join(parts) + "\n"


def within(blocks: list[str], room: int) -> Iterator[str]:
    """Yield the blocks that fit, then the number of the others. `room`: characters."""
    for number, block in enumerate(blocks):
        room -= len(block) + 2
        if room < 0:
            yield f"and {plural(len(blocks) - number, 'more finding')}: the log has all of them"
            return
        yield block


def _failure(result: Result, sources: Mapping[str, str]) -> str:
    what = result.path if result.kind == "orphan" else result.model
    name = f"{what}::{result.name}" if result.kind == "case" else what
    name = printable(name)
    parts = [f"<details><summary>{_WHATS[result.kind]} <code>{escape(name)}</code></summary>"]
    parts.append(fenced(failure_text(replace(result, patch=""), sources), "text"))
    if len(result.patch) > _LONGEST_PATCH:
        parts.append("The patch is too long to be shown here; `--output json` has it.")
    elif result.patch:
        parts.append(fenced(result.patch, "diff"))
    return "\n\n".join([*parts, "</details>"])


def code(text: str) -> str:
    """Return a text as an inline code element. Markdown is parsed inside of it, so punctuation is escaped."""
    return f"<code>{_MARKS.sub(lambda mark: f'&#{ord(mark[0])};', printable(text))}</code>"


def fenced(text: str, language: str) -> str:
    """Return a code block.

    Its fence is longer than any row of backticks in the text. Control characters become symbols.
    """
    text = visible(text)
    longest = max((len(row) for row in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
