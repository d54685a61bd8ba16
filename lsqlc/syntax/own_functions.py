"""Declarations of a project's own functions: `CREATE FUNCTION net(price DOUBLE) RETURNS DOUBLE RETURN price / 1.19;`.

The form is that of Spark, Databricks and the SQL standard, and the same in all dialects; types and the body are the
dialect's. A fault ends its statement, and the reader continues after the next `;`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor, SyntaxFault
from lsqlc.syntax.tokens import Token
from lsqlc.types.data import DataType
from lsqlc.types.ddl import DdlError, parse_type

# Names that need no quotes in SQL.
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
FORM = "CREATE FUNCTION name(parameter TYPE, ...) RETURNS TYPE RETURN expression;"
MOST_PARAMETERS = 100
_AFTER_TYPE = ("RETURN", "RETURNS", "COMMENT", "LANGUAGE", "DETERMINISTIC", "AS", "DEFAULT", "NOT")


@dataclass(frozen=True, slots=True)
class Parameter:
    name: tree.Name
    type: DataType


@dataclass(frozen=True, slots=True)
class FunctionText:
    """The declaration of a function.

    `source`: the text of the extents. `comment`: the text of COMMENT. `calls`: the names that the body calls, in upper
    case. `at`: the whole declaration.
    """

    source: SourceText
    name: tree.Name
    parameters: tuple[Parameter, ...]
    returns: DataType
    body: tree.Expression
    comment: str | None = None
    calls: frozenset[str] = frozenset()
    at: Extent = (0, 0)


@dataclass(frozen=True, slots=True)
class ParsedFunctions:
    """The valid functions of a file, and the diagnostics of the others."""

    functions: tuple[FunctionText, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class FunctionGrammar:
    """The parts of a declaration that differ by dialect; each raises SyntaxFault.

    `parameter`: the name of a parameter, as references find it.
    """

    parameter: Callable[[Cursor], tree.Name]
    type: Callable[[Cursor], DataType]
    body: Callable[[Cursor], tree.Expression]


def read_functions(
    source: SourceText, tokens: tuple[Token, ...], faults: tuple[Diagnostic, ...], grammar: FunctionGrammar
) -> ParsedFunctions:
    """Return the functions of a text. `faults`: the diagnostics of its tokens."""
    if faults:
        return ParsedFunctions((), faults)
    cursor = Cursor(source, tokens)
    functions: list[FunctionText] = []
    diagnostics: list[Diagnostic] = []
    while cursor.token.kind != "end":
        if cursor.take_mark(";"):
            continue
        cursor.depth = 0
        try:
            functions.append(_function(cursor, grammar))
            if not _ends(cursor):
                cursor.unexpected("';' or the end of the function")
        except SyntaxFault as fault:
            diagnostics.append(fault.diagnostic)
            while not _ends(cursor):
                cursor.advance()
    if not functions and not diagnostics:
        at = (0, min(len(source.text), 1))
        diagnostics.append(
            Diagnostic("LSQ488", "this file declares no function", source.span(at), help=f"write {FORM}")
        )
    return ParsedFunctions(tuple(functions), tuple(diagnostics))


def _ends(cursor: Cursor) -> bool:
    """Return whether a statement ends here."""
    return cursor.token.kind == "end" or cursor.is_mark(";")


def ddl_type(cursor: Cursor) -> DataType:
    """Return a type in YAML's form, up to the next part of a declaration.

    Raises SyntaxFault.
    """
    start, level = cursor.token.start, 0
    while not _ends(cursor):
        token = cursor.token
        if level == 0 and (token.upper in _AFTER_TYPE or (token.kind == "mark" and token.text in (",", ")"))):
            break
        if token.kind == "mark":
            level += sum((c in "(<") - (c in ")>") for c in token.text)
        cursor.advance()
    text = cursor.source.text[start : max(start, cursor.previous_end)]
    try:
        return parse_type(text)
    except DdlError as problem:
        place = min(start + problem.offset, len(cursor.source.text))
        cursor.fault("LSQ104", str(problem), (place, max(place + 1, cursor.previous_end)))


def _function(cursor: Cursor, grammar: FunctionGrammar) -> FunctionText:
    start = cursor.token.start
    cursor.expect_words("CREATE", help=f"a function is written {FORM}")
    if cursor.take_words("OR"):
        cursor.expect_words("REPLACE")
    if cursor.is_word("TEMPORARY"):
        cursor.unexpected("FUNCTION", help="remove TEMPORARY: a function belongs to the project")
    cursor.expect_words("FUNCTION")
    name = _name(cursor)
    cursor.expect_mark("(", "the name of the function")
    parameters = _parameters(cursor, grammar)
    cursor.expect_words("RETURNS", help="say the type of the result: RETURNS DOUBLE")
    returns = grammar.type(cursor)
    comment = _comment(cursor)
    if cursor.is_word("AS"):
        cursor.unexpected("RETURN", help="write RETURN and the expression, without parentheses or quotes")
    cursor.expect_words("RETURN", help="the body is one expression: RETURN price * 2")
    first = cursor.at
    body = grammar.body(cursor)
    calls = _calls(cursor, first)
    return FunctionText(cursor.source, name, parameters, returns, body, comment, calls, cursor.extent(start))


def _calls(cursor: Cursor, first: int) -> frozenset[str]:
    """Return the words before a parenthesis, from the token `first` on."""
    tokens = cursor.tokens[first : cursor.at]
    return frozenset(a.upper for a, b in pairwise(tokens) if a.upper and b.kind == "mark" and b.text == "(")


def _name(cursor: Cursor) -> tree.Name:
    token = cursor.token
    if token.kind not in ("name", "quoted"):
        cursor.unexpected("the name of the function")
    cursor.advance()
    at: Extent = (token.start, token.end)
    if not NAME.fullmatch(token.text):
        help = "a name consists of letters A to Z, digits and '_', and does not begin with a digit"
        cursor.fault("LSQ484", f"'{token.text}' is not a valid name of a function", at, help=help)
    return tree.Name(token.text, at)


def _parameters(cursor: Cursor, grammar: FunctionGrammar) -> tuple[Parameter, ...]:
    parameters: list[Parameter] = []
    if cursor.take_mark(")"):
        return ()
    while True:
        name = grammar.parameter(cursor)
        if any(p.name.text.casefold() == name.text.casefold() for p in parameters):
            cursor.fault("LSQ484", f"two parameters are named '{name.text}'", name.at, help="rename one of them")
        parameters.append(Parameter(name, grammar.type(cursor)))
        if len(parameters) > MOST_PARAMETERS:
            cursor.fault("LSQ484", f"a function has at most {MOST_PARAMETERS} parameters", name.at,
                         help="pass a STRUCT")  # fmt: skip
        if cursor.is_word("NOT", "NULL"):
            cursor.unexpected("',' or ')'", help="remove NOT NULL: any argument may be null")
        if cursor.is_word("DEFAULT"):
            cursor.unexpected("',' or ')'", help="a parameter has no default: declare a second function")
        if not cursor.take_mark(","):
            cursor.expect_mark(")", "the parameters")
            return tuple(parameters)


def _comment(cursor: Cursor) -> str | None:
    comment = None
    while True:
        if cursor.take_words("COMMENT"):
            if cursor.token.kind != "string":
                cursor.unexpected("a text in quotes after COMMENT")
            comment = cursor.advance().text
        elif not (cursor.take_words("LANGUAGE", "SQL") or cursor.take_words("DETERMINISTIC")):
            return comment
