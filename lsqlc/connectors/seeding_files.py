"""Sample rows for a topic of files: the rows of one CSV file, each in the file that its own cells name.

The rows are written unchanged, so the topic's declaration decides how they are read. The files get modification times a
second apart, in the order of their first rows.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from lsqlc.connectors.seeding import SeedSpec, opened
from lsqlc.diagnostics import Diagnostic, LsqlcError, Span, did_you_mean, listing

NAMES = re.compile(r"\{(?P<column>[^{}:]+)(?::0(?P<width>[1-9]))?\}")
_PART = re.compile(r"[^/\\\x00-\x1f]{1,200}")


def write_rows(
    spec: SeedSpec,
    folder: Path,
    pattern: str,
    span: Span,
    *,
    displayed_path: str,
    delimiter: str,
    limit: int | None = None,
) -> tuple[int, tuple[str, ...]]:
    """Write the first `limit` rows of a file into files below a folder; return their number and the files' names.

    `pattern`: a name in which `{column}` stands for the row's cell, and `{column:02}` for one with leading zeros up to
    that width. Files with these names are replaced. Raises LsqlcError: LSQ447 for an invalid name, LSQ410 and LSQ412
    for a file that cannot be read.
    """
    rows_by_file: dict[str, list[Sequence[str]]] = {}
    count = 0
    with opened(spec.path, displayed_path) as (file, _):
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        try:
            reader = csv.reader(text, strict=True)
            header = next(reader, [])
            columns = _columns(pattern, header, span)
            for row in islice(_whole(reader, len(header), displayed_path), limit):
                rows_by_file.setdefault(_name(pattern, row, columns, span), []).append(row)
                count += 1
        except (csv.Error, UnicodeDecodeError) as error:
            message = f"a row is not CSV: {error}"
            raise LsqlcError([Diagnostic("LSQ412", message, Span(displayed_path, 1, 1, 1, 1))]) from None
        finally:
            # The function that opened the bytes closes them.
            text.detach()
    first = 0
    for number, (name, rows) in enumerate(rows_by_file.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        new_file = path.with_name(f".{path.name}.new")
        with new_file.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
        first = first or new_file.stat().st_mtime_ns - len(rows_by_file) * 1_000_000_000
        os.utime(new_file, ns=(first + number * 1_000_000_000,) * 2)
        new_file.replace(path)
    return count, tuple(rows_by_file)


def _whole(reader: Iterator[Sequence[str]], width: int, displayed_path: str) -> Iterator[Sequence[str]]:
    for number, row in enumerate(reader, 2):
        if len(row) == width:
            yield row
        elif row:
            message = f"a row of {len(row)} cells under a header of {width}"
            raise LsqlcError([Diagnostic("LSQ412", message, Span(displayed_path, number, 1, number, 1))])


def _columns(pattern: str, header: Sequence[str], span: Span) -> dict[str, int]:
    places = {}
    for match in NAMES.finditer(pattern):
        name = match["column"]
        if name not in header:
            help = did_you_mean(name, header) or f"the columns are {listing(header)}"
            message = f"'{pattern}' names '{name}', which is not a column of the seed"
            raise LsqlcError([Diagnostic("LSQ447", message, span, help=help)])
        places[name] = header.index(name)
    return places


def _name(pattern: str, row: Sequence[str], columns: dict[str, int], span: Span) -> str:
    def cell(match: re.Match[str]) -> str:
        text = row[columns[match["column"]]]
        if not _PART.fullmatch(text):
            message = f"'{text}' of '{match['column']}' cannot be a part of a file's name"
            raise LsqlcError(
                [Diagnostic("LSQ447", message, span, help="use columns of plain words in the names of files")]
            )
        return text.zfill(int(match["width"] or 0))

    name = NAMES.sub(cell, pattern)
    if any(part[:1] in ("", ".", "_") for part in name.split("/")):
        message = f"a file cannot have the name '{name}'"
        help = "files whose names begin with '.' or '_' are skipped"
        raise LsqlcError([Diagnostic("LSQ447", message, span, help=help)])
    return name
