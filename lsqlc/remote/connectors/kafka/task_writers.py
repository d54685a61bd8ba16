"""How the rows of a batch are written by several tasks of Spark, each in a transaction of its own.

A task owns partitions of the topic: those whose number modulo the number of tasks is the task's. So a partition gets
its records from one task, in the order in which a single writer would write them, and which records a task writes
follows from their keys and the numbers of tasks and partitions. These are in the batch's announcement (see `commits`),
and an attempt that follows takes them from there.

Who writes for a task first opens its transactional id, which fences any earlier attempt, and looks then for the task's
marker, which was committed with its records. Another writer's announcement that is newer than that of its own batch
means that the query was started elsewhere: it writes nothing. Spark may run a task twice, and an executor that was
given up may live on: at most one of them commits.

Everything here travels to the server pickled by value, as `publish` does.
"""

from __future__ import annotations

from typing import Any

from lsqlc.connectors.kafka.retriable import OF_PYTHON
from lsqlc.remote.connectors.kafka.partitions import partitioner
from lsqlc.remote.connectors.publish import placeless

# What a text of an error has where a batch could not be written to Kafka, where another writer has taken over, and
# where another version of the query has written a part of the batch.
FAILED, FENCED, CHANGED = "LSQLC-KAFKA", "LSQLC-FENCED", "LSQLC-CHANGED"


def failure_text() -> Any:
    """A function that makes of an error of a client the text by which the run knows it, with librdkafka's name of the
    error. kafka-python has the broker's name where there is one, and wraps an error in the one that follows from it.
    """
    failed, fenced = FAILED, FENCED
    ends = frozenset(("_FENCED", "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"))
    others = {
        "UNKNOWN_TOPIC_OR_PARTITION": "UNKNOWN_TOPIC_OR_PART",
        "MESSAGE_SIZE_TOO_LARGE": "MSG_SIZE_TOO_LARGE",
        "INVALID_TOPIC": "TOPIC_EXCEPTION",
        **OF_PYTHON,
    }

    def named(error: Any) -> tuple[str, str]:
        while (cause := next((each for each in error.args if isinstance(each, Exception)), None)) is not None:
            error = cause
        inner: Any = error.args[0] if error.args else None
        if hasattr(inner, "name") and hasattr(inner, "str"):
            return inner.name(), inner.str()
        name = getattr(error, "message", None) if hasattr(error, "errno") else None
        name = name or type(error).__name__
        return others.get(name, name), str(error)

    def text(error: Exception, *, fences: bool = True) -> str:
        if str(error).startswith("LSQLC-"):
            return str(error)
        name, said = named(error)
        ended = name in ends
        if ended and not fences:
            # Of a task another attempt may have begun, which proves nothing about the query.
            name, said = "INVALID_TXN_STATE", "another attempt of the task has begun"
        return f"{fenced if ended and fences else failed}: {name}: {' '.join(said.split())}\n"

    return placeless(text)


def task_writer(clients: Any, id: str, marker: bytes) -> Any:
    """A function that makes the function of a batch for `mapInArrow`: of Arrow batches of (key, value, timestamp,
    _partition), and `_headers` where records may have some, in the order in which they are written, it gives (task,
    records) for each task that it wrote, or that was written already.
    """
    fenced, changed = FENCED, CHANGED
    text_of, pairs_of = failure_text(), header_pairs()

    def for_batch(
        topic: str, markers: str, batch: int, tasks: int, by: str, version: str, since: int, done: frozenset[int]
    ) -> Any:
        """`by`: who announced the batch; `since`: from where on markers may be new, and `done`: the tasks that are
        known from those before.
        """

        def open_task(task: int) -> Any:
            """The client of the task; None for one whose records are there."""
            import json

            if task in done:
                return None
            client = clients(f"{id}.{task}")
            written = False
            for key, value in client.committed(since)[0]:
                said = json.loads(value)
                if key == marker + b"/tasks" and said["by"] != by:
                    raise RuntimeError(f"{fenced}: _FENCED: the query was started elsewhere\n")
                if key == marker and said["batch"] >= batch:
                    raise RuntimeError(f"{fenced}: _FENCED: the batch was completed elsewhere\n")
                if key == marker + b"/%d" % task and said["batch"] == batch:
                    written = True
                    if said["version"] != version:
                        raise RuntimeError(f"{changed}: {batch}\n")
            if written:
                client.close()
                return None
            return client

        def write(batches: Any) -> Any:
            import json

            import pyarrow

            opened: dict[int, Any] = {}
            counts: dict[int, int] = {}
            # Read outside of what is taken for an error of Kafka.
            given = iter(batches)
            try:
                for some in given:
                    keys, values, times, partitions = (some.column(n).to_pylist() for n in range(4))
                    headers = pairs_of(some, 4)
                    rows = list(zip(partitions, keys, values, times, headers, strict=True))
                    owners = sorted({partition % tasks for partition in set(partitions)})
                    for task in owners:
                        # One, unless Spark's hash is not the one that was asked for.
                        own = rows if len(owners) == 1 else [row for row in rows if row[0] % tasks == task]
                        counts[task] = counts.get(task, 0) + len(own)
                        try:
                            if task not in opened:
                                opened[task] = open_task(task)
                            if opened[task] is not None:
                                opened[task].send(topic, own)
                        except Exception as error:
                            raise RuntimeError(text_of(error, fences=False)) from None
                for task, client in opened.items():
                    if client is None:
                        continue
                    said = json.dumps({"batch": batch, "version": version}, separators=(",", ":")).encode()
                    try:
                        client.commit(markers, [(marker + b"/%d" % task, said)])
                        client.close()
                    except Exception as error:
                        raise RuntimeError(text_of(error, fences=False)) from None
                    opened[task] = None
            finally:
                # Also where Spark ends the task: readers need not wait until the transaction has timed out.
                for client in opened.values():
                    if client is not None:
                        client.abort()
            columns = [pyarrow.array(list(found), pyarrow.int64()) for found in (counts.keys(), counts.values())]
            yield pyarrow.RecordBatch.from_arrays(columns, names=["task", "records"])

        return write

    return placeless(for_batch)


def header_pairs() -> Any:
    """A function that gives a list of pairs for each row of an Arrow table, of its column of headers with that number;
    None for a row without headers, and for all where there is no such column.
    """

    def pairs(table: Any, number: int) -> Any:
        if number >= table.num_columns or table.column(number).null_count == table.num_rows:
            return [None] * table.num_rows
        found = table.column(number).to_pylist()
        return [None if row is None else [(each["key"], each["value"]) for each in row] for row in found]

    return placeless(pairs)


def spread(columns: tuple[str, ...]) -> Any:
    """A function that spreads the rows of a batch over tasks: it gives rows of (key, value, timestamp, _partition), of
    which those of a partition of the topic are in one partition of Spark, in order, and `_headers` if the batch has
    those. `columns`: those of the batch, `ordinal` among them where the rows are sorted by it; else they are in the
    order in which they come.
    """
    hashes, ordered = partitioner(), "ordinal" in columns
    headed = ("_headers",) if "_headers" in columns else ()

    def place(batch: Any, partitions: int, slots: Any) -> Any:
        tasks = len(slots)

        def with_partition(batches: Any) -> Any:
            import pyarrow

            for some in batches:
                found = [hash % partitions for hash in hashes(some.column(0), some.column(some.num_columns - 1))]
                kept = [some.column(n) for n in range(some.num_columns - 1)]
                names = [*some.schema.names[:-1], "_partition"]
                yield pyarrow.RecordBatch.from_arrays([*kept, pyarrow.array(found, pyarrow.int32())], names=names)

        # A record without a key may lie anywhere, but in the same place whenever the batch is computed.
        given = ("key", "value", "timestamp", *(("ordinal",) if ordered else ()), *headed)
        rows = batch.selectExpr(*given, "monotonically_increasing_id() AS _at", "xxhash64(ordinal, timestamp) AS _any")
        order = "ordinal array<bigint>, " if ordered else ""
        order += "_headers array<struct<key: string, value: binary>>, " if headed else ""
        schema = f"key binary, value binary, timestamp bigint, {order}_at bigint, _partition int"
        placed = rows.mapInArrow(with_partition, schema)
        slot = f"element_at(array({', '.join(f'{slot}L' for slot in slots)}), _partition % {tasks} + 1)"
        by_task = placed.selectExpr("*", f"{slot} AS _slot").repartition(tasks, "_slot")
        in_order = by_task.sortWithinPartitions(*(("ordinal",) if ordered else ()), "_at")
        return in_order.select("key", "value", "timestamp", "_partition", *headed)

    return placeless(place)


def cluster_slots() -> Any:
    """A function that asks a session for a number of each task which Spark's hash puts in a partition of its own."""

    def slots(session: Any, tasks: int) -> Any:
        sql = (
            f"SELECT min(id) FROM range({64 * tasks}, {192 * tasks}) "
            f"GROUP BY pmod(hash(id), {tasks}) ORDER BY pmod(hash(id), {tasks})"
        )
        found = [row[0] for row in session.sql(sql).collect()]
        return found if len(found) == tasks else list(range(tasks))

    return placeless(slots)


def cores() -> Any:
    """A function that asks a session how many tasks the server runs at once, by how it cuts a range of numbers."""

    def count(session: Any) -> int:
        numbers = "SELECT spark_partition_id() AS number FROM range(4096)"
        return int(session.sql(f"SELECT max(number) + 1 FROM ({numbers})").collect()[0][0])

    return placeless(count)
