"""Opening clients of Kafka by confluent-kafka, without output, and waiting for them with a time limit.

Each failure is raised as LsqlcError (see `failures`). Nothing is printed: librdkafka's own log is off, and the errors
that its clients report beside an answer are kept to find the cause of a failure.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsqlc.connectors.kafka.failures import FINAL, Failure, Task, raised
from lsqlc.connectors.kafka.retriable import ASKED_AGAIN
from lsqlc.connectors.kafka.settings import PemTexts, librdkafka_properties
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.extras import require
from lsqlc.types.kafka import KafkaSettings

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka import Consumer, KafkaException, Message, Producer
    from confluent_kafka.admin import AdminClient, ClusterMetadata

K = TypeVar("K")
T = TypeVar("T")

# Seconds within which a cluster has to answer. A cluster whose brokers all refuse connections gets less: a broker that
# is starting may refuse them for a moment.
PATIENCE = 15.0
_REFUSED = 3.0
_STEP = 0.05
_REQUEST = 1.0
# Seconds for which a transaction may stay open before the brokers end it.
TRANSACTION = 60

# Fatal errors are logged at any level, also where they have been handled.
_SILENT = logging.Logger("librdkafka")
_SILENT.addHandler(logging.NullHandler())
_QUICK = {
    # Nothing on stderr: the caller receives errors.
    "log_level": "0",
    "socket.connection.setup.timeout.ms": "5000",
    "reconnect.backoff.max.ms": "1000",
    "topic.metadata.refresh.interval.ms": "60000",
}


@dataclass(slots=True)
class Heard:
    """Errors that a client reports asynchronously: of the cluster, and of records that were not written."""

    failures: list[Failure] = field(default_factory=list)
    unwritten: list[Failure] = field(default_factory=list)

    def __call__(self, error: Any) -> None:
        self.failures.append(Failure(error.name(), error.str()))

    def delivered(self, error: Any, message: Any) -> None:
        # A record that was purged after another failure has no information about the cause.
        if error is not None and not error.name().startswith("_PURGE"):
            self.unwritten.append(Failure(error.name(), error.str()))


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster to open clients of. `patience`: seconds within which it has to answer."""

    settings: KafkaSettings
    patience: float = PATIENCE

    def admin(self) -> Admin:
        """Return a client that lists and changes topics. Raises LsqlcError LSQ099, LSQ734, LSQ748."""
        check_library()
        from confluent_kafka.admin import AdminClient

        events = Heard()
        return Admin(self, self._opened(AdminClient, {}, events), events)

    def producer(self, transactional_id: str, events: Heard) -> Producer:
        """Return a producer of transactions, whose records are partitioned as by Java's clients. Raises as `admin`."""
        check_library()
        from confluent_kafka import Producer

        role = {
            "transactional.id": transactional_id,
            "transaction.timeout.ms": str(TRANSACTION * 1000),
            "message.timeout.ms": str(TRANSACTION * 500),
            # librdkafka's default differs from Java's: a key would be in two partitions.
            "partitioner": "murmur2_random",
            "linger.ms": "20",
            "queue.buffering.max.messages": "500000",
            "compression.type": "lz4",
            "delivery.report.only.error": True,
            "on_delivery": events.delivered,
        }
        producer: Producer = self._opened(Producer, role, events)
        return producer

    def appender(self, events: Heard, timeout: float) -> Producer:
        """Return a producer of single records, outside of transactions.

        A record that is not written within `timeout` seconds fails. Raises as `admin`.
        """
        check_library()
        from confluent_kafka import Producer

        role = {"acks": "all", "linger.ms": "0", "message.timeout.ms": str(int(timeout * 1000))}
        producer: Producer = self._opened(Producer, role, events)
        return producer

    def consumer(self, events: Heard) -> Consumer:
        """Return a consumer for partitions that are assigned to it, of committed records only. Raises as `admin`."""
        check_library()
        from confluent_kafka import Consumer

        role = {
            # A consumer must have one, although it commits nothing.
            "group.id": f"{self.settings.prefix}lsqlc.reader",
            "enable.auto.commit": "false",
            "enable.partition.eof": "true",
            "isolation.level": "read_committed",
            "auto.offset.reset": "error",
            # The end of a partition is reported by a fetch without records, which waits for that long.
            "fetch.wait.max.ms": "20",
            "queued.min.messages": "100000",
            "queued.max.messages.kbytes": "65536",
        }
        consumer: Consumer = self._opened(Consumer, role, events)
        return consumer

    def _opened(self, kind: Any, role: Mapping[str, Any], events: Heard) -> Any:
        from confluent_kafka import KafkaException

        check_files(self.settings)
        properties = {**_QUICK, **role, **librdkafka_properties(self.settings), "error_cb": events, "logger": _SILENT}
        try:
            return kind(properties)
        except KafkaException as error:
            raise _unopened(error, self.settings) from None


@dataclass(frozen=True, slots=True)
class Admin:
    """An open client, which waits for answers."""

    cluster: Cluster
    client: AdminClient
    heard: Heard

    def answer(self, future: Future[T], task: Task) -> T:
        """Return the result of a request.

        Raises LsqlcError for a failure, without waiting for one that does not pass.
        """
        error = self._failure(future, task)
        if error is not None:
            raise self._raised(error, task)
        return future.result()

    def answers(
        self, ask: Callable[[tuple[K, ...]], Mapping[K, Future[T]]], keys: Iterable[K], task: Task
    ) -> dict[K, T]:
        """Return the results of a request by key.

        `ask` is called again for those that fail with a transient error, within the patience of the cluster. Raises as
        `answer`.
        """
        results: dict[K, T] = {}
        left, began = tuple(keys), time.monotonic()
        while left:
            again: list[K] = []
            failure = None
            for key, future in ask(left).items():
                error = self._failure(future, task)
                if error is None:
                    results[key] = future.result()
                elif (failure := failure_of(error)).name in ASKED_AGAIN:
                    again.append(key)
                else:
                    raise self._raised(error, task)
            left = tuple(again)
            if left:
                self._check(began, task, failure)
                time.sleep(_STEP)
        return results

    def answer_unless(self, future: Future[T], task: Task, *names: str) -> T | None:
        """Return the result as `answer`; None for a failure with one of these names."""
        error = self._failure(future, task)
        return None if error is not None and failure_of(error).name in names else self.answer(future, task)

    def succeeds(self, future: Future[Any], task: Task, *names: str) -> bool:
        """Return True if a request succeeds, or fails with an error of one of these names. Raises as `answer`."""
        self.answer_unless(future, task, *names)
        return future.exception() is None

    def metadata(self, task: Task) -> ClusterMetadata:
        """Return all topics and brokers. Raises as `answer`."""
        from confluent_kafka import KafkaException

        began = time.monotonic()
        while True:
            try:
                return self.client.list_topics(timeout=_REQUEST)
            except KafkaException as error:
                self.client.poll(_STEP)
                failure = failure_of(error)
                if failure.name not in ASKED_AGAIN:
                    raise self._raised(error, task) from None
                self._check(began, task, failure)

    def _failure(self, future: Future[Any], task: Task) -> KafkaException | None:
        """Return the failure of a request that has ended, None if it succeeded.

        The exception is not raised: its traceback would hold the future, and with it this client and its sockets.
        """
        from confluent_kafka import KafkaException

        began = time.monotonic()
        while not wait([future], _STEP).done:
            self.client.poll(0)
            self._check(began, task, None)
        error = future.exception()
        return error if isinstance(error, KafkaException) else None

    def _check(self, began: float, task: Task, failure: Failure | None) -> None:
        """Raise for a failure that further waiting does not change."""
        waited = time.monotonic() - began
        names = {failure.name for failure in self.heard.failures}
        all_refuse = "_ALL_BROKERS_DOWN" in names and waited > _REFUSED
        if names & FINAL or all_refuse or waited > self.cluster.patience:
            last = failure or Failure("_TIMED_OUT", f"no answer within {waited:.0f} seconds")
            raise raised(last, self.heard.failures, self.cluster.settings, task)

    def _raised(self, error: Any, task: Task) -> LsqlcError:
        return raised(failure_of(error), self.heard.failures, self.cluster.settings, task)


@contextmanager
def client_errors(settings: KafkaSettings, task: Task, events: Heard | None = None) -> Iterator[None]:
    """Errors of a client inside, as LsqlcError."""
    from confluent_kafka import KafkaException

    try:
        yield
    except KafkaException as error:
        events = events or Heard()
        # For a transaction that fails because of a record, the broker's error for the record names the cause.
        failure = events.unwritten[0] if events.unwritten else failure_of(error)
        raise raised(failure, events.failures, settings, task) from None


def failure_of(error: Any) -> Failure:
    """Return the failure that a KafkaException describes."""
    inner = error.args[0] if error.args else None
    name, text = getattr(inner, "name", None), getattr(inner, "str", None)
    return Failure(name(), text()) if name and text else Failure("_FAIL", str(error))


def check_files(settings: KafkaSettings) -> None:
    """Raise LSQ734 for a file of certificates or keys that cannot be read; the client's own error is less precise."""
    security = settings.security
    for key in ("ca", "certificate", "key") if security.has_tls else ():
        path = getattr(security, key)
        if path is not None:
            _text(key, path)


def pem_texts(settings: KafkaSettings) -> PemTexts:
    """Return the contents of the files that the settings name, for Java's clients.

    Raises LsqlcError LSQ734 for a file that cannot be read, and for a key in a form that Java does not support.
    """
    security = settings.security
    if not security.has_tls:
        return PemTexts()
    ca, certificate, key = (
        _text(name, path) if path else None
        for name, path in (("ca", security.ca), ("certificate", security.certificate), ("key", security.key))
    )
    if key is not None and "BEGIN PRIVATE KEY" not in key and "BEGIN ENCRYPTED PRIVATE KEY" not in key:
        message = f"the key '{security.key}' is not in the format PKCS #8, which Java requires"
        help = f"openssl pkcs8 -topk8 -nocrypt -in {security.key} -out {security.key}.pkcs8"
        raise LsqlcError([Diagnostic("LSQ734", message, help=help)])
    return PemTexts(ca, certificate, key)


def _text(key: str, path: str) -> str:
    try:
        return Path(path).read_text("ascii")
    except (OSError, ValueError) as error:
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "it is not a PEM file"
        help = f"correct `{key}` in `security:` of the target: the path is relative to the current folder"
        raise LsqlcError([Diagnostic("LSQ734", f"the file '{path}' cannot be read: {why}", help=help)]) from None


def check_library() -> None:
    """Raise LSQ099 without confluent-kafka."""
    require("confluent_kafka")


def _unopened(error: Any, settings: KafkaSettings) -> LsqlcError:
    """Return the library's error for properties that it rejects."""
    failure = failure_of(error)
    if "ssl" in failure.text.lower() and settings.security.has_tls:
        return raised(Failure("_SSL", failure.text), (), settings, Task("cannot create a client"))
    help = "correct `properties` of the target: one for another client begins with `java.` or `python.`"
    message = f"the client rejects its properties: {failure.text}"
    return LsqlcError([Diagnostic("LSQ748", message, help=help)])


def append_one(
    producer: Producer, name: str, key: bytes, value: bytes | None, settings: KafkaSettings, task: Task, events: Heard
) -> Message:
    """Append one record to a topic, outside of transactions, and wait for it.

    Returns the record as stored by the broker. `events`: those of the producer. Raises LsqlcError if it was not
    written.
    """
    from confluent_kafka import KafkaException

    reports: list[tuple[Any, Message]] = []
    with client_errors(settings, task, events):
        producer.produce(name, value, key, on_delivery=lambda error, message: reports.append((error, message)))
        # Each message is reported, also one that is not delivered, after its timeout.
        while not reports:
            producer.poll(0.1)
        error, message = reports[0]
        if error is not None:
            raise KafkaException(error)
    return message
