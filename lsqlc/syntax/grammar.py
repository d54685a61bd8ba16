"""Expressions of every dialect, by operator precedence: one reader, driven by the dialect's `Grammar`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import MAX_DEPTH, Cursor
from lsqlc.syntax.limits import check_chain, check_levels, too_deep
from lsqlc.syntax.tokens import Kind

_LOOSEST = 0
# Kinds of tokens that are looked up by what they are, not by their kind.
_SYMBOLS = ("name", "mark")


@dataclass(frozen=True, slots=True)
class Infix:
    """An operator behind its left operand.

    `read(reader, left, start, level)` takes the operator, which is the next token, and what follows. `start`: the
    offset where the left operand begins; `level`: that of the operator. `flat`: any number of them make one level of
    the tree; else they group from the left, and each is a level of its own. `negatable`: NOT may stand before it.
    """

    read: Callable[[Reader, tree.Expression, int, int], tree.Expression]
    flat: bool = False
    negatable: bool = False


@dataclass(frozen=True, slots=True)
class Prefix:
    """An operator before its operand. `read(reader, level)` takes it, which is the next token, and the operand."""

    read: Callable[[Reader, int], tree.Expression]


Level = Mapping[str, Infix | Prefix]
# Both give None, and take nothing, where the next token does not begin what they read.
Operand = Callable[["Reader"], tree.Expression | None]
Postfix = Callable[["Reader", tree.Expression, int], tree.Expression | None]


@dataclass(frozen=True)
class Grammar:
    """What the expressions of a dialect are made of. Words and marks are keys, words in upper case.

    `levels`: the operators, the loosest first. `postfixes`: what follows an operand, by its mark; each takes the
    operand and the offset where it begins. `literals`: what a token is by its kind. `operands`: what begins with a word
    or a mark. `call` reads the call of a function whose name is the next token; the words `uncallable` name none.
    `reserved`: whether the next token is a word that cannot be a name here. `deep_help`: the help where an expression
    has too many levels.
    """

    levels: tuple[Level, ...]
    literals: Mapping[Kind, Operand]
    call: Callable[[Reader], tree.Expression]
    deep_help: str
    operands: Mapping[str, Operand] = field(default_factory=dict)
    postfixes: Mapping[str, Postfix] = field(default_factory=dict)
    reserved: Callable[[Cursor], bool] = lambda cursor: False
    uncallable: frozenset[str] = frozenset()

    @cached_property
    def infixes(self) -> Mapping[str, tuple[int, Infix]]:
        """The operators behind their left operand, with their level."""
        found = ((i, word, op) for i, level in enumerate(self.levels) for word, op in level.items())
        return {word: (i, op) for i, word, op in found if isinstance(op, Infix)}

    @cached_property
    def prefixes(self) -> Mapping[str, tuple[int, Prefix]]:
        """The operators before their operand, with their level."""
        found = ((i, word, op) for i, level in enumerate(self.levels) for word, op in level.items())
        return {word: (i, op) for i, word, op in found if isinstance(op, Prefix)}


class Reader:
    """Reads expressions at a cursor. Every method raises SyntaxFault at what is wrong.

    `parentheses`: how many stand around the part with an extent.
    """

    __slots__ = ("_infixes", "_prefixes", "cursor", "grammar", "parentheses", "reference")

    def __init__(self, cursor: Cursor, grammar: Grammar, reference: Callable[[Cursor], tree.Expression]) -> None:
        """`reference(cursor)` reads a name, which may depend on more than the text."""
        self.cursor = cursor
        self.grammar = grammar
        self.reference = reference
        self.parentheses: dict[Extent, int] = {}
        self._infixes = grammar.infixes
        self._prefixes = grammar.prefixes

    def whole(self) -> tree.Expression:
        """An expression that is not a part of another one."""
        start = self.cursor.at
        result = self.operation()
        check_levels(self.cursor, start, result, self.grammar.deep_help)
        return result

    def operation(self, loosest: int = _LOOSEST) -> tree.Expression:
        """Operands joined by operators that bind at least as tightly as the level `loosest`."""
        cursor = self.cursor
        start = cursor.token.start
        left = self.operand()
        chained = 0
        while True:
            token = cursor.token
            word = token.upper or (token.text if token.kind == "mark" else "")
            negated = word == "NOT"
            if negated:
                word = cursor.ahead(1).upper
            found = self._infixes.get(word)
            if found is None or found[0] < loosest:
                return left
            level, infix = found
            if negated and not infix.negatable:
                return left
            if not infix.flat:
                chained += 1
                check_chain(cursor, chained, word, self.grammar.deep_help)
            left = infix.read(self, left, start, level)

    def operand(self, loosest: int = _LOOSEST) -> tree.Expression:
        """One operand, with its prefixes of at least the level `loosest`, and all its postfixes."""
        token = self.cursor.token
        prefix = self._prefixes.get(token.upper or (token.text if token.kind == "mark" else ""))
        if prefix is not None and prefix[0] >= loosest:
            return prefix[1].read(self, prefix[0])
        return self._postfixed()

    def _postfixed(self) -> tree.Expression:
        cursor = self.cursor
        start = cursor.token.start
        result = self._primary()
        if cursor.token.kind != "mark":
            return result
        depth = cursor.depth
        while cursor.token.kind == "mark" and (postfix := self.grammar.postfixes.get(cursor.token.text)):
            longer = postfix(self, result, start)
            if longer is None:
                break
            result = longer
        cursor.depth = depth
        return result

    def _primary(self) -> tree.Expression:
        """A literal, a name, a call, or what begins with a word or a mark of its own."""
        cursor, grammar = self.cursor, self.grammar
        token = cursor.token
        kind = token.kind
        if kind == "quoted":
            return self.reference(cursor)
        read = grammar.operands.get(token.upper or token.text) if kind in _SYMBOLS else grammar.literals.get(kind)
        if read is not None and (found := read(self)) is not None:
            return found
        if kind == "name":
            after = cursor.ahead(1)
            if after.text == "(" and after.kind == "mark" and token.upper not in grammar.uncallable:
                return grammar.call(self)
            if not grammar.reserved(cursor):
                return self.reference(cursor)
        cursor.unexpected("an expression")

    def deeper(self, at: Extent) -> None:
        """Count a level of nesting, which `at` opens; whoever calls this takes it off `cursor.depth` behind its end."""
        self.cursor.depth += 1
        if self.cursor.depth > MAX_DEPTH:
            too_deep(self.cursor, at, self.grammar.deep_help)

    def items(
        self, closing: str, read: Callable[[Reader], tree.Expression] | None = None
    ) -> tuple[tree.Expression, ...]:
        """What stands between commas up to a closing mark, which is not taken. `read`: an item; None: an expression."""
        cursor = self.cursor
        if cursor.is_mark(closing):
            return ()
        token = cursor.token
        self.deeper((token.start, token.end))
        items = [read(self) if read else self.operation()]
        while cursor.take_mark(","):
            items.append(read(self) if read else self.operation())
        cursor.depth -= 1
        return tuple(items)
