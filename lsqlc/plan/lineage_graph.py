"""Column lineage across models: what a column comes from, and what comes of it, however many topics lie between.

A use on the way counts as it does where it is nearest to the origin: what filters a topic that another one is computed
from filters that one too, and only what is a value all the way is one in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from lsqlc.plan.lineage import USES, Column, Source, TopicLineage, Use


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """The lineages of a project by written topic, and who reads each column: `values`, the columns that are computed
    from it, `records`, the topics whose records it decides about.
    """

    lineages: Mapping[str, TopicLineage]
    values: Mapping[Column, tuple[Column, ...]]
    records: Mapping[Column, tuple[tuple[str, tuple[Use, ...]], ...]]

    def above(self, column: Column) -> tuple[Source, ...]:
        """What a column comes from directly; nothing where no model writes it."""
        written = self.lineages.get(column.topic)
        return written.sources(column.name) if written and column.name in written.columns else ()

    def below(self, column: Column) -> tuple[Source, ...]:
        """Return the columns that come from one directly, each with the uses that it makes of it."""
        uses = {
            Column(topic, name): how
            for topic, how in self.records.get(column, ())
            for name in self.lineages[topic].columns
        }
        for other in self.values.get(column, ()):
            uses[other] = ("value", *uses.get(other, ()))
        return tuple(Source(other, uses[other]) for other in sorted(uses))


def lineage_graph(lineages: Iterable[TopicLineage]) -> LineageGraph:
    """Return the graph of the lineages of several plans. Of two that write one topic, the first counts."""
    written: dict[str, TopicLineage] = {}
    values: dict[Column, list[Column]] = {}
    records: dict[Column, list[tuple[str, tuple[Use, ...]]]] = {}
    for lineage in lineages:
        if written.setdefault(lineage.topic, lineage) is not lineage:
            continue
        for name, sources in lineage.columns.items():
            for column in sources:
                values.setdefault(column, []).append(Column(lineage.topic, name))
        for source in lineage.records:
            records.setdefault(source.column, []).append((lineage.topic, source.uses))
    return LineageGraph(
        written, {c: tuple(found) for c, found in values.items()}, {c: tuple(found) for c, found in records.items()}
    )


def upstream(graph: LineageGraph, columns: Iterable[Column]) -> tuple[Source, ...]:
    """Return all that these columns come from, through every model, by topic and name.

    The columns themselves are not told.
    """
    return _reach(graph.above, columns, lambda so_far, step: step if step != "value" else so_far)


def downstream(graph: LineageGraph, columns: Iterable[Column]) -> tuple[Source, ...]:
    """Return all columns that come from these, through every model, by topic and name, each with the uses made
    of them.
    """
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
            known = uses.setdefault(source.column, set())
            for use in {compose(so_far, each) for each in source.uses} - known:
                known.add(use)
                pending.append((source.column, use))
    found = sorted(uses.keys() - set(starts))
    return tuple(Source(column, tuple(use for use in USES if use in uses[column])) for column in found)
