"""Statements as data, written once: lists of columns and conditions are tuples until then.

What stands in a tuple of its own begins a line, in a list of columns as in one of conditions. Expressions, names with
their aliases and short subqueries are text. A condition with OR that is not the only one must be in parentheses.

>>> pairs = Join("left_1 AS l", "JOIN", "right_2 AS r", (("l.j = r.j", "r._ts >= l._ts"),))
>>> print(Select(("l.j AS j", ("l.v0 AS v0", "r.v0 AS v1")), pairs, ("l.v0 IS NOT NULL",)))
SELECT l.j AS j,
  l.v0 AS v0, r.v0 AS v1
FROM left_1 AS l JOIN right_2 AS r
  ON l.j = r.j AND r._ts >= l._ts
WHERE l.v0 IS NOT NULL
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# Columns or conditions; those of a tuple within are a line of their own.
Lines = tuple[str | tuple[str, ...], ...]
# What stands between two of a line, and between two lines.
_COMMA, _AND = (", ", ",\n  "), (" AND ", "\n  AND ")


@dataclass(frozen=True, slots=True)
class Join:
    """Two sources as one. `kind`: the words of the join, such as `ASOF LEFT JOIN`; `on`: conditions that all hold."""

    left: str
    kind: str
    right: str
    on: Lines

    def __str__(self) -> str:
        start = "\n  ON " if isinstance(self.on[0], tuple) else " ON "
        return f"{self.left} {self.kind} {self.right}{start}{_laid(self.on, _AND)}"


@dataclass(frozen=True, slots=True)
class Select:
    """Columns of a source, a clause in each line. `where`: conditions that all hold; `group`: what rows are grouped by;
    none of either leaves the clause out.
    """

    columns: Lines
    source: str | Join
    where: Lines = ()
    group: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"SELECT {_laid(self.columns, _COMMA)}\nFROM {self.source}"
        if self.where:
            text += f"\nWHERE {_laid(self.where, _AND)}"
        return f"{text}\nGROUP BY {listed(self.group)}" if self.group else text


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of all parts, with their repetitions. `by_name`: whatever the order of the columns of a part."""

    parts: tuple[str | Select, ...]
    by_name: bool = False

    def __str__(self) -> str:
        word = "UNION ALL BY NAME" if self.by_name else "UNION ALL"
        return f"\n{word}\n".join(map(str, self.parts))


@dataclass(frozen=True, slots=True)
class Cte:
    """A common table expression. `comment`: a line that stands before it, if there is one."""

    name: str
    body: str
    comment: str = ""

    def __str__(self) -> str:
        text = f"{self.name} AS {nested(self.body)}"
        return f"{remark(self.comment)}\n{text}" if self.comment else text


def remark(text: str) -> str:
    """A comment in one line, whatever names are in the text. Spark reads a comment on behind a backslash at its end.

    >>> remark("the lines of a\\rb"), remark("the lines of a\\\\")
    ('-- the lines of a b', '-- the lines of a\\\\ ')
    """
    line = " ".join(text.splitlines())
    return f"-- {line} " if line.endswith("\\") else f"-- {line}"


# A comment behind a name in quotes with a line break, which no engine lets a name write in another way: what has such a
# name keeps its lines as they are.
BROKEN_NAME = "/* a line break in the name */"

# What can be written as a statement.
Sql = str | Select | Union


def with_ctes(ctes: Iterable[Cte], statement: str) -> str:
    """A statement over common table expressions, one in each paragraph."""
    written = list(ctes)
    if not written:
        return statement
    start = "\n" if written[0].comment else " "
    bodies = ",\n".join(map(str, written))
    return f"WITH{start}{bodies}\n{statement}"


def listed(items: Iterable[str]) -> str:
    """A list of columns in one line."""
    return ", ".join(items)


def nested(statement: Sql) -> str:
    """A statement in parentheses, in lines of its own."""
    return f"(\n{indented(statement)}\n)"


def indented(statement: Sql) -> str:
    """A statement two spaces further in. No literal has a line break (`engines.text`)."""
    text = str(statement)
    return text if BROKEN_NAME in text else "  " + text.replace("\n", "\n  ")


def marked(name: str) -> str:
    """A name in quotes, as it may stand in a statement."""
    return name + BROKEN_NAME if "\n" in name else name


def _laid(items: Lines, between: tuple[str, str]) -> str:
    """Items in their lines; a line without any is left out."""
    within, beyond = between
    text = ""
    for item in items:
        if isinstance(item, str):
            text += f"{within}{item}" if text else item
        elif item:
            line = within.join(item)
            text += f"{beyond}{line}" if text else line
    return text
