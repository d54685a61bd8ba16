"""Expressions as ksqlDB writes them, for messages that show a corrected statement."""

from __future__ import annotations

import re

from lsqlc.syntax import tree

_BARE = re.compile(r"[A-Z_][A-Z0-9_]*")


def name_text(name: str) -> str:
    """A name as it can be written: between backticks unless it is upper case, digits and `_`."""
    return name if _BARE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def text_of(expression: tree.Expression) -> str:
    """The expression's text, with parentheses around operators that nest."""
    match expression:
        case tree.Literal(None):
            return "NULL"
        case tree.Literal(bool(value)):
            return str(value).upper()
        case tree.Literal(str(value)):
            return "'" + value.replace("'", "''") + "'"
        case tree.Literal(value):
            return repr(value)
        case tree.Reference(parts):
            return ".".join(map(name_text, parts))
        case tree.Unary(operator, operand):
            return f"{operator}{' ' if operator == 'NOT' else ''}{_inner(operand)}"
        case tree.Binary(operator, left, right):
            return f"{_inner(left)} {operator} {_inner(right)}"
        case tree.IsNull(operand, negated):
            return f"{_inner(operand)} IS {'NOT ' if negated else ''}NULL"
        case tree.Between(operand, low, high, negated):
            return f"{_inner(operand)} {_not(negated)}BETWEEN {_inner(low)} AND {_inner(high)}"
        case tree.In(operand, items, negated):
            return f"{_inner(operand)} {_not(negated)}IN ({_all(items)})"
        case tree.Like(operand, pattern, negated):
            return f"{_inner(operand)} {_not(negated)}LIKE {_inner(pattern)}"
        case tree.Call(tree.Name("STRUCT" | "MAP" as word), arguments):
            names = (name_text(str(p.value)) if word == "STRUCT" and isinstance(p, tree.Literal) else text_of(p)
                     for p in arguments[::2])  # fmt: skip
            return f"{word}({', '.join(f'{n} := {text_of(v)}' for n, v in zip(names, arguments[1::2], strict=True))})"
        case tree.Call(name, arguments, star):
            return f"{name.text}({'*' if star else _all(arguments)})"
        case tree.Cast(tree.Literal(str(value)), type) if value.replace(".", "").isdigit():
            return value
        case tree.Cast(operand, type):
            return f"CAST({text_of(operand)} AS {type})"
        case tree.Case(operand, branches, otherwise):
            words = ["CASE", *([text_of(operand)] if operand else [])]
            words += [f"WHEN {text_of(when)} THEN {text_of(then)}" for when, then in branches]
            words += [f"ELSE {text_of(otherwise)}"] if otherwise else []
            return " ".join([*words, "END"])
        case tree.ArrayLiteral(items):
            return f"ARRAY[{_all(items)}]"
        case tree.Index(operand, index):
            return f"{_inner(operand)}[{text_of(index)}]"
        case tree.Member(operand, field):
            return f"{_inner(operand)}->{name_text(field.text)}"
        case tree.Hyphenated(tokens):
            return " ".join(t.text for t in tokens)


def _not(negated: bool) -> str:
    return "NOT " if negated else ""


def _inner(expression: tree.Expression) -> str:
    nested = isinstance(expression, tree.Binary | tree.IsNull | tree.Between | tree.In | tree.Like)
    return f"({text_of(expression)})" if nested else text_of(expression)


def _all(items: tuple[tree.Expression, ...]) -> str:
    return ", ".join(map(text_of, items))
