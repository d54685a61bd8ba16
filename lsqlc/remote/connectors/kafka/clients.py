"""The two clients by which a query's Python writes to Kafka: confluent-kafka if the server has it, else kafka-python,
whose files travel with the query.

Everything here travels to the server pickled by value, and uses the standard library only beside those clients. A
client belongs to one transactional id. Opening it fences whoever had that id before, and ends the transaction that was
left open. It has the functions

- `send(topic, records)`: append records of (partition, key, value, epoch milliseconds, headers), in a transaction that
  begins with the first of them; the partition -1 is that of the key, and headers are a list of pairs, or None;
- `commit(topic, records)`: append records of (key, value), and end the transaction;
- `abort()`: end the transaction without its records, as far as the brokers can be reached;
- `committed(start)`: the committed markers from that offset on, as (key, value), and the offset behind the last record
  of their topic;
- `end()`: that offset;
- `partitions(topic)`: their number;
- `close()`.
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
    """`markers`: the topic of the markers, and `marker`: the key of those of the query, those of its tasks begin with
    it. `librdkafka` and `python`: properties of the two clients; `wheel`: the files of kafka-python for a server that
    has neither, as a zip archive; None: it is not sent. `timeout`: seconds for a transaction.
    """

    markers: str
    marker: bytes
    librdkafka: Mapping[str, Any]
    python: Mapping[str, Any]
    wheel: bytes | None = None
    timeout: int = 60


def clients(settings: ClientSettings) -> Any:
    """A function that opens a client of a transactional id."""
    confluent, python = confluent_client(settings), python_client(settings)

    def open_client(id: str) -> Any:
        try:
            import confluent_kafka  # noqa: F401
        except ImportError:
            return python(id)
        return confluent(id)

    return placeless(open_client)


def confluent_client(settings: ClientSettings) -> Any:
    """As `clients`, with confluent-kafka. What the protocol calls retriable is tried again for `timeout` seconds, since
    the library leaves this to who asks for offsets and metadata.
    """
    properties, timeout = dict(settings.librdkafka), settings.timeout
    unsettled = UNSETTLED
    marker, markers = settings.marker, settings.markers

    def open_client(id: str) -> Any:
        import time
        from types import SimpleNamespace

        from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

        refused: list[Any] = []
        begun: list[bool] = []

        def patiently(call: Any) -> Any:
            deadline = time.monotonic() + timeout
            while True:
                try:
                    return call()
                except KafkaException as error:
                    if error.args[0].name() not in unsettled or time.monotonic() > deadline:
                        raise
                    time.sleep(0.1)

        def delivered(error: Any, message: Any) -> None:
            # What the client gave up after another failure says nothing of the cause.
            if error is not None and not error.name().startswith("_PURGE"):
                refused.append(error)

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
                "on_delivery": delivered,
                "log_level": 0,
            }
        )
        patiently(lambda: producer.init_transactions(timeout))
        of_markers = {
            **properties,
            "group.id": id,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 20,
            "log_level": 0,
        }

        def bounds() -> Any:
            everything = Consumer({**of_markers, "isolation.level": "read_uncommitted"})
            try:
                return patiently(lambda: everything.get_watermark_offsets(TopicPartition(markers, 0), timeout=timeout))
            finally:
                everything.close()

        def end() -> int:
            return int(bounds()[1])

        def committed(start: int) -> tuple[list[tuple[bytes, bytes]], int]:
            # Only committed markers count: that of a transaction which was given up lies in the log as well. But all up
            # to the end of the log are read: an open transaction of another query, whose end is waited for, hides those
            # behind it.
            low, high = bounds()
            found: list[tuple[bytes, bytes]] = []
            next_offset = max(low, start)
            if next_offset >= high:
                return found, high
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
                        counts = key == marker or key.startswith(marker + b"/")
                        if error is None and next_offset <= high and counts:
                            found.append((key, message.value()))
                return found, high
            finally:
                consumer.close()

        def begin() -> None:
            if not begun:
                refused.clear()
                producer.begin_transaction()
                begun.append(True)

        def cause(error: Any) -> Any:
            # A record that follows a fatal error is refused with `_FATAL` only, as may be one that was on its way.
            # What it was is said by every function of transactions, this one among them.
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
                            # librdkafka takes the time of sending for 0.
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
            if refused:
                raise cause(KafkaException(refused[0]))

        def commit(topic: str, records: Any) -> None:
            begin()
            try:
                for key, value in records:
                    producer.produce(topic, value, key)
                producer.commit_transaction(timeout)
                begun.clear()
            except Exception as error:
                raise cause(KafkaException(refused[0]) if refused else error) from None

        def abort() -> None:
            if begun:
                try:
                    producer.purge()
                    producer.abort_transaction(timeout / 6)
                except Exception:
                    # The brokers end it by its timeout, or at the next start. What stopped it is what is reported.
                    return

        def partitions(topic: str) -> int:
            def known() -> Any:
                found = producer.list_topics(topic, timeout).topics[topic]
                if found.error is not None:
                    raise KafkaException(found.error)
                return found

            return len(patiently(known).partitions)

        def close() -> None:
            producer.close(timeout)

        return SimpleNamespace(
            send=send, commit=commit, abort=abort, committed=committed, end=end, partitions=partitions, close=close
        )

    return placeless(open_client)


def python_client(settings: ClientSettings) -> Any:
    """As `clients`, with kafka-python."""
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
        place = TopicPartition(markers, 0)
        sent: list[Any] = []
        begun: list[bool] = []

        def end() -> int:
            everything = kafka.KafkaConsumer(**properties, isolation_level="read_uncommitted", enable_auto_commit=False)
            try:
                return int(everything.end_offsets([place])[place])
            finally:
                everything.close(autocommit=False)

        def committed(start: int) -> tuple[list[tuple[bytes, bytes]], int]:
            # As above: committed markers only, up to the end of what is written.
            high = end()
            found: list[tuple[bytes, bytes]] = []
            if start >= high:
                return found, high
            consumer = kafka.KafkaConsumer(**properties, isolation_level="read_committed", enable_auto_commit=False)
            try:
                consumer.assign([place])
                consumer.seek_to_beginning(place)
                if start > consumer.position(place):
                    consumer.seek(place, start)
                deadline = time.monotonic() + 2 * timeout
                while consumer.position(place) < high:
                    if time.monotonic() > deadline:
                        raise TimeoutError(f"the markers in '{markers}' cannot be read")
                    for some in consumer.poll(timeout_ms=100).values():
                        for record in some:
                            key = record.key or b""
                            if record.offset < high and (key == marker or key.startswith(marker + b"/")):
                                found.append((key, record.value))
                return found, high
            finally:
                consumer.close(autocommit=False)

        def begin() -> None:
            if not begun:
                sent.clear()
                producer.begin_transaction()
                begun.append(True)

        def settled() -> None:
            for one in sent:
                one.get(timeout=timeout)
            sent.clear()

        def send(topic: str, records: Any) -> None:
            begin()
            append = producer.send
            for partition, key, value, milliseconds, headers in records:
                given = None if partition < 0 else partition
                # It takes no header without a value.
                found = [(name, b"" if content is None else content) for name, content in headers] if headers else None
                sent.append(append(topic, value, key, found, given, milliseconds or -1))
            if len(sent) > 50_000:
                producer.flush()
                settled()

        def commit(topic: str, records: Any) -> None:
            begin()
            sent.extend(producer.send(topic, value=value, key=key) for key, value in records)
            producer.flush()
            settled()
            producer.commit_transaction()
            begun.clear()

        def abort() -> None:
            if begun:
                try:
                    producer.abort_transaction()
                except Exception:
                    # As above.
                    return

        def partitions(topic: str) -> int:
            return len(producer.partitions_for(topic))

        def close() -> None:
            producer.close(timeout)

        return SimpleNamespace(
            send=send, commit=commit, abort=abort, committed=committed, end=end, partitions=partitions, close=close
        )

    return placeless(open_client)
