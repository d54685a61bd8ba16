"""When a version of a Protobuf schema is compatible, by Confluent's rules as far as schemas of lsqlc need them:
messages stay, and so do the kinds of fields that have the same number.
"""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.formats.protobuf.tree import ProtoMessage, message_names, proto_tree

_GROUPS = (("int32", "uint32", "int64", "uint64", "bool"), ("sint32", "sint64"), ("fixed32", "sfixed32"),
           ("fixed64", "sfixed64"), ("string", "bytes"))  # fmt: skip


def protobuf_conflicts(new: str, known: list[str], mode: str) -> tuple[str, ...]:
    """Why a schema is not compatible with the last of the known ones, or with all of them in a transitive mode. The
    schemas are in the one text that the lock file has.
    """
    others = known if mode.endswith("_TRANSITIVE") else known[-1:]
    found: list[str] = []
    for other in others:
        if mode.startswith(("BACKWARD", "FULL")):
            found += _unread(new, other)
        if mode.startswith(("FORWARD", "FULL")):
            found += _unread(other, new)
    return tuple(found)


def _unread(reader: str, writer: str) -> Iterator[str]:
    names, others = message_names(reader), message_names(writer)
    for path, name in others.items():
        if name not in names.values():
            yield f"#/{name}: MESSAGE_REMOVED"
        elif len(path) == 1 and name == next(iter(others.values())):
            yield from _changed(proto_tree(reader, name), proto_tree(writer, name))


def _changed(reader: ProtoMessage, writer: ProtoMessage) -> Iterator[str]:
    fields = {field.number: field for field in reader.fields}
    for field in writer.fields:
        other = fields.get(field.number)
        if other is None:
            continue
        where = f"#/{writer.name}/{field.number}"
        if (field.message is None) != (other.message is None):
            yield f"{where}: FIELD_KIND_CHANGED"
        elif field.message is not None and other.message is not None:
            if field.message.name != other.message.name:
                yield f"{where}: FIELD_NAMED_TYPE_CHANGED"
            else:
                yield from _changed(other.message, field.message)
        elif field.kind != other.kind and not any({field.kind, other.kind} <= set(group) for group in _GROUPS):
            yield f"{where}: FIELD_SCALAR_KIND_CHANGED"
