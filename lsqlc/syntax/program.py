"""The interface of programs of all dialects."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

import msgspec

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax.tree import Name, Setting


class Program(Protocol):
    """A program as its dialect's parser returns it, without knowledge of topics."""

    @property
    def source(self) -> SourceText: ...

    @property
    def settings(self) -> tuple[Setting, ...]: ...

    @property
    def reads(self) -> tuple[Name, ...]:
        """The topics that it reads."""

    @property
    def writes(self) -> tuple[Name, ...]:
        """The topics that it names as targets; empty if its only target is the model's own topic."""


ProgramT = TypeVar("ProgramT", bound=Program, covariant=True)


class Parsed(Generic[ProgramT], msgspec.Struct, frozen=True):
    """The result of a parser. `program` is None if there is an error."""

    program: ProgramT | None
    diagnostics: tuple[Diagnostic, ...]
