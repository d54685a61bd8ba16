"""Tokens of a program: sqlglot's tokenizer, told the lexical rules of the language.

Strings stand in single or double quotes, names in backticks, and no word is a keyword here: which words are reserved is
the grammar's affair. Names with hyphens and dots are several tokens; the grammar joins those that touch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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


_KINDS: dict[TokenType, Kind] = {
    TokenType.VAR: "name",
    TokenType.IDENTIFIER: "quoted",
    TokenType.STRING: "string",
    TokenType.NUMBER: "number",
}
_OPENING = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|(?P<open>['\"`]|/\*)", re.DOTALL)


def tokenize(source: SourceText) -> tuple[tuple[Token, ...], tuple[Diagnostic, ...]]:
    """The tokens, closed by one of kind `end`; no tokens but that one if the text cannot be cut."""
    end = len(source.text)
    last = Token("end", "", "", end, end)
    try:
        raw = _Lexer().tokenize(source.text)
    except TokenError:
        return (last,), (_unclosed(source),)
    tokens = []
    for token in raw:
        kind = _KINDS.get(token.token_type, "mark")
        text = token.text
        tokens.append(Token(kind, text, text.upper() if kind == "name" else "", token.start, token.end + 1))
    tokens.append(last)
    return tuple(tokens), ()


def _unclosed(source: SourceText) -> Diagnostic:
    """Where the quote or comment that never ends begins."""
    opening = next((m for m in _OPENING.finditer(source.text) if m["open"]), None)
    start = opening.start() if opening else 0
    what = "comment" if opening and opening["open"] == "/*" else "quote"
    return Diagnostic(
        "LSQ101",
        f"this {what} is never closed",
        source.span((start, start + (len(opening["open"]) if opening else 1))),
        help="close it; a quote inside a string is written twice: 'It''s'" if what == "quote" else "close it with */",
    )
