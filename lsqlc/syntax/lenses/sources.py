"""FROM: one source or a join of two, with their aliases."""

from __future__ import annotations

from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.lenses.expressions import expression
from lsqlc.syntax.lenses.words import duration, read_name, refuse

_KINDS: dict[str, tree.JoinKind] = {
    "INNER": "INNER",
    "LEFT": "LEFT",
    "RIGHT": "RIGHT",
    "OUTER": "OUTER",
    "FULL": "OUTER",
}
_AFTER_SOURCE = frozenset(
    "JOIN INNER LEFT RIGHT OUTER FULL ON WITHIN LATERAL WHERE GROUP HAVING WINDOW EVENTTIME GRACE".split()  # noqa: SIM905, a list would be three times as long
)


def read_sources(cursor: Cursor) -> tree.Source | tree.Join:
    """Read the sources between FROM and the clauses."""
    start = cursor.token.start
    left = _source(cursor)
    kind_start = cursor.token.start
    kind = _join_kind(cursor)
    if kind is None:
        _refuse_comma(cursor)
        return left
    kind_at = cursor.extent(kind_start)
    right = _source(cursor)
    within: list[tree.Duration] = []
    on = None
    while True:
        token = cursor.token
        if cursor.take_words("WITHIN"):
            within.append(duration(cursor))
            if len(within) > 2:
                cursor.fault("LSQ110", "WITHIN occurs three times", cursor.extent(token.start), help="one is enough")
        elif cursor.take_words("ON"):
            if on is not None:
                cursor.fault(
                    "LSQ110",
                    "ON occurs twice",
                    (token.start, token.end),
                    help="combine the conditions with AND in one ON",
                )
            on = expression(cursor)
        else:
            break
    _refuse_comma(cursor)
    if cursor.is_word("JOIN") or cursor.token.upper in _KINDS:
        cursor.fault(
            "LSQ330",
            "a query joins at most two sources",
            (cursor.token.start, cursor.token.end),
            help="join the first two in a WITH statement, and join its name with the third",
        )
    return tree.Join(kind, left, right, on, tuple(within), kind_at, cursor.extent(start))


def _refuse_comma(cursor: Cursor) -> None:
    token = cursor.token
    if cursor.is_mark(","):
        cursor.refuse_foreign()
        cursor.fault(
            "LSQ120",
            "several sources in FROM are not part of the language",
            (token.start, token.end),
            help="join them: a JOIN b ON a.x = b.x",
        )


def _join_kind(cursor: Cursor) -> tree.JoinKind | None:
    """Read JOIN with the word before it, which is the kind; `LEFT OUTER` is LEFT, and `FULL` is OUTER."""
    if cursor.take_words("JOIN"):
        return "INNER"
    if cursor.token.upper in ("CROSS", "NATURAL") and cursor.ahead(1).upper == "JOIN":
        refuse(cursor)
    word = cursor.token.upper
    kind = _KINDS.get(word)
    if kind is None:
        return None
    cursor.advance()
    if word in ("LEFT", "RIGHT", "FULL"):
        cursor.take_words("OUTER")
    if not cursor.is_word("JOIN"):
        refuse(cursor)
    cursor.expect_words("JOIN")
    return kind


def at_join(cursor: Cursor) -> bool:
    """Return whether a join is next."""
    word = cursor.token.upper
    return word == "JOIN" or (word in _KINDS and cursor.ahead(1).upper in ("JOIN", "OUTER"))


def _source(cursor: Cursor) -> tree.Source:
    if cursor.is_mark("("):
        token = cursor.token
        cursor.fault(
            "LSQ120",
            "a subquery is not part of the language",
            (token.start, token.end),
            help="name it: WITH name AS (SELECT ...); and read FROM name",
        )
    name = read_name(cursor, "a topic or a WITH name", dotted=True)
    alias = source_alias(cursor) if cursor.take_words("AS") else None
    if alias is None and cursor.token.kind == "name" and cursor.token.upper not in _AFTER_SOURCE:
        refuse(cursor)
        token = cursor.token
        cursor.fault("LSQ109", "an alias requires AS", (token.start, token.end), help=f"write AS {token.text}")
    return tree.Source(name, alias)


def source_alias(cursor: Cursor) -> tree.Name:
    """Read the alias of a source or a LATERAL: any name except a facet's, which would hide the facet."""
    name = read_name(cursor, "an alias after AS", dotted=False)
    if name.text in ("_key", "_value"):
        cursor.fault("LSQ342", f"'{name.text}' hides the facet of the same name", name.at, help="choose another alias")
    return name
