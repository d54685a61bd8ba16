"""The progress of queries as the offsets of consumer groups: so Kafka's own tools show their lag.

These offsets are never read: a query continues from its checkpoint. So they are best effort, a moment late, and a
failure is reported once and stops nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka.access import consumer_groups
from lsqlc.connectors.kafka.client import Admin, Cluster
from lsqlc.connectors.kafka.failures import Task
from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity
from lsqlc.types.kafka import KafkaSettings

# The offset after the last record read, by the topic's name in Kafka and by partition.
Offsets = Mapping[str, Mapping[int, int]]
# Seconds between two commits, the default of Kafka's own consumers, and within which the brokers have to answer.
_EVERY = 5.0
_PATIENCE = 5.0


@dataclass(slots=True)
class GroupCommits:
    """The offsets of the queries of a run. `show`: reports a failure; `monotonic`: seconds of a clock."""

    settings: KafkaSettings
    show: Callable[[Diagnostic], None]
    monotonic: Callable[[], float]
    _waiting: dict[str, Offsets] = field(default_factory=dict)
    _due: float = 0.0
    _failed: bool = False

    def take(self, query: str, offsets: Offsets) -> None:
        """Keep the offsets that a query has read, for the next commit."""
        if offsets:
            self._waiting[query] = offsets

    def keep_up(self) -> None:
        """Commit the kept offsets, if the last commit is some seconds ago."""
        if self._waiting and self.monotonic() >= self._due:
            self.commit()

    def commit(self) -> None:
        """Commit all kept offsets."""
        waiting, self._waiting = self._waiting, {}
        try:
            commit(Cluster(self.settings, _PATIENCE), waiting)
            self._failed = False
        except LsqlcError as error:
            # The next commit includes the offsets of a failed one.
            if not self._failed:
                self.show(replace(error.diagnostics[0], severity=Severity.WARNING))
            self._failed = True
        self._due = self.monotonic() + _EVERY


def commit(cluster: Cluster, read: Mapping[str, Offsets]) -> None:
    """Set the offsets of the group of each query. Raises LsqlcError, LSQ735 for a group that the user has no
    access to.
    """
    from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition

    if not read:
        return
    settings = cluster.settings
    task = Task("the offsets of consumer groups cannot be committed", (consumer_groups(settings),))
    admin: Admin = cluster.admin()
    futures = []
    for query, offsets in read.items():
        places = [TopicPartition(topic, p, offset) for topic, of in offsets.items() for p, offset in of.items()]
        group = ConsumerGroupTopicPartitions(commits.query_group(settings.prefix, query), places)
        # One group a request: the library supports no more.
        futures += admin.client.alter_consumer_group_offsets([group], request_timeout=cluster.patience).values()
    for future in futures:
        admin.answer(future, task)
