"""Statements of ksqlDB: CREATE STREAM and TABLE, with columns or AS SELECT, INSERT INTO, SET, DEFINE, and SELECT.

A fault ends its statement, and the parser continues after the next `;`, so that one run shows the first fault of each.
"""

from __future__ import annotations

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor, SyntaxFault
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.expressions import expression, name_of
from lsqlc.syntax.ksql.foreign import hinted
from lsqlc.syntax.ksql.query import limit, query
from lsqlc.syntax.ksql.types import type_of
from lsqlc.syntax.ksql.variables import expanded
from lsqlc.syntax.program import Parsed
from lsqlc.syntax.tokens import Token, tokenize

_OTHERS = (
    "DROP", "ALTER", "DESCRIBE", "SHOW", "LIST", "PRINT", "TERMINATE", "PAUSE", "RESUME", "EXPLAIN", "RUN",
    "ASSERT", "DELETE", "UPDATE",
)  # fmt: skip


def parse(text: str, path: str) -> Parsed[ksql.Program]:
    """Read a program. `path` names the text in messages. All errors are diagnostics."""
    source = SourceText(path, text)
    tokens, faults = tokenize(source, "ksql")
    if faults:
        return Parsed(None, faults)
    program, diagnostics = _read(source, tokens)
    return Parsed(None if diagnostics else program, diagnostics)


def readable(text: str, path: str) -> ksql.Program:
    """Return the valid statements of a program, without the others."""
    source = SourceText(path, text)
    return _read(source, tokenize(source, "ksql")[0])[0]


def _read(source: SourceText, tokens: tuple[Token, ...]) -> tuple[ksql.Program, tuple[Diagnostic, ...]]:
    read = expanded(source, tokens)
    cursor = Cursor(source, read.tokens)
    settings: list[tree.Setting] = []
    statements: list[ksql.Statement] = []
    diagnostics: list[Diagnostic] = [*read.faults]
    while not _at_end(cursor):
        if cursor.take_mark(";"):
            continue
        cursor.depth = 0
        try:
            if cursor.take_words("SET"):
                settings.append(_setting(cursor))
            elif cursor.take_words("UNSET"):
                settings = _without(cursor, settings)
            else:
                statements.append(_statement(cursor))
            if not (_at_end(cursor) or cursor.is_mark(";")):
                cursor.unexpected("';' or the end of the statement")
        except SyntaxFault as fault:
            diagnostics.append(hinted(fault.diagnostic, cursor))
            while not (_at_end(cursor) or cursor.is_mark(";")):
                cursor.advance()
    return ksql.Program(source, tuple(settings), tuple(statements), read.definitions), tuple(diagnostics)


def _at_end(cursor: Cursor) -> bool:
    return cursor.token.kind == "end"


def _statement(cursor: Cursor) -> ksql.Statement:
    token = cursor.token
    start = token.start
    if cursor.take_words("CREATE"):
        return _create(cursor, start)
    if cursor.take_words("INSERT", "INTO"):
        return _insert(cursor, start)
    if cursor.is_word("SELECT"):
        select = query(cursor, is_bare=True)
        return ksql.BareSelect(select, cursor.extent(start), limit(cursor))
    if token.upper in _OTHERS:
        cursor.fault("LSQ120", f"{token.upper} is a request to a running server, and not part of a program",
                     (token.start, token.end), help="remove the statement")  # fmt: skip
    cursor.unexpected("CREATE, INSERT INTO, SET or SELECT")


def _setting(cursor: Cursor) -> tree.Setting:
    key = cursor.token
    if key.kind != "string":
        cursor.unexpected("a setting in quotes", help="write SET 'name' = 'value';")
    cursor.advance()
    cursor.expect_mark("=", "the name of the setting")
    value = cursor.token
    if value.kind != "string":
        cursor.unexpected("a value in quotes", help="write SET 'name' = 'value';")
    cursor.advance()
    return tree.Setting(tree.Name(key.text, (key.start, key.end)), tree.Name(value.text, (value.start, value.end)))


def _without(cursor: Cursor, settings: list[tree.Setting]) -> list[tree.Setting]:
    """Return the settings without the one that UNSET names."""
    key = cursor.token
    if key.kind != "string":
        cursor.unexpected("a setting in quotes", help="write UNSET 'name';")
    cursor.advance()
    return [s for s in settings if s.key.text != key.text]


def _create(cursor: Cursor, start: int) -> ksql.CreateSource | ksql.CreateAs:
    exists: ksql.Exists = "fail"
    if cursor.take_words("OR"):
        cursor.expect_words("REPLACE")
        exists = "replace"
    read_only = cursor.take_words("SOURCE")
    if not (cursor.is_word("STREAM") or cursor.is_word("TABLE")):
        word = cursor.token
        if word.upper in ("TYPE", "SINK", "CONNECTOR"):
            cursor.fault("LSQ120", f"CREATE {word.upper} is not supported", (start, word.end))
        cursor.unexpected("STREAM or TABLE")
    kind: tree.Semantics = "STREAM" if cursor.advance().upper == "STREAM" else "TABLE"
    kind_at = cursor.extent(start)
    if cursor.take_words("IF", "NOT", "EXISTS"):
        exists = "ignore"
    name = name_of(cursor, f"the name of the {kind.lower()}")
    columns = _columns(cursor) if cursor.is_mark("(") else None
    properties = _properties(cursor) if cursor.take_words("WITH") else ()
    if columns is None and cursor.take_words("AS"):
        select = query(cursor)
        return ksql.CreateAs(kind, name, properties, select, exists, kind_at, cursor.extent(start))
    return ksql.CreateSource(kind, name, columns, properties, read_only, exists, cursor.extent(start))


def _columns(cursor: Cursor) -> tuple[ksql.Column, ...]:
    cursor.advance()
    columns: list[ksql.Column] = []
    while True:
        start = cursor.token.start
        name = name_of(cursor, "the name of a column")
        type = type_of(cursor)
        role: ksql.ColumnRole | None = None
        header: str | None = None
        if cursor.take_words("PRIMARY", "KEY"):
            role = "PRIMARY KEY"
        elif cursor.take_words("KEY"):
            role = "KEY"
        elif cursor.take_words("HEADERS"):
            role = "HEADERS"
        elif cursor.take_words("HEADER"):
            cursor.expect_mark("(", "HEADER")
            token = cursor.advance()
            if token.kind != "string":
                cursor.at -= 1
                cursor.unexpected("the key of a header in quotes")
            header = token.text
            cursor.expect_mark(")", "the key of the header")
            role = "HEADERS"
        columns.append(ksql.Column(name, type, role, cursor.extent(start), header))
        if not cursor.take_mark(","):
            cursor.expect_mark(")", "the columns")
            return tuple(columns)


def _properties(cursor: Cursor) -> tuple[ksql.Property, ...]:
    cursor.expect_mark("(", "WITH")
    properties: list[ksql.Property] = []
    while not cursor.take_mark(")"):
        token = cursor.token
        if token.kind not in ("name", "quoted", "string"):
            cursor.unexpected("the name of a property")
        cursor.advance()
        name = tree.Name(token.text.upper(), (token.start, token.end))
        cursor.expect_mark("=", "the name of the property")
        value = cursor.token
        at = (value.start, value.end)
        if value.kind not in ("string", "number") and value.upper not in ("TRUE", "FALSE"):
            cursor.unexpected("a value for the property")
        cursor.advance()
        properties.append(ksql.Property(name, tree.Literal(value.text, at)))
        if not cursor.is_mark(")"):
            cursor.expect_mark(",", "the property")
    return tuple(properties)


def _insert(cursor: Cursor, start: int) -> ksql.InsertSelect | ksql.InsertValues:
    target = name_of(cursor, "a stream after INSERT INTO")
    if cursor.take_words("WITH"):
        _properties(cursor)
    if cursor.is_word("SELECT"):
        return ksql.InsertSelect(target, query(cursor), cursor.extent(start))
    columns: list[tree.Name] = []
    if cursor.take_mark("("):
        columns.append(name_of(cursor, "a column"))
        while cursor.take_mark(","):
            columns.append(name_of(cursor, "a column"))
        cursor.expect_mark(")", "the columns")
    cursor.expect_words("VALUES")
    cursor.expect_mark("(", "VALUES")
    values = [expression(cursor)]
    while cursor.take_mark(","):
        values.append(expression(cursor))
    cursor.expect_mark(")", "the values")
    return ksql.InsertValues(target, tuple(columns), tuple(values), cursor.extent(start))
