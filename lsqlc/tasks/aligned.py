"""Have queries with a watermark read all partitions up to the same time, until they have caught up.

The watermark goes by the newest record of all partitions. Where Spark's batches would read some of them further in time
than others by more than the grace, records of those others would be late, although each partition is in order. Such a
query, and those that it reads from, run batch by batch: where the next one ends is written before it starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from lsqlc.connectors.aligned import Bounds, PartitionOffsets, Search, Unread, aligned_ends, is_apart
from lsqlc.connectors.outages import is_away
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark.steps import FileSource, Source, Stage, Watermark
from lsqlc.remote.connectors.partitions import named_ends
from lsqlc.remote.run.batch_log import UnknownLogError, next_batch
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.graph import Node
from lsqlc.remote.run.runner import Limit, Next
from lsqlc.remote.run.server_clock import server_time
from lsqlc.remote.run.stores import ServerStore, store_of
from lsqlc.remote.session.failures import PassingError
from lsqlc.tasks.batch_ends import (
    end_batch,
    external_names,
    next_offsets,
    read_log,
    topic_sources,
    unread,
)
from lsqlc.tasks.run_target import RunTarget

# A query has no more batches than that, about: each is a query of its own, of which Spark keeps 2 MB for an hour.
_BATCHES = 200


@dataclass(slots=True)
class Aligned:
    """The limit of a run over topics with partitions, as `lsqlc.remote.run.runner.Limit`. `graces`: see `graces`;
    `until_read`: a query ends with what is there at its first start; `say`: reports each query that is limited;
    `other`: a limit with precedence over this one.

    Whether a query is limited is found out at its first start. Where it has much to read its batches are larger than
    `offsets_per_batch`, so that they are not too many. A checkpoint in a form that is not known limits nothing:
    it is reported by whoever opens it.
    """

    place: RunTarget
    graces: Mapping[str, int]
    until_read: bool
    say: Callable[[str], None]
    other: Limit | None = None
    _apart: dict[str, bool] = field(default_factory=dict)
    _ends: dict[str, PartitionOffsets] = field(default_factory=dict)
    _searches: dict[str, Search] = field(default_factory=dict)
    # How many times as large as other batches those of a query are.
    _larger: dict[str, int] = field(default_factory=dict)

    def prepare(self, node: Node, checkpoint: Checkpoint, session: Any) -> Next:
        """As `lsqlc.remote.run.runner.Limit`. Raises LsqlcError as the cluster, the store of the checkpoints and
        `query_failed` do; PassingError where no broker answers.
        """
        following = self.other.prepare(node, checkpoint, session) if self.other else Next.UNLIMITED
        if following is not Next.UNLIMITED:
            return following
        try:
            return self._aligned(node, checkpoint, session)
        except LsqlcError as error:
            if is_away(error.diagnostics):
                raise PassingError(error.diagnostics) from None
            raise

    def _aligned(self, node: Node, checkpoint: Checkpoint, session: Any) -> Next:
        grace = self.graces.get(node.query)
        if grace is None or not self._apart.get(node.query, True) or not self._can_be_limited(node.stage):
            return Next.UNLIMITED
        search = self._search(node)
        bounds = search.bounds()
        if all(source.batches <= 1 for source in self._unread(node, bounds)):
            # Whatever was read of it.
            return Next.UNLIMITED
        store = store_of(self.place.own_checkpoints, session)
        log = read_log(store, node, checkpoint)
        try:
            sources = self._unread(node, bounds, partial(next_offsets, self.place, checkpoint, log, log.last))
        except (UnknownLogError, KeyError):
            return Next.UNLIMITED
        if node.query not in self._apart:
            self._apart[node.query] = is_apart(sources, search.first_from, grace)
            if self._apart[node.query]:
                self.say(f"the query '{node.query}' reads all partitions up to the same time until it has caught up")
        if not self._apart[node.query] or all(source.batches <= 1 for source in sources):
            return Next.UNLIMITED
        if log.last > log.committed:
            # An interrupted batch keeps its end.
            return Next.BATCH
        larger = self._larger.setdefault(node.query, -(-max(source.batches for source in sources) // _BATCHES))
        sources = [replace(source, most=source.most and source.most * larger) for source in sources]
        names = external_names(self.place, node.stage)
        ends = [named_ends(names, of) for of in aligned_ends(sources, search.first_from)]
        # With its first batch Spark notes settings of the server, and only the server knows which.
        if not log.texts and isinstance(self.place.own_checkpoints, Path):
            store = ServerStore(session, str(self.place.own_checkpoints))
        texts = next_batch(log, ends, now=server_time(session), settings=dict)
        assert texts is not None, "there is more to read than a batch takes"
        end_batch(store, node, checkpoint, log, texts)
        return Next.BATCH

    def _can_be_limited(self, stage: Stage) -> bool:
        """Whether a stage reads topics in batches, and nothing else. To note where a batch ends a server may need
        Python, which not every target has.
        """
        of_files = any(isinstance(step, FileSource) for step in stage.steps)
        return not stage.real_time and not of_files and self.place.capabilities.needs_python

    def _unread(
        self, node: Node, bounds: Bounds, read: Callable[[int, Source], PartitionOffsets] = lambda number, source: {}
    ) -> list[Unread]:
        """What the sources of a query have to read behind what they have `read`."""
        there = {(topic, p): end for topic, of in bounds.items() for p, (_, end) in of.items()}
        ends = self._ends.setdefault(node.query, there) if self.until_read else there
        found = []
        for number, step in enumerate(topic_sources(node.stage)):
            done, spans = read(number, step), {}
            for topic in step.topics:
                for partition, (first, _) in bounds[topic].items():
                    at = topic, partition
                    start = max(first, done.get(at, first))
                    # Partitions added since the first start have no end.
                    spans[at] = start, max(start, ends.get(at, start))
            found.append(unread(self.place, step, spans))
        return found

    def _search(self, node: Node) -> Search:
        if node.query not in self._searches:
            topics = dict.fromkeys(topic for step in topic_sources(node.stage) for topic in step.topics)
            self._searches[node.query] = self.place.log.search(tuple(topics))
        return self._searches[node.query]


def graces(ordered: Sequence[Node]) -> dict[str, int]:
    """By query, the least delay of a watermark in milliseconds, its own or of a query that reads from it, directly or
    not. `ordered`: in order of dependency. Queries without one are not there.
    """
    found: dict[str, int] = {}
    for node in reversed(ordered):
        own = [step.delay for step in node.stage.steps if isinstance(step, Watermark)]
        known = [*own, *([found[node.query]] if node.query in found else [])]
        if known:
            found |= {query: min(*known, found.get(query, known[0])) for query in (node.query, *node.needs)}
    return found
