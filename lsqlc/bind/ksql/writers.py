"""Streams of a ksqlDB program with several writers, and the queries that read them.

A query without state is bound once for each writer, because it handles the records one by one. A join of streams and an
aggregation read a union of all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from lsqlc.bind.coerce import coerce
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.create_source import Named, Source
from lsqlc.bind.ksql.queries import bind_query
from lsqlc.bind.ksql.results import Result, has_aggregate
from lsqlc.bind.limits import MAX_WRITERS
from lsqlc.plan.expression import Expression, Literal, StructOf
from lsqlc.plan.nodes import Node, Project, Union, scans
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal


@dataclass(frozen=True, slots=True)
class Read:
    """A reference to a stream or table in a query, and the number of its writers so far."""

    name: tree.Name
    writers: int


def reads_of(query: ksql.Query, sources: Mapping[str, Source]) -> list[Read]:
    """Return the references to the sources of a query."""
    references = [(s.name, sources.get(s.name.text)) for s in query.sources]
    return [Read(name, source.writers if source else 0) for name, source in references]


def check_reads(
    reads: Sequence[Read], sources: Mapping[str, Source], output_topics: Collection[str], findings: Findings
) -> None:
    """Report sources that are read before their last writer, and topics that the program both declares and writes.

    `output_topics`: the topics that queries write.
    """
    for read in reads:
        source = sources.get(read.name.text)
        if source is None:
            continue
        # Any stream or table over the topic, not only the target of INSERT INTO.
        declared = source.topic in output_topics and any(s.topic.name == source.topic for s in scans(source.node))
        if not declared and source.writers <= max(read.writers, 1):
            continue
        why = (
            "its topic already has records, which the query would read twice"
            if declared
            else "all writers of a source must precede the query that reads it"
        )
        help = "read it in another model, which declares its topic"
        if not declared:
            help = f"write each INSERT INTO {read.name.text} before this statement, or {help}"
        findings.error("LSQ386", f"'{read.name.text}' is read here, and INSERT INTO adds to it", read.name.at,
                       notes=(why,), help=help)  # fmt: skip


def bind_writers(
    query: ksql.Query, name: str, sources: Mapping[str, Source], findings: Findings
) -> tuple[Result, tuple[Node, ...]] | None:
    """Return the query as a result called `name`, and its results for the further writers of its source.

    The latter are empty if it is not bound for each writer. None after an error.
    """
    several = next(
        (s for s in query.sources if (source_of_name := sources.get(s.name.text)) and source_of_name.others), None
    )
    if several is None:
        result = bind_query(query, name, sources, findings)
        return (result, ()) if result is not None else None
    tables = all(
        (source_of_name := sources.get(j.source.name.text)) is not None and source_of_name.kind == "TABLE"
        for j in query.joins
    )
    # Each record is joined with the rows of tables by itself, for any writer.
    if query.group_by or has_aggregate(query) or not tables:
        united = _united(query, sources, findings)
        result = bind_query(query, name, united, findings) if united is not None else None
        return (result, ()) if result is not None else None
    result = bind_query(query, name, sources, findings)
    if result is None:
        return None
    source = sources[several.name.text]
    others = []
    for node in source.others:
        one = {**sources, source.name: replace(source, node=node, others=())}
        other = bind_query(query, name, one, findings.aside())
        if other is None:
            return None
        others.append(other.node)
    return result, tuple(others)


def _united(query: ksql.Query, sources: Mapping[str, Source], findings: Findings) -> Mapping[str, Source] | None:
    """Return the sources. Those that the query reads have the records of all their writers in one node."""
    united = dict(sources)
    for reference in query.sources:
        source = united.get(reference.name.text)
        if source is None or not source.others:
            continue
        union = Union((source.node, *source.others))
        if len(scans(union)) > MAX_WRITERS:
            findings.error(
                "LSQ386", f"the writers of '{source.name}' read more than {MAX_WRITERS} topics together",
                reference.name.at,
                help="read it in another model, which declares its topic",
            )  # fmt: skip
            return None
        united[source.name] = replace(source, node=union, others=())
    return united


def fitted(node: Node, query_columns: Sequence[Named], target_columns: Sequence[Named]) -> Node | None:
    """Return a query's records as those of a stream into which they are inserted, by value columns; None if they do not
    fit.

    As in ksqlDB the names and types must be equal, except that a DECIMAL, or an integer literal, can become a wider
    DECIMAL.
    """
    if query_columns == target_columns:
        return node
    if [g.name for g in query_columns] != [w.name for w in target_columns]:
        return None
    if not isinstance(node, Project) or not isinstance(node.value, StructOf):
        return None
    columns = zip(node.value.values, query_columns, target_columns, strict=True)
    if not all(g.type == w.type or _widens(value, g.type, w.type) for value, g, w in columns):
        return None
    values = tuple(coerce(value, w.type) for value, w in zip(node.value.values, target_columns, strict=True))
    return structs.replace(node, value=structs.replace(node.value, values=values))


def _widens(value: Expression, source: DataType, target: DataType) -> bool:
    if not isinstance(target, Decimal):
        return False
    if isinstance(source, Decimal):
        fits = target.precision - target.scale >= source.precision - source.scale
        return fits and target.scale >= source.scale
    if isinstance(value, Literal) and isinstance(value.value, int) and data.is_integer(source):
        return len(str(abs(value.value))) <= target.precision - target.scale
    return False
