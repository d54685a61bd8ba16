"""From Kafka to Kafka: what lsqlc runs beside queries by hand that give the same records to Spark's own sink.

In one session on one server over one broker, in turn, in the same batches; all give the same records, or the benchmark
fails. lsqlc writes a batch in one transaction, and by several tasks in one each. What is not the same: lsqlc writes
each batch once, whatever fails, and with the records' own times; Spark's sink writes at least once, with the times of
sending. The table by hand has the SQL of lsqlc behind the reading of records, since there is no operator of Spark for
it. Beside it is Kafka Streams, exactly once as well, where the Java at hand can compile its program.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from lsqlc.connectors.kafka.client import Cluster
from lsqlc.connectors.kafka.connector import settings_of
from lsqlc.connectors.kafka.failures import Task
from lsqlc.connectors.kafka.fetch import messages
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import Observe, Stage, View
from lsqlc.project.declared.target import Target
from lsqlc.remote.connectors.kafka.transport import KafkaTransport
from lsqlc.remote.run import queries
from lsqlc.remote.run.progress import as_mapping
from lsqlc.remote.run.queries import QueryOptions, session_settings
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import WIDE_SESSION, EmbeddedServer, ServerOptions
from lsqlc.remote.server.jars import jars
from lsqlc.remote.session.session import connect
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.types.kafka import KafkaSettings
from tools.bench.contest import plan_of
from tools.bench.orders import ORDERS, orders
from tools.bench.peers.kafka_streams import has_compiler, table_by_country
from tools.bench.report import Row, print_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

RATIO_BUDGET = 0.9
ROUNDS, RECORDS, A_BATCH = 3, 1_000_000, 200_000
QUICK, QUICK_BATCH = 20_000, 5_000
PARTITIONS = 4
# Of a batch that several tasks write.
WRITERS = 2
SEVERAL = f"lsqlc, {WRITERS} transactions a batch"

_SCHEMA = "country STRING, item STRING, amount INT"
STREAMS = "Kafka Streams"


@dataclass(frozen=True, slots=True)
class Query:
    """A query of lsqlc, and the SQL by hand over a view `read` of `key` STRING, `v` (the columns), `ts`, `partition`
    and `offset`, which gives a key and a struct; None: what lsqlc makes of records, over that view.
    """

    name: str
    sql: str
    hand: str | None


QUERIES = (
    Query("copy", "SELECT STREAM * FROM orders", "SELECT key, v FROM read"),
    Query(
        "filter",
        "SELECT STREAM item, UPPER(country) AS country, amount * 2 AS twice FROM orders WHERE amount > 500",
        "SELECT key, named_struct('item', v.item, 'country', upper(v.country), 'twice', v.amount * 2) AS v FROM read "
        "WHERE v.amount > 500",
    ),
    Query("table", "SELECT TABLE COUNT(*) AS n FROM orders GROUP BY country", None),
)


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds from the start of a query to its end, seconds in its batches, and of these by Spark's name of a part."""

    seconds: float
    busy: float
    parts: Mapping[str, float]


# Runs a contender: with a prefix of its topics, and a folder of its own.
Contender = Callable[[str, Path], Timed]


@dataclass(frozen=True, slots=True)
class Bench:
    """The broker, a session, and where checkpoints go."""

    bootstrap: str
    spark: SparkSession
    work: Path
    a_batch: int

    def place(self, query: Query, prefix: str) -> RunTarget:
        settings = KafkaSettings(self.bootstrap, prefix=prefix, partitions=PARTITIONS, offsets_per_batch=self.a_batch)
        return open_target(self.work, Target("bench", connection=settings), [plan_of(query.sql, "out")])

    def stage(self, query: Query) -> Stage:
        place = self.place(query, "")
        (stage,) = lower(place.plans[0], wires=place.wires).stages
        return stage


def run(work: Path, quick: bool) -> None:
    records, rounds = (QUICK, 1) if quick else (RECORDS, ROUNDS)
    environment = dict(os.environ)
    connector = jars("spark-kafka", environment)
    with (
        Broker(work / "broker", environment) as broker,
        EmbeddedServer(
            work / "kafka-server", environment, ServerOptions(optimize=True, memory="4g", jars=connector)
        ) as server,
    ):
        spark = connect(server.address, settings=WIDE_SESSION)
        try:
            bench = Bench(broker.bootstrap, spark, work, QUICK_BATCH if quick else A_BATCH)
            log = bench.place(QUERIES[0], "").log
            # Kafka Streams refuses a record without a time, as one of the time 0 is written.
            log.append(ORDERS, orders(Random(1), records, records // 10, 1))
            for query in QUERIES:
                taken = _turns(bench, query, rounds)
                print_table(
                    f"{query.name}: {records:,} records, {bench.a_batch:,} a batch", list(_rows(taken, records))
                )
        finally:
            spark.stop()


def _turns(bench: Bench, query: Query, rounds: int) -> dict[str, list[Timed]]:
    """All in turn, forwards and backwards by turns; the first turn only warms the server. Raises RuntimeError if they
    do not agree.
    """
    contenders = {
        "lsqlc": _ours(bench, query, 1),
        "by hand": _by_hand(bench, query),
        SEVERAL: _ours(bench, query, WRITERS),
    }
    if query.hand is None and has_compiler():
        contenders[STREAMS] = _kafka_streams(bench, query)
    taken: dict[str, list[Timed]] = {name: [] for name in contenders}
    numbers = count()
    for turn in range(rounds + 1):
        found = []
        for name, contend in contenders.items() if turn % 2 else reversed(list(contenders.items())):
            prefix = f"{query.name}{turn}.{next(numbers)}."
            timed = contend(prefix, bench.work / "checkpoints" / prefix)
            if turn:
                taken[name].append(timed)
            else:
                found.append(_results(bench, f"{prefix}out", table=query.hand is None))
        if found and (any(other != found[0] for other in found) or not found[0]):
            raise RuntimeError(f"lsqlc and the query by hand differ in the {query.name}")
    return taken


def _ours(bench: Bench, query: Query, writers: int) -> Contender:
    """What lsqlc runs, with the records of all runs' input in one topic. `writers`: the transactions of a batch."""
    stage = bench.stage(query)

    def contend(prefix: str, checkpoint: Path) -> Timed:
        place = bench.place(query, prefix)
        written = {topic.name: topic for topic in place.plans[0].outputs}
        transport = KafkaTransport(replace(_settings(place), writers=writers), written, bench.work)
        log = KafkaLog(_settings(place))
        log.prepare(written["out"])
        log.prepare_markers()
        publish = transport.write("out", "run", ordered=stage.held != "", version=stage.version)
        reader = KafkaTransport(_settings(bench.place(query, "")), written, bench.work)
        started = queries.Query("out", stage, reader, QueryOptions(), transport.columns)
        return _timed(lambda: queries.start(bench.spark, started, publish, str(checkpoint)))

    return contend


def _by_hand(bench: Bench, query: Query) -> Contender:
    """What a user would write, into Spark's sink."""
    stage = bench.stage(query)

    def contend(prefix: str, checkpoint: Path) -> Timed:
        place = bench.place(query, prefix)
        place.log.prepare(place.plans[0].outputs[0])
        return _timed(lambda: begin(prefix, checkpoint))

    def begin(prefix: str, checkpoint: Path) -> StreamingQuery:
        spark = bench.spark
        _read(bench).createOrReplaceTempView("read")
        with session_settings(spark, stage.settings):
            rows = spark.sql(query.hand) if query.hand else _table(spark, stage)
            writer = (
                rows.selectExpr("key", "to_json(v) AS value")
                .writeStream.format("kafka")
                .option("kafka.bootstrap.servers", bench.bootstrap)
                .option("topic", f"{prefix}out")
                .option("checkpointLocation", str(checkpoint))
                .outputMode(stage.write.mode)
                .trigger(availableNow=True)
            )
            return writer.start()

    return contend


def _kafka_streams(bench: Bench, query: Query) -> Contender:
    """The same TABLE by Kafka Streams, which reads the topic without batches."""

    def contend(prefix: str, folder: Path) -> Timed:
        place = bench.place(query, prefix)
        place.log.prepare(place.plans[0].outputs[0])
        seconds, busy = table_by_country(bench.bootstrap, f"{prefix}out", prefix.rstrip("."), folder)
        return Timed(seconds, busy, {})

    return contend


def _read(bench: Bench) -> DataFrame:
    records = (
        bench.spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", bench.bootstrap)
        .option("subscribe", "orders")
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", str(bench.a_batch))
    )
    return records.load().selectExpr(
        "CAST(key AS STRING) AS key", f"from_json(CAST(value AS STRING), '{_SCHEMA}') AS v",
        "unix_millis(timestamp) AS ts", "partition", "offset",
    )  # fmt: skip


def _table(spark: SparkSession, stage: Stage) -> DataFrame:
    """The groups of the rows of `read`, by the pieces of SQL behind the records."""
    counted = next(step.name for step in stage.steps if isinstance(step, Observe))
    spark.sql(
        "SELECT array(0L, offset, 0L + partition) AS _ord, ts AS _ts, key AS k0, v AS v0 FROM read"
    ).createOrReplaceTempView(counted)
    view = next(step for step in stage.steps if isinstance(step, View) and step.name == stage.write.view)
    *pieces, _ = view.pieces
    named = ", ".join(f"{name} AS ({sql})" for name, sql in pieces)
    return spark.sql(f"WITH {named} SELECT k0 AS key, v0 AS v FROM {pieces[-1][0]}")


def _timed(begin: Callable[[], StreamingQuery]) -> Timed:
    """How long a query takes. Raises RuntimeError if it fails."""
    began = time.perf_counter()
    query = begin()
    query.awaitTermination()
    seconds = time.perf_counter() - began
    if query.exception() is not None:
        raise RuntimeError(f"'{query.name}' failed: {query.exception()}")
    parts: Counter[str] = Counter()
    for progress in map(as_mapping, query.recentProgress):
        parts.update(progress["durationMs"])
    return Timed(seconds, parts["triggerExecution"] / 1000, {name: ms / 1000 for name, ms in parts.items()})


def _results(bench: Bench, topic: str, *, table: bool) -> Any:
    """How often each record came out, or the newest value of each key; a deleted one is none."""
    cluster = Cluster(KafkaSettings(bench.bootstrap), 30.0)
    log = bench.place(QUERIES[0], "").log
    bounds = log.offsets(topic)
    found = [(m.key(), m.value()) for m in messages(cluster, topic, bounds, Task(f"'{topic}' cannot be read"))]
    return {k: v for k, v in dict(found).items() if v is not None} if table else Counter(found)


def _settings(place: RunTarget) -> KafkaSettings:
    settings = settings_of(place.target)
    assert settings is not None, "the topics are in Kafka"
    return settings


def _rows(taken: dict[str, list[Timed]], records: int) -> Iterator[Row]:
    for name, found in taken.items():
        parts = ", ".join(f"{part} {seconds:.1f} s" for part, seconds in found[-1].parts.items() if seconds >= 0.1)
        yield Row(
            f"{name}: in its batches", records / median(t.busy for t in found), "rows/s",
            samples=[records / t.busy for t in found], note=parts,
        )  # fmt: skip
        yield Row(f"{name}: start to end", median(t.seconds for t in found))
    ratio = median(t.busy for t in taken["by hand"]) / median(t.busy for t in taken["lsqlc"])
    yield Row("lsqlc against by hand, in batches", ratio, "x", budget=RATIO_BUDGET)
    several = median(t.busy for t in taken["lsqlc"]) / median(t.busy for t in taken[SEVERAL])
    yield Row(f"{WRITERS} transactions against one, in batches", several, "x")
    if STREAMS in taken:
        rounds = zip(taken[STREAMS], taken["lsqlc"], strict=True)
        in_batches = [(peer.busy / ours.busy, peer.seconds / ours.seconds) for peer, ours in rounds]
        yield Row("lsqlc in batches against Kafka Streams from its first record", median(a for a, _ in in_batches), "x")
        yield Row("lsqlc against Kafka Streams, start to end", median(b for _, b in in_batches), "x")
