"""AUTO CDC: a table of the newest change of each key, or of the versions of each.

SCD TYPE 1 is a group for each key, with the change of the highest sequence, also if it deletes the row: a late change
cannot restore the row. SCD TYPE 2 keeps all changes of a key, and each run of equal ones is a row. The last one of
several changes with one sequence wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsqlc.bind.columns import Column
from lsqlc.bind.field_names import Taken
from lsqlc.bind.findings import Findings
from lsqlc.bind.nullability import may_hold_null, tested
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.from_clause import bind_from
from lsqlc.bind.sql.group_keys import KeyStyle, group_format, key_names_of
from lsqlc.bind.sql.intervals import may_be_held
from lsqlc.bind.sql.null_updates import FALSE, filled, is_not_null, is_true, parts_of
from lsqlc.bind.sql.outputs import project
from lsqlc.bind.sql.rows import Input, Output, Rows
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
    """Return the table of a flow, whose changes are the rows of a query of a whole source; None after an error."""
    assert isinstance(query.body, sql.Select)
    from_result = bind_from(query.body, sources, findings)
    if from_result is None:
        return None
    _, query_input = from_result
    if findings.trace is not None:
        findings.trace.queries[query.body.at] = TracedQuery(
            query_input.node, query_input.node.relations, query_input.columns
        )
    if query_input.kind != "STREAM":
        source = query.body.source
        read = f"FROM STREAM({source.name.text})" if isinstance(source, sql.TopicSource) else "FROM STREAM(topic)"
        findings.error("LSQ485", "AUTO CDC reads changes, and this source is a table", source.at,
                       notes=("a row of a table has lost the changes before it",),
                       help=f"read the records: {read}")  # fmt: skip
        return None
    binder = SqlBinder(
        findings,
        scope=Scope(query_input.labels, query_input.columns),
        strict=sources.strict,
        not_null=query_input.not_null,
    )
    errors = findings.error_count
    table = _table(flow, query_input, findings)
    sequence = _sequence(flow, binder)
    deletes = binder.condition(flow.delete, "APPLY AS DELETE WHEN") if flow.delete is not None else None
    if table is None or sequence is None or findings.error_count > errors:
        return None
    key_columns = [_column(name, query_input.columns) for name in flow.keys]
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
    # A change without a key or a sequence is dropped.
    parts = [p for p in (*keys, sequence) if may_hold_null(p, query_input.not_null)]
    if parts:
        present = joined("AND", [is_not_null(part) for part in parts])
        query_input = replace(query_input, node=Filter(query_input.node, present), not_null=tested(present, holds=True))
    names = tuple(c.name for c in key_columns)
    changes = _Changes(flow, table, keys, names, sequence, deletes, others, null, query_input)
    return _versions(changes, findings) if flow.versions else _newest(changes, sources.key_style, findings)


def check_target(flow: sql.ChangeFlow, target: str, findings: Findings) -> None:
    """Report a flow into another table than that of the model, whose name may be qualified by a catalog and a
    schema.
    """
    if flow.created is not None and flow.created.text.casefold() != flow.target.text.casefold():
        findings.error("LSQ479", f"the flow writes '{flow.target.text}', and CREATE names '{flow.created.text}'",
                       flow.target.at, help=f"write one name in both: INTO {flow.created.text}")  # fmt: skip
    elif flow.target.text and flow.target.text.split(".")[-1].casefold() != target.split(".")[-1].casefold():
        findings.error("LSQ479", f"the flow writes '{flow.target.text}', and this model is '{target}'", flow.target.at,
                       help=f"write INTO {target}, or rename the model's file")  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Changes:
    """The changes of a table.

    `others`: its columns except the keys. `ignoring`: those of them in which a null is ignored. `given`: the records.
    """

    flow: sql.ChangeFlow
    table: Sequence[Column]
    keys: tuple[Expression, ...]
    names: tuple[str, ...]
    sequence: Expression
    deletes: Expression | None
    others: tuple[Column, ...]
    ignoring: tuple[Column, ...]
    given: Input

    @property
    def order(self) -> tuple[Expression, ...]:
        """The expressions by which changes are ordered, the most significant one first."""
        return parts_of(self.sequence) if isinstance(self.sequence.type, Struct) else (self.sequence,)

    def outputs(self, groups: Aggregate, values: Sequence[Expression]) -> list[Output]:
        """Return the columns of the table. `values`: those of `others`."""
        of_others = dict(zip((c.name for c in self.others), values, strict=True))
        key_fields = {key: groups.key_field(number) for number, key in enumerate(self.keys)}
        at = self.flow.target.at
        return [Output(c.name, of_others.get(c.name) or key_fields[c.expression], at) for c in self.table]


def _newest(changes: _Changes, style: KeyStyle, findings: Findings) -> Rows:
    """Return SCD TYPE 1: the row of each key. A column in which a null is ignored is an aggregate of its own."""
    records, keys, names, deletes = changes.given, changes.keys, changes.names, changes.deletes
    plain = tuple(c.expression for c in changes.others if c not in changes.ignoring)
    # A row has at least one field.
    delete_flag = FALSE if deletes is None and not plain else deletes
    row = Change(changes.sequence.type, changes.order, delete_flag, plain).row
    calls = [Aggregation("LAST_ROW", (row, *changes.order), row.type, False)]

    def part(call: int, name: str, type: DataType, nullable: bool) -> Field:
        return Field(0, "value", (f"a{call}", name), type, nullable)

    def newest(value: Expression) -> Expression:
        counts, kept_value = is_not_null(value), value
        if deletes is not None:
            counts = joined("OR", (is_true(deletes), counts))
            kept_value = Case(((is_true(deletes), Literal(None, value.type)),), value, value.type)
        one = StructOf(("c0",), (kept_value,))
        argument = Case(((counts, one),), Literal(None, one.type), one.type)
        calls.append(Aggregation("LAST_ROW", (argument, *changes.order), one.type, True))
        return part(len(calls) - 1, "c0", value.type, True)

    kept_value = iter(part(0, f"c{number}", value.type, value.nullable) for number, value in enumerate(plain))
    values = [filled(c.expression, newest) if c in changes.ignoring else next(kept_value) for c in changes.others]
    at = changes.flow.target.at
    key_names = key_names_of(names, keys, style, at, findings, (*records.not_null, *keys))
    format = group_format(keys, key_names, records.near)
    groups = Aggregate(records.node, keys, key_names, format, tuple(calls), None)
    node: Node = groups
    if delete_flag is not None:
        node = Filter(groups, Operation("NOT", (part(0, DELETED, data.BOOLEAN, False),), data.BOOLEAN, False))
    table_input = replace(records, node=groups, kind="TABLE", unkeyed=False)
    key = Field(0, "key", (), groups.key_type, True)
    return project(changes.outputs(groups, values), node, table_input, key=key, key_format=format, group=names)


def _versions(changes: _Changes, findings: Findings) -> Rows | None:
    """Return SCD TYPE 2: the versions of the row of each key; None after an error."""
    flow, records, keys, names = changes.flow, changes.given, changes.keys, changes.names
    tracked = _tracked(changes, findings)
    if tracked is None:
        return None
    used_names = Taken(*(c.name for c in changes.table))
    for name in (START, END):
        if message := used_names.add(name, "columns"):
            findings.error("LSQ305", message, flow.target.at,
                           help=f"leave it out: COLUMNS * EXCEPT ({name})")  # fmt: skip
            return None
    order = changes.order
    change = Change(changes.sequence.type, order, changes.deletes, tuple(c.expression for c in changes.others))
    marks = ",".join("ASC NULLS FIRST" for _ in order)
    every = Aggregation("VALUES", (change.ordered, Literal(marks, data.STRING)), Array(change.ordered.type), False)
    groups = Aggregate(records.node, keys, names, group_format(keys, names, records.near), (every,), None)
    ignoring = tuple(number for number, column in enumerate(changes.others) if column in changes.ignoring)
    versions = versions_of(groups.aggregate_field(0), change, tracked, ignoring)
    assert isinstance(versions.type, Array) and isinstance(versions.type.element, Struct)
    parts = {f.name: Field(1, "value", (f.name,), f.type, f.nullable) for f in versions.type.element.fields}
    version_rows = Lateral(groups, versions, "")
    columns = changes.outputs(groups, [parts[f"c{number}"] for number in range(len(changes.others))])
    columns += [Output(name, parts[name], flow.target.at) for name in (START, END)]
    key = StructOf((*names, START), (*(groups.key_field(i) for i in range(len(keys))), parts[START]))
    table_input = replace(records, node=version_rows, kind="TABLE", unkeyed=False)
    format = group_format((key,), key.names, records.near)
    return project(columns, version_rows, table_input, key=key, key_format=format, group=key.names)


def _table(flow: sql.ChangeFlow, query_input: Input, findings: Findings) -> list[Column] | None:
    """Return the columns of the table, including the keys; None after an error."""
    listed_columns = [c for c in query_input.columns if c.listed]
    if len([n for n in flow.keys if _is_there(n, listed_columns, findings)]) < len(flow.keys):
        return None
    table = _chosen(flow.columns, listed_columns, findings)
    if table is None:
        return None
    used_names = Taken()
    for column in table:
        if message := used_names.add(column.name, "columns"):
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
        if any(isinstance(p, Map) for p in data.parts(_column(name, listed_columns).expression.type)):
            type = _column(name, listed_columns).expression.type
            findings.error("LSQ456", f"the key is {type}, which cannot be compared", name.at, help="use a part of it")
            return None
    return table


def _tracked(changes: _Changes, findings: Findings) -> tuple[int, ...] | None:
    """Return the numbers of the columns whose changes create a version; None after an error."""
    flow = changes.flow
    columns = _chosen(flow.tracked, changes.others, findings, _OF_TABLE)
    if columns is None:
        return None
    wrong = next((c for c in columns if any(isinstance(p, Map) for p in data.parts(c.expression.type))), None)
    if wrong is not None:
        findings.error("LSQ456", f"the column '{wrong.name}' is {wrong.expression.type}, which cannot be compared",
                       flow.tracked.at if flow.tracked is not None else flow.target.at,
                       help=f"leave it out: TRACK HISTORY ON * EXCEPT ({wrong.name})")  # fmt: skip
        return None
    return tuple(number for number, column in enumerate(changes.others) if column in columns)


def _chosen(
    columns: sql.ColumnList | None, candidates: Sequence[Column], findings: Findings, of: str = "the source"
) -> list[Column] | None:
    """Return the columns of a list, in the order of the source; None after an error."""
    if columns is None:
        return list(candidates)
    if len([n for n in columns.names if _is_there(n, candidates, findings, of)]) < len(columns.names):
        return None
    return [c for c in candidates if any(_is_named(c, name) for name in columns.names) is not columns.excluded]


def _is_there(name: tree.Name, columns: Sequence[Column], findings: Findings, of: str = "the source") -> bool:
    """Report a name that no column has; return whether one has it."""
    if any(_is_named(c, name) for c in columns):
        return True
    column_names = [c.name for c in columns]
    help = did_you_mean(name.text, column_names) or (
        f"its columns are {listing(column_names)}" if column_names else None
    )
    findings.error("LSQ201", f"{of} has no column '{name.text}'", name.at, help=help)
    return False


def _is_named(column: Column, name: tree.Name) -> bool:
    return column.name.casefold() == name.text.casefold()


def _column(name: tree.Name, columns: Sequence[Column]) -> Column:
    """Return the column with a name, which exists."""
    return next(c for c in columns if c.listed and _is_named(c, name))


def _sequence(flow: sql.ChangeFlow, binder: SqlBinder) -> Expression | None:
    """Return the sequence of a change; None after an error."""
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
