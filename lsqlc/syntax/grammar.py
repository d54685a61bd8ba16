"""Expressions of all dialects, by operator precedence: one reader, driven by the dialect's `Grammar`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import MAX_DEPTH, Cursor
from lsqlc.syntax.limits import check_chain, check_levels, too_deep
from lsqlc.syntax.tokens import Kind

_LOOSEST = 0
# Kinds of tokens that are looked up by their text, not by their kind.
_SYMBOLS = ("name", "mark")


# An operand with the offset where it ends, including parentheses around it.
Ended = tuple[tree.Expression, int]
# Creates the expression of an operator and its operands. The arguments are the operator, the operands, the offset where
# the first begins, and the extent of the first operator.
Build = Callable[[str, Sequence[Ended], int, Extent], tree.Expression]


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator between two operands. A sequence of them groups from the left, and each adds a level to the tree."""

    build: Build


@dataclass(frozen=True, slots=True)
class Chain:
    """An operator that joins any number of operands at once."""

    build: Build


@dataclass(frozen=True, slots=True)
class Predicate:
    """An operator after its left operand, with its own syntax for the rest.

    `read(reader, left, start, level)` reads the operator, which is the next token, and the rest. `start`: the offset
    where the left operand begins. `level`: that of the operator. `negatable`: NOT may precede it.
    """

    read: Callable[[Reader, tree.Expression, int, int], tree.Expression]
    negatable: bool = False


@dataclass(frozen=True, slots=True)
class Prefix:
    """An operator before its operand. `read(reader, level)` reads the operator, which is the next token, and the
    operand.
    """

    read: Callable[[Reader, int], tree.Expression]


Infix = Binary | Chain | Predicate
Level = Mapping[str, Infix | Prefix]
# Both return None, and consume nothing, if the next token does not begin their syntax.
Operand = Callable[["Reader"], tree.Expression | None]
Postfix = Callable[["Reader", tree.Expression, int], tree.Expression | None]


@dataclass(frozen=True)
class Grammar:
    """The syntax of a dialect's expressions. Keys are words in upper case, and marks.

    `levels`: the operators, the loosest first. `postfixes`: by mark, the syntax after an operand; each gets the operand
    and the offset where it begins. `literals`: the expression of a token, by its kind. `operands`: operands that begin
    with a word or a mark. `call` reads the call of a function whose name is the next token; the words `uncallable` are
    not names of functions. `reserved`: whether the next token is a word that cannot be a name here. `deep_help`: the
    help for an expression with too many levels.
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
        """The operators after their left operand, with their level."""
        operators = ((i, word, op) for i, level in enumerate(self.levels) for word, op in level.items())
        return {word: (i, op) for i, word, op in operators if not isinstance(op, Prefix)}

    @cached_property
    def prefixes(self) -> Mapping[str, tuple[int, Prefix]]:
        """The operators before their operand, with their level."""
        operators = ((i, word, op) for i, level in enumerate(self.levels) for word, op in level.items())
        return {word: (i, op) for i, word, op in operators if isinstance(op, Prefix)}


@dataclass(slots=True)
class _Open:
    """An operator whose right operand is being read.

    `loosest`, `start`, `chained`: the state of the reader at its left operand. `operands`: the operands before the
    operator, each with the offset where it ends; a `Binary` has one.
    """

    operator: Binary | Chain
    word: str
    at: Extent
    operands: list[Ended]
    loosest: int
    start: int
    chained: int


class Reader:
    """A reader of expressions at a cursor. Every method raises SyntaxFault at an error.

    `parentheses`: the number of parentheses around the part with an extent.
    """

    __slots__ = ("_infixes", "_prefixes", "cursor", "grammar", "parentheses", "reference")

    def __init__(self, cursor: Cursor, grammar: Grammar, reference: Callable[[Cursor], tree.Expression]) -> None:
        """Begin at a cursor. `reference(cursor)` reads a name, which may depend on more than the text."""
        self.cursor = cursor
        self.grammar = grammar
        self.reference = reference
        self.parentheses: dict[Extent, int] = {}
        self._infixes = grammar.infixes
        self._prefixes = grammar.prefixes

    def whole(self) -> tree.Expression:
        """Return an expression that is not a part of another one."""
        start = self.cursor.at
        result = self.operation()
        check_levels(self.cursor, start, result, self.grammar.deep_help)
        return result

    def operation(self, loosest: int = _LOOSEST) -> tree.Expression:
        """Return operands joined by operators that bind at least as tightly as the level `loosest`."""
        cursor, infixes = self.cursor, self._infixes
        tokens = cursor.tokens
        # Operators that wait for their right operand, in a list because Python limits the depth of calls.
        waiting: list[_Open] = []
        start, chained = tokens[cursor.at].start, 0
        left = self.operand()
        while True:
            token = tokens[cursor.at]
            word = token.upper or (token.text if token.kind == "mark" else "")
            negated = word == "NOT"
            if negated:
                word = cursor.ahead(1).upper
            infix = infixes.get(word)
            if infix is not None and negated and not (isinstance(infix[1], Predicate) and infix[1].negatable):
                infix = None
            if infix is not None and infix[0] >= loosest:
                level, operator = infix
                if not isinstance(operator, Chain):
                    chained += 1
                    check_chain(cursor, chained, word, self.grammar.deep_help)
                if isinstance(operator, Predicate):
                    left = operator.read(self, left, start, level)
                    continue
                at = (token.start, token.end)
                waiting.append(_Open(operator, word, at, [(left, cursor.previous_end)], loosest, start, chained))
                loosest = level + 1
            elif not waiting:
                return left
            else:
                open = waiting[-1]
                open.operands.append((left, cursor.previous_end))
                if infix is None or infix[1] is not open.operator or isinstance(open.operator, Binary):
                    waiting.pop()
                    left = open.operator.build(open.word, open.operands, open.start, open.at)
                    loosest, start, chained = open.loosest, open.start, open.chained
                    continue
            # The right operand of the last waiting operator.
            cursor.advance()
            start, chained = tokens[cursor.at].start, 0
            left = self.operand()

    def operand(self, loosest: int = _LOOSEST) -> tree.Expression:
        """Return one operand, with its prefixes of at least the level `loosest`, and all its postfixes."""
        cursor, grammar = self.cursor, self.grammar
        token = cursor.tokens[cursor.at]
        kind = token.kind
        if kind in _SYMBOLS:
            symbol = token.upper or token.text
            prefix = self._prefixes.get(symbol)
            if prefix is not None and prefix[0] >= loosest:
                return prefix[1].read(self, prefix[0])
            read = grammar.operands.get(symbol)
        else:
            read = grammar.literals.get(kind)
        result = read(self) if read is not None else None
        if result is None:
            after = cursor.ahead(1)
            if after.text == "(" and after.kind == "mark" and kind == "name" and token.upper not in grammar.uncallable:
                result = grammar.call(self)
            elif kind == "quoted" or (kind == "name" and not grammar.reserved(cursor)):
                result = self.reference(cursor)
            else:
                cursor.unexpected("an expression")
        depth = cursor.depth
        while (after := cursor.tokens[cursor.at]).kind == "mark" and (postfix := grammar.postfixes.get(after.text)):
            longer = postfix(self, result, token.start)
            if longer is None:
                break
            result = longer
        cursor.depth = depth
        return result

    def deeper(self, at: Extent) -> None:
        """Add a level of nesting, which `at` opens. The caller subtracts it from `cursor.depth` at its end."""
        self.cursor.depth += 1
        if self.cursor.depth > MAX_DEPTH:
            too_deep(self.cursor, at, self.grammar.deep_help)

    def items(
        self, closing: str, read: Callable[[Reader], tree.Expression] | None = None
    ) -> tuple[tree.Expression, ...]:
        """Return the comma-separated items before a closing mark, which is not consumed.

        `read`: reads an item; None: an expression.
        """
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
