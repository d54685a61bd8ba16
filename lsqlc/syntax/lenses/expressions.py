"""Expressions, by operator precedence: OR, AND, NOT, comparisons, `+ -`, `* / %`, unary minus, then `[i]` and `.f`.

A hyphen between two words that touch may belong to a name (`gaming-sessions._key`) or be a minus (`points-1`). The text
alone does not tell, so such an expression comes out as `Hyphenated`, and `resolve` reads it again when the names in
scope are known (LANGUAGE.md, "Programs and names").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import MAX_DEPTH, Cursor, SyntaxFault
from lsqlc.syntax.limits import check_chain, check_levels, too_deep
from lsqlc.syntax.numbers import refuse_size, refuse_touching
from lsqlc.syntax.operators import LOGIC
from lsqlc.syntax.tokens import Token
from lsqlc.types.ddl import DdlError, parse_type

# Words that cannot name a field in an expression without backticks.
RESERVED = frozenset(
    """
    SELECT FROM WHERE GROUP HAVING JOIN ON WITHIN LATERAL AS AND OR NOT NULL TRUE FALSE CASE WHEN THEN ELSE END
    IS IN LIKE BETWEEN INSERT INTO WITH STORE SET
    """.split()  # noqa: SIM905, a list of strings would be four times as long
)
# How tight an operator binds; NOT stands between AND and the comparisons.
_BINDING = {
    "OR": 1, "AND": 2,
    "=": 3, "<>": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "IS": 3, "IN": 3, "LIKE": 3, "BETWEEN": 3,
    "+": 4, "-": 4,
    "*": 5, "/": 5, "%": 5,
}  # fmt: skip
_LOOSEST = 1
_DEEP_HELP = "compute a part of it in a WITH statement first"
_SPELLING = {"!=": "<>"}
_REFUSED = {
    "OVER": "window functions (OVER) are not part of the language",
    "DISTINCT": "DISTINCT is not part of the language",
    "SELECT": "a subquery is not part of the language",
}
_REFUSED_HELP = {
    "OVER": "use GROUP BY, with WINDOW BY for time windows",
    "DISTINCT": "group by the expression instead",
    "SELECT": "name the inner query: WITH name AS (SELECT ...); and read from that name",
}


@dataclass(frozen=True, slots=True)
class Chain:
    """Words joined by touching dots and hyphens: `joints[i]` stands between `pieces[i]` and `pieces[i + 1]`."""

    pieces: tuple[str, ...]
    joints: tuple[str, ...]
    at: Extent


# How much of a chain is one name: its path, and how many pieces that took. What remains is a minus and more.
Split = Callable[[Chain], tuple[tuple[str, ...], int]]


def expression(cursor: Cursor) -> tree.Expression:
    """Read one expression; raises SyntaxFault."""
    start = cursor.at
    reader = _Reader(cursor, None)
    result = reader.whole()
    if not reader.met_hyphen:
        return result
    tokens = cursor.tokens[start : cursor.at]
    return tree.Hyphenated(tokens, (tokens[0].start, tokens[-1].end))


def resolve(hyphenated: tree.Hyphenated, source: SourceText, split: Split) -> tree.Expression | Diagnostic:
    """The same text, with every chain of words cut as `split` says; what is wrong if that makes it too deep."""
    end = hyphenated.at[1]
    cursor = Cursor(source, (*hyphenated.tokens, Token("end", "", "", end, end)))
    try:
        return _Reader(cursor, split).whole()
    except SyntaxFault as fault:
        return fault.diagnostic


def as_written(hyphenated: tree.Hyphenated, source: SourceText) -> tuple[tree.Expression, dict[Extent, int]] | None:
    """The expression with every chain of words as one name, and how many parentheses stand around which part: what
    can be said of it without a scope. None if it is too deep.
    """
    end = hyphenated.at[1]
    reader = _Reader(Cursor(source, (*hyphenated.tokens, Token("end", "", "", end, end))), _whole)
    try:
        return reader.whole(), reader.parentheses
    except SyntaxFault:
        return None


def _whole(chain: Chain) -> tuple[tuple[str, ...], int]:
    """The whole chain as a path: hyphens belong to its names."""
    path = [chain.pieces[0]]
    for joint, piece in zip(chain.joints, chain.pieces[1:], strict=True):
        if joint == "-":
            path[-1] += "-" + piece
        else:
            path.append(piece)
    return tuple(path), len(chain.pieces)


def refuse_word(cursor: Cursor, word: str, at: Extent) -> None:
    """Give up with the message for a word of SQL that the language leaves out."""
    if word in _REFUSED:
        cursor.refuse_foreign()
        cursor.fault("LSQ120", _REFUSED[word], at, help=_REFUSED_HELP[word])


class _Reader:
    def __init__(self, cursor: Cursor, split: Split | None) -> None:
        self.cursor = cursor
        self.split = split
        self.met_hyphen = False
        self.parentheses: dict[Extent, int] = {}

    def whole(self) -> tree.Expression:
        """An expression that is no part of another one."""
        start = self.cursor.at
        result = self.disjunction()
        check_levels(self.cursor, start, result, _DEEP_HELP)
        return result

    def disjunction(self) -> tree.Expression:
        return self._binary(_LOOSEST)

    def _binary(self, loosest: int) -> tree.Expression:
        """Operands joined by operators that bind at least as tight as `loosest`, grouped from the left."""
        cursor = self.cursor
        start = cursor.token.start
        left = self._negation() if cursor.token.upper == "NOT" else self._unary()
        operators = 0
        while True:
            token = cursor.token
            word = token.upper or (token.text if token.kind == "mark" else "")
            if word == "NOT" and cursor.ahead(1).upper in ("IN", "LIKE", "BETWEEN"):
                word = cursor.ahead(1).upper
            binding = _BINDING.get(word)
            if binding is None or binding < loosest:
                return left
            if logic := LOGIC.get(word):
                left = self._logic(left, logic, binding, start)
                continue
            operators += 1
            check_chain(cursor, operators, word, "compute a part of it in a WITH statement first")
            if word in ("IS", "IN", "LIKE", "BETWEEN"):
                left = self._predicate(left, start)
            else:
                cursor.advance()
                right = self._binary(binding + 1)
                left = tree.Binary(_SPELLING.get(word, word), left, right, cursor.extent(start))

    def _logic(self, first: tree.Expression, word: tree.LogicWord, binding: int, start: int) -> tree.Logic:
        operands = [first]
        while self.cursor.take_words(word):
            operands.append(self._binary(binding + 1))
        return tree.Logic(word, tuple(operands), self.cursor.extent(start))

    def _negation(self) -> tree.Unary:
        cursor = self.cursor
        start = cursor.advance().start
        self._deeper(cursor.extent(start))
        operand = self._binary(_BINDING["="])
        cursor.depth -= 1
        return tree.Unary("NOT", operand, cursor.extent(start))

    def _deeper(self, at: Extent) -> None:
        self.cursor.depth += 1
        if self.cursor.depth > MAX_DEPTH:
            too_deep(self.cursor, at, _DEEP_HELP)

    def _predicate(self, left: tree.Expression, start: int) -> tree.Expression:
        cursor = self.cursor
        if cursor.take_words("IS"):
            negated = cursor.take_words("NOT")
            cursor.expect_words("NULL")
            return tree.IsNull(left, negated, cursor.extent(start))
        negated = cursor.take_words("NOT")
        word = cursor.advance().upper
        if word == "LIKE":
            return tree.Like(left, self._binary(_BINDING["+"]), negated, cursor.extent(start))
        if word == "BETWEEN":
            low = self._binary(_BINDING["+"])
            cursor.expect_words("AND")
            return tree.Between(left, low, self._binary(_BINDING["+"]), negated, cursor.extent(start))
        cursor.expect_mark("(", "IN")
        items = self._list(")")
        if not items:
            cursor.unexpected("a value in the list of IN")
        cursor.expect_mark(")", "the list of IN")
        return tree.In(left, items, negated, cursor.extent(start))

    def _unary(self) -> tree.Expression:
        cursor = self.cursor
        if not cursor.is_mark("-"):
            return self._postfix()
        start = cursor.advance().start
        self._deeper((start, start + 1))
        operand = self._unary()
        cursor.depth -= 1
        at = cursor.extent(start)
        if isinstance(operand, tree.Literal) and type(operand.value) in (int, float):
            assert isinstance(operand.value, int | float)
            return tree.Literal(-operand.value, at)
        return tree.Unary("-", operand, at)

    def _postfix(self) -> tree.Expression:
        cursor = self.cursor
        start = cursor.token.start
        result = self._atom()
        depth = cursor.depth
        while True:
            token = cursor.token
            if cursor.take_mark("["):
                self._deeper((token.start, token.end))
                index = self.disjunction()
                cursor.expect_mark("]", "an index")
                result = tree.Index(result, index, cursor.extent(start))
            elif cursor.is_mark(".") and not isinstance(result, tree.Reference):
                self._deeper((token.start, token.end))
                cursor.advance()
                token = cursor.token
                if token.kind not in ("name", "quoted"):
                    cursor.unexpected("a field name after '.'")
                cursor.advance()
                result = tree.Member(result, tree.Name(token.text, (token.start, token.end)), cursor.extent(start))
            else:
                cursor.depth = depth
                return result

    def _atom(self) -> tree.Expression:
        cursor = self.cursor
        token = cursor.token
        at = (token.start, token.end)
        if token.kind == "number":
            return self._number()
        if token.kind == "string":
            cursor.advance()
            return tree.Literal(token.text, at)
        if cursor.is_mark("("):
            return self._parenthesised()
        if cursor.is_mark("["):
            cursor.advance()
            items = self._list("]")
            cursor.expect_mark("]", "the elements of an array")
            return tree.ArrayLiteral(items, cursor.extent(token.start))
        if token.kind == "quoted":
            return self._reference()
        if token.kind != "name":
            cursor.unexpected("an expression")
        if token.upper in ("NULL", "TRUE", "FALSE"):
            cursor.advance()
            return tree.Literal({"NULL": None, "TRUE": True, "FALSE": False}[token.upper], at)
        if token.upper == "CASE":
            return self._case()
        refuse_word(cursor, token.upper, at)
        if token.upper in RESERVED:
            cursor.unexpected("an expression")
        after = cursor.ahead(1)
        if after.kind == "mark" and after.text == "(":
            return self._cast() if token.upper == "CAST" else self._call()
        return self._reference()

    def _number(self) -> tree.Literal:
        cursor = self.cursor
        token = cursor.advance()
        at = (token.start, token.end)
        refuse_touching(cursor, token, RESERVED)
        refuse_size(cursor, token)
        if token.text.isdigit():
            return tree.Literal(int(token.text), at)
        return tree.Literal(float(token.text), at)

    def _parenthesised(self) -> tree.Expression:
        cursor = self.cursor
        start = cursor.advance().start
        self._deeper((start, start + 1))
        inner = self.disjunction()
        cursor.depth -= 1
        cursor.expect_mark(")", "the expression")
        self.parentheses[inner.at] = self.parentheses.get(inner.at, 0) + 1
        return inner

    def _list(self, closing: str) -> tuple[tree.Expression, ...]:
        cursor = self.cursor
        if cursor.is_mark(closing):
            return ()
        token = cursor.token
        self._deeper((token.start, token.end))
        items = [self.disjunction()]
        while cursor.take_mark(","):
            items.append(self.disjunction())
        cursor.depth -= 1
        return tuple(items)

    def _case(self) -> tree.Case:
        cursor = self.cursor
        start = cursor.advance().start
        self._deeper((start, cursor.previous_end))
        operand = None if cursor.is_word("WHEN") else self.disjunction()
        branches = []
        while cursor.take_words("WHEN"):
            condition = self.disjunction()
            cursor.expect_words("THEN")
            branches.append((condition, self.disjunction()))
        if not branches:
            cursor.unexpected("WHEN")
        otherwise = self.disjunction() if cursor.take_words("ELSE") else None
        cursor.depth -= 1
        cursor.expect_words("END")
        return tree.Case(operand, tuple(branches), otherwise, cursor.extent(start))

    def _cast(self) -> tree.Cast:
        cursor = self.cursor
        start = cursor.advance().start
        cursor.advance()
        self._deeper((start, cursor.previous_end))
        operand = self.disjunction()
        cursor.depth -= 1
        cursor.expect_words("AS")
        type_start = cursor.token.start
        level = 0
        while not (level == 0 and cursor.is_mark(")")) and cursor.token.kind != "end":
            level += cursor.is_mark("(") - cursor.is_mark(")")
            cursor.advance()
        text = cursor.source.text[type_start : max(type_start, cursor.previous_end)]
        try:
            type = parse_type(text)
        except DdlError as problem:
            place = min(type_start + problem.offset, len(cursor.source.text))
            cursor.fault("LSQ104", str(problem), (place, max(place + 1, cursor.previous_end)))
        cursor.expect_mark(")", "the type")
        return tree.Cast(operand, type, cursor.extent(start))

    def _call(self) -> tree.Expression:
        cursor = self.cursor
        token = cursor.advance()
        cursor.advance()
        name = tree.Name(token.text, (token.start, token.end))
        if cursor.is_mark("*") and cursor.ahead(1).text == ")":
            cursor.advance()
            cursor.advance()
            arguments: tuple[tree.Expression, ...] = ()
            star = True
        else:
            arguments = self._list(")")
            star = False
            cursor.expect_mark(")", f"the arguments of {token.text}")
        if cursor.is_word("OVER"):
            refuse_word(cursor, "OVER", (cursor.token.start, cursor.token.end))
        return tree.Call(name, arguments, star, cursor.extent(token.start))

    def _reference(self) -> tree.Reference:
        cursor = self.cursor
        start = cursor.token.start
        pieces, joints = [cursor.advance().text], []
        ends = [cursor.at]
        while (joint := self._joint()) is not None:
            cursor.advance()
            piece = cursor.advance()
            joints.append(joint)
            pieces.append(piece.text)
            after = cursor.token
            if piece.kind == "number" and after.kind == "name" and after.start == piece.end:
                # `topic-1a` comes as a number and a word that touch.
                pieces[-1] += cursor.advance().text
            ends.append(cursor.at)
        if len(pieces) > MAX_DEPTH:
            cursor.fault("LSQ103", f"this name has more than {MAX_DEPTH} parts", cursor.extent(start),
                         help="a hyphen with a space on each side is a minus" if "-" in joints else None)  # fmt: skip
        if "-" not in joints:
            return tree.Reference(tuple(pieces), cursor.extent(start))
        self.met_hyphen = True
        chain = Chain(tuple(pieces), tuple(joints), cursor.extent(start))
        path, taken = self.split(chain) if self.split else (tuple(pieces), len(pieces))
        cursor.at = ends[taken - 1]
        return tree.Reference(path, cursor.extent(start))

    def _joint(self) -> str | None:
        """The dot or hyphen that ties the next word to this one; a hyphen does so only if it touches both."""
        cursor = self.cursor
        mark, after = cursor.token, cursor.ahead(1)
        if mark.kind != "mark" or mark.text not in ("-", "."):
            return None
        touches = mark.start == cursor.previous_end and after.start == mark.end
        if mark.text == ".":
            # Numbers stand behind the dots of topics only: `app.v1.2024.field`.
            return "." if after.kind in ("name", "quoted") or (after.kind == "number" and touches) else None
        if not touches:
            return None
        if after.kind == "number":
            return "-"
        if after.kind == "name":
            # `a-f(x)` is a subtraction whatever is in scope.
            call = cursor.ahead(2)
            return None if call.kind == "mark" and call.text == "(" else "-"
        return None
