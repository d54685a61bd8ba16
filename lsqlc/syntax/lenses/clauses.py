"""The clauses after FROM: LATERAL, EVENTTIME BY, WHERE, WINDOW BY, GROUP BY, HAVING."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.lenses import old_windows
from lsqlc.syntax.lenses.expressions import expression
from lsqlc.syntax.lenses.sources import at_join, source_alias
from lsqlc.syntax.lenses.words import duration, read_name

# Only clauses with a higher number may follow these; the others are in any order.
_LAST = {"GROUP": 1, "HAVING": 2}
_OTHER_WINDOWS = {
    "TUMBLING": "write TUMBLE and the size: TUMBLE 1m",
    "HOPPING": "write HOP, the size and the advance: HOP 10s, 5s",
    "SLIDING": "windows that slide are those of a join: a JOIN b WITHIN 5s",
}


@dataclass(slots=True)
class Clauses:
    """The clauses so far. `met`: their first words, in order."""

    laterals: list[tree.Lateral] = field(default_factory=list)
    event_time: tree.Expression | None = None
    where: tree.Expression | None = None
    window: tree.Window | None = None
    group_by: tuple[tree.GroupItem, ...] = ()
    having: tree.Expression | None = None
    met: list[str] = field(default_factory=list)


def read_clause(cursor: Cursor, clauses: Clauses) -> bool:
    """Read one clause after FROM; return False if none is next."""
    token = cursor.token
    readers: dict[str, tuple[tuple[str, ...], Callable[[Cursor, Clauses], None]]] = {
        "LATERAL": (("LATERAL",), _lateral),
        "EVENTTIME": (("EVENTTIME", "BY"), _event_time),
        "WHERE": (("WHERE",), _where),
        "WINDOW": (("WINDOW", "BY"), _window),
        "GROUP": (("GROUP", "BY"), _group_by),
        "HAVING": (("HAVING",), _having),
    }
    if token.upper not in readers:
        return False
    words, read = readers[token.upper]
    for word in words:
        cursor.expect_words(word)
    if token.upper != "LATERAL" and token.upper in clauses.met:
        cursor.fault("LSQ110", f"{' '.join(words)} occurs twice", cursor.extent(token.start))
    late = next((word for word in clauses.met if _LAST.get(word, 0) > _LAST.get(token.upper, 0)), None)
    if late is not None:
        behind = "GROUP BY" if late == "GROUP" else late
        cursor.fault(
            "LSQ113",
            f"{' '.join(words)} must precede {behind}",
            cursor.extent(token.start),
            help="the clauses come in this order: WHERE, WINDOW BY, GROUP BY, HAVING",
        )
    clauses.met.append(token.upper)
    read(cursor, clauses)
    return True


def _lateral(cursor: Cursor, clauses: Clauses) -> None:
    start = cursor.token.start
    array = expression(cursor)
    cursor.expect_words("AS", help="name its elements: LATERAL array AS element")
    alias = source_alias(cursor)
    clauses.laterals.append(tree.Lateral(array, alias, cursor.extent(start)))
    if at_join(cursor):
        at = (cursor.token.start, cursor.token.end)
        help = "use LATERAL in a WITH statement, and join its name"
        cursor.fault("LSQ340", "a query cannot both join and use LATERAL", at, help=help)


def _event_time(cursor: Cursor, clauses: Clauses) -> None:
    clauses.event_time = expression(cursor)
    if at_join(cursor):
        at = (cursor.token.start, cursor.token.end)
        help = "give each side its own: WITH a AS (SELECT STREAM * FROM source EVENTTIME BY field)"
        cursor.fault("LSQ319", "EVENTTIME BY is for a single source, not for a join", at, help=help)


def _where(cursor: Cursor, clauses: Clauses) -> None:
    clauses.where = expression(cursor)


def _having(cursor: Cursor, clauses: Clauses) -> None:
    clauses.having = expression(cursor)


def _group_by(cursor: Cursor, clauses: Clauses) -> None:
    items = [_group_item(cursor)]
    while cursor.take_mark(","):
        items.append(_group_item(cursor))
    clauses.group_by = tuple(items)


def _group_item(cursor: Cursor) -> tree.GroupItem:
    start = cursor.token.start
    if cursor.token.upper in old_windows.WORDS and cursor.ahead(1).text == "(":
        cursor.fault(
            "LSQ111",
            "a window in GROUP BY is no longer supported",
            (cursor.token.start, cursor.token.end),
            help=old_windows.advice(cursor),
            fix=old_windows.rewritten(cursor),
        )
    value = expression(cursor)
    alias = read_name(cursor, "an alias after AS", dotted=False) if cursor.take_words("AS") else None
    return tree.GroupItem(value, alias, cursor.extent(start))


def _window(cursor: Cursor, clauses: Clauses) -> None:
    start = cursor.token.start
    if cursor.take_words("TUMBLE"):
        size = duration(cursor)
        clauses.window = tree.Tumble(size, _grace(cursor), cursor.extent(start))
    elif cursor.take_words("HOP"):
        size = duration(cursor)
        if not cursor.take_mark(",") and not cursor.take_words("BY"):
            cursor.unexpected("',' and the advance of the window", help="write HOP 10s, 5s: the size, then the advance")
        advance = duration(cursor)
        clauses.window = tree.Hop(size, advance, _grace(cursor), cursor.extent(start))
    elif cursor.take_words("SESSION"):
        gap = duration(cursor)
        clauses.window = tree.Session(gap, _grace(cursor), cursor.extent(start))
    else:
        cursor.unexpected("TUMBLE, HOP or SESSION", help=_OTHER_WINDOWS.get(cursor.token.upper))


def _grace(cursor: Cursor) -> tree.Duration | None:
    return duration(cursor) if cursor.take_words("GRACE", "BY") else None
