"""AUTO CDC of Spark's declarative pipelines, and APPLY CHANGES, its older name: a flow of changes into a table.

sqlglot does not read these statements. Their clauses are found here by their first words. The source and the
expressions in them are read as in any query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NoReturn

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import SyntaxFault
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.places import Places, mark
from lsqlc.syntax.sql.queries import Queries

# Reads tokens as one statement, or raises SyntaxFault.
Reader = Callable[[SourceText, list[Token]], exp.Expr]

# The clauses after the source. Of two with the same first words, the longer one comes first.
_CLAUSES: tuple[tuple[str, ...], ...] = (
    ("KEYS",),
    ("IGNORE", "NULL", "UPDATES"),
    ("APPLY", "AS", "DELETE", "WHEN"),
    ("APPLY", "AS", "TRUNCATE", "WHEN"),
    ("SYSTEM", "SEQUENCE", "BY"),
    ("SEQUENCE", "BY"),
    ("COLUMNS", "TO", "UPDATE"),
    ("COLUMNS",),
    ("STORED", "AS"),
    ("TRACK", "HISTORY", "ON"),
)
# Clauses without arguments.
_EMPTY = (("IGNORE", "NULL", "UPDATES"),)
# Required clauses, with the help.
_REQUIRED = {
    "KEYS": "say what identifies a row: KEYS (id)",
    "SEQUENCE BY": "say which of two changes is the newer one: SEQUENCE BY column",
}
# Clauses of Databricks that are not supported, with the help.
_UNSUPPORTED: Mapping[str, str] = {
    "APPLY AS TRUNCATE WHEN": "delete each row by a change of its own: APPLY AS DELETE WHEN condition",
    "SYSTEM SEQUENCE BY": "write SEQUENCE BY STRUCT(a, b): b decides where a is equal",
    "COLUMNS TO UPDATE": "write the columns that the table has: COLUMNS (a, b)",
}
_OPENINGS = (("AUTO", "CDC"), ("APPLY", "CHANGES"))
_WORD = re.compile(r"[A-Z_]\w*")
_OPEN, _CLOSED = ("(", "["), (")", "]")


def statements_of(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens of each statement of a text, without the semicolons."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def opening(tokens: Sequence[Token]) -> int | None:
    """Return the index of the first of the words AUTO CDC or APPLY CHANGES in a flow; None for other statements."""
    words = [mark(token) for token in tokens]
    if tuple(words[:2]) in _OPENINGS:
        return 0
    pairs = enumerate(pairwise(words)) if words[:1] == ["CREATE"] else ()
    return next((i for i, pair in pairs if pair in _OPENINGS and words[i - 1] in ("AS", "FLOW")), None)


def read_flow(source: SourceText, tokens: Sequence[Token], read: Reader) -> sql.Program | None:
    """Return the program of a flow of changes, which may follow the CREATE of its table; None for any other program.

    Raises SyntaxFault.
    """
    statements = statements_of(tokens)
    flows = [each for each in statements if opening(each) is not None]
    if not flows:
        plain = next((each for each in statements if [mark(t) for t in each[:2]] == ["CREATE", "FLOW"]), None)
        if plain is not None:
            _fault(source, "LSQ450", "CREATE FLOW without AUTO CDC is not supported in models of the dialect sql",
                   (plain[0].start, plain[1].end + 1), "a model is one query: SELECT ... FROM topic")  # fmt: skip
        return None
    place = statements.index(flows[0])
    others = [*statements[1:place], *statements[place + 1 :]]
    if others:
        _fault(source, "LSQ450", "a statement beside AUTO CDC is not supported in models of the dialect sql",
               (others[0][0].start, others[0][0].end + 1), "write each in a model of its own")  # fmt: skip
    created = _Words(source, statements[0]).created() if place else None
    return _program(source, flows[0], created, read)


def parts_of(source: SourceText, tokens: Sequence[Token]) -> tuple[list[Token], list[Piece]]:
    """Return the tokens of a flow before FROM, and its clauses from there on.

    Raises SyntaxFault.
    """
    words = _Words(source, tokens)
    words.header()
    pieces = list(words.pieces().values())
    return list(tokens[: tokens.index(pieces[0].head[0])]), pieces


def _program(source: SourceText, tokens: list[Token], created: tree.Name | None, read: Reader) -> sql.Program:
    words = _Words(source, tokens)
    target, own = words.header()
    pieces = words.pieces()
    whole: Extent = (tokens[0].start, tokens[-1].end + 1)
    for word, piece in pieces.items():
        if word in _UNSUPPORTED:
            _unsupported(source, word, piece.at, _UNSUPPORTED[word])
    for word, help in _REQUIRED.items():
        if word not in pieces:
            _fault(source, "LSQ473", f"AUTO CDC requires {word}", target.at, help)
    expressions = _Expressions(source, read)
    delete = pieces.get("APPLY AS DELETE WHEN")
    stored, tracked = pieces.get("STORED AS"), pieces.get("TRACK HISTORY ON")
    versions = stored is not None and words.kind(stored) == "SCD TYPE 2"
    if tracked is not None and not versions:
        _fault(source, "LSQ473", "TRACK HISTORY ON requires STORED AS SCD TYPE 2", tracked.at,
               "add STORED AS SCD TYPE 2, or remove it: SCD TYPE 1 has no history")  # fmt: skip
    columns = pieces.get("COLUMNS")
    flow = sql.ChangeFlow(
        target,
        words.listed(pieces["KEYS"]),
        expressions.value(pieces["SEQUENCE BY"]),
        expressions.value(delete) if delete is not None else None,
        words.columns(columns) if columns is not None else None,
        versions,
        words.columns(tracked) if tracked is not None else None,
        words.ignoring(pieces["IGNORE NULL UPDATES"]) if "IGNORE NULL UPDATES" in pieces else None,
        created or own,
        whole,
    )
    query = expressions.source_of(pieces["FROM"], whole, target.at)
    return sql.Program(source, None, None, query, flow=flow)


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause. `words`: its first words. `head`: these as tokens. `tokens`: the rest. `before`: the token before the
    clause.
    """

    words: str
    before: Token
    head: tuple[Token, ...]
    tokens: tuple[Token, ...]
    at: Extent

    @property
    def as_query(self) -> list[Token]:
        """Return the tokens of a query of the whole source, or of the one expression."""
        if self.words != "FROM":
            return [_as(self.head[-1], TokenType.SELECT, "SELECT"), *self.tokens]
        # Two words are added that the text does not have; the first one is at a blank.
        words = (_as(self.before, TokenType.SELECT, "SELECT", back=1), _as(self.before, TokenType.STAR, "*"))
        return [*words, *self.head, *self.tokens]


class _Words:
    """A reader of the tokens of one statement, from left to right."""

    def __init__(self, source: SourceText, tokens: Sequence[Token]) -> None:
        self._source = source
        self._tokens = tokens
        self._index = 0

    def created(self) -> tree.Name:
        """Return the name in a CREATE STREAMING TABLE without other clauses."""
        name = self._create()
        if self._index < len(self._tokens):
            self._refuse_property()
        return name

    def header(self) -> tuple[tree.Name, tree.Name | None]:
        """Return the target of a flow, and the name of the CREATE that the flow is a part of."""
        if self._take("CREATE", "FLOW"):
            if self._take("IF"):
                self._unsupported_here("IF NOT EXISTS", "a model is always what its text says; remove it")
            self._name("the name of the flow")
            if self._take("COMMENT"):
                self._index += 1
            self._expect("AS")
        elif self._words(1) == ("CREATE",):
            name = self._create()
            if not self._take("FLOW"):
                self._refuse_property()
            self._index += 2
            if self._words(1) == ("ONCE",):
                self._refuse_once()
            return name, name
        self._index += 2
        if self._words(1) == ("ONCE",):
            self._refuse_once()
        self._expect("INTO")
        return self._name("the name of the table"), None

    def pieces(self) -> dict[str, Piece]:
        """Return FROM and the clauses after it, by their first words."""
        starts: list[tuple[int, tuple[str, ...]]] = [(self._index, ("FROM",))]
        self._expect("FROM")
        depth, behind = 0, self._index
        for index in range(self._index, len(self._tokens)):
            word = mark(self._tokens[index])
            depth += (word in _OPEN) - (word in _CLOSED)
            if depth < 0:
                token = self._tokens[index]
                place = (token.start, token.end + 1)
                _fault(self._source, "LSQ473", f"this '{word}' closes nothing", place, "remove it")
            if starts[-1][1] == ("FROM",) and self._words(1, index - 1) == ("AS",):
                # The name of the source, which may be the first word of a clause.
                continue
            # The token directly after the words of a clause belongs to it, with any name.
            is_keys = self._words(2, index) == ("KEYS", "(")
            if depth or index < behind or (index == behind and starts[-1][1] not in _EMPTY and not is_keys):
                continue
            clause = next((c for c in _CLAUSES if self._words(len(c), index) == c), None)
            if clause is not None:
                starts.append((index, clause))
                behind = index + len(clause)
        if depth > 0:
            self._expected("')'", len(self._tokens))
        clauses: dict[str, Piece] = {}
        for (start, clause), end in zip(starts, [*(s for s, _ in starts[1:]), len(self._tokens)], strict=True):
            first = start + len(clause)
            words, place = " ".join(clause), (self._tokens[start].start, self._tokens[first - 1].end + 1)
            if words in clauses:
                _fault(self._source, "LSQ473", f"{words} is there twice", place, "remove one")
            if first == end and clause not in _EMPTY:
                self._expected(f"{'a source' if words == 'FROM' else 'an expression'} behind {words}", end)
            at = (place[0], self._tokens[end - 1].end + 1)
            head = tuple(self._tokens[start:first])
            clauses[words] = Piece(words, self._tokens[start - 1], head, tuple(self._tokens[first:end]), at)
        return clauses

    def kind(self, piece: Piece) -> str:
        """Return the kind in STORED AS."""
        text = " ".join(mark(token) for token in piece.tokens)
        if text not in ("SCD TYPE 1", "SCD TYPE 2"):
            _unsupported(self._source, f"STORED AS {text}", piece.at, "write STORED AS SCD TYPE 1, or SCD TYPE 2")
        return text

    def listed(self, piece: Piece) -> tuple[tree.Name, ...]:
        """Return the names in `(a, b)`, or `a, b`."""
        inner = _Words(self._source, piece.tokens)
        closed = inner._take("(")
        names = [inner._name("the name of a column")]
        while inner._take(","):
            names.append(inner._name("the name of a column"))
        if closed:
            inner._expect(")")
        if inner._index < len(piece.tokens):
            inner._expected(f"',' or the end of {piece.words}", inner._index)
        twice = next((n for i, n in enumerate(names) if n.text.casefold() in [o.text.casefold() for o in names[:i]]),
                     None)  # fmt: skip
        if twice is not None:
            _fault(self._source, "LSQ473", f"{piece.words} has '{twice.text}' twice", twice.at, "remove one")
        return tuple(names)

    def columns(self, piece: Piece) -> sql.ColumnList:
        """Return `(a, b)`, or `* EXCEPT (a, b)`."""
        excluded = mark(piece.tokens[0]) == "*"
        if excluded:
            inner = _Words(self._source, piece.tokens)
            inner._index = 1
            inner._expect("EXCEPT")
            piece = replace(piece, tokens=piece.tokens[2:])
            if not piece.tokens:
                inner._expected("columns behind EXCEPT", inner._index)
        return sql.ColumnList(self.listed(piece), excluded, piece.at)

    def ignoring(self, piece: Piece) -> sql.ColumnList:
        """Return the columns after ON; without it all columns."""
        if not piece.tokens:
            return sql.ColumnList((), True, piece.at)
        inner = _Words(self._source, piece.tokens)
        inner._expect("ON")
        if len(piece.tokens) == 1:
            inner._expected("columns behind ON", 1)
        return self.columns(replace(piece, tokens=piece.tokens[1:]))

    def _create(self) -> tree.Name:
        self._expect("CREATE")
        if self._take("OR") and not self._take("REFRESH"):
            self._unsupported_here("OR REPLACE", "a model is always what its text says; remove it")
        self._expect("STREAMING")
        self._expect("TABLE")
        if self._take("IF"):
            self._unsupported_here("IF NOT EXISTS", "a model is always what its text says; remove it")
        return self._name("the name of the table")

    def _refuse_property(self) -> NoReturn:
        token = self._tokens[self._index]
        what = "a list of columns" if mark(token) == "(" else "a property"
        help = "remove it; the flow says what the columns are"
        _unsupported(self._source, f"{what} behind the name of the table", (token.start, token.end + 1), help)

    def _refuse_once(self) -> NoReturn:
        token = self._tokens[self._index]
        help = "remove it; a topic is read from its first record on"
        _unsupported(self._source, "AUTO CDC ONCE", (token.start, token.end + 1), help)

    def _unsupported_here(self, what: str, help: str) -> NoReturn:
        token = self._tokens[self._index - 1]
        _unsupported(self._source, what, (token.start, token.end + 1), help)

    def _words(self, count: int, index: int | None = None) -> tuple[str, ...]:
        first = self._index if index is None else index
        return tuple(mark(token) for token in self._tokens[first : first + count])

    def _take(self, *words: str) -> bool:
        """Read these words if they are next; return whether they are."""
        is_next = self._words(len(words)) == words
        self._index += len(words) if is_next else 0
        return is_next

    def _expect(self, word: str) -> None:
        if not self._take(word):
            self._expected(f"'{word}'", self._index)

    def _name(self, what: str) -> tree.Name:
        """Read a name, which may have dots in it."""
        first = self._index
        parts: list[str] = []
        while True:
            if self._index >= len(self._tokens):
                self._expected(what, self._index)
            token = self._tokens[self._index]
            if token.token_type != TokenType.IDENTIFIER and not _WORD.fullmatch(mark(token)):
                self._expected(what, self._index)
            parts.append(token.text)
            self._index += 1
            if not self._take("."):
                break
        at = (self._tokens[first].start, self._tokens[self._index - 1].end + 1)
        return tree.Name(".".join(parts), at)

    def _expected(self, what: str, index: int) -> NoReturn:
        if index < len(self._tokens):
            token = self._tokens[index]
            _fault(self._source, "LSQ102", f"expected {what}, found '{token.text}'", (token.start, token.end + 1))
        last = self._tokens[-1]
        _fault(self._source, "LSQ102", f"expected {what}, but the statement ends here", (last.start, last.end + 1))


class _Expressions:
    """A reader of the source and the expressions of a flow as parts of queries."""

    def __init__(self, source: SourceText, read: Reader) -> None:
        self._source = source
        self._read = read

    def value(self, piece: Piece) -> tree.Expression:
        """Return the one expression of a clause."""
        statement, queries = self._select(piece)
        queries.only(statement, "expressions")
        items = queries.listed(statement.args.get("expressions"))
        if len(items) != 1 or isinstance(items[0], (exp.Alias, exp.Star)):
            _fault(self._source, "LSQ102", f"expected one expression behind {piece.words}", piece.at)
        return queries.expression(items[0])

    def source_of(self, piece: Piece, whole: Extent, target: Extent) -> sql.Query:
        """Return a query of the whole source of FROM."""
        statement, queries = self._select(piece)
        query = queries.query(statement)
        body = query.body
        assert isinstance(body, sql.Select), "the statement begins with SELECT"
        plain = sql.Select(body.items, False, body.source, (), None, (), None, body.at, body.items_at)
        if replace(body, at=plain.at) != plain or query.withs:
            _unsupported(self._source, "a clause of a query behind FROM", piece.at,
                         "write a query in parentheses: FROM (SELECT ... FROM STREAM(topic) WHERE ...)")  # fmt: skip
        return sql.Query((), replace(body, at=whole, items_at=target), whole)

    def _select(self, piece: Piece) -> tuple[exp.Select, Queries]:
        tokens = piece.as_query
        statement = self._read(self._source, tokens)
        if not isinstance(statement, exp.Select):
            _fault(self._source, "LSQ102", f"expected one expression behind {piece.words}", piece.at)
        return statement, Queries(self._source, Places(statement, tokens))


def _as(token: Token, type: TokenType, text: str, back: int = 0) -> Token:
    """Return a word that the text does not have, at the first letter of a token. `back`: the distance before it."""
    start = max(token.start - back, 0)
    return Token(type, text, token.line, token.col, start, start, [])


def _unsupported(source: SourceText, what: str, at: Extent, help: str) -> NoReturn:
    _fault(source, "LSQ499", f"{what} is not supported in models of the dialect sql", at, help)


def _fault(source: SourceText, code: str, message: str, at: Extent, help: str | None = None) -> NoReturn:
    raise SyntaxFault(Diagnostic(code, message, source.span(at), help=help))
