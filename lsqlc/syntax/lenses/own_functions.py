"""Declarations of functions whose body is an expression of the Lenses language."""

from __future__ import annotations

from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.lenses.expressions import expression
from lsqlc.syntax.lenses.words import read_name
from lsqlc.syntax.own_functions import FunctionGrammar, ParsedFunctions, ddl_type, read_functions
from lsqlc.syntax.tokens import tokenize


def parse_functions(text: str, path: str) -> ParsedFunctions:
    """Read a file of functions. `path` names the text in messages. All errors are diagnostics."""
    source = SourceText(path, text)
    return read_functions(source, *tokenize(source), FunctionGrammar(_parameter, ddl_type, expression))


def _parameter(cursor: Cursor) -> tree.Name:
    return read_name(cursor, "the name of a parameter", dotted=False)
