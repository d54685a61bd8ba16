"""String literals as Spark reads them.

A doubled quote stands for one quote, a raw string has no escapes, and adjacent strings are one. sqlglot's tokens have
the backslash escapes replaced already.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import TokenType
from sqlglot.tokenizer_core import Token


def joined_strings(text: str, tokens: Iterable[Token]) -> list[Token]:
    """Return the tokens of a text, with each sequence of string literals as one token."""
    joined: list[Token] = []
    before: Token | None = None
    for token in tokens:
        is_raw = token.token_type == TokenType.RAW_STRING
        if not is_raw and token.token_type != TokenType.STRING:
            joined.append(token)
            before = None
            continue
        if before is None:
            joined.append(_string(token, token.text, token))
        else:
            value = joined[-1].text + _doubled_quote(text, before, token) + token.text
            joined[-1] = _string(joined[-1], value, token)
        before = token
    return joined


def _doubled_quote(text: str, before: Token, token: Token) -> str:
    """Return the quote between two strings without a gap, which is a doubled quote in the text; empty for others."""
    quote = text[token.start]
    touches = before.end + 1 == token.start and text[before.end] == quote
    return quote if touches and before.token_type == TokenType.STRING else ""


def _string(first: Token, value: str, last: Token) -> Token:
    comments = [*first.comments, *(last.comments if last is not first else [])]
    return Token(TokenType.STRING, value, first.line, first.col, first.start, last.end, comments)
