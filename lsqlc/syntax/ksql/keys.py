"""The expressions of GROUP BY and PARTITION BY, and the aliases that older versions of ksqlDB let them have.

Such an alias is refused with the whole statement as it has to be: the name stands in the SELECT list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.expressions import expression, name_of
from lsqlc.syntax.ksql.text import name_text, rewritten, text_of

# A part of a key, and what AS calls it, with the place of both words.
Alias = tuple[tree.Name, Extent]
Keys = list[tuple[tree.Expression, Alias | None]]


def keys(cursor: Cursor, clause: str, start: int, items: Sequence[ksql.Item]) -> tuple[tree.Expression, ...]:
    """The expressions of a clause, which may stand in one pair of parentheses. `start`: where SELECT stands; `items`:
    its list.
    """
    place = cursor.at
    if cursor.take_mark("("):
        inner = _list(cursor)
        if cursor.take_mark(")") and not _continues(cursor):
            return _without_aliases(cursor, clause, inner, start, items)
        cursor.at = place
    return _without_aliases(cursor, clause, _list(cursor), start, items)


def key_alias(cursor: Cursor) -> Alias | None:
    """What AS calls a part of the key, if that is next."""
    start = cursor.token.start
    if not cursor.take_words("AS"):
        return None
    return name_of(cursor, "an alias after AS"), cursor.extent(start)


def join_key(on: tree.Expression) -> tree.Expression:
    """What holds the key of a join: the column that ON equates, or the one that ksqlDB adds where no side is one."""
    sides = (on.left, on.right) if isinstance(on, tree.Binary) and on.operator == "=" else ()
    column = next((side for side in sides if isinstance(side, tree.Reference)), None)
    return column or tree.Reference(("ROWKEY",), on.at)


def refuse_aliases(
    cursor: Cursor, clause: str, named: Sequence[tuple[tree.Expression, Alias]], start: int, items: Sequence[ksql.Item]
) -> NoReturn:
    """Give up, with the statement that has the names where they belong."""
    added: list[str] = []
    edits: list[tuple[Extent, str]] = []
    for key, (name, at) in named:
        edits.append((at, ""))
        written = f"{text_of(key)} AS {name_text(name.text)}"
        listed = next((i for i in items if not isinstance(i.source, tree.Wildcard) and _same(i.source, key)), None)
        if listed is not None:
            edits.append((listed.at, written))
        else:
            added.append(written)
    if added:
        edits.append(((start, start + len("SELECT")), f"SELECT {', '.join(added)},"))
    rest = cursor.tokens[cursor.at :]
    end = next(t.start for t in rest if t.kind == "end" or (t.kind == "mark" and t.text == ";"))
    cursor.fault(
        "LSQ130",
        f"an expression of {clause} cannot have an alias",
        named[0][1][1],
        notes=("the name of a key column is its name in the SELECT list",),
        help=f"name it in the projection: {rewritten(cursor.source, (start, end), edits)}",
    )


def _list(cursor: Cursor) -> Keys:
    found: Keys = [(expression(cursor), key_alias(cursor))]
    while cursor.take_mark(","):
        found.append((expression(cursor), key_alias(cursor)))
    return found


def _continues(cursor: Cursor) -> bool:
    """Whether what stood in parentheses is the begin of a longer expression, or of a list."""
    token = cursor.token
    return (token.kind == "mark" and token.text not in (")", ";")) or token.upper in ("AND", "OR", "IS", "IN", "LIKE")


def _without_aliases(
    cursor: Cursor, clause: str, found: Keys, start: int, items: Sequence[ksql.Item]
) -> tuple[tree.Expression, ...]:
    named = [(key, alias) for key, alias in found if alias is not None]
    if named:
        refuse_aliases(cursor, clause, named, start, items)
    return tuple(key for key, _ in found)


def _same(listed: tree.Expression, key: tree.Expression) -> bool:
    """Whether two expressions are one, the source before a column aside."""
    if isinstance(listed, tree.Reference) and isinstance(key, tree.Reference):
        both = len(listed.parts) == len(key.parts)
        return listed.parts == key.parts if both else listed.parts[-1] == key.parts[-1]
    return text_of(listed) == text_of(key)
