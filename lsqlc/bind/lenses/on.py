"""ON: equalities between the sources, and conditions on one source, joined by AND. Without an equality the keys are
equated.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from lsqlc.bind.coerce import coerce
from lsqlc.bind.findings import Findings
from lsqlc.bind.lenses.expressions import LensesBinder
from lsqlc.bind.lenses.projections import default_name
from lsqlc.bind.lenses.scope import Scope
from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.plan.expression import Expression, Field, relations_of
from lsqlc.syntax import tree
from lsqlc.syntax.tokens import tokenize
from lsqlc.types.data import equal_but_for_nulls, meet_as_keys


@dataclass(frozen=True, slots=True)
class Equality:
    """An equality of ON, the left source's side first, both of one type.

    `name`: the default name of the left side. `shared`: the name of the value's field, if both sides are fields with
    this name.
    """

    left: Expression
    right: Expression
    name: str
    shared: str | None


Conditions = tuple[list[Equality], tuple[Expression, ...], tuple[Expression, ...]]
"""The equalities, and the conditions on the left and on the right source."""


def conditions(join: tree.Join, scope: Scope, findings: Findings, width: int, *, strict: bool) -> Conditions | None:
    """Return ON as equalities and the conditions on each side; the equality of keys if there is none."""
    scope = replace(scope, bare_key=False, why_not="a join")
    binder = _Binder(findings, scope=scope, strict=strict, no_clock="in ON", width=width, nulls=findings.aside())
    equalities: list[Equality] = []
    sided: tuple[list[Expression], list[Expression]] = ([], [])
    whole = True
    for bound in _parts(join.on, binder):
        part, raw = bound.part, bound.equality
        findings.found += bound.found
        pair = raw and _met(raw)
        if bound.condition is None:
            whole = False
        elif len(sides := binder.sides(bound.condition)) < 2:
            sided[True in sides].append(bound.condition)
        elif raw is None:
            _refuse(part, join, findings)
            whole = False
        elif pair is None:
            findings.error(
                "LSQ336",
                f"{raw.left.type} and {raw.right.type} cannot be the two sides of a key",
                part.at,
                notes=("the operands of ON become the key, and of different types only INT and LONG can be combined",),
                help=f"convert one side: CAST(... AS {raw.left.type})",
            )
            whole = False
        elif all((e.left, e.right) != (pair.left, pair.right) for e in equalities):
            equalities.append(pair)
    if not whole:
        return None
    if not equalities:
        pair = _key_equality(join, scope, findings)
        if pair is None:
            return None
        equalities.append(pair)
    return equalities, tuple(sided[0]), tuple(sided[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Binder(LensesBinder):
    """A binder of ON.

    `width`: the number of relations of the left source. `nulls`: the diagnostics of the strict check, which are
    reported only for valid parts of ON. `nulls_at`: their extents.
    """

    width: int
    nulls: Findings
    nulls_at: list[Extent] = field(default_factory=list)

    def sides(self, *bound: Expression) -> set[bool]:
        """Return the sources that expressions read: False for the left one, True for the right one."""
        return {relation >= self.width for part in bound for relation in relations_of(part)}

    def may_be_null(self, parts: tuple[Expression, ...], places: tuple[Extent, ...], what: str) -> bool:
        """Check strictly, and return True so that binding continues. An operand with a diagnostic gets no
        second one.
        """
        start, end = min((p[0] for p in places), default=0), max((p[1] for p in places), default=0)
        has_diagnostic = any(start <= p[0] and p[1] <= end for p in self.nulls_at)
        checked = replace(self, findings=self.nulls)
        if not has_diagnostic and not LensesBinder.may_be_null(checked, parts, places, what):
            self.nulls_at.append((start, end))
        return True


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound part of ON, and its diagnostics. `condition` is None after an error.

    `equality`: the equality of the two sources, if it is one. `legal`: it is an equality, or a condition on one source.
    """

    part: tree.Expression
    condition: Expression | None
    equality: Equality | None
    found: list[Diagnostic]
    legal: bool


def _bound(part: tree.Expression, binder: _Binder) -> _Bound:
    """Return a part of ON as a condition. Its diagnostics are not reported yet, because it may be read in
    another way.
    """
    aside = binder.findings.aside(traced=True)
    binder = replace(binder, findings=aside, nulls=aside.aside(), nulls_at=[])
    part = binder.read(part)
    equality = None
    equates = isinstance(part, tree.Binary) and part.operator == "="
    if isinstance(part, tree.Binary) and equates:
        pair = binder.operands((part.left, part.right), compared=True)
        # A null join key matches nothing: the strict check is for conditions on one side, not for join keys.
        joins = pair is not None and len(binder.sides(*pair)) > 1
        compared = replace(binder, strict=binder.strict and not joins).operation(part, *pair) if pair else None
        condition = compared and binder.checked(compared, part.at)
        equality = _equality(part, pair[0], pair[1], binder) if pair else None
    else:
        condition = binder.condition(part, "ON")
    legal = condition is not None and (equality is not None or len(binder.sides(condition)) < 2)
    if condition is not None and binder.nulls.found and (legal or equates):
        return _Bound(part, None, None, [*aside.found, *binder.nulls.found], legal)
    return _Bound(part, condition, equality, aside.found, legal)


def _parts(on: tree.Expression | None, binder: _Binder) -> list[_Bound]:
    """Return the parts that AND joins. OR binds tighter than AND if the condition is illegal otherwise."""
    parts = [_bound(part, binder) for part in _split(on, binder)]
    if all(p.legal for p in parts if isinstance(p.part, tree.Logic) and p.part.operator == "OR"):
        return parts
    regrouped: list[_Bound] = []
    parentheses = _parentheses(binder.findings.source)
    for bound in parts:
        read = _or_first(bound.part, parentheses)
        regrouped += [bound] if read == [bound.part] else [_bound(part, binder) for part in read]
    if len(regrouped) == len(parts) or not all(p.legal for p in regrouped):
        return parts
    direct_parts = [p.part for p in parts]
    groups = [p.part for p in regrouped if isinstance(p.part, tree.Logic) and p.part.operator == "OR"]
    for group in (g for g in groups if g not in direct_parts):
        words = binder.findings.source.text[group.at[0] : group.at[1]]
        # A group's extent excludes parentheses around its first and last operand, which would not match then.
        opened = list(accumulate((c == "(") - (c == ")") for c in words))
        binder.findings.warn(
            "LSQ806",
            "this OR binds tighter than the AND next to it",
            group.at,
            notes=(
                "in SQL it is the other way round, but then the OR would combine both sources, which is not supported",
            ),
            help="put the OR into parentheses",
            fix=f"({words})" if min(opened) >= 0 and opened[-1] == 0 else None,
        )
    return regrouped


_Places = tuple[frozenset[int], frozenset[int]]


def _or_first(part: tree.Expression, parentheses: _Places) -> list[tree.Expression]:
    """Return the parts that AND joins if OR binds tighter; parentheses stay together."""
    groups: list[list[tree.Expression]] = [[]]
    for operator, operand in _chain(part, parentheses):
        if operator == "AND":
            groups.append([])
        groups[-1].append(operand)
    return [tree.Logic("OR", tuple(g), (g[0].at[0], g[-1].at[1])) if len(g) > 1 else g[0] for g in groups]


def _chain(part: tree.Expression, parentheses: _Places) -> list[tuple[str, tree.Expression]]:
    """Return the operands of ANDs and ORs in the order of the text, each with the operator before it."""
    if not isinstance(part, tree.Logic):
        return [("", part)]
    operands: list[tuple[str, tree.Expression]] = []
    for number, side in enumerate(part.operands):
        operator = part.operator if number else ""
        whole = side.at[0] in parentheses[0] and side.at[1] in parentheses[1]
        (_, first), *rest = [("", side)] if whole else _chain(side, parentheses)
        operands += [(operator, first), *rest]
    return operands


def _parentheses(source: SourceText) -> _Places:
    """Return the offsets after each `(` and before each `)`, without comments."""
    tokens, _ = tokenize(source)
    pairs = tuple(pairwise(tokens))
    opened = frozenset(second.start for first, second in pairs if first.kind == "mark" and first.text == "(")
    closed = frozenset(first.end for first, second in pairs if second.kind == "mark" and second.text == ")")
    return opened, closed


def _split(on: tree.Expression | None, binder: _Binder) -> list[tree.Expression]:
    if on is None:
        return []
    if isinstance(on, tree.Hyphenated):
        on = binder.unhyphenate(on)
    if isinstance(on, tree.Logic) and on.operator == "AND":
        return [part for operand in on.operands for part in _split(operand, binder)]
    return [on]


def _equality(part: tree.Binary, left: Expression, right: Expression, binder: _Binder) -> Equality | None:
    """Return an equality between the two sources, the left source's side first; None for another condition."""
    a, b, left_part = left, right, part.left
    sides = binder.sides(a), binder.sides(b)
    if sides == ({True}, {False}):
        a, b, left_part = b, a, part.right
    elif sides != ({False}, {True}):
        return None
    fields = [e for e in (a, b) if isinstance(e, Field) and e.facet == "value" and len(e.path) == 1]
    names = [f.path[0] for f in fields]
    shared = names[0] if len(names) == 2 and names[0] == names[1] else None
    return Equality(a, b, default_name(binder.read(left_part), a), shared)


def _met(equality: Equality) -> Equality | None:
    """Return the equality with both sides in their common type as keys; None if they have none."""
    a, b = equality.left, equality.right
    type = meet_as_keys(a.type, b.type)
    if type is None:
        return None
    # A difference in NOT NULL alone needs no conversion.
    if equal_but_for_nulls(a.type, b.type):
        return equality
    return replace(equality, left=coerce(a, type), right=coerce(b, type))


def _refuse(part: tree.Expression, join: tree.Join, findings: Findings) -> None:
    left, right = join.left.label, join.right.label
    if isinstance(part, tree.Logic) and part.operator == "OR":
        message = "an OR in ON cannot combine both sources"
        help = "combine equalities and conditions with AND; put an OR over one source into parentheses"
    elif isinstance(part, tree.Binary) and part.operator in ("<", "<=", ">", ">=", "<>"):
        message = f"ON compares the two sources with '{part.operator}', but only '=' is supported"
        help = "move the comparison to WHERE"
    else:
        message = "each side of an equality in ON must read one source"
        help = f"write {left}.x = {right}.y, where x and y are any expressions over one source"
    findings.error("LSQ335", message, part.at, help=help)


def _key_equality(join: tree.Join, scope: Scope, findings: Findings) -> Equality | None:
    keys = [Field(i, "key", (), r.key.type, True) for i, r in enumerate(scope.relations)]
    for relation in scope.relations:
        if relation.key.is_absent:
            name = relation.name
            findings.error(
                "LSQ336",
                f"the records of '{name}' have no key to join on",
                join.kind_at,
                help=f"declare the topic's key, or equate other fields: ON {join.left.label}.x = {join.right.label}.y",
            )
            return None
    equality = _met(Equality(keys[0], keys[1], "_key", None))
    if equality is None and not formats_differ(scope):
        findings.error(
            "LSQ336",
            f"the keys cannot be equal: {keys[0].type} and {keys[1].type}",
            join.kind_at,
            help=f"equate other fields: ON {join.left.label}.x = {join.right.label}.y",
        )
    return equality


def formats_differ(scope: Scope) -> bool:
    """Return whether the keys of both sources are stored in different formats."""
    left, right = (r.key for r in scope.relations[:2])
    return left.format != right.format and not (left.is_absent or right.is_absent)
