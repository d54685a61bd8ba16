"""When a version of a JSON Schema is compatible, by Confluent's rules as far as schemas of lsqlc need them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def json_conflicts(new: str, known: list[str], mode: str) -> tuple[str, ...]:
    """Why a schema is not compatible with the last of the known ones, or with all of them in a transitive mode."""
    others = known if mode.endswith("_TRANSITIVE") else known[-1:]
    found: list[str] = []
    for other in map(json.loads, others):
        if mode.startswith(("BACKWARD", "FULL")):
            found += _unread(json.loads(new), other, "#")
        if mode.startswith(("FORWARD", "FULL")):
            found += _unread(other, json.loads(new), "#")
    return tuple(found)


def _unread(reader: Mapping[str, Any], writer: Mapping[str, Any], path: str) -> Iterator[str]:
    """What the reader's schema does not take of what the writer's does."""
    taken, given = _types(reader), _types(writer)
    if not given <= taken | ({"integer"} if "number" in taken else set()):
        yield f"{path}: TYPE_CHANGED"
        return
    read, written = reader.get("properties", {}), writer.get("properties", {})
    for name in read.keys() - written.keys():
        if writer.get("additionalProperties", True) is not False:
            yield f"{path}/{name}: PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL"
        elif name in reader.get("required", ()):
            yield f"{path}/{name}: REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL"
    for name in written.keys() - read.keys():
        if reader.get("additionalProperties", True) is False:
            yield f"{path}/{name}: PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL"
    for name in read.keys() & written.keys():
        yield from _unread(read[name], written[name], f"{path}/{name}")
    if "items" in reader and "items" in writer:
        yield from _unread(reader["items"], writer["items"], f"{path}/[]")


def _types(schema: Mapping[str, Any]) -> set[str]:
    type = schema.get("type", [])
    return {type} if isinstance(type, str) else set(type)
