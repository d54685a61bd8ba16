"""What programs of all dialects have in common."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

import msgspec

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax.tree import Name, Setting


class Program(Protocol):
    """A program as its dialect's parser read it, before any topic is known."""

    @property
    def source(self) -> SourceText: ...

    @property
    def settings(self) -> tuple[Setting, ...]: ...

    @property
    def reads(self) -> tuple[Name, ...]:
        """The topics that it reads."""

    @property
    def writes(self) -> tuple[Name, ...]:
        """The topics that it names as targets; empty where it has one target, the model's own topic."""


ProgramT = TypeVar("ProgramT", bound=Program, covariant=True)


class Parsed(Generic[ProgramT], msgspec.Struct, frozen=True):
    """`program` is None if there was an error."""

    program: ProgramT | None
    diagnostics: tuple[Diagnostic, ...]
