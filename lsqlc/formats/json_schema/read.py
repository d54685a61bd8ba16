"""JSON Schema files to types, from draft 4 to 2020-12, with OpenAPI's `nullable`.

A field is NOT NULL if it is required and its schema has no null. An object with `properties` is a STRUCT, one with
`additionalProperties` alone a MAP; `allOf` joins fields, and the alternatives of `oneOf` and `anyOf`, apart from null,
have one common type. A type follows the JSON of the records: a `date-time` is a TIMESTAMP, but a `time` or a quoted
number is a STRING. Integers are BIGINT unless their bounds or format make them INT.

A part without a corresponding type, such as an object whose fields are not named, is a STRING: in JSON it holds any
value as text. The schema as a whole must have a type.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal

from lsqlc.formats.json_schema import scalars as scalars
from lsqlc.formats.json_schema.refs import References
from lsqlc.formats.json_schema.types import (
    ANY,
    ARRAY,
    OBJECT,
    OTHER,
    UNTYPED,
    as_text,
    as_written,
    both,
    distinct,
    resolve_untyped,
    wider,
)
from lsqlc.formats.schema_file import Part, Report, SchemaRead, parse
from lsqlc.types import data
from lsqlc.types.codec_json import Kind
from lsqlc.types.data import Array, DataType, Field, Map, Struct

_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
_COMBINED = ("allOf", "oneOf", "anyOf")
# Keywords that determine the type of a schema without `type`.
_SHAPES = ("properties", "items", "prefixItems", "enum", "const")
# A row of references that each lead to the next would exhaust the stack.
_MAX_OPEN = 100
_ROOT_HELP = "write `schema: STRING` in place of the file: the value is then any JSON, as text"
_PART_HELP = "declare the columns in YAML; only a topic in JSON has such a field, as STRING"

# The type, and whether it is nullable; None after a problem.
_Found = tuple[DataType, bool] | None
_Names = frozenset[str]
Untyped = Literal["text", "refused", "written"]
"""The type of a part without a corresponding type.

`text`: a STRING that holds any JSON as text. `refused`: a problem. `written`: the type that can be written into it,
which is STRING if it accepts texts, and else NULL.
"""


def read_json_schema(text: str, untyped: Untyped = "text") -> SchemaRead:
    """Return the type that a JSON Schema describes. Never raises for bad input."""
    root = parse(text)
    if isinstance(root, SchemaRead):
        return root
    reader = _Reader(Report(), References(root), [], untyped)
    if root.text_at("type") in ("record", "enum", "fixed") or (root.get("fields") and not root.get("properties")):
        reader.report.malformed(root, "this is an Avro schema", "give the file the extension .avsc")
        return reader.report.result(None)
    type = reader.schema(root, 0)
    of_untyped = as_written if untyped == "written" else as_text
    return reader.report.result(resolve_untyped(type[0], of_untyped) if type else None)


@dataclass(slots=True)
class _Reader:
    report: Report
    references: References
    # Where the schemas start that are being read, and the number of types around each, from the outside in.
    open: list[tuple[int, int]]
    untyped: Untyped

    def schema(self, part: Part, depth: int, required: _Names = frozenset()) -> _Found:
        """Read a schema. `required`: fields of it that an `allOf` around it requires."""
        if not self.report.enter(part, depth):
            return None
        if _is_nothing(part):
            self.report.refused(part, "a schema that accepts nothing has no type", "leave the field out")
            return None
        if part.kind is Kind.BOOLEAN:
            type = self._no_type(part, depth, ANY, "a schema that accepts anything has no type")
            return (type, True) if type else None
        if part.kind is not Kind.OBJECT:
            self.report.malformed(part, f"expected a schema, found {part.word}")
            return None
        if len(self.open) > _MAX_OPEN:
            self.report.refused(part, f"a chain of more than {_MAX_OPEN} references")
            return None
        self.open.append((part.node.start, depth))
        result = self._combined(part, depth, required) if _is_combined(part) else self._own(part, depth, required)
        self.open.pop()
        nullable = part.get("nullable")
        return result and (result[0], result[1] or bool(nullable and nullable.node.value is True))

    def _combined(self, part: Part, depth: int, required: _Names) -> _Found:
        """Read a schema with `$ref`, `allOf`, `oneOf` or `anyOf`: all of these and its own keywords apply."""
        required_names = required | self._required(part)
        parts: list[_Found] = []
        if "$ref" in part.members():
            parts.append(self._reference(part, depth, required_names))
        all_of = part.get("allOf")
        parts += [
            self.schema(p, depth, required_names) for p in (all_of.items() if all_of else []) if self._has_shape(p)
        ]
        for word in ("oneOf", "anyOf"):
            options = part.get(word)
            if options is not None and any(map(self._has_shape, options.items())):
                parts.append(self._alternatives(options, depth, required_names))
        if _has_own_shape(part):
            parts.append(self._own(part, depth, required_names))
        if not parts:
            return self._own(part, depth, required)
        types = [p for p in parts if p is not None]
        return self._joined(part, types) if len(types) == len(parts) else None

    def _joined(self, part: Part, types: list[tuple[DataType, bool]]) -> _Found:
        nullable = all(may for _, may in types)
        type = types[0][0]
        for other, _ in types[1:]:
            merged = self._merged(part, type, other)
            if merged is None:
                return None
            type = merged
        return type, nullable

    def _merged(self, part: Part, a: DataType, b: DataType) -> DataType | None:
        common = both(a, b)
        if common is not None:
            return common
        if not (isinstance(a, Struct) and isinstance(b, Struct)):
            self.report.refused(part, f"a schema that is both {_short(a)} and {_short(b)} has no type")
            return None
        fields = {f.name: f for f in a.fields}
        for field in b.fields:
            other = fields.get(field.name)
            type = field.type if other is None else self._merged(part, other.type, field.type)
            if type is None:
                return None
            fields[field.name] = Field(field.name, type, field.nullable and (other is None or other.nullable))
        return Struct(self.report.fields([(part, field) for field in fields.values()]))

    def _alternatives(self, options: Part, depth: int, required: _Names) -> _Found:
        shaped = [p for p in options.items() if self._has_shape(p) and not _is_null(p) and not _is_nothing(p)]
        nullable = any(map(_is_null, options.items()))
        if not shaped:
            return self._null(options, depth)
        read = [self.schema(p, depth, required) for p in shaped]
        typed = [p for p in read if p is not None]
        if len(typed) < len(read):
            return None
        type = self._one_of(options, depth, distinct(type for type, _ in typed))
        return (type, nullable or any(may for _, may in typed)) if type else None

    def _one_of(self, options: Part, depth: int, types: list[DataType]) -> DataType | None:
        """Return the type of values of one of several types, which differ."""
        if len(types) == 1:
            return types[0]
        if self.untyped == "written":
            return ANY if data.STRING in types or ANY in types else OTHER
        type = reduce(wider, types)
        if self.untyped == "text" and type not in UNTYPED:
            return type
        type_names = [_short(t) for t in types]
        if len(set(type_names)) == 1:
            message = f"{len(type_names)} kinds of {type_names[0]} in one place have no type"
        else:
            message = f"what is {', '.join(type_names[:-1])} or {type_names[-1]} has no type"
        return self._no_type(options, depth, type, message)

    def _reference(self, part: Part, depth: int, required: _Names) -> _Found:
        reference = part.members()["$ref"]
        target = self.references.find(reference.text) if reference.text is not None else None
        if reference.text is None:
            self.report.malformed(reference, f"expected a reference, found {reference.word}")
            return None
        if target is None and not reference.text.startswith("#"):
            message = f"'{reference.text}' is not in this file"
            self.report.refused(reference, message, "copy what it refers to into this file, below '$defs'")
            return None
        if target is None:
            self.report.malformed(reference, f"'{reference.text}' does not exist in this file")
            return None
        around = [level for start, level in self.open if start == target.node.start]
        if around and (self.untyped == "refused" or depth in around):
            message = f"'{reference.text}' contains itself"
            self.report.refused(reference, message, "types have a fixed depth: end it, or carry the part as text")
            return None
        if around:
            return OBJECT if _is_object(target) else OTHER, True
        return self.schema(target, depth, required)

    def _required(self, part: Part) -> _Names:
        """Return the fields that a schema requires, including those of its `allOf` and `$ref`."""
        names: set[str] = set()
        pending, visited = [part], {part.node.start}
        while pending:
            one = pending.pop()
            own_required, all_of, reference = one.get("required"), one.get("allOf"), one.text_at("$ref")
            names.update(i.text for i in (own_required.items() if own_required else []) if i.text is not None)
            target = self.references.find(reference) if reference else None
            inner = [*(all_of.items() if all_of else []), *([target] if target else [])]
            pending += [other for other in inner if other.node.start not in visited]
            visited.update(other.node.start for other in inner)
        return frozenset(names)

    def _own(self, part: Part, depth: int, required: _Names) -> _Found:
        """Read the keywords of the schema itself, without references and combinations."""
        words = self._types(part)
        if words is None:
            return None
        if not words:
            any = self._no_type(part, depth, ANY, "a schema without a type accepts anything, and has no type")
            return (any, True) if any else None
        nullable = "null" in words and _takes_null(part)
        words = [w for w in words if w != "null"]
        if not words:
            return self._null(part, depth)
        type = self._typed(part, words, depth, required)
        return (type, nullable) if type is not None else None

    def _null(self, part: Part, depth: int) -> _Found:
        type = self._no_type(part, depth, OTHER, "a schema that is always null has no type", "leave the field out")
        return (type, True) if type else None

    def _no_type(
        self, part: Part, depth: int, type: DataType, message: str, help: str | None = None
    ) -> DataType | None:
        """Return the type for a part without a corresponding type; None where the part must have one."""
        if depth > 0 and self.untyped != "refused":
            return type
        self.report.refused(part, message, help or (_PART_HELP if depth else _ROOT_HELP))
        return None

    def _has_shape(self, part: Part) -> bool:
        """Return whether a schema describes the shape of a value, and does not only restrict it."""
        if _has_shape(part):
            return True
        # Next to the schema of a text, `object` alone is another kind of value. Next to that of an object it is
        # redundant.
        return self.untyped != "refused" and part.text_at("type") in ("object", "array")

    def _types(self, part: Part) -> list[str] | None:
        """Return the words of `type`; without any, those that the other keywords imply; empty if they imply none."""
        declared = part.get("type")
        if declared is None:
            return self._inferred(part)
        words = [declared] if declared.text is not None else declared.items()
        for word in words:
            if word.text not in _TYPES:
                supported = f"the types of JSON Schema are {', '.join(_TYPES)}"
                label = f"'{word.text}'" if word.text is not None else word.word
                self.report.malformed(word, f"{label} is not a type", supported)
                return None
        if not words:
            self.report.malformed(declared, f"expected a type, found {declared.word}")
            return None
        return list(dict.fromkeys(w.text for w in words if w.text is not None))

    def _inferred(self, part: Part) -> list[str]:
        members = part.members()
        if any(word in members for word in ("properties", "additionalProperties", "patternProperties")):
            return ["object"]
        if "items" in members or "prefixItems" in members:
            return ["array"]
        values = _values(part)
        if values:
            return list(dict.fromkeys(_word(value) for value in values))
        if part.text_at("format") or part.text_at("contentEncoding") or "pattern" in members:
            return ["string"]
        return []

    def _typed(self, part: Part, words: list[str], depth: int, required: _Names) -> DataType | None:
        if set(words) == {"number", "string"} and part.text_at("pattern") == scalars.NOT_FINITE:
            words = ["number"]
        if set(words) == {"integer", "number"}:
            words = ["number"]
        if len(words) > 1:
            message = f"what is {', '.join(words[:-1])} or {words[-1]} has no type"
            return self._no_type(part.get("type") or part, depth, ANY if "string" in words else OTHER, message)
        match words[0]:
            case "object":
                return self._object(part, depth, required)
            case "array":
                return self._array(part, depth)
            case "string":
                return scalars.string(part)
            case "boolean":
                return data.BOOLEAN
            case "integer":
                return scalars.integer(part)
            case _:
                return scalars.number(part, self.report)

    def _array(self, part: Part, depth: int) -> DataType | None:
        items = part.get("items")
        fixed = part.get("prefixItems") or (items if items and items.kind is Kind.ARRAY else None)
        if fixed is not None:
            return self._no_type(fixed, depth, ARRAY, "a list with a type for each position has no type")
        if items is None:
            return self._no_type(part, depth, ARRAY, "an array without 'items' has no type", "declare its elements")
        element = self.schema(items, depth + 1)
        return Array(element[0]) if element else None

    def _object(self, part: Part, depth: int, required: _Names) -> DataType | None:
        properties, rest = part.get("properties"), part.get("additionalProperties")
        if properties is not None and properties.kind is not Kind.OBJECT:
            self.report.malformed(properties, f"expected the fields by name, found {properties.word}")
            return None
        if properties is not None and properties.members():
            return self._struct(properties, depth, required | self._required(part))
        if rest is not None and rest.kind is Kind.OBJECT:
            value = self.schema(rest, depth + 1)
            return Map(scalars.key(part.get("propertyNames")), value[0]) if value else None
        help = "name its fields in 'properties', or give the type of all in 'additionalProperties'"
        return self._no_type(part, depth, OBJECT, "an object without named fields has no type", help)

    def _struct(self, properties: Part, depth: int, required: _Names) -> DataType | None:
        fields: list[tuple[Part, Field]] = []
        complete = True
        for name, part in properties.members().items():
            if _is_nothing(part):
                continue
            if not name:
                self.report.refused(part, "a field without a name has no type")
            if "\x00" in name:
                self.report.refused(part, "a field whose name has the character NUL has no type")
            type = self.schema(part, depth + 1)
            complete = complete and type is not None
            if type is not None:
                fields.append((part, Field(name, type[0], type[1] or name not in required)))
        if complete and not fields:
            return self._no_type(properties, depth, OBJECT, "an object without fields has no type")
        struct = Struct(self.report.fields(fields))
        return struct if complete else None


def _is_combined(part: Part) -> bool:
    members = part.members()
    return "$ref" in members or any(word in members for word in _COMBINED)


def _has_shape(part: Part) -> bool:
    """Return whether a schema describes the shape of a value, and not only constraints."""
    rest = part.get("additionalProperties")
    is_map = rest is not None and rest.kind is Kind.OBJECT
    return part.kind is not Kind.OBJECT or _is_combined(part) or _has_own_shape(part) or is_map


def _has_own_shape(part: Part) -> bool:
    """Return whether the keywords next to `$ref` and alternatives do too.

    `additionalProperties` is about all other members.
    """
    members = part.members()
    if any(word in members for word in _SHAPES):
        return True
    # `object` next to alternatives repeats their types, and `null` is not among them.
    type = part.get("type")
    words = [type.text] if type and type.text is not None else [w.text for w in type.items()] if type else []
    return any(word not in ("object", "array", "null") for word in words)


def _is_nothing(part: Part) -> bool:
    """Return whether no value is accepted."""
    return part.kind is Kind.BOOLEAN and not part.node.value


def _is_object(part: Part) -> bool:
    return part.text_at("type") == "object" or part.get("properties") is not None


def _is_null(part: Part) -> bool:
    values = _values(part)
    return part.text_at("type") == "null" or (bool(values) and all(v.kind is Kind.NULL for v in values))


def _values(part: Part) -> list[Part]:
    """Return the values of `enum` or `const`."""
    enum, const = part.get("enum"), part.get("const")
    return enum.items() if enum else [const] if const else []


def _takes_null(part: Part) -> bool:
    values = _values(part)
    return not values or any(v.kind is Kind.NULL for v in values)


def _word(value: Part) -> str:
    """Return the type of a value, as a word of `type`."""
    if value.kind is Kind.NUMBER:
        return "integer" if value.node.text.lstrip("-").isdecimal() else "number"
    return str(value.kind.value)


def _short(type: DataType) -> str:
    return "an object" if isinstance(type, Struct) else "an array" if isinstance(type, Array) else str(type)
