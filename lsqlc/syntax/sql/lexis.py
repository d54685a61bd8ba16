"""How the text of standard SQL is cut for tools: strings in single or double quotes, names in backticks.

The parser has sqlglot's own tokens of Spark (`parser.py`); these are those that formatting and editors compare.
"""

from __future__ import annotations

from typing import ClassVar

from sqlglot import Tokenizer, TokenType

from lsqlc.syntax.tokens import Lexis


class _Lexer(Tokenizer):
    QUOTES: ClassVar = ["'", '"']
    IDENTIFIERS: ClassVar = ["`"]
    STRING_ESCAPES: ClassVar = ["\\"]
    KEYWORDS: ClassVar = {
        "<=>": TokenType.NULLSAFE_EQ,
        "<>": TokenType.NEQ,
        "!=": TokenType.NEQ,
        "==": TokenType.EQ,
        "<=": TokenType.LTE,
        ">=": TokenType.GTE,
        "||": TokenType.DPIPE,
        "::": TokenType.DCOLON,
    }


LEXIS = Lexis(_Lexer, hyphens=False)
