"""The expressions of GROUP BY and PARTITION BY, and their aliases, which older versions of ksqlDB allowed.

Such an alias is refused, with a help that has the name in the SELECT list.
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

# The alias of a part of a key, with the extent of both words.
Alias = tuple[tree.Name, Extent]
Keys = list[tuple[tree.Expression, Alias | None]]


def keys(cursor: Cursor, clause: str, start: int, items: Sequence[ksql.Item]) -> tuple[tree.Expression, ...]:
    """Return the expressions of a clause, which may be in one pair of parentheses.

    `start`: the offset of SELECT. `items`: the SELECT list.
    """
    place = cursor.at
    if cursor.take_mark("("):
        inner = _list(cursor)
        if cursor.take_mark(")") and not _continues(cursor):
            return _without_aliases(cursor, clause, inner, start, items)
        cursor.at = place
    return _without_aliases(cursor, clause, _list(cursor), start, items)


def key_alias(cursor: Cursor) -> Alias | None:
    """Return the alias of a part of the key, if AS is next."""
    start = cursor.token.start
    if not cursor.take_words("AS"):
        return None
    return name_of(cursor, "an alias after AS"), cursor.extent(start)


def join_key(on: tree.Expression) -> tree.Expression:
    """Return the key of a join: a column that ON equates, or the column that ksqlDB adds if neither side is a
    column.
    """
    sides = (on.left, on.right) if isinstance(on, tree.Binary) and on.operator == "=" else ()
    column = next((side for side in sides if isinstance(side, tree.Reference)), None)
    return column or tree.Reference(("ROWKEY",), on.at)


def refuse_aliases(
    cursor: Cursor,
    clause: str,
    aliased_keys: Sequence[tuple[tree.Expression, Alias]],
    start: int,
    items: Sequence[ksql.Item],
) -> NoReturn:
    """Raise a fault, with a help that has the names in the SELECT list."""
    added: list[str] = []
    edits: list[tuple[Extent, str]] = []
    for key, (name, at) in aliased_keys:
        edits.append((at, ""))
        text = f"{text_of(key)} AS {name_text(name.text)}"
        item = next((i for i in items if not isinstance(i.source, tree.Wildcard) and _same(i.source, key)), None)
        if item is not None:
            edits.append((item.at, text))
        else:
            added.append(text)
    if added:
        edits.append(((start, start + len("SELECT")), f"SELECT {', '.join(added)},"))
    rest = cursor.tokens[cursor.at :]
    end = next(t.start for t in rest if t.kind == "end" or (t.kind == "mark" and t.text == ";"))
    cursor.fault(
        "LSQ130",
        f"an expression of {clause} cannot have an alias",
        aliased_keys[0][1][1],
        notes=("the name of a key column is its name in the SELECT list",),
        help=f"name it in the projection: {rewritten(cursor.source, (start, end), edits)}",
    )


def _list(cursor: Cursor) -> Keys:
    keys: Keys = [(expression(cursor), key_alias(cursor))]
    while cursor.take_mark(","):
        keys.append((expression(cursor), key_alias(cursor)))
    return keys


def _continues(cursor: Cursor) -> bool:
    """Return whether the parentheses are the beginning of a longer expression, or of a list."""
    token = cursor.token
    return (token.kind == "mark" and token.text not in (")", ";")) or token.upper in ("AND", "OR", "IS", "IN", "LIKE")


def _without_aliases(
    cursor: Cursor, clause: str, keys: Keys, start: int, items: Sequence[ksql.Item]
) -> tuple[tree.Expression, ...]:
    aliased_keys = [(key, alias) for key, alias in keys if alias is not None]
    if aliased_keys:
        refuse_aliases(cursor, clause, aliased_keys, start, items)
    return tuple(key for key, _ in keys)


def _same(selected: tree.Expression, key: tree.Expression) -> bool:
    """Return whether two expressions are equal, ignoring the source before a column."""
    if isinstance(selected, tree.Reference) and isinstance(key, tree.Reference):
        both = len(selected.parts) == len(key.parts)
        return selected.parts == key.parts if both else selected.parts[-1] == key.parts[-1]
    return text_of(selected) == text_of(key)
