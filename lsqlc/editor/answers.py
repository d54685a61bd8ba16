"""The answers to an editor, as frozen data. Offsets are those of the text of the file that `path` names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lsqlc.diagnostics.source import Extent

ItemKind = Literal["topic", "query", "column", "function", "keyword", "setting", "type", "value", "key", "model"]
SymbolKind = Literal["query", "target", "source", "column"]


@dataclass(frozen=True, slots=True)
class Location:
    """A piece of a file: of the project by its path below the root, or anywhere by an absolute one."""

    path: str
    at: Extent


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown, and the words that it is about."""

    text: str
    at: Extent


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named part of a document. `whole` is all of it, `at` its name."""

    name: str
    kind: SymbolKind
    detail: str
    whole: Extent
    at: Extent
    children: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A completion. `insert`: what is written, the label where it is None; with `snippet` it has places to fill in."""

    label: str
    kind: ItemKind
    detail: str = ""
    text: str = ""
    insert: str | None = None
    snippet: bool = False
    rank: int = 5


@dataclass(frozen=True, slots=True)
class Completion:
    """Items, and what they replace."""

    items: tuple[Item, ...]
    at: Extent


@dataclass(frozen=True, slots=True)
class Call:
    """The form of a call, what it is for, its parameters as the form shows them, and the number of the current one."""

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
    """An edit that fixes a finding, or all of a file. `code`: that of the finding; None: the action is for the file."""

    title: str
    edits: tuple[Edit, ...]
    code: str | None = None
    preferred: bool = False
