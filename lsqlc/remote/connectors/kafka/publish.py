"""What a streaming query does with a batch, on the server: transactions that carry the number of the batch.

These functions travel to the server pickled by value, since nothing of lsqlc is installed there: they use the standard
library, and a client of Kafka (see `clients`).

The rules: the records of a batch and a marker with its number become visible together, in one transaction; a batch
whose marker is there is a replay, and is consumed all the same, or the state cannot be committed. The transactional id
is that of the query's generation: who opens it ends the open transaction of whoever had it before, whose next write
fails. So the marker is looked for after the id has been opened. A producer that was fenced is not opened again.

A large batch is written by several tasks of Spark, each in a transaction of its own (see `task_writers`). The batch is
announced before, in a transaction of the query's id, which a writer that was fenced cannot commit, and its marker
follows when all tasks have ended. What was announced and has no marker is written as it was announced, whatever the
settings are by then.
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
# Records of a batch from which on the next one is written by several tasks, where their number is not given.
LARGE = 50_000


@dataclass(frozen=True, slots=True)
class Sink:
    """Where the batches of a query go. `topic`: its name in Kafka; `id`: the transactional id; `client`: the clients,
    and the key of the marker. `ordered`: a batch is sorted by its ordinals; else its order in each partition of Spark
    is that of its source.

    `writers`: how many transactions write a batch; 0: one, or for a batch that follows one of `large` records as many
    as the server has cores; never more than the topic has partitions. `version`: what identifies the rows that the
    query makes of a batch; a batch that one version has written in part is not continued by another. `headers`: a batch
    has the column `HEADERS` too.
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
    """Write each batch, a DataFrame with `COLUMNS`, to the topic, exactly once. Lines that `guard` gives, of records
    without a key, are written with it.
    """
    topic, markers, marker, id = sink.topic, sink.client.markers, sink.client.marker, sink.id
    changed, wanted = CHANGED, COLUMNS if sink.ordered else COLUMNS[:-1]
    wanted = (*wanted, HEADERS) if sink.headers else wanted
    place_of_headers = wanted.index(HEADERS) if sink.headers else len(wanted)
    writers, version, large = sink.writers, sink.version, sink.large
    open_client, in_order = clients(sink.client), placeless(_in_order) if sink.ordered else None
    chunks, pairs_of = placeless(_chunks), header_pairs()
    text_of, spread_rows, slots_of, cores_of = failure_text(), spread(wanted), cluster_slots(), cores()
    write_tasks = task_writer(open_client, id, marker)
    # Of this process: what it knows, see `start`.
    known: dict[str, Any] = {}

    def start() -> None:
        """Open the id, read the markers, and end the transactions that tasks of an earlier attempt have left open."""
        import json
        import uuid

        client = open_client(id)
        found, since = client.committed(0)
        newest, announced, done = -1, None, {}
        for key, value in found:
            said, task = json.loads(value), key[len(marker) + 1 :]
            if key == marker:
                newest = max(newest, said["batch"])
            elif task == b"tasks":
                announced = said
            elif task.isdigit():
                done[int(task)] = said
        if announced is not None and announced["batch"] <= newest:
            announced = None
            done = {}
        if announced is not None:
            for task in range(announced["tasks"]):
                open_client(f"{id}.{task}").close()
            done = {task: said for task, said in done.items() if said["batch"] == announced["batch"]}
            if any(said["version"] != version for said in done.values()):
                raise RuntimeError(f"{changed}: {announced['batch']}\n")
        known.update(
            client=client, newest=newest, announced=announced, done=frozenset(done), since=since, by=uuid.uuid4().hex,
            rows=0, slots={},
        )  # fmt: skip

    def count_tasks(batch: Any) -> tuple[int, int]:
        """How many tasks are to write a batch, and the number of the topic's partitions."""
        if writers == 1 or (not writers and known["rows"] < large):
            return 1, 0
        partitions = known["client"].partitions(topic)
        if not writers and "cores" not in known:
            known["cores"] = cores_of(batch.sparkSession)
        return min(writers or known["cores"], partitions), partitions

    def write_by_tasks(batch: Any, number: int, tasks: int, partitions: int, more: Any) -> None:
        import json

        client, by, slots = known["client"], known["by"], known["slots"]
        if tasks not in slots:
            slots[tasks] = slots_of(batch.sparkSession, tasks)
        plan = {"batch": number, "tasks": tasks, "partitions": partitions, "by": by}
        try:
            client.commit(markers, [(marker + b"/tasks", json.dumps(plan, separators=(",", ":")).encode())])
        except Exception as error:
            raise RuntimeError(text_of(error)) from None
        write = write_tasks(topic, markers, number, tasks, by, version, known["since"], known["done"])
        rows = spread_rows(batch, partitions, slots[tasks])
        try:
            found = rows.mapInArrow(write, "task bigint, records bigint").toArrow()
        except Exception as error:
            import re

            said = re.search(r"LSQLC-[A-Z]+: [^\n]*", str(error))
            if said is None:
                raise
            raise RuntimeError(said[0] + "\n") from None
        try:
            if more:
                client.send(topic, more)
            client.commit(markers, [(marker, b'{"batch":%d}' % number)])
            known.update(rows=sum(found.column(1).to_pylist()), announced=None, done=frozenset(), since=client.end())
        except Exception as error:
            raise RuntimeError(text_of(error)) from None

    def write_at_once(batch: Any, number: int, more: Any) -> None:
        from itertools import chain, islice

        failed: list[Exception] = []
        frame = batch.select(*wanted)
        known["rows"] = 0

        def rows() -> Any:
            from itertools import repeat

            # What fails here is Spark's error, not the client's.
            try:
                for table in (frame.toArrow(),) if in_order is not None else chunks(frame):
                    known["rows"] += table.num_rows
                    keys, values, times = (table.column(n).to_pylist() for n in range(3))
                    headers = pairs_of(table, place_of_headers)
                    if in_order is None:
                        yield from zip(repeat(-1), keys, values, times, headers, strict=False)
                    else:
                        yield from ((-1, keys[n], values[n], times[n], headers[n]) for n in in_order(table.column(3)))
            except Exception as error:
                failed.append(error)
                raise

        client, found = known["client"], rows()
        try:
            first = list(islice(found, 1))
            if not first and not more:
                return
            client.send(topic, chain(first, found))
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
            said = json.loads(line)
            value = json.dumps(said["value"], ensure_ascii=False, separators=(",", ":")).encode()
            more.append((-1, None, value, said["timestamp"], None))
        try:
            if not known:
                try:
                    start()
                except Exception as error:
                    raise RuntimeError(text_of(error)) from None
            if number <= known["newest"]:
                batch.select(*wanted).write.format("noop").mode("overwrite").save()
                return
            announced = known["announced"]
            if announced is not None:
                tasks, partitions = announced["tasks"], announced["partitions"]
            else:
                try:
                    tasks, partitions = count_tasks(batch)
                except Exception as error:
                    raise RuntimeError(text_of(error)) from None
            if tasks > 1 or announced is not None:
                write_by_tasks(batch, number, tasks, partitions, more)
            else:
                write_at_once(batch, number, more)
        except Exception as error:
            known.clear()
            said = str(error) if guard is None else guard[1](str(error))
            if said == str(error):
                raise
            raise RuntimeError(said) from None

    return placeless(publish)


def _chunks(frame: Any) -> Any:
    """The rows of a DataFrame as Arrow tables, in order, as soon as the server has them: they are written while it
    computes the others.
    """
    try:
        connected = frame.sparkSession.client
        given = connected.to_table_as_iterator(frame._plan.to_proto(connected), {})
    except AttributeError:
        # A server whose pyspark has no such iterator.
        yield frame.toArrow()
        return
    for part in given:
        # The schema comes first.
        if hasattr(part, "num_rows"):
            yield part


def _in_order(ordinals: Any) -> Any:
    """The places of an Arrow column of lists of numbers in the order of the lists; equal ones keep their order."""
    from pyarrow import compute, table

    lengths = compute.list_value_length(ordinals)
    widths = compute.min_max(lengths).as_py()
    if not widths["max"]:
        return list(range(len(ordinals)))
    # Without a Python object for each number, which takes ten times as long.
    if widths["min"] != widths["max"]:
        ordinals = compute.list_slice(ordinals, 0, widths["max"], return_fixed_size_list=True)
    columns = {str(n): compute.fill_null(compute.list_element(ordinals, n), -(2**63)) for n in range(widths["max"])}
    if widths["min"] != widths["max"]:
        # A list comes before those that it begins. What it lacks counts as the least number, which others may have.
        columns["length"] = lengths
    return compute.sort_indices(table(columns), sort_keys=[(name, "ascending") for name in columns]).to_pylist()
