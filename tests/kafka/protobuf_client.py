"""Records in PROTOBUF as another client has them: Confluent's own serializer and deserializer, with classes that are
made of the schema's text by protoc. Nothing of lsqlc takes part.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc_tools
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

with warnings.catch_warnings():
    # Of the packages that Confluent's client of registries uses.
    warnings.simplefilter("ignore")
    from confluent_kafka.schema_registry import SchemaRegistryClient
    from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
    from confluent_kafka.serialization import MessageField, SerializationContext

_INCLUDED = Path(next(iter(grpc_tools.__path__))) / "_proto"
_DECIMAL = """
    syntax = "proto3"; package confluent.type;
    message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }
"""
_META = """
    syntax = "proto3"; package confluent; import "google/protobuf/descriptor.proto";
    message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; }
    extend google.protobuf.FieldOptions { Meta field_meta = 1088; }
"""
_DATE = 'syntax = "proto3"; package google.type; message Date { int32 year = 1; int32 month = 2; int32 day = 3; }'
_TIME = """
    syntax = "proto3"; package google.type;
    message TimeOfDay { int32 hours = 1; int32 minutes = 2; int32 seconds = 3; int32 nanos = 4; }
"""


@cache
def message_class(schema: str, name: str) -> Any:
    """The class of a message by its full name."""
    with TemporaryDirectory() as folder:
        for path, text in (
            ("m.proto", schema), ("confluent/type/decimal.proto", _DECIMAL), ("confluent/meta.proto", _META),
            ("google/type/date.proto", _DATE), ("google/type/timeofday.proto", _TIME),
        ):  # fmt: skip
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"-I{_INCLUDED}", "--include_imports"]
        subprocess.run([*command, f"--descriptor_set_out={folder}/m.bin", "m.proto"], check=True)
        files = FileDescriptorSet.FromString(Path(folder, "m.bin").read_bytes())
    pool = DescriptorPool()
    for one in files.file:
        pool.Add(one)
    return GetMessageClass(pool.FindMessageTypeByName(name))


def framed(schema: str, name: str, value: dict[str, Any], id: int) -> bytes:
    """A value, as Protobuf's own JSON has it, as a record under the id of a schema."""
    made = message_class(schema, name)
    registry = SchemaRegistryClient.new_client({"url": "mock://"})
    serializer = ProtobufSerializer(made, registry, {"use.deprecated.format": False})
    content: bytes = serializer(ParseDict(value, made()), SerializationContext("t", MessageField.VALUE))
    return b"\0" + id.to_bytes(4, "big") + content[5:]


def unframed(schema: str, name: str, content: bytes) -> dict[str, Any]:
    """A record's value, as Protobuf's own JSON has it, with the names that the schema has."""
    made = message_class(schema, name)
    deserializer = ProtobufDeserializer(made, {"use.deprecated.format": False})
    found = deserializer(content, SerializationContext("t", MessageField.VALUE))
    return dict(MessageToDict(found, preserving_proto_field_name=True))
