"""Completion and hovers of keys and values in lsqlc's YAML files, from their JSON Schemas.

Indentation and braces determine the position, because a file that is being edited is often invalid YAML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lsqlc.editor.answers import Completion, Hover, Item
from lsqlc.editor.snapshot import FileKind, Snapshot
from lsqlc.report.schemas import schema_text

Step = str | int

_SCHEMAS: Mapping[FileKind, str] = {
    "project": "project", "declarations": "models", "cases": "cases", "profiles": "profiles",
}  # fmt: skip
_DASH = re.compile(r"-(?:\s+|$)")
_KEY = re.compile(r"""(["']?)([^\s:#{}\[\],"'][^:#{}\[\]"']*?)\1\s*:(?:\s+|$)""")
_PARTIAL = re.compile(r"[\w.-]*\Z")
_WORD = re.compile(r"[\w.-]+")
_UNFINISHED = 200


@dataclass(frozen=True, slots=True)
class YamlPlace:
    """The path from the root to the mapping or list around an offset.

    `key`: the key whose value is at the offset; None if a key is. `partial`: the text before the offset.
    """

    path: tuple[Step, ...]
    key: str | None
    partial: str


def place_at(text: str, offset: int) -> YamlPlace:
    """Return the position of an offset, from the lines above it."""
    stack: list[tuple[int, Step]] = []
    start = text.rfind("\n", 0, offset) + 1
    for line in text[:start].splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            _take(stack, line)
    row = text[start:offset]
    indent = len(row) - len(row.lstrip(" "))
    rest = row[indent:]
    while dash := _DASH.match(rest):
        _item(stack, indent)
        indent, rest = indent + dash.end(), rest[dash.end() :]
    key = _KEY.match(rest)
    if key is None:
        if rest[:1] in ("{", "["):
            return _flow(tuple(step for _, step in stack), None, rest)
        _leave(stack, indent)
        return YamlPlace(tuple(step for _, step in stack), None, rest.strip("\"'"))
    _leave(stack, indent)
    return _flow(tuple(step for _, step in stack), key[2], rest[key.end() :])


def _take(stack: list[tuple[int, Step]], line: str) -> None:
    """Update the stack for a line."""
    indent = len(line) - len(line.lstrip(" "))
    rest = line[indent:]
    while dash := _DASH.match(rest):
        _item(stack, indent)
        indent, rest = indent + dash.end(), rest[dash.end() :]
    key = _KEY.match(rest)
    if key is not None:
        _leave(stack, indent)
        stack.append((indent, key[2]))


def _leave(stack: list[tuple[int, Step]], indent: int) -> None:
    while stack and stack[-1][0] >= indent:
        stack.pop()


def _item(stack: list[tuple[int, Step]], indent: int) -> None:
    """Begin an item of a list. Its dash may be directly below the key of the list."""
    while stack and (stack[-1][0] > indent or (stack[-1][0] == indent and stack[-1][1] == 0)):
        stack.pop()
    stack.append((indent, 0))


def _flow(path: tuple[Step, ...], key: str | None, rest: str) -> YamlPlace:
    """Return the position after `rest`, the text after a key or a dash, inside of its open braces."""
    open_: list[tuple[tuple[Step, ...], str | None, str]] = []
    start = quote = 0
    for number, each in enumerate(rest):
        if quote:
            quote = 0 if each == chr(quote) else quote
        elif each in "\"'":
            quote = ord(each)
        elif each in "{[":
            inner = (*path, key) if key is not None else path
            open_.append((path, key, each))
            path, key = (inner, None) if each == "{" else ((*inner, 0), None)
            start = number + 1
        elif each in "}]" and open_:
            path, key, _ = open_.pop()
        elif each == "," and open_:
            key, start = None, number + 1
        elif each == ":" and open_ and open_[-1][2] == "{" and key is None:
            key, start = rest[start:number].strip().strip("\"'"), number + 1
    return YamlPlace(path, key, rest[start:].lstrip().lstrip("\"'"))


def yaml_completion(snapshot: Snapshot, path: str, offset: int) -> Completion | None:
    """Return the completion of keys or values at an offset of a YAML file; None if there is none."""
    kind = snapshot.kind(path)
    if kind is None or kind not in _SCHEMAS:
        return None
    text = snapshot.texts[path]
    place = place_at(text, offset)
    partial = _PARTIAL.search(text, max(0, offset - _UNFINISHED), offset)
    at = (partial.start() if partial else offset, offset)
    if place.key is None:
        items = [*_keys(kind, place.path), *_named_keys(snapshot, kind, place.path)]
    else:
        items = [*_values(kind, (*place.path, place.key)), *_named_values(snapshot, kind, place)]
    return Completion(tuple(dict.fromkeys(items)), at) if items else None


def key_hover(snapshot: Snapshot, path: str, offset: int) -> Hover | None:
    """Return the description of the key at an offset of a YAML file."""
    kind = snapshot.kind(path)
    if kind is None or kind not in _SCHEMAS:
        return None
    text = snapshot.texts[path]
    word = next((m for m in _WORD.finditer(text, max(0, text.rfind("\n", 0, offset) + 1))
                 if m.start() <= offset <= m.end()), None)  # fmt: skip
    if word is None:
        return None
    place = place_at(text, word.end())
    if place.key is not None:
        return None
    description = next((n["description"] for n in _nodes(kind, (*place.path, word[0])) if "description" in n), None)
    return Hover(f"`{word[0]}`: {description}", word.span()) if description else None


@cache
def _schema(kind: FileKind) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(schema_text(_SCHEMAS[kind]))
    return schema


def _nodes(kind: FileKind, path: Iterable[Step]) -> list[dict[str, Any]]:
    """Return the parts of a schema that apply to a path."""
    root = _schema(kind)
    nodes = list(_expand(root, root))
    for step in path:
        nodes = [part for node in nodes for inner in _inner(node, step) for part in _expand(root, inner)]
    return nodes


def _inner(node: Mapping[str, Any], step: Step) -> Iterator[dict[str, Any]]:
    if isinstance(step, int):
        items = node.get("items")
        if isinstance(items, dict):
            yield items
    elif step in node.get("properties", {}):
        yield node["properties"][step]
    elif isinstance(node.get("additionalProperties"), dict):
        yield node["additionalProperties"]


def _expand(root: Mapping[str, Any], node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a part of a schema and its alternatives, with references resolved."""
    pending, count = [node], 0
    while pending and count < 1_000:
        each = pending.pop(0)
        count += 1
        yield each
        if "$ref" in each:
            pending.append(root["definitions"][each["$ref"].rsplit("/", 1)[-1]])
        if "else" in each:
            pending.append(each["else"])
        for word in ("anyOf", "oneOf", "allOf"):
            pending += each.get(word, ())


def _keys(kind: FileKind, path: tuple[Step, ...]) -> Iterator[Item]:
    for node in _nodes(kind, path):
        for name, inner in node.get("properties", {}).items():
            description = next((n["description"] for n in _expand(_schema(kind), inner) if "description" in n), "")
            yield Item(name, "key", text=description, insert=f"{name}: ")


def _values(kind: FileKind, path: tuple[Step, ...]) -> Iterator[Item]:
    for node in _nodes(kind, path):
        for value in node.get("enum", [node["const"]] if "const" in node else ()):
            if value is not None:
                yield Item(str(value), "value", text=node.get("description", ""))
        if node.get("type") == "boolean":
            yield from (Item(word, "value") for word in ("true", "false"))


def _named_keys(snapshot: Snapshot, kind: FileKind, path: tuple[Step, ...]) -> Iterator[Item]:
    """Yield topics, if records are mapped by topic here."""
    if kind == "cases" and path and (path[-1] in ("inputs", "expect") or path[-2:-1] == ("fixtures",)):
        for name in sorted(snapshot.topics):
            yield Item(name, "topic", "topic", insert=f"{name}: ", rank=3)


def _named_values(snapshot: Snapshot, kind: FileKind, place: YamlPlace) -> Iterator[Item]:
    """Yield models and topics, if one is expected here."""
    models = snapshot.compilation.project.models if snapshot.compilation else ()
    if (kind == "cases" and place.key == "model") or (
        kind == "declarations" and place.key == "name" and place.path[:1] == ("models",)
    ):
        yield from (Item(model.name, "model", "model", model.description or "") for model in models)
    elif kind == "cases" and place.key == "topic":
        yield from (Item(name, "topic", "topic") for name in sorted(snapshot.topics))
