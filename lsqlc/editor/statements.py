"""The statement around an offset, tolerant of errors: its words, its clause, and its sources.

The parser stops at the first error, and a statement that is being typed has one. This module only splits a text into
words, and takes the names after FROM or JOIN as sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax.keywords import Keywords

WordKind = Literal["word", "quoted", "string", "number", "mark", "comment"]

_CLAUSES = frozenset(
    (
        *("SELECT", "FROM", "JOIN", "ON", "WHERE", "GROUP", "HAVING", "WINDOW", "LATERAL", "EVENTTIME", "PARTITION"),
        *("EMIT", "INTO", "SET", "STORE", "WITHIN", "CREATE", "WITH", "VALUES"),
    )
)
_JOIN_WORDS = frozenset(("INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"))
# Names with dots and hyphens. The last part may be in an open quote.
_TYPED = re.compile(r"(?:`[^`\n]*`|[\w.-])+(?:`[^`\n]*\Z)?|`[^`\n]*\Z")
# The longest partial name, in characters.
_REACH = 400


@dataclass(frozen=True, slots=True)
class Word:
    """A word. `text`: without quotes. `upper`: an unquoted word in upper case, else empty."""

    kind: WordKind
    text: str
    upper: str
    at: Extent


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source of a query: its name, and its label in the query."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement around an offset.

    `before`: its words before the offset, without the partial one. `clause`: the last keyword of a clause among them.
    `sources`, `elements` (LATERAL: alias and array) and `aliases`: those of the query. `inside`: the kind of a string
    or comment around the offset. `typed`: the partial name. `path`: its parts before the last dot. `partial`: the
    extent after that dot.
    """

    before: tuple[Word, ...]
    clause: str
    sources: tuple[NamedSource, ...]
    elements: tuple[tuple[str, tuple[str, ...]], ...]
    aliases: tuple[str, ...]
    inside: WordKind | None
    typed: Extent
    path: tuple[str, ...]
    partial: Extent

    @property
    def previous(self) -> Word | None:
        return self.before[-1] if self.before else None

    def is_after(self, *words: str) -> bool:
        """Return whether the last words are these."""
        return len(self.before) >= len(words) and tuple(w.upper for w in self.before[-len(words) :]) == words


def statement_at(text: str, offset: int, keywords: Keywords) -> Statement:
    """Return the statement around an offset of a text."""
    start = _typed(text, offset)
    first, last = _bounds(text, start, keywords)
    words = list(_words(text[first:last], keywords, first))
    inside = next((w.kind for w in words if w.kind in ("string", "comment") and _in(text, w, offset)), None)
    read = [w for w in words if w.kind != "comment"]
    before = tuple(w for w in read if w.at[1] <= start)
    query = _query(read, len(before))
    path, partial = _path(text, start, offset)
    own = next((c for first, c in keywords.clauses.items() if tuple(w.upper for w in read[: len(first)]) == first), {})
    if own and not query:
        query = read
    return Statement(
        before,
        _clause(before, own),
        tuple(_sources(query)),
        tuple(_elements(query)),
        tuple(_aliases(query)),
        inside,
        (start, offset),
        path,
        partial,
    )


def _clause(words: Sequence[Word], own: Mapping[str, str]) -> str:
    """Return the last clause that begins among some words. `own`: those that stand outside of parentheses."""
    clause, depth = "", 0
    for word in words:
        if word.kind == "mark":
            depth += (word.text == "(") - (word.text == ")")
        elif word.upper in own and depth == 0:
            clause = own[word.upper]
        elif word.upper in _CLAUSES:
            clause = word.upper
    return clause


def _typed(text: str, offset: int) -> int:
    """Return the start of the partial name at an offset."""
    row = text[max(text.rfind("\n", 0, offset) + 1, offset - _REACH) : offset]
    match = next((m for m in _TYPED.finditer(row) if m.end() == len(row)), None)
    return offset - len(match[0].lstrip("-")) if match else offset


@cache
def _pattern(string: str, quoted: str) -> re.Pattern[str]:
    """Return the pattern of words, with a group for each kind."""
    return re.compile(
        r"(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))"
        rf"|(?P<string>{string})|(?P<quoted>{quoted})"
        r"|(?P<word>[^\W\d]\w*(?:-\w+)*)|(?P<number>\d[\w.]*)|(?P<mark>->|<>|!=|<=|>=|\S)",
        re.DOTALL,
    )


def _words(text: str, keywords: Keywords, start: int = 0) -> Iterator[Word]:
    for match in _pattern(keywords.string, keywords.quoted).finditer(text):
        kind: WordKind = match.lastgroup  # type: ignore[assignment]
        raw = match[0]
        plain = raw.strip("`\"'") if kind in ("quoted", "string") else raw
        yield Word(kind, plain, raw.upper() if kind == "word" else "", (start + match.start(), start + match.end()))


def _in(text: str, word: Word, offset: int) -> bool:
    """Return whether an offset lies in a string or comment, or at the end of an unterminated one."""
    start, end = word.at
    raw = text[start:end]
    closed = raw.endswith("*/") if raw.startswith("/*") else len(raw) > 1 and raw[-1] == raw[0] and raw[0] != "-"
    return start < offset < end or (offset == end and not closed)


def _bounds(text: str, offset: int, keywords: Keywords) -> Extent:
    """Return the extent of a statement: from the `;` before an offset to the next one."""
    first = 0
    for word in _words(text, keywords):
        if word.kind == "mark" and word.text == ";":
            if word.at[0] >= offset:
                return first, word.at[0]
            first = word.at[1]
    return first, len(text)


def _query(words: list[Word], count: int) -> list[Word]:
    """Return the words of the SELECT that contains word number `count`."""
    start = next((i for i in range(min(count, len(words)) - 1, -1, -1) if words[i].upper == "SELECT"), None)
    if start is None:
        return []
    depth = 0
    for number in range(start, len(words)):
        depth += {"(": 1, ")": -1}.get(words[number].text, 0) if words[number].kind == "mark" else 0
        if depth < 0 or (number > start and words[number].upper == "SELECT"):
            return words[start:number]
    return words[start:]


def _sources(words: list[Word]) -> Iterator[NamedSource]:
    for number, word in enumerate(words):
        if word.upper not in ("FROM", "JOIN"):
            continue
        name, at = _dotted(words, number + 1)
        if name.upper() == "STREAM" and at + 1 < len(words) and words[at].text == "(":
            name, at = _dotted(words, at + 1)
            at += 1
        if not name:
            continue
        label = name
        if at < len(words) and words[at].upper == "AS":
            alias, _ = _dotted(words, at + 1)
            label = alias or name
        elif at < len(words) and words[at].kind in ("word", "quoted") and not _is_keyword(words[at]):
            label = words[at].text
        yield NamedSource(name, label)


def _is_keyword(word: Word) -> bool:
    return word.upper in _CLAUSES or word.upper in _JOIN_WORDS


def _dotted(words: list[Word], at: int) -> tuple[str, int]:
    """Return the dotted name that starts at a word, and the index of the word after it."""
    parts: list[str] = []
    while at < len(words):
        word = words[at]
        touches = not parts or words[at - 1].at[1] == word.at[0]
        if not touches or not (word.kind in ("word", "quoted", "number") or word.text == "."):
            break
        if not parts and (word.text == "." or _is_keyword(word)):
            break
        parts.append(word.text)
        at += 1
    return "".join(parts).strip("."), at


def _elements(words: list[Word]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for number, word in enumerate(words):
        if word.upper == "LATERAL":
            array, at = _dotted(words, number + 1)
            if at + 1 < len(words) and words[at].upper == "AS":
                yield words[at + 1].text, tuple(array.split("."))


def _aliases(words: list[Word]) -> Iterator[str]:
    """Yield the aliases of the projections."""
    for word, alias in pairwise(words):
        if word.upper == "FROM":
            return
        if word.upper == "AS" and alias.kind in ("word", "quoted"):
            yield alias.text


def _path(text: str, start: int, offset: int) -> tuple[tuple[str, ...], Extent]:
    """Return the parts before the last dot of the partial name, and the extent after that dot."""
    typed = text[start:offset]
    pieces = [m[0] for m in re.finditer(r"`[^`]*`?|[^.`]+|\.", typed)]
    last = pieces[-1] if pieces and pieces[-1] != "." else ""
    path = tuple(p.strip("`") for p in pieces[: len(pieces) - bool(last)] if p != ".")
    return path, (offset - len(last), offset)
