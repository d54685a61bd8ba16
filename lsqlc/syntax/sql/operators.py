"""Operators of Spark SQL that are functions, conditions or casts in the tree of all dialects."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.sql.refusals import Parts

# From the loosest to the tightest. In the parser's order, `||` and all operators on bits are one level.
LEVELS: Mapping[type[exp.Expr], int] = {
    exp.BitwiseOr: 0, exp.BitwiseXor: 1, exp.BitwiseAnd: 2, exp.BitwiseLeftShift: 3, exp.BitwiseRightShift: 3,
    exp.Add: 4, exp.Sub: 4, exp.DPipe: 4,
}  # fmt: skip
CHAINS = tuple(LEVELS)
_UNSIGNED = ">>>"
_CALLS: Mapping[type[exp.Expr], str] = {
    exp.BitwiseLeftShift: "SHIFTLEFT", exp.BitwiseRightShift: "SHIFTRIGHT", exp.DPipe: "CONCAT",
}  # fmt: skip
_SIGNS: Mapping[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.BitwiseOr: "|", exp.BitwiseXor: "^", exp.BitwiseAnd: "&",
}  # fmt: skip
_COLLATION = "UTF8_BINARY"
BACKSLASH = "\\"


def is_like_pattern(pattern: str, escape: str) -> bool:
    """Return whether the escape character only precedes a wildcard or itself, as Spark requires."""
    mark = re.escape(escape)
    return re.fullmatch(rf"(?:[^{mark}]|{mark}[%_{mark}])*", pattern, re.DOTALL) is not None


class Operators(Parts, ABC):
    """Converts operators."""

    @abstractmethod
    def expression(self, node: exp.Expr) -> tree.Expression:
        """Return the expression of a node."""

    def chain_of(self, node: exp.Expr) -> tree.Expression:
        """Convert operands that operators of `LEVELS` join, by Spark's precedence."""
        if _is_length(node):
            self.only(node, "this", "expression")
            return tree.Binary("+", self.expression(node.this), self.expression(node.expression), self.places.of(node))
        operands: list[tree.Expression] = []
        waiting: list[tuple[int, str]] = []

        def close(level: int) -> None:
            while waiting and waiting[-1][0] >= level:
                right = operands.pop()
                operands[-1] = _joined(waiting.pop()[1], operands[-1], right)

        flat = list(self._flat(node))
        if all(isinstance(part, exp.Expr) or part[1] == "CONCAT" for part in flat):
            # Any number of them are the arguments of one call.
            at = self.places.of(node)
            joined = tuple(self.expression(part) for part in flat if isinstance(part, exp.Expr))
            return tree.Call(tree.Name("CONCAT", at), joined, False, at)
        for part in flat:
            if isinstance(part, exp.Expr):
                operands.append(self.expression(part))
            else:
                close(part[0])
                waiting.append(part)
        close(0)
        return operands[0]

    def _flat(self, node: exp.Expr) -> Iterator[exp.Expr | tuple[int, str]]:
        """Yield the operands of a chain, and each operator with its level between them."""
        spine = []
        while type(node) in LEVELS and not _is_length(node):
            self.only(node, "this", "expression")
            spine.append(node)
            node = node.this
        yield node
        for each in reversed(spine):
            yield self._operator(each)
            yield from self._flat(each.expression)

    def _operator(self, node: exp.Expr) -> tuple[int, str]:
        if isinstance(node, exp.BitwiseXor) and _UNSIGNED in self._sign_of(node):
            # `parser.plain_tokens` replaces the sign by one that the parser knows.
            return LEVELS[exp.BitwiseRightShift], "SHIFTRIGHTUNSIGNED"
        return LEVELS[type(node)], _SIGNS.get(type(node)) or _CALLS[type(node)]

    def _sign_of(self, node: exp.Expr) -> str:
        """Return the text between the operands of a node."""
        return self.source.text[self.places.of(node.this)[1] : self.places.of(node.expression)[0]]

    def bits(self, node: exp.Expr) -> tree.Expression:
        """Convert `~a`: the bits that differ from those of -1, which are all set."""
        self.only(node, "this")
        at = self.places.of(node)
        return tree.Binary("^", self.expression(node.this), tree.Literal(-1, at), at)

    def like(self, node: exp.Expr, mark: str | None = None) -> tree.Expression:
        """Convert LIKE and ILIKE, also with ALL or ANY of several patterns."""
        self.only(node, "this", "expression", "negate")
        several, at = node.expression, self.places.of(node)
        if isinstance(several, (exp.All, exp.Any)):
            self.only(several, "this")
            return self._quantified(node, several, at)
        return self._matched(node, self.expression(node.this), several, mark)

    def _quantified(self, node: exp.Expr, several: exp.Expr, at: Extent) -> tree.Expression:
        pattern_list = several.this
        if not isinstance(pattern_list, (exp.Tuple, exp.Paren)):
            self.unknown(pattern_list)
        self.only(pattern_list, "this", "expressions")
        patterns = pattern_list.expressions if isinstance(pattern_list, exp.Tuple) else [pattern_list.this]
        operand = self.expression(node.this)
        parts = tuple(self._matched(node, operand, pattern, None) for pattern in patterns)
        return tree.Logic("AND" if isinstance(several, exp.All) else "OR", parts, at)

    def _matched(
        self, node: exp.Expr, operand: tree.Expression, pattern_node: Any, escape: str | None
    ) -> tree.Expression:
        pattern, at = self.expression(pattern_node), self.places.of(node)
        text = pattern.value if isinstance(pattern, tree.Literal) and isinstance(pattern.value, str) else None
        if escape is None and (text is None or BACKSLASH in text):
            escape = BACKSLASH
        if escape is not None and text is not None and not is_like_pattern(text, escape):
            mark = "a backslash" if escape == BACKSLASH else f"'{escape}'"
            self.fault(
                "LSQ471",
                f"{mark} must precede '%', '_' or itself in a pattern of LIKE",
                pattern.at,
                f"write it twice for the character itself: LIKE 'a{escape * (4 if escape == BACKSLASH else 2)}b'",
            )
        if isinstance(node, exp.ILike):
            operand, pattern = (tree.Call(tree.Name("LOWER", s.at), (s,), False, s.at) for s in (operand, pattern))
        return tree.Like(operand, pattern, bool(node.args.get("negate")), at, escape)

    def escape(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "expression")
        mark = node.expression
        is_like = isinstance(node.this, (exp.Like, exp.ILike)) and not isinstance(
            node.this.expression, (exp.All, exp.Any)
        )
        is_one = isinstance(mark, exp.Literal) and len(str(mark.this)) == 1 and str(mark.this) <= "\uffff"
        if not is_like or not is_one:
            self.refuse("ESCAPE with anything but one character", self.places.of(node))
        return self.like(node.this, str(mark.this))

    def collated(self, node: exp.Expr) -> tree.Expression:
        """Convert `text COLLATE UTF8_BINARY`, which is the collation of texts here."""
        self.only(node, "this", "expression")
        name = str(node.expression.this) if isinstance(node.expression, (exp.Var, exp.Identifier)) else ""
        if name.upper() != _COLLATION:
            help = "texts are compared by their bytes, UTF8_BINARY: compare LOWER(a) = LOWER(b)"
            self.refuse(f"the collation {name}" if name else "COLLATE", self.places.of(node), help)
        return self.expression(node.this)

    def hexadecimal(self, node: exp.Expr) -> tree.Expression:
        """Convert `X'1C7'`, bytes."""
        self.only(node, "this")
        text, at = str(node.this), self.places.of(node)
        digits = tree.Literal("0" * (len(text) % 2) + text, at)
        return tree.Call(tree.Name("UNHEX", at), (digits,), False, at)


def _joined(operator: str, left: tree.Expression, right: tree.Expression) -> tree.Expression:
    at = left.at[0], right.at[1]
    if operator in _SIGNS.values():
        return tree.Binary(operator, left, right, at)
    return tree.Call(tree.Name(operator, at), (left, right), False, at)


def _is_length(node: exp.Expr) -> bool:
    """Return whether a sum is one length of time with several units: `INTERVAL 1 DAY 2 HOURS`."""
    return (
        isinstance(node, exp.Add) and isinstance(node.this, exp.Interval) and isinstance(node.expression, exp.Interval)
    )
