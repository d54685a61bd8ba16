"""Total orders that are the same in DuckDB as in Spark: nulls are the smallest values, also inside of structs."""

from __future__ import annotations

from lsqlc.plan import nodes
from lsqlc.plan.identity import joins_keys, keyed_by_identity
from lsqlc.sql.duckdb import quoted
from lsqlc.types.data import BIGINT, DataType, Field, Struct


def identity_order(column: str, node: nodes.Node, *, descending: bool = False) -> list[str]:
    """Return ORDER BY terms that sort the rows of a TABLE by their identity, which `column` has (`_id`)."""
    return value_order(column, _id_type(node), descending=descending)


def value_order(value: str, type: DataType, *, descending: bool = False) -> list[str]:
    """Return ORDER BY terms that sort by a value of a type. DuckDB alone sorts nulls last."""
    if not isinstance(type, Struct):
        return [f"{value} DESC NULLS LAST" if descending else f"{value} NULLS FIRST"]
    terms = (value_order(f"{value}.{quoted(f.name)}", f.type, descending=descending) for f in type.fields)
    return [f"{value} IS NOT NULL{' DESC' if descending else ''}", *(term for each in terms for term in each)]


def _id_type(node: nodes.Node) -> DataType:
    """Return the type of `_id`, which identifies a row as it was below all projections."""
    match node:
        case nodes.Join() if joins_keys(node) and keyed_by_identity(node):
            return _id_type(node.left)
        case nodes.Join():
            return Struct((Field("l", _id_type(node.left)), Field("r", _id_type(node.right))))
        case nodes.Lateral():
            return Struct((Field("row", _id_type(node.input)), Field("index", BIGINT)))
        case nodes.Filter() | nodes.Project() | nodes.Repartition() | nodes.EventTime():
            return _id_type(node.input)
        case _:
            return node.relations[0].key.type
