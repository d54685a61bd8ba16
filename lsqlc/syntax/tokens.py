"""Tokens of a program: sqlglot's tokenizer, told the lexical rules of the language.

Strings stand in single or double quotes, names in backticks, and no word is a keyword here: which words are reserved is
the grammar's affair. Names with hyphens and dots are several tokens; the grammar joins those that touch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import ClassVar, Literal

from sqlglot import Tokenizer, TokenType
from sqlglot.errors import TokenError

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import SourceText

Kind = Literal["name", "quoted", "string", "number", "mark", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is the meaning (quotes removed), `upper` its upper case for a bare word and empty otherwise.

    `start` and `end` are offsets in code points, the end exclusive.
    """

    kind: Kind
    text: str
    upper: str
    start: int
    end: int


class _Lexer(Tokenizer):
    QUOTES: ClassVar = ["'", '"']
    IDENTIFIERS: ClassVar = ["`"]
    STRING_ESCAPES: ClassVar = ["'", '"']
    KEYWORDS: ClassVar = {
        "<>": TokenType.NEQ,
        "!=": TokenType.NEQ,
        "<=": TokenType.LTE,
        ">=": TokenType.GTE,
        "||": TokenType.DPIPE,
    }


class _KsqlLexer(Tokenizer):
    QUOTES: ClassVar = ["'"]
    IDENTIFIERS: ClassVar = ["`", '"']
    STRING_ESCAPES: ClassVar = ["'"]
    KEYWORDS: ClassVar = {**_Lexer.KEYWORDS, "->": TokenType.ARROW, "=>": TokenType.FARROW, ":=": TokenType.COLON_EQ}


# What cuts the text, by dialect: in ksqlDB double quotes are around names.
_LEXERS = {"lenses": _Lexer, "ksql": _KsqlLexer}

_KINDS: dict[TokenType, Kind] = {
    TokenType.VAR: "name",
    TokenType.IDENTIFIER: "quoted",
    TokenType.STRING: "string",
    TokenType.NUMBER: "number",
}
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?")
# A number of so few characters is finite: the shortest that is not is 1e309.
_ALWAYS_FINITE = 4
_HALF = re.compile(r"[\ud800-\udfff]")
_NAME = re.compile(r"[^\W\d]|`")
_OPENING = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|(?P<open>['\"`]|/\*)", re.DOTALL)


# Whoever says what a corrected statement is, or what its comments are, reads the tokens again.
@lru_cache(maxsize=4)
def tokenize(source: SourceText, dialect: str = "lenses") -> tuple[tuple[Token, ...], tuple[Diagnostic, ...]]:
    """The tokens, closed by one of kind `end`; no tokens but that one if the text cannot be cut."""
    end = len(source.text)
    last = Token("end", "", "", end, end)
    try:
        raw = _LEXERS[dialect]().tokenize(source.text)
    except TokenError:
        return (last,), (_unclosed(source),)
    tokens = []
    for token in raw:
        kind = _KINDS.get(token.token_type, "mark")
        text = token.text
        start, stop = token.start, token.end + 1
        if kind == "number" and text.endswith(".") and _NAME.match(source.text, stop):
            # No number: the end of a name and a dot, as in `topic-1.field`.
            tokens.append(Token(kind, text[:-1], "", start, stop - 1))
            kind, text, start = "mark", ".", stop - 1
        tokens.append(Token(kind, text, text.upper() if kind == "name" else "", start, stop))
    faults = _unreadable(source, tokens)
    if faults:
        return (last,), faults
    tokens.append(last)
    return tuple(tokens), ()


def _unreadable(source: SourceText, tokens: Sequence[Token]) -> tuple[Diagnostic, ...]:
    """What has the form of a token, and no meaning: numbers beyond every type, and halves of characters."""
    faults = [
        Diagnostic(
            "LSQ211",
            "this number is larger than any type can hold",
            source.span((token.start, token.end)),
            help="the largest DOUBLE is about 1.8e308",
        )
        for token in tokens
        if token.kind == "number" and len(token.text) > _ALWAYS_FINITE and not isfinite(_size(token.text))
    ]
    if not source.text.isascii():
        faults += [
            Diagnostic(
                "LSQ102",
                f"half a character, {half[0]!r}",
                source.span(half.span()),
                notes=("U+D800 to U+DFFF stand for nothing by themselves, and UTF-8 has no form for them",),
            )
            for half in _HALF.finditer(source.text)
        ]
    return tuple(faults)


def _size(number: str) -> float:
    return float(number) if _NUMBER.fullmatch(number) else 0.0


def _unclosed(source: SourceText) -> Diagnostic:
    """Where the quote or comment that never ends begins, or the quote inside a string that is to blame for it."""
    text = source.text
    opening = None
    for match in _OPENING.finditer(text):
        if match["open"]:
            opening = match
            break
        if match[0][0] == "'" and text[match.end() : match.end() + 1].islower():
            word = match[0][1:-1].rpartition(" ")[2]
            return Diagnostic(
                "LSQ101",
                "this quote ends the string, and leaves another open",
                source.span((match.end() - 1, match.end())),
                help=f"a quote inside a string is written twice: {word}''{text[match.end()]}...",
            )
    start = opening.start() if opening else 0
    what = "comment" if opening and opening["open"] == "/*" else "quote"
    return Diagnostic(
        "LSQ101",
        f"this {what} is never closed",
        source.span((start, start + (len(opening["open"]) if opening else 1))),
        help="close it; a quote inside a string is written twice: 'It''s'" if what == "quote" else "close it with */",
    )
