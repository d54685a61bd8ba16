"""SELECT of ksqlDB: sources and joins, WINDOW, WHERE, GROUP BY, PARTITION BY, HAVING, EMIT."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.expressions import RESERVED, expression, name_of
from lsqlc.syntax.ksql.foreign import refuse_kind
from lsqlc.syntax.ksql.keys import join_key, key_alias, keys, refuse_aliases
from lsqlc.syntax.numbers import LONGEST_DURATION, refuse_size
from lsqlc.types.digits import integer

_UNITS = {"DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1_000, "MILLISECOND": 1}
_KINDS: dict[str, tree.JoinKind] = {
    "INNER": "INNER",
    "LEFT": "LEFT",
    "RIGHT": "RIGHT",
    "FULL": "OUTER",
    "OUTER": "OUTER",
}
UNITS = "DAYS, HOURS, MINUTES, SECONDS or MILLISECONDS"


def query(cursor: Cursor, *, is_bare: bool = False) -> ksql.Query:
    """Read a SELECT.

    Raises SyntaxFault. `is_bare`: it is a statement, and LIMIT may follow.
    """
    start = cursor.token.start
    cursor.expect_words("SELECT")
    if cursor.is_word("DISTINCT"):
        at = (cursor.token.start, cursor.token.end)
        cursor.fault("LSQ120", "DISTINCT is not part of the language", at, help="group by the expression instead")
    refuse_kind(cursor)
    items_start = cursor.token.start
    items = [_item(cursor)]
    while cursor.take_mark(","):
        items.append(_item(cursor))
    items_at = cursor.extent(items_start)
    cursor.expect_words("FROM")
    source = _source(cursor)
    joins = []
    while (kind_start := cursor.token.start) >= 0 and (kind := _join_kind(cursor)) is not None:
        joins.append(_joined(cursor, kind, kind_start, start, items))
    window = _window(cursor) if cursor.take_words("WINDOW") else None
    where = expression(cursor) if cursor.take_words("WHERE") else None
    group_by: tuple[tree.Expression, ...] = ()
    partition_by: tuple[tree.Expression, ...] = ()
    if cursor.take_words("GROUP", "BY"):
        group_by = keys(cursor, "GROUP BY", start, items)
    if cursor.take_words("PARTITION", "BY"):
        partition_by = keys(cursor, "PARTITION BY", start, items)
    having = expression(cursor) if cursor.take_words("HAVING") else None
    emits_changes, final_at = _emit(cursor)
    if (cursor.is_word("LIMIT") and not is_bare) or cursor.is_word("ORDER"):
        word = cursor.token
        cursor.fault("LSQ120", f"{word.upper} is not part of a persistent query: a stream has no end",
                     (word.start, word.end))  # fmt: skip
    return ksql.Query(
        tuple(items), items_at, source, tuple(joins), window, where, group_by, partition_by, having, final_at,
        cursor.extent(start), emits_changes,
    )  # fmt: skip


def limit(cursor: Cursor) -> int | None:
    """Read LIMIT, if it is next.

    Raises SyntaxFault.
    """
    if not cursor.take_words("LIMIT"):
        return None
    token = cursor.token
    if token.kind != "number" or not token.text.isdigit():
        cursor.unexpected("a number of rows", help="write LIMIT 10")
    refuse_size(cursor, token)
    cursor.advance()
    return integer(token.text)


def duration(cursor: Cursor) -> tree.Duration:
    """Read a number and a unit: `30 SECONDS`, `1 DAY`."""
    token, unit = cursor.token, cursor.ahead(1)
    if token.kind != "number" or not token.text.isdigit():
        cursor.unexpected("a duration", help=f"write a number and a unit, one of {UNITS}")
    refuse_size(cursor, token)
    size = unit_size(unit.upper)
    if size is None:
        at = (token.start, max(token.end, unit.end if unit.kind == "name" else token.end))
        cursor.fault("LSQ112", f"'{cursor.source.text[at[0] : at[1]]}' is not a duration", at,
                     help=f"write a number and a unit, one of {UNITS}")  # fmt: skip
    cursor.advance()
    cursor.advance()
    at = (token.start, unit.end)
    milliseconds = integer(token.text) * size
    if milliseconds > LONGEST_DURATION:
        cursor.fault("LSQ112", "this duration is longer than ten thousand years", at, help="write a shorter one")
    return tree.Duration(milliseconds, at)


def unit_size(word: str) -> int | None:
    """Return the milliseconds of a unit; None for an unknown unit."""
    return _UNITS.get(word.upper().removesuffix("S"))


def _item(cursor: Cursor) -> ksql.Item:
    start = cursor.token.start
    wildcard = _wildcard(cursor)
    source = wildcard or expression(cursor)
    if cursor.take_mark("->"):
        cursor.expect_mark("*", "'->'")
        return ksql.Item(source, None, cursor.extent(start), fields=True)
    at = cursor.extent(start)
    alias = None
    if cursor.take_words("AS"):
        if wildcard:
            cursor.fault("LSQ301", "a wildcard cannot have an alias", at, help="name the columns")
        alias = name_of(cursor, "an alias after AS")
    elif not wildcard and cursor.token.kind in ("name", "quoted") and cursor.token.upper not in RESERVED:
        alias = name_of(cursor, "an alias")
    return ksql.Item(source, alias, cursor.extent(start))


def _wildcard(cursor: Cursor) -> tree.Wildcard | None:
    start = cursor.token.start
    if cursor.take_mark("*"):
        return tree.Wildcard((), cursor.extent(start))
    dot, star = cursor.ahead(1), cursor.ahead(2)
    if cursor.token.kind in ("name", "quoted") and dot.text == "." and star.kind == "mark" and star.text == "*":
        name = name_of(cursor, "a source")
        cursor.advance()
        cursor.advance()
        return tree.Wildcard((name.text,), cursor.extent(start))
    return None


def _source(cursor: Cursor) -> tree.Source:
    if cursor.is_mark("("):
        at = (cursor.token.start, cursor.token.end)
        cursor.fault("LSQ120", "a subquery is not part of the language", at,
                     help="give it a name: CREATE STREAM name AS SELECT ..., and read FROM name")  # fmt: skip
    name = name_of(cursor, "a stream or table")
    alias = None
    if cursor.take_words("AS"):
        alias = name_of(cursor, "an alias after AS")
    elif cursor.token.kind in ("name", "quoted") and cursor.token.upper not in (*RESERVED, "ORDER"):
        alias = name_of(cursor, "an alias")
    return tree.Source(name, alias)


def _join_kind(cursor: Cursor) -> tree.JoinKind | None:
    if cursor.take_words("JOIN"):
        return "INNER"
    if cursor.is_word("CROSS"):
        at = (cursor.token.start, cursor.token.end)
        cursor.fault("LSQ120", "CROSS JOIN is not part of the language", at, help="join on an equality")
    kind = _KINDS.get(cursor.token.upper)
    if kind is None:
        return None
    cursor.advance()
    if cursor.is_word("OUTER"):
        cursor.advance()
    cursor.expect_words("JOIN")
    return kind


def _joined(
    cursor: Cursor, kind: tree.JoinKind, start: int, select_start: int, items: Sequence[ksql.Item]
) -> ksql.JoinedSource:
    kind_at = cursor.extent(start)
    source = _source(cursor)
    within = _within(cursor) if cursor.is_word("WITHIN") else None
    if not cursor.take_words("ON"):
        if cursor.is_word("USING"):
            at = (cursor.token.start, cursor.token.end)
            cursor.fault("LSQ120", "USING is not part of the language", at, help="write the equality: ON a.x = b.x")
        cursor.unexpected("ON")
    on = expression(cursor)
    alias = key_alias(cursor)
    if alias is not None:
        refuse_aliases(cursor, "ON", [(join_key(on), alias)], select_start, items)
    return ksql.JoinedSource(kind, source, within, on, kind_at, cursor.extent(start))


def _within(cursor: Cursor) -> ksql.Within:
    start = cursor.advance().start
    if cursor.take_mark("("):
        before = duration(cursor)
        cursor.expect_mark(",", "how far before the match may be")
        after = duration(cursor)
        cursor.expect_mark(")", "how far after the match may be")
    else:
        before = after = duration(cursor)
    grace = duration(cursor) if cursor.take_words("GRACE", "PERIOD") else None
    return ksql.Within(before, after, grace, cursor.extent(start))


def _window(cursor: Cursor) -> tree.Window:
    start = cursor.token.start
    if cursor.token.kind == "name" and cursor.ahead(1).upper in _WINDOWS:
        # A name of the window, which nothing refers to.
        cursor.advance()
    word = cursor.token.upper
    read = _WINDOWS.get(word)
    if read is None:
        cursor.unexpected("TUMBLING, HOPPING or SESSION")
    cursor.advance()
    cursor.expect_mark("(", word)
    return read(cursor, start)


def _tumbling(cursor: Cursor, start: int) -> tree.Window:
    cursor.expect_words("SIZE")
    size = duration(cursor)
    return tree.Tumble(size, _window_end(cursor), cursor.extent(start))


def _hopping(cursor: Cursor, start: int) -> tree.Window:
    cursor.expect_words("SIZE")
    size = duration(cursor)
    cursor.expect_mark(",", "the size of the window")
    cursor.expect_words("ADVANCE", "BY")
    advance = duration(cursor)
    return tree.Hop(size, advance, _window_end(cursor), cursor.extent(start))


def _session(cursor: Cursor, start: int) -> tree.Window:
    gap = duration(cursor)
    return tree.Session(gap, _window_end(cursor), cursor.extent(start))


_WINDOWS = {"TUMBLING": _tumbling, "HOPPING": _hopping, "SESSION": _session}


def _window_end(cursor: Cursor) -> tree.Duration | None:
    """Read the grace of a window, and its closing parenthesis.

    RETENTION is how long an engine keeps a window, and does not change results here.
    """
    grace = None
    while cursor.take_mark(","):
        if cursor.take_words("RETENTION"):
            duration(cursor)
        else:
            cursor.expect_words("GRACE", "PERIOD")
            grace = duration(cursor)
    cursor.expect_mark(")", "the window")
    return grace


def _emit(cursor: Cursor) -> tuple[bool, Extent | None]:
    """Read EMIT CHANGES, which is the default of a persistent query, or EMIT FINAL. Return whether EMIT CHANGES is
    there, and the extent of EMIT FINAL.
    """
    start = cursor.token.start
    if not cursor.take_words("EMIT"):
        return False, None
    if cursor.take_words("CHANGES"):
        return True, None
    cursor.expect_words("FINAL")
    return False, cursor.extent(start)
