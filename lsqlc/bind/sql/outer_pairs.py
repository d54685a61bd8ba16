"""LEFT, RIGHT and FULL JOIN of tables whose ON has further comparisons of both sides than equalities.

The pairs that satisfy ON are an INNER JOIN. A preserved side is joined with them on its key: a row without a pair is in
the result once, and one with pairs once for each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lsqlc.bind.columns import Column
from lsqlc.bind.sql.side import Side, both_keys, flat
from lsqlc.plan.expression import Expression, shift
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql

# Joins two sides; None after an error.
Joined = Callable[[sql.Join, Side, Side], Side | None]
# The sources of the join keys: no source in a text has these names.
_ROW, _PAIR = " row", " pair"
_LEFT, _RIGHT = "left", "right"


def outer_pairs(join: sql.Join, left: Side, right: Side, joined: Joined) -> Side | None:
    """Return both sides joined; None after an error. `joined` joins two sides on equalities."""
    pairs = joined(replace(join, kind="INNER"), left, right)
    if pairs is None:
        return None
    width = len(left.node.relations)
    keys = (_named(_PAIR, _LEFT, left.key), _named(_PAIR, _RIGHT, shift(right.key, width)))
    by_key = pairs.key == left.key
    inner_pairs = flat(replace(pairs, columns=(*pairs.columns, *keys), labels=(*pairs.labels, _PAIR)))
    count = len(left.columns)
    first, second = (left, _LEFT), (right, _RIGHT)
    base, side = second if join.kind == "RIGHT" else first
    whole = _with_pairs(base, side, inner_pairs, "LEFT", join, joined)
    if whole is None:
        return None
    # After the columns of the preserved side are those of the pairs, and the keys.
    own, of_pairs = whole.columns[: len(base.columns) + 1], whole.columns[len(base.columns) + 1 :]
    columns = (*own[:-1], *of_pairs[count:-2]) if base is left else (*of_pairs[:count], *own[:-1])
    ours, theirs = of_pairs[-2].expression, of_pairs[-1].expression
    ours, theirs = (own[-1].expression, theirs) if base is left else (ours, own[-1].expression)
    if join.kind == "OUTER":
        remaining = (*own[:-1], *of_pairs[count:-2], _named(_PAIR, _LEFT, ours), _named(_PAIR, _RIGHT, theirs))
        whole = _with_pairs(
            right, _RIGHT, flat(replace(whole, columns=remaining, labels=(_PAIR,))), "RIGHT", join, joined
        )
        if whole is None:
            return None
        size = len(remaining)
        columns = (*whole.columns[:count], *whole.columns[size:-1])
        ours, theirs = whole.columns[size - 2].expression, whole.columns[-1].expression
    key, key_format = _key(join, left, right, ours, theirs, by_key=by_key)
    labels = (*left.labels, *right.labels)
    loose = left.loose_key or right.loose_key
    return Side(whole.node, "TABLE", columns, labels, key, key_format, loose_key=loose)


def _with_pairs(base: Side, side: str, pairs: Side, kind: sql.JoinKind, join: sql.Join, joined: Joined) -> Side | None:
    """Return the rows of a side with their pairs. `kind`: LEFT, or RIGHT for FULL if the pairs have the other side's
    rows.
    """
    own = replace(base, columns=(*base.columns, _named(_ROW, side, base.key)), labels=(*base.labels, _ROW))
    own = flat(own)
    on = tree.Binary("=", tree.Reference((_ROW, side), join.at), tree.Reference((_PAIR, side), join.at), join.at)
    if kind == "LEFT":
        return joined(replace(join, kind="LEFT", on=on), own, pairs)
    return joined(replace(join, kind="OUTER", on=on), pairs, own)


def _named(source: str, name: str, expression: Expression) -> Column:
    return Column(source, name, expression, True, listed=False)


def _key(
    join: sql.Join, left: Side, right: Side, ours: Expression, theirs: Expression, *, by_key: bool
) -> tuple[Expression, str]:
    """Return the key of a row: both keys, or the common key if the pairs have one."""
    # In a FULL JOIN, two rows of one key that are no pair are two result rows.
    if join.kind == "OUTER" or not by_key or ours.type != theirs.type:
        return both_keys(left, right, ours, theirs, "OUTER"), "json"
    return (theirs, right.key_format) if join.kind == "RIGHT" else (ours, left.key_format)
