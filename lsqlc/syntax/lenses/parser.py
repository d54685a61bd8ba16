"""Statements of the Lenses language: SET, WITH, INSERT INTO and SELECT.

A fault ends its statement, and the parser continues after the next `;`, so that one run shows the first fault of each.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor, SyntaxFault
from lsqlc.syntax.lenses.foreign import explain
from lsqlc.syntax.lenses.selects import read_select
from lsqlc.syntax.lenses.words import read_name, refuse
from lsqlc.syntax.program import Parsed
from lsqlc.syntax.tokens import Token, tokenize

# The first words of statements: one of them inside of a statement shows that a ';' is missing.
_STATEMENTS = ("SET", "WITH", "INSERT", "SELECT")


@dataclass(slots=True)
class _Draft:
    """The statements so far."""

    settings: list[tree.Setting] = field(default_factory=list)
    withs: dict[str, tree.With] = field(default_factory=dict)
    inserts: list[tree.Insert] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def parse(text: str, path: str) -> Parsed[tree.Program]:
    """Read a program. `path` names the text in messages. All errors are diagnostics."""
    source = SourceText(path, text)
    tokens, faults = tokenize(source)
    if faults:
        return Parsed(None, faults)
    draft = _read(source, tokens)
    _check_order(source, draft)
    if any(d.is_error for d in draft.diagnostics):
        return Parsed(None, tuple(draft.diagnostics))
    return Parsed(_program(source, draft), tuple(draft.diagnostics))


def readable(text: str, path: str) -> tree.Program:
    """Return the valid statements of a program, without the others."""
    source = SourceText(path, text)
    return _program(source, _read(source, tokenize(source)[0]))


def _program(source: SourceText, draft: _Draft) -> tree.Program:
    return tree.Program(source, tuple(draft.settings), tuple(draft.withs.values()), tuple(draft.inserts))


def _read(source: SourceText, tokens: tuple[Token, ...]) -> _Draft:
    cursor = Cursor(source, tokens, explain)
    draft = _Draft()
    while cursor.token.kind != "end":
        if cursor.take_mark(";"):
            continue
        cursor.depth = 0
        try:
            _statement(cursor, draft)
        except SyntaxFault as fault:
            draft.diagnostics.append(fault.diagnostic)
            _skip_statement(cursor)
    return draft


def _skip_statement(cursor: Cursor) -> None:
    """Advance to the `;` that ends the statement, or to the end."""
    while cursor.token.kind != "end" and not cursor.is_mark(";"):
        cursor.advance()


def _check_order(source: SourceText, draft: _Draft) -> None:
    if not draft.inserts and not draft.diagnostics:
        end = len(source.text)
        draft.diagnostics.append(
            Diagnostic(
                "LSQ105",
                "this program writes nothing",
                source.span((0, min(end, 1))),
                notes=("a program ends in one or more INSERT INTO, or in one SELECT",),
                help="add a statement such as: INSERT INTO target SELECT STREAM * FROM source",
            )
        )
    bare = [i for i in draft.inserts if i.target is None]
    if bare and len(draft.inserts) > 1:
        draft.diagnostics.append(
            Diagnostic(
                "LSQ106",
                "a SELECT without INSERT INTO must be the only statement of its program",
                source.span(bare[-1].select.semantics_at),
                help="name its target: INSERT INTO target SELECT ...",
            )
        )


def _statement(cursor: Cursor, draft: _Draft) -> None:
    if cursor.take_words("SET"):
        draft.settings.append(_setting(cursor))
    elif cursor.take_words("WITH"):
        statement = _with(cursor, draft)
        draft.withs[statement.name.text] = statement
    elif cursor.take_words("INSERT"):
        draft.inserts.append(_insert(cursor, draft))
    elif cursor.is_word("SELECT"):
        draft.inserts.append(tree.Insert(None, None, None, read_select(cursor, draft.diagnostics)))
    else:
        cursor.unexpected("SET, WITH, INSERT INTO or SELECT")
    if cursor.token.kind != "end" and not cursor.take_mark(";"):
        if cursor.token.upper not in _STATEMENTS:
            refuse(cursor)
        help = "end the statement before it with ';'" if cursor.token.upper in _STATEMENTS else None
        cursor.unexpected("';' or the end of the statement", help=help)


def _setting(cursor: Cursor) -> tree.Setting:
    start = cursor.token.start
    words = []
    while not cursor.is_mark("=") and not cursor.is_mark(";") and cursor.token.kind != "end":
        words.append(cursor.advance().text)
    if not words:
        cursor.unexpected("the name of a setting")
    key = tree.Name("".join(words), cursor.extent(start))
    cursor.expect_mark("=", "the name of the setting")
    start = cursor.token.start
    if cursor.token.kind == "string":
        token = cursor.advance()
        return tree.Setting(key, tree.Name(token.text, (token.start, token.end)))
    while not cursor.is_mark(";") and cursor.token.kind != "end":
        cursor.advance()
    at = cursor.extent(start)
    text = cursor.source.text[at[0] : at[1]].strip()
    if not text:
        cursor.unexpected("a value for the setting")
    return tree.Setting(key, tree.Name(text, at))


def _with(cursor: Cursor, draft: _Draft) -> tree.With:
    name = read_name(cursor, "a name after WITH", dotted=False)
    if name.text in draft.withs:
        cursor.fault("LSQ107", f"'{name.text}' is defined twice", name.at, help="give the second WITH another name")
    cursor.expect_words("AS")
    cursor.expect_mark("(", "AS")
    select = read_select(cursor, draft.diagnostics)
    if cursor.is_mark(";") and cursor.ahead(1).text == ")":
        token = cursor.advance()
        cursor.fault(
            "LSQ102", "a ';' is not allowed inside a WITH statement", (token.start, token.end), help="remove it"
        )
    if not cursor.take_mark(")"):
        refuse(cursor)
        cursor.unexpected("')' at the end of the WITH statement")
    if cursor.is_mark(","):
        token = cursor.token
        cursor.fault(
            "LSQ102",
            "a comma cannot follow a WITH statement",
            (token.start, token.end),
            help="each WITH is a separate statement: WITH a AS (...); WITH b AS (...);",
        )
    return tree.With(name, select)


def _insert(cursor: Cursor, draft: _Draft) -> tree.Insert:
    cursor.expect_words("INTO")
    target = read_name(cursor, "a topic after INSERT INTO", dotted=True)
    formats: dict[str, tree.Name] = {}
    if cursor.take_words("STORE"):
        while cursor.is_word("KEY", "AS") or cursor.is_word("VALUE", "AS"):
            word = cursor.advance()
            cursor.advance()
            format = _format(cursor)
            if word.upper in formats:
                cursor.fault("LSQ110", f"{word.upper} AS occurs twice", (word.start, format.at[1]))
            formats[word.upper] = format
        if formats and cursor.is_mark(","):
            cursor.unexpected("SELECT", help="there must be no comma between KEY AS and VALUE AS")
        if not formats:
            cursor.unexpected("KEY AS or VALUE AS after STORE")
    if not cursor.is_word("SELECT"):
        cursor.unexpected("SELECT")
    return tree.Insert(target, formats.get("KEY"), formats.get("VALUE"), read_select(cursor, draft.diagnostics))


def _format(cursor: Cursor) -> tree.Name:
    """Read a storage format: a word, and for a windowed key another word in brackets, `TW[AVRO]`."""
    start = cursor.token.start
    if cursor.token.kind != "name":
        cursor.unexpected("a storage format")
    text = cursor.advance().upper
    if cursor.take_mark("["):
        if cursor.token.kind != "name":
            cursor.unexpected("a storage format inside the window")
        text += f"[{cursor.advance().upper}]"
        cursor.expect_mark("]", "the inner format")
    return tree.Name(text, cursor.extent(start))
