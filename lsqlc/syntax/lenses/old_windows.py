"""Windows of older versions of the language, `GROUP BY TUMBLE(1, m)`, and their form today."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.diagnostics import Fix
from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.lenses.foreign import duration_text


@dataclass(frozen=True, slots=True)
class _Kind:
    """The form of a window today: its word, its number of lengths, and an example of them."""

    word: str
    lengths: int
    example: str


_TUMBLE, _HOP, _SESSION = _Kind("TUMBLE", 1, "1m"), _Kind("HOP", 2, "10s, 5s"), _Kind("SESSION", 1, "5m")
# Their words in older versions, and in other languages. Sliding windows are no longer groups.
WORDS = {
    "TUMBLE": _TUMBLE, "TUMBLING": _TUMBLE, "HOP": _HOP, "HOPPING": _HOP, "SESSION": _SESSION, "SLIDING": None,
}  # fmt: skip
_UNITS = ("MS", "S", "M", "H", "D")


def advice(cursor: Cursor) -> str:
    """Return the replacement of the window at whose word the cursor is."""
    kind = WORDS[cursor.token.upper]
    time, after = cursor.ahead(2), cursor.ahead(3)
    if time.kind == "name" and after.text == "," and cursor.ahead(4).upper == "INTERVAL":
        # Flink's form: TUMBLE(time, INTERVAL '1' HOUR).
        size = duration_text(cursor.ahead(5), cursor.ahead(6))
        if size and kind is _TUMBLE:
            return f"write EVENTTIME BY {time.text} WINDOW BY TUMBLE {size} before GROUP BY"
    return f"write WINDOW BY {kind.word} {kind.example} before GROUP BY" if kind else "write a join WITHIN 5s"


def rewritten(cursor: Cursor) -> Fix | None:
    """Return the fix that moves the window from GROUP BY to a WINDOW BY before it.

    None if its arguments are not numbers and units. The cursor is at the window's word.
    """
    kind = WORDS[cursor.token.upper]
    if kind is None:
        return None
    place = 2
    sizes = []
    for _ in range(kind.lengths):
        number, comma, unit, after = (cursor.ahead(place + i) for i in range(4))
        if not number.text.isdigit() or comma.text != "," or unit.upper not in _UNITS or after.text not in (",", ")"):
            return None
        sizes.append(f"{number.text}{unit.text.lower()}")
        place += 4
    if cursor.ahead(place - 1).text != ")":
        return None
    group = next(i for i in range(cursor.at, -1, -1) if cursor.tokens[i].upper == "GROUP")
    window = f"WINDOW BY {kind.word} {', '.join(sizes)}"
    start, end = cursor.tokens[group].start, cursor.ahead(place - 1).end
    text = cursor.source.text
    if cursor.at > group + 2:
        before = text[start : cursor.tokens[cursor.at - 1].start].rstrip()
        return Fix(cursor.source.span((start, end)), f"{window} {before}")
    if cursor.ahead(place).text == ",":
        return Fix(cursor.source.span((start, cursor.ahead(place).end)), f"{window} GROUP BY")
    return Fix(cursor.source.span((start, end)), window)
