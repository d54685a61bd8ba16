"""STORE: the result of a query in the formats that it asks for, and why it cannot have them."""

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
    """The result in the formats that STORE asks for."""
    relation = node.relations[0]
    key = Field(0, "key", (), relation.key.type, True)
    value = Field(0, "value", (), relation.value.type, True)
    result = Project(node, key, value, relation.key.format, relation.value.format, False, relation.name)
    facets: tuple[tuple[tree.Name | None, FacetName], ...] = (
        (insert.key_format, "key"),
        (insert.value_format, "value"),
    )
    failed = False
    for asked, facet in facets:
        if asked is None:
            continue
        after = named(asked.text)
        before = result.key_format if facet == "key" else result.value_format
        whole = result.key if facet == "key" else result.value
        done = store(whole, before, after, may_lack=node.semantics == "STREAM") if after else None
        if done is None:
            _unstorable(facet, relation.facet(facet), asked, findings)
            failed = True
            continue
        if facet == "key":
            result = replace(result, key=done.expression, key_format=done.format)
        else:
            result = replace(result, value=done.expression, value_format=done.format)
    if failed:
        return None
    same = (result.key, result.value) == (key, value)
    if same and (result.key_format, result.value_format) == (relation.key.format, relation.value.format):
        return node
    return result


def _unstorable(facet: FacetName, stored: Facet, asked: tree.Name, findings: Findings) -> None:
    """Say why a facet cannot have the format that STORE asks for."""
    if stored.is_absent:
        help = f"remove '{facet.upper()} AS {asked.text}', or project to it: expression AS _{facet}"
        findings.error("LSQ326", f"the records have no {facet} to store", asked.at, help=help)
        return
    can = choices(stored.format)
    help = f"it can only be stored as {' or '.join(can)}" if len(can) > 1 else f"it can only be stored as {can[0]}"
    if named(asked.text) is None:
        message = f"'{asked.text}' is not a supported storage format"
        note = "JSON, AVRO, JSON_SR, PROTOBUF and the primitive types are supported; XML and custom formats are not"
        notes = (note,) if asked.text.lower() in FOREIGN else ()
        findings.error("LSQ326", message, asked.at, notes=notes, help=help)
        return
    message = f"a {facet} stored as {stored.format.upper()} cannot be stored as {asked.text}"
    notes = ()
    kinds = [w[0] for w in (windowed(stored.format), windowed(asked.text)) if w]
    if len(kinds) == 2 and kinds[0] != kinds[1]:
        notes = ("TW is the key of a TUMBLE or HOP window, SW that of a SESSION",)
    elif kinds:
        notes = ("a windowed key is converted inside its window",)
    findings.error("LSQ326", message, asked.at, notes=notes, help=help)


def place_of(select: tree.Select, way: tuple[str, ...]) -> Extent | None:
    """The projection, or the part of GROUP BY, that gives a field its name, or else brings it. `way`: the names of the
    fields that lead to it, from the outside in; None for a field that a wildcard found.
    """
    return next((at for name in reversed(way) if (at := _place_of(select, name)) is not None), None)


def _place_of(select: tree.Select, name: str) -> Extent | None:
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
    """The name of a projection without alias, as far as its text tells; None for a wildcard."""
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
