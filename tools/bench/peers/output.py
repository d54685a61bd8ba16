"""The output topic of a query, as a reader of committed records sees it, and its rows as values of lsqlc's types."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from confluent_kafka import Consumer, IsolationLevel, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from lsqlc import Plan
from lsqlc.types import codec
from tests.standard_sql.oracle import canonical
from tools.bench.peers.workload import PARALLELISM

_SECONDS = 30.0
# The column by which Pathway says whether a row comes or goes.
_DIFF = "diff"


class BadRowError(Exception):
    """A record that is not of the type of the result."""


class Output:
    """A topic. `made`: it is made here; else the engine makes it."""

    def __init__(self, bootstrap: str, name: str, *, made: bool) -> None:
        self._bootstrap, self._name = bootstrap, name
        self._admin = AdminClient({"bootstrap.servers": bootstrap})
        self._partitions: tuple[int, ...] = ()
        if made:
            for future in self._admin.create_topics([NewTopic(name, PARALLELISM, 1)]).values():
                future.result()

    def visible(self) -> int:
        """Offsets up to which all transactions have ended: they count markers of transactions too. 0 for a topic that
        has no leader yet.
        """
        try:
            return sum(self._ends().values())
        except KafkaException:
            return 0

    def records(self) -> Iterator[tuple[bytes | None, Any]]:
        """The committed ones, key and value, in their order in each partition."""
        ends = {number: end for number, end in self._ends().items() if end}
        settings = {"bootstrap.servers": self._bootstrap, "group.id": "bench", "isolation.level": "read_committed"}
        consumer = Consumer({**settings, "enable.auto.commit": False, "enable.partition.eof": True})
        consumer.assign([TopicPartition(self._name, number, 0) for number in ends])
        try:
            while ends:
                for message in consumer.consume(10_000, 1.0):
                    if message.error() is not None:
                        ends.pop(message.partition(), None)
                        continue
                    text = message.value()
                    yield message.key(), None if text is None else json.loads(text)
        finally:
            consumer.close()

    def _ends(self) -> dict[int, int]:
        if not self._partitions:
            known = self._admin.list_topics(timeout=_SECONDS).topics
            if self._name not in known:
                return {}
            self._partitions = tuple(known[self._name].partitions)
        wanted = {TopicPartition(self._name, number): OffsetSpec.latest() for number in self._partitions}
        committed = IsolationLevel.READ_COMMITTED
        found = self._admin.list_offsets(wanted, isolation_level=committed, request_timeout=_SECONDS)
        return {partition.partition: future.result().offset for partition, future in found.items()}


def rows(plan: Plan, records: Iterable[tuple[bytes | None, Any]]) -> Counter[Any]:
    """The result, each row with how often: of a STREAM all records, of a TABLE the newest value of each key. A record
    without a key is a row of its own, and `diff` -1 takes one back. A value may hold several `rows`. Raises
    BadRowError.
    """
    is_stream = plan.semantics[plan.outputs[0].name] == "STREAM"
    newest: dict[bytes, Any] = {}
    bare: Counter[Any] = Counter()
    for key, value in records:
        if key is None or is_stream or (value is not None and _DIFF in value):
            bare.update(_counted(plan, value))
        elif value is None:
            newest.pop(key, None)
        else:
            newest[key] = value
    for value in newest.values():
        bare.update(_counted(plan, value))
    return +bare


def _counted(plan: Plan, value: Any) -> Counter[Any]:
    """The rows of a value as lsqlc compares them. A column whose name an engine keeps for itself ends in `_`."""
    type = plan.outputs[0].value.type
    found: Counter[Any] = Counter()
    for row in value.get("rows", [value]):
        decoded, problems = codec.decode(type, {name.removesuffix("_"): cell for name, cell in row.items()})
        if problems:
            raise BadRowError(f"wrote {row}, which is not a row of the result: {problems[0]}")
        found[canonical(decoded)] += row.get(_DIFF, 1)
    return found
