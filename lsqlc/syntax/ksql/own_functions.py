"""Declarations of functions whose body is an expression of ksqlDB."""

from __future__ import annotations

from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.ksql.expressions import expression, name_of
from lsqlc.syntax.ksql.types import type_of
from lsqlc.syntax.own_functions import FunctionGrammar, ParsedFunctions, read_functions
from lsqlc.syntax.tokens import tokenize


def parse_functions(text: str, path: str) -> ParsedFunctions:
    """Read a file of functions. `path` names the text in messages. All errors are diagnostics."""
    source = SourceText(path, text)
    return read_functions(source, *tokenize(source, "ksql"), FunctionGrammar(_parameter, type_of, expression))


def _parameter(cursor: Cursor) -> tree.Name:
    return name_of(cursor, "the name of a parameter")
