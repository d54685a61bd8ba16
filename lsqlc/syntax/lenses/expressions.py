"""Expressions of the Lenses language: its grammar, and its names.

A hyphen between two adjacent words may belong to a name (`gaming-sessions._key`) or be a minus (`points-1`). The text
alone is ambiguous. So such an expression becomes `Hyphenated`, and `resolve` reads it again with the names in scope.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax import operands, operators, tree
from lsqlc.syntax.cursor import MAX_DEPTH, Cursor, SyntaxFault
from lsqlc.syntax.grammar import Grammar, Predicate, Prefix, Reader
from lsqlc.syntax.numbers import refuse_size, refuse_touching
from lsqlc.syntax.tokens import Token
from lsqlc.types.data import DataType
from lsqlc.types.ddl import DdlError, parse_type
from lsqlc.types.digits import integer

# Words that cannot name a field in an expression without backticks.
RESERVED = frozenset(
    """
    SELECT FROM WHERE GROUP HAVING JOIN ON WITHIN LATERAL AS AND OR NOT NULL TRUE FALSE CASE WHEN THEN ELSE END
    IS IN LIKE BETWEEN INSERT INTO WITH STORE SET
    """.split()  # noqa: SIM905, a list of strings would be four times as long
)
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
    """Words joined by adjacent dots and hyphens: `joints[i]` is between `pieces[i]` and `pieces[i + 1]`."""

    pieces: tuple[str, ...]
    joints: tuple[str, ...]
    at: Extent


# Returns the first name of a chain: its path, and its number of pieces. The rest begins with a minus.
Split = Callable[[Chain], tuple[tuple[str, ...], int]]


def expression(cursor: Cursor) -> tree.Expression:
    """Read one expression.

    Raises SyntaxFault.
    """
    start = cursor.at
    names = _Names(None)
    result = Reader(cursor, GRAMMAR, names.read).whole()
    if not names.met_hyphen:
        return result
    tokens = cursor.tokens[start : cursor.at]
    return tree.Hyphenated(tokens, (tokens[0].start, tokens[-1].end))


def resolve(hyphenated: tree.Hyphenated, source: SourceText, split: Split) -> tree.Expression | Diagnostic:
    """Return the expression with every chain of words split by `split`; a diagnostic if it is too deep."""
    try:
        return _again(hyphenated, source, split).whole()
    except SyntaxFault as fault:
        return fault.diagnostic


def as_written(hyphenated: tree.Hyphenated, source: SourceText) -> tuple[tree.Expression, dict[Extent, int]] | None:
    """Return the expression with every chain of words as one name, and the number of parentheses around each part.

    It needs no scope. None if it is too deep.
    """
    reader = _again(hyphenated, source, _whole)
    try:
        return reader.whole(), reader.parentheses
    except SyntaxFault:
        return None


def _again(hyphenated: tree.Hyphenated, source: SourceText, split: Split) -> Reader:
    """Return a reader of the same text."""
    end = hyphenated.at[1]
    cursor = Cursor(source, (*hyphenated.tokens, Token("end", "", "", end, end)))
    return Reader(cursor, GRAMMAR, _Names(split).read)


def _whole(chain: Chain) -> tuple[tuple[str, ...], int]:
    """Return the whole chain as a path: hyphens belong to its names."""
    path = [chain.pieces[0]]
    for joint, piece in zip(chain.joints, chain.pieces[1:], strict=True):
        if joint == "-":
            path[-1] += "-" + piece
        else:
            path.append(piece)
    return tuple(path), len(chain.pieces)


def refuse_word(cursor: Cursor, word: str, at: Extent) -> None:
    """Raise the fault for a word of SQL that the language does not have."""
    if word in _REFUSED:
        cursor.refuse_foreign()
        cursor.fault("LSQ120", _REFUSED[word], at, help=_REFUSED_HELP[word])


def _refused(reader: Reader) -> None:
    cursor = reader.cursor
    refuse_word(cursor, cursor.token.upper, (cursor.token.start, cursor.token.end))


def _member(reader: Reader, operand: tree.Expression, start: int) -> tree.Expression | None:
    """Read `.f` after an expression that is not a name; the dots of a name belong to it."""
    if isinstance(operand, tree.Reference):
        return None
    cursor = reader.cursor
    mark = cursor.token
    reader.deeper((mark.start, mark.end))
    cursor.advance()
    token = cursor.token
    if token.kind not in ("name", "quoted"):
        cursor.unexpected("a field name after '.'")
    cursor.advance()
    return tree.Member(operand, tree.Name(token.text, (token.start, token.end)), cursor.extent(start))


def _array(reader: Reader) -> tree.Expression:
    return operands.array(reader, reader.cursor.advance().start)


def _number(reader: Reader) -> tree.Literal:
    cursor = reader.cursor
    token = cursor.advance()
    at = (token.start, token.end)
    refuse_touching(cursor, token, RESERVED)
    refuse_size(cursor, token)
    if token.text.isdigit():
        return tree.Literal(integer(token.text), at)
    return tree.Literal(float(token.text), at)


def _type_of(cursor: Cursor) -> DataType:
    """Read the type of a CAST, which is a type of DDL."""
    type_start = cursor.token.start
    level = 0
    while not (level == 0 and cursor.is_mark(")")) and cursor.token.kind != "end":
        level += cursor.is_mark("(") - cursor.is_mark(")")
        cursor.advance()
    text = cursor.source.text[type_start : max(type_start, cursor.previous_end)]
    try:
        return parse_type(text)
    except DdlError as problem:
        place = min(type_start + problem.offset, len(cursor.source.text))
        cursor.fault("LSQ104", str(problem), (place, max(place + 1, cursor.previous_end)))


def _call(reader: Reader) -> tree.Expression:
    cursor = reader.cursor
    result = operands.call(reader, cursor.token.text)
    if cursor.is_word("OVER"):
        _refused(reader)
    return result


class _Names:
    """A reader of names. `met_hyphen`: whether a name has a hyphen that could be a minus."""

    __slots__ = ("_split", "met_hyphen")

    def __init__(self, split: Split | None) -> None:
        """Begin without hyphens. `split`: None if the scope is unknown, and a chain of words is one name."""
        self._split = split
        self.met_hyphen = False

    def read(self, cursor: Cursor) -> tree.Reference:
        """Read a name with all of its parts, or the parts that `split` returns.

        Raises SyntaxFault.
        """
        start = cursor.token.start
        pieces, joints = [cursor.advance().text], []
        ends = [cursor.at]
        while (joint := _joint(cursor)) is not None:
            cursor.advance()
            piece = cursor.advance()
            joints.append(joint)
            pieces.append(piece.text)
            after = cursor.token
            if piece.kind == "number" and after.kind == "name" and after.start == piece.end:
                # `topic-1a` is an adjacent number and word.
                pieces[-1] += cursor.advance().text
            ends.append(cursor.at)
        if len(pieces) > MAX_DEPTH:
            cursor.fault("LSQ103", f"this name has more than {MAX_DEPTH} parts", cursor.extent(start),
                         help="a hyphen with a space on each side is a minus" if "-" in joints else None)  # fmt: skip
        if "-" not in joints:
            return tree.Reference(tuple(pieces), cursor.extent(start))
        self.met_hyphen = True
        chain = Chain(tuple(pieces), tuple(joints), cursor.extent(start))
        path, count = self._split(chain) if self._split else (tuple(pieces), len(pieces))
        cursor.at = ends[count - 1]
        return tree.Reference(path, cursor.extent(start))


def _joint(cursor: Cursor) -> str | None:
    """Return the dot or hyphen that joins the next word to this one; a hyphen does so only if it touches both."""
    mark, after = cursor.token, cursor.ahead(1)
    if mark.kind != "mark" or mark.text not in ("-", "."):
        return None
    touches = mark.start == cursor.previous_end and after.start == mark.end
    if mark.text == ".":
        # Numbers follow dots only in names of topics: `app.v1.2024.field`.
        return "." if after.kind in ("name", "quoted") or (after.kind == "number" and touches) else None
    if not touches:
        return None
    if after.kind == "number":
        return "-"
    if after.kind == "name":
        # `a-f(x)` is a subtraction in any scope.
        call = cursor.ahead(2)
        return None if call.kind == "mark" and call.text == "(" else "-"
    return None


GRAMMAR = Grammar(
    levels=(
        {"OR": operators.logic("OR")},
        {"AND": operators.logic("AND")},
        {"NOT": Prefix(operators.negation)},
        {
            **operators.left_to_right("=", "<>", "!=", "<", "<=", ">", ">="),
            "IS": Predicate(operators.is_null),
            "IN": Predicate(operators.within, negatable=True),
            "LIKE": Predicate(operators.like, negatable=True),
            "BETWEEN": Predicate(operators.between, negatable=True),
        },
        operators.left_to_right("+", "-"),
        operators.left_to_right("*", "/", "%"),
        {"-": Prefix(operators.minus)},
    ),
    postfixes={"[": operands.index, ".": _member},
    literals={"number": _number, "string": operands.string},
    operands={
        **operands.CONSTANTS,
        "(": operands.parenthesised,
        "[": _array,
        "CASE": operands.case,
        "CAST": operands.cast(_type_of),
        **dict.fromkeys(_REFUSED, _refused),
    },
    call=_call,
    reserved=lambda cursor: cursor.token.upper in RESERVED,
    uncallable=RESERVED,
    deep_help="compute a part of it in a WITH statement first",
)
