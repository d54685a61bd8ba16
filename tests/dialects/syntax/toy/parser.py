"""Text of the toy language to its tree."""

from __future__ import annotations

from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax import operands, operators, tree
from lsqlc.syntax.cursor import Cursor, SyntaxFault
from lsqlc.syntax.grammar import Grammar, Reader
from lsqlc.syntax.program import Parsed
from lsqlc.syntax.tokens import tokenize
from tests.dialects.syntax.toy.tree import Column, Program


def parse(text: str, path: str) -> Parsed[Program]:
    """The program, or what is wrong with it."""
    source = SourceText(path, text)
    tokens, faults = tokenize(source, "toy")
    if faults:
        return Parsed(None, faults)
    cursor = Cursor(source, tokens)
    try:
        return Parsed(_program(cursor), ())
    except SyntaxFault as fault:
        return Parsed(None, (fault.diagnostic,))


def readable(text: str, path: str) -> Program:
    """The whole program, or one that keeps nothing."""
    none = Program(SourceText(path, text), tree.Name("", (0, 0)), (), (0, 0))
    return parse(text, path).program or none


def _program(cursor: Cursor) -> Program:
    start = cursor.token.start
    topic = _name(cursor, "a topic")
    cursor.expect_mark("|", "the topic")
    cursor.expect_words("KEEP")
    columns = [_column(cursor)]
    while cursor.take_mark(","):
        columns.append(_column(cursor))
    if cursor.token.kind != "end":
        cursor.unexpected("',' or the end of the program")
    return Program(cursor.source, topic, tuple(columns), cursor.extent(start))


def _column(cursor: Cursor) -> Column:
    start = cursor.token.start
    expression = Reader(cursor, GRAMMAR, _reference).whole()
    if cursor.take_words("AS"):
        return Column(expression, _name(cursor, "a name"), cursor.extent(start))
    if not isinstance(expression, tree.Reference):
        cursor.unexpected("AS and a name")
    return Column(expression, tree.Name(expression.parts[0], expression.at), cursor.extent(start))


def _integer(reader: Reader) -> tree.Expression:
    token = reader.cursor.token
    if not token.text.isdigit():
        reader.cursor.unexpected("an integer")
    reader.cursor.advance()
    return tree.Literal(int(token.text), (token.start, token.end))


def _reference(cursor: Cursor) -> tree.Reference:
    name = _name(cursor, "a column")
    return tree.Reference((name.text,), name.at)


def _name(cursor: Cursor, wanted: str) -> tree.Name:
    token = cursor.token
    if token.kind not in ("name", "quoted"):
        cursor.unexpected(wanted)
    cursor.advance()
    return tree.Name(token.text, (token.start, token.end))


GRAMMAR = Grammar(
    levels=(operators.left_to_right("+", "-"), operators.left_to_right("*")),
    literals={"number": _integer},
    operands={"(": operands.parenthesised},
    call=lambda reader: operands.call(reader, reader.cursor.token.text),
    deep_help="keep a part of it first",
)
