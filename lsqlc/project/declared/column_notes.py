"""`columns:` of topics and models: the descriptions of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsqlc.diagnostics import Span
from lsqlc.project.declared.data_tests import ColumnFile
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.nodes import KeyPath


@dataclass(frozen=True, slots=True)
class ColumnNote:
    """The description of a column.

    `name`: a field of the value, or `_key`, `_key.a`, `_value.a.b`. `span`: of the name.
    """

    name: str
    description: str
    span: Span


def read_notes(decoder: Decoder, key_path: KeyPath, columns: Sequence[ColumnFile]) -> tuple[ColumnNote, ...]:
    """Return the descriptions in the `columns:` of a topic or model. A column without one has no note."""
    span = decoder.document.span
    return tuple(
        ColumnNote(column.name, " ".join(column.description.split()), span((*key_path, "columns", number, "name")))
        for number, column in enumerate(columns)
        if column.description and column.description.strip()
    )
