"""What the columns of a topic come from, and what comes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsqlc.plan.lineage import Column
    from lsqlc.plan.lineage_graph import LineageGraph
    from lsqlc.project.build.compile import Compilation
    from lsqlc.types.record import Topic


def graph_of(compilation: Compilation) -> LineageGraph:
    """The graph of the columns of all models that compile."""
    from lsqlc.plan.lineage import lineage_from
    from lsqlc.plan.lineage_graph import lineage_graph

    summaries = (build.summary for build in compilation.models.values() if build.summary is not None)
    return lineage_graph(each for summary in summaries for each in lineage_from(summary["lineage"]))


def columns_of(compilation: Compilation, name: str) -> tuple[Column, ...]:
    """The columns that a name stands for: a topic, a model for what it writes, or a column of one. Raises LsqlcError
    LSQ063 if there is no such topic or model, LSQ095 if it has no such column, and the errors of one that has errors.
    """
    from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing, order
    from lsqlc.plan.lineage import Column, columns

    ends = [len(name), *(i for i in range(len(name) - 1, 0, -1) if name[i] == ".")]
    for end in ends:
        topics = _topics(compilation, name[:end])
        if not topics:
            continue
        asked = name[end + 1 :]
        known = [Column(topic.name, column) for topic in topics for column in columns(topic)]
        found = tuple(column for column in known if not asked or _covers(asked, column.name))
        if found:
            return found
        names = [column.name for column in known]
        short = [column.removeprefix("_value.") for column in names]
        help = did_you_mean(asked, (*names, *short)) or (f"the columns are {listing(names)}" if names else None)
        raise LsqlcError([Diagnostic("LSQ095", f"'{name[:end]}' has no column '{asked}'", help=help)])
    known_names = {*compilation.topics, *compilation.models}
    first = name.partition(".")[0]
    broken = compilation.project.broken_topics | compilation.project.broken_models | compilation.models.keys()
    if name in broken or first in broken:
        # It is there, but with errors: these say more than that nothing is known of it.
        raise LsqlcError(order(d for d in compilation.diagnostics if d.is_error))
    near = did_you_mean(name, known_names) or did_you_mean(first, known_names)
    help = near or (f"known are {listing(known_names)}" if known_names else "the project has none yet")
    raise LsqlcError([Diagnostic("LSQ063", f"unknown topic or model '{name}'", help=help)])


def _topics(compilation: Compilation, name: str) -> tuple[Topic, ...]:
    topic = compilation.topics.get(name)
    if topic is not None:
        return (topic,)
    build = compilation.models.get(name)
    return build.outputs if build else ()


def _covers(asked: str, column: str) -> bool:
    """Whether a column is the one that was asked for, or lies in it."""
    return any(column == whole or column.startswith(f"{whole}.") for whole in (asked, f"_value.{asked}"))
