"""How the text of the Lenses language is cut: strings in single or double quotes, names in backticks."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import Tokenizer, TokenType

from lsqlc.syntax.tokens import Lexis


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


LEXIS = Lexis(_Lexer, hyphens=True)
