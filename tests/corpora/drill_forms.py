"""How the cases of Drill write paths, types and errors, read into and written from those of `lsqlc.scan`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lsqlc.scan.columns import Column, Schema
from lsqlc.scan.request import Path
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Struct


class Unlike(Exception):
    """What came out is not what the case expects, or the case asks for what scans do not have."""


_STEP = re.compile(r"`((?:[^`]|``)*)`|\[(\d+)\]|([^.\[`]+)")
_STARS = ("*", "**")
_TYPES: dict[str, DataType] = {
    "INT": data.INT,
    "BIGINT": data.BIGINT,
    "VARCHAR": data.STRING,
    "FLOAT4": data.FLOAT,
    "FLOAT8": data.DOUBLE,
    "BIT": data.BOOLEAN,
    "VARBINARY": data.BYTES,
    "DATE": data.DATE,
    "TIME": data.TIME,
    "TIMESTAMP": data.TIMESTAMP,
}
_NAMES = {type: name for name, type in _TYPES.items()}

# What a message of Drill's says, and the kinds of faults that say the same.
_FAULTS: tuple[tuple[str, frozenset[str]], ...] = (
    (r"cannot select columns\[\] and other", frozenset({"columns-with-others"})),
    (r"only `?columns`? column is allowed", frozenset({"columns-alone"})),
    (r"has map elements", frozenset({"columns-members"})),
    (r"index out of bounds", frozenset({"columns-index"})),
    (r"columns array not enabled", frozenset({"columns-disabled"})),
    (r"implies a map", frozenset({"not-a-struct"})),
    (r"implies an array", frozenset({"not-an-array"})),
    (r"not compatible with projection", frozenset({"not-a-struct", "not-an-array"})),
    (r"conflict", frozenset({"type-conflict"})),
    (r"not a leading path", frozenset({"outside-root"})),
    (r"wrong type", frozenset({"path-type"})),
    (r"undefined implicit column", frozenset({"path-unknown"})),
)


def path(text: str) -> Path:
    """`a.b[1]` as its steps; `**` is the wildcard, and `a.**` every member of `a`."""
    if text in _STARS:
        return ()
    found: list[str | int | None] = []
    for quoted, index, name in _STEP.findall(text):
        found.append(int(index) if index else None if name in _STARS else quoted.replace("``", "`") or name)
    return tuple(found)


def kinds_of(error: Mapping[str, Any]) -> frozenset[str]:
    """The kinds of faults that an expected error names; empty where no rule of ours says it."""
    message = (error.get("message") or error.get("contains") or "").lower()
    # Of a reader that delivers what it was not asked for, or not what it was, Drill says that it broke the contract.
    unnamed = frozenset({"columns-missing", "type-conflict", "new-column"})
    broken = unnamed if error.get("class") == "IllegalStateException" else frozenset[str]()
    return next((kinds for pattern, kinds in _FAULTS if re.search(pattern, message)), broken)


def type_of(name: str, members: Sequence[Any] = ()) -> DataType:
    """A type by Drill's name. A member without a type is an INT, as those of Drill's own tests."""
    if name not in ("MAP", "STRUCT"):
        if name not in _TYPES:
            raise Unlike(f"type {name} is not known")
        return _TYPES[name]
    return Struct(tuple(_member(m) for m in members))


def _member(given: Any) -> Field:
    return column(given).field if isinstance(given, Mapping) else Field(given, data.INT, nullable=False)


def column(given: Mapping[str, Any]) -> Column:
    """A column of a schema; REPEATED is an array that is never null."""
    type = type_of(given["type"], given.get("members", ()))
    mode = given.get("mode", "REQUIRED")
    field = Field(given["name"], Array(type) if mode == "REPEATED" else type, nullable=mode == "OPTIONAL")
    default = given.get("default")
    return Column(
        field,
        default=None if default is None else parsed(str(default), type),
        in_wildcard=not given.get("exclude_from_wildcard", False),
        of_path=given.get("implicit"),
    )


def columns(given: Sequence[Any]) -> list[Column]:
    """The columns of a reader, each as a mapping or as `a INT`, `b VARCHAR NULL`, `c VARCHAR[]`."""
    return [column(_described(c) if isinstance(c, str) else c) for c in given]


def _described(text: str) -> dict[str, str]:
    name, type, *rest = text.split()
    mode = "OPTIONAL" if rest in (["NULL"], ["OPTIONAL"]) else "REPEATED" if type.endswith("[]") else "REQUIRED"
    return {"name": name, "type": type.removesuffix("[]"), "mode": mode}


def schema(given: Mapping[str, Any] | None) -> Schema | None:
    if given is None:
        return None
    return Schema(tuple(map(column, given["columns"])), strict=given.get("strict", False))


def parsed(text: str, type: DataType) -> Any:
    """Text as a value of a type, as far as cases need it."""
    if type in (data.INT, data.BIGINT):
        return int(text)
    return float(text) if type in (data.FLOAT, data.DOUBLE) else text


def shown(field: Field) -> str:
    """A column with its type and mode: `a INT`, `b VARCHAR NULL`, `c VARCHAR[]`, `m MAP<a INT>`."""
    return f"{field.name} {_shown(field.type)}" + (" NULL" if field.nullable else "")


def _shown(type: DataType) -> str:
    if isinstance(type, Array):
        return _shown(type.element) + "[]"
    if isinstance(type, Struct):
        return "MAP<" + ", ".join(shown(f) for f in type.fields) + ">"
    return _NAMES.get(type, str(type))
