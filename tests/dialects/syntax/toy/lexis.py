"""How the text of the toy language is cut: strings in single quotes, names in backticks."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import Tokenizer

from lsqlc.syntax.tokens import Lexis


class _Lexer(Tokenizer):
    QUOTES: ClassVar = ["'"]
    IDENTIFIERS: ClassVar = ["`"]
    KEYWORDS: ClassVar = {}


LEXIS = Lexis(_Lexer, hyphens=False)
