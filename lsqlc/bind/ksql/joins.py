"""FROM and JOIN in ksqlDB: the node with a query's rows, its columns, and the key of the result.

A stream joins a stream WITHIN a time, or a table on the table's primary key. A table joins a table on the primary key
of the right one. The left side of that is its own key or, in the first join, any expression (a foreign key).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lsqlc.bind.changes import KSQL, refuse_changes
from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.create_source import Source
from lsqlc.bind.ksql.expressions import KsqlBinder, binder
from lsqlc.bind.ksql.join_rules import check_join, check_windows, refuse_other_key
from lsqlc.bind.ksql.record_positions import PLACES, leaks_system, placed_records, reads
from lsqlc.bind.ksql.scope import Columns, moved
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.plan import nodes
from lsqlc.plan.changes import Use, lacks_changes
from lsqlc.plan.expression import (
    Call,
    Expression,
    Field,
    Operation,
    RecordTime,
    StructOf,
    children,
    shift,
    with_children,
)
from lsqlc.plan.nodes import Filter, Join, JoinStyle, Node, Project, Rekey, Semantics, share_topics
from lsqlc.plan.windows import WindowType
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import name_text, text_of
from lsqlc.syntax.walk import walk
from lsqlc.types import data

DAY = 86_400_000


@dataclass(frozen=True, slots=True)
class JoinKey:
    """The key of a join.

    `viable`: the columns with its value, one of which the projection must have. `foreign`: the key is that of the left
    table, and the projection must have all of its columns. `synthetic`: the column that ksqlDB adds if no column of a
    source has the key.
    """

    viable: tuple[Column, ...]
    foreign: bool
    synthetic: Column | None


@dataclass(frozen=True, slots=True)
class Input:
    """The input of a query.

    `key`: the key of its records as one value. `keys`: the key columns of a single source, or of the left one of a
    foreign-key join.
    """

    node: Node
    kind: Semantics
    columns: Columns
    key: Expression
    keys: tuple[Column, ...]
    join: JoinKey | None
    sources: tuple[Source, ...]
    window: WindowType | None


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a join under construction.

    `viable`: the source and column of those that have its key. `equal`: all expressions that an earlier join equated
    with its key, as `_named` binds them. `outer`: one of those may be null if the key is not.
    """

    node: Node
    kind: Semantics
    columns: tuple[Column, ...]
    viable: tuple[tuple[str, str], ...]
    sources: tuple[Source, ...]
    labels: tuple[str, ...]
    equal: tuple[Expression, ...] = ()
    outer: bool = False

    @property
    def is_join(self) -> bool:
        return len(self.sources) > 1

    @property
    def window(self) -> WindowType | None:
        return self.sources[0].window


@dataclass(frozen=True, slots=True)
class Condition:
    """ON as an equality: the side of the joins so far, then that of the new source, each over its own relations.

    A column alone also has its name, source and column. `equal`: both sides as `_named` binds them.
    """

    left: Expression
    right: Expression
    left_name: tuple[str, str] | None
    right_name: tuple[str, str] | None
    equal: tuple[Expression, Expression]


def bind_from(query: ksql.Query, sources: Mapping[str, Source], findings: Findings) -> Input | None:
    """Return the input of a query; None after an error."""
    source_list = [_source(s, sources, findings) for s in query.sources]
    for i, each in enumerate(query.sources):
        earlier = [s for s in query.sources[:i] if s.label == each.label]
        if earlier:
            name = each.alias or each.name
            findings.error("LSQ338", f"two sources have the name '{each.label}'", name.at,
                           help="a source can be joined once; a self-join needs a second stream or table")  # fmt: skip
            return None
    if any(s is None for s in source_list):
        return None
    for source, each in zip(source_list, query.sources, strict=True):
        if source is not None and lacks_changes(source.node) and (query.joins or query.group_by):
            use: Use = "joined" if query.joins else "aggregated"
            refuse_changes(use, source.name, each.name.at, KSQL, findings)
            return None
    needs_time, needs_positions = (leaks_system(query) or reads(query, names) for names in (("ROWTIME",), PLACES))
    sides = [
        _side(s, each.label, needs_time, needs_positions, bool(query.joins))
        for s, each in zip(source_list, query.sources, strict=True)
        if s
    ]
    left = sides[0]
    if not query.joins:
        return _single(left, query.source)
    before = findings.error_count
    result: Input | None = None
    for number, join in enumerate(query.joins):
        if left.is_join:
            assert result is not None
            left = _flat(left, result)
        joined = _join(join, left, sides[number + 1], findings)
        if joined is None:
            return None
        # A faulty join is still the input of the next one, so that errors in that one are reported too.
        result, left = joined
    return result if findings.error_count == before else None


def _source(reference: tree.Source, sources: Mapping[str, Source], findings: Findings) -> Source | None:
    source = sources.get(reference.name.text)
    if source is None:
        name = reference.name.text
        help = did_you_mean(name, sources)
        if help is None:
            help = f"known are {listing(sources)}" if sources else "declare it: CREATE STREAM ... WITH (...)"
        findings.error("LSQ200", f"unknown stream or table '{name}'", reference.name.at, help=help)
    return source


def _side(source: Source, label: str, needs_time: bool, needs_positions: bool, joined: bool) -> _Side:
    """Return a source as one side, with the positions of its records if they are needed and available.

    In a join, where ROWTIME is ambiguous, each side has its own time in its value.
    """
    columns = source.columns(label)
    node = source.node
    with_places = placed_records(node) if needs_positions else None
    if with_places is not None:
        node = with_places
        places = (Field(0, "value", (f.name,), f.type, True) for f in nodes.PLACES)
        columns += tuple(Column(label, name, p, False, listed=False) for name, p in zip(PLACES, places, strict=True))
    if needs_time and joined:
        relation = node.relations[0]
        values = tuple(c for c in columns if isinstance(c.expression, Field) and c.expression.facet == "value")
        value = StructOf(
            (*(c.name for c in values), "ROWTIME"), (*(c.expression for c in values), RecordTime())
        )  # fmt: skip
        key = Field(0, "key", (), relation.key.type, True)
        node = Project(node, key, value, relation.key.format, relation.value.format, False, label)
        time: Expression = Field(0, "value", ("ROWTIME",), data.BIGINT, False)
    else:
        time = RecordTime()
    # A column with this name, as PARTITION BY ROWTIME creates, takes precedence.
    if all(c.name != "ROWTIME" for c in columns):
        columns = (*columns, Column(label, "ROWTIME", time, False, listed=False))
    return _Side(node, source.kind, columns, (), (source,), (label,))


def _single(side: _Side, reference: tree.Source) -> Input:
    relation = side.node.relations[0]
    key = Field(0, "key", (), relation.key.type, True)
    keys = tuple(c for c in side.columns if c.is_key)
    return Input(side.node, side.kind, Columns((reference.label,), side.columns), key, keys, None, side.sources,
                 side.window)  # fmt: skip


def _flat(left: _Side, result: Input) -> _Side:
    """Return the joins so far as one relation, as the left side of the next join."""
    names = tuple(f"c{i}" for i in range(len(left.columns)))
    value = StructOf(names, tuple(c.expression for c in left.columns))
    key_format = result.node.relations[0].key.format
    node: Node = Project(result.node, result.key, value, key_format, "json", _is_foreign(result), "join")
    node = Rekey(node) if _is_foreign(result) and result.kind == "TABLE" else node
    columns = tuple(
        replace(c, expression=Field(0, "value", (n,), c.expression.type, True))
        for c, n in zip(left.columns, names, strict=True)
    )
    return replace(left, node=node, columns=columns)


def _is_foreign(result: Input) -> bool:
    return result.join is not None and result.join.foreign


def _join(join: ksql.JoinedSource, left: _Side, right: _Side, findings: Findings) -> tuple[Input, _Side] | None:
    """Return the join of the tree so far with a new source: as the input of a query, and as the side of another
    join.
    """
    style = _style(left, right)
    check_windows(join, left.sources[0], right.sources[0], findings)
    condition = _condition(join, left, right, findings)
    if condition is None:
        check_join(join, style, left.sources, right.sources[0], None, False, findings)
        return None
    own_key = _is_own_key(left, condition)
    primary = _is_primary(right, condition.right_name)
    foreign = style == "table-table" and not own_key
    if left.window and right.window and not (own_key and primary):
        findings.error("LSQ361", "windowed sources can only be joined on their keys", join.on.at,
                       notes=("another key would lose the bounds of the windows",))  # fmt: skip
    check_join(join, style, left.sources, right.sources[0], (primary, own_key, left.is_join), True, findings)
    node = _node(join, style, left, right, condition)
    width = len(left.node.relations)
    key = _key(join, node, left, condition, width, foreign)
    columns = (*left.columns, *moved(right.columns, width))
    labels = (*left.labels, *right.labels)
    goes_on = condition.equal[0] in left.equal
    viable = _viable(join, left, condition, foreign, goes_on)
    synthetic = None
    if not viable:
        column_names = {c.name for c in columns}
        name = next(
            n for n in ("ROWKEY", *(f"ROWKEY_{i}" for i in range(1, len(column_names) + 2))) if n not in column_names
        )
        synthetic = Column("", name, key, False, listed=False)
    by_name = {(c.source, c.name): c for c in columns}
    join_key = JoinKey(tuple(by_name[v] for v in viable), foreign, synthetic)
    all = (*columns, synthetic) if synthetic else columns
    sources = (*left.sources, *right.sources)
    kind: Semantics = "TABLE" if style == "table-table" else "STREAM"
    keys = tuple(c for c in left.columns if c.is_key) if foreign else ()
    result = Input(node, kind, Columns(labels, all), key, keys, join_key, sources, left.window)
    equal = _equal(join, left, condition, foreign, goes_on)
    if len(keys) > 1:
        # A key of several columns equals none of them, so no later join can equate it.
        viable, equal = (), ()
    outer = join.kind != "INNER" or (goes_on and left.outer)
    return result, _Side(node, kind, columns, viable, sources, labels, equal, outer)


def _style(left: _Side, right: _Side) -> JoinStyle:
    if left.kind == "STREAM":
        return "stream-stream" if right.kind == "STREAM" else "stream-table"
    return "table-stream" if right.kind == "STREAM" else "table-table"


def _condition(join: ksql.JoinedSource, left: _Side, right: _Side, findings: Findings) -> Condition | None:
    """Return ON as one equality with one source on each side; None after an error."""
    on = join.on
    scope = Columns((*left.labels, *right.labels), (*left.columns, *moved(right.columns, len(left.node.relations))))
    reader = binder(scope, findings)
    if not (isinstance(on, tree.Binary) and on.operator == "="):
        findings.error("LSQ335", "ON must be a single equality", on.at,
                       notes=("records are matched by the value of one expression on each side",),
                       help="move other conditions to WHERE")  # fmt: skip
        return None
    bound = reader.bind(on.left), reader.bind(on.right)
    if bound[0] is None or bound[1] is None:
        return None
    of = [_sources_of(side, reader) for side in (on.left, on.right)]
    for side, labels in zip((on.left, on.right), of, strict=True):
        if len(labels) != 1:
            findings.error("LSQ335", "each side of an equality in ON must read one source", side.at,
                           help=f"write {left.labels[0]}.x = {right.labels[0]}.y")  # fmt: skip
            return None
    sides = [(on.left, bound[0], of[0].pop()), (on.right, bound[1], of[1].pop())]
    if sides[0][2] in right.labels:
        sides.reverse()
    if sides[0][2] not in left.labels or sides[1][2] not in right.labels:
        help = f"write {left.labels[0]}.x = {right.labels[0]}.y"
        message = f"one side of ON must read '{right.labels[0]}', and the other a source before it"
        findings.error("LSQ335", message, on.at, help=help)
        return None
    a, b = sides[0][1], sides[1][1]
    names = [_name(side, reader) for side, _, _ in sides]
    if a.type != b.type:
        # A table on the right is looked up by its primary key, so only the left side can be converted.
        left_only = right.kind == "TABLE"
        side, type = (sides[0][0], b.type) if left_only else (sides[1][0], a.type)
        if left_only and not _is_primary(right, names[1]):
            refuse_other_key(right.sources[0], on, findings)
            return None
        findings.error(
            "LSQ359", f"ON equates {a.type} with {b.type}", on.at,
            notes=("records are matched by the bytes of their keys, so both sides must have the same type",),
            help=f"convert one side: CAST({text_of(side)} AS {type})",
        )  # fmt: skip
        return None
    equal = _over_names(a, scope.all), _over_names(b, scope.all)
    if left.outer and equal[0] in left.equal:
        # Records are matched by their key, which is present even if the column in ON is null.
        a = Field(0, "key", ("key",) if left.window else (), a.type, True)
    return Condition(a, shift(b, -len(left.node.relations)), names[0], names[1], equal)


def _over_names(side: Expression, columns: Sequence[Column]) -> Expression:
    """Return a side of ON over the names of its columns instead of the relations of a join."""
    names = {c.expression: Field(0, "value", (c.source, c.name), c.expression.type, True) for c in reversed(columns)}

    def named(part: Expression) -> Expression:
        return names[part] if part in names else with_children(part, tuple(map(named, children(part))))

    return named(side)


def _sources_of(side: tree.Expression, reader: KsqlBinder) -> set[str]:
    """Return the labels of the sources whose columns a valid expression reads."""
    columns = (reader.columns.resolve(p.parts, p.at, reader.findings) for p in walk(side)
               if isinstance(p, tree.Reference))  # fmt: skip
    return {c.source for c in columns if c is not None}


def _name(side: tree.Expression, reader: KsqlBinder) -> tuple[str, str] | None:
    if not isinstance(side, tree.Reference):
        return None
    column = reader.columns.resolve(side.parts, side.at, reader.findings)
    return (column.source, column.name) if column else None


def _is_own_key(left: _Side, condition: Condition) -> bool:
    """Return whether ON reads the key of the left side: its only key column, or a column of an earlier join's key."""
    if left.is_join:
        return condition.left_name in left.viable
    keys = [c for c in left.columns if c.is_key]
    return len(keys) == 1 and condition.left_name == (keys[0].source, keys[0].name)


def _is_primary(right: _Side, name: tuple[str, str] | None) -> bool:
    keys = [c for c in right.columns if c.is_key]
    return len(keys) == 1 and name == (keys[0].source, keys[0].name)


def _node(join: ksql.JoinedSource, style: JoinStyle, left: _Side, right: _Side, condition: Condition) -> Join:
    """Return the join itself. In any kind of join, a record of a stream with a null join key is dropped."""
    inputs = [left.node, right.node]
    for i, (side, expression) in enumerate(((left, condition.left), (right, condition.right))):
        if side.kind == "STREAM":
            test = Operation("IS NOT NULL", (expression,), data.BOOLEAN, False)
            inputs[i] = Filter(inputs[i], test)
    pairs = [(condition.left, condition.right)]
    if left.window and right.window:
        pairs += [(_bound(left, part), _bound(right, part)) for part in ("WINDOWSTART", "WINDOWEND")]
    within = join.within
    before, after = (within.before.milliseconds, within.after.milliseconds) if within else (None, None)
    grace = 0
    if within is not None:
        declared = within.grace
        apart = within.before.milliseconds + within.after.milliseconds
        grace = declared.milliseconds if declared else max(DAY - apart, 0)
    return Join(
        join.kind, style, inputs[0], inputs[1], tuple(pairs), None, None, before, grace, None,
        after if after != before else None,
        style == "stream-stream" and join.kind != "INNER" and within is not None and within.grace is None,
        style == "stream-stream", share_topics(*inputs),
    )  # fmt: skip


def _bound(side: _Side, name: str) -> Expression:
    return next(c.expression for c in side.columns if c.name == name)


def _key(
    join: ksql.JoinedSource, node: Join, left: _Side, condition: Condition, width: int, foreign: bool
) -> Expression:
    """Return the key of the result: the equated value of the side with a record; in a foreign-key join the left key."""
    relations = node.relations
    if foreign:
        return Field(0, "key", (), relations[0].key.type, True)
    key = condition.left, shift(condition.right, width)
    if left.window:
        whole = tuple(Field(r, "key", (), relations[r].key.type, True) for r in (0, width))
        key = whole[0], whole[1]
    if join.kind == "RIGHT":
        return key[1]
    if join.kind == "OUTER":
        return Call("COALESCE", key, key[0].type, True)
    return key[0]


def _viable(
    join: ksql.JoinedSource, left: _Side, condition: Condition, foreign: bool, goes_on: bool
) -> tuple[tuple[str, str], ...]:
    """Return the columns with the key of the result, by source and name, in order of preference.

    `goes_on`: ON equates the key of the left side, so the columns with that key have the new one too.
    """
    if foreign:
        return tuple((c.source, c.name) for c in left.columns if c.is_key)
    if join.kind == "OUTER":
        return ()
    candidates = [*(left.viable if goes_on else ()), condition.left_name, condition.right_name]
    return tuple(dict.fromkeys(name for name in candidates if name is not None))


def _equal(
    join: ksql.JoinedSource, left: _Side, condition: Condition, foreign: bool, goes_on: bool
) -> tuple[Expression, ...]:
    """Return the expressions that equal the key of the result (see `_Side`)."""
    if foreign:
        return tuple(Field(0, "value", (c.source, c.name), c.expression.type, True) for c in left.columns if c.is_key)
    if join.kind == "OUTER":
        return ()
    return (*(left.equal if goes_on else ()), *condition.equal)


def column_text(column: Column) -> str:
    """Return the text of a column in a query over several sources."""
    return f"{name_text(column.source)}.{name_text(column.name)}" if column.source else name_text(column.name)
