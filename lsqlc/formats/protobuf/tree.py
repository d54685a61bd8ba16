"""A Protobuf schema as a tree with resolved names, and its single text in the lock file.

The text is a `google.protobuf.FileDescriptorSet` in Protobuf's own JSON: the file of the schema is last, after its
imports. Options are omitted, because they do not change how bytes are read. The exceptions are the option of a map's
entry, and precision and scale of Confluent's Decimal (`[confluent.field_meta]`). So a build needs neither a compiler of
Protobuf nor the imported schemas.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

_MAX_DEPTH = 64
_MAX_PARTS = 20_000
META = "[confluent.field_meta]"

Label = Literal["one", "many", "map"]


class ProtobufError(ValueError):
    """A schema that is not one, or that has no tree: a message that contains itself. The message is one clause."""


@dataclass(frozen=True, slots=True)
class ProtoField:
    """A field.

    `kind`: a scalar type of Protobuf (`int32`, `string`, ...), `enum` or `message`, of each element if `label` is
    `many`. For a `map`, `message` is the entry, with the fields `key` and `value`.

    `presence`: whether an absent field differs from one with the default value. `is_required`: as in proto2. `decimal`:
    precision and scale of Confluent's Decimal, None without them. `oneof`: the one that it is a member of, or empty.
    """

    name: str
    number: int
    kind: str
    label: Label = "one"
    presence: bool = False
    is_required: bool = False
    message: ProtoMessage | None = None
    symbols: tuple[tuple[int, str], ...] = ()
    decimal: tuple[int, int] | None = None
    oneof: str = ""

    def __str__(self) -> str:
        """Return the kind for a message to the user."""
        if self.label == "map" and self.message is not None:
            key, value = self.message.fields
            return f"map<{key}, {value}>"
        kind = self.message.name if self.message else self.kind
        return f"repeated {kind}" if self.label == "many" else kind


@dataclass(frozen=True, slots=True)
class ProtoMessage:
    """A message by its full name."""

    name: str
    fields: tuple[ProtoField, ...] = ()

    def field(self, name: str) -> ProtoField | None:
        """Return the field with a name, or else with that name in another case."""
        same = [f for f in self.fields if f.name == name] or [f for f in self.fields if f.name.upper() == name.upper()]
        return same[0] if same else None


def proto_tree(text: str, name: str | None = None) -> ProtoMessage:
    """Return a message of a schema in its single text.

    It is the one with the full name, else the first one of the schema's file, which is the default of Kafka's
    serializers. Raises ProtobufError.
    """
    reader = _Reader(_types(_files(text)))
    if name is None:
        own = message_names(text)
        if not own:
            raise ProtobufError("the schema has no message")
        name = next(iter(own.values()))
    if name not in reader.known or "value" in reader.known[name][0]:
        raise ProtobufError(f"the schema has no message '{name}'")
    return reader.message(name)


def message_names(text: str) -> dict[tuple[int, ...], str]:
    """Return the full names of the messages of a schema's file, by their indexes in records.

    Raises ProtobufError.
    """
    file = _files(text)[-1]

    def inside(messages: Any, path: tuple[int, ...], around: str) -> Iterator[tuple[tuple[int, ...], str]]:
        for number, message in enumerate(messages or ()):
            full = f"{around}.{message['name']}" if around else message["name"]
            yield (*path, number), full
            yield from inside(message.get("nestedType"), (*path, number), full)

    return dict(inside(file.get("messageType"), (), file.get("package", "")))


def _files(text: str) -> list[dict[str, Any]]:
    try:
        files = json.loads(text)["file"]
    except (ValueError, TypeError, KeyError, RecursionError):
        files = None
    if not isinstance(files, list) or not files or not all(isinstance(f, dict) for f in files):
        raise ProtobufError("the schema is not a set of descriptors: update the lock file with `lsqlc schemas pull`")
    return files


def _types(files: list[dict[str, Any]]) -> dict[str, tuple[dict[str, Any], str]]:
    """Messages and enums by their full names, each with the syntax of its file."""
    types: dict[str, tuple[dict[str, Any], str]] = {}

    def inside(holder: Mapping[str, Any], around: str, syntax: str, messages: str) -> None:
        for key in (messages, "enumType"):
            for one in holder.get(key, ()):
                full = f"{around}.{one['name']}" if around else one["name"]
                types[full] = (one, syntax)
                if key == messages:
                    inside(one, full, syntax, "nestedType")

    for file in files:
        inside(file, file.get("package", ""), file.get("syntax", "proto2"), "messageType")
    return types


@dataclass(slots=True)
class _Reader:
    known: dict[str, tuple[dict[str, Any], str]]
    # The messages that are being read, from the outside in, and how many were read.
    open: tuple[str, ...] = ()
    parts: int = 0

    def message(self, name: str) -> ProtoMessage:
        if name in self.open:
            raise ProtobufError(f"the message '{name}' contains itself")
        if len(self.open) >= _MAX_DEPTH:
            raise ProtobufError(f"a message is nested deeper than {_MAX_DEPTH}")
        self.parts += 1
        if self.parts > _MAX_PARTS:
            raise ProtobufError(
                f"a schema of more than {_MAX_PARTS:,} messages, nested ones counted where they are used"
            )
        descriptor, syntax = self.known[name]
        if syntax not in ("proto2", "proto3"):
            raise ProtobufError(f"the message '{name}' is of an edition: only proto2 and proto3 are supported")
        before, self.open = self.open, (*self.open, name)
        oneofs = tuple(one["name"] for one in descriptor.get("oneofDecl", ()))
        fields = tuple(self.field(one, syntax, oneofs) for one in descriptor.get("field", ()))
        self.open = before
        return ProtoMessage(name, fields)

    def field(self, descriptor: Mapping[str, Any], syntax: str, oneofs: tuple[str, ...]) -> ProtoField:
        name, number = descriptor["name"], descriptor["number"]
        kind = descriptor["type"].removeprefix("TYPE_").lower()
        type_name = descriptor.get("typeName", "").removeprefix(".")
        repeated = descriptor.get("label") == "LABEL_REPEATED"
        if kind == "group":
            raise ProtobufError(f"'{name}' is a group, which is not supported")
        message: ProtoMessage | None = None
        symbols: tuple[tuple[int, str], ...] = ()
        if kind == "message":
            message = self.message(type_name)
        elif kind == "enum":
            symbols = tuple((one.get("number", 0), one["name"]) for one in self.known[type_name][0].get("value", ()))
        is_map = message is not None and self.known[type_name][0].get("options", {}).get("mapEntry") is True
        explicit = syntax == "proto2" or "oneofIndex" in descriptor or kind == "message"
        # In proto3, `optional` is an implicit oneof of one field.
        in_oneof = "oneofIndex" in descriptor and "proto3Optional" not in descriptor
        return ProtoField(
            name,
            number,
            kind,
            "map" if is_map else "many" if repeated else "one",
            explicit and not repeated,
            descriptor.get("label") == "LABEL_REQUIRED",
            message,
            symbols,
            _decimal(descriptor),
            oneofs[descriptor["oneofIndex"]] if in_oneof else "",
        )


def _decimal(options: Mapping[str, Any]) -> tuple[int, int] | None:
    params = options.get("options", {}).get(META, {}).get("params", {})
    precision, scale = str(params.get("precision", "")), str(params.get("scale", "0"))
    if not (precision.isdecimal() and scale.isdecimal()):
        return None
    return int(precision), int(scale)
