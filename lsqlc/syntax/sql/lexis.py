"""How the text of standard SQL is cut for tools: strings in single or double quotes, names in backticks.

The parser has sqlglot's own tokens of Spark (`parser.py`); these are those that formatting and editors compare.
"""

from __future__ import annotations

from lsqlc.syntax.tokens import Lexis

LEXIS = Lexis(
    strings="'\"", names="`", operators=("<=>", "<>", "!=", "==", "<=", ">=", "||", "::"), backslashes=True, raw="rR"
)
