"""INTERSECT and EXCEPT: the distinct rows of one query that another one has, or does not have.

With ALL a row is repeated: as often as both have it, or as often as the first one has it more. The rows of both are one
table with a mark of their side, in groups of all columns. The numbers of rows of each side decide whether a group is
kept. So nulls are equal, as in any SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.called import called
from lsqlc.bind.sql.group_keys import KeyStyle, group_format, key_names_of
from lsqlc.bind.sql.interval_casts import restored, stored
from lsqlc.bind.sql.outputs import project
from lsqlc.bind.sql.rows import Input, Output, Rows
from lsqlc.bind.sql.scope import field_names, result_columns
from lsqlc.bind.sql.semi_joins import may_have_null
from lsqlc.bind.sql.unions import united
from lsqlc.plan.expression import Aggregation, Case, Expression, Field, Literal, Operation, StructOf
from lsqlc.plan.nodes import Aggregate, Filter, Lateral, Project
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data
from lsqlc.types.data import Array, Map

# The columns that count the rows of each side: no column in a text has these names.
_MARKS = (" left", " right")


def in_both(
    rows: Sequence[Rows],
    selects: Sequence[sql.Select],
    word: sql.SetWord,
    findings: Findings,
    *,
    style: KeyStyle,
) -> Rows | None:
    """Return the rows of INTERSECT or EXCEPT of two queries; None after an error. `style`: that of their key."""
    stream = next((s for s, each in zip(selects, rows, strict=True) if each.kind != "TABLE"), None)
    if stream is not None:
        findings.error("LSQ455", f"the SELECTs of {word} must all give tables", stream.items_at,
                       notes=("a topic with a key gives a table, GROUP BY and DISTINCT as well",),
                       help="read the rows of a topic with a key: FROM topic")  # fmt: skip
        return None
    if not all(are_comparable(each, select, findings) for each, select in zip(rows, selects, strict=True)):
        return None
    united_rows = united([_marked(each, side) for side, each in enumerate(rows)], selects, findings, word)
    if united_rows is None:
        return None
    (all_rows,) = united_rows
    columns, marks = all_rows.columns[:-2], all_rows.columns[-2:]
    names, keys = tuple(c.name for c in columns), tuple(stored(c.expression) for c in columns)
    types = [c.expression.type for c in columns]
    every = word in ("INTERSECT ALL", "EXCEPT ALL")
    # A row of the result is in the first query, and for INTERSECT also in the other one.
    is_nullable = all(map(may_have_null, rows if word == "INTERSECT" else rows[:1]))
    not_null = () if is_nullable else keys
    own: KeyStyle = "struct" if every else style
    key_names = key_names_of(field_names(names), keys, own, selects[0].items_at, findings, not_null)
    sums = tuple(Aggregation("SUM", (c.expression,), data.BIGINT, True) for c in marks)
    format = group_format(keys, key_names, all_rows.near)
    node = Aggregate(all_rows.node, keys, key_names, format, sums, None)
    if every:
        return _repeated(node, names, word, replace(all_rows, columns=columns))
    filtered = Filter(node, _kept(node, word))
    output_columns = [
        Output(name, restored(node.key_field(i), types[i]), selects[0].items_at) for i, name in enumerate(names)
    ]
    group_input = Input(
        node, "TABLE", ("",), (), all_rows.key, format, all_rows.near, (), all_rows.depth, all_rows.size
    )
    key = Field(0, "key", (), node.key_type, True)
    return project(output_columns, filtered, group_input, key=key, key_format=format, group=names)


def _repeated(node: Aggregate, names: tuple[str, ...], word: sql.SetWord, rows: Rows) -> Rows:
    """Return each group as often as it is in the result, with its columns and a number from 1 as its key."""
    left, right = (node.aggregate_field(i) for i in range(2))
    times: Expression = Operation("-", (left, right), data.BIGINT, True)
    if word == "INTERSECT ALL":
        is_less = Operation("<", (left, right), data.BOOLEAN, True)
        times = Case(((is_less, left),), right, data.BIGINT)
    numbers = called("SEQUENCE", (Literal(1, data.BIGINT), times), Array(data.BIGINT))
    repeated = Lateral(Filter(node, _is_there(times)), numbers, "")
    columns = tuple(restored(node.key_field(i), c.expression.type) for i, c in enumerate(rows.columns))
    fields = field_names((*names, "number"))
    key = StructOf(fields, (*map(stored, columns), Field(1, "value", (), data.BIGINT, True)))
    value = StructOf(fields[:-1], columns)
    relation = rows.node.relations[0]
    projection = Project(repeated, key, value, node.key_format, relation.value.format, False, "")
    repeated_columns = result_columns(projection.relations[0], names)
    return Rows(projection, "TABLE", repeated_columns, rows.near, None, rows.depth + 1, rows.size + 1)


def are_comparable(rows: Rows, select: sql.Select, findings: Findings) -> bool:
    """Report a column that cannot be compared; return whether there is none."""
    for column in rows.columns:
        if any(isinstance(part, Map) for part in data.parts(column.expression.type)):
            message = f"the column '{column.name}' is {column.expression.type}, which cannot be compared"
            findings.error("LSQ456", message, select.items_at, help="leave it out, or take a part of it")
            return False
    return True


def _marked(rows: Rows, side: int) -> Rows:
    """Return the rows with a 1 for their side and a 0 for the other one."""
    marks = tuple(Literal(int(side == i), data.INT) for i in range(2))
    names = (*(c.name for c in rows.columns), *_MARKS)
    values = StructOf(field_names(names), (*(c.expression for c in rows.columns), *marks))
    relation = rows.node.relations[0]
    node = Project(rows.node, rows.key, values, relation.key.format, relation.value.format, False, "")
    return replace(rows, node=node, columns=result_columns(node.relations[0], names))


def _kept(node: Aggregate, word: sql.SetWord) -> Expression:
    """Return the condition that a group is in the result."""
    left, right = (_is_there(node.aggregate_field(i)) for i in range(2))
    if word == "EXCEPT":
        right = Operation("NOT", (right,), data.BOOLEAN, right.nullable)
    return Operation("AND", (left, right), data.BOOLEAN, left.nullable or right.nullable)


def _is_there(count: Expression) -> Expression:
    return Operation(">", (count, Literal(0, data.BIGINT)), data.BOOLEAN, count.nullable)
