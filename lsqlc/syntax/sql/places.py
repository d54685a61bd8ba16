"""Extents of the nodes of a statement.

sqlglot keeps the positions of names, literals and most functions. The others are computed from their parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

from lsqlc.diagnostics.source import Extent

_OPENING, _CLOSING = ("(", "["), (")", "]")
# Tokens before an operand.
_BEFORE_SIGN = frozenset((
    "(", "[", ",", "+", "-", "*", "/", "%", "=", "==", "<", ">", "<=", ">=", "<>", "!=", "<=>", "||", "SELECT", "WHERE",
    "DISTINCT", "HAVING", "QUALIFY", "ON", "BY", "AND", "OR", "NOT", "BETWEEN", "LIKE", "RLIKE", "REGEXP", "DIV",
    "CASE", "WHEN", "THEN", "ELSE", "FROM", "RETURN",
))  # fmt: skip
# Functions in sqlglot's tree that are operators in the text.
_INFIX = (exp.Binary, exp.Cast, exp.TryCast, exp.Case)


def mark(token: Token) -> str:
    """Return the word or the sign of a token, in upper case; empty for a string or a quoted name."""
    return token.text.upper() if token.end - token.start < len(token.text) else ""


def parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the direct children of a node, in the order of its arguments."""
    for value in node.args.values():
        yield from _nodes(value)


def _nodes(value: object) -> Iterator[exp.Expr]:
    """Yield the nodes of an argument."""
    if isinstance(value, exp.Expr):
        yield value
    elif isinstance(value, list):
        yield from (v for v in value if isinstance(v, exp.Expr))


class Places:
    """The extents of all nodes of one statement."""

    def __init__(self, root: exp.Expr, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._words = [mark(token) for token in tokens]
        self._at = {token.start: i for i, token in enumerate(tokens)}
        self._partner = _partners(tokens)
        self._found: dict[int, Extent] = {}
        self._whole = (tokens[0].start, tokens[-1].end + 1) if tokens else (0, 0)
        order = [root]
        for node in order:
            order += parts(node)
        for node in reversed(order):
            extent = self._of(node)
            if extent is not None:
                self._found[id(node)] = extent
            if isinstance(node, exp.Select):
                self._found.update(zip(map(id, node.expressions), self._items(node), strict=False))
        self._found.setdefault(id(root), self._whole)
        for node in order:
            for part in parts(node):
                self._found.setdefault(id(part), self._found[id(node)])

    def of(self, node: object) -> Extent:
        """Return the extent of a node.

        A node without positions has the extent of its parent, and any other object that of the whole text.
        """
        return self._found.get(id(node), self._whole)

    def before(self, node: object) -> Token | None:
        """Return the token before a node; None for the first one, and for a node without an extent of its own."""
        index = self._at.get(self.of(node)[0])
        return self._tokens[index - 1] if index else None

    def has_sign(self, node: object) -> bool:
        """Return whether an unary plus precedes a node."""
        index = self._at.get(self.of(node)[0], 0)
        if index == 0 or self._tokens[index - 1].token_type != TokenType.PLUS:
            return False
        return index == 1 or mark(self._tokens[index - 2]) in _BEFORE_SIGN

    def _of(self, node: exp.Expr) -> Extent | None:
        extents = [part_extent for part in parts(node) if (part_extent := self._found.get(id(part))) is not None]
        meta = node.meta if node._meta else {}
        if "start" in meta and "end" in meta:
            extents.append((meta["start"], meta["end"] + 1))
        if not extents:
            return None
        start, end = min(e[0] for e in extents), max(e[1] for e in extents)
        first = self._at.get(start)
        if first is None:
            return start, end
        if isinstance(node, exp.Case):
            return self._case(first, end)
        if isinstance(node, (exp.Paren, exp.Subquery)):
            closed = self._close(first - 1) if first else 0
            return (self._tokens[first - 1].start, max(end, closed)) if closed else (start, end)
        if isinstance(node, exp.Select):
            return self._behind("SELECT", first), end
        if isinstance(node, (exp.Cast, exp.TryCast)):
            return self._called(first, end, ("CAST", "TRY_CAST"))
        if isinstance(node, exp.Func) and not isinstance(node, _INFIX):
            if "start" in meta:
                return start, max(end, self._close(first + 1))
            return self._called(first, end, ())
        return start, end

    def _items(self, select: exp.Select) -> list[Extent]:
        """Return the extents of the items of a SELECT list, which are between commas; empty if they are ambiguous."""
        inner = [p for name, value in select.args.items() if name != "with_" for p in _nodes(value)]
        starts = [self._found[id(part)][0] for part in inner if id(part) in self._found]
        first = self._at.get(min(starts)) if starts else None
        if first is None:
            return []
        words = self._words
        while first >= 0 and words[first] != "SELECT":
            first -= 1
        first += 1 + (words[first + 1 : first + 2] == ["DISTINCT"])
        extents: list[Extent] = []
        begin = index = first
        while index < len(words):
            ends = words[index] == "FROM" and words[index - 1] != "DISTINCT"
            if (words[index] == "," or ends) and begin < index:
                extents.append((self._tokens[begin].start, self._tokens[index - 1].end + 1))
                begin = index + 1
            if ends:
                break
            index = self._partner.get(index, index) + 1
        return extents if len(extents) == len(select.expressions) else []

    def _close(self, index: int) -> int:
        """Return the end of a bracket that opens at a token; 0 if the token is not an opening bracket."""
        partner = self._partner.get(index)
        return self._tokens[partner].end + 1 if partner is not None else 0

    def _called(self, first: int, end: int, names: tuple[str, ...]) -> Extent:
        """Return the extent of the call of one of the functions, or of any, whose first argument begins at a token."""
        start = self._tokens[first].start
        if first >= 2 and self._tokens[first - 1].text == "(":
            name, close = self._tokens[first - 2], self._close(first - 1)
            is_named = name.text.upper() in names if names else name.text[:1].isalpha()
            if is_named and close >= end:
                return name.start, close
        return start, end

    def _behind(self, word: str, first: int) -> int:
        """Return the start of the last occurrence of a word before a token; the start of the token if there is none."""
        before = (t.start for t in reversed(self._tokens[:first]) if mark(t) == word)
        return next(before, self._tokens[first].start)

    def _case(self, first: int, end: int) -> Extent:
        """Return the extent from the CASE before a token to its END."""
        start = self._tokens[first].start
        for index in range(first - 1, -1, -1):
            if mark(self._tokens[index]) == "CASE":
                start = self._tokens[index].start
                break
            if mark(self._tokens[index]) not in ("WHEN", "("):
                return start, end
        depth = 0
        for token in self._tokens[self._at[start] :]:
            depth += (mark(token) == "CASE") - (mark(token) == "END")
            if depth == 0:
                return start, max(end, token.end + 1)
        return start, end


def _partners(tokens: Sequence[Token]) -> dict[int, int]:
    """Return the index of the closing token of each opening one."""
    closing: dict[int, int] = {}
    open: list[int] = []
    for index, token in enumerate(tokens):
        if mark(token) in _OPENING:
            open.append(index)
        elif mark(token) in _CLOSING and open:
            closing[open.pop()] = index
    return closing
