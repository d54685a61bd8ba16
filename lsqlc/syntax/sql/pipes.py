"""Pipe syntax, `FROM t |> WHERE ... |> SELECT ...`. Operators that the parser would reorder are refused by name.

The parser adds the clauses of an operator to the SELECT before it. That changes the query after a SELECT list, LIMIT or
a join that keeps rows of the right side.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import TokenType
from sqlglot.tokenizer_core import Token

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax.cursor import SyntaxFault
from lsqlc.syntax.sql.places import mark

# Operators of Spark that the parser does not know.
_UNKNOWN = ("SET", "DROP", "RENAME")
# Operators after which the parser starts a new query.
_SETS = ("UNION", "INTERSECT", "EXCEPT", "MINUS")
_NEW_QUERY = ("SELECT", "EXTEND", "AGGREGATE", "AS", *_SETS)
_OPENING, _CLOSING = ("(", "["), (")", "]")


def check_pipes(source: SourceText, tokens: Sequence[Token]) -> None:
    """Raise SyntaxFault at a pipe operator that the parser does not read as Spark does."""
    # For each level of parentheses: the words of the part before a pipe, and those of the operators since a new query.
    levels: list[tuple[list[str], list[str]]] = [([], [])]
    for index, token in enumerate(tokens):
        word = mark(token)
        if word in _OPENING:
            levels.append(([], []))
        elif word in _CLOSING and len(levels) > 1:
            levels.pop()
        elif token.token_type != TokenType.PIPE_GT:
            levels[-1][0].append(word)
            continue
        else:
            operator = [mark(t) for t in tokens[index + 1 : index + 4]]
            _check(source, (token.start, token.end + 1), levels[-1], operator)
            starts = not operator or operator[0] in _NEW_QUERY
            levels[-1] = ([], [""] if starts else [*levels[-1][1], operator[0]])


def _check(source: SourceText, at: Extent, level: tuple[list[str], list[str]], operator: list[str]) -> None:
    words, before = level
    first = operator[0] if operator else ""
    if first in _UNKNOWN:
        _refuse(source, f"the pipe operator {first}", at, "write the columns: |> SELECT a, b AS c")
    if first in _SETS and "(" not in operator[1:]:
        _refuse(
            source,
            f"the pipe operator {first} of a query without parentheses",
            at,
            f"write |> {first} ALL (SELECT ...)",
        )
    if not before and "SELECT" in words:
        _refuse(source, "a pipe behind a SELECT", at, "begin with FROM: FROM t |> SELECT a, b |> WHERE a > 1")
    if first in _NEW_QUERY:
        return
    if "LIMIT" in before:
        _refuse(source, f"the pipe operator {first} behind LIMIT", at, "name the rows before: |> LIMIT 5 |> AS q")
    joins_right = "JOIN" in operator and first in ("RIGHT", "FULL")
    if joins_right and "WHERE" in before:
        _refuse(
            source, f"the pipe operator {first} JOIN behind WHERE", at, "name the rows before: |> WHERE a > 1 |> AS q"
        )


def _refuse(source: SourceText, what: str, at: Extent, help: str) -> None:
    message = f"{what} is not supported in models of the dialect sql"
    raise SyntaxFault(Diagnostic("LSQ450", message, source.span(at), help=help))
