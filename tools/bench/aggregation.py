"""The TABLE aggregation on Spark, beside the best that could be written by hand, in one session over the same topics.

Counted are the rows of a table by one of their fields; each update moves a row from one group to another. Contenders:
lsqlc's own queries; the same with a state in two parts, as a run has it with so much to read; `transformWithState` over
rows, with one state value per row of the table; and as the bound below which nothing comes, a plain GROUP BY of the
stream, which has no updates to take back. They read the same files in the same batches, write through the same sink,
and run in turn.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from lsqlc.api import Project
from lsqlc.bind.lenses.program import compile_program
from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import Source
from lsqlc.plan import Plan
from lsqlc.remote.cases.outcomes import final_rows
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run import queries
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.server.embedded import WIDE_SESSION, EmbeddedServer, ServerOptions
from lsqlc.remote.session.session import connect
from lsqlc.syntax.lenses import parser as lenses
from lsqlc.types.data import STRING
from lsqlc.types.ddl import parse_type
from lsqlc.types.record import Facet, Record, Topic
from tools.bench.flights import seeded
from tools.bench.report import Row, print_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

# lsqlc against transformWithState, and seconds for all updates: those of the engines that it is compared with.
RATIO_BUDGET = 7.0
SECONDS_BUDGET = 2.6

AS_RUN = "lsqlc, the state in two parts"
ROUNDS = 3
UPDATES, KEYS, GROUPS, SEGMENTS = 400_000, 87_000, 105, 20


@dataclass(frozen=True, slots=True)
class Data:
    """A topic to aggregate by the field `group` of its value. `plan`: lsqlc's count of its rows by that field."""

    name: str
    plan: Plan
    group: str
    folder: Path
    records: int
    files_per_batch: int
    batches: int


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds from the start of a query to its end, seconds spent in its batches, and the counts that it gave."""

    seconds: float
    busy: float
    counts: Mapping[str, int]


def run(work: Path, quick: bool) -> None:
    data = [*_generated(work, quick), *([] if quick else [_flights(work)])]
    rounds = 1 if quick else ROUNDS
    with EmbeddedServer(work / "server", dict(os.environ), ServerOptions(optimize=True)) as server:
        spark = connect(server.address)
        try:
            # The first query of a server spends seconds on loading classes.
            _turns(spark, _updates(work / "warm", 2_000, 500, 1, 1), 1, work)
            for each in data:
                title = f"aggregation: {each.name}, {each.records:,} records in {each.batches} batches"
                print_table(title, list(_rows(each, _turns(spark, each, rounds, work))))
        finally:
            spark.stop()


def _turns(spark: SparkSession, data: Data, rounds: int, work: Path) -> dict[str, list[Timed]]:
    """Each contender in turn, several times. Raises RuntimeError if two that should agree do not."""
    contenders = {"lsqlc": _lsqlc, AS_RUN: _as_run, "transformWithState": _stateful, "plain GROUP BY": _bound}
    taken: dict[str, list[Timed]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            taken[name].append(_timed(spark, data, name, contender, work))
    for name in ("lsqlc", AS_RUN):
        if taken[name][0].counts != taken["transformWithState"][0].counts:
            raise RuntimeError(f"{name} and transformWithState differ over {data.name}")
    return taken


def _rows(data: Data, taken: Mapping[str, list[Timed]]) -> Iterator[Row]:
    middle = {name: median(t.seconds for t in found) for name, found in taken.items()}
    busy = {name: median(t.busy for t in found) for name, found in taken.items()}
    whole = data.records == UPDATES and data.batches == 1
    for name, found in taken.items():
        samples = [t.seconds for t in found]
        budget = SECONDS_BUDGET if whole and name == AS_RUN else None
        yield Row(f"{name}: start to end", middle[name], budget=budget, samples=samples)
    for name in taken:
        yield Row(f"{name}: in its batches", data.records / busy[name], "rows/s", note=f"{busy[name]:.2f} s")
    ratio = busy["transformWithState"] / busy["lsqlc"]
    yield Row("lsqlc against transformWithState, in batches", ratio, "x", budget=RATIO_BUDGET)
    yield Row("the same, start to end", middle["transformWithState"] / middle["lsqlc"], "x")
    yield Row("lsqlc against plain GROUP BY, in batches", busy["plain GROUP BY"] / busy["lsqlc"], "x")


def _timed(spark: SparkSession, data: Data, name: str, contender: Callable[..., StreamingQuery], work: Path) -> Timed:
    """Run a contender over all its input, from an empty state."""
    place = work / "runs" / str(time.monotonic_ns())
    results = FileTransport(place / "topics")
    began = time.perf_counter()
    query = contender(spark, data, results, place / "checkpoint")
    query.awaitTermination()
    seconds = time.perf_counter() - began
    if query.exception() is not None:
        raise RuntimeError(f"{name} failed over {data.name}: {query.exception()}")
    progress = [_duration(p) for p in query.recentProgress]
    busy = sum(progress) / 1_000
    topic = data.plan.outputs[0]
    rows = final_rows(topic, FileLog(place / "topics").read(topic))
    return Timed(seconds, busy, {str(r.key): next(iter(r.value.values())) for r in rows})


def _duration(progress: Any) -> int:
    found: int = progress["durationMs"].get("triggerExecution", 0)
    return found


def _lsqlc(spark: SparkSession, data: Data, results: FileTransport, checkpoint: Path) -> StreamingQuery:
    (stage,) = lower(data.plan).stages
    publish = results.write(stage.write.topic, "run")
    options = QueryOptions(segments_per_batch=data.files_per_batch)
    reader = FileTransport(data.folder)
    return queries.start(spark, queries.Query(data.plan.name, stage, reader, options), publish, str(checkpoint))


def _as_run(spark: SparkSession, data: Data, results: FileTransport, checkpoint: Path) -> StreamingQuery:
    with queries.session_settings(spark, tuple(WIDE_SESSION.items())):
        return _lsqlc(spark, data, results, checkpoint)


def _stateful(spark: SparkSession, data: Data, results: FileTransport, checkpoint: Path) -> StreamingQuery:
    from pyspark import cloudpickle
    from pyspark.sql.connect.functions import expr

    from tools.bench import stateful

    cloudpickle.register_pickle_by_value(sys.modules[stateful.__name__])  # type: ignore[no-untyped-call]
    changes = (
        _parsed(spark, data)
        .where("key is not null")
        .groupBy("key")
        .transformWithState(stateful.GroupChanges(), stateful.CHANGES, "Update", "None")
    )
    counts = changes.groupBy("grp").agg(
        expr("max(ordinal) AS ordinal"), expr("max(timestamp) AS timestamp"), expr("sum(weight) AS n")
    )
    return _written(spark, counts, data, results, checkpoint)


def _bound(spark: SparkSession, data: Data, results: FileTransport, checkpoint: Path) -> StreamingQuery:
    from pyspark.sql.connect.functions import expr

    counts = (
        _parsed(spark, data)
        .groupBy("grp")
        .agg(expr("max(ordinal) AS ordinal"), expr("max(timestamp) AS timestamp"), expr("count(*) AS n"))
    )
    return _written(spark, counts, data, results, checkpoint)


def _parsed(spark: SparkSession, data: Data) -> DataFrame:
    """The records, with no more of them parsed than is needed."""
    source = Source("lines", (data.plan.inputs[0].name,))
    lines = FileTransport(data.folder).read(spark, source, segments_per_batch=data.files_per_batch)
    schema = f"ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<{data.group}: STRING>"
    return lines.selectExpr(f"from_json(_line, '{schema}') AS r").selectExpr(
        "r.ordinal", "r.timestamp", "r.key", f"r.value.{data.group} AS grp"
    )


def _written(
    spark: SparkSession, counts: DataFrame, data: Data, results: FileTransport, checkpoint: Path
) -> StreamingQuery:
    """The query that writes `counts` as lsqlc writes them."""
    name = data.plan.outputs[0].value.type.fields[0].name  # type: ignore[union-attr]
    value = f"if(n = 0, NULL, named_struct('{name}', n))"
    line = f"to_json(named_struct('ordinal', ordinal, 'timestamp', timestamp, 'key', grp, 'value', {value}))"
    writer = (
        counts.selectExpr(f"{line} AS line")
        .writeStream.foreachBatch(results.write(data.plan.outputs[0].name, "run"))
        .option("checkpointLocation", str(checkpoint))
        .outputMode("update")
        .trigger(availableNow=True)
    )
    # Aggregating what a processor gives is refused by a check that looks for a watermark alone.
    with queries.session_settings(spark, (("spark.sql.streaming.unsupportedOperationCheck", "false"),)):
        return writer.start()


def _flights(work: Path) -> Data:
    """The flights as a table of planes, counted by the airport that each last flew to."""
    root = seeded(work, quick=False)
    log = FileLog(root / ".lsqlc" / "topics")
    segments = log.segments("flights")
    records = sum(path.read_bytes().count(b"\n") for path in segments)
    plan = Project.load(root).plan("planes_by_airport")
    return Data("the flights", plan, "dest", log.root, records, 1, len(segments))


def _generated(work: Path, quick: bool) -> Iterator[Data]:
    """Many updates to a large table, in one batch and in many."""
    records, keys = (20_000, 5_000) if quick else (UPDATES, KEYS)
    segments = 4 if quick else SEGMENTS
    yield _updates(work / "updates", records, keys, segments, segments)
    yield _updates(work / "updates", records, keys, segments, 1)


def _updates(folder: Path, records: int, keys: int, segments: int, files_per_batch: int) -> Data:
    topic = Topic("updates", Facet(STRING, "string"), Facet(parse_type("STRUCT<grp: STRING, amount: INT>"), "json"))
    log = FileLog(folder)
    if not log.segments("updates"):
        random = Random(1)
        drawn = (
            Record(
                "updates",
                f"key-{random.randrange(keys)}",
                {"grp": f"group-{random.randrange(GROUPS)}", "amount": number},
                number,
            )
            for number in range(records)
        )
        log.append(topic, drawn, segments_of=-(-records // segments))
    program = lenses.parse("SELECT TABLE COUNT(*) AS n FROM updates GROUP BY grp", "counts.sql").program
    assert program is not None
    plan = compile_program(program, {"updates": topic}, name="counts").plan
    assert plan is not None
    return Data("generated updates", plan, "grp", folder, records, files_per_batch, -(-segments // files_per_batch))
