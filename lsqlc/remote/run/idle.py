"""Find queries that have nothing to read, by their checkpoints. A run that ends after all input need not start them.

A query that is started again computes nothing before new records arrive. Spark runs a batch without records only after
a batch with records, while the query runs. So topics and state are the same whether it is started or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark.checkpoint_parts import Parts, sources_of
from lsqlc.lower.spark.steps import FileSource, Source
from lsqlc.project.declared.starts import Begun
from lsqlc.remote.run.batch_log import UnknownLogError
from lsqlc.remote.run.checkpoints import left_behind, unchanged
from lsqlc.remote.run.events import QuerySummary, Started
from lsqlc.remote.run.graph import Node, topics_of
from lsqlc.remote.run.query_batches import query_batches
from lsqlc.remote.run.stores import CheckpointStore


class Topics(Protocol):
    """The part of a transport that tells what queries have to read and to write (see `remote.connectors.transport`)."""

    def unread(self, topic: str, read: Collection[str]) -> bool: ...

    def first_generations(self, topic: str, query: str) -> frozenset[int]: ...


def idle(
    store: CheckpointStore, ordered: Sequence[Node], parts: Callable[[Node], Parts], topics: Topics
) -> frozenset[str]:
    """Return the queries of a run that have nothing to read, now and while it runs. `ordered`: in order of dependency.

    Such a query has the same plan as its checkpoint, no incomplete batch, and reads only from queries with nothing to
    read. It does not read files of the project, because only Spark knows which files it reads. A query whose checkpoint
    has errors is not returned: its start reports them.
    """
    of_queries = {node.query: parts(node) for node in ordered}
    if left_behind(store, of_queries):
        return frozenset()
    idle_queries: set[str] = set()
    for node in ordered:
        if idle_queries.issuperset(node.needs) and _is_idle(store, node, of_queries[node.query], topics):
            idle_queries.add(node.query)
    return frozenset(idle_queries)


def idle_events(node: Node, offsets: Mapping[str, Begun], at: float) -> tuple[Started, QuerySummary]:
    """Return the events of a query that is not started. `offsets`: its start offsets; `at`: seconds since 1970."""
    query, model, topic = node.query, node.model, node.stage.write.topic
    reads = {name: offsets.get(name) for name in topics_of(node)}
    started = Started(query, model, topic, resumed=True, letters=writes_letters(node), at=at, begun=offsets)
    return started, QuerySummary(query, model, topic, resumed=True, finished=True, reads=reads)


def writes_letters(node: Node) -> bool:
    """Return whether the query writes a dead-letter topic."""
    origin = node.stage.origin
    return bool(origin.checked or origin.files) and not origin.fed


def _is_idle(store: CheckpointStore, node: Node, parts: Parts, topics: Topics) -> bool:
    sources = sources_of(node.stage)
    try:
        description = unchanged(store, node.query, parts)
    except LsqlcError:
        # The start of the run reports all errors of checkpoints at once.
        return False
    if description is None or node.stage.real_time or any(isinstance(step, FileSource) for step in sources):
        return False
    log = query_batches(store, node.query, description, parts.sources)
    if log.last != log.committed:
        return False
    if node.stage.first and log.committed < 0:
        generations = topics.first_generations(node.stage.write.topic, node.query)
        if description["generation"] not in generations:
            return False
    try:
        return not any(
            topics.unread(topic, log.files(log.committed, number).keys())
            for number, step in enumerate(sources)
            if isinstance(step, Source)
            for topic in step.topics
        )
    except (UnknownLogError, KeyError, ValueError):
        # The start of the query reports the error.
        return False
