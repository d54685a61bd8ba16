"""Compatibility of Avro schemas, and the compatibility modes of a schema registry.

The rules are those of the Avro specification 1.11, "Schema Resolution"; a pair of schemas is compatible where every
value of the writer can be read. The modes are those of Confluent's Schema Registry, "Schema Evolution".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lsqlc.formats.avro.tree import Avro, Member
from lsqlc.formats.registered import Mode

# The types as which a value can be read, in addition to its own type.
_PROMOTIONS = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}
# Logical types that give a number another meaning: such a number cannot be read as one of another meaning.
_UNITS = ("date", "time-millis", "time-micros", "timestamp-millis", "timestamp-micros", "timestamp-nanos")


def incompatible(new: Avro, old: Sequence[Avro], mode: Mode) -> tuple[str, ...]:
    """Return why a new version of a schema is not compatible with the earlier ones, the oldest first.

    BACKWARD: the new version can read records of the last one; FORWARD: the last version can read records of the new
    one; FULL: both; TRANSITIVE: with all versions.
    """
    if mode == "NONE" or not old:
        return ()
    reasons: dict[str, None] = {}
    for version in old if mode.endswith("TRANSITIVE") else old[-1:]:
        if not mode.startswith("FORWARD"):
            reasons |= dict.fromkeys(f"the new version cannot read the old one: {m}" for m in unreadable(new, version))
        if not mode.startswith("BACKWARD"):
            reasons |= dict.fromkeys(f"the old version cannot read the new one: {m}" for m in unreadable(version, new))
    return tuple(reasons)


def unreadable(reader: Avro, writer: Avro, *, logical: bool = False) -> tuple[str, ...]:
    """Return why `reader` cannot read records of `writer`: one clause per reason, with the path of the field.

    `logical`: whether logical types are compared. A schema registry does not compare them: it accepts milliseconds that
    are read as microseconds, which changes the values.
    """
    return tuple(dict.fromkeys(_Pair(logical).reasons(reader, writer, "")))


@dataclass(frozen=True, slots=True)
class _Pair:
    logical: bool

    def reasons(self, reader: Avro, writer: Avro, path: str) -> Iterator[str]:
        if writer.kind == "union":
            for branch in writer.inner:
                yield from self.reasons(reader, branch, path)
        elif reader.kind == "union":
            if not any(not [*self.reasons(branch, writer, path)] for branch in reader.inner):
                yield f"{_at(path)} was written as {writer}, which is not in {reader}"
        elif reader.kind != writer.kind and reader.kind not in _PROMOTIONS.get(writer.kind, ()):
            yield f"{_at(path)} was written as {writer}, and is read as {reader}"
        elif self.logical and _meaning(reader) != _meaning(writer):
            yield f"{_at(path)} was written as {_meaning(writer)}, and is read as {_meaning(reader)}"
        elif reader.kind == writer.kind:
            yield from self.of_one_kind(reader, writer, path)

    def of_one_kind(self, reader: Avro, writer: Avro, path: str) -> Iterator[str]:
        match reader.kind:
            case "array" | "map":
                yield from self.reasons(reader.inner[0], writer.inner[0], f"{path}[]")
            case "enum":
                if not _same_name(reader, writer):
                    yield f"{_at(path)} was written as {writer}, and is read as {reader}"
                missing = [symbol for symbol in writer.symbols if symbol not in reader.symbols]
                if missing and reader.default is None:
                    yield f"{_at(path)} is read without the symbol '{missing[0]}', and has no default"
            case "fixed":
                if not _same_name(reader, writer) or reader.size != writer.size:
                    sizes = f"{writer} of {writer.size} bytes, and is read as {reader} of {reader.size}"
                    yield f"{_at(path)} was written as {sizes}"
            case "record":
                if not _same_name(reader, writer):
                    yield f"{_at(path)} was written as {writer}, and is read as {reader}"
                for member in reader.members:
                    yield from self.of_member(member, writer, f"{path}.{member.name}" if path else member.name)

    def of_member(self, member: Member, writer: Avro, path: str) -> Iterator[str]:
        source = writer_field(member, writer.members)
        if source is not None:
            yield from self.reasons(member.schema, source.schema, path)
        elif not member.default:
            yield f"{_at(path)} was not written, and has no default"


def writer_field(member: Member, among: Sequence[Member]) -> Member | None:
    """Return the writer's field that a field of the reader is read from: by its name, else by an alias."""
    by_name = {field.name: field for field in among}
    return next((by_name[name] for name in (member.name, *member.aliases) if name in by_name), None)


def _same_name(reader: Avro, writer: Avro) -> bool:
    names = {name.rpartition(".")[2] for name in (reader.name, *reader.aliases)}
    return writer.name.rpartition(".")[2] in names


def _meaning(schema: Avro) -> str:
    """Return the unit of a number or bytes: the logical type if it is compared, else no unit."""
    if schema.logical == "decimal":
        return f"decimal({schema.precision},{schema.scale})"
    return schema.logical if schema.logical in _UNITS else "a value without unit"


def _at(path: str) -> str:
    return f"'{path}'" if path else "the value"
