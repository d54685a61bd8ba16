"""What ends a query over Kafka, out of Spark's texts: a finding with its next step, and whether it passes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.formats.encoding import UNKNOWN_ID
from lsqlc.lower.spark.wire.records import UNREADABLE
from lsqlc.project.declared.target import Target
from lsqlc.remote.connectors.avro_functions import check_avro
from lsqlc.remote.connectors.kafka.failures import explained
from lsqlc.remote.connectors.kafka.publish import CHANGED, FAILED, FENCED
from lsqlc.remote.connectors.kafka.task_writers import failure_text
from lsqlc.remote.connectors.transport import Explained
from lsqlc.remote.connectors.unknown_schema import UnknownSchemaError
from lsqlc.remote.session.failures import query_failed, query_refused
from lsqlc.tasks.debug import _connector_on_server
from lsqlc.tasks.run import has_avro
from lsqlc.types.kafka import KafkaSecurity, KafkaSettings

SECRET = "hunter2"
SETTINGS = KafkaSettings("broker:9092", security=KafkaSecurity("SASL_SSL", "PLAIN", "ann", SECRET), prefix="p.")
# By text of an error: its code, whether it passes, and words that the finding has.
KNOWN = {
    f"RuntimeError: {FAILED}: _ALL_BROKERS_DOWN: 1/1 brokers are down\n": ("LSQ732", True, "broker:9092"),
    f"... {FAILED}: TOPIC_AUTHORIZATION_FAILED: Broker: Topic authorization failed\n": ("LSQ735", False, "'out'"),
    f"... {FAILED}: INVALID_TIMESTAMP: Broker: Invalid timestamp\n": ("LSQ740", False, "cannot write 'out'"),
    f"... {FENCED}: _FENCED: this instance has been fenced\n": ("LSQ747", False, "another writer has taken over"),
    f"... {FAILED}: INVALID_TXN_STATE: another attempt has started\n": ("LSQ740", True, "cannot write 'out'"),
    f"PythonException: RuntimeError: {CHANGED}: 7\n": ("LSQ759", False, "the model 'm' has changed"),
    "[STREAM_FAILED] org.apache.kafka.common.errors.SaslAuthenticationException: Authentication failed": (
        "LSQ733", False, "credentials",
    ),
    "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host": (
        "LSQ740", False, "cannot read 'orders'",
    ),
    "org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node": ("LSQ732", True, "broker"),
    "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [p.orders]": (
        "LSQ735", False, "cannot read 'orders'",
    ),
    "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [p.out]": (
        "LSQ735", False, "cannot write 'out'",
    ),
    "org.apache.kafka.common.errors.TimeoutException: Topic p.out not present in metadata after 60000 ms.": (
        "LSQ740", False, "cannot write 'out'",
    ),
    "org.apache.kafka.common.errors.RecordTooLargeException: The message is 107 bytes when serialized": (
        "LSQ740", False, "cannot write 'out'",
    ),
    f"... {FAILED}: UNKNOWN_LEADER_EPOCH: Broker: Leader epoch is newer than broker epoch\n": (
        "LSQ766", True, "cannot write 'out'",
    ),
    "org.apache.kafka.common.errors.FencedLeaderEpochException: The leader epoch in the request is older": (
        "LSQ766", True, "cannot read 'orders'",
    ),
    "org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException: Messages are written for p.out-0: x": (
        "LSQ766", True, "cannot write 'out'",
    ),
    f"[USER_RAISED_EXCEPTION] {UNREADABLE}:orders:2:17: value: expected JSON SQLSTATE: P0001": (
        "LSQ667", False, "cannot read a record of 'orders'",
    ),
}  # fmt: skip
# What the connector says of records that are gone, in the words that the versions 4.0 to 4.2 have, and what is told.
_LOSS = (
    "Some data may have been lost because they are not available in Kafka any more; either the data was aged out by "
    "Kafka or the topic may have been deleted before all the data in the topic was processed. If you don't want your "
    "streaming query to fail on such cases, set the source option failOnDataLoss to false. Reason: "
)
LOSSES = {
    "ADDED_PARTITION_DOES_NOT_START_FROM_OFFSET_ZERO": (
        f"{_LOSS}Added partition p.orders-2 starts from 7 instead of 0.",
        "the query reads partition 2 of 'orders' from offset 0 on, which begins at offset 7",
    ),
    "COULD_NOT_READ_OFFSET_RANGE": (
        f"{_LOSS}Could not read records in offset [3, 9) for topic partition p.orders-0 with consumer group g-1.",
        "the query reads partition 0 of 'orders' from offset 3 on, which does not exist",
    ),
    "INITIAL_OFFSET_NOT_FOUND_FOR_PARTITIONS": (
        f"{_LOSS}Cannot find initial offsets for partitions Set(p.orders-1). They may have been deleted.",
        "partition 1 of 'orders' does not exist",
    ),
    "PARTITIONS_DELETED": (
        f"{_LOSS}Partitions HashSet(p.orders-1, p.orders-2) have been deleted.",
        "partition 2 of 'orders' does not exist",
    ),
    "PARTITIONS_DELETED_AND_GROUP_ID_CONFIG_PRESENT": (
        f"{_LOSS}Partitions Set(p.orders-1) have been deleted. Kafka option 'kafka.group.id' has been set",
        "partition 1 of 'orders' does not exist",
    ),
    "PARTITION_OFFSET_CHANGED": (
        f"{_LOSS}Partition p.orders-0 offset was changed from 10 to 2. This could be either 1) a user error",
        "partition 0 of 'orders' ends at offset 2, and the query has read it up to offset 10",
    ),
    "START_OFFSET_RESET": (
        f"{_LOSS}Starting offset for p.orders-0 was 3 but consumer reset to 8.",
        "the query reads partition 0 of 'orders' from offset 3 on, which begins at offset 8",
    ),
    "LOST_TOPIC_PARTITIONS_IN_END_OFFSET_WITH_TRIGGER_AVAILABLENOW": (
        "Some of partitions in Kafka topic(s) have been lost during running query with Trigger.AvailableNow. The error",
        "Spark says: Some of partitions",
    ),
    "END_OFFSET_HAS_GREATER_OFFSET_FOR_TOPIC_PARTITION_THAN_LATEST_WITH_TRIGGER_AVAILABLENOW": (
        "Some of partitions in Kafka topic(s) report available offset which is less than end offset during running "
        "query with Trigger.AvailableNow. The error could be transient",
        "Spark says: Some of partitions",
    ),
    "END_OFFSET_HAS_GREATER_OFFSET_FOR_TOPIC_PARTITION_THAN_PREFETCHED": (
        "For Kafka data source with Trigger.AvailableNow, end offset should have lower or equal offset per each topic "
        "partition than pre-fetched offset. The error could be transient",
        "Spark says: For Kafka data source",
    ),
    "MISMATCHED_TOPIC_PARTITIONS_BETWEEN_END_OFFSET_AND_PREFETCHED": (
        "Kafka data source in Trigger.AvailableNow should provide the same topic partitions in pre-fetched offset to "
        "end offset for each microbatch. The error could be transient",
        "Spark says: Kafka data source",
    ),
    "MISMATCHED_TOPIC_PARTITIONS_BETWEEN_START_OFFSET_AND_END_OFFSET": (
        "The specified start offset and end offset should have the same topic-partitions. In Kafka",
        "Spark says: The specified start offset",
    ),
    "RESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET": (
        "The resolved start offset 9 is greater than the resolved end offset 2 for topic p.orders partition 0. Kafka",
        "Spark says: The resolved start offset 9",
    ),
    "OffsetOutOfRangeException": (
        "org.apache.kafka.clients.consumer.OffsetOutOfRangeException: Fetch position FetchPosition{offset=3} is out of "
        "range for partition p.orders-0",
        "Spark says: Fetch position",
    ),
}


def of(error: str) -> Explained | None:
    return explained(error, SETTINGS, "m", "out", ["orders"])


@pytest.mark.parametrize("error", KNOWN)
def test_a_failure_names_its_next_step(error: str) -> None:
    """With the name of the topic or the address, and without the password."""
    code, passing, words = KNOWN[error]
    found = of(error)
    assert found is not None and (found.diagnostic.code, found.passing) == (code, passing)
    assert words in found.diagnostic.message and found.diagnostic.help
    assert SECRET not in str(found.diagnostic) and SECRET not in repr(found)


def test_a_bad_record_has_the_command_that_skips_it() -> None:
    """With its topic, partition and offset."""
    found = of(f"[USER_RAISED_EXCEPTION] {UNREADABLE}:orders:2:17: value: expected JSON SQLSTATE: P0001")
    assert found is not None and found.diagnostic.help is not None
    assert "`lsqlc run --skip-record orders:2:17` skips it; or fix" in found.diagnostic.help


@pytest.mark.parametrize("condition", LOSSES)
def test_records_that_are_gone(condition: str) -> None:
    """By the words of the connector, whose exceptions do not have the name of their condition; also by that name. What
    Spark advises, which would skip records without a message, is left out.
    """
    text, note = LOSSES[condition]
    name = f"[KAFKA_DATA_LOSS.{condition}]" if text.startswith(_LOSS) else f"[{condition}]"
    failed = "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: "
    for error in (f"{failed}{text} SQLSTATE: XXKST\n\n=== Streaming Query ===\nof kafka", f"{failed}{name} kafka"):
        found = of(error)
        assert found is not None and (found.diagnostic.code, found.passing) == ("LSQ753", False)
        assert found.diagnostic.help is not None and "failOnDataLoss" not in str(found.diagnostic)
        assert "`lsqlc run --select m+ --full-refresh`" in found.diagnostic.help
        assert "`lsqlc run --accept-loss orders`" in found.diagnostic.help
    found = of(f"{failed}{text} SQLSTATE: XXKST")
    assert found is not None and any(said.startswith(note) for said in found.diagnostic.notes)


def test_an_error_of_a_writer_is_known_by_its_text() -> None:
    """As the function says it that is on the server, whose defaults travel with it."""
    error = SimpleNamespace(name=lambda: "TOPIC_AUTHORIZATION_FAILED", str=lambda: "Topic authorization failed")
    found = of(f"PythonException: RuntimeError: {failure_text()(Exception(error))}")
    assert found is not None and found.diagnostic.code == "LSQ735" and found.diagnostic.help
    assert "--topic p.out" in found.diagnostic.help and "--topic p._lsqlc.commits" in found.diagnostic.help
    error = SimpleNamespace(name=lambda: "INVALID_PRODUCER_EPOCH", str=lambda: "old")
    assert failure_text()(Exception(error)).startswith(FENCED)
    assert failure_text()(Exception(error), fences=False).startswith(f"{FAILED}: INVALID_TXN_STATE")


def test_what_stands_around_an_exception_is_left_out() -> None:
    """Spark's words of a task, and the traceback of its Python."""
    of_java = "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [p.orders]"
    text = f"[STREAM_FAILED] process: Traceback (most recent call last):\n  File x\n Caused by: {of_java}\n\tat x.Y(Z)"
    found = of(text)
    assert found is not None
    assert found.diagnostic.notes == ("the client says: not authorized to access topics: [p.orders]",)


@pytest.mark.parametrize("said", [query_failed, query_refused])
@pytest.mark.parametrize("program", ["python3", "/opt/python3.11/bin/python", "/usr/bin/pypy3"])
@pytest.mark.parametrize(
    "words", ["error=2, No such file or directory", "Exec failed, error: 2 (No such file or directory) "]
)
def test_a_server_without_python(said: Any, program: str, words: str) -> None:
    """The setting that needs none is named, whatever the version of Java; a helper process that could not be started is
    something else.
    """
    error = f'(java.io.IOException) Cannot run program "{program}": {words}'
    arguments = ("m", "q") if said is query_failed else ("m", "q", "the start")
    found = said(*arguments, error)
    assert found.code == "LSQ761" and "`writers: native`" in found.help and program in found.notes[0]
    helper = f'Cannot run program "{program}": error=0, Failed to exec spawn helper'
    for other in (helper, error.replace(program, "ls")):
        assert said(*arguments, other).code != "LSQ761"


def test_the_place_of_a_bad_record_is_said() -> None:
    """Its partition, its offset and the reason."""
    why = "key: expected INT; value: expected JSON"
    found = of(f"[USER_RAISED_EXCEPTION] {UNREADABLE}:orders:2:17: {why} SQLSTATE: P0001")
    assert found is not None
    assert found.diagnostic.notes == ("it is at offset 17 of partition 2", why)


def test_a_schema_that_is_new_is_asked_for() -> None:
    """It is no failure of the query alone: the run asks the registry."""
    with pytest.raises(UnknownSchemaError) as raised:
        of(f"[USER_RAISED_EXCEPTION] {UNKNOWN_ID}:orders:value:107 SQLSTATE: P0001")
    assert raised.value.schema == ("orders", "value", 107)


def test_what_is_not_about_kafka_is_left_to_others() -> None:
    """A division by zero, a lost server."""
    assert of("[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012") is None
    assert of("StatusCode.UNAVAILABLE failed to connect to all addresses") is None


def test_a_server_without_the_connector() -> None:
    """Spark refuses the source before anything runs."""
    error = "[DATA_SOURCE_NOT_FOUND] Failed to find the data source: kafka. Make sure. SQLSTATE: 42K02"
    found = query_refused("m", "q", "'lines_1'", error)
    assert found.code == "LSQ754" and "--packages" in str(found.help)


class Server:
    """A Spark server that analyzes SQL, or refuses it with an error."""

    version = "4.2.0"

    def __init__(self, error: str | None = None) -> None:
        self.error = error

    def sql(self, sql: str) -> Server:
        assert "from_avro" in sql
        return self

    @property
    def schema(self) -> str:
        if self.error:
            raise RuntimeError(self.error)
        return "INT"


def test_a_server_without_avro() -> None:
    """The coordinates have the server's version. Any other error is what it is."""
    check_avro(cast("Any", Server()))
    for condition in ("AVRO_NOT_LOADED_SQL_FUNCTIONS_UNUSABLE", "UNRESOLVED_ROUTINE"):
        with pytest.raises(LsqlcError) as raised:
            check_avro(cast("Any", Server(f"[{condition}] Cannot call the `from_avro` SQL function. SQLSTATE: 22KD3")))
        (found,) = raised.value.diagnostics
        assert found.code == "LSQ769" and "org.apache.spark:spark-avro_2.13:4.2.0" in str(found.help)
    with pytest.raises(RuntimeError):
        check_avro(cast("Any", Server("StatusCode.UNAVAILABLE")))


@pytest.mark.parametrize(("format", "needed"), [("avro", True), ("json", False)])
def test_who_needs_avro(format: str, needed: bool) -> None:
    """Plans over a topic in that format, read or written."""
    topic = lsqlc.Topic("orders", key="INT", value={"schema": "item STRING", "format": format})
    assert has_avro([lsqlc.compile("SELECT STREAM * FROM orders", topics=[topic])]) is needed


@pytest.mark.parametrize("needed", [True, False])
def test_debug_asks_for_avro(needed: bool) -> None:
    """Only where the project has a topic in that format."""
    target = Target("prod", type="connect", connection=SETTINGS, checkpoints="s3a://c")
    assert ("avro" in [name for name, _ in _connector_on_server(None, target, needed)]) is needed
