"""Write the batches of a streaming query on the server, in transactions with the number of the batch.

The functions are pickled by value and sent to the server, which does not have lsqlc. They use the standard library, and
a client of Kafka (see `clients`).

The rules:

- The records of a batch and a marker with its number become visible together, in one transaction.
- A batch with a committed marker is a replay. It must still be consumed. Otherwise Spark cannot commit the state.
- The query's generation has a transactional id. Opening it aborts the open transaction of an earlier producer, whose
  next write fails. So the markers are read after the id was opened. A fenced producer is not opened again.

Several tasks of Spark write a large batch, each in its own transaction (see `task_writers`). Before that, the batch is
announced in a transaction of the query's id, which a fenced producer cannot commit. Its marker follows after the end of
all tasks. An announced batch without a marker is written as it was announced, even if the settings have changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsqlc.remote.connectors.kafka.clients import ClientSettings, clients
from lsqlc.remote.connectors.kafka.task_writers import (
    CHANGED,
    FAILED,
    FENCED,
    cluster_slots,
    cores,
    failure_text,
    header_pairs,
    spread,
    task_writer,
)
from lsqlc.remote.connectors.publish import Guard, Publish, placeless

__all__ = ["CHANGED", "COLUMNS", "FAILED", "FENCED", "Sink", "kafka_publisher"]

# The columns of a batch.
COLUMNS = ("key", "value", "timestamp", "ordinal")
# The column of headers, an array of key and value that is null for a record without headers.
HEADERS = "_headers"
# After a batch with that many records, several tasks write the next one, unless the number of tasks is set.
LARGE = 50_000


@dataclass(frozen=True, slots=True)
class Sink:
    """The output of a query.

    - `topic`: its name in Kafka. `id`: the transactional id. `client`: the settings of the clients.
    - `ordered`: whether a batch is sorted by its ordinals. Otherwise each partition of Spark has the order of its
      source.
    - `writers`: the number of transactions of a batch, at most the number of the topic's partitions. 0: one, or after a
      batch of `large` records the number of the server's cores.
    - `version`: identifies the plan of the query. Another version does not continue an incomplete batch.
    - `headers`: whether a batch has the column `HEADERS`.
    """

    topic: str
    id: str
    client: ClientSettings
    ordered: bool = True
    writers: int = 1
    version: str = ""
    large: int = LARGE
    headers: bool = False


def kafka_publisher(sink: Sink, guard: Guard | None = None) -> Publish:
    """Return a function that writes each batch, a DataFrame with `COLUMNS`, to the topic, exactly once.

    The lines of `guard`, of records without a key, are written with the batch.
    """
    topic, markers, marker, id = sink.topic, sink.client.markers, sink.client.marker, sink.id
    changed, columns = CHANGED, COLUMNS if sink.ordered else COLUMNS[:-1]
    columns = (*columns, HEADERS) if sink.headers else columns
    index_of_headers = columns.index(HEADERS) if sink.headers else len(columns)
    writers, version, large = sink.writers, sink.version, sink.large
    open_client, in_order = clients(sink.client), placeless(_in_order) if sink.ordered else None
    chunks, pairs_of = placeless(_chunks), header_pairs()
    text_of, spread_rows, slots_of, cores_of = failure_text(), spread(columns), cluster_slots(), cores()
    write_tasks = task_writer(open_client, id, marker)
    # The state of the process, see `start`.
    state: dict[str, Any] = {}

    def start() -> None:
        """Open the id, read the markers, and abort the open transactions of the tasks of an earlier attempt."""
        import json
        import uuid

        client = open_client(id)
        records, since = client.committed(0)
        newest, plan, tasks = -1, None, {}
        for key, value in records:
            content, task = json.loads(value), key[len(marker) + 1 :]
            if key == marker:
                newest = max(newest, content["batch"])
            elif task == b"tasks":
                plan = content
            elif task.isdigit():
                tasks[int(task)] = content
        if plan is not None and plan["batch"] <= newest:
            plan = None
            tasks = {}
        if plan is not None:
            for task in range(plan["tasks"]):
                open_client(f"{id}.{task}").close()
            tasks = {task: content for task, content in tasks.items() if content["batch"] == plan["batch"]}
            if any(content["version"] != version for content in tasks.values()):
                raise RuntimeError(f"{changed}: {plan['batch']}\n")
        state.update(
            client=client, newest=newest, plan=plan, complete=frozenset(tasks), since=since, by=uuid.uuid4().hex,
            rows=0, slots={},
        )  # fmt: skip

    def count_tasks(batch: Any) -> tuple[int, int]:
        """Return the number of tasks that write a batch, and the number of the topic's partitions."""
        if writers == 1 or (not writers and state["rows"] < large):
            return 1, 0
        partitions = state["client"].partitions(topic)
        if not writers and "cores" not in state:
            state["cores"] = cores_of(batch.sparkSession)
        return min(writers or state["cores"], partitions), partitions

    def write_by_tasks(batch: Any, number: int, tasks: int, partitions: int, more: Any) -> None:
        import json

        client, by, slots = state["client"], state["by"], state["slots"]
        if tasks not in slots:
            slots[tasks] = slots_of(batch.sparkSession, tasks)
        plan = {"batch": number, "tasks": tasks, "partitions": partitions, "by": by}
        try:
            client.commit(markers, [(marker + b"/tasks", json.dumps(plan, separators=(",", ":")).encode())])
        except Exception as error:
            raise RuntimeError(text_of(error)) from None
        write = write_tasks(topic, markers, number, tasks, by, version, state["since"], state["complete"])
        rows = spread_rows(batch, partitions, slots[tasks])
        try:
            counts = rows.mapInArrow(write, "task bigint, records bigint").toArrow()
        except Exception as error:
            import re

            match = re.search(r"LSQLC-[A-Z]+: [^\n]*", str(error))
            if match is None:
                raise
            raise RuntimeError(match[0] + "\n") from None
        try:
            if more:
                client.send(topic, more)
            client.commit(markers, [(marker, b'{"batch":%d}' % number)])
            state.update(rows=sum(counts.column(1).to_pylist()), plan=None, complete=frozenset(), since=client.end())
        except Exception as error:
            raise RuntimeError(text_of(error)) from None

    def write_at_once(batch: Any, number: int, more: Any) -> None:
        from itertools import chain, islice

        failed: list[Exception] = []
        frame = batch.select(*columns)
        state["rows"] = 0

        def rows() -> Any:
            from itertools import repeat

            # Errors here are those of Spark, and not of the client.
            try:
                for table in (frame.toArrow(),) if in_order is not None else chunks(frame):
                    state["rows"] += table.num_rows
                    keys, values, times = (table.column(n).to_pylist() for n in range(3))
                    headers = pairs_of(table, index_of_headers)
                    if in_order is None:
                        yield from zip(repeat(-1), keys, values, times, headers, strict=False)
                    else:
                        yield from ((-1, keys[n], values[n], times[n], headers[n]) for n in in_order(table.column(3)))
            except Exception as error:
                failed.append(error)
                raise

        client, records = state["client"], rows()
        try:
            first = list(islice(records, 1))
            if not first and not more:
                return
            client.send(topic, chain(first, records))
            client.send(topic, more)
            client.commit(markers, [(marker, b'{"batch":%d}' % number)])
        except Exception as error:
            if failed:
                client.abort()
                raise failed[0] from None
            raise RuntimeError(text_of(error)) from None

    start, count_tasks = placeless(start), placeless(count_tasks)
    write_by_tasks, write_at_once = placeless(write_by_tasks), placeless(write_at_once)

    def publish(batch: Any, number: int) -> None:
        import json

        lines: list[str] = []
        if guard is not None:
            lines, _ = guard[0](batch, number)
        more = []
        for line in lines:
            record = json.loads(line)
            value = json.dumps(record["value"], ensure_ascii=False, separators=(",", ":")).encode()
            more.append((-1, None, value, record["timestamp"], None))
        try:
            if not state:
                try:
                    start()
                except Exception as error:
                    raise RuntimeError(text_of(error)) from None
            if number <= state["newest"]:
                batch.select(*columns).write.format("noop").mode("overwrite").save()
                return
            plan = state["plan"]
            if plan is not None:
                tasks, partitions = plan["tasks"], plan["partitions"]
            else:
                try:
                    tasks, partitions = count_tasks(batch)
                except Exception as error:
                    raise RuntimeError(text_of(error)) from None
            if tasks > 1 or plan is not None:
                write_by_tasks(batch, number, tasks, partitions, more)
            else:
                write_at_once(batch, number, more)
        except Exception as error:
            state.clear()
            text = str(error) if guard is None else guard[1](str(error))
            if text == str(error):
                raise
            raise RuntimeError(text) from None

    return placeless(publish)


def _chunks(frame: Any) -> Any:
    """Yield the rows of a DataFrame as Arrow tables, in order.

    Each table is available as soon as the server has computed it, so it is written while the server computes the next.
    """
    try:
        connected = frame.sparkSession.client
        parts = connected.to_table_as_iterator(frame._plan.to_proto(connected), {})
    except AttributeError:
        # The pyspark of the server has no such iterator.
        yield frame.toArrow()
        return
    for part in parts:
        # The first part is the schema.
        if hasattr(part, "num_rows"):
            yield part


def _in_order(ordinals: Any) -> Any:
    """Return the indexes of an Arrow column of lists of numbers, sorted by the lists. The sort is stable."""
    from pyarrow import compute, table

    lengths = compute.list_value_length(ordinals)
    widths = compute.min_max(lengths).as_py()
    if not widths["max"]:
        return list(range(len(ordinals)))
    # Python objects for the numbers would take ten times as long.
    if widths["min"] != widths["max"]:
        ordinals = compute.list_slice(ordinals, 0, widths["max"], return_fixed_size_list=True)
    columns = {str(n): compute.fill_null(compute.list_element(ordinals, n), -(2**63)) for n in range(widths["max"])}
    if widths["min"] != widths["max"]:
        # A list sorts before a longer list with the same beginning. Missing numbers are replaced by the smallest
        # number, which other lists may have too.
        columns["length"] = lengths
    return compute.sort_indices(table(columns), sort_keys=[(name, "ascending") for name in columns]).to_pylist()
