"""The row of a file that stopped a query, as DuckDB's side reports it: out of what the query's error says.

The error has the topic, the file, the reason and the row, see `lower.spark.files`. None of them is quoted, so where one
ends is looked up in the file.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lsqlc.diagnostics import Diagnostic
from lsqlc.lower.duckdb.bad_files import BadRow, find_lines, refusals
from lsqlc.lower.spark.steps import FileSource, Stage

_SAID = re.compile(r"'(?P<topic>[^']*)' cannot be read: (?P<rest>.*?)\s*SQLSTATE: P0001", re.DOTALL)


def bad_row(model: str, error: str, stage: Stage, project: Path) -> list[Diagnostic]:
    """LSQ440 at its line for the row of a file that an error of a stage names; nothing for any other error. `project`:
    the folder that paths count from.
    """
    sources = [step for step in stage.steps if isinstance(step, FileSource)]
    said = _SAID.search(error)
    source = next((s for s in sources if said and s.topic == said["topic"]), None)
    if said is None or source is None:
        return []
    path, rest = _path(project, said["rest"])
    found = BadRow(source.topic, path, None, rest, "", 0)
    # Of a file that has changed since, the row is reported without its line.
    with suppress(OSError, UnicodeDecodeError):
        found = _placed(found, rest, source, project)
    return refusals(model, [found], skip_setting=stage.skip_setting)


def _path(project: Path, rest: str) -> tuple[str, str]:
    """The path that begins the text, and what follows."""
    splits = [(rest[: m.start()], rest[m.end() :]) for m in re.finditer(": ", rest)] or [(rest, "")]
    return next((s for s in splits if (project / s[0]).is_file()), splits[0])


def _placed(found: BadRow, rest: str, source: FileSource, project: Path) -> BadRow:
    """The row with its line, its reason and its text."""
    splits = [(rest[: m.start()], rest[m.end() :]) for m in re.finditer(": ", rest)]
    if source.files.format == "csv":
        for why, text in splits:
            if _is_cells(text, len(source.columns)):
                row = replace(found, why=why, text=text)
                return find_lines([row], project, source.files, [c.name for c in source.columns])[0]
    # A row can be a part of another row's end, so the longest that is a line of the file is it.
    begins = {text.split("\n", 1)[0]: (why, text) for why, text in reversed(splits) if text}
    best = found
    with (project / found.path).open(encoding="utf-8-sig", newline="") as lines:
        for number, line in enumerate(lines, 1):
            why, text = begins.get(line.rstrip("\r\n"), ("", ""))
            if len(text) > len(best.text):
                best = replace(found, why=why, text=text, line=number)
    return best


def _is_cells(text: str, count: int) -> bool:
    try:
        cells = json.loads(text)
    except ValueError:
        return False
    return isinstance(cells, list) and len(cells) == count and all(c is None or isinstance(c, str) for c in cells)
