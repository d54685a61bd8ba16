"""Common parts of the readers of schema files: the JSON of a file with positions, limits, and problems.

Constraints on values (patterns, lengths, ranges) and documentation are ignored. A part that changes the shape of
records and has no corresponding type is a problem, which has a position.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lsqlc.types.codec_json import JsonError, Kind, Node, read
from lsqlc.types.data import DataType, Field

# As for types in DDL (ddl.py): deeper ones are refused, so that a hostile schema cannot exhaust the stack.
MAX_DEPTH = 64
# A few lines of references to references can stand for more fields than any memory holds.
MAX_PARTS = 20_000

_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_WORDS = {
    Kind.NULL: "null", Kind.BOOLEAN: "true or false", Kind.NUMBER: "a number", Kind.STRING: "a text",
    Kind.ARRAY: "a list", Kind.OBJECT: "an object",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """A problem of a schema. `path`: its path in the file, `$.fields[2].type`; `start` and `end` are
    code points of the file, from 0. `is_malformed`: the file is not a valid schema; else it is valid, and a part has no
    corresponding type. `file`: the path of the file, where several are read. The message is one clause.
    """

    message: str
    path: str
    start: int
    end: int
    is_malformed: bool
    help: str | None = None
    file: str = ""


@dataclass(frozen=True, slots=True)
class SchemaRead:
    """The type that a schema file describes; None if there are problems."""

    type: DataType | None
    problems: tuple[SchemaProblem, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A JSON value of a file, and its path. `file`: the path of the file, where several are read."""

    node: Node
    path: str = "$"
    file: str = ""

    @property
    def kind(self) -> Kind:
        return self.node.kind

    @property
    def word(self) -> str:
        """The kind of JSON, for messages."""
        return _WORDS[self.node.kind]

    @property
    def text(self) -> str | None:
        """The text of a string, None for anything else."""
        return self.node.value if self.node.kind is Kind.STRING else None

    def items(self) -> list[Part]:
        """Return the items of a list; none for any other value."""
        if self.node.kind is not Kind.ARRAY:
            return []
        return [Part(item, f"{self.path}[{i}]", self.file) for i, item in enumerate(self.node.value)]

    def members(self) -> dict[str, Part]:
        """Return the members of an object by name, in order; none for any other value."""
        if self.node.kind is not Kind.OBJECT:
            return {}
        return {name.value: Part(value, self.path + _step(name.value), self.file) for name, value in self.node.value}

    def get(self, name: str) -> Part | None:
        """Return the member with a name, or None."""
        return self.members().get(name)

    def text_at(self, name: str) -> str | None:
        """Return the text of the member with a name; None if it is missing or not a string."""
        member = self.get(name)
        return member.text if member else None

    def integer_at(self, name: str) -> int | None:
        """Return the integer of the member with a name; None if it is missing or not an integer."""
        member = self.get(name)
        text = member.node.text if member and member.kind is Kind.NUMBER else ""
        return int(text) if re.fullmatch(r"-?[0-9]{1,40}", text) else None


@dataclass(slots=True)
class Report:
    """The problems of one file, and the number of its types so far."""

    problems: list[SchemaProblem] = field(default_factory=list)
    parts: int = 0

    def malformed(self, part: Part, message: str, help: str | None = None) -> None:
        """Report that the file is not a valid schema at this part."""
        self._add(part, message, True, help)

    def refused(self, part: Part, message: str, help: str | None = None) -> None:
        """Report a part without a corresponding type."""
        self._add(part, message, False, help)

    def enter(self, part: Part, depth: int) -> bool:
        """Report a type that exceeds a limit; return whether it may be read. `depth`: the number of enclosing types."""
        self.parts += 1
        if depth > MAX_DEPTH:
            self.refused(part, f"a type nested deeper than {MAX_DEPTH}")
            return False
        if self.parts > MAX_PARTS:
            if self.parts == MAX_PARTS + 1:
                self.refused(part, f"a schema of more than {MAX_PARTS:,} types, references followed")
            return False
        return True

    def fields(self, fields: list[tuple[Part, Field]]) -> tuple[Field, ...]:
        """Return the fields of a struct, and report two names that differ only in case."""
        names: dict[str, str] = {}
        for part, one in fields:
            other = names.setdefault(one.name.casefold(), one.name)
            if other != one.name:
                self.refused(part, f"the fields '{other}' and '{one.name}' differ only in case", "rename one of them")
        return tuple(one for _, one in fields)

    def result(self, type: DataType | None) -> SchemaRead:
        problems = tuple(dict.fromkeys(self.problems))
        return SchemaRead(None if problems else type, problems)

    def _add(self, part: Part, message: str, is_malformed: bool, help: str | None) -> None:
        node = part.node
        # A value of several lines is marked in its first alone.
        end = node.start + len(node.text.split("\n", 1)[0])
        self.problems.append(SchemaProblem(message, part.path, node.start, end, is_malformed, help, part.file))


def parse(text: str, file: str = "") -> Part | SchemaRead:
    """Parse the JSON of a schema file, or return its problem. `file`: its path, where several are read."""
    try:
        return Part(read(text), file=file)
    except JsonError as error:
        return SchemaRead(None, (SchemaProblem(str(error), "$", error.start, error.end, True, file=file),))


def _step(name: str) -> str:
    return f".{name}" if _PLAIN.fullmatch(name) else f"[{name!r}]"
