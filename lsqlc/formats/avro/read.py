"""Avro schemas (`.avsc`) to types: the specification's records, named types and logical types.

A union with null is a type that may be null; any other union has no type here. An enum is a STRING, a fixed BYTES. An
attribute or logical type that is unknown is ignored, as the specification requires; instants finer than
microseconds and times without zone stay the number that they are. A default says how old records are read, so the field
stays NOT NULL. Elements of arrays and values of maps may always be null.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lsqlc.diagnostics import did_you_mean
from lsqlc.formats.avro.files import AvroFiles, Definition, full_name, is_same, parse_avro_file
from lsqlc.formats.record import PLAIN_NAME
from lsqlc.formats.schema_file import Part, Report, SchemaRead, parse
from lsqlc.types import data
from lsqlc.types.codec_json import Kind
from lsqlc.types.data import Array, DataType, Decimal, Field, Map, Struct

_PRIMITIVES: dict[str, DataType] = {
    "boolean": data.BOOLEAN, "int": data.INT, "long": data.BIGINT, "float": data.FLOAT, "double": data.DOUBLE,
    "bytes": data.BYTES, "string": data.STRING,
}  # fmt: skip
_LOGICAL: dict[tuple[str, str], DataType] = {
    ("int", "date"): data.DATE,
    ("int", "time-millis"): data.TIME,
    ("long", "time-micros"): data.TIME,
    ("long", "timestamp-millis"): data.TIMESTAMP,
    ("long", "timestamp-micros"): data.TIMESTAMP,
}
_COMPLEX = ("record", "error", "enum", "fixed", "array", "map")
_KNOWN = ("null", *_PRIMITIVES, *_COMPLEX)
_ENTRY = ("key", "value")

# The type, and whether it is nullable; None after a problem.
_Found = tuple[DataType, bool] | None


def read_avro(text: str) -> SchemaRead:
    """Return the type that an Avro schema describes. Never raises for bad input."""
    return _read(parse(text), _Reader())


def read_avro_files(files: AvroFiles) -> SchemaRead:
    """Return the type that an `.avsc` file describes, with types of other files. Never raises for bad input."""
    reader = _Reader(files=files)
    reader.named |= files.of_listed(reader.report)
    return _read(parse_avro_file(files.own), reader)


def _read(root: Part | SchemaRead, reader: _Reader) -> SchemaRead:
    if isinstance(root, SchemaRead):
        return root
    type = reader.schema(root, "", 0)
    return reader.report.result(type[0] if type else None)


@dataclass(slots=True)
class _Reader:
    report: Report = field(default_factory=Report)
    # By full name, the types that can be used so far; and the records that are being read.
    named: dict[str, Definition] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    # None: the schema is on its own.
    files: AvroFiles | None = None

    def schema(self, part: Part, namespace: str, depth: int) -> _Found:
        """Read a schema of any form. `namespace`: of the type around it."""
        if not self.report.enter(part, depth):
            return None
        if part.kind is Kind.ARRAY:
            return self._union(part, namespace, depth)
        if part.text is not None:
            return self._name(part, part.text, namespace, depth)
        if part.kind is not Kind.OBJECT:
            self.report.malformed(part, f"expected a schema, found {part.word}", 'write a type, such as "string"')
            return None
        type = part.get("type")
        if type is None:
            self.report.malformed(part, "a schema without 'type'", f"known types are {', '.join(_KNOWN)}")
            return None
        if type.text not in _KNOWN:
            return self.schema(type, namespace, depth + 1)
        return self._typed(part, type, type.text, namespace, depth)

    def _typed(self, part: Part, type: Part, word: str, namespace: str, depth: int) -> _Found:
        if word in ("record", "error", "enum", "fixed"):
            return self._definition(part, word, namespace, depth)
        if word == "array":
            return self._array(part, namespace, depth)
        if word == "map":
            values = self._inner(part, "values", namespace, depth)
            return (Map(data.STRING, values[0]), False) if values else None
        if part.text_at("logicalType") == "decimal" and word == "bytes":
            return self._decimal(part)
        logical = _LOGICAL.get((word, part.text_at("logicalType") or ""))
        return (logical, False) if logical else self._name(type, word, namespace, depth)

    def _name(self, part: Part, name: str, namespace: str, depth: int) -> _Found:
        if name == "null":
            self.report.refused(
                part, "a schema that is always null has no type", 'write ["null", type], or leave it out'
            )
            return None
        if name in _PRIMITIVES:
            return _PRIMITIVES[name], False
        full = name if "." in name or not namespace else f"{namespace}.{name}"
        if full in self.open:
            message = f"the record '{full}' contains itself"
            self.report.refused(part, message, "types have a fixed depth: end it, or carry the part as a string")
            return None
        definition = self.named.get(full)
        if definition is None and self.files is not None:
            definition = self.files.of_siblings(full, part, self.report)
        if definition is None:
            # With their namespaces, all names of one namespace would be similar.
            short_names = [n.rpartition(".")[2] for n in self.named]
            help = did_you_mean(name.rpartition(".")[2], [*short_names, *_KNOWN])
            self.report.malformed(part, f"unknown type '{name}'", help or self._missing(full))
            return None
        self.named[full] = definition
        return self.schema(definition.part, definition.namespace, depth)

    def _missing(self, name: str) -> str:
        if self.files is None:
            return "a type must be defined before it is used"
        path = self.files.own.path
        return f"define '{name}' before it is used, or list the file that defines it: `schema: [TYPES.avsc, {path}]`"

    def _union(self, part: Part, namespace: str, depth: int) -> _Found:
        branches = part.items()
        if not branches:
            self.report.malformed(part, "an empty union")
            return None
        types = [b for b in branches if not _is_null(b)]
        nullable = len(types) < len(branches)
        if len(branches) - len(types) > 1:
            self.report.malformed(part, "null occurs twice in one union")
            return None
        if len(types) == 1 and types[0].kind is not Kind.ARRAY:
            branch = self.schema(types[0], namespace, depth)
            return branch and (branch[0], nullable)
        if not types:
            return self._name(branches[0], "null", namespace, depth)
        nested = next((b for b in types if b.kind is Kind.ARRAY), None)
        if nested is not None:
            self.report.malformed(nested, "a union must not contain a union")
            return None
        names = [_shown(b) for b in types]
        message = f"a union of {', '.join(names[:-1])} and {names[-1]} has no type"
        self.report.refused(part, message, 'a union here is ["null", type]')
        return None

    def _array(self, part: Part, namespace: str, depth: int) -> _Found:
        items = self._inner(part, "items", namespace, depth)
        if items is None:
            return None
        element = items[0]
        if part.text_at("logicalType") == "map" and isinstance(element, Struct):
            # Avro's own maps have text keys: others are written as a list of entries, marked so.
            entry = {f.name: f.type for f in element.fields}
            if tuple(entry) == _ENTRY:
                return Map(entry["key"], entry["value"]), False
        return Array(element), False

    def _inner(self, part: Part, name: str, namespace: str, depth: int) -> _Found:
        inner = part.get(name)
        if inner is None:
            self.report.malformed(part, f"{_shown(part)} without '{name}'")
            return None
        return self.schema(inner, namespace, depth + 1)

    def _definition(self, part: Part, word: str, namespace: str, depth: int) -> _Found:
        full = self._define(part, word, namespace)
        if full is None:
            return None
        if word == "enum":
            return self._enum(part)
        if word == "fixed":
            return self._fixed(part)
        self.open.append(full)
        record = self._record(part, full, depth)
        self.open.pop()
        return (record, False) if record else None

    def _define(self, part: Part, word: str, namespace: str) -> str | None:
        """Return the full name of a type that is defined here."""
        name = part.get("name")
        if name is None or name.text is None:
            self.report.malformed(name or part, f"a type '{word}' without a name", 'add "name": "..."')
            return None
        full = full_name(part, namespace) or ""
        if not all(PLAIN_NAME.fullmatch(step) for step in full.split(".")):
            self._no_name(name, full)
            return None
        first = self.named.setdefault(full, Definition(part, namespace)).part
        if first.node is not part.node and (first.file == part.file or not is_same(first, part)):
            where = f"in '{first.file}' too" if first.file != part.file else "twice"
            self.report.malformed(name, f"the type '{full}' is defined {where}", "use its name where it is used again")
            return None
        return full

    def _no_name(self, part: Part, name: str) -> None:
        help = "a name in Avro has letters, digits and _, and begins with no digit"
        self.report.malformed(part, f"'{name}' is not a valid name in Avro", help)

    def _enum(self, part: Part) -> _Found:
        symbols = part.get("symbols")
        if symbols is None or not symbols.items() or any(s.text is None for s in symbols.items()):
            self.report.malformed(symbols or part, "an enum must have a list of texts, 'symbols'")
            return None
        return data.STRING, False

    def _fixed(self, part: Part) -> _Found:
        size = part.integer_at("size")
        if size is None or size < 0:
            self.report.malformed(part.get("size") or part, "a fixed must have a 'size' in bytes")
            return None
        return self._decimal(part) if part.text_at("logicalType") == "decimal" else (data.BYTES, False)

    def _decimal(self, part: Part) -> _Found:
        precision, scale = part.integer_at("precision"), part.integer_at("scale") if part.get("scale") else 0
        if precision is None or scale is None or precision < 1 or not 0 <= scale <= precision:
            place = part.get("precision") or part
            self.report.malformed(place, "a decimal must have a 'precision', and a 'scale' between 0 and that")
            return None
        if precision > 38:
            place = part.get("precision") or part
            self.report.refused(place, f"a decimal of {precision} digits has no type", "DECIMAL has at most 38 digits")
            return None
        return Decimal(precision, scale), False

    def _record(self, part: Part, full: str, depth: int) -> Struct | None:
        declared = part.get("fields")
        if declared is None or declared.kind is not Kind.ARRAY:
            self.report.malformed(declared or part, f"the record '{full}' has no list of 'fields'")
            return None
        if not declared.items():
            self.report.refused(declared, f"the record '{full}' has no fields", "a STRUCT must have at least one field")
            return None
        namespace = full.rpartition(".")[0]
        fields: list[tuple[Part, Field]] = []
        complete = True
        for item in declared.items():
            read = self._field(item, namespace, depth)
            complete = complete and read is not None
            if read is None:
                continue
            if any(other.name == read[1].name for _, other in fields):
                self.report.malformed(read[0], f"the record '{full}' has two fields '{read[1].name}'")
                continue
            fields.append(read)
        struct = Struct(self.report.fields(fields))
        return struct if complete else None

    def _field(self, part: Part, namespace: str, depth: int) -> tuple[Part, Field] | None:
        name, type = part.get("name"), part.get("type")
        if name is None or name.text is None:
            self.report.malformed(name or part, "a field without a name", 'add "name": "..."')
            return None
        if not PLAIN_NAME.fullmatch(name.text):
            self._no_name(name, name.text)
            return None
        if type is None:
            self.report.malformed(part, f"the field '{name.text}' has no type", 'add "type": "..."')
            return None
        result = self.schema(type, namespace, depth + 1)
        return (name, Field(name.text, *result)) if result else None


def _is_null(part: Part) -> bool:
    return part.text == "null" or part.text_at("type") == "null"


def _shown(part: Part) -> str:
    """Return a schema for a message: its name, or the kind of its type."""
    return part.text or part.text_at("name") or part.text_at("type") or part.word
