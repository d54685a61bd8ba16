"""Every sample of a language's document, by its lines: what becomes of it, and where it is proved.

A listing is a YAML file for one document, `lenses-joins.yml` for `lenses-joins.md`. It names the folder of its
`models`, which declares the topics that they read, and the file of its `cases`, and holds no text of the document but
what is mended. The documents lie outside this repository: tests that need one skip where it is absent.

`samples`, each with `lines` (first and last) and `is`:

- `compiled`: the text compiles as printed; `model` is the same query under `models/documented/`.
- `mended`: it does once every `mends` entry replaced `print` by `mend`. `printed`: the codes of the errors without
  that; none where the text compiles, and means something else than the document says.
- `refused`: `code` is the error that it gives, as printed or mended.
- `template`: a form, not a query.

`program`, with `{}`, is what a sample that is an expression stands in: the first one in backticks, or `words` of the
lines. `topics` are those that only samples read, beside what the files `declared` have; `reads` names other topics
instead of the document's, where it means several by one name. `at`: line and column in the document of what is refused.

`tables`, each with `lines` and `is`: `records` of `topic` in the cases `of` (as `model: name`), `result` of them, or
`rule`, which a test reads. Each row is found in the case, in order; mended like a sample.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
LISTINGS = sorted(Path(__file__).parent.glob("*.yml"))
_CODE = re.compile(r"`([^`]+)`")
_RECORD = re.compile(r"\d*(?P<key>[a-z]+)\{(?P<fields>.*)\}")


@dataclass(frozen=True)
class Entry:
    """A sample or a table of a listing."""

    document: str
    first: int
    last: int
    kind: str
    fields: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.document} {self.first}-{self.last}"

    @property
    def printed(self) -> str:
        """The lines as the document has them, or the words of them that are the sample."""
        text = "\n".join(lines_of(self.document)[self.first - 1 : self.last])
        words = self.fields.get("words")
        assert words is None or words in text, f"{self}: {words}"
        return words or text

    @property
    def mended(self) -> str:
        """The lines with every mend; each must find what it replaces."""
        text = self.printed
        for mend in self.fields.get("mends", ()):
            assert mend["print"] in text, f"{self}: {mend['print']}"
            text = text.replace(mend["print"], mend["mend"])
        return text

    def program(self, text: str) -> str:
        """The whole program of a sample: an expression in backticks, or some words, stand in one of the listing's."""
        for name, read in self.fields.get("reads", {}).items():
            text = re.sub(rf"(?<=FROM ){name}\b", read, text)
        around = self.fields.get("program")
        if around is None:
            return text
        if "words" in self.fields:
            return str(around).replace("{}", text)
        code = _CODE.search(text)
        assert code, f"{self}: no expression"
        return str(around).replace("{}", code[1])


def seeds() -> Path:
    """The folder of the documents: `$LSQLC_SEEDS`, or that beside this repository."""
    return Path(os.environ.get("LSQLC_SEEDS") or ROOT.parent / "shared" / "seeds")


@cache
def lines_of(document: str) -> list[str]:
    """A document's lines; skips the test where it is absent."""
    path = seeds() / document
    if not path.is_file():
        pytest.skip(f"the document {document} is not on this machine (LSQLC_SEEDS names its folder)")
    return path.read_text("utf-8").split("\n")


@cache
def listing(path: Path) -> dict[str, Any]:
    """A listing as it stands in its file."""
    found: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return found


def entries(path: Path, what: str) -> list[Entry]:
    """The `samples` or the `tables` of a listing."""
    held = listing(path)
    return [Entry(held["document"], e["lines"][0], e["lines"][1], e["is"], e) for e in held[what]]


def cells(entry: Entry) -> list[dict[str, Any]]:
    """The rows of a table by column; numbers, arrays and null as JSON has them, all else as text."""
    if not entry.printed.startswith("|"):
        _, *records = entry.mended.split("\n")
        return [_record(record) for record in records]
    lines = [line.strip("| ").replace("\\", "").split("|") for line in entry.mended.split("\n")]
    head, _, *rows = [[cell.strip() for cell in line] for line in lines]
    return [dict(zip(head, map(_value, row), strict=True)) for row in rows]


def _record(line: str) -> dict[str, Any]:
    """A row without columns: an offset, if any, the key and the fields of the value."""
    match = _RECORD.fullmatch(line)
    assert match, line
    fields = (field.split(": ") for field in match["fields"].split(", "))
    return {"_key": match["key"], **{name: _value(text.strip("“”")) for name, text in fields}}


def _value(text: str) -> Any:
    seconds = re.fullmatch(r"t = (\d+)s", text)
    if seconds:
        return 1000 * int(seconds[1])
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
