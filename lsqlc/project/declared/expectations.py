"""Which rows of staged models are meant to differ from the live ones: a file that `lsqlc deploy prove` is given.

It is written with the edit, and reviewed with it, so that a difference that nobody meant is found among those that are.
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
    """Of a topic. `columns`: those in which rows may differ, None for any; `new`: whether there may be rows that only
    the staged program has; `gone`: rows that only the live one has.
    """

    columns: frozenset[str] | None = frozenset()
    new: bool = False
    gone: bool = False

    def allows(self, columns: Collection[str]) -> bool:
        """Return whether a row may differ in these columns, or, without any, as a whole."""
        return self.columns is None or (bool(columns) and self.columns.issuperset(columns))


class _ExpectationFile(msgspec.Struct, frozen=True, kw_only=True):
    columns: list[str] | Literal["any"] = []
    new: bool = False
    gone: bool = False


def read_expectations(text: str, path: str) -> tuple[Mapping[str, Expectation], tuple[Diagnostic, ...]]:
    """Return the expectations of a file, by topic."""
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
    found: dict[str, Expectation] = {}
    for topic, said in topics.items():
        file = decoder.struct(("expect", topic), _ExpectationFile, said)
        if file is not None:
            columns = None if file.columns == "any" else frozenset(file.columns)
            found[str(topic)] = Expectation(columns, file.new, file.gone)
    return found, tuple(decoder.diagnostics)
