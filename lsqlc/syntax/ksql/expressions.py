"""Expressions of ksqlDB: its grammar, and its names.

Names are converted to upper case unless they are quoted; a hyphen is always a minus.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import operands, operators, tree
from lsqlc.syntax.cursor import MAX_DEPTH, Cursor
from lsqlc.syntax.grammar import Chain, Ended, Grammar, Predicate, Prefix, Reader
from lsqlc.syntax.ksql.types import type_of
from lsqlc.syntax.numbers import refuse_dot, refuse_size
from lsqlc.types import data
from lsqlc.types.data import Decimal
from lsqlc.types.digits import integer

# Words that end an expression or a name, and so are not names without quotes.
RESERVED = frozenset(
    """
    SELECT FROM WHERE GROUP PARTITION HAVING JOIN ON WITHIN AS AND OR NOT NULL TRUE FALSE CASE WHEN THEN ELSE END IS
    IN LIKE BETWEEN INSERT INTO CREATE WITH EMIT LIMIT WINDOW INNER LEFT RIGHT FULL OUTER CROSS BY
    """.split()  # noqa: SIM905, a list of strings would be four times as long
)
# Types before a string literal, which convert it.
_TYPED = {"DATE": data.DATE, "TIME": data.TIME, "TIMESTAMP": data.TIMESTAMP}
# Arguments of functions that shift a time.
UNITS = frozenset(
    f"{unit}{plural}" for unit in ("DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND") for plural in ("", "S")
)


# Words that are also names, unless these words follow, which begin a clause.
_CLAUSES = {"PARTITION": ("BY",), "EMIT": ("CHANGES", "FINAL"), "CROSS": ("JOIN",)}


def reserved(cursor: Cursor) -> bool:
    """Return whether the next token is a word that is not a name here."""
    word = cursor.token.upper
    followers = _CLAUSES.get(word)
    return cursor.ahead(1).upper in followers if followers else word in RESERVED


def expression(cursor: Cursor) -> tree.Expression:
    """Read one expression.

    Raises SyntaxFault.
    """
    return Reader(cursor, GRAMMAR, _reference).whole()


def name_of(cursor: Cursor, expected: str) -> tree.Name:
    """Read one name: in upper case, or unchanged between quotes. It may begin with digits."""
    token = cursor.token
    if starts_with_digits(cursor):
        cursor.advance()
        rest = cursor.advance()
        return tree.Name(token.text.upper() + rest.upper, (token.start, rest.end))
    if token.kind not in ("name", "quoted") or reserved(cursor):
        cursor.unexpected(expected)
    cursor.advance()
    return tree.Name(token.upper or token.text, (token.start, token.end))


def starts_with_digits(cursor: Cursor) -> bool:
    """Return whether a name such as `1R` or `1e5x` is next, which is an adjacent number and word."""
    token, after = cursor.token, cursor.ahead(1)
    return token.kind == "number" and token.text.isalnum() and after.kind == "name" and after.start == token.end


def _joined(operator: str, texts: Sequence[Ended], start: int, at: Extent) -> tree.Expression:
    """Return `a || b || c`, nested from the left, or as one call if that had too many levels."""
    name = tree.Name("CONCAT", at)
    if len(texts) > MAX_DEPTH:
        return tree.Call(name, tuple(text for text, _ in texts), False, (start, texts[-1][1]))
    (left, _), *rest = texts
    for right, stop in rest:
        left = tree.Call(name, (left, right), False, (start, stop))
    return left


def _is(reader: Reader, left: tree.Expression, start: int, level: int) -> tree.Expression:
    """Read `IS NULL` or `IS DISTINCT FROM x`, or both with NOT."""
    cursor = reader.cursor
    negated = cursor.is_word("IS", "NOT", "DISTINCT")
    if not negated and not cursor.is_word("IS", "DISTINCT"):
        return operators.is_null(reader, left, start, level)
    for _ in range(2 + negated):
        cursor.advance()
    cursor.expect_words("FROM")
    return tree.Distinct(left, reader.operation(level + 1), negated, cursor.extent(start))


def _like(reader: Reader, left: tree.Expression, start: int, level: int) -> tree.Expression:
    """Read `LIKE pattern ESCAPE '!'`."""
    cursor = reader.cursor
    like = operators.like(reader, left, start, level)
    if not cursor.take_words("ESCAPE"):
        return like
    token = cursor.token
    if token.kind != "string" or len(token.text) != 1:
        cursor.unexpected("one character in quotes behind ESCAPE", help="as in LIKE '50!%' ESCAPE '!'")
    cursor.advance()
    return replace(like, escape=token.text, at=cursor.extent(start))


def _plus(reader: Reader, level: int) -> tree.Expression:
    """Read `+x`, which is x."""
    while reader.cursor.take_mark("+"):
        pass
    return reader.operand(level)


def _member(reader: Reader, operand: tree.Expression, start: int) -> tree.Expression | None:
    """Read `->f`; `->*` is not part of an expression."""
    cursor = reader.cursor
    mark = cursor.token
    if cursor.ahead(1).text == "*":
        return None
    cursor.advance()
    reader.deeper((mark.start, mark.end))
    return tree.Member(operand, name_of(cursor, "a field after '->'"), cursor.extent(start))


def _number_or_name(reader: Reader) -> tree.Expression:
    return _reference(reader.cursor) if starts_with_digits(reader.cursor) else _number(reader.cursor)


def _number(cursor: Cursor) -> tree.Expression:
    """Read an integer, a DECIMAL with the digits of the text, or with an exponent a DOUBLE."""
    token = cursor.advance()
    at = (token.start, token.end)
    refuse_dot(cursor, token)
    refuse_size(cursor, token)
    if token.text.isdigit():
        return tree.Literal(integer(token.text), at)
    whole, point, places = token.text.partition(".")
    if not point or not (whole + places).isdigit() or len(whole + places) > 38:
        return tree.Literal(float(token.text), at)
    precision = max(len(whole.lstrip("0")) + len(places), 1)
    return tree.Cast(tree.Literal(token.text, at), Decimal(precision, len(places)), at)


def _typed(reader: Reader) -> tree.Expression | None:
    """Read `DATE '2024-01-01'`; without a string DATE is a name."""
    cursor = reader.cursor
    if cursor.ahead(1).kind != "string":
        return None
    word, text = cursor.advance(), cursor.advance()
    return tree.Cast(tree.Literal(text.text, (text.start, text.end)), _TYPED[word.upper], cursor.extent(word.start))


def _array(reader: Reader) -> tree.Expression | None:
    """Read `ARRAY[1, 2]`; without a bracket ARRAY is a name."""
    cursor = reader.cursor
    after = cursor.ahead(1)
    if after.text != "[" or after.kind != "mark":
        return None
    start = cursor.advance().start
    cursor.advance()
    return operands.array(reader, start)


def _subquery(reader: Reader) -> tree.Expression:
    token = reader.cursor.token
    reader.cursor.fault("LSQ120", "a subquery is not part of the language", (token.start, token.end),
                        help="give it a name: CREATE STREAM AS")  # fmt: skip


def _call(reader: Reader) -> tree.Expression:
    name = reader.cursor.token.upper
    call = operands.call(reader, name, _argument, _ARGUMENTS.get(name))
    # COUNT() is COUNT(*).
    return replace(call, star=True) if call.name.text == "COUNT" and not call.arguments else call


def _argument(reader: Reader) -> tree.Expression:
    """Read an expression, a lambda, or a unit of time (`DATEADD(DAYS, 3, day)`), which becomes a string."""
    cursor = reader.cursor
    token, after = cursor.token, cursor.ahead(1)
    if token.upper in UNITS and after.kind == "mark" and after.text == ",":
        cursor.advance()
        return tree.Literal(token.upper, (token.start, token.end))
    names = _parameters(cursor)
    body = reader.operation()
    return body if names is None else tree.Lambda(names, body, cursor.extent(token.start))


def _parameters(cursor: Cursor) -> tuple[tree.Name, ...] | None:
    """Read the parameters before `=>` and the arrow; return None, and read nothing, if no lambda begins."""
    place = cursor.at
    enclosed = cursor.take_mark("(")
    names: list[tree.Name] = []
    while cursor.token.kind in ("name", "quoted") and cursor.token.upper not in RESERVED:
        names.append(name_of(cursor, "a parameter"))
        if not (enclosed and cursor.take_mark(",")):
            break
    if names and (not enclosed or cursor.take_mark(")")) and cursor.take_mark("=>"):
        return tuple(names)
    cursor.at = place
    return None


def _fields(reader: Reader) -> tuple[tree.Expression, ...]:
    """Read the inside of `STRUCT(a := 1, b := 2)`: names, each before its value."""
    parts: list[tree.Expression] = []
    while not reader.cursor.is_mark(")"):
        name = name_of(reader.cursor, "the name of a field")
        parts += tree.Literal(name.text, name.at), _assigned(reader, "the field")
    return tuple(parts)


def _entries(reader: Reader) -> tuple[tree.Expression, ...]:
    """Read the inside of `MAP('a' := 1)`: keys, each before its value."""
    parts: list[tree.Expression] = []
    while not reader.cursor.is_mark(")"):
        parts += _nested(reader), _assigned(reader, "the key")
    return tuple(parts)


_ARGUMENTS = {"STRUCT": _fields, "MAP": _entries}


def _assigned(reader: Reader, name: str) -> tree.Expression:
    """Read the value after `:=`, and the next comma, if any."""
    cursor = reader.cursor
    cursor.expect_mark(":=", name)
    value = _nested(reader)
    if not cursor.is_mark(")"):
        cursor.expect_mark(",", "the value")
    return value


def _nested(reader: Reader) -> tree.Expression:
    token = reader.cursor.token
    reader.deeper((token.start, token.end))
    inner = reader.operation()
    reader.cursor.depth -= 1
    return inner


def _reference(cursor: Cursor) -> tree.Reference:
    """Read a column, optionally with its source before a dot."""
    start = cursor.token.start
    parts = [name_of(cursor, "a column").text]
    if cursor.is_mark(".") and cursor.ahead(1).kind in ("name", "quoted"):
        cursor.advance()
        parts.append(name_of(cursor, "a column after '.'").text)
    return tree.Reference(tuple(parts), cursor.extent(start))


GRAMMAR = Grammar(
    levels=(
        {"OR": operators.logic("OR")},
        {"AND": operators.logic("AND")},
        {"NOT": Prefix(operators.negation)},
        {
            **operators.left_to_right("=", "<>", "!=", "<", "<=", ">", ">="),
            "IS": Predicate(_is),
            "IN": Predicate(operators.within, negatable=True),
            "LIKE": Predicate(_like, negatable=True),
            "BETWEEN": Predicate(operators.between, negatable=True),
        },
        {"||": Chain(_joined)},
        operators.left_to_right("+", "-"),
        operators.left_to_right("*", "/", "%"),
        {"-": Prefix(operators.minus), "+": Prefix(_plus)},
    ),
    postfixes={"[": operands.index, "->": _member},
    literals={"number": _number_or_name, "string": operands.string},
    operands={
        **operands.CONSTANTS,
        "(": operands.parenthesised,
        "ARRAY": _array,
        "CASE": operands.case,
        "CAST": operands.cast(type_of),
        "SELECT": _subquery,
        **dict.fromkeys(_TYPED, _typed),
    },
    call=_call,
    reserved=reserved,
    uncallable=RESERVED - {"LEFT", "RIGHT"},
    deep_help="compute a part of it in a stream of its own first",
)
