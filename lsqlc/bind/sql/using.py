"""JOIN ... USING (a, b): an equality of the columns with this name on both sides, which are merged into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.coercion import common_type, converted
from lsqlc.bind.sql.conjuncts import conjunction, conjuncts
from lsqlc.bind.sql.scope import USING, Scope
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.plan.expression import Call, Expression
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql

# The sides of the equalities: no source has these names.
_LEFT, _RIGHT = " left", " right"

Pairs = Sequence[tuple[int, int]]


def with_natural(select: sql.Select, columns: Sequence[Sequence[Column]]) -> sql.Select:
    """Return the SELECT with NATURAL JOINs as joins by USING of the common columns; without any, all pairs.

    `columns`: those of each source.
    """
    before = [c.name for c in columns[0] if c.listed]
    joins = []
    for join, right in zip(select.joins, columns[1:], strict=True):
        names = {c.name.casefold() for c in right if c.listed}
        shared = dict.fromkeys(name for name in before if name.casefold() in names)
        if join.natural:
            using = tuple(tree.Name(name, join.at) for name in shared)
            join = replace(
                join, using=using, natural=False, kind=join.kind if using or join.kind != "INNER" else "CROSS"
            )
        joins.append(join)
        names_before = {name.casefold() for name in before}
        before += [c.name for c in right if c.listed and c.name.casefold() not in names_before]
    return replace(select, joins=tuple(joins))


def using_pairs(
    join: sql.Join, left: Sequence[Column], right: Sequence[Column], findings: Findings
) -> Pairs | None:  # fmt: skip
    """Return the columns of the left and of the right side for each name of USING; None after an error."""
    pairs = []
    for name in join.using:
        pair = [_place(name, columns, side, findings) for columns, side in ((left, "left"), (right, "right"))]
        if pair[0] is None or pair[1] is None:
            return None
        pairs.append((pair[0], pair[1]))
    return pairs


def _place(name: tree.Name, columns: Sequence[Column], side: str, findings: Findings) -> int | None:
    of_name = [i for i, c in enumerate(columns) if not c.merged and c.name.casefold() == name.text.casefold()]
    if len(of_name) > 1:
        several = listing(dict.fromkeys(columns[i].source for i in of_name))
        findings.error("LSQ203", f"'{name.text}' is a column of {several}", name.at,
                       help="write ON, and say which: a.x = b.x")  # fmt: skip
    elif not of_name:
        column_names = [c.name for c in columns if c.listed]
        help = did_you_mean(name.text, column_names) or (f"known are {listing(column_names)}" if column_names else None)
        findings.error("LSQ201", f"the {side} side of the join has no column '{name.text}'", name.at, help=help)
    return of_name[0] if len(of_name) == 1 else None


def equated(join: sql.Join, pairs: Pairs, scope: Scope, first: int) -> tuple[sql.Join, Scope]:
    """Return the join with a condition for USING, in addition to its time bound, and the scope of that condition.

    `scope`: that of both sides; the columns of the right one begin at `first`.
    """
    sides, parts = [], []
    for number, ((one, other), name) in enumerate(zip(pairs, join.using, strict=True)):
        columns = scope.columns[one], scope.columns[first + other]
        labels = (_LEFT, _RIGHT)
        sides += [replace(c, source=s, name=f" {number}") for c, s in zip(columns, labels, strict=True)]
        references = [tree.Reference((label, f" {number}"), name.at) for label in labels]
        parts.append(tree.Binary("=", references[0], references[1], name.at))
    on = conjunction((*parts, *conjuncts(join.on)))
    return replace(join, on=on), Scope((*scope.labels, _LEFT, _RIGHT), (*scope.columns, *sides))


def merged(pairs: Pairs, columns: Sequence[Column], first: int, kind: sql.JoinKind) -> tuple[Column, ...]:
    """Return the columns of both sides after the join, the merged columns of USING first.

    A merged column of INNER and LEFT JOIN is the left one, of RIGHT JOIN the right one. For FULL JOIN it is that of the
    side with a row. `first`: where the right side's begin.
    """
    merged_columns, replaced_indexes = [], set()
    for one, other in pairs:
        left, right = columns[one], columns[first + other]
        replaced_indexes |= {one, first + other}
        preserved = right if kind == "RIGHT" else left
        value = _either(left.expression, right.expression) if kind == "OUTER" else preserved.expression
        merged_columns.append(replace(left, source=USING, expression=value))
    # A merged column of an earlier USING has only its own name, which is the new column's now.
    rest = [
        replace(c, merged=c.merged or i in replaced_indexes)
        for i, c in enumerate(columns)
        if i not in replaced_indexes or c.source != USING
    ]  # fmt: skip
    return (*merged_columns, *rest)


def _either(left: Expression, right: Expression) -> Expression:
    type = common_type((left.type, right.type))
    assert type is not None, "what is compared has a type that both meet in"
    return Call("COALESCE", (converted(left, type), converted(right, type)), type, True)
