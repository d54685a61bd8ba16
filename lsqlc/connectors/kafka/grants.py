"""The access that models need for the user of a target: derived from the topics of their plans. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lsqlc.connectors.kafka.access import Access, Operation, consumer_groups, merged, transactions
from lsqlc.connectors.kafka.plan import Need
from lsqlc.types.kafka import KafkaSettings


def grants(needs: Collection[Need], settings: KafkaSettings) -> tuple[Access, ...]:
    """Return each resource once: topics in their order, then the ids of transactions and the groups of consumers."""
    return merged(_grants(needs, settings))


def environment_grants(settings: KafkaSettings, other: KafkaSettings) -> tuple[Access, ...]:
    """Return the access of an environment that reads topics of another target.

    Which of its models run, and so which topics they are, changes with the project. It removes its own topics at the
    end.
    """
    reads: tuple[Operation, ...] = ("Read", "Describe", "DescribeConfigs")
    return (
        Access("topic", settings.prefix, (*reads, "Write", "Create", "Delete"), prefixed=True),
        Access("topic", other.prefix, reads, prefixed=True),
        transactions(settings),
        consumer_groups(settings),
    )


def _grants(needs: Collection[Need], settings: KafkaSettings) -> Iterator[Access]:
    # Before it starts, a run compares all topics with their specifications.
    for need in needs:
        if need.readers:
            yield Access("topic", need.spec.name, ("Read", "Describe", "DescribeConfigs"))
        if need.writers:
            yield Access("topic", need.spec.name, ("Write", "Describe", "DescribeConfigs", "Create"))
    if any(need.writers for need in needs):
        yield transactions(settings)
    if any(need.readers for need in needs):
        yield consumer_groups(settings)
