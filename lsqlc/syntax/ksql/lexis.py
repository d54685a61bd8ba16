"""How ksqlDB's text is cut: strings in single quotes, names in backticks or double quotes."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import Tokenizer, TokenType

from lsqlc.syntax.tokens import Lexis


class _Lexer(Tokenizer):
    QUOTES: ClassVar = ["'"]
    IDENTIFIERS: ClassVar = ["`", '"']
    STRING_ESCAPES: ClassVar = ["'"]
    KEYWORDS: ClassVar = {
        "<>": TokenType.NEQ,
        "!=": TokenType.NEQ,
        "<=": TokenType.LTE,
        ">=": TokenType.GTE,
        "||": TokenType.DPIPE,
        "->": TokenType.ARROW,
        "=>": TokenType.FARROW,
        ":=": TokenType.COLON_EQ,
    }


LEXIS = Lexis(_Lexer, hyphens=False)
