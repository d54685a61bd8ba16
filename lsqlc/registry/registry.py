"""What lsqlc asks of a schema registry, and what one answers with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Reference:
    """Another schema that a schema uses: the name that it uses it by, and the subject's version that it is."""

    name: str
    subject: str
    version: int


@dataclass(frozen=True, slots=True)
class RegisteredSchema:
    """A version of a subject. `type`: AVRO, JSON or PROTOBUF. `text`: the schema as the registry has it."""

    id: int
    version: int
    type: str
    text: str
    references: tuple[Reference, ...] = ()


class Registry(Protocol):
    """A schema registry by Confluent's REST API. Each method raises LsqlcError: LSQ711 for one that cannot be reached,
    LSQ712 for one that refuses the caller, LSQ713 for what is not a registry, LSQ714 for a subject that it does not
    have, LSQ722 for a schema that it refuses.
    """

    def subjects(self) -> tuple[str, ...]:
        """The names of all subjects, in order."""
        ...

    def versions(self, subject: str) -> tuple[RegisteredSchema, ...]:
        """All versions of a subject, the oldest first."""
        ...

    def version(self, subject: str, version: int) -> RegisteredSchema:
        """One version of a subject."""
        ...

    def found(self, subject: str, type: str, text: str) -> RegisteredSchema | None:
        """The version of a subject that is this schema; None if there is none, or no such subject."""
        ...

    def register(self, subject: str, type: str, text: str) -> int:
        """Register a schema as a version of a subject, and give its id; one that is registered has the id it had."""
        ...

    def conflicts(self, subject: str, type: str, text: str) -> Sequence[str]:
        """Why a schema is not compatible with the newest version by the subject's mode; nothing if it is."""
        ...

    def compatibility(self, subject: str) -> str:
        """The mode of compatibility of a subject, its own or the registry's."""
        ...

    def mode(self, subject: str) -> str:
        """Whether the registry takes versions of a subject: READWRITE, READONLY, READONLY_OVERRIDE or IMPORT."""
        ...
