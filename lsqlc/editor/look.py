"""A document that an editor asks about."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.editor.convert import Converter
from lsqlc.editor.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Look:
    """A document: its project, its path there, and how places are told."""

    snapshot: Snapshot
    path: str
    converter: Converter
