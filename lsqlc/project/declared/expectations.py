"""Expected differences between rows of staged models and live ones: a file for `lsqlc deploy prove`.

It is written and reviewed with the edit, so that unexpected differences are found among expected ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from lsqlc.diagnostics import Diagnostic
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.nodes import read_yaml


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected differences of a topic.

    `columns`: in which rows may differ, None for any. `new`: whether rows may exist only in the staged program. `gone`:
    whether rows may exist only in the live one.
    """

    columns: frozenset[str] | None = frozenset()
    new: bool = False
    gone: bool = False

    def allows(self, columns: Collection[str]) -> bool:
        """Return whether a row may differ in these columns; without columns, whether whole rows may differ."""
        return self.columns is None or (bool(columns) and self.columns.issuperset(columns))


class _ExpectationFile(msgspec.Struct, frozen=True, kw_only=True):
    columns: list[str] | Literal["any"] = []
    new: bool = False
    gone: bool = False


def read_expectations(text: str, path: str) -> tuple[Mapping[str, Expectation], tuple[Diagnostic, ...]]:
    """Parse the expectations of a file, by topic."""
    document = read_yaml(text, path)
    decoder = Decoder(document)
    if document.diagnostics:
        return {}, document.diagnostics
    data: Any = document.data if document.data is not None else {}
    if not isinstance(data, dict):
        decoder.wrong((), "expected a mapping")
        return {}, tuple(decoder.diagnostics)
    decoder.unknown((), data, ("expect",))
    topics = data.get("expect", {})
    if not isinstance(topics, dict):
        decoder.wrong(("expect",), "expected a mapping of topics")
        return {}, tuple(decoder.diagnostics)
    expectations: dict[str, Expectation] = {}
    for topic, settings in topics.items():
        file = decoder.struct(("expect", topic), _ExpectationFile, settings)
        if file is not None:
            columns = None if file.columns == "any" else frozenset(file.columns)
            expectations[str(topic)] = Expectation(columns, file.new, file.gone)
    return expectations, tuple(decoder.diagnostics)
