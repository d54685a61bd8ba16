"""Programs through the public API: what they mean for some records, or the codes of what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lsqlc
from lsqlc import Record, Topic


def codes(text: str, topics: Sequence[Topic]) -> list[str]:
    """The codes of a program's errors, in order of the text."""
    try:
        lsqlc.compile(text, topics=topics)
    except lsqlc.CompileError as error:
        return [d.code for d in error.diagnostics if d.is_error]
    return []


def run(text: str, topics: Sequence[Topic], records: Sequence[Record]) -> list[tuple[Any, Any]]:
    """Keys and values that the program writes to its only target."""
    (rows,) = lsqlc.evaluate(lsqlc.compile(text, topics=topics), records).values()
    return [(row.key, row.value) for row in rows]


def values(text: str, topics: Sequence[Topic], records: Sequence[Record]) -> list[Any]:
    """The values alone; of a struct, its fields in order."""
    return [tuple(v.values()) if isinstance(v, dict) else v for _, v in run(text, topics, records)]


def schema(text: str, topics: Sequence[Topic]) -> tuple[str, str]:
    """The types of the key and of the value of the program's only target, with their formats."""
    (output,) = lsqlc.compile(text, topics=topics).outputs
    return str(output.key), str(output.value)
