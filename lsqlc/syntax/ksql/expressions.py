"""Expressions of ksqlDB, by operator precedence: OR, AND, NOT, comparisons, `||`, `+ -`, `* / %`, unary minus, then
`[i]`, `->f` and `.c`.

Names come out in upper case unless they were quoted; a hyphen is always a minus.
"""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import MAX_DEPTH, Cursor
from lsqlc.syntax.ksql.types import type_of
from lsqlc.syntax.limits import check_chain, check_levels, too_deep
from lsqlc.syntax.numbers import refuse_dot, refuse_size
from lsqlc.syntax.operators import LOGIC
from lsqlc.syntax.tokens import Token
from lsqlc.types import data
from lsqlc.types.data import Decimal

# Words that end an expression or a name, and so are no names without quotes.
RESERVED = frozenset(
    """
    SELECT FROM WHERE GROUP PARTITION HAVING JOIN ON WITHIN AS AND OR NOT NULL TRUE FALSE CASE WHEN THEN ELSE END IS
    IN LIKE BETWEEN INSERT INTO CREATE WITH EMIT LIMIT WINDOW INNER LEFT RIGHT FULL OUTER CROSS BY
    """.split()  # noqa: SIM905, a list of strings would be four times as long
)
_BINDING = {
    "OR": 1, "AND": 2,
    "=": 3, "<>": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "IS": 3, "IN": 3, "LIKE": 3, "BETWEEN": 3,
    "||": 4,
    "+": 5, "-": 5,
    "*": 6, "/": 6, "%": 6,
}  # fmt: skip
_VALUE = 4
_DEEP_HELP = "compute a part of it in a stream of its own first"
# A type before a string literal says what the string means.
_TYPED = {"DATE": data.DATE, "TIME": data.TIME, "TIMESTAMP": data.TIMESTAMP}
# Arguments of functions that move a time.
UNITS = frozenset(
    f"{unit}{plural}" for unit in ("DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND") for plural in ("", "S")
)


# Words that are names too, where what follows does not make them the begin of a clause.
_CLAUSES = {"PARTITION": ("BY",), "EMIT": ("CHANGES", "FINAL"), "CROSS": ("JOIN",)}


def reserved(cursor: Cursor) -> bool:
    """Whether the next token is a word that is no name here."""
    word = cursor.token.upper
    followers = _CLAUSES.get(word)
    return cursor.ahead(1).upper in followers if followers else word in RESERVED


def expression(cursor: Cursor) -> tree.Expression:
    """Read one expression; raises SyntaxFault."""
    start = cursor.at
    result = _binary(cursor, 1)
    check_levels(cursor, start, result, _DEEP_HELP)
    return result


def name_of(cursor: Cursor, wanted: str) -> tree.Name:
    """One name: in upper case, or as it is between quotes. It may begin with digits."""
    token = cursor.token
    if starts_with_digits(cursor):
        cursor.advance()
        rest = cursor.advance()
        return tree.Name(token.text.upper() + rest.upper, (token.start, rest.end))
    if token.kind not in ("name", "quoted") or reserved(cursor):
        cursor.unexpected(wanted)
    cursor.advance()
    return tree.Name(token.upper or token.text, (token.start, token.end))


def starts_with_digits(cursor: Cursor) -> bool:
    """Whether a name such as `1R` or `1e5x` is next, which comes as a number and a word that touch."""
    token, after = cursor.token, cursor.ahead(1)
    return token.kind == "number" and token.text.isalnum() and after.kind == "name" and after.start == token.end


def _binary(cursor: Cursor, loosest: int) -> tree.Expression:
    start = cursor.token.start
    left = _negation(cursor) if cursor.token.upper == "NOT" else _unary(cursor)
    operators = 0
    while True:
        token = cursor.token
        word = _operator(token)
        if word == "NOT" and cursor.ahead(1).upper in ("IN", "LIKE", "BETWEEN"):
            word = cursor.ahead(1).upper
        binding = _BINDING.get(word)
        if binding is None or binding < loosest:
            return left
        if logic := LOGIC.get(word):
            left = tree.Logic(logic, tuple(_operands(cursor, left, binding)), cursor.extent(start))
            continue
        if word == "||":
            left = _joined(cursor, left, binding, start)
            continue
        operators += 1
        check_chain(cursor, operators, word, _DEEP_HELP)
        if word in ("IS", "IN", "LIKE", "BETWEEN"):
            left = _predicate(cursor, left, start)
            continue
        cursor.advance()
        right = _binary(cursor, binding + 1)
        left = tree.Binary("<>" if word == "!=" else word, left, right, cursor.extent(start))


def _operator(token: Token) -> str:
    """The word or mark that a token is; empty for a value or a quoted name."""
    return token.upper or (token.text if token.kind == "mark" else "")


def _operands(cursor: Cursor, first: tree.Expression, binding: int) -> Iterator[tree.Expression]:
    """What a chain of one operator joins; the operator is next."""
    operator = _operator(cursor.token)
    yield first
    while _operator(cursor.token) == operator:
        cursor.advance()
        yield _binary(cursor, binding + 1)


def _joined(cursor: Cursor, first: tree.Expression, binding: int, start: int) -> tree.Expression:
    """`a || b || c`, two by two from the left, or at once where that would make too many levels."""
    name = tree.Name("CONCAT", (cursor.token.start, cursor.token.end))
    texts = [(text, cursor.extent(start)) for text in _operands(cursor, first, binding)]
    if len(texts) > MAX_DEPTH:
        return tree.Call(name, tuple(text for text, _ in texts), False, cursor.extent(start))
    (left, _), *rest = texts
    for right, at in rest:
        left = tree.Call(name, (left, right), False, at)
    return left


def _nested(cursor: Cursor, loosest: int) -> tree.Expression:
    token = cursor.token
    _deeper(cursor, (token.start, token.end))
    inner = _binary(cursor, loosest)
    cursor.depth -= 1
    return inner


def _deeper(cursor: Cursor, at: Extent) -> None:
    cursor.depth += 1
    if cursor.depth > MAX_DEPTH:
        too_deep(cursor, at, _DEEP_HELP)


def _negation(cursor: Cursor) -> tree.Unary:
    start = cursor.advance().start
    operand = _nested(cursor, _BINDING["="])
    return tree.Unary("NOT", operand, cursor.extent(start))


def _predicate(cursor: Cursor, left: tree.Expression, start: int) -> tree.Expression:
    if cursor.take_words("IS"):
        negated = cursor.take_words("NOT")
        if cursor.take_words("DISTINCT"):
            cursor.expect_words("FROM")
            return tree.Distinct(left, _nested(cursor, _VALUE), negated, cursor.extent(start))
        cursor.expect_words("NULL")
        return tree.IsNull(left, negated, cursor.extent(start))
    negated = cursor.take_words("NOT")
    word = cursor.advance().upper
    if word == "LIKE":
        pattern = _nested(cursor, _VALUE)
        escape = _escape(cursor) if cursor.take_words("ESCAPE") else None
        return tree.Like(left, pattern, negated, cursor.extent(start), escape)
    if word == "BETWEEN":
        low = _nested(cursor, _VALUE)
        cursor.expect_words("AND")
        return tree.Between(left, low, _nested(cursor, _VALUE), negated, cursor.extent(start))
    cursor.expect_mark("(", "IN")
    items = _list(cursor, ")")
    if not items:
        cursor.unexpected("a value in the list of IN")
    cursor.expect_mark(")", "the list of IN")
    return tree.In(left, items, negated, cursor.extent(start))


def _escape(cursor: Cursor) -> str:
    """The character behind ESCAPE."""
    token = cursor.token
    if token.kind != "string" or len(token.text) != 1:
        cursor.unexpected("one character in quotes behind ESCAPE", help="as in LIKE '50!%' ESCAPE '!'")
    cursor.advance()
    return token.text


def _unary(cursor: Cursor) -> tree.Expression:
    while cursor.take_mark("+"):
        pass
    if not cursor.is_mark("-"):
        return _postfix(cursor)
    start = cursor.advance().start
    _deeper(cursor, (start, start + 1))
    operand = _unary(cursor)
    cursor.depth -= 1
    at = cursor.extent(start)
    if isinstance(operand, tree.Literal) and type(operand.value) in (int, float):
        assert isinstance(operand.value, int | float)
        return tree.Literal(-operand.value, at)
    return tree.Unary("-", operand, at)


def _postfix(cursor: Cursor) -> tree.Expression:
    start = cursor.token.start
    result = _atom(cursor)
    depth = cursor.depth
    while True:
        token = cursor.token
        if cursor.take_mark("["):
            index = _nested(cursor, 1)
            cursor.expect_mark("]", "an index")
            result = tree.Index(result, index, cursor.extent(start))
        elif cursor.is_mark("->") and cursor.ahead(1).text != "*":
            cursor.advance()
            result = tree.Member(result, name_of(cursor, "a field after '->'"), cursor.extent(start))
        else:
            cursor.depth = depth
            return result
        _deeper(cursor, (token.start, token.end))


def _atom(cursor: Cursor) -> tree.Expression:
    token = cursor.token
    at = (token.start, token.end)
    if token.kind == "number":
        return _reference(cursor) if starts_with_digits(cursor) else _number(cursor)
    if token.kind == "string":
        cursor.advance()
        return tree.Literal(token.text, at)
    if cursor.take_mark("("):
        inner = _nested(cursor, 1)
        cursor.expect_mark(")", "the expression")
        return inner
    if token.kind == "quoted":
        return _reference(cursor)
    if token.kind != "name":
        cursor.unexpected("an expression")
    if token.upper in ("NULL", "TRUE", "FALSE"):
        cursor.advance()
        return tree.Literal({"NULL": None, "TRUE": True, "FALSE": False}[token.upper], at)
    if token.upper == "CASE":
        return _case(cursor)
    if token.upper in _TYPED and cursor.ahead(1).kind == "string":
        cursor.advance()
        text = cursor.advance()
        return tree.Cast(tree.Literal(text.text, (text.start, text.end)), _TYPED[token.upper], cursor.extent(at[0]))
    if token.upper == "SELECT":
        cursor.fault("LSQ120", "a subquery is not part of the language", at, help="give it a name: CREATE STREAM AS")
    after = cursor.ahead(1)
    if token.upper == "ARRAY" and after.text == "[" and after.kind == "mark":
        cursor.advance()
        cursor.advance()
        items = _list(cursor, "]")
        cursor.expect_mark("]", "the elements of an array")
        return tree.ArrayLiteral(items, cursor.extent(token.start))
    if after.kind == "mark" and after.text == "(" and (token.upper not in RESERVED or token.upper in ("LEFT", "RIGHT")):
        return _cast(cursor) if token.upper == "CAST" else _call(cursor)
    if reserved(cursor):
        cursor.unexpected("an expression")
    return _reference(cursor)


def _number(cursor: Cursor) -> tree.Expression:
    """An integer, a DECIMAL with as many digits as were written, or with an exponent a DOUBLE."""
    token = cursor.advance()
    at = (token.start, token.end)
    refuse_dot(cursor, token)
    refuse_size(cursor, token)
    if token.text.isdigit():
        return tree.Literal(int(token.text), at)
    whole, point, places = token.text.partition(".")
    if not point or not (whole + places).isdigit() or len(whole + places) > 38:
        return tree.Literal(float(token.text), at)
    precision = max(len(whole.lstrip("0")) + len(places), 1)
    return tree.Cast(tree.Literal(token.text, at), Decimal(precision, len(places)), at)


def _list(cursor: Cursor, closing: str) -> tuple[tree.Expression, ...]:
    if cursor.is_mark(closing):
        return ()
    items = [_nested(cursor, 1)]
    while cursor.take_mark(","):
        items.append(_nested(cursor, 1))
    return tuple(items)


def _case(cursor: Cursor) -> tree.Case:
    start = cursor.advance().start
    operand = None if cursor.is_word("WHEN") else _nested(cursor, 1)
    branches = []
    while cursor.take_words("WHEN"):
        condition = _nested(cursor, 1)
        cursor.expect_words("THEN")
        branches.append((condition, _nested(cursor, 1)))
    if not branches:
        cursor.unexpected("WHEN")
    otherwise = _nested(cursor, 1) if cursor.take_words("ELSE") else None
    cursor.expect_words("END")
    return tree.Case(operand, tuple(branches), otherwise, cursor.extent(start))


def _cast(cursor: Cursor) -> tree.Cast:
    start = cursor.advance().start
    cursor.advance()
    operand = _nested(cursor, 1)
    cursor.expect_words("AS")
    type = type_of(cursor)
    cursor.expect_mark(")", "the type")
    return tree.Cast(operand, type, cursor.extent(start))


def _call(cursor: Cursor) -> tree.Expression:
    token = cursor.advance()
    cursor.advance()
    name = tree.Name(token.upper, (token.start, token.end))
    if cursor.is_mark("*") and cursor.ahead(1).text == ")":
        cursor.advance()
        cursor.advance()
        return tree.Call(name, (), True, cursor.extent(token.start))
    if name.text in ("STRUCT", "MAP"):
        return tree.Call(name, _entries(cursor, name.text), False, cursor.extent(token.start))
    arguments = _arguments(cursor)
    cursor.expect_mark(")", f"the arguments of {name.text}")
    # COUNT() is COUNT(*).
    star = name.text == "COUNT" and not arguments
    return tree.Call(name, arguments, star, cursor.extent(token.start))


def _arguments(cursor: Cursor) -> tuple[tree.Expression, ...]:
    """Expressions, lambdas, and units of time (`DATEADD(DAYS, 3, day)`), which come out as their names."""
    if cursor.is_mark(")"):
        return ()
    found = [_argument(cursor)]
    while cursor.take_mark(","):
        found.append(_argument(cursor))
    return tuple(found)


def _argument(cursor: Cursor) -> tree.Expression:
    token, after = cursor.token, cursor.ahead(1)
    if token.upper in UNITS and after.kind == "mark" and after.text == ",":
        cursor.advance()
        return tree.Literal(token.upper, (token.start, token.end))
    names = _parameters(cursor)
    if names is None:
        return _nested(cursor, 1)
    body = _nested(cursor, 1)
    return tree.Lambda(names, body, cursor.extent(token.start))


def _parameters(cursor: Cursor) -> tuple[tree.Name, ...] | None:
    """What stands before `=>`, which is passed too; None where no lambda begins, and nothing is."""
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


def _entries(cursor: Cursor, word: str) -> tuple[tree.Expression, ...]:
    """What stands in `STRUCT(a := 1, b := 2)` and `MAP('a' := 1)`: names or keys, each before its value."""
    parts: list[tree.Expression] = []
    while not cursor.take_mark(")"):
        if word == "STRUCT":
            name = name_of(cursor, "the name of a field")
            parts.append(tree.Literal(name.text, name.at))
        else:
            parts.append(_nested(cursor, 1))
        cursor.expect_mark(":=", "the field" if word == "STRUCT" else "the key")
        parts.append(_nested(cursor, 1))
        if not cursor.is_mark(")"):
            cursor.expect_mark(",", "the value")
    return tuple(parts)


def _reference(cursor: Cursor) -> tree.Reference:
    """A column, with its source before a dot where that is written."""
    start = cursor.token.start
    parts = [name_of(cursor, "a column").text]
    if cursor.is_mark(".") and cursor.ahead(1).kind in ("name", "quoted"):
        cursor.advance()
        parts.append(name_of(cursor, "a column after '.'").text)
    return tree.Reference(tuple(parts), cursor.extent(start))
