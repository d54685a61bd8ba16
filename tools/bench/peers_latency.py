"""The latency of several engines, record by record: the models of `python -m tools.bench latency` by lsqlc, Flink SQL,
Kafka Streams and Pathway, from one topic of a broker to another, one engine after the other, by the same client.

Each query of a peer is a process of its own, lsqlc's run over one server that is kept. Results are received as
committed, and compared: each record must have its result, and none may be another than the records make.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsqlc.remote.server.broker import Broker, BrokerOptions
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.server.jars import jars
from tools.bench.latency import CORES, INPUT, MODES, OUTPUT, QUERIES, Query
from tools.bench.latency_client import Load, Results, make_topic
from tools.bench.latency_waits import RATES, Timing, Waits, percentile, waits
from tools.bench.peers.engine import is_installed
from tools.bench.peers.flink.live import FlinkLive
from tools.bench.peers.live import LiveEngine, LiveJob
from tools.bench.peers.lsqlc_live import LsqlcLive
from tools.bench.peers.pathway.live import PathwayLive
from tools.bench.peers.streams.live import KafkaStreamsLive

TIMING, QUICK = Timing(5, 1, 8), Timing(1, 1, 2)
# What the others' times are compared with.
_AGAINST = "Flink, at least once"


@dataclass(frozen=True, slots=True)
class Latency:
    """The times of one model by one engine."""

    model: str
    engine: str
    waits: Waits


def run(work: Path, quick: bool) -> None:
    """Raises RuntimeError at the end, when all have run, for results that are wrong or do not come, each by name."""
    environment = dict(os.environ)
    timing = QUICK if quick else TIMING
    options = ServerOptions(optimize=True, memory="4g", jars=jars("spark-kafka", environment), cores=CORES)
    found: list[Latency] = []
    wrong: list[str] = []
    with (
        Broker(work / "peers-latency-broker", environment, BrokerOptions(memory="1g")) as broker,
        EmbeddedServer(work / "peers-latency-server", environment, options) as server,
    ):
        here = [engine for engine in engines(server.address) if is_installed(engine)]
        for query in QUERIES:
            for number, engine in enumerate(here):
                folder = work / "peers-latency" / query.id / str(number)
                try:
                    each = Latency(query.name, engine.name, measured(engine, query, broker.bootstrap, folder, timing))
                except RuntimeError as error:
                    wrong.append(f"{query.name} by {engine.name}: {error}")
                    print(f"  {wrong[-1]}", flush=True)
                else:
                    found.append(each)
                    print(f"  {query.name} by {engine.name}: {_line(each.waits)}", flush=True)
    print(f"\nRecords are written {'; '.join(f'{engine.promise} by {engine.name}' for engine in here)}\n")
    print("\n".join(table(found)), flush=True)
    if wrong:
        raise RuntimeError("\n".join(wrong))


def engines(address: str) -> tuple[LiveEngine, ...]:
    """All, lsqlc first. `address`: of its server."""
    return (
        *(LsqlcLive(address, mode) for mode in reversed(MODES)),
        FlinkLive("at-least-once", 5),
        FlinkLive("exactly-once", 1),
        KafkaStreamsLive("at_least_once"),
        KafkaStreamsLive("exactly_once_v2"),
        PathwayLive(),
    )


def measured(engine: LiveEngine, query: Query, bootstrap: str, folder: Path, timing: Timing) -> Waits:
    """Run a query and measure it. `folder`: is made. Raises RuntimeError for results that do not come or are wrong."""
    folder.mkdir(parents=True)
    id = f"{query.id}-{folder.name}"
    job = LiveJob(query, bootstrap, f"{id}.{INPUT}", f"{id}.{OUTPUT}", folder, id)
    for topic in (job.input, job.output):
        make_topic(bootstrap, topic)
    load, results = Load(bootstrap, job.input, key_in_value=True), Results(bootstrap, job.output)
    with engine.running(job) as live:
        return waits(live, query.changes, load, results, timing, engine.read)


def table(found: Sequence[Latency]) -> Iterator[str]:
    """A line for each model and engine, in Markdown: at each rate the median, how many times that of Flink at least
    once it is, the 99th percentile and the most.
    """
    rates = " | ".join(f"p50 at {rate:,}/s | of Flink's | p99 | most" for rate in RATES)
    yield f"| model | engine | {rates} |"
    yield "| --- | --- |" + " ---: | ---: | ---: | ---: |" * len(RATES)
    against = {each.model: each for each in found if each.engine == _AGAINST}
    for each in found:
        cells = (cell for rate in RATES for cell in _cells(each, against.get(each.model), rate))
        yield f"| {each.model} | {each.engine} | {' | '.join(cells)} |"


def _cells(each: Latency, against: Latency | None, rate: int) -> tuple[str, ...]:
    ordered = sorted(each.waits[rate])
    p50 = percentile(ordered, 0.5)
    other = None if against is None or against is each else percentile(sorted(against.waits[rate]), 0.5)
    ratio = "" if other is None else f"{p50 / other:.1f} x"
    return (f"{p50:,.1f}", ratio, f"{percentile(ordered, 0.99):,.1f}", f"{ordered[-1]:,.1f}")


def _line(waits: Waits) -> str:
    return "; ".join(f"p50 {percentile(sorted(of), 0.5):,.1f} ms at {rate:,} records/s" for rate, of in waits.items())
