"""YAML as plain data, with the position of every part.

It is read from the parser's events, without its composer: the composer recurses, so a hostile file could end the
process. There is one document. Keys are text and unique. Anchors, aliases and tags are errors, so that nothing grows
while it is read. Scalars have their meaning in YAML 1.2 (`yes` and `2013-01-01` are text). Data are dict, list, str,
int, float, bool and None.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml  # type: ignore[import-untyped, unused-ignore]

from lsqlc.diagnostics import Diagnostic, Span

KeyPath = tuple[str | int, ...]
"""The path from the root to a part of a document: keys and indexes."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_DEPTH = 64
_TOO_DEEP = (f"nested deeper than {_MAX_DEPTH}", "such depths", "flatten it")
# The maximal number of scalars and containers of a document: each takes six hundred bytes, with its position.
_MOST_PARTS = 500_000
_TOO_MANY = (
    f"more than {_MOST_PARTS:,} keys and values", "so many", "split the file, or move records into CSV or JSON lines",
)  # fmt: skip
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE"))
_FALSE = frozenset(("false", "False", "FALSE"))
# Longer numbers remain text: Python refuses to convert them, and nothing here needs them.
_INT = re.compile(r"[-+]?[0-9]{1,1000}|0x[0-9a-fA-F]{1,1000}|0o[0-7]{1,1000}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = {".inf": "inf", "+.inf": "inf", "-.inf": "-inf", ".nan": "nan"}


@dataclass(slots=True)
class _Node:
    """A part of the document. The marks are those of the parser, and count from 0."""

    start: Any
    end: Any
    style: str | None = None
    text: str = ""
    keys: dict[str | int, _Node] = field(default_factory=dict)
    parts: dict[str | int, _Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A document. `data` is None if the document is empty or has diagnostics."""

    path: str
    text: str
    data: Any
    diagnostics: tuple[Diagnostic, ...] = ()
    _root: _Node | None = None

    def span(self, key_path: KeyPath) -> Span:
        """Return the span of a value; that of the nearest enclosing part if the value is missing."""
        return self._span(self._node(key_path))

    def key_span(self, key_path: KeyPath) -> Span:
        """Return the span of the key of a value; of the value itself if it is an item of a list."""
        parent = self._node(key_path[:-1])
        key = parent.keys.get(key_path[-1]) if parent and key_path else None
        return self._span(key) if key else self.span(key_path)

    def locate(self, key_path: KeyPath, offset: int, length: int = 1) -> Span:
        """Return the span of `length` characters of a text value, `offset` code points from its start.

        It is exact for plain, literal, folded and quoted scalars. For scalars with escapes or doubled quotes, it is the
        whole scalar.
        """
        node = self._node(key_path)
        if node is None or node.keys or node.parts:
            return self.span(key_path)
        raw = self.text[node.start.index : node.end.index]
        if (node.style == '"' and "\\" in raw) or (node.style == "'" and "''" in raw[1:-1]):
            return self._span(node)
        at = _align(node.text, raw, offset, body=raw.find("\n") if node.style in ("|", ">") else 0)
        before = self.text[: node.start.index + at]
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        return Span(self.path, line, column, line, column + max(1, length))

    def raw(self, key_path: KeyPath) -> str | None:
        """Return the source text of a scalar, without quotes and escapes: `1.10` remains `1.10`."""
        node = self._node(key_path)
        return None if node is None or node.parts else node.text

    def _node(self, key_path: KeyPath) -> _Node | None:
        node = self._root
        for step in key_path:
            inner = node.parts.get(step) if node else None
            if inner is None:
                return node
            node = inner
        return node

    def _span(self, node: _Node | None) -> Span:
        if node is None:
            return Span(self.path, 1, 1, 1, 1)
        start, end = node.start, node.end
        return Span(self.path, start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def path_text(key_path: KeyPath) -> str:
    """Return the key path in the notation of JSON paths: `$.topics[3].key`."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in key_path)


def read_yaml(text: str, path: str) -> YamlDocument:
    """Parse one YAML document. Never raises for invalid input."""
    reader = _Reader(path)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reader.take(event)
    except _Refused as refusal:
        return YamlDocument(path, text, None, (*reader.diagnostics, refusal.diagnostic), reader.root)
    except yaml.MarkedYAMLError as error:
        return YamlDocument(path, text, None, (*reader.diagnostics, _syntax(error, text, path)), reader.root)
    except (yaml.YAMLError, UnicodeError) as error:
        return YamlDocument(path, text, None, (*reader.diagnostics, _bad_character(error, text, path)), reader.root)
    data = None if reader.diagnostics else reader.data
    return YamlDocument(path, text, data, tuple(reader.diagnostics), reader.root)


class _Refused(Exception):
    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(slots=True)
class _Open:
    """A container that is being read. `key`: the key of the next value."""

    node: _Node
    data: Any
    key: str | None = None
    key_node: _Node | None = None


class _Reader:
    """Builds nodes and data from events, without recursion."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.root: _Node | None = None
        self.data: Any = None
        self.diagnostics: list[Diagnostic] = []
        self._stack: list[_Open] = []
        self._documents = 0
        self._parts = 0

    def take(self, event: Any) -> None:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._refuse_marks(event)
            node = _Node(event.start_mark, event.end_mark, event.style, event.value)
            plain = event.style is None or event.style == ""
            self._add(node, _scalar(event.value) if plain else event.value, key=event.value)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            self._refuse_marks(event)
            self._open(_Node(event.start_mark, event.end_mark), {} if kind is yaml.MappingStartEvent else [])
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._stack.pop().node.end = event.end_mark
        elif kind is yaml.AliasEvent:
            raise self._refuse(event, f"the alias '*{event.anchor}' is not supported", "aliases", "write the value out")
        elif kind is yaml.DocumentStartEvent:
            self._documents += 1
            if self._documents > 1:
                raise self._refuse(event, "a second document starts here", "several documents", "remove the '---'")

    def _open(self, node: _Node, data: Any) -> None:
        if len(self._stack) >= _MAX_DEPTH:
            raise self._refuse(node, *_TOO_DEEP)
        self._add(node, data, key=None)
        self._stack.append(_Open(node, data))

    def _add(self, node: _Node, data: Any, *, key: str | None) -> None:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise self._refuse(node, *_TOO_MANY)
        if not self._stack:
            self.root, self.data = node, data
            return
        top = self._stack[-1]
        if isinstance(top.data, list):
            top.node.parts[len(top.data)] = node
            top.data.append(data)
        elif top.key_node is None:
            if key is None:
                raise self._refuse(node, "a key must be text", "keys that are lists or mappings", "use a plain word")
            top.key, top.key_node = key, node
        else:
            name = top.key or ""
            if name in top.data:
                self._duplicate(name, top.key_node, top.node.keys[name])
            top.data[name] = data
            top.node.keys[name], top.node.parts[name] = top.key_node, node
            top.key, top.key_node = None, None

    def _duplicate(self, name: str, again: _Node, first: _Node) -> None:
        self.diagnostics.append(
            Diagnostic(
                "LSQ004",
                f"the key '{name}' occurs twice",
                _node_span(self.path, again),
                notes=(f"the first one is in line {first.start.line + 1}",),
                help="remove one of the two",
            )
        )

    def _refuse_marks(self, event: Any) -> None:
        if event.anchor is not None:
            message = f"the anchor '&{event.anchor}' is not supported"
            raise self._refuse(event, message, "anchors", "write the value out where it is used")
        if event.tag is not None and event.tag != "!":
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            raise self._refuse(event, f"the tag '{tag}' is not supported", "tags", "remove it; quotes make a text")

    def _refuse(self, part: Any, message: str, what: str, help: str) -> _Refused:
        start, end = (part.start, part.end) if isinstance(part, _Node) else (part.start_mark, part.end_mark)
        span = Span(self.path, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        return _Refused(_unsupported(span, message, what, help))


def _unsupported(span: Span, message: str, what: str, help: str) -> Diagnostic:
    return Diagnostic("LSQ005", message, span, notes=(f"lsqlc reads plain YAML, without {what}",), help=help)


def _scalar(text: str) -> str | int | float | bool | None:
    """Return the value of a plain scalar in the core schema of YAML 1.2."""
    if text in _NULL:
        return None
    first = text[0]
    if first.isdigit() or first in "+-.":
        if _INT.fullmatch(text):
            return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        special = _SPECIAL.get(text.lower())
        return float(special) if special else text
    if text in _TRUE:
        return True
    return False if text in _FALSE else text


def _align(value: str, raw: str, offset: int, *, body: int) -> int:
    """Return the offset in the raw text of the character at `offset` of the value.

    The two differ in white space only.
    """
    at = max(body, 0)
    prefix = value[:offset] + (value[offset : offset + 1].strip() or "")
    position = at
    for character in prefix:
        if not character.isspace():
            position = raw.find(character, at)
            at = position + 1
    # Past the last word (`expected a type`): directly after it.
    return at if len(prefix.rstrip()) <= offset else position


def _node_span(path: str, node: _Node) -> Span:
    return Span(path, node.start.line + 1, node.start.column + 1, node.end.line + 1, node.end.column + 1)


def _syntax(error: yaml.MarkedYAMLError, text: str, path: str) -> Diagnostic:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    problem = error.problem or "this cannot be parsed"
    if "nesting depth" in problem:
        # This is a limit of libyaml. Its scanner looks ahead, so it can reach the limit before it returns an event.
        return _unsupported(Span(path, line, column, line, column + 1), *_TOO_DEEP)
    row = _row(text, line)
    help = None
    notes: Sequence[str] = (
        (f"{error.context}, which starts in line {error.context_mark.line + 1}",)
        if (error.context and error.context_mark)
        else ()
    )
    if "\t" in row[: len(row) - len(row.lstrip())] or "tab" in problem or "'\\t'" in problem:
        problem, help = "YAML must not be indented with tabs", "indent with spaces"
        column = row.find("\t") + 1 or column
    elif "mapping values are not allowed" in problem:
        help = "put a text that contains ': ' into quotes"
    return Diagnostic("LSQ003", problem, Span(path, line, column, line, column + 1), tuple(notes), help)


def _bad_character(error: Exception, text: str, path: str) -> Diagnostic:
    # The position that the parser reports depends on its build, so the character is searched here.
    match = re.search("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    at = match.start() if match else 0
    before = text[:at]
    line, column = before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1
    character = f"the character U+{ord(match.group()):04X} is not allowed in YAML" if match else str(error)
    return Diagnostic("LSQ003", character, Span(path, line, column, line, column + 1), help="remove it, or escape it")


def _row(text: str, line: int) -> str:
    rows = text.split("\n")
    return rows[line - 1] if line <= len(rows) else ""
