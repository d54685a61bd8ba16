"""Column lineage across models: all upstream and downstream columns of a column.

The use nearest to the origin counts. If a column filters a topic, it also filters topics computed from it. A use is
`value` only if every step is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from lsqlc.plan.lineage import USES, Column, Source, TopicLineage, Use


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """The lineages of a project, and the readers of each column.

    `values`: the columns computed from it. `records`: the topics whose records it determines.
    """

    lineages: Mapping[str, TopicLineage]
    values: Mapping[Column, tuple[Column, ...]]
    records: Mapping[Column, tuple[tuple[str, tuple[Use, ...]], ...]]

    def above(self, column: Column) -> tuple[Source, ...]:
        """Return the direct sources of a column; nothing if no model writes it."""
        topic = self.lineages.get(column.topic)
        return topic.sources(column.name) if topic and column.name in topic.columns else ()

    def below(self, column: Column) -> tuple[Source, ...]:
        """Return the columns computed directly from a column, with their uses of it."""
        uses = {
            Column(topic, name): how
            for topic, how in self.records.get(column, ())
            for name in self.lineages[topic].columns
        }
        for other in self.values.get(column, ()):
            uses[other] = ("value", *uses.get(other, ()))
        return tuple(Source(other, uses[other]) for other in sorted(uses))


def lineage_graph(lineages: Iterable[TopicLineage]) -> LineageGraph:
    """Return the graph of the lineages of several plans. If two plans write one topic, the first has precedence."""
    by_topic: dict[str, TopicLineage] = {}
    values: dict[Column, list[Column]] = {}
    records: dict[Column, list[tuple[str, tuple[Use, ...]]]] = {}
    for lineage in lineages:
        if by_topic.setdefault(lineage.topic, lineage) is not lineage:
            continue
        for name, sources in lineage.columns.items():
            for column in sources:
                values.setdefault(column, []).append(Column(lineage.topic, name))
        for source in lineage.records:
            records.setdefault(source.column, []).append((lineage.topic, source.uses))
    return LineageGraph(
        by_topic,
        {c: tuple(readers) for c, readers in values.items()},
        {c: tuple(readers) for c, readers in records.items()},
    )


def upstream(graph: LineageGraph, columns: Iterable[Column]) -> tuple[Source, ...]:
    """Return all columns upstream of these, through every model, sorted by topic and name. Excludes `columns`."""
    return _reach(graph.above, columns, lambda so_far, step: step if step != "value" else so_far)


def downstream(graph: LineageGraph, columns: Iterable[Column]) -> tuple[Source, ...]:
    """Return all columns downstream of these, through every model, with their uses, sorted by topic and name."""
    return _reach(graph.below, columns, lambda so_far, step: so_far if so_far != "value" else step)


def _reach(
    step: Callable[[Column], tuple[Source, ...]], columns: Iterable[Column], compose: Callable[[Use, Use], Use]
) -> tuple[Source, ...]:
    starts = tuple(columns)
    uses: dict[Column, set[Use]] = {}
    pending: list[tuple[Column, Use]] = [(column, "value") for column in starts]
    while pending:
        column, so_far = pending.pop()
        for source in step(column):
            column_uses = uses.setdefault(source.column, set())
            for use in {compose(so_far, each) for each in source.uses} - column_uses:
                column_uses.add(use)
                pending.append((source.column, use))
    columns_reached = sorted(uses.keys() - set(starts))
    return tuple(Source(column, tuple(use for use in USES if use in uses[column])) for column in columns_reached)
