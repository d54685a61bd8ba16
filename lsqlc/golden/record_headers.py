"""Headers of records in case files.

A header has a `key`, and a `value` (bytes in base64) or a `text` (encoded in UTF-8). A header with neither has no
value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lsqlc.types import data
from lsqlc.types.codec_exact import Problem, read_node
from lsqlc.types.codec_json import Node
from lsqlc.types.data import Array, Field, Struct
from lsqlc.types.headers import Headers

WRITTEN_HEADERS = Array(
    Struct((Field("key", data.STRING, nullable=False), Field("value", data.BYTES), Field("text", data.STRING)))
)

HELP = "a header has a `key`, and a `value` in base64 or a `text`"


def read_headers(node: Node, path: str, problems: list[Problem]) -> Headers | None:
    """Return the headers of a JSON node; None for null, or if problems were added."""
    before = len(problems)
    value = read_node(WRITTEN_HEADERS, node, path, True, problems)
    if len(problems) > before:
        return None
    return headers_of(value, path, node, problems)


def headers_of(
    value: Iterable[Mapping[str, Any] | None] | None, path: str, node: Node | None, problems: list[Problem]
) -> Headers | None:
    """Return the headers of a value of type `WRITTEN_HEADERS`. An empty list means no headers; None means any.

    `node`: the position of problems, if known.
    """
    if value is None:
        return None
    headers = []
    start, end = (node.start, node.end) if node is not None and node.start >= 0 else (None, None)
    for number, header in enumerate(value):
        if header is None:
            problems.append(Problem(f"{path}[{number}]", "expected a header, found null", start, end))
        elif header["value"] is not None and header["text"] is not None:
            problems.append(Problem(f"{path}[{number}]", "expected either 'value' or 'text', found both", start, end))
        else:
            text = header["text"]
            headers.append((header["key"], header["value"] if text is None else text.encode("utf-8")))
    return tuple(headers)
