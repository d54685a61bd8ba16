"""Small edits of the text of a query, such as `<=` for `<`: each is a mistake that a person could make.

The words and marks are those that all dialects have in common. Comments and tags of templates are left as they are. An
edit need not compile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<skip>--[^\n]*|/\*.*?\*/|\{\{.*?\}\}|\{%.*?%\}|`[^`]*`)
    |(?P<text>'(?:[^'\\]|\\.|'')*')
    |(?P<other>"(?:[^"\\]|\\.)*")
    |(?P<number>(?<![\w.])\d+(?![\w.]))
    |(?P<word>[A-Za-z_]\w*)
    |(?P<mark><=>|<=|>=|<>|!=|==|->|[<>=+*-])""",
    re.DOTALL | re.VERBOSE,
)
_MARKS: Mapping[str, tuple[str, ...]] = {
    "<": ("<=",),
    "<=": ("<",),
    ">": (">=",),
    ">=": (">",),
    "=": ("<>",),
    "==": ("<>",),
    "<>": ("=",),
    "!=": ("=",),
    "+": ("-",),
    "-": ("+",),
}
_WORDS: Mapping[str, tuple[str, ...]] = {
    "AND": ("OR",),
    "OR": ("AND",),
    "NOT": ("",),
    "DISTINCT": ("",),
    "LEFT": ("INNER",),
    "RIGHT": ("INNER",),
    "FULL": ("LEFT", "RIGHT"),
    "INNER": ("LEFT",),
    "MIN": ("MAX",),
    "MAX": ("MIN",),
    "SUM": ("MAX",),
    "DESC": ("ASC",),
    "ASC": ("DESC",),
    "TRUE": ("FALSE",),
    "FALSE": ("TRUE",),
    "EXISTS": ("NOT EXISTS",),
    "LIKE": ("NOT LIKE",),
    "BETWEEN": ("NOT BETWEEN",),
    "ALL": ("",),
}
# Words before JOIN that say which join it is.
_KINDS = ("LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "SEMI", "ANTI", "NATURAL")


@dataclass(frozen=True, slots=True)
class Mutant:
    """An edit of a text: `new` in place of `old`, which begins at `start`, in characters."""

    start: int
    old: str
    new: str

    def text(self, original: str) -> str:
        """Return the edited text."""
        return original[: self.start] + self.new + original[self.start + len(self.old) :]


def mutants(text: str) -> Iterator[Mutant]:
    """Yield the edits of a text, in order of their place."""
    before = ""
    for token in _TOKEN.finditer(text):
        old, start = token[0], token.start()
        for new in _edits(token.lastgroup or "", old, before):
            # A word that is left out takes the blank behind it along.
            rest = text[start + len(old) : start + len(old) + 1] if not new and old.isalpha() else ""
            yield Mutant(start, old + (rest if rest.isspace() else ""), new)
        if token.lastgroup != "skip":
            before = old.upper()


def _edits(kind: str, old: str, before: str) -> tuple[str, ...]:
    match kind:
        case "mark":
            return _MARKS.get(old, ())
        case "number":
            number = int(old)
            return (str(number + 1), str(number - 1)) if number else ("1",)
        case "text":
            return (f"{old[:-1]}x'",)
        case "word" if old.upper() == "JOIN":
            return () if before in _KINDS else ("LEFT JOIN",)
        case "word" if old.upper() == "NULL" and before == "IS":
            return ("NOT NULL",)
        case "word" if old.upper() == "NOT" and before == "IS":
            return ("",)
        case "word":
            return _WORDS.get(old.upper(), ())
    return ()
