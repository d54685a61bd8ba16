"""What queries have read, in consumer groups: as Kafka's own tools see it."""

from __future__ import annotations

import pytest

from lsqlc.connectors.kafka import groups
from lsqlc.connectors.kafka.client import Cluster
from lsqlc.connectors.kafka.groups import GroupCommits, commit
from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity
from lsqlc.types.kafka import KafkaSettings
from tests.kafka.client import create
from tests.shared import SharedBroker


@pytest.mark.kafka
def test_a_group_has_the_offsets_of_its_query(broker: SharedBroker, topic_prefix: str) -> None:
    """Of each partition, the newest ones, and of each query by itself."""
    from confluent_kafka import ConsumerGroupTopicPartitions
    from confluent_kafka.admin import AdminClient

    topic = f"{topic_prefix}orders"
    create(broker.bootstrap, topic, partitions=2)
    cluster = Cluster(KafkaSettings(broker.bootstrap, prefix=topic_prefix))
    commit(cluster, {"sums": {topic: {0: 3, 1: 0}}, "sums.stage1": {topic: {0: 1}}})
    commit(cluster, {"sums": {topic: {0: 5, 1: 2}}})
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})

    def offsets(query: str) -> dict[int, int]:
        asked = [ConsumerGroupTopicPartitions(f"{topic_prefix}lsqlc.query.{query}")]
        (future,) = admin.list_consumer_group_offsets(asked).values()
        return {place.partition: place.offset for place in future.result().topic_partitions}

    assert offsets("sums") == {0: 5, 1: 2} and offsets("sums.stage1") == {0: 1}


def test_commits_are_some_seconds_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has the newest offsets, and what failed is reported once until one succeeds."""
    now, committed, shown, fails = [0.0], [], list[Diagnostic](), [False]

    def noted(cluster: Cluster, read: dict[str, groups.Offsets]) -> None:
        if fails[0]:
            raise LsqlcError([Diagnostic("LSQ732", "no broker answers")])
        committed.append(read)

    monkeypatch.setattr(groups, "commit", noted)
    commits = GroupCommits(KafkaSettings("localhost:1"), shown.append, lambda: now[0])
    commits.keep_up()
    commits.take("files", {})
    commits.keep_up()
    assert committed == []
    for second in range(12):
        now[0] = second
        commits.take("sums", {"orders": {0: second}})
        commits.keep_up()
    assert committed == [{"sums": {"orders": {0: second}}} for second in (0, 5, 10)]
    fails[0] = True
    for second in (20, 30):
        now[0] = second
        commits.take("sums", {"orders": {0: second}})
        commits.keep_up()
    assert [(found.code, found.severity) for found in shown] == [("LSQ732", Severity.WARNING)]
    fails[0] = False
    commits.take("sums", {"orders": {0: 40}})
    commits.commit()
    assert committed[-1] == {"sums": {"orders": {0: 40}}}
