"""SELECT of a ksqlDB program to a node: WHERE, EXPLODE, PARTITION BY, GROUP BY with windows and HAVING, projection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from lsqlc.plan.expression import (
    Case,
    Expression,
    Field,
    Literal,
    Operation,
    RecordTime,
    StructOf,
    rewrite,
    walk,
)
from lsqlc.plan.identity import may_be_tombstone
from lsqlc.plan.ksql_expressions import KsqlBinder
from lsqlc.plan.ksql_groups import bind_grouped
from lsqlc.plan.ksql_joins import Input, bind_from
from lsqlc.plan.ksql_projections import (
    PARTITIONING,
    Keys,
    Listed,
    join_keys,
    listed,
    source_keys,
    split,
)
from lsqlc.plan.ksql_results import (
    Result,
    check_typed,
    error_count,
    expression_keys,
    has_aggregate,
    projection,
    reader_of,
)
from lsqlc.plan.ksql_scope import SYSTEM
from lsqlc.plan.ksql_sources import Named, Source
from lsqlc.plan.nodes import Filter, Lateral, Node
from lsqlc.plan.report import Findings
from lsqlc.syntax import ksql_tree as ksql
from lsqlc.syntax import tree
from lsqlc.syntax.ksql_text import text_of
from lsqlc.syntax.walk import walk as walk_syntax
from lsqlc.types import data


def bind_query(query: ksql.Query, name: str, sources: Mapping[str, Source], findings: Findings) -> Result | None:
    """The query as a result called `name`; None after an error."""
    before = error_count(findings)
    _check_reserved(query, findings)
    fed = bind_from(query, sources, findings)
    if fed is None:
        return None
    for source, named in zip(fed.sources, query.sources, strict=True):
        if source.kind == "TABLE" and source.window is not None:
            findings.error(
                "LSQ363", f"the windowed TABLE '{source.name}' cannot be queried", named.name.at,
                notes=("its rows are told apart by their windows, which a query over it would lose",),
                help="read its topic as a STREAM: CREATE STREAM ... WITH (WINDOW_TYPE = ...)",
            )  # fmt: skip
    fed = _where(query, fed, findings)
    if query.window is not None and not query.group_by:
        findings.error("LSQ318", "WINDOW needs GROUP BY", query.window.at, help="say what each window groups by")
    if query.group_by and query.partition_by:
        findings.error("LSQ372", "GROUP BY and PARTITION BY exclude each other", query.partition_by[0].at,
                       help="the key of an aggregation is its group")  # fmt: skip
    if query.having is not None and not query.group_by:
        findings.error("LSQ317", "HAVING needs GROUP BY", query.having.at,
                       help="a condition on single records stands in WHERE")  # fmt: skip
    if query.final_at is not None and query.window is None:
        findings.error("LSQ383", "EMIT FINAL needs a WINDOW", query.final_at,
                       notes=("a result without window is never final",), help="use EMIT CHANGES")  # fmt: skip
    grouped = query.group_by or has_aggregate(query)
    result = (bind_grouped if grouped else _projected)(query, name, fed, findings, before)
    for source, named in zip(fed.sources, query.sources, strict=True):
        if result is not None and not source.values:
            findings.error("LSQ385", f"'{source.name}' has no value columns to read", named.name.at,
                           help="declare at least one column without KEY")  # fmt: skip
            result = None
    return result


def _check_reserved(query: ksql.Query, findings: Findings) -> None:
    """No column of the result is called like one that every record has."""
    for item in query.items:
        plain = isinstance(item.source, tree.Reference) and len(item.source.parts) == 1
        name = item.alias.text if item.alias else item.source.parts[0] if plain else None  # type: ignore[union-attr]
        if name in SYSTEM:
            what = "column" if isinstance(item.source, tree.Wildcard) else text_of(item.source)
            findings.error(
                "LSQ353", f"'{name}' is a name that no column can have", item.alias.at if item.alias else item.at,
                notes=("it names what every record has",), help=f"write {what} AS another_name",
            )  # fmt: skip


def _where(query: ksql.Query, fed: Input, findings: Findings) -> Input:
    """WHERE drops records without a value, whatever it asks."""
    if query.where is None:
        return fed
    condition = reader_of(fed, findings).condition(query.where, "WHERE")
    if condition is None:
        return fed
    reads_value = any(isinstance(p, Field) and p.facet == "value" for p in walk(condition))
    if not reads_value and fed.kind == "STREAM" and len(fed.node.relations) == 1:
        whole = Field(0, "value", (), fed.node.relations[0].value.type, True)
        there = Operation("IS NOT NULL", (whole,), data.BOOLEAN, False)
        condition = Operation("AND", (there, condition), data.BOOLEAN, condition.nullable)
    return replace(fed, node=Filter(fed.node, condition))


# Projections, with PARTITION BY


def _projected(query: ksql.Query, name: str, fed: Input, findings: Findings, before: int) -> Result | None:
    reader = reader_of(fed, findings)
    exploded = _exploded(query, fed, reader, findings)
    if exploded is None:
        return None
    fed, reader = exploded
    keys = _partition_keys(query, fed, reader, findings) if query.partition_by else _own_keys(fed)
    if keys is None:
        return None
    columns = listed(query, fed, keys, reader, findings)
    for column in columns:
        if column.source is not None:
            bound = reader.bind(column.source)
            check_typed(column, bound, findings)
    if error_count(findings) > before:
        return None
    parts = split(query, columns, keys, name, findings)
    if parts is None:
        return None
    taken, values = parts
    key = _key_of(fed, keys, taken)
    rekeys = bool(query.partition_by)
    node = projection(fed.node, key, taken, [(v.name, v.bound) for v in values if v.bound is not None], name, rekeys)
    named_keys = tuple(Named(t.name, _part_type(key, t, len(taken), fed.window)) for t in taken)
    named = tuple(Named(v.name, v.bound.type) for v in values if v.bound is not None)
    keyless = rekeys and not keys.parts
    window = None if rekeys else fed.window
    return Result(node, fed.kind, named_keys, named, window, fed.sources, rekeys, keyless)


def _own_keys(fed: Input) -> Keys:
    return source_keys(fed) if fed.join is None else join_keys(fed)


def _part_type(key: Expression, taken: Listed, count: int, window: str | None) -> data.DataType:
    assert taken.bound is not None
    return taken.bound.type


def _key_of(fed: Input, keys: Keys, taken: list[Listed]) -> Expression:
    """The key of the result as one expression: that of the input, under the names that the projection gives."""
    if not keys.parts:
        return Literal(None, data.NULL)
    if fed.join is not None and not fed.join.foreign and keys.kind not in (PARTITIONING,):
        return fed.key
    bounds = fed.window is not None and keys.kind != PARTITIONING
    expressions = tuple(t.bound for t in taken if t.bound is not None)
    if keys.kind == PARTITIONING and may_be_tombstone(fed.node):
        expressions = tuple(rewrite(e, partial(_only_with_value, fed.node)) for e in expressions)
    if len(expressions) == 1:
        group: Expression = expressions[0]
    else:
        group = StructOf(tuple(t.name for t in taken), expressions)
        renamed = tuple(t.name for t in taken) != _names_in(fed)
        if not bounds and not renamed and keys.kind != PARTITIONING:
            return fed.key
    if not bounds:
        return group
    if len(expressions) == 1:
        return fed.key
    times = tuple(Field(0, "key", (part,), data.BIGINT, False) for part in ("start", "end"))
    return StructOf(("key", "start", "end"), (group, *times))


def _only_with_value(node: Node, part: Expression) -> Expression:
    """The time of a record, which ksqlDB knows of records with a value alone where it makes a key of it."""
    if not isinstance(part, RecordTime):
        return part
    whole = Field(0, "value", (), node.relations[0].value.type, True)
    there = Operation("IS NOT NULL", (whole,), data.BOOLEAN, False)
    return Case(((there, part),), Literal(None, data.BIGINT), data.BIGINT)


def _names_in(fed: Input) -> tuple[str, ...]:
    return tuple(c.name for c in fed.keys)


def _partition_keys(query: ksql.Query, fed: Input, reader: KsqlBinder, findings: Findings) -> Keys | None:
    first = query.partition_by[0]
    if fed.kind == "TABLE":
        findings.error(
            "LSQ372", "PARTITION BY cannot give a TABLE another key", first.at,
            notes=("several rows could have the same new key, and a deletion says only the old one",),
            help="use GROUP BY with an aggregate, or read the topic as a STREAM",
        )  # fmt: skip
        return None
    if fed.window is not None:
        findings.error("LSQ361", "PARTITION BY cannot take the window off a windowed source", first.at)
        return None
    nulls = [e for e in query.partition_by if isinstance(e, tree.Literal) and e.value is None]
    if nulls and len(query.partition_by) > 1:
        findings.error("LSQ370", "PARTITION BY NULL stands alone", nulls[0].at,
                       notes=("it takes the key away, so there is nothing to add to it",))  # fmt: skip
        return None
    if nulls:
        return Keys(PARTITIONING, ())
    plain = replace(reader, no_clock="in PARTITION BY")
    return expression_keys(query.partition_by, PARTITIONING, plain, findings)


def _exploded(query: ksql.Query, fed: Input, reader: KsqlBinder, findings: Findings) -> tuple[Input, KsqlBinder] | None:
    """The input with one record for each element of the arrays that EXPLODE takes apart."""
    calls = [
        part
        for item in query.items
        if not isinstance(item.source, tree.Wildcard)
        for part in walk_syntax(item.source)
        if isinstance(part, tree.Call) and part.name.text == "EXPLODE"
    ]
    if not calls:
        return fed, reader
    if fed.kind == "TABLE" or len(calls) > 1:
        what = "a TABLE has one row for each key, and EXPLODE makes several" if fed.kind == "TABLE" else (
            "one EXPLODE gives a record for each element; two would give them side by side")  # fmt: skip
        findings.error("LSQ382", "EXPLODE cannot stand here", calls[-1].at, notes=(what,),
                       help="explode one array of a STREAM in each statement")  # fmt: skip
        return None
    call = calls[0]
    array = reader.bind(call.arguments[0]) if len(call.arguments) == 1 else None
    if array is None or not isinstance(array.type, data.Array):
        found = f"this is {array.type}" if array is not None else "it has one argument"
        findings.error("LSQ341", f"EXPLODE wants an array, {found}", call.at)
        return None
    node = Lateral(fed.node, array, "EXPLODE")
    element = Field(len(fed.node.relations), "value", (), array.type.element, True)
    return replace(fed, node=node), replace(reader, exploded=((call, element),))
