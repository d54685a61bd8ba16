"""Queries that have nothing to read, by what lies in their checkpoints: a run that ends when all is read need not start
them. A query that is started again computes nothing before something new has come (Spark has a batch without records
only behind one with records, while the query runs), so that it leaves the same topics and the same state either way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

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

Unread = Callable[[str, Collection[str]], bool]
"""Whether a topic has something besides the files with these addresses."""


def idle(
    store: CheckpointStore, ordered: Sequence[Node], parts: Callable[[Node], Parts], unread: Unread
) -> frozenset[str]:
    """The queries of a run that have nothing to read, nor will have while it runs. `ordered`: each after those that it
    reads from. What is wrong with a checkpoint is for those to say who open it.

    Their checkpoints are of the same queries, with no batch that was begun and is not done; those that they read from
    have nothing to read either. A query over files of the project is never one of them: only Spark knows which it
    takes.
    """
    of_queries = {node.query: parts(node) for node in ordered}
    if left_behind(store, of_queries):
        return frozenset()
    found: set[str] = set()
    for node in ordered:
        if found.issuperset(node.needs) and _is_idle(store, node, of_queries[node.query], unread):
            found.add(node.query)
    return frozenset(found)


def idle_events(node: Node, begun: Mapping[str, Begun], at: float) -> tuple[Started, QuerySummary]:
    """What is told of a query that is not started. `begun`: where it has begun to read; `at`: seconds since 1970."""
    query, model, topic = node.query, node.model, node.stage.write.topic
    reads = {name: begun.get(name) for name in topics_of(node)}
    started = Started(query, model, topic, resumed=True, letters=writes_letters(node), at=at, begun=begun)
    return started, QuerySummary(query, model, topic, resumed=True, finished=True, reads=reads)


def writes_letters(node: Node) -> bool:
    """Whether the query writes a dead-letter topic."""
    origin = node.stage.origin
    return bool(origin.checked or origin.files) and not origin.fed


def _is_idle(store: CheckpointStore, node: Node, parts: Parts, unread: Unread) -> bool:
    sources = sources_of(node.stage)
    try:
        known = unchanged(store, node.query, parts)
    except LsqlcError:
        # All of them are told at once when they are opened.
        return False
    if known is None or node.stage.real_time or any(isinstance(step, FileSource) for step in sources):
        return False
    log = query_batches(store, node.query, known, parts.sources)
    if log.last != log.committed:
        return False
    try:
        return not any(
            unread(topic, log.files(log.committed, number).keys())
            for number, step in enumerate(sources)
            if isinstance(step, Source)
            for topic in step.topics
        )
    except (UnknownLogError, KeyError, ValueError):
        # Spark says what is wrong with it.
        return False
