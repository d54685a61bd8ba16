"""SELECT with its projections, up to its clauses."""

from __future__ import annotations

from lsqlc.diagnostics import Diagnostic, Fix, Severity
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import MAX_DEPTH, Cursor
from lsqlc.syntax.lenses.clauses import Clauses, read_clause
from lsqlc.syntax.lenses.expressions import RESERVED, expression, refuse_word
from lsqlc.syntax.lenses.sources import read_sources
from lsqlc.syntax.lenses.words import read_path, refuse
from lsqlc.syntax.tokens import Token


def read_select(cursor: Cursor, warnings: list[Diagnostic]) -> tree.Select:
    """Read a whole SELECT. Warnings are added to `warnings`."""
    start = cursor.token.start
    cursor.expect_words("SELECT")
    word = cursor.token
    if word.upper == "DISTINCT":
        refuse_word(cursor, word.upper, (word.start, word.end))
    if word.upper not in ("STREAM", "TABLE"):
        cursor.fault(
            "LSQ108",
            "SELECT must say STREAM or TABLE",
            (start, cursor.previous_end),
            notes=("STREAM reads every record as an event, TABLE only the newest record of each key",),
            help=f"write {_with_semantics(cursor, 'STREAM')} ... or {_with_semantics(cursor, 'TABLE')} ...",
        )
    cursor.advance()
    semantics: tree.Semantics = "STREAM" if word.upper == "STREAM" else "TABLE"
    projections = _projections(cursor, warnings)
    if not cursor.take_words("FROM"):
        refuse(cursor)
        cursor.unexpected("FROM")
    source = read_sources(cursor)
    clauses = Clauses()
    while read_clause(cursor, clauses):
        pass
    return tree.Select(
        semantics,
        projections,
        source,
        tuple(clauses.laterals),
        clauses.event_time,
        clauses.where,
        clauses.window,
        clauses.group_by,
        clauses.having,
        cursor.extent(start),
        (start, word.end),
    )


def _with_semantics(cursor: Cursor, word: str) -> str:
    """Return SELECT and the first projection with the missing word between them."""
    first = cursor.source.text[cursor.token.start : cursor.token.end]
    return f"SELECT {word} {first}".rstrip()


def _projections(cursor: Cursor, warnings: list[Diagnostic]) -> tuple[tree.Projection, ...]:
    projections = []
    while True:
        projections.append(_projection(cursor))
        comma = cursor.token
        if not cursor.take_mark(","):
            return tuple(projections)
        if cursor.is_word("FROM"):
            at = cursor.source.span((comma.start, comma.end))
            warnings.append(
                Diagnostic(
                    "LSQ801",
                    "a comma before FROM",
                    at,
                    help="remove it",
                    severity=Severity.WARNING,
                    fix=Fix(at, ""),
                )
            )
            return tuple(projections)
        if cursor.is_mark(","):
            cursor.fault("LSQ102", "two commas in a row", (comma.start, cursor.token.end), help="remove one")


def _projection(cursor: Cursor) -> tree.Projection:
    start = cursor.token.start
    wildcard = _wildcard(cursor)
    source = wildcard or expression(cursor)
    target = None
    at = cursor.extent(start)
    if cursor.take_words("AS"):
        if wildcard:
            cursor.fault("LSQ301", "a wildcard cannot have an alias", at, help="name the fields")
        target = _target(cursor)
    elif cursor.token.kind in ("name", "quoted") and cursor.token.upper not in RESERVED:
        refuse(cursor)
        if not cursor.is_word("FROM"):
            token = cursor.token
            cursor.fault("LSQ109", "an alias requires AS", (token.start, token.end), help=f"write AS {token.text}")
    return tree.Projection(source, target, cursor.extent(start))


def _wildcard(cursor: Cursor) -> tree.Wildcard | None:
    """Read `*`, or names joined by adjacent dots and hyphens that end in `.*`."""
    start, place = cursor.token.start, cursor.at
    if cursor.take_mark("*"):
        return tree.Wildcard((), cursor.extent(start))
    pieces: list[str] = []
    joined = False
    while cursor.token.kind in ("name", "quoted") or (pieces and cursor.token.kind == "number"):
        token = cursor.advance()
        word = token.text
        if token.kind == "number" and cursor.token.kind == "name" and cursor.token.start == token.end:
            word += cursor.advance().text
        if joined:
            pieces[-1] += "-" + word
        else:
            pieces.append(word)
        joined = False
        if word.endswith(".") and cursor.is_mark("*") and _ends_projection(cursor.ahead(1)):
            # `topic-1.*` is the number `1.` and a star; with a factor after it, it is a product.
            cursor.advance()
            pieces[-1] = pieces[-1][:-1]
            return tree.Wildcard(tuple(pieces), cursor.extent(start))
        if cursor.is_mark(".") and cursor.ahead(1).kind == "mark" and cursor.ahead(1).text == "*":
            cursor.advance()
            cursor.advance()
            return tree.Wildcard(tuple(pieces), cursor.extent(start))
        if cursor.take_mark("."):
            continue
        if cursor.is_mark("-") and cursor.token.start == cursor.previous_end:
            cursor.advance()
            joined = True
            continue
        break
    cursor.at = place
    return None


def _ends_projection(token: Token) -> bool:
    return token.upper in ("FROM", "AS") or token.kind == "end" or (token.kind == "mark" and token.text in ",;")


def _target(cursor: Cursor) -> tree.Target:
    start = cursor.token.start
    path = read_path(cursor, "an alias after AS")
    at = cursor.extent(start)
    if len(path) > MAX_DEPTH:
        cursor.fault("LSQ103", f"this alias has more than {MAX_DEPTH} levels", at)
    if path[0] in ("_key", "_value"):
        return tree.Target("key" if path[0] == "_key" else "value", path[1:], at)
    return tree.Target(None, path, at)
