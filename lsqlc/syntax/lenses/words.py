"""Parts that statements share: names of topics and aliases, durations, and the words of SQL that are refused."""

from __future__ import annotations

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.lenses.expressions import RESERVED, refuse_word
from lsqlc.syntax.lenses.foreign import duration_text
from lsqlc.syntax.numbers import LONGEST_DURATION, backticks

_REFUSED = {
    "CROSS": ("CROSS JOIN is not part of the language", "join on an equality: a JOIN b ON a.x = b.x"),
    "NATURAL": ("NATURAL JOIN is not part of the language", "write the equalities: a JOIN b ON a.x = b.x"),
    "SEMI": ("SEMI JOIN is not part of the language", "use an INNER JOIN, and select the fields of one side"),
    "ANTI": ("ANTI JOIN is not part of the language", "use a LEFT JOIN, and filter by: WHERE b.x IS NULL"),
    "USING": ("USING is not part of the language", "write the equality: ON a.x = b.x"),
    "UNION": ("UNION is not part of the language", "write one INSERT INTO for each SELECT, with the same target"),
    "OVER": ("window functions (OVER) are not part of the language", "use GROUP BY, with WINDOW BY for time windows"),
}
_UNITS = {"MS": 1, "S": 1_000, "M": 60_000, "H": 3_600_000, "D": 86_400_000}


def refuse(cursor: Cursor) -> None:
    """Raise the fault for the next word, if SQL has it and the language does not."""
    cursor.refuse_foreign()
    token = cursor.token
    if token.upper in _REFUSED:
        message, help = _REFUSED[token.upper]
        cursor.fault("LSQ120", message, (token.start, token.end), help=help)
    refuse_word(cursor, token.upper, (token.start, token.end))


def _element(cursor: Cursor, expected: str, *, number: bool = False) -> str:
    """Read one name: words and numbers joined by adjacent hyphens, or a name in backticks.

    `number`: it may begin with a number.
    """
    token = cursor.token
    if token.kind == "quoted":
        return cursor.advance().text
    if (token.kind != "name" or token.upper in RESERVED) and not (number and token.kind == "number"):
        cursor.unexpected(expected, help=backticks(cursor))
    text = cursor.advance().text
    if token.kind == "number" and cursor.token.kind == "name" and cursor.token.start == token.end:
        text += cursor.advance().text
    while cursor.is_mark("-") and cursor.token.start == cursor.previous_end:
        after = cursor.ahead(1)
        if after.start != cursor.token.end or after.kind not in ("name", "number"):
            break
        cursor.advance()
        text += "-" + cursor.advance().text
        # `topic-1a` is an adjacent number and word.
        while cursor.token.kind in ("name", "number") and cursor.token.start == cursor.previous_end:
            text += cursor.advance().text
    return text


def read_path(cursor: Cursor, expected: str, *, numbers: bool = False) -> tuple[str, ...]:
    """Read a dotted name whose elements may have hyphens. `numbers`: those after a dot may begin with digits."""
    elements = [_element(cursor, expected)]
    while cursor.is_mark("."):
        dot = cursor.advance()
        touches = cursor.token.start == dot.end
        elements.append(_element(cursor, "a name after '.'", number=numbers and touches))
    return tuple(elements)


def read_name(cursor: Cursor, expected: str, *, dotted: bool) -> tree.Name:
    """Read the name of a topic (`dotted`: it may have dots), a WITH or an alias."""
    start = cursor.token.start
    text = ".".join(read_path(cursor, expected, numbers=True)) if dotted else _element(cursor, expected)
    return tree.Name(text, cursor.extent(start))


def duration(cursor: Cursor) -> tree.Duration:
    """Read a number and an adjacent unit."""
    token, unit = cursor.token, cursor.ahead(1)
    if token.kind != "number" or not token.text.isdigit():
        cursor.unexpected("a duration", help="write a number directly followed by a unit: 500ms, 5s, 10m, 1h, 7d")
    at: Extent = (token.start, max(token.end, unit.end if unit.start == token.end else token.end))
    if unit.start != token.end and (corrected := duration_text(token, unit)):
        message = f"'{cursor.source.text[token.start : unit.end]}' is not a duration"
        cursor.fault("LSQ112", message, (token.start, unit.end), help=f"write {corrected}")
    if unit.start != token.end or unit.upper not in _UNITS:
        cursor.fault(
            "LSQ112",
            f"'{cursor.source.text[at[0] : at[1]]}' is not a duration",
            at,
            help="write a number directly followed by a unit: 500ms, 5s, 10m, 1h, 7d",
        )
    # Python refuses to convert a number of thousands of digits, which would be too large anyway.
    milliseconds = int(token.text) * _UNITS[unit.upper] if len(token.text.lstrip("0")) <= 20 else LONGEST_DURATION + 1
    if milliseconds > LONGEST_DURATION:
        cursor.fault("LSQ112", "this duration is longer than ten thousand years", at, help="write a shorter one")
    cursor.advance()
    cursor.advance()
    return tree.Duration(milliseconds, at)
