"""The format of ksqlDB programs by `lsqlc fmt`: a line for each clause, and for each item if a list does not fit on one
line.

The layout consists of the words in the text. Names keep their case, and words of the language are in upper case. Other
choices of the author are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from lsqlc.syntax.formatting.align import laid_out, same_comments
from lsqlc.syntax.formatting.layout import INDENT, Doc, Group, Hard, Line, Nest, Text, comma_list
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.expressions import RESERVED
from lsqlc.syntax.ksql.parser import parse
from lsqlc.syntax.ksql.variables import whole
from lsqlc.syntax.tokens import Token, tokenize

# Words of a clause that begins a line.
_CLAUSES = ("FROM", "WHERE", "HAVING", "WINDOW", "LIMIT", "VALUES")
_JOINS = ("INNER", "LEFT", "RIGHT", "FULL", "OUTER", "JOIN")
_AT_START = (
    "DEFINE",
    "UNDEFINE",
    "STREAM",
    "TABLE",
    "SOURCE",
    "REPLACE",
    "IF",
    "EXISTS",
    "INTO",
    "SET",
    "UNSET",
    "OR",
    "NOT",
)
_TYPES = (
    "BOOLEAN", "INT", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR", "STRING", "BYTES", "DATE", "TIME", "TIMESTAMP",
    "DECIMAL", "ARRAY", "MAP", "STRUCT", "KEY", "PRIMARY", "HEADER", "HEADERS",
)  # fmt: skip
_WINDOWS = ("TUMBLING", "HOPPING", "SESSION")
_IN_WINDOWS = ("SIZE", "ADVANCE", "BY", "GRACE", "PERIOD", "RETENTION")
_UNITS = ("DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND")
_WORDS, _NO_CALLS = RESERVED - {"PARTITION", "EMIT", "CROSS"}, RESERVED - {"LEFT", "RIGHT"}
_OPENING, _CLOSING = ("(", "["), (")", "]")
_OPERATORS = ("+", "-", "*", "/", "%", "=", "<>", "!=", "<", "<=", ">", ">=", "||", ":=", "=>", "(", "[", ",")


def format_ksql(program: ksql.Program, restore: Callable[[str], str] | None = None) -> str:
    """Return the program's formatted text, with its comments.

    `restore`, for a template: returns the tags that names stand for, before the layout is computed.
    """
    tokens = whole(tokenize(program.source, "ksql")[0])
    source = program.source.text
    docs = []
    for statement in _statements(tokens):
        is_setting = statement[0].upper in ("SET", "UNSET", "DEFINE", "UNDEFINE")
        docs.append((_Writer(source, statement).document(), is_setting))
    return laid_out(program.source, tokens, docs, restore)


def is_same(before: ksql.Program, text: str) -> bool:
    """Return whether a text is the same program, except for extents, with the same comments."""
    after = parse(text, before.source.path).program
    if after is None or not same_comments(before.source, after.source, "ksql"):
        return False
    one, two = ((p.settings, p.statements, p.definitions) for p in (before, after))
    return same_parts(one, two, _judged)


def _judged(one: object, two: object) -> bool | None:
    """Return equality for EMIT FINAL, which has only an extent in a query; None for any other part."""
    assert type(one) is type(two)
    return False if _is_final(one) != _is_final(two) else None


def _is_final(part: object) -> bool:
    return getattr(part, "final_at", None) is not None


def _statements(tokens: Sequence[Token]) -> Iterator[tuple[Token, ...]]:
    """Yield the tokens of each statement, without the semicolons."""
    statement_tokens: list[Token] = []
    for token in tokens:
        if token.kind == "end" or (token.kind == "mark" and token.text == ";"):
            if statement_tokens:
                yield tuple(statement_tokens)
            statement_tokens = []
        else:
            statement_tokens.append(token)


def _is(token: Token | None, *marks: str) -> bool:
    return token is not None and token.kind == "mark" and token.text in marks


class _Writer:
    """A writer that creates the document of one statement from its tokens."""

    def __init__(self, source: str, tokens: tuple[Token, ...]) -> None:
        self._source = source
        self._tokens = tokens
        self._closing = _matches(tokens)
        self._around = _around(tokens, self._closing)
        self._in_types = _in_types(tokens)
        words = [t.upper for t in tokens]
        self._select = words.index("SELECT") if "SELECT" in words else len(tokens)

    def document(self) -> Doc:
        breaks = [i for i in range(1, len(self._tokens)) if self._begins_line(i)]
        parts: list[Doc] = []
        nested = self._select > 0
        for start, end in zip([0, *breaks], [*breaks, len(self._tokens)], strict=True):
            line = self._clause(start, end)
            parts.append(Nest(INDENT, (Hard(), line)) if start and nested else (Hard(), line) if start else line)
        return *parts, Text(";", "end")

    def _begins_line(self, at: int) -> bool:
        """Return whether a clause begins at a token, which is not in parentheses."""
        if self._around[at] is not None:
            return False
        word, before = self._tokens[at].upper, self._tokens[at - 1].upper
        after = self._tokens[at + 1].upper if at + 1 < len(self._tokens) else ""
        if word == "SELECT":
            return True
        if word == "WITH":
            # After columns it has a line of its own.
            return _is(self._tokens[at - 1], ")")
        if at < self._select:
            return word == "VALUES" and _is(self._tokens[at - 1], ")")
        if word in _JOINS:
            return before not in _JOINS and not _is(self._tokens[at + 1] if after == "" else None, "(")
        if word in ("GROUP", "PARTITION"):
            return after == "BY"
        if word == "EMIT":
            return after in ("CHANGES", "FINAL")
        return word in _CLAUSES and not (word == "FROM" and before == "DISTINCT")

    def _clause(self, start: int, end: int) -> Doc:
        """Return one line, or more: a list breaks at its commas, a condition at AND and OR."""
        if self._tokens[start].upper == "SELECT":
            items = self._items(start + 1, end)
            return Group((self._leaf(start), Text(" ", "free"), comma_list(items)))
        return Group(self._sequence(start, end))

    def _items(self, start: int, end: int) -> list[Doc]:
        """Return the items between the commas outside of parentheses."""
        items, first, at = [], start, start
        while at < end:
            if at in self._closing:
                at = self._closing[at]
            elif _is(self._tokens[at], ",") and at not in self._in_types:
                items.append(self._sequence(first, at))
                first = at + 1
            at += 1
        items.append(self._sequence(first, end))
        return items

    def _sequence(self, start: int, end: int) -> Doc:
        parts: list[Doc] = []
        at, between, cases = start, False, 0
        while at < end:
            token = self._tokens[at]
            if at > start:
                joins = token.upper == "OR" or (token.upper == "AND" and not between)
                line = joins and not cases and at > self._select
                parts.append(Nest(INDENT, Line()) if line else Text(" " if self._spaced(at) else "", "free"))
            between = token.upper == "BETWEEN" or (between and token.upper != "AND")
            cases += (token.upper == "CASE") - (token.upper == "END")
            parts.append(self._leaf(at))
            if at in self._closing:
                closing = self._closing[at]
                if closing > at + 1:
                    inner = comma_list(self._items(at + 1, closing))
                    whole = (parts.pop(), Nest(INDENT, Line("")), inner, Line(""), self._leaf(closing))
                    parts.append(Group(whole))
                else:
                    parts.append(self._leaf(closing))
                at = closing
            at += 1
        return tuple(parts)

    def _leaf(self, at: int) -> Text:
        token = self._tokens[at]
        text = self._source[token.start : token.end]
        return Text(token.upper if token.kind == "name" and self._is_word(at) else text, "at", (token.start, token.end))

    def _is_word(self, at: int) -> bool:
        """Return whether a word is one of the language, and not a name."""
        word = self._tokens[at].upper
        before = self._tokens[at - 1] if at else None
        after = self._tokens[at + 1] if at + 1 < len(self._tokens) else None
        if _is(before, ".", "->"):
            return False
        if at == 0 or word in _WORDS:
            return True
        if word in _AT_START and at < min(self._select, 8) and self._tokens[0].upper in ("CREATE", "INSERT"):
            return True
        if word == "VALUES" and self._tokens[0].upper == "INSERT" and at < self._select:
            return True
        if word == "DISTINCT" and before is not None and before.upper in ("IS", "NOT"):
            return True
        if word == "ESCAPE" and after is not None and after.kind == "string":
            return True
        if word in ("PARTITION", "EMIT", "CHANGES", "FINAL"):
            pair = (word, after.upper if after else "") if word in ("PARTITION", "EMIT") else (before.upper, word)  # type: ignore[union-attr]
            return pair in (("PARTITION", "BY"), ("EMIT", "CHANGES"), ("EMIT", "FINAL"))
        if word in _TYPES and (self._is_type(at) or _is(after, "<", "(", "[")):
            return True
        if before is not None and before.kind == "number" and word.removesuffix("S") in _UNITS:
            return before.end < self._tokens[at].start
        if word in (*_WINDOWS, *_IN_WINDOWS):
            return self._in_window(at)
        return _is(after, "(") and at > self._select

    def _is_type(self, at: int) -> bool:
        """Return whether a word is in the position of a type: after a column's name, in another type, or after AS in
        CAST.
        """
        before = self._tokens[at - 1]
        if at in self._in_types or before.upper in ("PRIMARY", *_TYPES):
            return True
        if at < self._select:
            return self._tokens[0].upper == "CREATE" and before.kind in ("name", "quoted") and at > 3
        return before.upper == "AS" and self._around[at] is not None

    def _in_window(self, at: int) -> bool:
        """Return whether a word is in the definition of a window, or in the grace of a join."""
        if self._tokens[at].upper in _WINDOWS:
            return any(t.upper == "WINDOW" for t in self._tokens[max(at - 2, 0) : at])
        if self._tokens[at].upper in ("GRACE", "PERIOD"):
            return True
        return self._tokens[(self._around[at] or 0) - 1].upper in _WINDOWS

    def _spaced(self, at: int) -> bool:
        """Return whether there is a space before a token."""
        token, before = self._tokens[at], self._tokens[at - 1]
        touches = before.end == token.start
        if before.kind == "number" and token.kind in ("name", "number") and touches:
            return False
        if _is(token, ",", ".", "->", *_CLOSING) or _is(before, ".", "->", *_OPENING):
            return False
        if at in self._in_types and (_is(token, "<", ">") or _is(before, "<")):
            return False
        if _is(token, "["):
            return not (before.kind in ("name", "quoted") or _is(before, *_CLOSING))
        if _is(token, "("):
            return not self._calls(at - 1)
        if _is(before, "-", "+") and (at < 2 or _is_operand_wanted(self._tokens[at - 2])):
            # A sign. Two adjacent ones would begin a comment.
            return _is(token, "-")
        return True

    def _calls(self, at: int) -> bool:
        """Return whether a name before an opening parenthesis is that of a function or of a type."""
        token = self._tokens[at]
        if token.kind != "name" or token.upper in _NO_CALLS or token.upper in (*_WINDOWS, "VALUES"):
            return False
        return at > self._select or (self._is_word(at) and at > 3) or self._tokens[at - 1].kind == "mark"


def _is_operand_wanted(token: Token) -> bool:
    return _is(token, *_OPERATORS) or token.upper in RESERVED


def _matches(tokens: Sequence[Token]) -> dict[int, int]:
    """Return the index of each closing parenthesis, by the index of its opening one."""
    closing_by_opening: dict[int, int] = {}
    pending: list[int] = []
    for number, token in enumerate(tokens):
        if _is(token, *_OPENING):
            pending.append(number)
        elif _is(token, *_CLOSING) and pending:
            closing_by_opening[pending.pop()] = number
    return closing_by_opening


def _around(tokens: Sequence[Token], closing: Mapping[int, int]) -> list[int | None]:
    """Return for each token the innermost parenthesis around it, or None."""
    parentheses: list[int | None] = []
    pending: list[int] = []
    for number, _ in enumerate(tokens):
        if pending and closing[pending[-1]] == number:
            pending.pop()
        parentheses.append(pending[-1] if pending else None)
        if number in closing:
            pending.append(number)
    return parentheses


def _in_types(tokens: Sequence[Token]) -> frozenset[int]:
    """Return the indexes of the tokens from the `<` of a type to its `>`."""
    indexes: set[int] = set()
    depth = 0
    for number, token in enumerate(tokens):
        opens = _is(token, "<") and number and tokens[number - 1].upper in ("ARRAY", "MAP", "STRUCT")
        depth += bool(opens)
        if depth:
            indexes.add(number)
        if depth and _is(token, ">"):
            depth -= 1
    return frozenset(indexes)
