"""The row of an aggregate without GROUP BY before the first record.

A streaming query writes nothing before it has read a record. So the stage of such an aggregate also has SQL of this row
without any source, in the columns that the stage writes. The runner writes it before the first batch.
"""

from __future__ import annotations

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.aggregates import over_changes, over_stream
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.rows import facets, live
from lsqlc.lower.spark.stateful import summed_columns
from lsqlc.plan import nodes
from lsqlc.sql.spark import struct, text
from lsqlc.sql.writer import listed
from lsqlc.types.data import DataType
from lsqlc.types.record import BEFORE_RECORDS


def has_first_row(node: nodes.Node) -> bool:
    """Return whether a stage with this output has a row before the first record.

    Between the aggregate and the output are only operators without state, because each stateful one has its own stage.
    """
    while isinstance(
        node,
        nodes.Filter | nodes.EventTime | nodes.Lateral | nodes.Project | nodes.Repartition | nodes.Reinterpret,
    ):
        node = node.input
    return isinstance(node, nodes.Aggregate) and node.total


def first_row(node: nodes.Aggregate, build: Builder) -> str:
    """Add the aggregates of no row. In a run of cases, `_case` is empty."""
    of_table = node.input.semantics == "TABLE"
    lead = "".join(f"'' AS {column}, " for column in build.case)
    key = text(nodes.ALL_ROWS)
    key = struct(tuple((name, key) for name in node.key_names)) if node.key_names else key
    values = struct(tuple((f"a{i}", each) for i, each in enumerate(_values(node, build, of_table))))
    row = build.add(
        "groups",
        f"SELECT {lead}{_ordinal(node.ordinal_width)} AS _ord, 0L AS _ts, {key} AS k0,\n  {values} AS v0\n"
        f"FROM ({_weightless() if of_table else _no_rows(node)})",
        "the row of no records",
    )
    return live(row, build)


def _values(node: nodes.Aggregate, build: Builder, of_table: bool) -> list[str]:
    if not of_table:
        width = node.input.ordinal_width
        return [over_stream(a, f"_x{i}", build.server, width) for i, a in enumerate(node.aggregates)]
    nulls = [_null(a.arguments[0].type) if a.arguments else "" for a in node.aggregates]
    return [over_changes(a, null, build.server) for a, null in zip(node.aggregates, nulls, strict=True)]


def _weightless() -> str:
    """Return SQL of a change that changes nothing."""
    return "SELECT 0L AS weight, 0L AS _row, 0L AS _ord"


def _no_rows(node: nodes.Aggregate) -> str:
    """Return SQL of no rows, with the columns of the input of an aggregate of a STREAM."""
    types = [type for relation in node.input.relations for type in (relation.key.type, relation.value.type)]
    columns = [f"{_null(type)} AS {name}" for type, name in zip(types, facets(node.input), strict=True)]
    empty = f"SELECT {_ordinal(node.input.ordinal_width)} AS _ord, 0L AS _ts, {listed(columns)}"
    return f"SELECT {listed(('*', *summed_columns(node)))} FROM ({empty}) WHERE FALSE"


def _ordinal(width: int) -> str:
    return f"{BEFORE_RECORDS}L" if width == 1 else f"array_repeat({BEFORE_RECORDS}L, {width})"


def _null(type: DataType) -> str:
    return f"CAST(NULL AS {type_text('spark', type)})"
