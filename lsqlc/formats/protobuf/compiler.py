"""Protobuf schemas of a registry, compiled into the one text that the lock file keeps (see `formats/protobuf/tree`).

The compiler is protoc of the package grpcio-tools. It is needed to pull schemas from a registry; builds and queries
read its result.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from lsqlc.diagnostics.extras import require
from lsqlc.formats.protobuf.tree import META, ProtobufError

_SECONDS = 60
_OWN = "schema.proto"
# How protoc begins what it says of a file; other lines are of its own parts.
_SAID = re.compile(r"[^ :]+\.proto:")
# Schemas that registries know without a reference, and protoc does not: only what values need of them.
_KNOWN: Mapping[str, str] = {
    "google/type/date.proto": "package google.type; message Date { int32 year = 1; int32 month = 2; int32 day = 3; }",
    "google/type/timeofday.proto": "package google.type; message TimeOfDay "
    "{ int32 hours = 1; int32 minutes = 2; int32 seconds = 3; int32 nanos = 4; }",
    "confluent/meta.proto": 'package confluent; import "google/protobuf/descriptor.proto"; '
    "message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; } "
    "extend google.protobuf.FileOptions { Meta file_meta = 1088; } "
    "extend google.protobuf.MessageOptions { Meta message_meta = 1088; } "
    "extend google.protobuf.FieldOptions { Meta field_meta = 1088; } "
    "extend google.protobuf.EnumOptions { Meta enum_meta = 1088; } "
    "extend google.protobuf.EnumValueOptions { Meta enum_value_meta = 1088; }",
    "confluent/type/decimal.proto": "package confluent.type; message Decimal "
    "{ bytes value = 1; uint32 precision = 2; int32 scale = 3; }",
}  # fmt: skip
# Their names in older versions of Confluent's converter.
_OTHER_NAMES: Mapping[str, str] = {
    "google/type/Date.proto": "google/type/date.proto", "google/type/TimeOfDay.proto": "google/type/timeofday.proto",
}  # fmt: skip


def protobuf_text(text: str, references: Mapping[str, str] | None = None) -> str:
    """Return the one text of a schema. `references`: the schemas that it imports, directly or not, by the names in the
    imports.

    Raises ProtobufError for an invalid schema, and LsqlcError LSQ099 if grpcio-tools is not installed.
    """
    return _compiled(text, tuple((references or {}).items()))


@lru_cache(maxsize=1_000)
def _compiled(text: str, references: tuple[tuple[str, str], ...]) -> str:
    # One start of protoc is a tenth of a second, and several steps of a command ask for the same schema.
    included = _included()
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    with TemporaryDirectory(prefix="lsqlc-") as folder:
        root = Path(folder)
        for name, schema in {**_known(), **dict(references)}.items():
            _write(root, name, schema)
        _write(root, _OWN, text)
        descriptors = FileDescriptorSet.FromString(_descriptors(root, included))
    return json.dumps({"file": _kept(descriptors)}, separators=(",", ":"))


def forget() -> None:
    """Clear the cache of compiled schemas, for tests without the compiler."""
    _compiled.cache_clear()


def _known() -> dict[str, str]:
    head = 'syntax = "proto3"; '
    sources = {name: head + text for name, text in _KNOWN.items()}
    return sources | {other: sources[name] for other, name in _OTHER_NAMES.items()}


def _write(root: Path, name: str, text: str) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or not path.parts:
        raise ProtobufError(f"'{name}' is not a name that a schema can be imported by")
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def _descriptors(root: Path, included: Path) -> bytes:
    """Return the descriptors of the schema and its imports, each after its own imports."""
    output = root / "lsqlc.descriptors"
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I.", f"-I{included}", "--include_imports",
               f"--descriptor_set_out={output.name}", _OWN]  # fmt: skip
    try:
        completed = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, cwd=root, check=False)
    except subprocess.TimeoutExpired:
        raise ProtobufError(f"protoc did not compile the schema within {_SECONDS} seconds") from None
    if completed.returncode or not output.exists():
        lines = [line for line in completed.stderr.splitlines() if _SAID.match(line) and " warning: " not in line]
        message = (
            "; ".join(lines[:3]).replace(f"{_OWN}:", "line ") or f"protoc ended with status {completed.returncode}"
        )
        raise ProtobufError(f"the schema is not Protobuf: {message}")
    return output.read_bytes()


def _included() -> Path:
    """Return the folder of Protobuf's own schemas."""
    require("grpc_tools")
    import grpc_tools

    return Path(next(iter(grpc_tools.__path__))) / "_proto"


def _kept(descriptors: Any) -> list[dict[str, Any]]:
    """Return the files as JSON: the whole file of the schema, and the messages that it uses of the others."""
    decimals = _decimals(descriptors)
    types: dict[str, tuple[int, Any]] = {}
    for place, file in enumerate(descriptors.file):
        for one in (*file.message_type, *file.enum_type):
            types[f".{file.package}.{one.name}" if file.package else f".{one.name}"] = (place, one)

    def whole(name: str) -> str:
        """Return the name of the outermost type that contains a type."""
        while name not in types:
            name = name.rpartition(".")[0]
        return name

    own = len(descriptors.file) - 1
    used_types = {name for name, (place, _) in types.items() if place == own}
    pending = list(used_types)
    while pending:
        used = {whole(name) for name in _type_names(types[pending.pop()][1])} - used_types
        used_types |= used
        pending += used
    files: list[dict[str, Any]] = []
    for place, file in enumerate(descriptors.file):
        package = f".{file.package}" if file.package else ""
        messages = [m for m in file.message_type if f"{package}.{m.name}" in used_types]
        enums = [e for e in file.enum_type if f"{package}.{e.name}" in used_types]
        if place != own and not messages and not enums:
            continue
        content: dict[str, Any] = {"name": file.name}
        content |= {"package": file.package} if file.package else {}
        content |= {"dependency": [other["name"] for other in files]} if files else {}
        content |= {"messageType": [_message(m, f"{package}.{m.name}", decimals) for m in messages]} if messages else {}
        content |= {"enumType": [_enum(e) for e in enums]} if enums else {}
        files.append({**content, "syntax": file.syntax or "proto2"})
    return files


def _type_names(message: Any) -> Iterator[str]:
    for field in getattr(message, "field", ()):
        if field.type_name:
            yield field.type_name
    for inner in getattr(message, "nested_type", ()):
        yield from _type_names(inner)


def _message(message: Any, name: str, decimals: Mapping[str, dict[str, str]]) -> dict[str, Any]:
    content: dict[str, Any] = {"name": message.name}
    if message.field:
        content["field"] = [_field(field, decimals.get(f"{name}.{field.name}")) for field in message.field]
    if message.nested_type:
        content["nestedType"] = [_message(one, f"{name}.{one.name}", decimals) for one in message.nested_type]
    if message.enum_type:
        content["enumType"] = [_enum(one) for one in message.enum_type]
    if message.oneof_decl:
        content["oneofDecl"] = [{"name": one.name} for one in message.oneof_decl]
    if message.reserved_range:
        content["reservedRange"] = [{"start": one.start, "end": one.end} for one in message.reserved_range]
    return {**content, "options": {"mapEntry": True}} if message.options.map_entry else content


def _enum(enum: Any) -> dict[str, Any]:
    return {"name": enum.name, "value": [{"name": one.name, "number": one.number} for one in enum.value]}


def _field(field: Any, decimal: dict[str, str] | None) -> dict[str, Any]:
    kinds, labels = field.DESCRIPTOR.enum_types_by_name["Type"], field.DESCRIPTOR.enum_types_by_name["Label"]
    content: dict[str, Any] = {
        "name": field.name,
        "number": field.number,
        "type": kinds.values_by_number[field.type].name,
    }
    label = labels.values_by_number[field.label].name
    content |= {} if label == "LABEL_OPTIONAL" else {"label": label}
    content |= {"typeName": field.type_name} if field.type_name else {}
    content |= {"oneofIndex": field.oneof_index} if field.HasField("oneof_index") else {}
    content |= {"proto3Optional": True} if field.proto3_optional else {}
    return {**content, "options": {META: {"params": decimal}}} if decimal else content


def _decimals(descriptors: Any) -> dict[str, dict[str, str]]:
    """Return the precision and scale in the options of fields, by the full name of each. They are an extension, which
    is read with the descriptors of the schema.
    """
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message_factory import GetMessageClass

    if not any(file.name == "confluent/meta.proto" for file in descriptors.file):
        return {}
    pool = DescriptorPool()
    try:
        for file in descriptors.file:
            pool.Add(file)
        options = GetMessageClass(pool.FindMessageTypeByName("google.protobuf.FieldOptions"))
        meta = pool.FindExtensionByName("confluent.field_meta")
    except (TypeError, KeyError) as error:
        raise ProtobufError(f"the schema is not Protobuf: {error}") from None
    decimals: dict[str, dict[str, str]] = {}

    def inside(messages: Any, around: str) -> None:
        for message in messages:
            for field in message.field:
                options_of_field = options.FromString(field.options.SerializeToString()).Extensions[meta].params
                params = {name: options_of_field[name] for name in ("precision", "scale") if name in options_of_field}
                if params:
                    decimals[f"{around}.{message.name}.{field.name}"] = params
            inside(message.nested_type, f"{around}.{message.name}")

    for file in descriptors.file:
        inside(file.message_type, f".{file.package}" if file.package else "")
    return decimals
