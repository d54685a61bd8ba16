"""Representations of differences and test runs in notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any


class Changes(list[dict[str, Any]]):
    """The models that differ from another version, as data; as text, the output of `lsqlc diff`."""

    def __init__(self, models: Iterable[dict[str, Any]], text: str) -> None:
        super().__init__(models)
        self._text = text

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return preformatted(self._text)


class TestRun(dict[str, Any]):
    """The results of golden cases, as data; as text, the output of `lsqlc test`."""

    # Tells pytest that this is not a test class.
    __test__ = False

    def __init__(self, results: dict[str, Any], text: str) -> None:
        super().__init__(results)
        self._text = text

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return preformatted(self._text)


def preformatted(text: str) -> str:
    """Return text as HTML with aligned columns."""
    return f'<pre style="line-height:1.35">{escape(text)}</pre>'
