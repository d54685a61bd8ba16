"""AUTO CDC: a table of the newest change of each key, or of the versions of each.

SCD TYPE 1 is a group for each key, which keeps the change with the highest sequence, also where it deletes the row: a
change that comes late cannot bring the row back. SCD TYPE 2 keeps all changes of a key, and each run of equal ones is a
row. Of changes with one sequence the one that came last counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsqlc.bind.columns import Column
from lsqlc.bind.field_names import Taken
from lsqlc.bind.findings import Findings
from lsqlc.bind.nullability import may_hold_null, tested
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.feeds import bind_from
from lsqlc.bind.sql.group_keys import KeyStyle, group_format, key_names_of
from lsqlc.bind.sql.intervals import may_be_held
from lsqlc.bind.sql.null_updates import FALSE, filled, is_not_null, is_true, parts_of
from lsqlc.bind.sql.outputs import project
from lsqlc.bind.sql.rows import Fed, Output, Rows
from lsqlc.bind.sql.scope import Scope
from lsqlc.bind.sql.sources import Sources
from lsqlc.bind.sql.versions import DELETED, END, START, Change, versions_of
from lsqlc.bind.trace import TracedQuery
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.plan.expression import Aggregation, Case, Expression, Field, Literal, Operation, StructOf, joined
from lsqlc.plan.nodes import Aggregate, Filter, Lateral, Node
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct

_ORDERED = (data.STRING, data.DATE, data.TIMESTAMP)
_OF_TABLE = "the table, beside its keys,"


def bind_flow(flow: sql.ChangeFlow, query: sql.Query, sources: Sources, findings: Findings) -> Rows | None:
    """The table that the changes which a query of all of a source gives make; None after an error."""
    assert isinstance(query.body, sql.Select)
    given = bind_from(query.body, sources, findings)
    if given is None:
        return None
    _, fed = given
    if findings.trace is not None:
        findings.trace.queries[query.body.at] = TracedQuery(fed.node, fed.node.relations, fed.columns)
    if fed.kind != "STREAM":
        source = query.body.source
        read = f"FROM STREAM({source.name.text})" if isinstance(source, sql.TopicSource) else "FROM STREAM(topic)"
        findings.error("LSQ485", "AUTO CDC reads changes, and this source is a table", source.at,
                       notes=("a row of a table has lost the changes before it",),
                       help=f"read the records: {read}")  # fmt: skip
        return None
    binder = SqlBinder(findings, scope=Scope(fed.labels, fed.columns), strict=sources.strict, known=fed.known)
    errors = findings.error_count
    table = _table(flow, fed, findings)
    sequence = _sequence(flow, binder)
    deletes = binder.condition(flow.delete, "APPLY AS DELETE WHEN") if flow.delete is not None else None
    if table is None or sequence is None or findings.error_count > errors:
        return None
    key_columns = [_column(name, fed.columns) for name in flow.keys]
    keys = tuple(c.expression for c in key_columns)
    if findings.trace is not None:
        for name, key in zip(flow.keys, keys, strict=True):
            findings.trace.bound(name.at, key, grouped=False)
    others = tuple(c for c in table if c.expression not in keys)
    ignoring: list[Column] | None = []
    if flow.ignoring is not None:
        ignoring = _chosen(flow.ignoring, others, findings, _OF_TABLE)
    if ignoring is None:
        return None
    # In a column that is never null there is nothing to ignore.
    null = tuple(c for c in ignoring if c.expression.nullable or isinstance(c.expression.type, Struct))
    # A change without a key or a place in the order is none.
    parts = [p for p in (*keys, sequence) if may_hold_null(p, fed.known)]
    if parts:
        present = joined("AND", [is_not_null(part) for part in parts])
        fed = replace(fed, node=Filter(fed.node, present), known=tested(present, holds=True))
    names = tuple(c.name for c in key_columns)
    changes = _Changes(flow, table, keys, names, sequence, deletes, others, null, fed)
    return _versions(changes, findings) if flow.versions else _newest(changes, sources.key_style, findings)


def check_target(flow: sql.ChangeFlow, target: str, findings: Findings) -> None:
    """Report a flow into another table than that of the model, whose name may have a catalog and a schema before it."""
    if flow.created is not None and flow.created.text.casefold() != flow.target.text.casefold():
        findings.error("LSQ479", f"the flow writes '{flow.target.text}', and CREATE names '{flow.created.text}'",
                       flow.target.at, help=f"write one name in both: INTO {flow.created.text}")  # fmt: skip
    elif flow.target.text and flow.target.text.split(".")[-1].casefold() != target.split(".")[-1].casefold():
        findings.error("LSQ479", f"the flow writes '{flow.target.text}', and this model is '{target}'", flow.target.at,
                       help=f"write INTO {target}, or rename the model's file")  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Changes:
    """The changes of a table. `others`: its columns but the keys; `ignoring`: those of them in which a null is ignored;
    `given`: the records.
    """

    flow: sql.ChangeFlow
    table: Sequence[Column]
    keys: tuple[Expression, ...]
    names: tuple[str, ...]
    sequence: Expression
    deletes: Expression | None
    others: tuple[Column, ...]
    ignoring: tuple[Column, ...]
    given: Fed

    @property
    def order(self) -> tuple[Expression, ...]:
        """What changes are ordered by, first by the first one."""
        return parts_of(self.sequence) if isinstance(self.sequence.type, Struct) else (self.sequence,)

    def outputs(self, groups: Aggregate, values: Sequence[Expression]) -> list[Output]:
        """The columns of the table. `values`: those of `others`."""
        of_others = dict(zip((c.name for c in self.others), values, strict=True))
        key_fields = {key: groups.key_field(number) for number, key in enumerate(self.keys)}
        at = self.flow.target.at
        return [Output(c.name, of_others.get(c.name) or key_fields[c.expression], at) for c in self.table]


def _newest(changes: _Changes, style: KeyStyle, findings: Findings) -> Rows:
    """SCD TYPE 1: the row of each key. A column in which a null is ignored is an aggregate of its own."""
    given, keys, names, deletes = changes.given, changes.keys, changes.names, changes.deletes
    plain = tuple(c.expression for c in changes.others if c not in changes.ignoring)
    # A row has a field at least.
    gone = FALSE if deletes is None and not plain else deletes
    row = Change(changes.sequence.type, changes.order, gone, plain).row
    calls = [Aggregation("LAST_ROW", (row, *changes.order), row.type, False)]

    def part(call: int, name: str, type: DataType, nullable: bool) -> Field:
        return Field(0, "value", (f"a{call}", name), type, nullable)

    def newest(value: Expression) -> Expression:
        counts, kept = is_not_null(value), value
        if deletes is not None:
            counts = joined("OR", (is_true(deletes), counts))
            kept = Case(((is_true(deletes), Literal(None, value.type)),), value, value.type)
        one = StructOf(("c0",), (kept,))
        argument = Case(((counts, one),), Literal(None, one.type), one.type)
        calls.append(Aggregation("LAST_ROW", (argument, *changes.order), one.type, True))
        return part(len(calls) - 1, "c0", value.type, True)

    kept = iter(part(0, f"c{number}", value.type, value.nullable) for number, value in enumerate(plain))
    values = [filled(c.expression, newest) if c in changes.ignoring else next(kept) for c in changes.others]
    at = changes.flow.target.at
    key_names = key_names_of(names, keys, style, at, findings, (*given.known, *keys))
    format = group_format(keys, key_names, given.near)
    groups = Aggregate(given.node, keys, key_names, format, tuple(calls), None)
    node: Node = groups
    if gone is not None:
        node = Filter(groups, Operation("NOT", (part(0, DELETED, data.BOOLEAN, False),), data.BOOLEAN, False))
    made = replace(given, node=groups, kind="TABLE", unkeyed=False)
    key = Field(0, "key", (), groups.key_type, True)
    return project(changes.outputs(groups, values), node, made, key=key, key_format=format, group=names)


def _versions(changes: _Changes, findings: Findings) -> Rows | None:
    """SCD TYPE 2: the versions of the row of each key."""
    flow, given, keys, names = changes.flow, changes.given, changes.keys, changes.names
    tracked = _tracked(changes, findings)
    if tracked is None:
        return None
    taken = Taken(*(c.name for c in changes.table))
    for name in (START, END):
        if message := taken.add(name, "columns"):
            findings.error("LSQ305", message, flow.target.at,
                           help=f"leave it out: COLUMNS * EXCEPT ({name})")  # fmt: skip
            return None
    order = changes.order
    change = Change(changes.sequence.type, order, changes.deletes, tuple(c.expression for c in changes.others))
    marks = ",".join("ASC NULLS FIRST" for _ in order)
    every = Aggregation("VALUES", (change.ordered, Literal(marks, data.STRING)), Array(change.ordered.type), False)
    groups = Aggregate(given.node, keys, names, group_format(keys, names, given.near), (every,), None)
    ignoring = tuple(number for number, column in enumerate(changes.others) if column in changes.ignoring)
    versions = versions_of(groups.aggregate_field(0), change, tracked, ignoring)
    assert isinstance(versions.type, Array) and isinstance(versions.type.element, Struct)
    parts = {f.name: Field(1, "value", (f.name,), f.type, f.nullable) for f in versions.type.element.fields}
    laid = Lateral(groups, versions, "")
    columns = changes.outputs(groups, [parts[f"c{number}"] for number in range(len(changes.others))])
    columns += [Output(name, parts[name], flow.target.at) for name in (START, END)]
    key = StructOf((*names, START), (*(groups.key_field(i) for i in range(len(keys))), parts[START]))
    made = replace(given, node=laid, kind="TABLE", unkeyed=False)
    format = group_format((key,), key.names, given.near)
    return project(columns, laid, made, key=key, key_format=format, group=key.names)


def _table(flow: sql.ChangeFlow, fed: Fed, findings: Findings) -> list[Column] | None:
    """The columns of the table, the keys among them; None after an error."""
    listed = [c for c in fed.columns if c.listed]
    if len([n for n in flow.keys if _is_there(n, listed, findings)]) < len(flow.keys):
        return None
    table = _chosen(flow.columns, listed, findings)
    if table is None:
        return None
    taken = Taken()
    for column in table:
        if message := taken.add(column.name, "columns"):
            findings.error("LSQ305", message, flow.target.at, help="give one another name in a query behind FROM")
            return None
        if not may_be_held(column.expression.type, f"the column '{column.name}'", flow.target.at, findings):
            return None
    for name in flow.keys:
        if not any(_is_named(c, name) for c in table):
            assert flow.columns is not None, "without COLUMNS there are all"
            findings.error("LSQ486", f"COLUMNS leaves out the key '{name.text}'", flow.columns.at,
                           help="the keys are columns of the table; add it, or do not except it")  # fmt: skip
            return None
        if any(isinstance(p, Map) for p in data.parts(_column(name, listed).expression.type)):
            type = _column(name, listed).expression.type
            findings.error("LSQ456", f"the key is {type}, which cannot be compared", name.at, help="use a part of it")
            return None
    return table


def _tracked(changes: _Changes, findings: Findings) -> tuple[int, ...] | None:
    """The numbers of the columns whose changes make a version; None after an error."""
    flow = changes.flow
    chosen = _chosen(flow.tracked, changes.others, findings, _OF_TABLE)
    if chosen is None:
        return None
    wrong = next((c for c in chosen if any(isinstance(p, Map) for p in data.parts(c.expression.type))), None)
    if wrong is not None:
        findings.error("LSQ456", f"the column '{wrong.name}' is {wrong.expression.type}, which cannot be compared",
                       flow.tracked.at if flow.tracked is not None else flow.target.at,
                       help=f"leave it out: TRACK HISTORY ON * EXCEPT ({wrong.name})")  # fmt: skip
        return None
    return tuple(number for number, column in enumerate(changes.others) if column in chosen)


def _chosen(
    columns: sql.ColumnList | None, listed: Sequence[Column], findings: Findings, of: str = "the source"
) -> list[Column] | None:
    """The columns of a list, in the order of the source; None after an error."""
    if columns is None:
        return list(listed)
    if len([n for n in columns.names if _is_there(n, listed, findings, of)]) < len(columns.names):
        return None
    return [c for c in listed if any(_is_named(c, name) for name in columns.names) is not columns.excluded]


def _is_there(name: tree.Name, columns: Sequence[Column], findings: Findings, of: str = "the source") -> bool:
    """False after a name that no column has was reported."""
    if any(_is_named(c, name) for c in columns):
        return True
    known = [c.name for c in columns]
    help = did_you_mean(name.text, known) or (f"its columns are {listing(known)}" if known else None)
    findings.error("LSQ201", f"{of} has no column '{name.text}'", name.at, help=help)
    return False


def _is_named(column: Column, name: tree.Name) -> bool:
    return column.name.casefold() == name.text.casefold()


def _column(name: tree.Name, columns: Sequence[Column]) -> Column:
    """The column of a name that one has."""
    return next(c for c in columns if c.listed and _is_named(c, name))


def _sequence(flow: sql.ChangeFlow, binder: SqlBinder) -> Expression | None:
    """The sequence of a change; None after an error."""
    sequence = binder.bind(flow.sequence)
    if sequence is None:
        return None
    parts = sequence.type.fields if isinstance(sequence.type, Struct) else (data.Field("", sequence.type),)
    wrong = next((p for p in parts if not (data.is_numeric(p.type) or p.type in _ORDERED)), None)
    if wrong is None and parts:
        return sequence
    type = wrong.type if wrong is not None else sequence.type
    binder.findings.error(
        "LSQ498",
        f"SEQUENCE BY cannot order changes by {type}",
        flow.sequence.at,
        help="write a number, a text or a time, or a struct of such: SEQUENCE BY STRUCT(a, b)",
    )
    return None
