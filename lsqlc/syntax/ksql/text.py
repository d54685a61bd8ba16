"""Text of expressions and statements of ksqlDB, for messages with a corrected statement."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter

from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.tokens import tokenize
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

_BARE = re.compile(r"[A-Z_][A-Z0-9_]*")


def rewritten(source: SourceText, at: Extent, edits: Sequence[tuple[Extent, str]] = ()) -> str:
    """Return the text at an extent on one line, without comments, with some of its parts replaced."""
    text, end = "", at[0]
    applied: set[Extent] = set()
    tokens = tokenize(source, "ksql")[0]
    for index in range(bisect_left(tokens, at[0], key=attrgetter("start")), len(tokens) - 1):
        token = tokens[index]
        if token.end > at[1]:
            break
        gap = " " if text and token.start > end else ""
        end = token.end
        edit = next((e for e in edits if e[0][0] <= token.start and token.end <= e[0][1]), None)
        if edit is None:
            text += gap + source.text[token.start : token.end]
        elif edit[0] not in applied:
            applied.add(edit[0])
            text += gap + edit[1] if edit[1] else ""
    return text


def name_text(name: str) -> str:
    """Return the text of a name: between backticks unless it consists of upper case, digits and `_`."""
    return name if _BARE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def type_text(type: DataType) -> str:
    """Return the text of a type.

    >>> from lsqlc.types.data import BIGINT, STRING, Array, Decimal, Field, Map, Struct
    >>> type_text(Struct((Field("A", Array(Decimal(4, 2))), Field("b", Map(STRING, BIGINT)))))
    'STRUCT<A ARRAY<DECIMAL(4, 2)>, `b` MAP<STRING, BIGINT>>'
    """
    match type:
        case Struct(fields):
            return f"STRUCT<{', '.join(f'{name_text(f.name)} {type_text(f.type)}' for f in fields)}>"
        case Array(element):
            return f"ARRAY<{type_text(element)}>"
        case Map(key, value):
            return f"MAP<{type_text(key)}, {type_text(value)}>"
        case Decimal(precision, scale):
            return f"DECIMAL({precision}, {scale})"
    return str(type)


def text_of(expression: tree.Expression) -> str:
    """Return the expression's text, with parentheses around nested operators."""
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
        case tree.Logic(operator, operands):
            return f" {operator} ".join(map(_inner, operands))
        case tree.IsNull(operand, negated):
            return f"{_inner(operand)} IS {'NOT ' if negated else ''}NULL"
        case tree.Distinct(left, right, negated):
            return f"{_inner(left)} IS {_not(negated)}DISTINCT FROM {_inner(right)}"
        case tree.Between(operand, low, high, negated):
            return f"{_inner(operand)} {_not(negated)}BETWEEN {_inner(low)} AND {_inner(high)}"
        case tree.In(operand, items, negated):
            return f"{_inner(operand)} {_not(negated)}IN ({_all(items)})"
        case tree.Like(operand, pattern, negated, _, escape):
            like = f"{_inner(operand)} {_not(negated)}LIKE {_inner(pattern)}"
            return like if escape is None else f"{like} ESCAPE {text_of(tree.Literal(escape, (0, 0)))}"
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
        case tree.Lambda(parameters, body):
            parameter_list = ", ".join(name_text(p.text) for p in parameters)
            return f"{parameter_list if len(parameters) == 1 else f'({parameter_list})'} => {text_of(body)}"
        case tree.Hyphenated(tokens):
            return " ".join(t.text for t in tokens)


def _not(negated: bool) -> str:
    return "NOT " if negated else ""


def _inner(expression: tree.Expression) -> str:
    nested = isinstance(
        expression, tree.Binary | tree.Logic | tree.IsNull | tree.Distinct | tree.Between | tree.In | tree.Like
    )
    return f"({text_of(expression)})" if nested else text_of(expression)


def _all(items: tuple[tree.Expression, ...]) -> str:
    return ", ".join(map(text_of, items))
