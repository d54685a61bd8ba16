"""An Avro schema as a tree whose named types are resolved, for compatibility, conversion and SQL.

`read_avro` returns the type of a schema, and its problems with their positions. The tree also has what a type does not
have: logical types, defaults, aliases and symbols (Avro specification 1.11, "Schema Declaration" and "Names").
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
_NAMED = ("record", "error", "enum", "fixed")
_MAX_DEPTH = 64
# Named types are counted at each of their uses: a few names can make any number of types.
_MAX_TYPES = 200_000
DEBEZIUM_TIME = "io.debezium.time."
# The kinds that logical types stand on.
_STANDS_ON: Mapping[str, tuple[str, ...]] = {
    "decimal": ("bytes", "fixed"), "date": ("int",), "time-millis": ("int",), "time-micros": ("long",),
    "timestamp-millis": ("long",), "timestamp-micros": ("long",), "timestamp-nanos": ("long",),
}  # fmt: skip


class AvroError(ValueError):
    """A text that is no schema, or a schema without a tree: a recursive record. The message is one clause."""


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a record. `default`: empty, or the one JSON value in the schema."""

    name: str
    schema: Avro
    aliases: tuple[str, ...] = ()
    default: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Avro:
    """A schema. `kind`: a primitive, `record`, `enum`, `fixed`, `array`, `map` or `union`. `name` and `aliases` are
    full names. `inner`: what an array or a map holds, or the branches of a union. `logical` is the logical type as
    written, whether it is known or not. `connect`: the name of a unit of time of Debezium, which only its formats look
    at; empty for any other name that Kafka Connect gave the schema.
    """

    kind: str
    name: str = ""
    logical: str = ""
    aliases: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    inner: tuple[Avro, ...] = ()
    symbols: tuple[str, ...] = ()
    default: str | None = None
    size: int = 0
    precision: int = 0
    scale: int = 0
    connect: str = ""

    @property
    def is_null(self) -> bool:
        return self.kind == "null"

    @property
    def may_be_null(self) -> bool:
        return self.is_null or (self.kind == "union" and any(branch.is_null for branch in self.inner))

    @property
    def present(self) -> Avro:
        """The schema without null: the other branch of a union of null and one branch."""
        branches = [branch for branch in self.inner if not branch.is_null] if self.kind == "union" else []
        return branches[0] if len(branches) == 1 else self

    def __str__(self) -> str:
        """Return the schema for a message."""
        if self.kind == "union":
            return f"a union of {', '.join(map(str, self.inner))}" if self.inner else "an empty union"
        return f"{self.kind} {self.name}" if self.name else self.logical or self.kind


def avro_tree(text: str, references: Mapping[str, str] | None = None) -> Avro:
    """Return the tree of a schema. `references`: the schemas whose named types it uses, by any name; each uses only
    those before it, as a registry lists them. Raises AvroError.
    """
    definitions: dict[str, tuple[Any, str]] = {}
    for referred in (references or {}).values():
        _Reader(definitions).tree(_json(referred), "", 0)
    return _Reader(definitions).tree(_json(text), "", 0)


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise AvroError(f"the schema is not JSON: {error}") from None


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a value")


@dataclass(slots=True)
class _Reader:
    # Full name to the JSON that defines the type and the namespace around it; the records that are being read.
    known: dict[str, tuple[Any, str]]
    open: list[str] = field(default_factory=list)
    types: int = 0

    def tree(self, schema: Any, namespace: str, depth: int) -> Avro:
        if depth > _MAX_DEPTH:
            raise AvroError(f"a type is nested deeper than {_MAX_DEPTH}")
        self.types += 1
        if self.types > _MAX_TYPES:
            raise AvroError(f"a schema of more than {_MAX_TYPES:,} types, named ones counted where they are used")
        if isinstance(schema, str):
            return self._named(schema, namespace, depth)
        if isinstance(schema, list):
            return Avro("union", inner=tuple(self.tree(branch, namespace, depth + 1) for branch in schema))
        if not isinstance(schema, dict) or "type" not in schema:
            raise AvroError(f"expected a schema, found {json.dumps(schema)[:60]}")
        word = schema["type"]
        if word in _NAMED:
            return self._definition(schema, word, namespace, depth)
        logical = _logical(schema, word)
        if word in ("array", "map"):
            key = "items" if word == "array" else "values"
            if key not in schema:
                raise AvroError(f"a schema of type '{word}' has no '{key}'")
            return Avro(word, logical=logical, inner=(self.tree(schema[key], namespace, depth + 1),))
        if word in _PRIMITIVES:
            connect = _text(schema.get("connect.name"))
            return Avro(
                word,
                logical=logical,
                precision=_integer(schema, "precision"),
                scale=_integer(schema, "scale"),
                connect=connect if connect.startswith(DEBEZIUM_TIME) else "",
            )
        return self.tree(word, namespace, depth + 1)

    def _named(self, name: str, namespace: str, depth: int) -> Avro:
        if name in _PRIMITIVES:
            return Avro(name)
        full = name if "." in name or not namespace else f"{namespace}.{name}"
        if full not in self.known and name in self.known:
            full = name
        if full in self.open:
            raise AvroError(f"the record '{full}' contains itself")
        if full not in self.known:
            raise AvroError(f"unknown type '{name}'")
        return self.tree(*self.known[full], depth + 1)

    def _definition(self, schema: dict[str, Any], word: str, namespace: str, depth: int) -> Avro:
        short, around = _text(schema.get("name")), schema.get("namespace")
        if not short:
            raise AvroError(f"a type '{word}' has no name")
        full = short if "." in short else _full(short, namespace if around is None else _text(around))
        self.known[full] = (schema, namespace)
        inside = full.rpartition(".")[0]
        aliases = tuple(a if "." in a else _full(a, inside) for a in _texts(schema.get("aliases")))
        logical = _logical(schema, word)
        if word == "enum":
            return Avro(
                word, full, logical, aliases, symbols=_texts(schema.get("symbols")), default=schema.get("default")
            )
        if word == "fixed":
            size, precision, scale = (_integer(schema, key) for key in ("size", "precision", "scale"))
            return Avro(word, full, logical, aliases, size=size, precision=precision, scale=scale)
        self.open.append(full)
        fields = schema.get("fields", [])
        if not isinstance(fields, list):
            raise AvroError(f"the fields of the record '{full}' are not a list")
        members = tuple(self._member(item, inside, depth) for item in fields)
        self.open.pop()
        return Avro("record", full, logical, aliases, members)

    def _member(self, declaration: Any, namespace: str, depth: int) -> Member:
        if not isinstance(declaration, dict) or "type" not in declaration or not _text(declaration.get("name")):
            raise AvroError("a field of a record has no name or no type")
        default = (declaration["default"],) if "default" in declaration else ()
        schema = self.tree(declaration["type"], namespace, depth + 1)
        return Member(declaration["name"], schema, _texts(declaration.get("aliases")), default)


def _full(name: str, namespace: str) -> str:
    return f"{namespace}.{name}" if namespace else name


def _logical(schema: dict[str, Any], kind: str) -> str:
    """Return the logical type, unless it is a known one on another kind, which the specification ignores."""
    logical = _text(schema.get("logicalType"))
    return logical if kind in _STANDS_ON.get(logical, (kind,)) else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _integer(schema: dict[str, Any], key: str) -> int:
    value = schema.get(key, 0)
    return value if isinstance(value, int) else 0


def avro_json(schema: Avro) -> Any:
    """Return a tree as JSON-ready data without references: each named type is defined at its first use."""
    return _json_of(schema, set(), "")


def canonical(schema: Avro) -> str:
    """Return avro_json in one line: the same text for the same tree, without documentation and unknown attributes."""
    return json.dumps(avro_json(schema), separators=(",", ":"))


def _json_of(schema: Avro, defined: set[str], namespace: str) -> Any:
    """Return JSON-ready data. `namespace`: that of the enclosing record."""
    if schema.kind == "union":
        return [_json_of(branch, defined, namespace) for branch in schema.inner]
    if schema.name and schema.name in defined:
        return schema.name
    around, _, short = schema.name.rpartition(".")
    result: dict[str, Any] = {"type": schema.kind}
    if schema.name:
        # A name without namespace inside of a namespace must have an empty one.
        result |= {"name": short, **({"namespace": around} if around != namespace else {})}
        defined.add(schema.name)
    if schema.aliases:
        result["aliases"] = list(schema.aliases)
    if schema.logical:
        result["logicalType"] = schema.logical
    if schema.logical == "decimal":
        result |= {"precision": schema.precision, "scale": schema.scale}
    if schema.connect:
        result["connect.name"] = schema.connect
    if schema.kind == "fixed":
        result["size"] = schema.size
    if schema.kind == "enum":
        result["symbols"] = list(schema.symbols)
        result |= {"default": schema.default} if schema.default is not None else {}
    if schema.kind == "record":
        result["fields"] = [_member_json(member, defined, around) for member in schema.members]
    if schema.inner:
        result["items" if schema.kind == "array" else "values"] = _json_of(schema.inner[0], defined, namespace)
    return result["type"] if len(result) == 1 else result


def _member_json(member: Member, defined: set[str], namespace: str) -> dict[str, Any]:
    default = {"default": member.default[0]} if member.default else {}
    aliases = {"aliases": list(member.aliases)} if member.aliases else {}
    return {"name": member.name, "type": _json_of(member.schema, defined, namespace), **aliases, **default}
