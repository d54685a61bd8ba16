"""The lexical rules of ksqlDB: strings in single quotes, names in backticks or double quotes."""

from __future__ import annotations

from lsqlc.syntax.tokens import Lexis

LEXIS = Lexis(strings="'", names='`"', operators=("<>", "!=", "<=", ">=", "||", "->", "=>", ":="))
