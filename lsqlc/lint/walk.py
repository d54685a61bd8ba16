"""Expressions and queries of a program, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lsqlc.syntax import tree
from lsqlc.syntax.lenses.names import own_name
from lsqlc.types.data import Struct
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT with the WITH names that it can read."""

    select: tree.Select
    visible: Mapping[str, tree.Select]

    @property
    def sources(self) -> tuple[tree.Source, ...]:
        source = self.select.source
        return (source.left, source.right) if isinstance(source, tree.Join) else (source,)


def queries(program: tree.Program) -> Iterator[Query]:
    """Every SELECT of a program, in order."""
    visible: dict[str, tree.Select] = {}
    for statement in program.withs:
        yield Query(statement.select, dict(visible))
        visible[statement.name.text] = statement.select
    yield from (Query(insert.select, visible) for insert in program.inserts)


def fields_of(source: tree.Source, query: Query, topics: Mapping[str, Topic]) -> frozenset[str] | None:
    """The fields of a source's value; None where the text and the topics do not tell."""
    select = query.visible.get(source.name.text)
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
