"""JSON text as a tree that knows where each of its parts stands, for messages that point at the very words.

This is the strict reading of docs/reference/json.md: one value and nothing after it, no NaN, no name twice in an
object, no lone surrogate. It is slow and exact; `codec_fast` reads what is plainly right and leaves the rest to this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

from lsqlc.types import codec_text

# The levels of arrays and objects that a key or a value may have. Spark's reader of JSON takes 999, of which a line
# around them is one.
MAX_DEPTH = 998
# Those of values and texts that are not records: what reads them calls itself for each level.
_OTHER_DEPTH = 200

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_GOOD_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_WORD = re.compile(r"[^\s,:\[\]{}\"]+")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Kind(Enum):
    """The six kinds of JSON value, and FOREIGN for a Python value that is none of them."""

    NULL = "null"
    BOOLEAN = "boolean"
    NUMBER = "number"
    STRING = "string"
    ARRAY = "array"
    OBJECT = "object"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value. `value` is the text of a string, a bool, the items of an array as Nodes and those of an object as
    pairs of Nodes. `start` and `end` count code points from 0; -1 for a value without text. `written`: the value as
    text, or, with `is_whole`, the text that the value is a part of.
    """

    kind: Kind
    written: str
    value: Any = None
    start: int = -1
    end: int = -1
    is_whole: bool = False

    @property
    def text(self) -> str:
        """What is written. Of an array or an object it is cut out here: each level of a deep one would hold a copy."""
        return self.written[self.start : self.end] if self.is_whole else self.written


class JsonError(ValueError):
    """Text that is not JSON. The message is one clause; `start` and `end` are code points from 0, the end exclusive."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.start = start
        self.end = end


def read(text: str, depth: int = _OTHER_DEPTH) -> Node:
    """The one value that `text` holds, of so many levels at most. Raises JsonError."""
    node = _value(text, _skip(text, 0), depth)
    rest = _skip(text, node.end)
    if rest < len(text):
        raise JsonError("there is text after the end of the value", rest, len(text.rstrip()))
    return node


def from_value(value: Any, depth: int = 0) -> Node:
    """The node of a value as `json.loads` or a YAML reader gives it. It has no place."""
    if depth > _OTHER_DEPTH:
        return Node(Kind.FOREIGN, f"nested deeper than {_OTHER_DEPTH}")
    if value is None:
        return Node(Kind.NULL, "null")
    if isinstance(value, bool):
        return Node(Kind.BOOLEAN, "true" if value else "false", value)
    if isinstance(value, int):
        # Not int.__str__, which refuses numbers of more than 4,300 digits.
        return Node(Kind.NUMBER, str(value) if value.bit_length() < 4096 else str(Decimal(value)))
    if isinstance(value, float):
        word = codec_text.float_word(value)
        return Node(Kind.STRING, f'"{word}"', word) if word else Node(Kind.NUMBER, repr(value))
    if isinstance(value, Decimal) and value.is_finite():
        return Node(Kind.NUMBER, str(value))
    if isinstance(value, str):
        return Node(Kind.STRING, codec_text.quoted(value), value)
    if isinstance(value, datetime):
        return _string(codec_text.timestamp_text(value) if value.tzinfo else value.isoformat())
    if isinstance(value, date):
        return _string(value.isoformat())
    if isinstance(value, bytes):
        return _string(codec_text.base64_text(value))
    if isinstance(value, list | tuple):
        items = [from_value(v, depth + 1) for v in value]
        return Node(Kind.ARRAY, f"[{','.join(i.text for i in items)}]", items)
    if isinstance(value, Mapping):
        pairs = [(_name_of(k), from_value(v, depth + 1)) for k, v in value.items()]
        return Node(Kind.OBJECT, f"{{{','.join(f'{k.text}:{v.text}' for k, v in pairs)}}}", pairs)
    return Node(Kind.FOREIGN, f"of the Python type '{type(value).__name__}'")


def _string(text: str) -> Node:
    return Node(Kind.STRING, codec_text.quoted(text), text)


def _name_of(key: Any) -> Node:
    """A key of a mapping as a name: YAML gives `1: x` as a number."""
    node = from_value(key)
    return node if node.kind is Kind.STRING else _string(node.text)


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    assert found is not None
    return found.end()


@dataclass(slots=True)
class _Open:
    """An array or an object whose end has not been read. `members`: as the `value` of its Node; `names`: those of an
    object so far; `name`: of the member that is read.
    """

    kind: Literal[Kind.ARRAY, Kind.OBJECT]
    start: int
    members: list[Any] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    name: Node | None = None

    @property
    def end(self) -> str:
        return "]" if self.kind is Kind.ARRAY else "}"

    def begin(self, text: str, place: int) -> int:
        """Read up to the value of a member; where that begins."""
        if self.kind is Kind.ARRAY:
            return place
        if text[place : place + 1] != '"':
            raise _unexpected(text, place, "a name in quotes")
        self.name = name = _text(text, place)
        if name.value in self.names:
            raise JsonError(f"the name {codec_text.shown(name.value)} occurs twice in one object", place, name.end)
        self.names.add(name.value)
        at = _skip(text, name.end)
        if text[at : at + 1] != ":":
            raise _unexpected(text, at, "':'")
        return _skip(text, at + 1)

    def add(self, value: Node) -> None:
        self.members.append(value if self.kind is Kind.ARRAY else (self.name, value))

    def ended(self, text: str, place: int) -> Node:
        return Node(self.kind, text, self.members, self.start, place + 1, is_whole=True)


def _value(text: str, place: int, depth: int) -> Node:
    """Without recursion, for which Python's stack would be too small."""
    outside: list[_Open] = []
    at = place
    while True:
        node: Node | None = None
        first = text[at : at + 1]
        if first == "[" or first == "{":
            if len(outside) >= depth:
                raise JsonError(f"a value nested deeper than {depth} levels", at, at + 1)
            opened = _Open(Kind.ARRAY if first == "[" else Kind.OBJECT, at)
            at = _skip(text, at + 1)
            if text[at : at + 1] == opened.end:
                node = opened.ended(text, at)
            else:
                outside.append(opened)
                at = opened.begin(text, at)
        else:
            node = _scalar(text, at)
        # Up to the next value, past all that ends before it.
        while node is not None:
            if not outside:
                return node
            inmost = outside[-1]
            inmost.add(node)
            at = _skip(text, node.end)
            mark = text[at : at + 1]
            if mark == inmost.end:
                node = outside.pop().ended(text, at)
                continue
            if mark != ",":
                raise _unexpected(text, at, f"',' or '{inmost.end}'")
            at = inmost.begin(text, _skip(text, at + 1))
            node = None


def _scalar(text: str, place: int) -> Node:
    if text[place : place + 1] == '"':
        return _text(text, place)
    number = codec_text.NUMBER.match(text, place)
    word = _WORD.match(text, place)
    if number and word and number.end() == word.end():
        return Node(Kind.NUMBER, number[0], None, place, number.end())
    if word and word[0] in ("null", "true", "false"):
        kind = Kind.NULL if word[0] == "null" else Kind.BOOLEAN
        return Node(kind, word[0], word[0] == "true" if kind is Kind.BOOLEAN else None, place, word.end())
    raise _unexpected(text, place, "a value")


def _unexpected(text: str, place: int, wanted: str) -> JsonError:
    """What stands there instead; at the end of the text the place is that just after it."""
    if place >= len(text):
        return JsonError(f"the text ends where {wanted} should follow", len(text), len(text) + 1)
    word = _WORD.match(text, place)
    found = word[0] if word else text[place]
    return JsonError(f"expected {wanted}, found {codec_text.shown(found)}", place, place + len(found))


def _text(text: str, place: int) -> Node:
    found = _STRING.match(text, place)
    if not found:
        raise _bad_string(text, place)
    value = found[1]
    if "\\" in value:
        value = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPES[m[2]], value)
        # Two escapes may be the halves of one character.
        value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if codec_text.has_lone_surrogate(value):
        raise JsonError("a string with half of a surrogate pair", place, found.end())
    return Node(Kind.STRING, found[0], value, place, found.end())


def _bad_string(text: str, place: int) -> JsonError:
    at = place + 1
    while at < len(text) and text[at] != '"':
        if text[at] < " ":
            return JsonError("a control character in a string must be escaped", at, at + 1)
        if text[at] == "\\":
            if at + 1 < len(text) and not _GOOD_ESCAPE.match(text, at):
                return JsonError(f"unknown escape {codec_text.shown(text[at : at + 2])} in a string", at, at + 2)
            at += 1
        at += 1
    return JsonError("the text ends inside a string", place, len(text))
