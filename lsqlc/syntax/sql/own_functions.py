"""Declarations of functions whose body is an expression of Spark SQL, which sqlglot parses as in models."""

from __future__ import annotations

from sqlglot import TokenType, exp
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token

from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.own_functions import FunctionGrammar, ParsedFunctions, ddl_type, read_functions
from lsqlc.syntax.sql.parser import plain_tokens, read_statement
from lsqlc.syntax.sql.places import Places
from lsqlc.syntax.sql.queries import Queries
from lsqlc.syntax.tokens import tokenize


def parse_functions(text: str, path: str) -> ParsedFunctions:
    """Read a file of functions. `path` names the text in messages. All errors are diagnostics."""
    source = SourceText(path, text)
    return read_functions(source, *tokenize(source, "sql"), FunctionGrammar(_parameter, ddl_type, _body))


def _parameter(cursor: Cursor) -> tree.Name:
    token = cursor.token
    if token.kind not in ("name", "quoted"):
        cursor.unexpected("the name of a parameter")
    cursor.advance()
    return tree.Name(token.text, (token.start, token.end))


def _body(cursor: Cursor) -> tree.Expression:
    """Read the expression up to the end of the statement, as the only item of a SELECT list."""
    source, start = cursor.source, cursor.token.start
    while cursor.token.kind != "end" and not cursor.is_mark(";"):
        cursor.advance()
    end = cursor.previous_end
    if end <= start:
        cursor.unexpected("an expression after RETURN")
    try:
        tokens = [t for t in plain_tokens(source.text) if start <= t.start < end]
    except TokenError as error:
        cursor.fault("LSQ101", "this text cannot be read as tokens of Spark SQL", (start, end),
                     help=str(error).split("\n")[0])  # fmt: skip
    # It has the position of the first token, so that no extent is outside of the text.
    first = tokens[0]
    select = Token(TokenType.SELECT, "SELECT", first.line, first.col, first.start, first.start, [])
    statement = read_statement(source, [select, *tokens])
    queries = Queries(source, Places(statement, tokens))
    if not isinstance(statement, exp.Select):
        queries.unknown(statement)
    queries.only(statement, "expressions")
    items = statement.expressions
    if len(items) != 1:
        at = queries.places.of(items[1]) if items else (start, end)
        cursor.fault("LSQ102", "the body of a function must be one expression", at)
    if isinstance(items[0], exp.Alias):
        cursor.fault("LSQ102", "the body of a function has no name", queries.places.of(items[0]), help="remove AS")
    return queries.expression(items[0])
