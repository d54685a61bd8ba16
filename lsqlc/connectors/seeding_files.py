"""Sample rows for a topic of files: the rows of one CSV file, each in the file that its own cells name.

The rows are written as they are, so that what is null in them, and what of them can be read, is the topic's affair. The
files get modification times a second apart, in the order in which the rows first name them.
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
    spec: SeedSpec, folder: Path, pattern: str, span: Span, *, shown: str, delimiter: str, limit: int | None = None
) -> tuple[int, tuple[str, ...]]:
    """Write the first `limit` rows of a file into files below a folder; their number and the files' names.

    `pattern`: a name in which `{column}` stands for the row's cell, and `{column:02}` for one with zeros in front up
    to that width. Files of these names are replaced. Raises LsqlcError: LSQ447 for a name that cannot be made, LSQ410
    and LSQ412 for a file that cannot be read.
    """
    found: dict[str, list[Sequence[str]]] = {}
    count = 0
    with opened(spec.path, shown) as (file, _):
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        try:
            reader = csv.reader(text, strict=True)
            header = next(reader, [])
            columns = _columns(pattern, header, span)
            for row in islice(_whole(reader, len(header), shown), limit):
                found.setdefault(_name(pattern, row, columns, span), []).append(row)
                count += 1
        except (csv.Error, UnicodeDecodeError) as error:
            message = f"a row is not CSV: {error}"
            raise LsqlcError([Diagnostic("LSQ412", message, Span(shown, 1, 1, 1, 1))]) from None
        finally:
            # Whoever opened the bytes closes them.
            text.detach()
    first = 0
    for number, (name, rows) in enumerate(found.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        made = path.with_name(f".{path.name}.new")
        with made.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
        first = first or made.stat().st_mtime_ns - len(found) * 1_000_000_000
        os.utime(made, ns=(first + number * 1_000_000_000,) * 2)
        made.replace(path)
    return count, tuple(found)


def _whole(reader: Iterator[Sequence[str]], width: int, shown: str) -> Iterator[Sequence[str]]:
    for number, row in enumerate(reader, 2):
        if len(row) == width:
            yield row
        elif row:
            message = f"a row of {len(row)} cells under a header of {width}"
            raise LsqlcError([Diagnostic("LSQ412", message, Span(shown, number, 1, number, 1))])


def _columns(pattern: str, header: Sequence[str], span: Span) -> dict[str, int]:
    places = {}
    for found in NAMES.finditer(pattern):
        name = found["column"]
        if name not in header:
            help = did_you_mean(name, header) or f"the columns are {listing(header)}"
            message = f"'{pattern}' names '{name}', which is not a column of the seed"
            raise LsqlcError([Diagnostic("LSQ447", message, span, help=help)])
        places[name] = header.index(name)
    return places


def _name(pattern: str, row: Sequence[str], columns: dict[str, int], span: Span) -> str:
    def cell(found: re.Match[str]) -> str:
        text = row[columns[found["column"]]]
        if not _PART.fullmatch(text):
            message = f"'{text}' of '{found['column']}' cannot be a part of a file's name"
            raise LsqlcError(
                [Diagnostic("LSQ447", message, span, help="use columns of plain words in the names of files")]
            )
        return text.zfill(int(found["width"] or 0))

    name = NAMES.sub(cell, pattern)
    if any(part[:1] in ("", ".", "_") for part in name.split("/")):
        message = f"a file cannot have the name '{name}'"
        help = "files whose names begin with '.' or '_' are skipped"
        raise LsqlcError([Diagnostic("LSQ447", message, span, help=help)])
    return name
