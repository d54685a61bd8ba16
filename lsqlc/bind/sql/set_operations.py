"""INTERSECT and EXCEPT: the different rows of one query that another one has, or has not; with ALL as often as both
have them, or as often as the first one has them more.

The rows of both are one table, each with a mark of its side, in groups of all columns: a group is kept by how many rows
of each side it has. So nulls are equal, as in any SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.called import called
from lsqlc.bind.sql.group_keys import KeyStyle, group_format, key_names_of
from lsqlc.bind.sql.outputs import project
from lsqlc.bind.sql.rows import Fed, Output, Rows
from lsqlc.bind.sql.scope import field_names, result_columns
from lsqlc.bind.sql.semi_joins import may_have_null
from lsqlc.bind.sql.unions import united
from lsqlc.plan.expression import Aggregation, Case, Expression, Field, Literal, Operation, StructOf
from lsqlc.plan.nodes import Aggregate, Filter, Lateral, Project
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data
from lsqlc.types.data import Array, Map

# The columns that count the rows of each side: no column of a text has these names.
_MARKS = (" left", " right")


def in_both(
    rows: Sequence[Rows],
    selects: Sequence[sql.Select],
    word: sql.SetWord,
    findings: Findings,
    *,
    style: KeyStyle,
) -> Rows | None:
    """The rows of INTERSECT or EXCEPT of two queries. `style`: of their key. None after an error."""
    stream = next((s for s, each in zip(selects, rows, strict=True) if each.kind != "TABLE"), None)
    if stream is not None:
        findings.error("LSQ455", f"the SELECTs of {word} must all give tables", stream.items_at,
                       notes=("a topic with a key gives a table, GROUP BY and DISTINCT as well",),
                       help="read the rows of a topic with a key: FROM topic")  # fmt: skip
        return None
    if not all(are_comparable(each, select, findings) for each, select in zip(rows, selects, strict=True)):
        return None
    made = united([_marked(each, side) for side, each in enumerate(rows)], selects, findings, word)
    if made is None:
        return None
    (all_rows,) = made
    columns, marks = all_rows.columns[:-2], all_rows.columns[-2:]
    names, keys = tuple(c.name for c in columns), tuple(c.expression for c in columns)
    every = word in ("INTERSECT ALL", "EXCEPT ALL")
    # A row of the result is one of the first query, and of INTERSECT one of the other as well.
    is_nullable = all(map(may_have_null, rows if word == "INTERSECT" else rows[:1]))
    known = () if is_nullable else keys
    own: KeyStyle = "struct" if every else style
    key_names = key_names_of(field_names(names), keys, own, selects[0].items_at, findings, known)
    sums = tuple(Aggregation("SUM", (c.expression,), data.BIGINT, True) for c in marks)
    format = group_format(keys, key_names, all_rows.near)
    node = Aggregate(all_rows.node, keys, key_names, format, sums, None)
    if every:
        return _repeated(node, names, word, all_rows)
    kept = Filter(node, _kept(node, word))
    found = [Output(name, node.key_field(i), selects[0].items_at) for i, name in enumerate(names)]
    fed = Fed(node, "TABLE", ("",), (), all_rows.key, format, all_rows.near, (), all_rows.depth, all_rows.size)
    key = Field(0, "key", (), node.key_type, True)
    return project(found, kept, fed, key=key, key_format=format, group=names)


def _repeated(node: Aggregate, names: tuple[str, ...], word: sql.SetWord, rows: Rows) -> Rows:
    """Each group as often as it is in the result, under its columns and a number from 1."""
    left, right = (node.aggregate_field(i) for i in range(2))
    times: Expression = Operation("-", (left, right), data.BIGINT, True)
    if word == "INTERSECT ALL":
        is_less = Operation("<", (left, right), data.BOOLEAN, True)
        times = Case(((is_less, left),), right, data.BIGINT)
    numbers = called("SEQUENCE", (Literal(1, data.BIGINT), times), Array(data.BIGINT))
    laid = Lateral(Filter(node, _is_there(times)), numbers, "")
    columns = tuple(node.key_field(i) for i in range(len(names)))
    fields = field_names((*names, "number"))
    key = StructOf(fields, (*columns, Field(1, "value", (), data.BIGINT, True)))
    value = StructOf(fields[:-1], columns)
    relation = rows.node.relations[0]
    made = Project(laid, key, value, node.key_format, relation.value.format, False, "")
    listed = result_columns(made.relations[0], names)
    return Rows(made, "TABLE", listed, rows.near, None, rows.depth + 1, rows.size + 1)


def are_comparable(rows: Rows, select: sql.Select, findings: Findings) -> bool:
    """False after a column that cannot be compared was reported."""
    for column in rows.columns:
        if any(isinstance(part, Map) for part in data.parts(column.expression.type)):
            message = f"the column '{column.name}' is {column.expression.type}, which cannot be compared"
            findings.error("LSQ456", message, select.items_at, help="leave it out, or take a part of it")
            return False
    return True


def _marked(rows: Rows, side: int) -> Rows:
    """The rows with a 1 for their side and a 0 for the other one."""
    marks = tuple(Literal(int(side == i), data.INT) for i in range(2))
    names = (*(c.name for c in rows.columns), *_MARKS)
    values = StructOf(field_names(names), (*(c.expression for c in rows.columns), *marks))
    relation = rows.node.relations[0]
    node = Project(rows.node, rows.key, values, relation.key.format, relation.value.format, False, "")
    return replace(rows, node=node, columns=result_columns(node.relations[0], names))


def _kept(node: Aggregate, word: sql.SetWord) -> Expression:
    """Whether a group is one of the result."""
    left, right = (_is_there(node.aggregate_field(i)) for i in range(2))
    if word == "EXCEPT":
        right = Operation("NOT", (right,), data.BOOLEAN, right.nullable)
    return Operation("AND", (left, right), data.BOOLEAN, left.nullable or right.nullable)


def _is_there(count: Expression) -> Expression:
    return Operation(">", (count, Literal(0, data.BIGINT)), data.BOOLEAN, count.nullable)
