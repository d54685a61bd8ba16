"""Answers to requests of an editor, as frozen data. Offsets refer to the text of the file `path`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lsqlc.diagnostics.source import Extent

ItemKind = Literal["topic", "query", "column", "function", "keyword", "setting", "type", "value", "key", "model"]
SymbolKind = Literal["query", "target", "source", "column"]


@dataclass(frozen=True, slots=True)
class Location:
    """An extent in a file. `path`: relative to the project's root, or absolute."""

    path: str
    at: Extent


@dataclass(frozen=True, slots=True)
class Hover:
    """A hover: Markdown, and the extent that it describes."""

    text: str
    at: Extent


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named part of a document. `whole`: the extent of the part. `at`: the extent of its name."""

    name: str
    kind: SymbolKind
    detail: str
    whole: Extent
    at: Extent
    children: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A completion item. `insert`: the inserted text, by default the label. `snippet`: it contains placeholders."""

    label: str
    kind: ItemKind
    detail: str = ""
    text: str = ""
    insert: str | None = None
    snippet: bool = False
    rank: int = 5


@dataclass(frozen=True, slots=True)
class Completion:
    """Completion items, and the extent that they replace."""

    items: tuple[Item, ...]
    at: Extent


@dataclass(frozen=True, slots=True)
class Call:
    """A signature: its form, its documentation, the labels of its parameters, and the index of the active one."""

    form: str
    text: str
    parameters: tuple[str, ...]
    active: int


@dataclass(frozen=True, slots=True)
class Edit:
    path: str
    at: Extent
    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """An edit that fixes one diagnostic, or all of a file. `code`: of the diagnostic; None for all of a file."""

    title: str
    edits: tuple[Edit, ...]
    code: str | None = None
    preferred: bool = False
