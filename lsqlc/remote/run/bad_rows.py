"""The diagnostic for a row of a file that stopped a query. It is the same as that of golden tests on DuckDB.

The error of the query has the topic, the file, the reason and the row (see `lower.spark.files`). They are not quoted,
so the end of each is found by a look into the file.
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

_ERROR = re.compile(r"'(?P<topic>[^']*)' cannot be read: (?P<rest>.*?)\s*SQLSTATE: P0001", re.DOTALL)


def bad_row(model: str, error: str, stage: Stage, project: Path) -> list[Diagnostic]:
    """Return LSQ440 for an error of a stage that names the row of a file; nothing for any other error.

    `project`: the folder that paths are relative to.
    """
    sources = [step for step in stage.steps if isinstance(step, FileSource)]
    match = _ERROR.search(error)
    source = next((s for s in sources if match and s.topic == match["topic"]), None)
    if match is None or source is None:
        return []
    path, rest = _path(project, match["rest"])
    row = BadRow(source.topic, path, None, rest, "", 0)
    # If the file has changed in between, the row is reported without its line.
    with suppress(OSError, UnicodeDecodeError):
        row = _with_line(row, rest, source, project)
    return refusals(model, [row], skip_setting=stage.skip_setting)


def _path(project: Path, rest: str) -> tuple[str, str]:
    """Split a text into the path at its beginning and the rest."""
    splits = [(rest[: m.start()], rest[m.end() :]) for m in re.finditer(": ", rest)] or [(rest, "")]
    return next((s for s in splits if (project / s[0]).is_file()), splits[0])


def _with_line(row: BadRow, rest: str, source: FileSource, project: Path) -> BadRow:
    """Return the row with its line, its reason and its text."""
    splits = [(rest[: m.start()], rest[m.end() :]) for m in re.finditer(": ", rest)]
    if source.files.format == "csv":
        for why, text in splits:
            if _is_cells(text, len(source.columns)):
                cells = replace(row, why=why, text=text)
                return find_lines([cells], project, source.files, [c.name for c in source.columns])[0]
    # Several parts of the error may be lines of the file. The longest one is the row.
    candidates = {text.split("\n", 1)[0]: (why, text) for why, text in reversed(splits) if text}
    best = row
    with (project / row.path).open(encoding="utf-8-sig", newline="") as lines:
        for number, line in enumerate(lines, 1):
            why, text = candidates.get(line.rstrip("\r\n"), ("", ""))
            if len(text) > len(best.text):
                best = replace(row, why=why, text=text, line=number)
    return best


def _is_cells(text: str, count: int) -> bool:
    try:
        cells = json.loads(text)
    except ValueError:
        return False
    return isinstance(cells, list) and len(cells) == count and all(c is None or isinstance(c, str) for c in cells)
