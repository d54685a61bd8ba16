"""From SELECT to nodes: sources, laterals, WHERE, grouping, projections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from msgspec import structs

from lsqlc.bind.changes import LENSES, check_changes, refuse_changes
from lsqlc.bind.coerce import coerce
from lsqlc.bind.findings import Findings
from lsqlc.bind.grouping import Grouping
from lsqlc.bind.lenses.aggregates import calls_aggregate
from lsqlc.bind.lenses.expressions import LensesBinder
from lsqlc.bind.lenses.files import check_table
from lsqlc.bind.lenses.groups import group_keys, window_of
from lsqlc.bind.lenses.joins import bind_join
from lsqlc.bind.lenses.projections import Merged, Projected, bind_projections
from lsqlc.bind.lenses.scope import Scope
from lsqlc.bind.limits import Limits
from lsqlc.bind.nullability import tested
from lsqlc.bind.record_ids import numbered
from lsqlc.bind.storage import format_of, format_projected, struct_format
from lsqlc.bind.trace import TracedQuery
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.diagnostics.source import Extent
from lsqlc.formats.windows import windowed
from lsqlc.plan.changes import lacks_changes
from lsqlc.plan.expression import Cast, Expression, FacetName, Field, walk
from lsqlc.plan.identity import has_elements
from lsqlc.plan.nodes import (
    Aggregate,
    EventTime,
    Filter,
    Lateral,
    Node,
    Project,
    Reinterpret,
    Rekey,
    Relation,
    Scan,
    Semantics,
)
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.data import Struct
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources in scope of FROM. `limits`: times of the project. `strict`: the nullability check is on."""

    topics: Mapping[str, Topic]
    withs: Mapping[str, Node]
    # WITH statements with errors of their own: references to them are not reported.
    broken: frozenset[str]
    limits: Limits
    strict: bool


@dataclass(frozen=True, slots=True)
class _Input:
    """The input of a query: the node, its relations by the query's names, its key, and the fields that `*` merges."""

    node: Node
    scope: Scope
    key: Expression
    key_format: str
    merged: Merged


def bind_select(select: tree.Select, name: str, sources: Sources, findings: Findings) -> Node | None:
    """Return the query as a node with one relation called `name`; None after an error."""
    source = _from(select, sources, findings)
    if source is None:
        return None
    aggregated = bool(select.group_by) or _has_aggregate(select)
    table = source.node.semantics == "TABLE"
    no_clock = "on a TABLE" if table else "below an aggregate" if aggregated else None
    bare_key = not (aggregated or isinstance(select.source, tree.Join))
    # A record of a STREAM may lack its key; the strict check uses the declarations of the columns.
    absent: frozenset[FacetName] = frozenset() if table or sources.strict else frozenset(("key",))
    scope = replace(source.scope, bare_key=bare_key, why_not="an aggregate" if aggregated else "a join", absent=absent)
    source = replace(source, scope=scope)
    binder = LensesBinder(findings, scope=scope, strict=sources.strict, table=table, no_clock=no_clock)
    before = findings.error_count
    source = _event_time(select, source, binder)
    source = source and _laterals(select, source, binder)
    if source is None:
        return None
    if select.window is not None and not select.group_by:
        findings.error("LSQ318", "WINDOW BY needs GROUP BY", select.window.at, help="add GROUP BY")
        return None
    binder = replace(binder, scope=source.scope)
    node = source.node
    if findings.trace is not None:
        findings.trace.queries[select.at] = TracedQuery(node, source.scope.relations)
    if select.where is not None:
        condition = binder.condition(select.where, "WHERE")
        if condition is not None:
            node = Filter(node, condition)
            if not aggregated:
                check_changes(node, source.scope.relations[0].name, select.where.at, LENSES, findings)
            binder = replace(binder, not_null=tested(condition, holds=True))
    if aggregated:
        return _aggregate(select, name, replace(source, node=node), binder, findings, before, sources.limits)
    if select.having is not None:
        findings.error(
            "LSQ317", "HAVING needs GROUP BY", select.having.at, help="a condition on single records belongs in WHERE"
        )
    projected = bind_projections(select, binder, source.merged)
    if projected is None or findings.error_count > before:
        return None
    return _project(node, projected, source, name, select, findings)


def _event_time(select: tree.Select, source: _Input, binder: LensesBinder) -> _Input | None:
    """Return the input with the time of EVENTTIME BY: epoch milliseconds, a DATE or a TIMESTAMP."""
    if select.event_time is None:
        return source
    at, findings = select.event_time.at, binder.findings
    if isinstance(select.source, tree.Join):
        findings.error(
            "LSQ319",
            "EVENTTIME BY is for a single source, not for a join",
            at,
            help="give each side its own: WITH a AS (SELECT STREAM * FROM source EVENTTIME BY field)",
        )
        return None
    time = binder.bind(select.event_time)
    if time is None:
        return None
    if time.type in (data.DATE, data.TIMESTAMP):
        time = Cast(coerce(time, data.TIMESTAMP), data.BIGINT, time.nullable)
    elif not data.is_integer(time.type):
        findings.error("LSQ319", f"EVENTTIME BY must be epoch milliseconds, a DATE or a TIMESTAMP, not {time.type}", at)
        return None
    return replace(source, node=EventTime(source.node, coerce(time, data.BIGINT)))


def _from(select: tree.Select, sources: Sources, findings: Findings) -> _Input | None:
    if isinstance(select.source, tree.Source):
        node = _source(select.source, select.semantics, sources, findings)
        if node is None:
            return None
        if node.semantics != select.semantics:
            if has_elements(node):
                refuse_elements(select.source.name.at, findings)
                return None
            node = Reinterpret(node, select.semantics)
        relation = structs.replace(node.relations[0], name=select.source.label)
        key = Field(0, "key", (), relation.key.type, True)
        return _Input(node, Scope((relation,)), key, relation.key.format, {})
    join = select.source
    left = _source(join.left, select.semantics, sources, findings)
    right = _source(join.right, select.semantics, sources, findings)
    if left is None or right is None:
        return None
    if join.left.label == join.right.label:
        name = join.right.alias or join.right.name
        findings.error(
            "LSQ338",
            f"both sources have the name '{join.left.label}'",
            name.at,
            help=f"give each an alias: {join.left.name.text} AS a JOIN {join.right.name.text} AS b",
        )
        return None
    for side, name in ((left, join.left.name), (right, join.right.name)):
        if lacks_changes(side):
            refuse_changes("joined", name.text, name.at, LENSES, findings)
            return None
    scope = Scope((_called(left, join.left.label), _called(right, join.right.label)))
    bound = bind_join(join, left, right, scope, findings, sources.limits, strict=sources.strict)
    if bound is None:
        return None
    if bound.node.semantics == "STREAM" and select.semantics == "TABLE":
        findings.warn(
            "LSQ804",
            "the result of this join is a STREAM, whatever follows SELECT",
            select.semantics_at,
            notes=("every record of the result is written, and no record replaces another",),
            help="write SELECT STREAM",
            fix="SELECT STREAM",
        )
    names = [r.name for r in scope.relations]
    relations = tuple(structs.replace(r, name=n) for r, n in zip(bound.node.relations, names, strict=True))
    return _Input(bound.node, Scope(relations), bound.key, bound.key_format, bound.merged)


def refuse_elements(at: Extent, findings: Findings) -> None:
    """Report a TABLE whose rows are elements of arrays, which must be grouped, joined or rekeyed before it is
    written.
    """
    findings.error(
        "LSQ343",
        "a TABLE with LATERAL has several rows for each key",
        at,
        help="give each its own key, projection AS _key, or group the result",
    )


def _called(node: Node, label: str) -> Relation:
    return structs.replace(node.relations[0], name=label)


def _source(source: tree.Source, semantics: Semantics, sources: Sources, findings: Findings) -> Node | None:
    name = source.name.text
    if name in sources.withs:
        return sources.withs[name]
    topic = sources.topics.get(name)
    if topic is not None and semantics == "TABLE" and not check_table(topic, source.name.at, findings):
        return None
    if topic is not None:
        if semantics == "TABLE" and topic.key.type == data.NULL:
            findings.warn(
                "LSQ808",
                f"no row of this TABLE has a key: '{name}' is a topic without a key",
                source.name.at,
                notes=("a record without a key belongs to no row of a TABLE, and is dropped",),
                help="read it as a STREAM, or declare its key",
            )
        return Scan(topic, source.label, semantics, topic.key, topic.value)
    if name not in sources.broken:
        known_names = [*sources.topics, *sources.withs]
        help = did_you_mean(name, known_names) or (
            f"known are {listing(known_names)}" if known_names else "declare topics in a YAML file under models/"
        )
        findings.error("LSQ200", f"unknown topic or WITH name '{name}'", source.name.at, help=help)
    return None


def _laterals(select: tree.Select, source: _Input, binder: LensesBinder) -> _Input | None:
    findings = binder.findings
    if select.laterals and isinstance(select.source, tree.Join):
        findings.error(
            "LSQ340",
            "a join cannot be the source of LATERAL",
            select.laterals[0].at,
            help="join in a WITH statement, and use LATERAL over that",
        )
        return None
    node, scope = source.node, source.scope
    for lateral in select.laterals:
        array = replace(binder, scope=scope).bind(lateral.array)
        if array is None:
            return None
        if not isinstance(array.type, data.Array):
            findings.error("LSQ341", f"LATERAL requires an array, not {array.type}", lateral.array.at)
            return None
        alias = lateral.alias.text
        value = scope.relations[0].value.type
        if (isinstance(value, Struct) and value.field(alias)) or any(r.name == alias for r in scope.relations):
            findings.error(
                "LSQ342", f"'{alias}' hides a field or source of that name", lateral.alias.at, help="rename it"
            )
            return None
        node = Lateral(node, array, alias)
        check_changes(node, scope.relations[0].name, lateral.at, LENSES, findings)
        scope = replace(scope, relations=(*scope.relations, node.relations[-1]), laterals=scope.laterals + 1)
    return replace(source, node=node, scope=scope)


def _has_aggregate(select: tree.Select) -> bool:
    return any(not isinstance(p.source, tree.Wildcard) and calls_aggregate(p.source) for p in select.projections)


def _project(
    node: Node, projected: Projected, source: _Input, name: str, select: tree.Select, findings: Findings
) -> Node:
    first = source.scope.relations[0]
    key = projected.key or source.key
    near = first.key if struct_format(first.key) != "json" else first.value
    key_format = format_projected(key, source.scope.sources, near)
    if projected.key is None or key == source.key:
        key_format = source.key_format
    value = projected.value
    if value is None:
        value = Field(0, "value", (), first.value.type, True)
    value_format = format_projected(value, source.scope.sources, first.value)
    rekeys = key != source.key
    key, value = numbered(key, value, node)
    result = Project(node, key, value, key_format, value_format, rekeys, name)
    key_at = next(
        (p.target.at for p in select.projections if p.target and p.target.facet == "key"), select.semantics_at
    )
    check_changes(result, first.name, key_at, LENSES, findings)
    if not rekeys or node.semantics == "STREAM":
        return result
    if not _unique(key, source):
        findings.warn(
            "LSQ805",
            "the keys of this TABLE may not be unique",
            key_at,
            notes=("of the rows with the same key, only the newest is kept",),
        )
    return Rekey(result)


def _unique(key: Expression, source: _Input) -> bool:
    """Return whether the new key contains the whole old one, and so stays unique."""
    return any(part == source.key for part in walk(key))


def _aggregate(
    select: tree.Select,
    name: str,
    source: _Input,
    binder: LensesBinder,
    findings: Findings,
    before: int,
    limits: Limits,
) -> Node | None:
    if not select.group_by:
        findings.error(
            "LSQ322",
            "an aggregate requires GROUP BY",
            select.projections[0].at,
            help="define the groups: GROUP BY expression",
        )
        return None
    if lacks_changes(source.node):
        refuse_changes("aggregated", source.scope.relations[0].name, select.semantics_at, LENSES, findings)
        return None
    keys, key_names = group_keys(select, replace(binder, no_clock="in GROUP BY"))
    window = window_of(select, source.node, findings, limits)
    if keys is None:
        return None
    value = source.scope.relations[0].value
    key_format = struct_format(value) if key_names else format_of(keys[0].type, value)
    kept_key = source.scope.relations[0].key
    source_key = Field(0, "key", (), kept_key.type, True)
    if not key_names and keys[0] == source_key:
        key_format = kept_key.format
    if window is not None:
        # The key of an earlier window is an ordinary struct inside of the new one.
        inner = format_of(keys[0].type, kept_key) if windowed(key_format) else key_format
        key_format = f"{window.format}[{inner}]"
    draft = Aggregate(source.node, keys, key_names, key_format, (), window)
    # A record with a null group is dropped before the aggregation.
    never_null = () if key_names else keys
    grouping = Grouping(keys, draft.key_field, is_bare=not key_names, tested=(*binder.not_null, *never_null))
    grouped = replace(binder, grouping=grouping, no_clock="below an aggregate", not_null=(), of_record={})
    projected = bind_projections(select, grouped, {})
    if projected is not None and not grouping.aggregates:
        findings.error(
            "LSQ323",
            "a query with GROUP BY must have an aggregate",
            select.projections[0].at,
            help="add one, such as COUNT(*) AS n",
        )
    having = None
    if select.having is not None and projected is not None:
        grouping.closed = True
        having = replace(grouped, aliases=projected.aliases).condition(select.having, "HAVING")
    if projected is None or projected.value is None or findings.error_count > before:
        return None
    node: Node = structs.replace(draft, aggregates=tuple(grouping.aggregates))
    relation = node.relations[0]
    if having is not None:
        node = Filter(node, having)
    key = Field(0, "key", (), relation.key.type, True)
    return Project(node, key, projected.value, key_format, format_of(projected.value.type, value), False, name)
