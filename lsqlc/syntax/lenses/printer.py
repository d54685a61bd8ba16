"""Canonical text of expressions: the output of `lsqlc fmt`, and the name of a projection without alias.

`document` is the text with its possible line breaks, `text_of` the same on one line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.formatting.layout import INDENT, Doc, Group, Line, Nest, Text, comma_list, flat
from lsqlc.syntax.lenses.expressions import RESERVED
from lsqlc.syntax.tokens import Token
from lsqlc.types.data import quote

# The number of parentheses around the expression at an extent.
Parentheses = Mapping[Extent, int]

_LEVELS = {"OR": 1, "AND": 2, "=": 4, "<>": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6}
_NOT, _COMPARISON, _SUM, _UNARY, _ATOM = 3, 4, 5, 7, 8
# Words that need quotes where an expression is expected.
_QUOTED = RESERVED | {"OVER", "DISTINCT"}
# Hyphens between adjacent words belong to the name.
_HYPHENATED = re.compile(r"[A-Za-z_]\w*(?:-\w+)+", re.ASCII)


def text_of(expression: tree.Expression) -> str:
    """Return the canonical text: words in upper case, one space around operators, only the parentheses that are
    needed.
    """
    return flat(document(expression))


def document(expression: tree.Expression, parentheses: Parentheses | None = None) -> Doc:
    """Return the document of an expression.

    `parentheses`: those to print, instead of the ones that are needed. An expression whose hyphens may be minuses needs
    them, because only its text has them.
    """
    return _Printer(parentheses).at(expression, 0)


def name_text(name: str) -> str:
    """Return the text of a name in an expression: in backticks if it is ambiguous."""
    if name.upper() in _QUOTED:
        return f"`{name}`"
    return name if _HYPHENATED.fullmatch(name) else quote(name)


class _Printer:
    def __init__(self, parentheses: Parentheses | None) -> None:
        self._parentheses = parentheses

    def at(self, expression: tree.Expression, level: int) -> Doc:
        """Return the expression, with parentheses around operators looser than `level`."""
        doc, own = self._print(expression)
        count = int(own < level) if self._parentheses is None else self._parentheses.get(expression.at, 0)
        for _ in range(count):
            inner = Nest(INDENT, (Line(""), doc))
            doc = Group((Text("(", "parenthesis"), inner, Line(""), Text(")", "parenthesis")))
        return doc

    def _print(self, expression: tree.Expression) -> tuple[Doc, int]:
        """Return the document, and the level of its outermost operator."""
        match expression:
            case tree.Literal(value, at):
                negative = isinstance(value, int | float) and not isinstance(value, bool) and value < 0
                return Text(_literal(value), "at", at), _UNARY if negative else _ATOM
            case tree.Reference(parts, at):
                return Text(".".join(name_text(p) for p in parts), "at", at), _ATOM
            case tree.Hyphenated(tokens, at):
                return Text(_tokens(tokens), "at", at), 0
            case tree.Unary("NOT", operand):
                return (Text("NOT "), self.at(operand, _NOT)), _NOT
            case tree.Unary(_, operand):
                # Two adjacent minus signs would begin a comment.
                return (Text("- " if isinstance(operand, tree.Unary) else "-"), self.at(operand, _UNARY)), _UNARY
            case tree.Binary(operator):
                return self._chain(expression), _LEVELS[operator]
            case tree.Logic(operator):
                return self._logic(expression), _LEVELS[operator]
            case tree.IsNull(operand, negated):
                return (self.at(operand, _COMPARISON), Text(" IS NOT NULL" if negated else " IS NULL")), _COMPARISON
            case tree.Distinct(left, right, negated):
                word = Text(" IS NOT DISTINCT FROM " if negated else " IS DISTINCT FROM ")
                return (self.at(left, _COMPARISON), word, self.at(right, _SUM)), _COMPARISON
            case tree.Between(operand, low, high, negated):
                word = Text(" NOT BETWEEN " if negated else " BETWEEN ")
                bounds = (self.at(low, _SUM), Text(" AND "), self.at(high, _SUM))
                return (self.at(operand, _SUM), word, *bounds), _COMPARISON
            case tree.In(operand, items, negated):
                word = Text(" NOT IN " if negated else " IN ")
                return (self.at(operand, _SUM), word, self._enclosed("(", items, ")")), _COMPARISON
            case tree.Like(operand, pattern, negated):
                word = Text(" NOT LIKE " if negated else " LIKE ")
                return (self.at(operand, _SUM), word, self.at(pattern, _SUM)), _COMPARISON
            case tree.Call(name, arguments, star):
                inner = Text("(*)") if star else self._enclosed("(", arguments, ")")
                return (Text(name.text.upper(), "at", name.at), inner), _ATOM
            case tree.Lambda(parameters, body):
                names = Text(f"({', '.join(p.text for p in parameters)}) => ")
                return (names, self.at(body, 0)), 0
            case tree.Cast(operand, type):
                return (Text("CAST("), self.at(operand, 0), Text(" AS "), Text(str(type), "free"), Text(")")), _ATOM
            case tree.Case():
                return self._case(expression), _ATOM
            case tree.ArrayLiteral(items):
                return self._enclosed("[", items, "]"), _ATOM
            case tree.Index(operand, index):
                return (self.at(operand, _ATOM), Text("["), self.at(index, 0), Text("]")), _ATOM
            case tree.Member(operand, field):
                # `5.x` would be read as a number and a name.
                level = _ATOM + 1 if _is_number(operand) else _ATOM
                return (self.at(operand, level), Text("."), Text(name_text(field.text), "at", field.at)), _ATOM

    def _chain(self, binary: tree.Binary) -> Doc:
        """Return operands of one level, which break together."""
        level = _LEVELS[binary.operator]
        rest: list[Doc] = []
        first: tree.Expression = binary
        while isinstance(first, tree.Binary) and _LEVELS[first.operator] == level:
            if rest and self._parentheses and self._parentheses.get(first.at):
                break
            rest += [(Line(), Text(f"{first.operator} ", "joint"), self.at(first.right, level + 1))]
            first = first.left
        return Group((self.at(first, level), Nest(INDENT, tuple(reversed(rest)))))

    def _logic(self, logic: tree.Logic) -> Doc:
        """Return conditions that one operator joins, which break together, including nested ones that are evaluated
        first anyway.
        """
        level = _LEVELS[logic.operator]
        first, *others = logic.operands
        while isinstance(first, tree.Logic) and first.operator == logic.operator:
            if self._parentheses and self._parentheses.get(first.at):
                break
            first, *before = first.operands
            others = [*before, *others]
        rest = tuple((Line(), Text(f"{logic.operator} ", "joint"), self.at(other, level + 1)) for other in others)
        return Group((self.at(first, level), Nest(INDENT, rest)))

    def _enclosed(self, opening: str, items: tuple[tree.Expression, ...], closing: str) -> Doc:
        if not items:
            return Text(opening + closing)
        inner = comma_list([self.at(i, 0) for i in items])
        return Group((Text(opening), Nest(INDENT, Line("")), inner, Line(""), Text(closing)))

    def _case(self, case: tree.Case) -> Doc:
        head: Doc = (Text("CASE "), self.at(case.operand, 0)) if case.operand else Text("CASE")
        branches: list[Doc] = [
            (Line(), Text("WHEN "), self.at(when, 0), Text(" THEN "), self.at(then, 0)) for when, then in case.branches
        ]
        if case.otherwise:
            branches.append((Line(), Text("ELSE "), self.at(case.otherwise, 0)))
        return Group((head, Nest(INDENT, tuple(branches)), Line(), Text("END")))


def _is_number(expression: tree.Expression) -> bool:
    return isinstance(expression, tree.Literal) and type(expression.value) in (int, float)


def _literal(value: bool | int | float | str | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def _tokens(tokens: tuple[Token, ...]) -> str:
    """Return the text of the tokens, in which names and subtractions are not resolved yet."""
    ends = [tokens[0].start, *(t.end for t in tokens[:-1])]
    return "".join(" " * (t.start > end) + _token(t) for t, end in zip(tokens, ends, strict=True))


def _token(token: Token) -> str:
    if token.kind == "string":
        return _literal(token.text)
    return quote(token.text) if token.kind == "quoted" else token.text
