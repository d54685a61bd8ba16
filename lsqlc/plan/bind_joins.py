"""JOIN: which kinds are legal, what ON may say, and the key that results.

Rules of the joins document: stream with stream needs WITHIN and gives a stream; table with table gives a table; a
stream may be joined with a table as INNER or LEFT, a table with a stream as RIGHT. ON joins by AND equalities with
one source on each side, and conditions on one source; without an equality the keys are equated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

from lsqlc.plan.bind_expressions import Binder, coerce
from lsqlc.plan.expression import Call, Expression, Field, StructOf, conjunction, relations_of, shift
from lsqlc.plan.nodes import Join, JoinStyle, Node, Repartition, scans
from lsqlc.plan.report import Findings
from lsqlc.plan.scope import Scope
from lsqlc.plan.storage import choices
from lsqlc.syntax import tree
from lsqlc.types.data import unify
from lsqlc.types.record import natural_format

_LEGAL: dict[JoinStyle, tuple[str, ...]] = {
    "stream-stream": ("INNER", "LEFT", "RIGHT", "OUTER"),
    "table-table": ("INNER", "LEFT", "RIGHT", "OUTER"),
    "stream-table": ("INNER", "LEFT"),
    "table-stream": ("RIGHT",),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Times of the project that a join needs, in milliseconds."""

    grace: int
    retention: int


@dataclass(frozen=True, slots=True)
class BoundJoin:
    """The join, its key, the key's format, and what `*` makes of the fields that ON equates."""

    node: Join
    key: Expression
    key_format: str
    merged: dict[str, Expression]


def bind_join(
    join: tree.Join, left: Node, right: Node, scope: Scope, findings: Findings, limits: Limits, *, strict: bool
) -> BoundJoin | None:
    """`scope` has the relations of both sides, the left's first. None after an error."""
    style = _style(left, right)
    before = sum(d.is_error for d in findings.found)
    _check_kind(join, style, findings)
    _check_within(join, style, findings)
    on = _conditions(join, scope, findings, len(left.relations), strict=strict)
    _check_keys(join, scope, findings)
    if on is None or sum(d.is_error for d in findings.found) > before:
        return None
    equalities, left_conditions, right_conditions = on
    shifted = len(left.relations)
    left, right = _copartition(left, right)
    node = Join(
        join.kind,
        style,
        left,
        right,
        tuple((a, shift(b, -shifted)) for a, b in equalities),
        conjunction(left_conditions),
        shifted_back(conjunction(right_conditions), shifted),
        join.within[0].milliseconds if join.within else None,
        limits.grace,
        limits.retention,
    )
    key, key_format = _key(node, equalities, scope)
    merged = {
        a.path[-1]: _present(node, a, b)
        for a, b in equalities
        if isinstance(a, Field) and isinstance(b, Field) and a.facet == b.facet == "value" and a.path == b.path
    }
    return BoundJoin(node, key, key_format, merged)


def shifted_back(condition: Expression | None, by: int) -> Expression | None:
    return None if condition is None else shift(condition, -by)


def _style(left: Node, right: Node) -> JoinStyle:
    if left.semantics == "STREAM":
        return "stream-stream" if right.semantics == "STREAM" else "stream-table"
    return "table-stream" if right.semantics == "STREAM" else "table-table"


def _check_kind(join: tree.Join, style: JoinStyle, findings: Findings) -> None:
    start, end = join.kind_at
    words = findings.source.text[start:end].upper().split()
    if len(words) == 3 or words[0] == "FULL":
        findings.warn(
            "LSQ807",
            f"{' '.join(words)} is another word for {join.kind} JOIN",
            join.kind_at,
            help=f"write {join.kind} JOIN",
            fix=f"{join.kind} JOIN",
        )
    if join.kind in _LEGAL[style]:
        return
    one, other = style.upper().split("-")
    legal = " or ".join(f"{kind} JOIN" for kind in _LEGAL[style])
    help = f"a {one} with a {other} allows {legal}"
    if style == "table-stream":
        help += f", or put the stream first: {join.right.label} JOIN {join.left.label}"
    findings.error("LSQ331", f"a {one} cannot be joined with a {other} by {join.kind} JOIN", join.kind_at, help=help)


def _check_within(join: tree.Join, style: JoinStyle, findings: Findings) -> None:
    if style == "stream-stream":
        if not join.within:
            findings.error(
                "LSQ332",
                "two streams need WITHIN to be joined",
                join.kind_at,
                notes=("a match is looked for within that time before and after each record",),
                help=f"say how far apart two records may be: {join.left.label} JOIN {join.right.label} WITHIN 1h",
            )
        elif len(join.within) == 2:
            if join.within[0].milliseconds != join.within[1].milliseconds:
                findings.error("LSQ333", "WITHIN stands twice, with different times", join.within[1].at)
            else:
                findings.warn("LSQ802", "WITHIN stands twice", join.within[1].at, help="remove one")
    elif join.within:
        findings.error(
            "LSQ334",
            "WITHIN belongs to a join of two streams",
            join.within[0].at,
            notes=("a table is joined by its row at the time of the record, however old that is",),
            help="remove it",
        )


_Conditions = tuple[list[tuple[Expression, Expression]], tuple[Expression, ...], tuple[Expression, ...]]


def _conditions(join: tree.Join, scope: Scope, findings: Findings, width: int, *, strict: bool) -> _Conditions | None:
    """ON as equalities (left, right) and the conditions on each side; key equality if there is none."""
    binder = Binder(scope, findings, strict=strict, no_clock="in ON")
    equalities: list[tuple[Expression, Expression]] = []
    sided: tuple[list[Expression], list[Expression]] = ([], [])
    whole = True
    for part in _parts(join.on, binder, width):
        bound = binder.condition(part, "ON")
        if bound is None:
            whole = False
            continue
        sides = {r >= width for r in relations_of(bound)}
        if len(sides) < 2:
            sided[True in sides].append(bound)
            continue
        pair = _equality(part, binder, width)
        if pair is None:
            _refuse(part, join, findings)
            whole = False
        else:
            equalities.append(pair)
    if not whole:
        return None
    if not equalities:
        pair = _key_equality(join, scope, findings)
        if pair is None:
            return None
        equalities.append(pair)
    return equalities, tuple(sided[0]), tuple(sided[1])


def _parts(on: tree.Expression | None, binder: Binder, width: int) -> list[tree.Expression]:
    """What the ANDs of ON join; OR binds tighter than AND where nothing else makes the condition legal."""
    parts = _split(on, binder)
    if not any(isinstance(p, tree.Binary) and p.operator == "OR" and not _legal(p, binder, width) for p in parts):
        return parts
    regrouped: list[tree.Expression] = []
    for part in parts:
        regrouped += _or_first(part, binder.findings.source.text)
    if len(regrouped) == len(parts) or not all(_legal(p, binder, width) for p in regrouped):
        return parts
    groups = [p for p in regrouped if isinstance(p, tree.Binary) and p.operator == "OR" and p not in parts]
    for group in groups:
        binder.findings.warn(
            "LSQ806",
            "this OR is taken to bind tighter than the AND beside it",
            group.at,
            notes=("in SQL it is the other way round, but then the OR would mix both sources, which ON cannot",),
            help="put the OR in parentheses",
        )
    return regrouped


def _legal(part: tree.Expression, binder: Binder, width: int) -> bool:
    """Whether a part of ON is a condition on one source, or an equality of both."""
    quiet = replace(binder, findings=Findings(binder.findings.source))
    bound = quiet.condition(part, "ON")
    if bound is None:
        return False
    return len({r >= width for r in relations_of(bound)}) < 2 or _equality(part, quiet, width) is not None


def _or_first(part: tree.Expression, text: str) -> list[tree.Expression]:
    """The parts that ANDs join if OR binds tighter; what stands in parentheses stays whole."""
    groups: list[list[tree.Expression]] = [[]]
    for operator, operand in _chain(part, text):
        if operator == "AND":
            groups.append([])
        groups[-1].append(operand)
    return [reduce(lambda a, b: tree.Binary("OR", a, b, (a.at[0], b.at[1])), group) for group in groups]


def _chain(part: tree.Expression, text: str) -> list[tuple[str, tree.Expression]]:
    """The operands of ANDs and ORs as they stand in the text, each with the operator before it."""
    if not (isinstance(part, tree.Binary) and part.operator in ("AND", "OR")):
        return [("", part)]
    operands: list[tuple[str, tree.Expression]] = []
    for operator, side in (("", part.left), (part.operator, part.right)):
        before, after = text[: side.at[0]].rstrip(), text[side.at[1] :].lstrip()
        whole = before.endswith("(") and after.startswith(")")
        (_, first), *rest = [("", side)] if whole else _chain(side, text)
        operands += [(operator, first), *rest]
    return operands


def _split(on: tree.Expression | None, binder: Binder) -> list[tree.Expression]:
    if on is None:
        return []
    if isinstance(on, tree.Hyphenated):
        on = binder.unhyphenate(on)
    if isinstance(on, tree.Binary) and on.operator == "AND":
        return [*_split(on.left, binder), *_split(on.right, binder)]
    return [on]


def _equality(part: tree.Expression, binder: Binder, width: int) -> tuple[Expression, Expression] | None:
    """An equality with one source on each side, the left source's first; both sides of one type."""
    if isinstance(part, tree.Hyphenated):
        part = binder.unhyphenate(part)
    if not (isinstance(part, tree.Binary) and part.operator == "="):
        return None
    a, b = binder.bind(part.left), binder.bind(part.right)
    if a is None or b is None:
        return None
    sides_a, sides_b = ({r >= width for r in relations_of(e)} for e in (a, b))
    if (sides_a, sides_b) == ({True}, {False}):
        a, b = b, a
    elif (sides_a, sides_b) != ({False}, {True}):
        return None
    type = unify(a.type, b.type)
    return (coerce(a, type), coerce(b, type)) if type else None


def _refuse(part: tree.Expression, join: tree.Join, findings: Findings) -> None:
    left, right = join.left.label, join.right.label
    if isinstance(part, tree.Binary) and part.operator == "OR":
        message = "ON cannot mix both sources in an OR"
        help = "join equalities and conditions by AND; put an OR over one source in parentheses"
    elif isinstance(part, tree.Binary) and part.operator in ("<", "<=", ">", ">=", "<>"):
        message = f"ON compares the two sources with '{part.operator}', but only '=' joins"
        help = "move the comparison to WHERE"
    else:
        message = "each side of an equality in ON must read one source"
        help = f"write {left}.x = {right}.y, with any expression over one source on each side"
    findings.error("LSQ335", message, part.at, help=help)


def _key_equality(join: tree.Join, scope: Scope, findings: Findings) -> tuple[Expression, Expression] | None:
    keys = [Field(i, "key", (), r.key.type, True) for i, r in enumerate(scope.relations)]
    for relation in scope.relations:
        if relation.key.is_absent:
            name = relation.name
            findings.error(
                "LSQ336",
                f"the records of '{name}' have no key to join by",
                join.kind_at,
                help=f"declare the topic's key, or say what is equal: ON {join.left.label}.x = {join.right.label}.y",
            )
            return None
    type = unify(keys[0].type, keys[1].type)
    if type is None:
        findings.error(
            "LSQ336",
            f"the keys cannot be equal: {keys[0].type} and {keys[1].type}",
            join.kind_at,
            help=f"say what is equal: ON {join.left.label}.x = {join.right.label}.y",
        )
        return None
    return coerce(keys[0], type), coerce(keys[1], type)


def _check_keys(join: tree.Join, scope: Scope, findings: Findings) -> None:
    left, right = (r.key for r in scope.relations[:2])
    if left.format == right.format or left.is_absent or right.is_absent:
        return
    names = scope.relations[0].name, scope.relations[1].name
    findings.error(
        "LSQ337",
        f"the keys are stored in different formats: '{names[0]}' as {left.format}, '{names[1]}' as {right.format}",
        join.kind_at,
        notes=("records meet by the bytes of their keys, so both sides must store them alike",),
        help=_stored_alike(names, left.format, right.format),
    )


def _stored_alike(names: tuple[str, str], left: str, right: str) -> str:
    """How to give both sides one format, if a format can be stored as the other."""
    for name, before, after in ((names[1], right, left), (names[0], left, right)):
        if after.upper() in choices(before):
            stored = f"INSERT INTO {name}-rekeyed STORE KEY AS {after.upper()} SELECT STREAM * FROM {name}"
            return f"store one side's key anew, and join that topic: {stored}"
    return f"give one side another key, in a topic of its own: SELECT STREAM *, CAST(...) AS _key FROM {names[0]}"


def _copartition(left: Node, right: Node) -> tuple[Node, Node]:
    """Where partition counts differ, the side with fewer moves to as many as the other has."""
    counts = [_partitions(left), _partitions(right)]
    before, after = min(c or 0 for c in counts), max(c or 0 for c in counts)
    if None in counts or before == after:
        return left, right
    reason = f"the other side of the join has {after} partitions"
    if counts[0] == before:
        return Repartition(left, before, after, reason), right
    return left, Repartition(right, before, after, reason)


def _partitions(node: Node) -> int | None:
    found = {s.topic.partitions for s in scans(node)}
    return found.pop() if len(found) == 1 else None


def _key(node: Join, equalities: list[tuple[Expression, Expression]], scope: Scope) -> tuple[Expression, str]:
    """The key of the result: the equated value, or a struct of them named like projections of the left side."""
    values = [_present(node, a, b) for a, b in equalities]
    left = scope.relations[0]
    if len(values) == 1:
        only = equalities[0][0]
        kept = isinstance(only, Field) and only.facet == "key" and not only.path
        return values[0], left.key.format if kept else natural_format(values[0].type)
    names: list[str] = []
    for i, (a, _) in enumerate(equalities):
        name = a.path[-1] if isinstance(a, Field) and a.path else "_key" if isinstance(a, Field) else f"k{i}"
        names.append(name if name not in names else f"{name}_{i}")
    return StructOf(tuple(names), tuple(values)), "avro" if left.value.format == "avro" else "json"


def _present(node: Join, a: Expression, b: Expression) -> Expression:
    """The equated value, of the side that is there."""
    if node.kind == "RIGHT":
        return b
    if node.kind == "OUTER":
        return Call("COALESCE", (a, b), a.type, True)
    return a
