"""Tokens of a program: sqlglot's tokenizer, with the lexical rules of a dialect.

No word is a keyword here: which words are reserved is the grammar's affair. Names with hyphens and dots are several
tokens; the grammar joins those that touch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal

import msgspec
from sqlglot import Tokenizer, TokenType
from sqlglot.errors import TokenError

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import SourceText

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token as RawToken

Kind = Literal["name", "quoted", "string", "number", "mark", "end"]


class Token(msgspec.Struct, frozen=True, gc=False):
    """`text` is the meaning (quotes removed), `upper` its upper case for a bare word and empty otherwise.

    `start` and `end` are offsets in code points, the end exclusive. There are more of them than of all else that a
    compilation makes, and a dataclass takes eight times as long to make.
    """

    kind: Kind
    text: str
    upper: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lexis:
    """How a dialect's text is cut. `hyphens`: they can belong to names."""

    lexer: type[Tokenizer]
    hyphens: bool


_KINDS: dict[TokenType, Kind] = {
    TokenType.VAR: "name",
    TokenType.IDENTIFIER: "quoted",
    TokenType.STRING: "string",
    TokenType.NUMBER: "number",
}
_EXPONENT = r"[eE][+-]?[0-9]+"
_NUMBER = re.compile(rf"[0-9]+\.[0-9]+({_EXPONENT})?|[0-9]+\.?{_EXPONENT}|[0-9]+\.(?![^\W\d]|`)|[0-9]+")
# In `orders-2024.e1` the dot parts two names: that of a topic, and that of its field.
_IN_NAME = re.compile(rf"[0-9]+\.[0-9]+({_EXPONENT})?|[0-9]+{_EXPONENT}|[0-9]+\.(?![^\W\d]|`)|[0-9]+")
_WITHOUT_WHOLE = re.compile(rf"\.[0-9]+({_EXPONENT})?")
_WORD = re.compile(r"\w+")
_HALF = re.compile(r"[\ud800-\udfff]")
_OPENING = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|(?P<open>['\"`]|/\*)", re.DOTALL)


def is_number(text: str) -> bool:
    """Whether a text is one number and no more."""
    return _NUMBER.fullmatch(text) is not None


def tokenize(source: SourceText, dialect: str = "lenses") -> tuple[tuple[Token, ...], tuple[Diagnostic, ...]]:
    """The tokens, closed by one of kind `end`; no tokens but that one if the text cannot be cut.

    LEXIS in the module `lexis` of the dialect's folder says how.
    """
    return _tokenized(source, dialect)


# Whoever says what a corrected statement is, or what its comments are, reads the tokens again.
@lru_cache(maxsize=4)
def _tokenized(source: SourceText, dialect: str) -> tuple[tuple[Token, ...], tuple[Diagnostic, ...]]:
    lexis: Lexis = import_module(f"lsqlc.syntax.{dialect}.lexis").LEXIS
    end = len(source.text)
    last = Token("end", "", "", end, end)
    try:
        raw = lexis.lexer().tokenize(source.text)
    except TokenError:
        return (last,), (_unclosed(source),)
    tokens = _Tokens(source.text, raw, hyphens=lexis.hyphens).read()
    faults = (*_unreadable(source), *_nameless(source, tokens))
    if faults:
        return (last,), faults
    tokens.append(last)
    return tuple(tokens), ()


class _Tokens:
    """Cuts numbers anew, as the grammar of both dialects has them; all else comes as sqlglot cut it.

    sqlglot takes any digits, points and letters e that follow each other for one number: `2024.e` of
    `orders-2024.email`.
    """

    def __init__(self, text: str, raw: Sequence[RawToken], *, hyphens: bool) -> None:
        """`hyphens`: they can belong to names."""
        self._text = text
        self._raw = raw
        self._joints = "-." if hyphens else "."
        self._at = 0
        self._tokens: list[Token] = []
        # Where the last token ends that can be part of a name with hyphens.
        self._name_end = -1

    def read(self) -> list[Token]:
        while self._at < len(self._raw):
            token = self._raw[self._at]
            kind, start = token.token_type, token.start
            if kind == TokenType.NUMBER or (kind == TokenType.DOT and self._begins_number(start)):
                self._numbers(start)
            else:
                self._at += 1
                self._add(_KINDS.get(kind, "mark"), token.text, start, token.end + 1)
        return self._tokens

    def _add(self, kind: Kind, text: str, start: int, end: int) -> None:
        if kind in ("name", "quoted"):
            self._name_end = end
        self._tokens.append(Token(kind, text, text.upper() if kind == "name" else "", start, end))

    def _begins_number(self, dot: int) -> bool:
        """Whether a number such as `.5` begins at a dot, and not what stands behind the dot of a name."""
        if not _WITHOUT_WHOLE.match(self._text, dot):
            return False
        before = self._tokens[-1] if self._tokens else None
        touches = before is not None and before.end == dot
        return not (before and touches and (before.kind != "mark" or before.text in ")]."))

    def _numbers(self, place: int) -> None:
        """The tokens that stand from `place` to the end of the raw ones that they are cut from."""
        stop = place + 1
        while place < stop:
            kind, end = self._piece(place)
            while self._at < len(self._raw) and (
                self._raw[self._at].start < end
                or (kind == "name" and self._raw[self._at].start == end and self._is_word(self._raw[self._at]))
            ):
                # A word goes on in the next raw token: `e` and `mail`.
                end = max(end, self._raw[self._at].end + 1) if kind == "name" else end
                stop = max(stop, self._raw[self._at].end + 1)
                self._at += 1
            text = self._text[place:end]
            if kind == "number" and self._in_name(place):
                self._name_end = end
            self._add(kind, f"0{text}" if kind == "number" and text[0] == "." else text, place, end)
            place = end

    def _piece(self, place: int) -> tuple[Kind, int]:
        """The kind of what stands at a place among digits, and its end."""
        text = self._text
        if text[place] == ".":
            number = _WITHOUT_WHOLE.match(text, place) if self._begins_number(place) else None
        else:
            number = (_IN_NAME if self._in_name(place) else _NUMBER).match(text, place)
        if number:
            return "number", number.end()
        word = _WORD.match(text, place)
        return ("name", word.end()) if word else ("mark", place + 1)

    def _in_name(self, place: int) -> bool:
        """Whether a hyphen or a dot ties what stands at a place to a name before it."""
        return place > 0 and self._text[place - 1] in self._joints and self._name_end == place - 1

    @staticmethod
    def _is_word(token: RawToken) -> bool:
        return token.token_type == TokenType.VAR


def _unreadable(source: SourceText) -> tuple[Diagnostic, ...]:
    """Halves of characters, which have the form of a token, and no meaning."""
    if source.text.isascii():
        return ()
    return tuple(
        Diagnostic(
            "LSQ102",
            f"half a character, {half[0]!r}",
            source.span(half.span()),
            notes=("U+D800 to U+DFFF are not characters by themselves, and cannot be encoded in UTF-8",),
        )
        for half in _HALF.finditer(source.text)
    )


def _nameless(source: SourceText, tokens: Sequence[Token]) -> tuple[Diagnostic, ...]:
    """Quotes around no name."""
    return tuple(
        Diagnostic(
            "LSQ118",
            "a name must have at least one character",
            source.span((token.start, token.end)),
            help="an empty string is written ''"
            if source.text[token.start] == '"'
            else "write a name between the backticks",
        )
        for token in tokens
        if not token.text and token.kind == "quoted"
    )


def _unclosed(source: SourceText) -> Diagnostic:
    """Where the quote or comment that never ends begins, or the quote inside a string that is to blame for it."""
    text = source.text
    opening = None
    for match in _OPENING.finditer(text):
        if match["open"]:
            opening = match
            break
        if match[0][0] == "'" and text[match.end() : match.end() + 1].islower():
            word = match[0][1:-1].rpartition(" ")[2].removesuffix("\\")
            return Diagnostic(
                "LSQ101",
                "this quote ends the string, and another one is not closed",
                source.span((match.end() - 1, match.end())),
                help=f"a quote inside a string must be doubled: {word}''{text[match.end()]}...",
            )
    start = opening.start() if opening else 0
    what = "comment" if opening and opening["open"] == "/*" else "quote"
    return Diagnostic(
        "LSQ101",
        f"this {what} is never closed",
        source.span((start, start + (len(opening["open"]) if opening else 1))),
        help="close it; a quote inside a string must be doubled: 'It''s'" if what == "quote" else "close it with */",
    )
