"""STORE: the result of a query in other storage formats, and the reasons why that is impossible."""

from __future__ import annotations

from msgspec.structs import replace

from lsqlc.bind.findings import Findings
from lsqlc.bind.storage import choices, store
from lsqlc.diagnostics.source import Extent
from lsqlc.formats.catalogue import FOREIGN, named
from lsqlc.formats.windows import windowed
from lsqlc.plan.expression import FacetName, Field
from lsqlc.plan.nodes import Node, Project
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.printer import text_of
from lsqlc.types.record import Facet


def stored(node: Node, insert: tree.Insert, findings: Findings) -> Node | None:
    """Return the result in the formats of STORE; None after an error."""
    relation = node.relations[0]
    key = Field(0, "key", (), relation.key.type, True)
    value = Field(0, "value", (), relation.value.type, True)
    result = Project(node, key, value, relation.key.format, relation.value.format, False, relation.name)
    facets: tuple[tuple[tree.Name | None, FacetName], ...] = (
        (insert.key_format, "key"),
        (insert.value_format, "value"),
    )
    failed = False
    for requested, facet in facets:
        if requested is None:
            continue
        after = named(requested.text)
        before = result.key_format if facet == "key" else result.value_format
        whole = result.key if facet == "key" else result.value
        converted = store(whole, before, after, may_lack=node.semantics == "STREAM") if after else None
        if converted is None:
            _unstorable(facet, relation.facet(facet), requested, findings)
            failed = True
            continue
        if facet == "key":
            result = replace(result, key=converted.expression, key_format=converted.format)
        else:
            result = replace(result, value=converted.expression, value_format=converted.format)
    if failed:
        return None
    same = (result.key, result.value) == (key, value)
    if same and (result.key_format, result.value_format) == (relation.key.format, relation.value.format):
        return node
    return result


def _unstorable(facet: FacetName, stored: Facet, requested: tree.Name, findings: Findings) -> None:
    """Report that a facet cannot have the format of STORE."""
    if stored.is_absent:
        help = f"remove '{facet.upper()} AS {requested.text}', or project to it: expression AS _{facet}"
        findings.error("LSQ326", f"the records have no {facet} to store", requested.at, help=help)
        return
    can = choices(stored.format)
    help = f"it can only be stored as {' or '.join(can)}" if len(can) > 1 else f"it can only be stored as {can[0]}"
    if named(requested.text) is None:
        message = f"'{requested.text}' is not a supported storage format"
        note = "JSON, AVRO, JSON_SR, PROTOBUF and the primitive types are supported; XML and custom formats are not"
        notes = (note,) if requested.text.lower() in FOREIGN else ()
        findings.error("LSQ326", message, requested.at, notes=notes, help=help)
        return
    message = f"a {facet} stored as {stored.format.upper()} cannot be stored as {requested.text}"
    notes = ()
    kinds = [w[0] for w in (windowed(stored.format), windowed(requested.text)) if w]
    if len(kinds) == 2 and kinds[0] != kinds[1]:
        notes = ("TW is the key of a TUMBLE or HOP window, SW that of a SESSION",)
    elif kinds:
        notes = ("a windowed key is converted inside its window",)
    findings.error("LSQ326", message, requested.at, notes=notes, help=help)


def extent_of(select: tree.Select, way: tuple[str, ...]) -> Extent | None:
    """Return the extent of the projection, or the part of GROUP BY, that names a field or contains it.

    `way`: the names of the fields on the path to it, from the outside in. None for a field of a wildcard.
    """
    return next((at for name in reversed(way) if (at := _extent_of(select, name)) is not None), None)


def _extent_of(select: tree.Select, name: str) -> Extent | None:
    for item in select.group_by:
        if name == (item.alias.text if item.alias else _unaliased(item.expression)):
            return item.alias.at if item.alias else item.at
    for projection in select.projections:
        target = projection.target
        if target is not None and name in target.path:
            return target.at
        if target is None and name == _unaliased(projection.source):
            return projection.at
    return None


def _unaliased(source: tree.Expression | tree.Wildcard) -> str | None:
    """Return the name of a projection without alias, by its text alone; None for a wildcard."""
    match source:
        case tree.Wildcard():
            return None
        case tree.Reference(parts=parts):
            return parts[-1]
        case tree.Member(field=field):
            return field.text
        case tree.Hyphenated(tokens=tokens):
            return "".join(token.text for token in tokens).rpartition(".")[2]
        case _:
            return text_of(source)
