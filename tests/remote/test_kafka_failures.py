"""What ends a query over Kafka, out of Spark's texts: a finding with its next step, and whether it passes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from lsqlc.lower.spark.wire.encodings import UNKNOWN_ID
from lsqlc.lower.spark.wire.records import UNREADABLE
from lsqlc.remote.session.failures import query_failed, query_refused
from lsqlc.remote.topics.kafka.failures import UnknownSchemaError, explained
from lsqlc.remote.topics.kafka.publish import CHANGED, FAILED, FENCED
from lsqlc.remote.topics.kafka.task_writers import failure_text
from lsqlc.remote.topics.transport import Explained
from lsqlc.types.kafka import KafkaSecurity, KafkaSettings

SECRET = "hunter2"
SETTINGS = KafkaSettings("broker:9092", security=KafkaSecurity("SASL_SSL", "PLAIN", "ann", SECRET), prefix="p.")
# By text of an error: its code, whether it passes, and words that the finding has.
KNOWN = {
    f"RuntimeError: {FAILED}: _ALL_BROKERS_DOWN: 1/1 brokers are down\n": ("LSQ732", True, "broker:9092"),
    f"... {FAILED}: TOPIC_AUTHORIZATION_FAILED: Broker: Topic authorization failed\n": ("LSQ735", False, "'out'"),
    f"... {FAILED}: INVALID_TIMESTAMP: Broker: Invalid timestamp\n": ("LSQ740", False, "cannot write 'out'"),
    f"... {FENCED}: _FENCED: this instance has been fenced\n": ("LSQ747", False, "another writer has taken over"),
    f"... {FAILED}: INVALID_TXN_STATE: another attempt of the task has begun\n": ("LSQ740", True, "cannot write 'out'"),
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
    "[KAFKA_DATA_LOSS.START_OFFSET_RESET] Some data may have been lost. SQLSTATE: 22000": ("LSQ753", False, "orders"),
    f"[USER_RAISED_EXCEPTION] {UNREADABLE}:orders:2:17: value: expected JSON SQLSTATE: P0001": (
        "LSQ667", False, "cannot read a record of 'orders'",
    ),
}  # fmt: skip


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
