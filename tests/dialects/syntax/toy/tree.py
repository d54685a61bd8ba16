"""A program of the toy language."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax import tree


@dataclass(frozen=True, slots=True)
class Column:
    """A column that is kept. `name`: its own, where the expression is not a name already."""

    expression: tree.Expression
    name: tree.Name
    at: Extent


@dataclass(frozen=True, slots=True)
class Program:
    source: SourceText
    topic: tree.Name
    columns: tuple[Column, ...]
    at: Extent
    settings: tuple[tree.Setting, ...] = ()

    @property
    def reads(self) -> tuple[tree.Name, ...]:
        return (self.topic,)

    @property
    def writes(self) -> tuple[tree.Name, ...]:
        return ()
