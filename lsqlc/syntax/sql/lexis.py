"""The lexical rules of standard SQL for tools: strings in single or double quotes, names in backticks.

The parser uses sqlglot's tokens of Spark (`parser.py`). These are for formatting and editors.
"""

from __future__ import annotations

from lsqlc.syntax.tokens import Lexis

LEXIS = Lexis(
    strings="'\"", names="`", operators=("<=>", "<>", "!=", "==", "<=", ">=", "||", "::"), backslashes=True, raw="rR"
)
