"""The lexical rules of the Lenses language: strings in single or double quotes, names in backticks."""

from __future__ import annotations

from lsqlc.syntax.tokens import Lexis

LEXIS = Lexis(strings="'\"", names="`", operators=("<>", "!=", "<=", ">=", "||"), hyphens=True)
