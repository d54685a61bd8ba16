"""ROW_NUMBER, with a bound or without: the first rows of each group of a table, by an order.

An aggregate over the table keeps the first rows of a group in an array. Each element is a row with its original key.
Rows that are equal in the order are ordered by their keys.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.outputs import Listed, at_position, outputs
from lsqlc.bind.sql.rows import Input, Rows
from lsqlc.bind.sql.scope import field_names, result_columns
from lsqlc.bind.storage import struct_format
from lsqlc.plan.expression import Aggregation, Expression, Field, Literal, Operation, StructOf
from lsqlc.plan.nodes import Aggregate, Filter, Lateral, Node, Project
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.rankings import RANK
from lsqlc.types import data
from lsqlc.types.data import Array, Map, Struct

_MOST = 1_000


def bind_ranked(
    select: sql.Select, ranking: sql.Ranking, items: Sequence[Listed], query_input: Input, binder: SqlBinder
) -> Rows | None:
    """Return the first rows of each group; None after an error."""
    if not _is_legal(select, ranking, items, query_input, binder):
        return None
    before = binder.findings.error_count
    output_columns = outputs([item for item in items if item[1] != RANK], binder)
    partition = [binder.bind(part) for part in ranking.partition]
    order = [binder.bind(at_position(each.value, items, binder.findings)) for each in ranking.order]
    keys = tuple(part for part in partition if part is not None) or (Literal("all", data.STRING),)
    by = tuple(part for part in order if part is not None)
    if output_columns is None or None in partition or binder.findings.error_count > before:
        return None
    parts = (*(p.at for p in ranking.partition), *(o.value.at for o in ranking.order))
    for value, at in zip((*(keys if ranking.partition else ()), *by), parts, strict=True):
        if value.type == data.NULL or any(isinstance(p, Map) for p in data.parts(value.type)):
            binder.findings.error("LSQ456", f"the expression is {value.type}, which cannot be compared", at,
                                  help="rank by a part of it")  # fmt: skip
            return None
    row = StructOf(
        ("k", *(f"c{i}" for i in range(len(output_columns))), *(f"o{i}" for i in range(len(by)))),
        (query_input.key, *(o.expression for o in output_columns), *by),
    )
    marks = ",".join(part.mark for part in ranking.order)
    first = (row, Literal(ranking.limit or 0, data.INT), Literal(marks, data.STRING))
    element = Struct((data.Field("rank", data.INT, False), data.Field("row", row.type, False)))
    first_rows = Aggregation("FIRST_ROWS", first, Array(element), False)
    groups = Aggregate(query_input.node, keys, tuple(f"p{i}" for i in range(len(keys))), "json", (first_rows,), None)
    ranked_rows: Node = Lateral(groups, groups.aggregate_field(0), "")
    if ranking.offset:
        place, skipped = Field(1, "value", ("rank",), data.INT, False), Literal(ranking.offset, data.INT)
        ranked_rows = Filter(ranked_rows, Operation(">", (place, skipped), data.BOOLEAN, False))
    columns = iter(
        Field(1, "value", ("row", f"c{i}"), o.expression.type, o.expression.nullable)
        for i, o in enumerate(output_columns)
    )
    rank = Field(1, "value", ("rank",), data.INT, False)
    values = tuple(rank if source == RANK else next(columns) for _, source, _ in items)
    names = tuple(name for name, *_ in items)
    value = StructOf(field_names(names), values)
    key: Expression = Field(1, "value", ("row", "k"), query_input.key.type, True)
    projection = Project(ranked_rows, key, value, query_input.key_format, struct_format(query_input.near), False, "")
    ranked_columns = result_columns(projection.relations[0], names)
    name_of = {o.expression: o.name for o in output_columns}
    parts_named = tuple(name_of[part] for part in partition if part in name_of)
    unique = parts_named if ranking.limit == 1 and len(parts_named) == len(partition) else None
    return Rows(
        projection,
        "TABLE",
        ranked_columns,
        query_input.near,
        None,
        query_input.depth + 1,
        query_input.size + 1,
        query_input.unkeyed,
        unique,
    )


def _is_legal(
    select: sql.Select, ranking: sql.Ranking, items: Sequence[Listed], query_input: Input, binder: SqlBinder
) -> bool:
    """Report an unsupported ranking; return whether it is supported."""
    message, help = None, None
    if query_input.kind != "TABLE":
        what = "records" if query_input.kind == "RECORDS" else "a stream"
        message, help = f"{ranking.word} cannot rank {what}", "read a table, a topic with a key"
    elif select.distinct:
        message, help = "a query cannot rank its rows and take DISTINCT", "rank in a query in FROM"
    elif ranking.limit is not None and not 1 <= ranking.limit <= _MOST:
        message = f"the bound of a rank must be from 1 to {_MOST}, not {ranking.limit}"
    if message is not None:
        binder.findings.error("LSQ462", message, ranking.at, help=help)
    return message is None
