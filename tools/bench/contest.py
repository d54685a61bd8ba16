"""Contenders over the same topics in one session: each query from an empty state, timed, its results and its state."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.limits import Limits
from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.spark import lower
from lsqlc.plan import Plan
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run import queries
from lsqlc.remote.run.progress import as_mapping, parse
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.syntax.lenses import parser as lenses
from tools.bench import by_hand
from tools.bench.by_hand import ByHand
from tools.bench.orders import TOPICS

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

# As the queries by hand have it.
_GRACE = 60_000

Results = Mapping[str, Any]
Begin = Callable[[FileTransport, Path], "StreamingQuery"]


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds from the start of a query to its end, seconds spent in its batches, rows read, bytes of state after the
    last batch, and by batch the rows of each state store.
    """

    seconds: float
    busy: float
    rows: int
    state_bytes: int
    stores: tuple[tuple[int, ...], ...]

    @property
    def state(self) -> str:
        """What is kept: the rows of each state store after the first batch, the one in the middle, and the last."""
        if not self.stores[-1]:
            return ""
        batches = sorted({0, len(self.stores) // 2, len(self.stores) - 1})
        stores = (" > ".join(f"{self.stores[b][i]:,}" for b in batches) for i in range(len(self.stores[-1])))
        return f"{self.state_bytes / 1e6:,.0f} MB, rows by store {'; '.join(stores)}"


def plan_of(sql: str, name: str) -> Plan:
    program = lenses.parse(sql, f"{name}.sql").program
    assert program is not None
    plan = compile_program(program, TOPICS, name=name, limits=Limits(grace=_GRACE, retention=_GRACE)).plan
    assert plan is not None
    return plan


def ours(spark: SparkSession, plan: Plan, log: FileLog, files: int) -> Begin:
    """What lsqlc runs for a plan of one stage."""
    (stage,) = lower(plan).stages

    def begin(results: FileTransport, checkpoint: Path) -> StreamingQuery:
        publish, options = results.write("out", "run"), QueryOptions(segments_per_batch=files)
        return queries.start(
            spark, queries.Query(plan.name, stage, FileTransport(log.root), options), publish, str(checkpoint)
        )

    return begin


def hand_written(spark: SparkSession, frame: ByHand, log: FileLog, files: int, mode: str) -> Begin:
    """What a user would write, through the same sink."""

    def begin(results: FileTransport, checkpoint: Path) -> StreamingQuery:
        writer = (
            by_hand.lines(frame(spark, FileTransport(log.root), files))
            .writeStream.foreachBatch(results.write("out", "run"))
            .option("checkpointLocation", str(checkpoint))
            .outputMode(mode)
            .trigger(availableNow=True)
        )
        return writer.start()

    return begin


@contextmanager
def place_of_a_run(work: Path) -> Iterator[Path]:
    """A folder that no run had before: Spark still writes into the checkpoint of a query that has ended, so that one
    whose folder is rebuilt may find it in use.
    """
    place = work / "runs" / str(time.monotonic_ns())
    yield place
    shutil.rmtree(place, ignore_errors=True)


def timed(begin: Begin, place: Path, name: str) -> Timed:
    """Run a query over all its input; its results lie in the topic `out` below `place`."""
    began = time.perf_counter()
    query = begin(FileTransport(place / "topics"), place / "checkpoint")
    query.awaitTermination()
    seconds = time.perf_counter() - began
    if query.exception() is not None:
        raise RuntimeError(f"{name} failed: {query.exception()}")
    batches = [parse(name, as_mapping(p)) for p in query.recentProgress]
    stores = tuple(tuple(store.rows for store in b.stores) for b in batches)
    busy, rows = sum(b.seconds for b in batches), sum(b.rows for b in batches)
    return Timed(seconds, busy, rows, batches[-1].state_bytes, stores)


def newest(place: Path) -> Results:
    """The newest value of each key that came out; keys whose newest one is null are left out."""
    found = {json.dumps(r["key"]): r["value"] for r in _written(place)}
    return {key: value for key, value in found.items() if value is not None}


def records(place: Path) -> Results:
    """How often each record came out."""
    return Counter(json.dumps([r["key"], r["value"]]) for r in _written(place))


def _written(place: Path) -> list[Any]:
    segments = FileLog(place / "topics").segments("out")
    return [json.loads(line) for segment in segments for line in segment.read_bytes().splitlines()]
