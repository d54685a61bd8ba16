"""AUTO CDC: a table of the newest change of each key, or of the versions of each.

SCD TYPE 1 is a group for each key, which keeps the change with the highest sequence, also where it deletes the row: a
change that comes late cannot bring the row back. SCD TYPE 2 keeps all changes of a key, and each run of equal ones is a
row. Of changes with one sequence the one that came last counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from lsqlc.bind.columns import Column
from lsqlc.bind.field_names import Taken
from lsqlc.bind.findings import Findings
from lsqlc.bind.nullability import may_hold_null, tested
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.feeds import bind_from
from lsqlc.bind.sql.group_keys import group_format, key_names_of
from lsqlc.bind.sql.intervals import may_be_held
from lsqlc.bind.sql.outputs import project
from lsqlc.bind.sql.rows import Fed, Output, Rows
from lsqlc.bind.sql.scope import Scope
from lsqlc.bind.sql.sources import Sources
from lsqlc.bind.sql.versions import DELETED, END, START, Change, versions_of
from lsqlc.bind.trace import TracedQuery
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.plan.expression import Aggregation, Expression, Field, Literal, Member, Operation, StructOf, joined
from lsqlc.plan.nodes import Aggregate, Filter, Lateral, Node
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data
from lsqlc.types.data import Array, Map, Struct

_ORDERED = (data.STRING, data.DATE, data.TIMESTAMP)


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
    keys = tuple(_column(name, fed.columns).expression for name in flow.keys)
    # A change without a key or a place in the order is none.
    parts = [p for p in (*keys, sequence) if may_hold_null(p, fed.known)]
    if parts:
        present = joined("AND", [Operation("IS NOT NULL", (part,), data.BOOLEAN, False) for part in parts])
        fed = replace(fed, node=Filter(fed.node, present), known=tested(present, holds=True))
    if flow.versions:
        return _versions(flow, table, keys, sequence, deletes, fed, findings)
    return _newest(flow, table, keys, sequence, deletes, fed, sources, findings)


def check_target(flow: sql.ChangeFlow, target: str, findings: Findings) -> None:
    """Report a flow into another table than that of the model, whose name may have a catalog and a schema before it."""
    if flow.created is not None and flow.created.text.casefold() != flow.target.text.casefold():
        findings.error("LSQ479", f"the flow writes '{flow.target.text}', and CREATE names '{flow.created.text}'",
                       flow.target.at, help=f"write one name in both: INTO {flow.created.text}")  # fmt: skip
    elif flow.target.text.split(".")[-1].casefold() != target.split(".")[-1].casefold():
        findings.error("LSQ479", f"the flow writes '{flow.target.text}', and this model is '{target}'", flow.target.at,
                       help=f"write INTO {target}, or rename the model's file")  # fmt: skip


def _newest(
    flow: sql.ChangeFlow, table: Sequence[Column], keys: tuple[Expression, ...], sequence: Expression,
    deletes: Expression | None, fed: Fed, sources: Sources, findings: Findings,
) -> Rows | None:  # fmt: skip
    """SCD TYPE 1: the row of each key."""
    others = tuple(c.expression for c in table if c.expression not in keys)
    if not others and deletes is None:
        # A row has a field at least.
        deletes = Literal(False, data.BOOLEAN)
    change = Change(sequence.type, _parts(sequence), deletes, others)
    kept = Aggregation("LAST_ROW", (change.row, *change.order), change.row.type, False)
    names = tuple(_column(name, fed.columns).name for name in flow.keys)
    key_names = key_names_of(names, keys, sources.key_style, flow.target.at, findings, (*fed.known, *keys))
    format = group_format(keys, key_names, fed.near)
    groups = Aggregate(fed.node, keys, key_names, format, (kept,), None)
    last = groups.aggregate_field(0)

    def part(name: str, of: Expression) -> Field:
        return structs.replace(last, path=(*last.path, name), type=of.type, nullable=of.nullable)

    values = iter(part(f"c{number}", value) for number, value in enumerate(others))
    found = []
    for column in table:
        is_key = column.expression in keys
        value = groups.key_field(keys.index(column.expression)) if is_key else next(values)
        found.append(Output(column.name, value, flow.target.at))
    node: Node = groups
    if deletes is not None:
        gone = part(DELETED, Literal(False, data.BOOLEAN))
        node = Filter(groups, Operation("NOT", (gone,), data.BOOLEAN, False))
    made = replace(fed, node=groups, kind="TABLE", unkeyed=False)
    return project(found, node, made, key=Field(0, "key", (), groups.key_type, True), key_format=format, group=names)


def _versions(
    flow: sql.ChangeFlow, table: Sequence[Column], keys: tuple[Expression, ...], sequence: Expression,
    deletes: Expression | None, fed: Fed, findings: Findings,
) -> Rows | None:  # fmt: skip
    """SCD TYPE 2: the versions of the row of each key."""
    tracked = _tracked(flow, table, keys, findings)
    if tracked is None:
        return None
    taken = Taken(*(c.name for c in table))
    for name in (START, END):
        if message := taken.add(name, "columns"):
            findings.error("LSQ305", message, flow.target.at,
                           help=f"leave it out: COLUMNS * EXCEPT ({name})")  # fmt: skip
            return None
    others = tuple(c.expression for c in table if c.expression not in keys)
    change = Change(sequence.type, _parts(sequence), deletes, others)
    marks = ",".join("ASC NULLS FIRST" for _ in change.order)
    every = Aggregation("VALUES", (change.ordered, Literal(marks, data.STRING)), Array(change.ordered.type), False)
    names = tuple(_column(name, fed.columns).name for name in flow.keys)
    groups = Aggregate(fed.node, keys, names, group_format(keys, names, fed.near), (every,), None)
    versions = versions_of(groups.aggregate_field(0), change, tracked)
    assert isinstance(versions.type, Array) and isinstance(versions.type.element, Struct)
    laid = Lateral(groups, versions, "")

    def part(name: str) -> Field:
        assert isinstance(versions.type, Array) and isinstance(versions.type.element, Struct)
        of = versions.type.element.field(name)
        assert of is not None, name
        return Field(1, "value", (name,), of.type, of.nullable)

    values = iter(part(f"c{number}") for number in range(len(others)))
    found = []
    for column in table:
        is_key = column.expression in keys
        value = groups.key_field(keys.index(column.expression)) if is_key else next(values)
        found.append(Output(column.name, value, flow.target.at))
    found += [Output(START, part(START), flow.target.at), Output(END, part(END), flow.target.at)]
    key = StructOf((*names, START), (*(groups.key_field(i) for i in range(len(keys))), part(START)))
    made = replace(fed, node=laid, kind="TABLE", unkeyed=False)
    rows = project(found, laid, made, key=key, key_format=group_format((key,), (*names, START), fed.near))
    return replace(rows, group=(*names, START))


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


def _tracked(
    flow: sql.ChangeFlow, table: Sequence[Column], keys: Sequence[Expression], findings: Findings
) -> tuple[int, ...] | None:
    """The numbers of the columns whose changes make a version; None after an error."""
    others = [c for c in table if c.expression not in keys]
    chosen = _chosen(flow.tracked, others, findings, "the table, beside its keys,")
    if chosen is None:
        return None
    wrong = next((c for c in chosen if any(isinstance(p, Map) for p in data.parts(c.expression.type))), None)
    if wrong is not None:
        findings.error("LSQ456", f"the column '{wrong.name}' is {wrong.expression.type}, which cannot be compared",
                       flow.tracked.at if flow.tracked is not None else flow.target.at,
                       help=f"leave it out: TRACK HISTORY ON * EXCEPT ({wrong.name})")  # fmt: skip
        return None
    return tuple(number for number, column in enumerate(others) if column in chosen)


def _chosen(
    columns: sql.ColumnList | None, listed: list[Column], findings: Findings, of: str = "the source"
) -> list[Column] | None:
    """The columns of a list, in the order of the source; None after an error."""
    if columns is None:
        return listed
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


def _parts(sequence: Expression) -> tuple[Expression, ...]:
    """What changes are ordered by, first by the first one."""
    if isinstance(sequence, StructOf):
        return sequence.values
    if not isinstance(sequence.type, Struct):
        return (sequence,)
    if isinstance(sequence, Field):
        return tuple(
            structs.replace(sequence, path=(*sequence.path, f.name), type=f.type, nullable=f.nullable)
            for f in sequence.type.fields
        )
    return tuple(Member(sequence, f.name, f.type, f.nullable) for f in sequence.type.fields)
