"""Cases as YAML files, one record per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

_HEAD = "# yaml-language-server: $schema=../.schemas/cases.json\n"


@dataclass(frozen=True, slots=True)
class WrittenCase:
    """A case. `arrivals` and `expect` have records in the form of case files.

    `expect` None: its rows are in a golden file. `inserts`: the rows of the model's own INSERT ... VALUES arrive first.
    """

    name: str
    model: str
    arrivals: Sequence[Mapping[str, Any]]
    expect: Mapping[str, Sequence[Mapping[str, Any]]] | None
    inserts: bool = False


def cases_yaml(cases: Iterable[WrittenCase]) -> str:
    """Return the text of the file. Cases with `expect` have no golden files."""
    return _HEAD + "cases:\n" + "".join(line + "\n" for case in cases for line in _lines(case))


def _lines(case: WrittenCase) -> Iterator[str]:
    yield f"  - name: {json.dumps(case.name, ensure_ascii=False)}"
    yield f"    model: {case.model}"
    if case.expect is not None:
        yield "    golden: false"
    if case.inserts:
        yield "    inserts: true"
    yield "    arrivals:" + ("" if case.arrivals else " []")
    yield from (f"      - {flow(record)}" for record in case.arrivals)
    if case.expect is not None:
        yield "    expect:"
    for topic, records in (case.expect or {}).items():
        yield f"      {json.dumps(topic)}:" + ("" if records else " []")
        yield from (f"        - {flow(record)}" for record in records)


def flow(value: Any) -> str:
    """Return a value on one line. Numbers keep their digits.

    >>> flow({"key": 1, "value": {"A": Decimal("1.50"), "b c": [None, True, "x"]}})
    '{key: 1, value: {A: 1.50, "b c": [null, true, "x"]}}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_name(str(k))}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, str) and '"' in value and value.isprintable():
        # Single quotes keep JSON inside text readable.
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, Decimal):
        return str(value)
    # YAML takes some characters for the end of a line.
    return json.dumps(value, ensure_ascii=isinstance(value, str) and not value.isprintable())


def _name(text: str) -> str:
    # YAML does not read these words as text.
    is_word = text.upper() in ("Y", "N", "YES", "NO", "ON", "OFF", "TRUE", "FALSE", "NULL")
    return text if text.isascii() and text.isidentifier() and not is_word else json.dumps(text, ensure_ascii=False)
