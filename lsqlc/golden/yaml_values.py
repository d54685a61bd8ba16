"""Values of records in YAML. Conversion follows the codec's rules for JSON, and each problem has a position.

Numbers keep their digits: a DECIMAL is exact, and `1.10` for a STRING is the text `1.10`. These forms are allowed
besides JSON's: `2013-01-01 05:00` for a TIMESTAMP (in UTC), `'12.50'` for a DECIMAL, `05:30` for a TIME.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lsqlc.diagnostics import Span
from lsqlc.types import data
from lsqlc.types.codec_exact import Problem, read_node
from lsqlc.types.codec_json import Kind, Node, from_value
from lsqlc.types.codec_text import is_number, parse_clock, parse_written_timestamp, quoted, timestamp_text
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct
from lsqlc.yaml.nodes import KeyPath, YamlDocument

YamlPart = tuple[KeyPath, Any]
"""A part of the document: its path and its data."""


class YamlValues:
    """Reads the values of one document. A node's `start` is the index of its position, which problems refer to."""

    def __init__(self, document: YamlDocument) -> None:
        self._document = document
        self._places: list[tuple[KeyPath, bool]] = []

    def read(self, type: DataType, parts: Sequence[YamlPart], path: str) -> tuple[Any, list[tuple[Problem, Span]]]:
        """Return the canonical value and its problems. An undeclared field is a problem.

        `parts`: the value and its defaults, in order of precedence; structs are merged. `path`: the name in problems,
        such as `value`.
        """
        self._places.clear()
        problems: list[Problem] = []
        node = self._merged(type, parts)
        result = read_node(type, node, path, True, problems) if node is not None else None
        return result, [(problem, self._span(problem)) for problem in problems]

    def merged(self, type: DataType, parts: Sequence[YamlPart]) -> Node | None:
        """Return the node of a value merged with its defaults, without positions; None without parts."""
        self._places.clear()
        node = self._merged(type, parts)
        return None if node is None else without_positions(node)

    def _merged(self, type: DataType, parts: Sequence[YamlPart]) -> Node | None:
        node: Node | None = None
        for key_path, value in parts:
            other = self._node(type, key_path, value)
            node = other if node is None else with_defaults(type, node, other)
        return node

    def _node(self, type: DataType | None, key_path: KeyPath, value: Any) -> Node:
        number = self._number(key_path, name=False)
        if isinstance(value, dict):
            inner = {k: (*key_path, k) for k in value}
            pairs = [(self._name(inner[k], k), self._node(_inner(type, k), inner[k], v)) for k, v in value.items()]
            return _object(pairs, number)
        if isinstance(value, list):
            element = type.element if isinstance(type, Array) else None
            items = [self._node(element, (*key_path, i), v) for i, v in enumerate(value)]
            return Node(Kind.ARRAY, f"[{','.join(i.text for i in items)}]", items, number, number)
        node = from_value(value)
        text = node.text
        if isinstance(value, str) and (form := _own_form(type, value)) is not None:
            return Node(form.kind, form.text, form.value, number, number)
        if node.kind is Kind.NUMBER:
            raw = self._document.raw(key_path) or text
            # YAML allows integers such as `+1` or `0x1F`, which no codec reads.
            text = raw if isinstance(value, float) or raw.removeprefix("-").isdecimal() else text
        return Node(node.kind, text, node.value, number, number)

    def _name(self, key_path: KeyPath, name: str) -> Node:
        number = self._number(key_path, name=True)
        return Node(Kind.STRING, quoted(name), name, number, number)

    def _number(self, key_path: KeyPath, *, name: bool) -> int:
        self._places.append((key_path, name))
        return len(self._places) - 1

    def _span(self, problem: Problem) -> Span:
        key_path, is_name = self._places[problem.start or 0]
        return self._document.key_span(key_path) if is_name else self._document.span(key_path)


def with_defaults(type: DataType, node: Node, default: Node) -> Node:
    """Return the node with its structs completed by fields of the default."""
    if not isinstance(type, Struct) or node.kind is not Kind.OBJECT or default.kind is not Kind.OBJECT:
        return node
    more = {name.value: (name, value) for name, value in default.value}
    pairs = []
    for name, value in node.value:
        other, inner = more.pop(name.value, None), type.field(name.value)
        pairs.append((name, with_defaults(inner.type, value, other[1]) if other and inner else value))
    return _object([*pairs, *more.values()], node.start, node.end)


def without_positions(node: Node) -> Node:
    """Return the node without positions."""
    match node.kind:
        case Kind.OBJECT:
            value: Any = [(without_positions(name), without_positions(inner)) for name, inner in node.value]
        case Kind.ARRAY:
            value = [without_positions(item) for item in node.value]
        case _:
            value = node.value
    return replace(node, value=value, start=-1, end=-1)


def _object(pairs: list[tuple[Node, Node]], start: int, end: int | None = None) -> Node:
    text = ",".join(f"{name.text}:{inner.text}" for name, inner in pairs)
    return Node(Kind.OBJECT, f"{{{text}}}", pairs, start, start if end is None else end)


def _inner(type: DataType | None, name: str) -> DataType | None:
    if isinstance(type, Struct):
        field = type.field(name)
        return field.type if field else None
    return type.value if isinstance(type, Map) else None


def _own_form(type: DataType | None, text: str) -> Node | None:
    """Parse one of the additional forms of a type; None if the text has no such form."""
    if type == data.TIMESTAMP:
        time = parse_written_timestamp(text)
        return from_value(timestamp_text(time)) if time is not None else None
    if type == data.TIME:
        clock = parse_clock(text)
        return from_value(clock) if clock is not None else None
    if isinstance(type, Decimal) and is_number(text):
        return Node(Kind.NUMBER, text)
    return None
