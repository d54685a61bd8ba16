"""Iteration over the queries of a program, and the fields of their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lsqlc.syntax import tree
from lsqlc.syntax.lenses.names import own_name
from lsqlc.types.data import Struct
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT, and the queries of those WITHs that it reads."""

    select: tree.Select
    withs: Mapping[str, tree.Select]

    @property
    def sources(self) -> tuple[tree.Source, ...]:
        source = self.select.source
        return (source.left, source.right) if isinstance(source, tree.Join) else (source,)


def queries(program: tree.Program) -> Iterator[Query]:
    """Yield every SELECT of a program, in order."""
    visible: dict[str, tree.Select] = {}

    def query(select: tree.Select) -> Query:
        names = [source.name.text for source in Query(select, {}).sources]
        return Query(select, {name: visible[name] for name in names if name in visible})

    for statement in program.withs:
        yield query(statement.select)
        visible[statement.name.text] = statement.select
    yield from (query(insert.select) for insert in program.inserts)


def fields_of(source: tree.Source, query: Query, topics: Mapping[str, Topic]) -> frozenset[str] | None:
    """Return the fields of a source's value; None if neither text nor topics tell them."""
    select = query.withs.get(source.name.text)
    if select is None:
        topic = topics.get(source.name.text)
        type = topic.value.type if topic else None
        return frozenset(f.name for f in type.fields) if isinstance(type, Struct) else None
    names = set()
    for projection in select.projections:
        target = projection.target
        if isinstance(projection.source, tree.Wildcard | tree.Hyphenated) or (target and not target.path):
            return None
        if target is None:
            names.add(own_name(projection.source))
        elif target.facet != "key":
            names.add(target.path[0])
    return frozenset(names)
