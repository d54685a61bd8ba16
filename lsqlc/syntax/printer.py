"""Expressions as text, in the one form that the language prints: what names a projection without alias."""

from __future__ import annotations

from lsqlc.syntax import tree
from lsqlc.syntax.tokens import Token
from lsqlc.types.data import quote

_LEVELS = {"OR": 1, "AND": 2, "=": 4, "<>": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6}
_NOT, _COMPARISON, _UNARY, _ATOM = 3, 4, 7, 8


def text_of(expression: tree.Expression) -> str:
    """The canonical text: words in upper case, one space around operators, only the parentheses that are needed."""
    return _print(expression)[0]


def _print(expression: tree.Expression) -> tuple[str, int]:
    """The text, and how tight its outermost operator binds."""
    match expression:
        case tree.Literal(value):
            return _literal(value), _ATOM
        case tree.Reference(parts):
            return ".".join(quote(p) for p in parts), _ATOM
        case tree.Hyphenated(tokens):
            start = tokens[0].start
            return "".join(" " * (t.start - p) + _token(t) for t, p in _spaced(tokens, start)), 0
        case tree.Unary("NOT", operand):
            return f"NOT {_at(operand, _NOT)}", _NOT
        case tree.Unary(_, operand):
            return f"-{_at(operand, _UNARY)}", _UNARY
        case tree.Binary(operator, left, right):
            level = _LEVELS[operator]
            return f"{_at(left, level)} {operator} {_at(right, level + 1)}", level
        case tree.IsNull(operand, negated):
            return f"{_at(operand, _COMPARISON)} IS {'NOT ' if negated else ''}NULL", _COMPARISON
        case tree.Between(operand, low, high, negated):
            word = "NOT BETWEEN" if negated else "BETWEEN"
            return f"{_at(operand, 5)} {word} {_at(low, 5)} AND {_at(high, 5)}", _COMPARISON
        case tree.In(operand, items, negated):
            word = "NOT IN" if negated else "IN"
            return f"{_at(operand, 5)} {word} ({_all(items)})", _COMPARISON
        case tree.Like(operand, pattern, negated):
            return f"{_at(operand, 5)} {'NOT LIKE' if negated else 'LIKE'} {_at(pattern, 5)}", _COMPARISON
        case tree.Call(name, arguments, star):
            return f"{name.text.upper()}({'*' if star else _all(arguments)})", _ATOM
        case tree.Cast(operand, type):
            return f"CAST({text_of(operand)} AS {type})", _ATOM
        case tree.Case():
            return _case(expression), _ATOM
        case tree.ArrayLiteral(items):
            return f"[{_all(items)}]", _ATOM
        case tree.Index(operand, index):
            return f"{_at(operand, _ATOM)}[{text_of(index)}]", _ATOM
        case tree.Member(operand, field):
            return f"{_at(operand, _ATOM)}.{quote(field.text)}", _ATOM


def _spaced(tokens: tuple[Token, ...], start: int) -> list[tuple[Token, int]]:
    """Each token with the place where the one before it ended."""
    ends = [start, *(t.end for t in tokens[:-1])]
    return list(zip(tokens, ends, strict=True))


def _token(token: Token) -> str:
    if token.kind == "string":
        return _literal(token.text)
    return quote(token.text) if token.kind == "quoted" else token.text


def _at(expression: tree.Expression, level: int) -> str:
    text, own = _print(expression)
    return text if own >= level else f"({text})"


def _all(items: tuple[tree.Expression, ...]) -> str:
    return ", ".join(text_of(i) for i in items)


def _literal(value: bool | int | float | str | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def _case(case: tree.Case) -> str:
    words = ["CASE"]
    if case.operand:
        words.append(text_of(case.operand))
    for when, then in case.branches:
        words.append(f"WHEN {text_of(when)} THEN {text_of(then)}")
    if case.otherwise:
        words.append(f"ELSE {text_of(case.otherwise)}")
    return " ".join([*words, "END"])
