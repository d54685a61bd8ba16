"""The two clients by which the Python process of a query writes to Kafka.

It uses confluent-kafka if the server has it, else kafka-python, whose files are sent with the query. Everything here is
pickled by value and sent to the server, and uses only the standard library and these clients. A client has one
transactional id. When it is opened, it fences the producer that had this id before, and aborts its open transaction.

A client has these functions:

- `send(topic, records)`: append records of (partition, key, value, epoch milliseconds, headers), in a transaction that
  begins with the first record. The partition -1 is that of the key. Headers are a list of pairs, or None.
- `commit(topic, records)`: append records of (key, value), and commit the transaction.
- `abort()`: abort the transaction, if the brokers can be reached.
- `committed(start)`: return the committed markers from that offset on, as (key, value), and the end offset of their
  topic.
- `end()`: return that end offset.
- `partitions(topic)`: return the number of partitions.
- `close()`: close the client.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsqlc.connectors.kafka.retriable import UNSETTLED
from lsqlc.remote.connectors.kafka.carried import unpacker
from lsqlc.remote.connectors.kafka.tls import with_tls
from lsqlc.remote.connectors.publish import placeless


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """The settings of the clients.

    - `markers`: the topic of the markers. `marker`: the key of the query's markers, and the prefix of those of its
      tasks.
    - `librdkafka`, `python`: properties of the two clients.
    - `wheel`: the files of kafka-python, as a zip archive, for a server that has neither client; None: not sent.
    - `timeout`: seconds for a transaction.
    """

    markers: str
    marker: bytes
    librdkafka: Mapping[str, Any]
    python: Mapping[str, Any]
    wheel: bytes | None = None
    timeout: int = 60


def clients(settings: ClientSettings) -> Any:
    """Return a function that opens a client for a transactional id."""
    confluent, python = confluent_client(settings), python_client(settings)

    def open_client(id: str) -> Any:
        try:
            import confluent_kafka  # noqa: F401
        except ImportError:
            return python(id)
        return confluent(id)

    return placeless(open_client)


def confluent_client(settings: ClientSettings) -> Any:
    """Return a function like `clients`, which uses confluent-kafka.

    Requests for offsets and metadata with a retriable error are repeated for `timeout` seconds, because the library
    does not repeat them.
    """
    properties, timeout = dict(settings.librdkafka), settings.timeout
    unsettled = UNSETTLED
    marker, markers = settings.marker, settings.markers

    def open_client(id: str) -> Any:
        import time
        from types import SimpleNamespace

        from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

        errors: list[Any] = []
        transaction: list[bool] = []

        def retry(call: Any) -> Any:
            deadline = time.monotonic() + timeout
            while True:
                try:
                    return call()
                except KafkaException as error:
                    if error.args[0].name() not in unsettled or time.monotonic() > deadline:
                        raise
                    time.sleep(0.1)

        def on_delivery(error: Any, message: Any) -> None:
            # Records that the client has purged after another failure do not have the cause.
            if error is not None and not error.name().startswith("_PURGE"):
                errors.append(error)

        producer = Producer(
            {
                **properties,
                "transactional.id": id,
                "transaction.timeout.ms": timeout * 1000,
                "message.timeout.ms": timeout * 500,
                "partitioner": "murmur2_random",
                "linger.ms": 20,
                "queue.buffering.max.messages": 1_000_000,
                "queue.buffering.max.kbytes": 262_144,
                "compression.type": "lz4",
                "delivery.report.only.error": True,
                "on_delivery": on_delivery,
                "log_level": 0,
            }
        )
        retry(lambda: producer.init_transactions(timeout))
        of_markers = {
            **properties,
            "group.id": id,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 20,
            "log_level": 0,
        }

        def bounds() -> Any:
            consumer = Consumer({**of_markers, "isolation.level": "read_uncommitted"})
            try:
                return retry(lambda: consumer.get_watermark_offsets(TopicPartition(markers, 0), timeout=timeout))
            finally:
                consumer.close()

        def end() -> int:
            return int(bounds()[1])

        def committed(start: int) -> tuple[list[tuple[bytes, bytes]], int]:
            # The log also has markers of aborted transactions, which are ignored. But the log is read to its end: an
            # open transaction of another query hides the markers after it, so its end is waited for.
            low, high = bounds()
            found_markers: list[tuple[bytes, bytes]] = []
            next_offset = max(low, start)
            if next_offset >= high:
                return found_markers, high
            consumer = Consumer({**of_markers, "isolation.level": "read_committed"})
            try:
                consumer.assign([TopicPartition(markers, 0, next_offset)])
                deadline = time.monotonic() + 2 * timeout
                while next_offset < high:
                    if time.monotonic() > deadline:
                        raise TimeoutError(f"the markers in '{markers}' cannot be read")
                    messages = consumer.consume(10_000, 0)
                    if not messages and (message := consumer.poll(0.1)) is not None:
                        messages = [message]
                    for message in messages:
                        error = message.error()
                        if error is not None and error.name() in unsettled:
                            continue
                        if error is not None and error.name() != "_PARTITION_EOF":
                            raise KafkaException(error)
                        next_offset = message.offset() + (error is None)
                        key = message.key() or b""
                        is_own = key == marker or key.startswith(marker + b"/")
                        if error is None and next_offset <= high and is_own:
                            found_markers.append((key, message.value()))
                return found_markers, high
            finally:
                consumer.close()

        def begin() -> None:
            if not transaction:
                errors.clear()
                producer.begin_transaction()
                transaction.append(True)

        def cause(error: Any) -> Any:
            # After a fatal error, records are rejected with `_FATAL` only. Every function of transactions raises the
            # fatal error itself.
            if isinstance(error, KafkaException) and error.args[0].name() == "_FATAL":
                try:
                    producer.begin_transaction()
                except KafkaException as fatal:
                    return fatal
            return error

        def send(topic: str, records: Any) -> None:
            produce, poll = producer.produce, producer.poll
            begin()
            try:
                for partition, key, value, milliseconds, headers in records:
                    while True:
                        try:
                            # For 0, librdkafka would use the present time.
                            if headers:
                                produce(topic, value, key, partition, timestamp=milliseconds or -1, headers=headers)
                            else:
                                produce(topic, value, key, partition, timestamp=milliseconds or -1)
                            break
                        except BufferError:
                            poll(0.1)
                poll(0)
            except KafkaException as error:
                raise cause(error) from None
            if errors:
                raise cause(KafkaException(errors[0]))

        def commit(topic: str, records: Any) -> None:
            begin()
            try:
                for key, value in records:
                    producer.produce(topic, value, key)
                producer.commit_transaction(timeout)
                transaction.clear()
            except Exception as error:
                raise cause(KafkaException(errors[0]) if errors else error) from None

        def abort() -> None:
            if transaction:
                try:
                    producer.purge()
                    producer.abort_transaction(timeout / 6)
                except Exception:
                    # The brokers abort it after its timeout, or at the next start. The original error is reported.
                    return

        def partitions(topic: str) -> int:
            def metadata() -> Any:
                result = producer.list_topics(topic, timeout).topics[topic]
                if result.error is not None:
                    raise KafkaException(result.error)
                return result

            return len(retry(metadata).partitions)

        def close() -> None:
            producer.close(timeout)

        return SimpleNamespace(
            send=send, commit=commit, abort=abort, committed=committed, end=end, partitions=partitions, close=close
        )

    return placeless(open_client)


def python_client(settings: ClientSettings) -> Any:
    """Return a function like `clients`, which uses kafka-python."""
    complete, marker, markers = with_tls(settings.python), settings.marker, settings.markers
    timeout = settings.timeout
    unpack = None if settings.wheel is None else unpacker(settings.wheel)

    def open_client(id: str) -> Any:
        import time
        from types import SimpleNamespace

        try:
            import kafka
        except ImportError:
            if unpack is None:
                raise
            unpack()
            import kafka
        from kafka.structs import TopicPartition

        properties = complete()
        producer = kafka.KafkaProducer(
            **properties, transactional_id=id, transaction_timeout_ms=timeout * 1000, linger_ms=20, acks="all",
            max_block_ms=timeout * 1000, delivery_timeout_ms=timeout * 500, request_timeout_ms=timeout * 250,
        )  # fmt: skip
        producer.init_transactions()
        partition_of_markers = TopicPartition(markers, 0)
        pending: list[Any] = []
        transaction: list[bool] = []

        def end() -> int:
            consumer = kafka.KafkaConsumer(**properties, isolation_level="read_uncommitted", enable_auto_commit=False)
            try:
                return int(consumer.end_offsets([partition_of_markers])[partition_of_markers])
            finally:
                consumer.close(autocommit=False)

        def committed(start: int) -> tuple[list[tuple[bytes, bytes]], int]:
            # As with confluent-kafka: committed markers only, but to the end of the log.
            high = end()
            found_markers: list[tuple[bytes, bytes]] = []
            if start >= high:
                return found_markers, high
            consumer = kafka.KafkaConsumer(**properties, isolation_level="read_committed", enable_auto_commit=False)
            try:
                consumer.assign([partition_of_markers])
                consumer.seek_to_beginning(partition_of_markers)
                if start > consumer.position(partition_of_markers):
                    consumer.seek(partition_of_markers, start)
                deadline = time.monotonic() + 2 * timeout
                while consumer.position(partition_of_markers) < high:
                    if time.monotonic() > deadline:
                        raise TimeoutError(f"the markers in '{markers}' cannot be read")
                    for some in consumer.poll(timeout_ms=100).values():
                        for record in some:
                            key = record.key or b""
                            if record.offset < high and (key == marker or key.startswith(marker + b"/")):
                                found_markers.append((key, record.value))
                return found_markers, high
            finally:
                consumer.close(autocommit=False)

        def begin() -> None:
            if not transaction:
                pending.clear()
                producer.begin_transaction()
                transaction.append(True)

        def await_delivery() -> None:
            for future in pending:
                future.get(timeout=timeout)
            pending.clear()

        def send(topic: str, records: Any) -> None:
            begin()
            append = producer.send
            for partition, key, value, milliseconds, headers in records:
                number = None if partition < 0 else partition
                # kafka-python rejects headers with a null value.
                pairs = [(name, b"" if content is None else content) for name, content in headers] if headers else None
                pending.append(append(topic, value, key, pairs, number, milliseconds or -1))
            if len(pending) > 50_000:
                producer.flush()
                await_delivery()

        def commit(topic: str, records: Any) -> None:
            begin()
            pending.extend(producer.send(topic, value=value, key=key) for key, value in records)
            producer.flush()
            await_delivery()
            producer.commit_transaction()
            transaction.clear()

        def abort() -> None:
            if transaction:
                try:
                    producer.abort_transaction()
                except Exception:
                    # As with confluent-kafka, the original error is reported.
                    return

        def partitions(topic: str) -> int:
            return len(producer.partitions_for(topic))

        def close() -> None:
            producer.close(timeout)

        return SimpleNamespace(
            send=send, commit=commit, abort=abort, committed=committed, end=end, partitions=partitions, close=close
        )

    return placeless(open_client)
