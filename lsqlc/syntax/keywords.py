"""Keywords by their position: tables that each dialect fills, and tables that expressions share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

OPERAND = ("CASE", "CAST(", "NOT", "NULL", "TRUE", "FALSE")
BEHIND_OPERAND = ("AND", "OR", "IS NULL", "IS NOT NULL", "IN (", "LIKE", "BETWEEN")
IN_CASE = ("WHEN", "THEN", "ELSE", "END")
TYPES = (
    "BOOLEAN", "INT", "BIGINT", "LONG", "FLOAT", "DOUBLE", "DECIMAL", "STRING", "BYTES", "DATE", "TIME", "TIMESTAMP",
    "ARRAY", "MAP", "STRUCT",
)  # fmt: skip
# The clauses with expressions.
EXPRESSIONS = frozenset((
    *("SELECT", "ON", "WHERE", "GROUP", "HAVING", "LATERAL", "EVENTTIME", "PARTITION", "VALUES"),
    *("KEYS", "SEQUENCE", "APPLY", "COLUMNS", "TRACK", "IGNORE"),
))  # fmt: skip
# Words before an operand.
BEFORE_OPERAND = frozenset(
    (
        *("STREAM", "TABLE", "WHERE", "AND", "OR", "NOT", "ON", "BY", "CASE", "WHEN", "THEN", "ELSE", "BETWEEN"),
        *("LIKE", "HAVING", "LATERAL", "SELECT"),
    )
)


@dataclass(frozen=True, slots=True)
class Keywords:
    """The keywords of a dialect.

    `statements`: the first words of statements. `follows`: the words after other words, in any context. `behind`: the
    words after a complete operand, or a source, of a clause. `string`, `quoted`: patterns of a string and of a quoted
    name, which may be open at the end of the text. `column`, `topic`: patterns of names that need no quotes, except
    `reserved` words. `clauses`: those of statements that begin with some words, each with its name here; their
    expressions have the columns of the source after FROM.
    """

    statements: tuple[str, ...]
    follows: Mapping[tuple[str, ...], tuple[str, ...]]
    behind: Mapping[str, tuple[str, ...]]
    string: str
    quoted: str
    column: re.Pattern[str]
    topic: re.Pattern[str]
    reserved: frozenset[str]
    clauses: Mapping[tuple[str, ...], Mapping[str, str]] = field(default_factory=dict)

    def column_text(self, name: str) -> str:
        """Return the text of a column's name in a program."""
        return self._quoted(name, self.column)

    def topic_text(self, name: str) -> str:
        """Return the text of a topic's or query's name in a program."""
        return self._quoted(name, self.topic)

    def _quoted(self, name: str, bare: re.Pattern[str]) -> str:
        return name if bare.fullmatch(name) and name.upper() not in self.reserved else f"`{name}`"
