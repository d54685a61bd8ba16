"""How the text of the toy language is cut: strings in single quotes, names in backticks."""

from __future__ import annotations

from lsqlc.syntax.tokens import Lexis

LEXIS = Lexis(strings="'", names="`")
