"""`FROM a, b` and CROSS JOIN: joins whose conditions are in WHERE.

An equality of two sources in WHERE becomes the condition of the join that adds the second of them. After the first such
join, a source without an equality with earlier ones waits for a source with one. So the order of FROM does not matter.
The remaining joins give all pairs of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.conjuncts import conjunction, conjuncts
from lsqlc.bind.sql.joins import joined_sides, warn_product
from lsqlc.bind.sql.rows import Rows
from lsqlc.bind.sql.scope import Scope
from lsqlc.bind.sql.side import LEFT, RIGHT, Side, with_constant, without_constants
from lsqlc.bind.sql.sources import Sources
from lsqlc.plan.expression import Literal, shift
from lsqlc.plan.nodes import Aggregate, Filter, Node, Project
from lsqlc.syntax import tree
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.walk import walk


@dataclass(frozen=True, slots=True)
class _Part:
    """A condition, and the numbers of its sources. `implied`: it follows from a condition of WHERE, which stays
    there.
    """

    condition: tree.Expression
    of: frozenset[int]
    implied: bool = False


def with_conditions(
    select: sql.Select, rows: Sequence[Rows], findings: Findings
) -> tuple[sql.Select, Sequence[Rows]] | None:
    """Return the SELECT with conditions of WHERE in its joins, and its rows in the order of the joins; None after an
    error.
    """
    first = next((i for i, join in enumerate(select.joins) if join.kind == "CROSS"), None)
    if first is None:
        return select, rows
    late = next((join for join in select.joins[first:] if join.kind in ("RIGHT", "OUTER")), None)
    if late is not None:
        word = "FULL" if late.kind == "OUTER" else late.kind
        findings.error("LSQ465", f"a {word} JOIN is not supported after a comma or a CROSS JOIN", late.at,
                       notes=("their conditions are in WHERE, which is evaluated after this join",),
                       help="write JOIN ... ON for the sources before it, or join them in a query in FROM")  # fmt: skip
        return None
    return _Placing(select, rows, findings).placed(first)


class _Placing:
    """Assigns the conditions of one SELECT to joins. Sources have their numbers in the text."""

    def __init__(self, select: sql.Select, rows: Sequence[Rows], findings: Findings) -> None:
        self._select = select
        self._rows = rows
        self._findings = findings
        columns = [replace(c, source=s.label) for s, r in zip(select.sources, rows, strict=True) for c in r.columns]
        numbers = [i for i, r in enumerate(rows) for _ in r.columns]
        self._places = {id(column): number for column, number in zip(columns, numbers, strict=True)}
        # The columns of LATERAL, which is evaluated after all joins.
        self._laid = {name.text.casefold() for lateral in select.laterals for name in lateral.columns}
        self._scope = Scope(tuple(s.label for s in select.sources), tuple(columns))

    def placed(self, first: int) -> tuple[sql.Select, Sequence[Rows]] | None:
        """Return the result for the joins from the number `first` on."""
        where = conjuncts(self._select.where)
        pool = [*map(self._part, where), *(replace(self._part(i), implied=True) for p in where for i in _implied(p))]
        inner = [(i, p) for i, j in enumerate(self._select.joins) if i >= first and j.kind == "INNER"
                 for p in conjuncts(j.on)]  # fmt: skip
        pool += [each for _, p in inner if len((each := self._part(p)).of) > 1]
        own = {i: tuple(p for k, p in inner if k == i and len(self._part(p).of) < 2) for i, _ in inner}
        joined_sources = set(range(first + 1))
        waiting = list(range(first, len(self._select.joins)))
        joins, order = list(self._select.joins[:first]), list(range(first + 1))
        while waiting:
            ready = next((i for i in waiting if self._is_ready(i, joined_sources, pool)), None)
            number = (
                ready if ready is not None else next((i for i in waiting if self._is_product(i, joined_sources)), None)
            )
            if number is None:
                if not self._are_known(waiting):
                    return None
                number = self._product(waiting)
                if number is None:
                    self._refuse(waiting)
                    return None
            join = self._select.joins[number]
            if ready is None and join.kind == "INNER":
                pool += [_Part(p, frozenset()) for p in own.pop(number)]
                join = replace(join, kind="CROSS", on=None)
            if ready is not None and join.kind in ("CROSS", "INNER") and not join.using:
                own_conditions = [
                    p for p in pool if number + 1 in p.of and len(p.of) > 1 and p.of <= {*joined_sources, number + 1}
                ]
                pool = [p for p in pool if p not in own_conditions]
                join = _conditioned(join, (*own.get(number, ()), *(p.condition for p in own_conditions)))
            waiting.remove(number)
            joined_sources.add(number + 1)
            order.append(number + 1)
            joins.append(join)
        rest = tuple(p.condition for p in pool if not p.implied)
        select = replace(self._select, joins=tuple(joins), where=conjunction(rest))
        return select, [self._rows[i] for i in order]

    def _part(self, condition: tree.Expression) -> _Part:
        return _Part(condition, self._of(condition))

    def _of(self, part: tree.Expression) -> frozenset[int]:
        """Return the numbers of the sources of a condition; empty if a name is ambiguous or unknown."""
        names = [each.parts for each in walk(part) if isinstance(each, tree.Reference)]
        columns = [self._scope.find(name) for name in names]
        if any(len(each) != 1 for each in columns) or any(name[0].casefold() in self._laid for name in names):
            return frozenset()
        return frozenset(self._places[id(each[0][0])] for each in columns)

    def _is_ready(self, number: int, joined_sources: set[int], pool: Sequence[_Part]) -> bool:
        """Return whether the joined sources suffice for a join."""
        join = self._select.joins[number]
        if join.using:
            return joined_sources >= set(range(number + 1))
        available = {*joined_sources, number + 1}
        if join.kind in ("CROSS", "INNER"):
            ready = [p for p in pool if number + 1 in p.of and p.of <= available]
            return any(self._equates(p.condition, number + 1) for p in ready)
        return all(self._of(p) <= available for p in conjuncts(join.on))

    def _equates(self, part: tree.Expression, number: int) -> bool:
        """Return whether a condition equates an expression of a source with one of other sources."""
        if not isinstance(part, tree.Binary) or part.operator != "=":
            return False
        one, other = self._of(part.left), self._of(part.right)
        return {number} in (one, other) and bool(one) and bool(other) and one.isdisjoint(other)

    def _is_product(self, number: int, joined_sources: set[int]) -> bool:
        """Return whether a CROSS JOIN has constants, or one row, on a side."""
        if self._select.joins[number].kind != "CROSS":
            return False
        if self._rows[number + 1].constants is not None:
            return True
        return has_one_row(self._rows[number + 1].node) or all(has_one_row(self._rows[i].node) for i in joined_sources)

    def _product(self, waiting: Sequence[int]) -> int | None:
        """Return the first join of a table without an equality with earlier ones: each of its rows meets all."""
        if any(rows.kind != "TABLE" for rows in self._rows):
            return None
        return next((i for i in waiting if self._select.joins[i].kind in ("CROSS", "INNER")), None)

    def _are_known(self, waiting: Sequence[int]) -> bool:
        """Report an unknown name in a condition; return whether there is none."""
        joins = [self._select.joins[i] for i in waiting]
        conditions = [p for on in (self._select.where, *(join.on for join in joins)) for p in conjuncts(on)]
        for each in (part for condition in conditions for part in walk(condition)):
            if not isinstance(each, tree.Reference) or each.parts[0].startswith(" ") or self._laid:
                continue
            if self._scope.resolve(each, self._findings) is None:
                return False
        return True

    def _refuse(self, waiting: Sequence[int]) -> None:
        """Report that the source of the next join has no equality."""
        joins = [self._select.joins[i] for i in waiting]
        join = next((join for join in joins if join.kind == "CROSS"), joins[0])
        name, before = join.source.label or "the query", self._select.source.label or "the first query"
        self._findings.error(
            "LSQ465", f"no equality joins '{name}' with the sources before it", join.source.at,
            notes=(
                "without an equality, each row is joined with all rows of the other side",
                "only tables can be joined without an equality",
            ),
            help=f"add an equality to WHERE: {before}.x = {name}.y",
        )  # fmt: skip


def crossed(join: sql.Join, left: Side, right: Side, sources: Sources, findings: Findings) -> Side | None:
    """Return all pairs of rows of two tables; None after an error."""
    if (left.kind, right.kind) != ("TABLE", "TABLE"):
        findings.error("LSQ465", "a join without an equality is only allowed between tables", join.source.at,
                       notes=("a record of a stream is joined with the row of a table by its key",),
                       help="read the topic as a table, FROM topic, or write JOIN ... ON a.x = b._key")  # fmt: skip
        return None
    one_row = has_one_row(left.node) or has_one_row(right.node)
    if not one_row:
        warn_product(join, findings)
    one, other = with_constant(left, LEFT), with_constant(right, RIGHT)
    on = tree.Binary("=", tree.Reference((LEFT,), join.at), tree.Reference((RIGHT,), join.at), join.at)
    side = joined_sides(replace(join, kind="INNER", on=on), one, other, sources, findings)
    if side is None or not one_row:
        return side and without_constants(side)
    # With a single row on one side, the keys of the other side identify the pairs.
    one_right = has_one_row(right.node)
    key, key_format = (one.key, one.key_format) if one_right else (shift(other.key, 1), other.key_format)
    return replace(without_constants(side), key=key, key_format=key_format)


def has_one_row(node: Node) -> bool:
    """Return whether a table certainly has at most one row: it is a group of all rows."""
    while isinstance(node, Project | Filter):
        node = node.input
    return isinstance(node, Aggregate) and node.window is None and all(isinstance(k, Literal) for k in node.keys)


def _implied(condition: tree.Expression) -> list[tree.Expression]:
    """Return the equalities that each side of an OR has."""
    if not isinstance(condition, tree.Logic) or condition.operator != "OR":
        return []
    first, *others = (conjuncts(side) for side in condition.operands)
    equalities = (p for p in first if isinstance(p, tree.Binary) and p.operator == "=")
    return [p for p in equalities if all(any(same_parts(p, q) for q in other) for other in others)]


def _conditioned(join: sql.Join, parts: tuple[tree.Expression, ...]) -> sql.Join:
    if not parts:
        return join
    return replace(join, kind="INNER", on=conjunction(parts))
