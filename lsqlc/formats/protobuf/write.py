"""Protobuf schemas of types, as ksqlDB's converter writes them, and their source for a registry.

The message is `ConnectDefault1`, nested messages are `ConnectDefault2` and so on. A nullable column is `optional`, so
that no null is lost; ksqlDB writes no `optional` by default, and a 0 for a null. A schema that continues a subject
keeps its package, its message, and the number of each field of any version. A new field has a new number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lsqlc.formats.protobuf.fit import DATE, DECIMAL, KEYS, TIME, TIMESTAMP, misfits
from lsqlc.formats.protobuf.tree import META, ProtobufError, ProtoField, ProtoMessage, message_names, proto_tree
from lsqlc.formats.record import PLAIN_NAME
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

_NAME = "ConnectDefault"
_FILE = "schema.proto"
_SCALARS: dict[DataType, str] = {
    data.BOOLEAN: "BOOL", data.INT: "INT32", data.BIGINT: "INT64", data.FLOAT: "FLOAT", data.DOUBLE: "DOUBLE",
    data.STRING: "STRING", data.BYTES: "BYTES",
}  # fmt: skip
_MESSAGES: dict[DataType, str] = {data.TIMESTAMP: TIMESTAMP, data.DATE: DATE, data.TIME: TIME}
# The files of messages that values need, in the order in which they are imported, with their fields.
_FILES: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    DECIMAL: ("confluent/type/decimal.proto", (("value", "BYTES"), ("precision", "UINT32"), ("scale", "INT32"))),
    TIMESTAMP: ("google/protobuf/timestamp.proto", (("seconds", "INT64"), ("nanos", "INT32"))),
    DATE: ("google/type/date.proto", (("year", "INT32"), ("month", "INT32"), ("day", "INT32"))),
    TIME: ("google/type/timeofday.proto",
           (("hours", "INT32"), ("minutes", "INT32"), ("seconds", "INT32"), ("nanos", "INT32"))),
}  # fmt: skip
# Numbers that Protobuf keeps for itself, and one above the highest.
_KEPT = range(19_000, 20_000)
_LAST = 1 << 29


def protobuf_schema(type: DataType, name: str, versions: Sequence[str] = ()) -> str:
    """Return the schema for values of a type, in its one text. `name`: of the one field, if the type is not a struct;
    `versions`: those of the subject, the oldest first, which the schema continues.

    It is the newest version with exactly these columns that accepts all their values, if there is one. Raises
    ValueError for a type that Protobuf does not have.
    """
    struct = type if isinstance(type, Struct) else Struct((data.Field(name, type, False),))
    earlier = [(text, tree) for text in reversed(versions) for tree in _trees(text)]
    same = next((text for text, tree in earlier if _holds(struct, tree)), None)
    if same is not None:
        return same
    trees = [tree for _, tree in earlier]
    newest = json.loads(earlier[0][0])["file"][-1] if earlier else {}
    package = newest.get("package", "")
    own = trees[0].name.rpartition(".")[2] if trees else f"{_NAME}1"
    names = {full.rpartition(".")[2] for text, _ in earlier for full in message_names(text).values()}
    making = _Making(_reserved(newest), names)
    message = making.message(struct, own, f".{package}.{own}" if package else f".{own}", trees, "")
    files = [_imported(full, file, fields) for full, (file, fields) in _FILES.items() if full in making.used]
    for place, file in enumerate(files):
        file |= {"dependency": [other["name"] for other in files[:place]]} if place else {}
    main: dict[str, Any] = {"name": _FILE, **({"package": package} if package else {})}
    main |= {"dependency": [file["name"] for file in files]} if files else {}
    main |= {"messageType": [message], "syntax": "proto3"}
    order = ("name", "package", "dependency", "messageType", "syntax")
    ordered = [{k: file[k] for k in order if k in file} for file in (*files, main)]
    return json.dumps({"file": ordered}, separators=(",", ":"))


def bare_protobuf(type: DataType, name: str) -> str:
    """Return the schema of messages without a registry, as ksqlDB has it: fields in the order of the columns, without
    `optional`. Raises as `protobuf_schema`.
    """
    return protobuf_schema(_required(type), name)


def _required(type: DataType) -> DataType:
    match type:
        case Struct(fields):
            return Struct(tuple(data.Field(f.name, _required(f.type), False) for f in fields))
        case Array(element):
            return Array(_required(element))
        case Map(key, value):
            return Map(key, _required(value))
    return type


def _trees(text: str) -> Iterator[ProtoMessage]:
    try:
        yield proto_tree(text)
    except ProtobufError:
        # A version that has no type here: its fields are not known, and the registry says what is compatible.
        return


def _holds(type: Struct, message: ProtoMessage) -> bool:
    """Return whether a message, with its nested ones, has exactly the fields of a struct and accepts all its values."""
    return not list(misfits(type, message, writing=True)) and _same_fields(type, message)


def _same_fields(type: Struct, message: ProtoMessage) -> bool:
    if len(type.fields) != len(message.fields):
        return False
    for own in type.fields:
        other = message.field(own.name)
        if other is None or other.name != own.name or other.oneof:
            return False
        if own.nullable and other.label == "one" and not other.presence:
            return False
        inner, there = _inner(own.type), other
        if other.label == "map" and other.message is not None:
            there = other.message.fields[1]
        if isinstance(inner, Struct) and there.message is not None and not _same_fields(inner, there.message):
            return False
    return True


def _inner(type: DataType) -> DataType:
    return type.element if isinstance(type, Array) else type.value if isinstance(type, Map) else type


def _reserved(file: dict[str, Any]) -> dict[str, list[tuple[int, int]]]:
    """Return the reserved numbers of messages by their names, as half-open ranges."""
    reserved: dict[str, list[tuple[int, int]]] = {}

    def inside(messages: Any, around: str) -> None:
        for message in messages or ():
            name = f"{around}.{message['name']}"
            reserved[name] = [(one["start"], one["end"]) for one in message.get("reservedRange", ())]
            inside(message.get("nestedType"), name)

    inside(file.get("messageType"), f".{file['package']}" if file.get("package") else "")
    return reserved


def _imported(name: str, file: str, fields: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    package, _, short = name.rpartition(".")
    members = [{"name": n, "number": i, "type": f"TYPE_{kind}"} for i, (n, kind) in enumerate(fields, 1)]
    return {"name": file, "package": package, "messageType": [{"name": short, "field": members}], "syntax": "proto3"}


@dataclass(slots=True)
class _Making:
    # See `_reserved`; the names of messages in other versions; the messages of other files that fields are of; the
    # number of the message that was named last.
    reserved: dict[str, list[tuple[int, int]]]
    names: set[str]
    used: set[str] = field(default_factory=set)
    count: int = 1

    def message(self, type: Struct, name: str, full: str, earlier: Sequence[ProtoMessage], path: str) -> dict[str, Any]:
        """Return the descriptor of a message. `earlier`: the message in earlier versions, the newest first."""
        if not type.fields:
            raise ValueError(f"'{path}' is a STRUCT without fields" if path else "a STRUCT without fields")
        fields: list[dict[str, Any]] = []
        nested: list[dict[str, Any]] = []
        used_numbers = {f.number for message in earlier for f in message.fields}
        for own in type.fields:
            where = f"{path}.{own.name}" if path else own.name
            if not PLAIN_NAME.fullmatch(own.name):
                raise ValueError(f"the name '{where}' has other characters than letters, digits and _")
            before = [f for m in earlier for f in m.fields if f.name == own.name]
            newest = earlier[0].field(own.name) if earlier else None
            # A field of the newest version keeps its number for any type: the registry decides whether that is valid. A
            # dropped field gets its number back if it has that type again.
            known_number = next((f.number for f in before if f == newest or _is_again(own, f)), None)
            number = known_number or self._free(used_numbers, full)
            used_numbers.add(number)
            fields.append(self.field(own, number, full, before, nested, where))
        optional = [one["name"] for one in fields if "proto3Optional" in one]
        for one in fields:
            one |= {"oneofIndex": optional.index(one["name"])} if "proto3Optional" in one else {}
        descriptor: dict[str, Any] = {
            "name": name,
            "field": [{k: one[k] for k in _ORDER if k in one} for one in fields],
        }
        # The entries of maps are first, as in the output of protoc for the text below.
        descriptor |= {"nestedType": sorted(nested, key=lambda one: "options" not in one)} if nested else {}
        descriptor |= {"oneofDecl": [{"name": f"_{one}"} for one in optional]} if optional else {}
        reserved_ranges = self.reserved.get(full, ())
        return descriptor | (
            {"reservedRange": [{"start": a, "end": b} for a, b in reserved_ranges]} if reserved_ranges else {}
        )

    def _free(self, used_numbers: set[int], message: str) -> int:
        number = max(used_numbers, default=0) + 1
        while number in _KEPT or any(a <= number < b for a, b in self.reserved.get(message, ())):
            number += 1
            if number >= _LAST:
                raise ValueError(f"the message '{message[1:]}' has no number left for a field")
        return number

    def _name(self, before: str, around: str, nested: Sequence[dict[str, Any]]) -> str:
        """Return the name of a nested message: its earlier name, or a new one."""
        place, _, short = before.rpartition(".")
        if place == around[1:] and short not in [one["name"] for one in nested]:
            return short
        self.count += 1
        while f"{_NAME}{self.count}" in self.names:
            self.count += 1
        return f"{_NAME}{self.count}"

    def field(
        self,
        own: data.Field,
        number: int,
        around: str,
        before: Sequence[ProtoField],
        nested: list[dict[str, Any]],
        path: str,
    ) -> dict[str, Any]:
        """Return the descriptor of a field, and add its messages to `nested`."""
        head = {"name": own.name, "number": number}
        match own.type:
            case Array(element):
                return {**head, **self.value(element, around, before, nested, f"{path}[]"), "label": "LABEL_REPEATED"}
            case Map(key, value):
                if key not in KEYS:
                    raise ValueError(f"'{path}' is {own.type}, and keys in Protobuf are STRING, BOOLEAN, INT or BIGINT")
                entry = f"{''.join(part[:1].upper() + part[1:] for part in own.name.split('_'))}Entry"
                if isinstance(value, Decimal):
                    raise ValueError(f"'{path}' is {own.type}, and a map in Protobuf does not say a precision")
                of_key = self.value(key, around, (), nested, path)
                values = [f.message.fields[1] for f in before if f.label == "map" and f.message is not None]
                of_value = self.value(value, around, values, nested, f"{path}[]")
                members = [{"name": "key", "number": 1, **of_key}, {"name": "value", "number": 2, **of_value}]
                nested.append({"name": entry, "field": members, "options": {"mapEntry": True}})
                name = f"{around}.{entry}"
                return {**head, "label": "LABEL_REPEATED", "type": "TYPE_MESSAGE", "typeName": name}
        descriptor = {**head, **self.value(own.type, around, before, nested, path)}
        if own.type in _SCALARS:
            previous = before[0] if before else None
            if previous is not None and _is_kept(own, previous):
                descriptor["type"] = f"TYPE_{previous.kind.upper()}"
            if own.nullable:
                descriptor["proto3Optional"] = True
        return descriptor

    def value(
        self, type: DataType, around: str, before: Sequence[ProtoField], nested: list[dict[str, Any]], path: str
    ) -> dict[str, Any]:
        """Return the type of a field, or of its elements, as a descriptor has it."""
        match type:
            case Struct():
                messages = [f.message for f in before if f.message is not None]
                short = self._name(messages[0].name if messages else "", around, nested)
                name = f"{around}.{short}"
                # Its name is taken before those of the messages inside of it.
                place = len(nested)
                nested.append({"name": short})
                nested[place] = self.message(type, short, name, messages, path)
                return {"type": "TYPE_MESSAGE", "typeName": name}
            case Decimal(precision, scale):
                self.used.add(DECIMAL)
                params = {"precision": str(precision), "scale": str(scale)}
                return {"type": "TYPE_MESSAGE", "typeName": f".{DECIMAL}", "options": {META: {"params": params}}}
            case Array() | Map():
                raise ValueError(f"'{path}' is {type}, and Protobuf has no lists of lists or maps")
        if type in _SCALARS:
            return {"type": f"TYPE_{_SCALARS[type]}"}
        if type in _MESSAGES:
            self.used.add(_MESSAGES[type])
            return {"type": "TYPE_MESSAGE", "typeName": f".{_MESSAGES[type]}"}
        raise ValueError(f"'{path}' is {type}, which has no type in Protobuf")


def _is_again(own: data.Field, before: ProtoField) -> bool:
    """Return whether values of a field are written as before."""
    return not list(misfits(Struct((own,)), ProtoMessage("", (before,)), writing=True))


def _is_kept(own: data.Field, before: ProtoField) -> bool:
    """Return whether a field is written as the same scalar as before."""
    return before.message is None and before.kind != "enum" and _is_again(own, before)


_ORDER = ("name", "number", "type", "label", "typeName", "oneofIndex", "proto3Optional", "options")


def protobuf_source(text: str) -> str:
    """Return a schema of `protobuf_schema` as the .proto file that registries keep."""
    files = json.loads(text)["file"]
    main = files[-1]
    package = main.get("package", "")
    imports = [file["name"] for file in files[:-1]]
    imports = ["confluent/meta.proto", *imports] if _FILES[DECIMAL][0] in imports else imports
    blocks = ['syntax = "proto3";', *([f"package {package};"] if package else [])]
    blocks += ["\n".join(f'import "{name}";' for name in imports)] if imports else []
    around = f".{package}" if package else ""
    blocks += ["\n".join(_message_lines(one, f"{around}.{one['name']}")) for one in main["messageType"]]
    return "\n\n".join(blocks) + "\n"


def _message_lines(message: dict[str, Any], full: str) -> Iterator[str]:
    nested = message.get("nestedType", ())
    entries = {f"{full}.{one['name']}": one["field"] for one in nested if "options" in one}
    yield f"message {message['name']} {{"
    ranges = [f"{r['start']}" if r["end"] == r["start"] + 1 else f"{r['start']} to {_end(r['end'])}"
            for r in message.get("reservedRange", ())]  # fmt: skip
    yield from [f"  reserved {', '.join(ranges)};"] if ranges else []
    for one in message["field"]:
        entry = entries.get(one.get("typeName", ""))
        if entry is not None:
            kind = f"map<{_type_text(entry[0], full)}, {_type_text(entry[1], full)}>"
        else:
            label = "repeated " if one.get("label") == "LABEL_REPEATED" else ""
            kind = f"{'optional ' if one.get('proto3Optional') else label}{_type_text(one, full)}"
        yield f"  {kind} {one['name']} = {one['number']}{_options_text(one)};"
    for one in nested:
        if "options" not in one:
            yield ""
            yield from (f"  {line}" if line else "" for line in _message_lines(one, f"{full}.{one['name']}"))
    yield "}"


def _end(number: int) -> str:
    return "max" if number == _LAST else str(number - 1)


def _type_text(field: dict[str, Any], around: str) -> str:
    name: str = field.get("typeName", "")
    kind: str = field["type"]
    return name.removeprefix(f"{around}.").removeprefix(".") if name else kind.removeprefix("TYPE_").lower()


def _options_text(field: dict[str, Any]) -> str:
    params = field.get("options", {}).get(META, {}).get("params")
    if params is None:
        return ""
    entries = ", ".join(f'{{key: "{key}", value: "{value}"}}' for key, value in params.items())
    return f" [(confluent.field_meta) = {{params: [{entries}]}}]"
