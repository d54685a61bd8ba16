"""Write the rows of a batch by several tasks of Spark, each in its own transaction.

A task has the partitions of the topic whose number modulo the number of tasks is the number of the task. So a partition
gets its records from one task, in the same order as from a single writer. The records of a task depend only on their
keys, and on the numbers of tasks and partitions. These numbers are in the batch's announcement (see `commits`), from
which a later attempt reads them.

The writer of a task first opens its transactional id, which fences earlier attempts. Then it reads the task's marker,
which was committed with its records. A newer announcement of another writer means that the query was started elsewhere.
In this case the task writes nothing. Spark may run a task twice, and a lost executor may still run. At most one of them
commits.

Everything here is pickled by value and sent to the server, as in `publish`.
"""

from __future__ import annotations

from typing import Any

from lsqlc.connectors.kafka.retriable import OF_PYTHON
from lsqlc.remote.connectors.kafka.partitions import partitioner
from lsqlc.remote.connectors.publish import placeless

# Marks in the texts of errors: a batch cannot be written to Kafka, another writer has started, or another version of
# the query has written a part of the batch.
FAILED, FENCED, CHANGED = "LSQLC-KAFKA", "LSQLC-FENCED", "LSQLC-CHANGED"


def failure_text() -> Any:
    """Return a function that converts an error of a client into a text with a mark and librdkafka's name of the error.

    Errors of kafka-python have the broker's name, if there is one, and may be wrapped in another error.
    """
    failed, fenced = FAILED, FENCED
    ends = frozenset(("_FENCED", "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"))
    others = {
        "UNKNOWN_TOPIC_OR_PARTITION": "UNKNOWN_TOPIC_OR_PART",
        "MESSAGE_SIZE_TOO_LARGE": "MSG_SIZE_TOO_LARGE",
        "INVALID_TOPIC": "TOPIC_EXCEPTION",
        **OF_PYTHON,
    }

    def name_and_text(error: Any) -> tuple[str, str]:
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
        name, message = name_and_text(error)
        ended = name in ends
        if ended and not fences:
            # Another attempt of the task may have started, which does not mean another start of the query.
            name, message = "INVALID_TXN_STATE", "another attempt of the task has started"
        return f"{fenced if ended and fences else failed}: {name}: {' '.join(message.split())}\n"

    return placeless(text)


def task_writer(clients: Any, id: str, marker: bytes) -> Any:
    """Return a function that creates the function of a batch for `mapInArrow`.

    The input of that function are Arrow batches of (key, value, timestamp, _partition) and optionally `_headers`, in
    the order of writing. The output are (task, records) for each task that it has written, or that was written before.
    """
    fenced, changed = FENCED, CHANGED
    text_of, pairs_of = failure_text(), header_pairs()

    def for_batch(
        topic: str, markers: str, batch: int, tasks: int, by: str, version: str, since: int, complete: frozenset[int]
    ) -> Any:
        """Return the function of a batch.

        `by`: identifies the writer that has announced the batch; `since`: the offset after which markers may be new;
        `complete`: the tasks with a marker before it.
        """

        def open_task(task: int) -> Any:
            """Return the client of a task; None if its records were written."""
            import json

            if task in complete:
                return None
            client = clients(f"{id}.{task}")
            is_complete = False
            for key, value in client.committed(since)[0]:
                content = json.loads(value)
                if key == marker + b"/tasks" and content["by"] != by:
                    raise RuntimeError(f"{fenced}: _FENCED: the query was started elsewhere\n")
                if key == marker and content["batch"] >= batch:
                    raise RuntimeError(f"{fenced}: _FENCED: the batch was completed elsewhere\n")
                if key == marker + b"/%d" % task and content["batch"] == batch:
                    is_complete = True
                    if content["version"] != version:
                        raise RuntimeError(f"{changed}: {batch}\n")
            if is_complete:
                client.close()
                return None
            return client

        def write(batches: Any) -> Any:
            import json

            import pyarrow

            opened: dict[int, Any] = {}
            counts: dict[int, int] = {}
            # Errors of this iterator are not errors of Kafka.
            rows_of_spark = iter(batches)
            try:
                for some in rows_of_spark:
                    keys, values, times, partitions = (some.column(n).to_pylist() for n in range(4))
                    headers = pairs_of(some, 4)
                    rows = list(zip(partitions, keys, values, times, headers, strict=True))
                    owners = sorted({partition % tasks for partition in set(partitions)})
                    for task in owners:
                        # There is one owner, unless Spark uses another hash than expected.
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
                    content = json.dumps({"batch": batch, "version": version}, separators=(",", ":")).encode()
                    try:
                        client.commit(markers, [(marker + b"/%d" % task, content)])
                        client.close()
                    except Exception as error:
                        raise RuntimeError(text_of(error, fences=False)) from None
                    opened[task] = None
            finally:
                # If Spark ends the task, readers need not wait for the timeout of the transaction.
                for client in opened.values():
                    if client is not None:
                        client.abort()
            columns = [pyarrow.array(list(items), pyarrow.int64()) for items in (counts.keys(), counts.values())]
            yield pyarrow.RecordBatch.from_arrays(columns, names=["task", "records"])

        return write

    return placeless(for_batch)


def header_pairs() -> Any:
    """Return a function that returns the headers of each row of an Arrow table, as a list of pairs.

    Its arguments are the table and the index of the column. The result is None for a row without headers, and for all
    rows if there is no such column.
    """

    def pairs(table: Any, number: int) -> Any:
        if number >= table.num_columns or table.column(number).null_count == table.num_rows:
            return [None] * table.num_rows
        rows = table.column(number).to_pylist()
        return [None if row is None else [(each["key"], each["value"]) for each in row] for row in rows]

    return placeless(pairs)


def spread(columns: tuple[str, ...]) -> Any:
    """Return a function that distributes the rows of a batch over tasks.

    It returns rows of (key, value, timestamp, _partition), and `_headers` if the batch has this column. All rows of a
    partition of the topic are in one partition of Spark, in order. `columns`: those of the batch. With `ordinal`, rows
    are sorted by it. Otherwise they keep their order.
    """
    hashes, ordered = partitioner(), "ordinal" in columns
    headers = ("_headers",) if "_headers" in columns else ()

    def place(batch: Any, partitions: int, slots: Any) -> Any:
        tasks = len(slots)

        def with_partition(batches: Any) -> Any:
            import pyarrow

            for some in batches:
                numbers = [hash % partitions for hash in hashes(some.column(0), some.column(some.num_columns - 1))]
                others = [some.column(n) for n in range(some.num_columns - 1)]
                names = [*some.schema.names[:-1], "_partition"]
                yield pyarrow.RecordBatch.from_arrays([*others, pyarrow.array(numbers, pyarrow.int32())], names=names)

        # A record without a key may be in any partition, but must be in the same one when the batch is repeated.
        own = ("key", "value", "timestamp", *(("ordinal",) if ordered else ()), *headers)
        rows = batch.selectExpr(*own, "monotonically_increasing_id() AS _at", "xxhash64(ordinal, timestamp) AS _any")
        order = "ordinal array<bigint>, " if ordered else ""
        order += "_headers array<struct<key: string, value: binary>>, " if headers else ""
        schema = f"key binary, value binary, timestamp bigint, {order}_at bigint, _partition int"
        with_partitions = rows.mapInArrow(with_partition, schema)
        slot = f"element_at(array({', '.join(f'{slot}L' for slot in slots)}), _partition % {tasks} + 1)"
        by_task = with_partitions.selectExpr("*", f"{slot} AS _slot").repartition(tasks, "_slot")
        in_order = by_task.sortWithinPartitions(*(("ordinal",) if ordered else ()), "_at")
        return in_order.select("key", "value", "timestamp", "_partition", *headers)

    return placeless(place)


def cluster_slots() -> Any:
    """Return a function that finds a number for each task, so that Spark's hash puts each into another partition."""

    def slots(session: Any, tasks: int) -> Any:
        sql = (
            f"SELECT min(id) FROM range({64 * tasks}, {192 * tasks}) "
            f"GROUP BY pmod(hash(id), {tasks}) ORDER BY pmod(hash(id), {tasks})"
        )
        numbers = [row[0] for row in session.sql(sql).collect()]
        return numbers if len(numbers) == tasks else list(range(tasks))

    return placeless(slots)


def cores() -> Any:
    """Return a function that determines how many tasks a server can run at the same time.

    Spark splits a range of numbers into as many partitions.
    """

    def count(session: Any) -> int:
        numbers = "SELECT spark_partition_id() AS number FROM range(4096)"
        return int(session.sql(f"SELECT max(number) + 1 FROM ({numbers})").collect()[0][0])

    return placeless(count)
