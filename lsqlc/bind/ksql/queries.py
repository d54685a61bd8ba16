"""From SELECT of a ksqlDB program to a node: WHERE, EXPLODE, PARTITION BY, GROUP BY with windows and HAVING,
projection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lsqlc.bind.changes import KSQL, check_changes
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.corrections import with_item
from lsqlc.bind.ksql.create_source import Named, Source
from lsqlc.bind.ksql.expressions import KsqlBinder
from lsqlc.bind.ksql.groups import bind_grouped
from lsqlc.bind.ksql.join_rules import check_stored_values
from lsqlc.bind.ksql.joins import Input, bind_from
from lsqlc.bind.ksql.positions import refuse_positions
from lsqlc.bind.ksql.projections import (
    PARTITIONING,
    Keys,
    Listed,
    join_keys,
    listed,
    source_keys,
    split,
)
from lsqlc.bind.ksql.results import (
    Result,
    check_typed,
    expression_keys,
    has_aggregate,
    projection,
    reader_of,
)
from lsqlc.bind.ksql.scope import BOUNDS, SYSTEM
from lsqlc.bind.ksql.table_functions import explode
from lsqlc.bind.trace import TracedQuery
from lsqlc.plan.expression import (
    Case,
    Expression,
    Field,
    Literal,
    Operation,
    RecordTime,
    StructOf,
    reads_value,
    walk,
)
from lsqlc.plan.identity import has_value, may_be_tombstone
from lsqlc.plan.nodes import Filter, Node
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import text_of
from lsqlc.types import data


def bind_query(query: ksql.Query, name: str, sources: Mapping[str, Source], findings: Findings) -> Result | None:
    """Return the query as a result called `name`; None after an error."""
    before = findings.error_count
    _check_reserved(query, findings)
    query_input = bind_from(query, sources, findings)
    if query_input is None:
        return None
    if findings.trace is not None:
        findings.trace.queries[query.at] = TracedQuery(
            query_input.node, query_input.node.relations, query_input.columns.all
        )
    for source, reference in zip(query_input.sources, query.sources, strict=True):
        if source.kind == "TABLE" and source.window is not None:
            findings.error(
                "LSQ363", f"the windowed TABLE '{source.name}' cannot be queried", reference.name.at,
                notes=("its key contains the window, which a query over it would lose",),
                help="read its topic as a STREAM: CREATE STREAM ... WITH (WINDOW_TYPE = ...)",
            )  # fmt: skip
    check_stored_values(query, query_input.sources, findings)
    if query.window is not None:
        # The bounds in an aggregation by windows are those of its own windows.
        columns = tuple(c for c in query_input.columns.all if c.name not in BOUNDS)
        query_input = replace(query_input, columns=replace(query_input.columns, all=columns))
    opened = _opened(query, query_input, findings)
    if opened is None:
        return None
    query = opened
    if refuse_positions(query, findings):
        return None
    query_input = _where(query, query_input, findings)
    if query.window is not None and not query.group_by:
        findings.error("LSQ318", "WINDOW needs GROUP BY", query.window.at, help="add GROUP BY")
    if query.group_by and query.partition_by:
        findings.error("LSQ372", "GROUP BY and PARTITION BY cannot be used together", query.partition_by[0].at,
                       help="the key of an aggregation is its group")  # fmt: skip
    if query.having is not None and not query.group_by:
        findings.error("LSQ317", "HAVING needs GROUP BY", query.having.at,
                       help="a condition on single records belongs in WHERE")  # fmt: skip
    if query.final_at is not None and query.window is None:
        findings.error("LSQ383", "EMIT FINAL needs a WINDOW", query.final_at,
                       notes=("a result without a window is never final",), help="use EMIT CHANGES")  # fmt: skip
    grouped = query.group_by or has_aggregate(query)
    result = (bind_grouped if grouped else _projected)(query, name, query_input, findings, before)
    for source, reference in zip(query_input.sources, query.sources, strict=True):
        if result is not None and not source.values:
            findings.error("LSQ385", f"'{source.name}' has no value columns to read", reference.name.at,
                           help="declare at least one column without KEY")  # fmt: skip
            result = None
    return result


def _opened(query: ksql.Query, query_input: Input, findings: Findings) -> ksql.Query | None:
    """Return the query with a projection for each field of `struct->*`; None after an error."""
    reader = reader_of(query_input, findings)
    items: list[ksql.Item] = []
    good = True
    for item in query.items:
        operand = item.source
        if not item.fields or isinstance(operand, tree.Wildcard):
            items.append(item)
            continue
        struct = reader.bind(operand)
        if struct is None or not isinstance(struct.type, data.Struct):
            if struct is not None:
                findings.error("LSQ216", f"'->*' must follow a STRUCT, not {struct.type}", item.at,
                               help="name the column itself")  # fmt: skip
            good = False
            continue
        names = [tree.Name(f.name, item.at) for f in struct.type.fields]
        items += [ksql.Item(tree.Member(operand, name, item.at), name, item.at) for name in names]
    return replace(query, items=tuple(items)) if good else None


def _check_reserved(query: ksql.Query, findings: Findings) -> None:
    """Report columns of the result with a name that every record has."""
    for item in query.items:
        plain = isinstance(item.source, tree.Reference) and len(item.source.parts) == 1
        name = item.alias.text if item.alias else item.source.parts[0] if plain else None  # type: ignore[union-attr]
        if name in SYSTEM:
            assert not isinstance(item.source, tree.Wildcard)
            renamed = f"{text_of(item.source)} AS {name}_VALUE"
            findings.error(
                "LSQ353", f"'{name}' is a reserved name", item.alias.at if item.alias else item.at,
                notes=("it is the name of a pseudo column",),
                help=f"give it another name: {with_item(query, item.at, renamed, findings)}",
            )  # fmt: skip


def _where(query: ksql.Query, query_input: Input, findings: Findings) -> Input:
    """Add WHERE, which drops records without a value for any condition."""
    if query.where is None:
        return query_input
    condition = reader_of(query_input, findings).condition(query.where, "WHERE")
    if condition is None:
        return query_input
    if not reads_value(condition) and query_input.kind == "STREAM" and len(query_input.node.relations) == 1:
        condition = Operation("AND", (has_value(query_input.node), condition), data.BOOLEAN, condition.nullable)
    node = Filter(query_input.node, condition)
    check_changes(node, query_input.sources[0].name, query.where.at, KSQL, findings)
    return replace(query_input, node=node)


# Projections, with PARTITION BY


def _projected(query: ksql.Query, name: str, query_input: Input, findings: Findings, before: int) -> Result | None:
    reader = reader_of(query_input, findings)
    exploded = explode(query, query_input, reader, findings)
    if exploded is None:
        return None
    query_input, reader = exploded
    keys = _partition_keys(query, query_input, reader, findings) if query.partition_by else _own_keys(query_input)
    if keys is None:
        return None
    columns = listed(query, query_input, keys, reader.bind, findings)
    for column in columns:
        if column.source is not None:
            check_typed(query, column, column.bound, findings)
    if findings.error_count > before:
        return None
    parts = split(query, columns, keys, name, findings)
    if parts is None:
        return None
    key_columns, values = parts
    key = _key_of(query_input, keys, key_columns)
    rekeys = bool(query.partition_by)
    node = projection(
        query_input.node, key, key_columns, [(v.name, v.bound) for v in values if v.bound is not None], name, rekeys
    )
    if rekeys:
        check_changes(node, query_input.sources[0].name, query.partition_by[0].at, KSQL, findings)
    named_keys = tuple(Named(t.name, _part_type(t)) for t in key_columns)
    value_columns = tuple(Named(v.name, v.bound.type) for v in values if v.bound is not None)
    keyless = rekeys and not keys.parts
    window = None if rekeys else query_input.window
    return Result(node, query_input.kind, named_keys, value_columns, window, query_input.sources, rekeys, keyless)


def _own_keys(query_input: Input) -> Keys:
    return source_keys(query_input) if query_input.join is None else join_keys(query_input)


def _part_type(column: Listed) -> data.DataType:
    assert column.bound is not None
    return column.bound.type


def _key_of(query_input: Input, keys: Keys, key_columns: list[Listed]) -> Expression:
    """Return the key of the result as one expression: that of the input, with the names in the projection."""
    if not keys.parts:
        return Literal(None, data.NULL)
    if query_input.join is not None and not query_input.join.foreign and keys.kind not in (PARTITIONING,):
        return query_input.key
    bounds = query_input.window is not None and keys.kind != PARTITIONING
    expressions = tuple(t.bound for t in key_columns if t.bound is not None)
    if keys.kind == PARTITIONING and may_be_tombstone(query_input.node):
        expressions = tuple(_of_records_with_value(e, query_input.node) for e in expressions)
    if len(expressions) == 1:
        group: Expression = expressions[0]
    else:
        group = StructOf(tuple(t.name for t in key_columns), expressions)
        renamed = tuple(t.name for t in key_columns) != _names_in(query_input)
        if not bounds and not renamed and keys.kind != PARTITIONING:
            return query_input.key
    if not bounds:
        return group
    if len(expressions) == 1:
        return query_input.key
    times = tuple(Field(0, "key", (part,), data.BIGINT, False) for part in ("start", "end"))
    return StructOf(("key", "start", "end"), (group, *times))


def _of_records_with_value(expression: Expression, node: Node) -> Expression:
    """Return an expression over the value or the time of a record: null for a record without value, as in ksqlDB."""
    plain = isinstance(expression, Field)
    reads = reads_value(expression) or any(isinstance(p, RecordTime) for p in walk(expression))
    if plain or not reads:
        return expression
    return Case(((has_value(node), expression),), Literal(None, expression.type), expression.type)


def _names_in(query_input: Input) -> tuple[str, ...]:
    return tuple(c.name for c in query_input.keys)


def _partition_keys(query: ksql.Query, query_input: Input, reader: KsqlBinder, findings: Findings) -> Keys | None:
    first = query.partition_by[0]
    if query_input.kind == "TABLE":
        findings.error(
            "LSQ372", "PARTITION BY cannot give a TABLE another key", first.at,
            notes=("several rows could have the same new key, and a deletion only has the old one",),
            help="use GROUP BY with an aggregate, or read the topic as a STREAM",
        )  # fmt: skip
        return None
    if query_input.window is not None:
        findings.error("LSQ361", "PARTITION BY cannot remove the window of a windowed source", first.at)
        return None
    nulls = [e for e in query.partition_by if isinstance(e, tree.Literal) and e.value is None]
    if nulls and len(query.partition_by) > 1:
        findings.error("LSQ370", "PARTITION BY NULL cannot have other columns", nulls[0].at,
                       notes=("it removes the key, so it cannot be combined with other columns",))  # fmt: skip
        return None
    if nulls:
        return Keys(PARTITIONING, ())
    plain = replace(reader, no_clock="in PARTITION BY")
    return expression_keys(query.partition_by, PARTITIONING, plain, findings)
