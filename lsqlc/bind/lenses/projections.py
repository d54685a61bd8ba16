"""The SELECT list: the expression of each projection, and its position in the output record.

A target is a field (nested by dots), or a whole facet. An alias adds a field only below a struct, overrides nothing,
and is unique. At most one projection is a whole facet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lsqlc.bind.findings import Findings
from lsqlc.bind.grouping import Grouping
from lsqlc.bind.lenses.expressions import LensesBinder
from lsqlc.bind.lenses.scope import Scope, visible_names
from lsqlc.diagnostics import listing
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import Expression, FacetName, Field, StructOf
from lsqlc.plan.nodes import Relation
from lsqlc.scan.file_topics import of_wildcard
from lsqlc.scan.request import fold
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.printer import text_of
from lsqlc.types.data import Struct


@dataclass(frozen=True, slots=True)
class Projected:
    """Both facets of the output as expressions; None for a facet without projections.

    `aliases`: the projections by the name that HAVING can use. `whole_value`: the value is an unchanged facet.
    """

    key: Expression | None
    value: Expression | None
    aliases: tuple[tuple[str, Expression], ...]


@dataclass(slots=True)
class _Branch:
    """A struct under construction: names to parts, in order of appearance. `folded`: the names by their casefold."""

    parts: dict[str, _Branch | _Leaf] = field(default_factory=dict)
    folded: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Leaf:
    expression: Expression
    at: Extent


@dataclass(slots=True)
class _Facet:
    name: str
    whole: _Leaf | None = None
    fields: _Branch = field(default_factory=_Branch)


# A field of both sides that an equality of ON equates, with the expression that is not null.
Merged = Mapping[str, Expression]


def bind_projections(select: tree.Select, binder: LensesBinder, merged: Merged) -> Projected | None:
    """Return all projections of a query; None after an error. `merged`: see `wildcard`."""
    facets = {"key": _Facet("_key"), "value": _Facet("_value")}
    aliases: list[tuple[str, Expression]] = []
    findings = binder.findings
    before = len(findings.found)
    for projection in select.projections:
        if isinstance(projection.source, tree.Wildcard):
            others = [p for p in select.projections if p is not projection]
            alone = all(p.target and p.target.facet == "key" for p in others)
            fields = _wildcard(projection.source, binder.scope, findings, merged, alone)
            fields = _without_named(fields, others, binder)
            if binder.grouping:
                fields = _grouped(fields, projection.at, binder.grouping, findings)
            for name, expression in fields:
                _place(facets["value"], (name,) if name else (), expression, projection.at, findings)
            continue
        reading = _for_key(binder) if projection.target and projection.target.facet == "key" else binder
        bound = reading.bind(projection.source)
        if bound is None:
            continue
        source = projection.source
        if isinstance(source, tree.Hyphenated):
            source = binder.unhyphenate(source)
        target = projection.target or tree.Target(None, (default_name(source, bound),), projection.at)
        if target.facet != "key" and target.path:
            aliases.append((".".join(target.path), bound))
        facet = facets[target.facet or "value"]
        if binder.grouping and target.facet == "key":
            findings.error(
                "LSQ316",
                "a query with GROUP BY cannot project to '_key'",
                target.at,
                notes=("the key of an aggregation is its group",),
                help="name the key in GROUP BY: GROUP BY expression AS name",
            )
            continue
        _place(facet, target.path, bound, target.at, findings)
    key, value = (_built(facets[name]) for name in ("key", "value"))
    return Projected(key, value, tuple(aliases)) if len(findings.found) == before or not findings.has_errors else None


def _without_named(
    fields: list[tuple[str, Expression]], others: Sequence[tree.Projection], binder: LensesBinder
) -> list[tuple[str, Expression]]:
    """Return the fields of a wildcard, without the columns of folders that the list has by name."""
    if not any(relation.files for relation in binder.scope.sources):
        return fields
    listed_names = {fold(name) for p in others if (name := _own_name(p, binder)) is not None}
    remaining: list[tuple[str, Expression]] = []
    for name, expression in fields:
        topic = binder.scope.relations[expression.relation].files if isinstance(expression, Field) else None
        if topic is None or name in of_wildcard(topic, listed_names):
            remaining.append((name, expression))
    return remaining


def _own_name(projection: tree.Projection, binder: LensesBinder) -> str | None:
    """Return the name of a column that is in the value under its own name; None for any other projection."""
    source = projection.source
    if isinstance(source, tree.Hyphenated):
        source = binder.unhyphenate(source)
    if not isinstance(source, tree.Reference):
        return None
    name, target = source.parts[-1], projection.target
    if target is None:
        return name
    is_own = target.facet in (None, "value") and len(target.path) == 1 and fold(target.path[0]) == fold(name)
    return name if is_own else None


def _for_key(binder: LensesBinder) -> LensesBinder:
    """Return the binder of a key over fields of the value.

    If the value is null, its projections are null, but there is still a key.
    """
    absent: frozenset[FacetName] = frozenset(("key", "value")) if binder.scope.absent else frozenset()
    return replace(binder, scope=replace(binder.scope, absent=absent))


def _grouped(
    fields: list[tuple[str, Expression]], at: Extent, grouping: Grouping, findings: Findings
) -> list[tuple[str, Expression]]:
    """Return the grouped fields of a wildcard in an aggregated query."""
    parts = [(name, grouping.part_of_key(expression)) for name, expression in fields]
    missing = [name for name, part in parts if part is None]
    if missing:
        what = f": {listing(missing)}" if all(missing) else ""
        findings.error(
            "LSQ311",
            f"'*' contains fields that are neither grouped nor aggregated{what}",
            at,
            notes=("outside an aggregate, only the expressions of GROUP BY have one value for the whole group",),
            help="list the expressions of GROUP BY, and aggregate the other fields",
        )
    return [(name, part) for name, part in parts if part is not None]


def default_name(source: tree.Expression, bound: Expression) -> str:
    """Return the name of a projection without alias: a field's last path element, else the expression's text."""
    # Not the bound field's name: in a group that is the key's field.
    if isinstance(source, tree.Reference):
        return source.parts[-1]
    if isinstance(bound, Field) and bound.path and isinstance(source, tree.Hyphenated | tree.Member):
        return bound.path[-1]
    return text_of(source)


def _place(facet: _Facet, path: tuple[str, ...], expression: Expression, at: Extent, findings: Findings) -> None:
    """Put an expression at its target, if the rules allow it."""
    if not path:
        if facet.whole:
            findings.error(
                "LSQ302", f"only one projection can be the whole '{facet.name}'", at, help="name fields in it"
            )
        elif facet.fields.parts:
            _overrides(facet.name, at, findings)
        else:
            facet.whole = _Leaf(expression, at)
        return
    if facet.whole:
        message = f"'{'.'.join(path)}' cannot be used with a projection that is the whole '{facet.name}'"
        findings.error("LSQ303", message, at, help="give the other projection another alias")
        return
    branch = facet.fields
    for depth, name in enumerate(path[:-1], start=1):
        if _clashes(branch, name, at, findings):
            return
        part = branch.parts.setdefault(name, _Branch())
        if isinstance(part, _Leaf):
            parent = ".".join(path[:depth])
            findings.error(
                "LSQ304",
                f"no field can be added below '{parent}', which is {part.expression.type}",
                at,
                help="give one of the two another alias",
            )
            return
        branch = part
    name = path[-1]
    other = branch.parts.get(name)
    if isinstance(other, _Branch):
        _overrides(".".join(path), at, findings)
    elif other:
        findings.error("LSQ305", f"two projections are named '{'.'.join(path)}'", at, help="give one another alias")
    elif not _clashes(branch, name, at, findings):
        branch.parts[name] = _Leaf(expression, at)


def _clashes(branch: _Branch, name: str, at: Extent, findings: Findings) -> bool:
    """Report a name that a struct has in another letter case; return whether there is one."""
    other = branch.folded.setdefault(name.casefold(), name)
    if other != name:
        findings.error("LSQ305", f"the names '{other}' and '{name}' differ only in case", at, help="rename one")
    return other != name


def _overrides(what: str, at: Extent, findings: Findings) -> None:
    findings.error("LSQ303", f"this replaces the fields that are projected into '{what}'", at, help="rename one")


def _built(facet: _Facet) -> Expression | None:
    if facet.whole:
        return facet.whole.expression
    return _struct(facet.fields) if facet.fields.parts else None


def _struct(branch: _Branch) -> StructOf:
    values = tuple(p.expression if isinstance(p, _Leaf) else _struct(p) for p in branch.parts.values())
    return StructOf(tuple(branch.parts), values)


def _wildcard(
    wildcard: tree.Wildcard, scope: Scope, findings: Findings, merged: Merged, alone: bool
) -> list[tuple[str, Expression]]:
    """Return the fields of a wildcard by name, or one unnamed whole value if it is the only projection."""
    if not wildcard.qualifier:
        return _everything(wildcard, scope, findings, merged, alone)
    *names, last = wildcard.qualifier
    name = ".".join(wildcard.qualifier)
    number = next((i for i, r in enumerate(scope.relations) if r.name == name), None)
    key = False
    if number is None and last in ("_key", "_value"):
        key = last == "_key"
        if key and not names and not scope.bare_key:
            scope.refuse_bare_key(("_key", "*"), wildcard.at, findings)
            return []
        owner = ".".join(names)
        owners = [i for i, r in enumerate(scope.sources) if not names or r.name == owner]
        number = owners[0] if len(owners) == 1 else None
    if number is None:
        source_names = listing(r.name for r in scope.relations)
        findings.error("LSQ201", f"unknown source '{name}'", wildcard.at, help=f"the sources are {source_names}")
        return []
    fields = _fields(number, scope, key=key)
    if fields is None:
        if alone and not key:
            return [("", _whole(number, scope.relations[number]))]
        return _no_fields(scope.relations[number], key, wildcard, findings)
    return fields


def _everything(
    wildcard: tree.Wildcard, scope: Scope, findings: Findings, merged: Merged, alone: bool
) -> list[tuple[str, Expression]]:
    if alone and len(scope.relations) == 1 and not scope.relations[0].files:
        return [("", _whole(0, scope.relations[0]))]
    gathered: list[tuple[str, Expression]] = []
    shared: set[str] = set()
    for number, relation in enumerate(scope.relations):
        if number >= len(scope.sources):
            gathered.append((relation.name, _whole(number, relation)))
            continue
        fields = _fields(number, scope, key=False)
        if fields is None:
            return _no_fields(relation, False, wildcard, findings)
        used_names = {name for name, _ in gathered}
        for name, expression in fields:
            if name not in used_names:
                gathered.append((name, merged.get(name, expression)))
            elif name not in merged:
                shared.add(name)
    if shared:
        names = listing(r.name for r in scope.sources)
        findings.error(
            "LSQ306",
            f"'*' finds {listing(shared)} in more than one of {names}",
            wildcard.at,
            help="name the fields, or select all fields of one source: "
            + ", ".join(f"{r.name}.*" for r in scope.sources[:1]),
        )
    return gathered


def _whole(number: int, relation: Relation) -> Field:
    return Field(number, "value", (), relation.value.type, True)


def _fields(number: int, scope: Scope, *, key: bool) -> list[tuple[str, Expression]] | None:
    """Return the fields of a facet; None if it is not a struct."""
    which: FacetName = "key" if key else "value"
    facet = scope.relations[number].facet(which)
    if not isinstance(facet.type, Struct):
        return None
    absent = which in scope.absent
    relation = scope.relations[number]
    if relation.files and not key:
        # In the order of the source's `*`, without fields that only a reference by name adds.
        visible_fields = [f for name in visible_names(relation) if (f := facet.type.field(name))]
        return [(f.name, Field(number, which, (f.name,), f.type, f.nullable)) for f in visible_fields]
    return [(f.name, Field(number, which, (f.name,), f.type, f.nullable or absent)) for f in facet.type.fields]


def _no_fields(
    relation: Relation, key: bool, wildcard: tree.Wildcard, findings: Findings
) -> list[tuple[str, Expression]]:
    facet = "_key" if key else "_value"
    type = relation.key.type if key else relation.value.type
    findings.error(
        "LSQ307",
        f"'{relation.name}.{facet}' is {type}: a wildcard finds no fields in it",
        wildcard.at,
        help=f"give it a name: {relation.name}.{facet} AS name",
    )
    return []
