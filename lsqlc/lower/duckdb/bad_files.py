"""Rows and files that cannot be read: their lines, and the errors about them."""

from __future__ import annotations

import csv
import json
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lsqlc.connectors.bad_records import BadRecord
from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.plan.policies import skip_help
from lsqlc.scan.request import fold
from lsqlc.types.files import Files

_SHOWN = 100
_MAX_CELL = 2**31 - 1


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row, or a `whole` file, that cannot be read.

    `line`: from 1, None if unknown. `text`: the row, or a JSON array of its cells. `modified`: epoch milliseconds of
    the file.
    """

    topic: str
    path: str
    line: int | None
    why: str
    text: str
    modified: int
    whole: bool = False
    detail: str | None = None

    @property
    def record(self) -> BadRecord:
        """The row as a bad record."""
        return BadRecord(self.topic, None, 0, f"{self.path}: {self.why}", self.text.strip(), (self.why,))


def refusals(model: str, bad: Sequence[BadRow], *, skip_setting: str) -> list[Diagnostic]:
    """Return an error per row (LSQ440) or file (LSQ441), for the policy `fail`. `skip_setting`: see `Plan`."""
    diagnostics = []
    for number, row in enumerate(bad[:_SHOWN], 1):
        span = Span(row.path, row.line or 1, 1, row.line or 1, 1)
        what = f"the file '{row.path}'" if row.whole else f"a row of '{row.path}'"
        more = f"; and {len(bad) - number} more like these" if number == _SHOWN < len(bad) else ""
        notes = [f"it belongs to the topic '{row.topic}'", *([row.detail] if row.detail else [])]
        if not row.whole:
            notes.append(f"the row: {' '.join(row.text[:200].split())}")
        diagnostics.append(
            Diagnostic(
                "LSQ441" if row.whole else "LSQ440",
                f"the model '{model}' cannot read {what}: {row.why}{more}",
                span,
                (*notes, "the model's error policy is to fail"),
                skip_help("file" if row.whole else "row", skip_setting),
            )
        )
    return diagnostics


def lines_at(path: Path, positions: Sequence[int]) -> list[int]:
    """Return the lines of byte positions in a file, both from 1. `positions` must be sorted.

    The position of a line break means the next byte that is not one.
    """
    content = path.read_bytes()
    lines: list[int] = []
    line, scan_end = 1, 0
    for position in positions:
        start = max(scan_end, position - 1)
        while content[start : start + 1] in (b"\r", b"\n"):
            start += 1
        line += content.count(b"\n", scan_end, start)
        scan_end = start
        lines.append(line)
    return lines


def find_lines(bad: Iterable[BadRow], root: Path, files: Files, names: Sequence[str]) -> list[BadRow]:
    """Return the rows with their first lines. `names`: the columns of the cells in their texts."""
    by_file: dict[str, list[BadRow]] = defaultdict(list)
    for row in bad:
        by_file[row.path].append(row)
    with_lines: list[BadRow] = []
    for path, rows in by_file.items():
        with_lines += _in_file(rows, root / path, files, names) if files.format == "csv" else rows
    return with_lines


def _in_file(rows: list[BadRow], path: Path, files: Files, names: Sequence[str]) -> list[BadRow]:
    waiting: dict[tuple[str, ...], deque[BadRow]] = defaultdict(deque)
    for row in rows:
        waiting[tuple(cell or "" for cell in json.loads(row.text))].append(row)
    with_lines: list[BadRow] = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        # DuckDB has read the file, so no cell is too large. Python's default limit is far below DuckDB's.
        csv.field_size_limit(_MAX_CELL)
        lines = csv.reader(file, delimiter=files.delimiter)
        header = next(lines, []) if files.header else list(files.cells)
        first = {fold(name): i for i, name in reversed(list(enumerate(header)))}
        places = [first.get(fold(name)) for name in names]
        nulls = {"", *files.null}
        before = lines.line_num
        for record in lines:
            cells = [record[i] if i is not None and i < len(record) else "" for i in places]
            expected = tuple(
                (files.default(name) or "") if cell in nulls else cell for name, cell in zip(names, cells, strict=True)
            )
            if waiting.get(expected):
                with_lines.append(replace(waiting[expected].popleft(), line=before + 1))
            before = lines.line_num
    return with_lines + [row for rest in waiting.values() for row in rest]
