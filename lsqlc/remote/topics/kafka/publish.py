"""What a streaming query does with a batch, on the server: one transaction, which carries the number of the batch.

These functions travel to the server pickled by value, since nothing of lsqlc is installed there: they use the standard
library, and confluent-kafka if the server has it, else kafka-python, whose files travel with them.

The rules: the records of a batch and a marker with its number become visible together, in one transaction; a batch
whose marker is there is a replay, and is consumed all the same, or the state cannot be committed. The transactional id
is that of the query's generation: who opens it ends the open transaction of whoever had it before, whose next write
fails. So the marker is looked for after the id has been opened. A producer that was fenced is not opened again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsqlc.remote.topics.publish import Guard, Publish, placeless

# What a text of an error has where a batch could not be written to Kafka, and where another writer has taken over.
FAILED, FENCED = "LSQLC-KAFKA", "LSQLC-FENCED"
# The columns of a batch.
COLUMNS = ("key", "value", "timestamp", "ordinal")


@dataclass(frozen=True, slots=True)
class Sink:
    """Where the batches of a query go. `topic` and `markers`: names in Kafka; `id`: the transactional id; `marker`: the
    key of its marker. `librdkafka` and `python`: properties of the two clients; `wheel`: the files of kafka-python for
    a server that has neither, as a zip archive; None: it is not sent. `ordered`: a batch is sorted by its ordinals;
    else its order in each partition of Spark is that of its source. `timeout`: seconds for a transaction.
    """

    topic: str
    markers: str
    id: str
    marker: bytes
    librdkafka: Mapping[str, Any]
    python: Mapping[str, Any]
    wheel: bytes | None = None
    ordered: bool = True
    timeout: int = 60


def kafka_publisher(sink: Sink, guard: Guard | None = None) -> Publish:
    """Write each batch, a DataFrame with `COLUMNS`, to the topic, exactly once. Lines that `guard` gives, of records
    without a key, are written with it.
    """
    topic, markers, marker = sink.topic, sink.markers, sink.marker
    failed, fenced, wanted = FAILED, FENCED, COLUMNS if sink.ordered else COLUMNS[:-1]
    clients, in_order = _clients(sink), placeless(_in_order) if sink.ordered else None
    # Of this process: the open producer and the newest batch of its markers.
    opened: list[Any] = []

    def publish(batch: Any, number: int) -> None:
        import json
        from itertools import chain

        lines: list[str] = []
        if guard is not None:
            lines, _ = guard[0](batch, number)
        try:
            table = batch.select(*wanted).toArrow()
        except Exception as error:
            if guard is None or (said := guard[1](str(error))) == str(error):
                raise
            raise RuntimeError(said) from None
        keys, values, times = (table.column(n).to_pylist() for n in range(3))
        rows: Any = zip(keys, values, times, strict=True)
        if in_order is not None:
            rows = ((keys[n], values[n], times[n]) for n in in_order(table.column(3)))
        more = []
        for line in lines:
            said = json.loads(line)
            value = json.dumps(said["value"], ensure_ascii=False, separators=(",", ":")).encode()
            more.append((None, value, said["timestamp"]))
        try:
            if not opened:
                opened.append(clients())
            write, newest = opened[0]
            if number <= newest:
                return
            if keys or more:
                write(topic, chain(rows, more), markers, marker, b'{"batch":%d}' % number)
        except Exception as error:
            opened.clear()
            inner: Any = error.args[0] if error.args else None
            known = hasattr(inner, "name") and hasattr(inner, "str")
            name, text = (inner.name(), inner.str()) if known else (type(error).__name__, str(error))
            ended = any(sign in name for sign in ("FENCED", "Fenced", "INVALID_PRODUCER_EPOCH", "InvalidProducerEpoch"))
            raise RuntimeError(f"{fenced if ended else failed}: {name}: {' '.join(text.split())}\n") from None

    return placeless(publish)


def _in_order(ordinals: Any) -> Any:
    """The places of an Arrow column of lists of numbers in the order of the lists; equal ones keep their order."""
    from pyarrow import compute, table

    widths = compute.min_max(compute.list_value_length(ordinals)).as_py()
    if not widths["min"] or widths["min"] != widths["max"]:
        given = ordinals.to_pylist()
        return sorted(range(len(given)), key=given.__getitem__)
    # Without a Python object for each number, which takes ten times as long.
    parts = {str(n): compute.list_element(ordinals, n) for n in range(widths["min"])}
    return compute.sort_indices(table(parts), sort_keys=[(name, "ascending") for name in parts]).to_pylist()


def _clients(sink: Sink) -> Any:
    """A function that opens the transactional id and gives a function that writes one transaction, and the newest batch
    of the marker, or -1.
    """
    confluent, python = _confluent(sink), _kafka_python(sink)

    def open_client() -> Any:
        try:
            import confluent_kafka  # noqa: F401
        except ImportError:
            return python()
        return confluent()

    return placeless(open_client)


def _confluent(sink: Sink) -> Any:
    properties, id, marker, markers = dict(sink.librdkafka), sink.id, sink.marker, sink.markers
    timeout = sink.timeout

    def open_client() -> Any:
        import json
        import time

        from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

        refused: list[Any] = []

        def delivered(error: Any, message: Any) -> None:
            if error is not None:
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
        producer.init_transactions(timeout)

        def newest() -> int:
            # Only committed markers count: that of a transaction which was given up lies in the log as well. But all up
            # to the end of the log are read: an open transaction of another query, whose end is waited for, hides those
            # behind it.
            settings = {
                **properties,
                "group.id": id,
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 20,
                "log_level": 0,
            }
            everything = Consumer({**settings, "isolation.level": "read_uncommitted"})
            try:
                low, high = everything.get_watermark_offsets(TopicPartition(markers, 0), timeout=timeout)
            finally:
                everything.close()
            consumer = Consumer({**settings, "isolation.level": "read_committed"})
            try:
                consumer.assign([TopicPartition(markers, 0, low)])
                found, next_offset = -1, low
                deadline = time.monotonic() + 2 * timeout
                while next_offset < high:
                    if time.monotonic() > deadline:
                        raise TimeoutError(f"the markers in '{markers}' cannot be read")
                    messages = consumer.consume(10_000, 0)
                    if not messages and (message := consumer.poll(0.1)) is not None:
                        messages = [message]
                    for message in messages:
                        error = message.error()
                        if error is not None and error.name() != "_PARTITION_EOF":
                            raise KafkaException(error)
                        next_offset = message.offset() + (error is None)
                        if error is None and next_offset <= high and message.key() == marker:
                            found = max(found, json.loads(message.value())["batch"])
                return found
            finally:
                consumer.close()

        def write(topic: str, records: Any, markers: str, key: bytes, value: bytes) -> None:
            refused.clear()
            produce, poll = producer.produce, producer.poll
            producer.begin_transaction()
            try:
                for key_bytes, value_bytes, time in records:
                    while True:
                        try:
                            # librdkafka takes the time of sending for 0.
                            produce(topic, value_bytes, key_bytes, timestamp=time or -1)
                            break
                        except BufferError:
                            poll(0.1)
                produce(markers, value, key)
                producer.commit_transaction(timeout)
            except Exception as error:
                if refused:
                    raise KafkaException(refused[0]) from None
                raise error from None

        return write, newest()

    return placeless(open_client)


def _kafka_python(sink: Sink) -> Any:
    properties, id, marker, markers = dict(sink.python), sink.id, sink.marker, sink.markers
    wheel, timeout = sink.wheel, sink.timeout

    def open_client() -> Any:
        import json
        import sys
        import tempfile
        import time
        from pathlib import Path

        try:
            import kafka
        except ImportError:
            if wheel is None:
                raise
            folder = Path(tempfile.mkdtemp(prefix="lsqlc-kafka-"))
            (folder / "kafka.zip").write_bytes(wheel)
            sys.path.append(str(folder / "kafka.zip"))
            import kafka
        from kafka.structs import TopicPartition

        producer = kafka.KafkaProducer(
            **properties, transactional_id=id, transaction_timeout_ms=timeout * 1000, linger_ms=20, acks="all",
            max_block_ms=timeout * 1000, delivery_timeout_ms=timeout * 500, request_timeout_ms=timeout * 250,
        )  # fmt: skip
        producer.init_transactions()

        def newest() -> int:
            # As above: committed markers only, up to the end of what is written.
            place = TopicPartition(markers, 0)
            everything = kafka.KafkaConsumer(**properties, isolation_level="read_uncommitted", enable_auto_commit=False)
            try:
                end = everything.end_offsets([place])[place]
            finally:
                everything.close(autocommit=False)
            consumer = kafka.KafkaConsumer(**properties, isolation_level="read_committed", enable_auto_commit=False)
            try:
                consumer.assign([place])
                consumer.seek_to_beginning(place)
                found = -1
                deadline = time.monotonic() + 2 * timeout
                while consumer.position(place) < end:
                    if time.monotonic() > deadline:
                        raise TimeoutError(f"the markers in '{markers}' cannot be read")
                    for some in consumer.poll(timeout_ms=100).values():
                        for record in some:
                            if record.key == marker and record.offset < end:
                                found = max(found, json.loads(record.value)["batch"])
                return found
            finally:
                consumer.close(autocommit=False)

        def write(topic: str, records: Any, markers: str, key: bytes, value: bytes) -> None:
            producer.begin_transaction()
            send = producer.send
            sent = [send(topic, value=v, key=k, timestamp_ms=time or -1) for k, v, time in records]
            sent.append(send(markers, value=value, key=key))
            producer.flush()
            for one in sent:
                one.get(timeout=timeout)
            producer.commit_transaction()

        return write, newest()

    return placeless(open_client)
