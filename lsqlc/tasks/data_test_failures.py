"""The failures of data tests as records of a topic, which others can follow: one for each record that fails."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.tasks.data_tests import DataTestResult
from lsqlc.types import data
from lsqlc.types.data import Field, Struct
from lsqlc.types.record import ABSENT, Facet, Record, Topic

if TYPE_CHECKING:
    from lsqlc.connectors.transport import Transport
    from lsqlc.project.build.compile import Compilation

# `key` and `value` are JSON, null where the test is of the topic as a whole; `partition` and `offset` are of Kafka.
_FAILURE = Struct(
    (
        Field("topic", data.STRING, nullable=False),
        Field("test", data.STRING, nullable=False),
        Field("severity", data.STRING, nullable=False),
        Field("message", data.STRING, nullable=False),
        Field("key", data.STRING),
        Field("value", data.STRING),
        Field("timestamp", data.BIGINT),
        Field("partition", data.INT),
        Field("offset", data.BIGINT),
    )
)


def failures_topic(compilation: Compilation, name: str) -> Topic:
    """Return the topic that failures are written to. Raises LsqlcError LSQ871 for a topic of the project."""
    models = {model.name for model in compilation.project.models}
    if name in compilation.topics.keys() | compilation.graph.writers.keys() | models:
        message = f"failures cannot be written to '{name}', which is a topic of the project"
        raise LsqlcError([Diagnostic("LSQ871", message, help="choose a name that the project does not use")])
    return Topic(name, ABSENT, Facet(_FAILURE, "json"))


def write_failures(log: Transport, topic: Topic, results: Iterable[DataTestResult], *, now: int) -> int:
    """Append the failures of all results, and return their number. `now`: epoch milliseconds.

    A test has the failures that it keeps; a test of a whole topic has one. Raises LsqlcError as the log does.
    """
    records = [record for result in results if not result.passed for record in _records(topic.name, result, now)]
    if records:
        log.append(topic, records)
    return len(records)


def _records(topic: str, result: DataTestResult, now: int) -> list[Record]:
    common = {
        "topic": result.topic,
        "test": result.test.text,
        "severity": result.test.severity,
        "message": result.message,
    }
    none = {"key": None, "value": None, "timestamp": None, "partition": None, "offset": None}
    if not result.failures:
        return [Record(topic, None, {**common, **none}, now)]
    return [
        Record(
            topic,
            None,
            {
                **common, "key": f.key, "value": f.value, "timestamp": f.timestamp, "partition": f.partition,
                "offset": f.offset,
            },
            now,
        )
        for f in result.failures
    ]  # fmt: skip
