"""Values of records from YAML, by the codec's rules for JSON, with the place of everything that does not fit.

A number keeps the digits that were written: a DECIMAL loses none of them, and `1.10` for a STRING is the text `1.10`.
"""

from __future__ import annotations

from typing import Any

from lsqlc.diagnostics import Span
from lsqlc.project.yaml_nodes import Place, YamlDocument
from lsqlc.types.codec_exact import Problem, read_node
from lsqlc.types.codec_json import Kind, Node, from_value
from lsqlc.types.codec_text import quoted
from lsqlc.types.data import DataType


class YamlValues:
    """Reads values of one document. A node's `start` is the number of its place, which a problem hands back."""

    def __init__(self, document: YamlDocument) -> None:
        self._document = document
        self._places: list[tuple[Place, bool]] = []

    def read(self, type: DataType, place: Place, value: Any, path: str) -> tuple[Any, list[tuple[Problem, Span]]]:
        """The value at a place, in its one form, and what is wrong with it; an undeclared field is a problem. `path` is
        what the problems call it, such as `value`.
        """
        self._places.clear()
        problems: list[Problem] = []
        found = read_node(type, self._node(place, value), path, True, problems)
        return found, [(problem, self._span(problem)) for problem in problems]

    def _node(self, place: Place, value: Any) -> Node:
        number = self._number(place, name=False)
        if isinstance(value, dict):
            pairs = [(self._name((*place, k), k), self._node((*place, k), v)) for k, v in value.items()]
            text = ",".join(f"{name.text}:{inner.text}" for name, inner in pairs)
            return Node(Kind.OBJECT, f"{{{text}}}", pairs, number, number)
        if isinstance(value, list):
            items = [self._node((*place, i), v) for i, v in enumerate(value)]
            return Node(Kind.ARRAY, f"[{','.join(i.text for i in items)}]", items, number, number)
        node = from_value(value)
        text = node.text
        if node.kind is Kind.NUMBER:
            raw = self._document.raw(place) or text
            # An integer may be written as `+1` or `0x1F`, which no codec reads.
            text = raw if isinstance(value, float) or raw.removeprefix("-").isdecimal() else text
        return Node(node.kind, text, node.value, number, number)

    def _name(self, place: Place, name: str) -> Node:
        number = self._number(place, name=True)
        return Node(Kind.STRING, quoted(name), name, number, number)

    def _number(self, place: Place, *, name: bool) -> int:
        self._places.append((place, name))
        return len(self._places) - 1

    def _span(self, problem: Problem) -> Span:
        place, is_name = self._places[problem.start or 0]
        return self._document.key_span(place) if is_name else self._document.span(place)
