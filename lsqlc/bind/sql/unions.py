"""UNION ALL: of streams, which all write one topic, and of tables, which are one table.

A table of several has the rows of each, with the source as a part of their keys. It is a FULL JOIN of them on these
keys: no two rows match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from msgspec import structs

from lsqlc.bind.findings import Findings
from lsqlc.bind.limits import MAX_DEPTH
from lsqlc.bind.sql.coercion import common_type, converted
from lsqlc.bind.sql.constants import all_constants, constant_rows
from lsqlc.bind.sql.rows import Rows, extent_of
from lsqlc.bind.sql.scope import field_names, result_columns
from lsqlc.plan.expression import Call, Expression, Field, Literal, StructOf
from lsqlc.plan.nodes import Join, Node, Project, share_topics
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data
from lsqlc.types.data import DataType


def united(
    rows: Sequence[Rows], selects: Sequence[sql.Select], findings: Findings, word: sql.SetWord = "UNION ALL"
) -> list[Rows] | None:
    """Return the rows of several SELECTs with the columns of the first, in their common types; those of tables are one.

    `word`: the set operator in the text. None after an error.
    """
    kinds = {each.kind for each in rows}
    other = next((s for s, each in zip(selects, rows, strict=True) if each.kind != rows[0].kind), None)
    if other is not None or "RECORDS" in kinds:
        message = "the SELECTs of UNION ALL must all give tables, or all give streams"
        findings.error("LSQ455", message, (other or selects[0]).items_at,
                       notes=("a topic with a key gives a table, STREAM(topic) a stream",),
                       help="read all topics in the same way")  # fmt: skip
        return None
    alike = _alike(rows, selects, findings, word)
    if alike is None or kinds == {"STREAM"}:
        return alike
    constants = all_constants(alike)
    if constants is not None:
        return [constant_rows(constants, tuple(c.name for c in alike[0].columns), alike[0].near)]
    if len(alike) > MAX_DEPTH:
        findings.error(
            "LSQ345", f"a union of {len(alike)} tables, which is more than {MAX_DEPTH}", selects[MAX_DEPTH].items_at,
            help="unite some of them in another model, and read that",
        )  # fmt: skip
        return None
    return [_one_table(alike)]


def _alike(
    rows: Sequence[Rows], selects: Sequence[sql.Select], findings: Findings, word: sql.SetWord
) -> list[Rows] | None:
    names = tuple(c.name for c in rows[0].columns)
    types: list[DataType] = [c.expression.type for c in rows[0].columns]
    for each, select in zip(rows[1:], selects[1:], strict=True):
        if len(each.columns) != len(names):
            marks = 0 if word == "UNION ALL" else 2
            counts = f"{len(names) - marks} and {len(each.columns) - marks}"
            findings.error("LSQ455", f"the SELECTs of {word} have {counts} columns", select.items_at,
                           help="give each the same columns")  # fmt: skip
            return None
        for i, column in enumerate(each.columns):
            common = common_type((types[i], column.expression.type))
            if common is None:
                message = f"the column '{names[i]}' is {types[i]} and {column.expression.type}"
                findings.error("LSQ455", message, select.items_at, help=f"convert it: CAST(... AS {types[i]})")
                return None
            types[i] = common
    return [_renamed(each, names, types) for each in rows]


def _renamed(rows: Rows, names: tuple[str, ...], types: Sequence[DataType]) -> Rows:
    values = tuple(converted(c.expression, t) for c, t in zip(rows.columns, types, strict=True))
    relation = rows.node.relations[0]
    value = StructOf(field_names(names), tuple(map(_loose, values)))
    node = Project(rows.node, rows.key, value, relation.key.format, relation.value.format, False, "")
    fields = node.relations[0].value.type
    columns = tuple(
        replace(c, name=n, expression=Field(0, "value", (f,), t, True))
        for c, n, f, t in zip(rows.columns, names, field_names(names), types, strict=True)
    )
    assert fields is not None
    return replace(rows, node=node, columns=columns)


def _loose(value: Expression) -> Expression:
    """Return a value that may be null, as the column of another SELECT may be."""
    return structs.replace(value, nullable=True) if isinstance(value, Field) else value


def _one_table(rows: Sequence[Rows]) -> Rows:
    """Return tables with the same columns as one."""
    names = (*_key_names(rows), *(f"c{i}" for i in range(len(rows[0].columns))))
    parts = [_marked(each, number, rows, names) for number, each in enumerate(rows)]
    both = reduce(lambda left, right: _joined(left, right, names, len(rows[0].columns)), parts)
    fields = [Field(0, "value", (f.name,), f.type, f.nullable) for f in _fields(both)]
    split = len(names) - len(rows[0].columns)
    key = StructOf(tuple(names[:split]), tuple(fields[:split]))
    columns = tuple(c.name for c in rows[0].columns)
    value = StructOf(field_names(columns), tuple(fields[split:]))
    node = Project(both, key, value, "json", rows[0].node.relations[0].value.format, False, "")
    depth, size = extent_of(rows)
    union_columns = result_columns(node.relations[0], columns)
    return Rows(node, "TABLE", union_columns, rows[0].near, None, depth, size, any(r.unkeyed for r in rows))


def _key_names(rows: Sequence[Rows]) -> tuple[str, ...]:
    """Return the parts of the key of a row: the number of its SELECT, and its key there.

    Keys of several types are several parts, one of which is set in a row.
    """
    if len({each.key.type for each in rows}) == 1:
        return ("part", "key")
    return ("part", *(f"key{i}" for i in range(len(rows))))


def _marked(rows: Rows, number: int, every: Sequence[Rows], names: tuple[str, ...]) -> Node:
    """Return the rows of a SELECT with the parts of their new keys, as further columns."""
    keys: tuple[Expression, ...] = (rows.key,)
    if names[1] != "key":
        keys = tuple(rows.key if i == number else Literal(None, r.key.type) for i, r in enumerate(every))
    values = tuple(c.expression for c in rows.columns)
    format = rows.node.relations[0].key.format
    return Project(
        rows.node, rows.key, StructOf(names, (Literal(number, data.INT), *keys, *values)), format, "json", False, "part"
    )  # fmt: skip


def _joined(left: Node, right: Node, names: tuple[str, ...], columns: int) -> Node:
    """Return the rows of two tables whose keys have no common part."""
    equal = tuple(
        (Field(0, "value", (f.name,), f.type, f.nullable), Field(0, "value", (g.name,), g.type, g.nullable))
        for f, g in zip(_fields(left)[:-columns], _fields(right)[:-columns], strict=True)
    )
    join = Join(
        "OUTER", "table-table", left, right, equal, None, None, None, 0, None, meets_itself=share_topics(left, right)
    )

    def either(f: data.Field) -> Expression:
        of_both = tuple(Field(i, "value", (f.name,), f.type, True) for i in (0, 1))
        return Call("COALESCE", of_both, f.type, True)

    sides = ("left", "right")
    keys = tuple(Field(i, "key", (), side.relations[0].key.type, True) for i, side in enumerate((left, right)))
    values = tuple(map(either, _fields(left)))
    return Project(join, StructOf(sides, keys), StructOf(names, values), "json", "json", False, "union")


def _fields(node: Node) -> tuple[data.Field, ...]:
    type = node.relations[0].value.type
    assert isinstance(type, data.Struct)
    return type.fields
