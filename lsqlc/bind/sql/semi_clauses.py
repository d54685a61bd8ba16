"""LEFT SEMI JOIN and LEFT ANTI JOIN: the rows of the left side with a match on the right side, or without one."""

from __future__ import annotations

from dataclasses import replace as replace_split

from msgspec.structs import replace

from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.conjuncts import conjunction, conjuncts
from lsqlc.bind.sql.correlation import TURNED, Split
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.joins import warn_product
from lsqlc.bind.sql.rows import Input
from lsqlc.bind.sql.scope import Scope
from lsqlc.bind.sql.semi_joins import of_pairs, satisfying
from lsqlc.bind.sql.side import Side
from lsqlc.bind.sql.sources import Sources
from lsqlc.bind.sql.using import using_pairs
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.walk import walk


def semi_joined(join: sql.Join, query_input: Input, right: Side, sources: Sources, findings: Findings) -> Input | None:
    """Return the rows that a SEMI or an ANTI JOIN keeps; None after an error."""
    word = f"LEFT {join.kind} JOIN"
    if (query_input.kind, right.kind) != ("TABLE", "TABLE"):
        findings.error("LSQ454", f"a {word} is only allowed between tables", join.source.at,
                       notes=("a record would have to be written once the other side has a row for it",),
                       help="read topics with a key as tables, or write an INNER JOIN")  # fmt: skip
        return None
    split = _split(join, query_input, right, findings)
    if split is None:
        return None
    if not split.pairs:
        # All rows of the right side are one group.
        warn_product(join, findings)
        split = replace_split(split, pairs=((tree.Literal("all", join.at), tree.Literal("all", join.at)),))
    binder = SqlBinder(findings, scope=Scope(query_input.labels, query_input.columns), strict=sources.strict)
    return satisfying(
        of_pairs(split, join.source.at), query_input, binder, sources, negated=join.kind == "ANTI", at=join.at
    )


def _split(join: sql.Join, query_input: Input, right: Side, findings: Findings) -> Split | None:
    """Return the conditions on both sides, and on each side; None after an error."""
    using = using_pairs(join, query_input.columns, right.columns, findings)
    if using is None:
        return None
    # A name of USING is in both sides: in the inner query it is the right one's, in the outer query the left one's.
    pairs: list[tuple[tree.Expression, tree.Expression]] = [
        (name, name) for name in (tree.Reference((n.text,), n.at) for n in join.using)
    ]
    beside: list[tree.Expression] = []
    within: list[tree.Expression] = []
    compared: list[tree.Binary] = []
    scope = Scope((*query_input.labels, *right.labels), (*query_input.columns, *right.columns))
    for part in conjuncts(join.on):
        sides = _sides(part, scope, right, findings)
        if sides is None:
            return None
        pair = _pair(part, scope, right, findings) if len(sides) > 1 else None
        if len(sides) < 2:
            (within if True in sides else beside).append(part)
        elif pair is not None and pair.operator == "=":
            pairs.append((pair.left, pair.right))
        elif pair is not None and not compared:
            compared.append(pair)
        else:
            findings.error("LSQ454", "a condition of ON must equate both sides, or be of one of them", part.at,
                           notes=("rows are matched by the values that ON equates",),
                           help="one other comparison of both sides is possible")  # fmt: skip
            return None
    at = join.source.at
    item = sql.Item(tree.Literal(1, at), None, at)
    select = sql.Select((item,), False, join.source, (), conjunction(within), (), None, at, at)
    return Split(select, pairs, tuple(beside), tuple(compared))


def _sides(part: tree.Expression, scope: Scope, right: Side, findings: Findings) -> set[bool] | None:
    """Return the sides of a condition, True for the right one; None after an unknown or ambiguous name."""
    sides = set()
    for each in walk(part):
        if isinstance(each, tree.Reference):
            if scope.resolve(each, findings) is None:
                return None
            column = scope.find(each.parts)[0][0]
            sides.add(any(column is c for c in right.columns))
    return sides


def _pair(part: tree.Expression, scope: Scope, right: Side, findings: Findings) -> tree.Binary | None:
    """Return a comparison with the right side's value on the left; None for any other condition."""
    if not isinstance(part, tree.Binary) or part.operator not in ("=", *TURNED):
        return None
    sides = _sides(part.left, scope, right, findings), _sides(part.right, scope, right, findings)
    if sides == ({True}, {False}):
        return part
    turned = replace(part, operator=TURNED.get(part.operator, "="), left=part.right, right=part.left)
    return turned if sides == ({False}, {True}) else None
