"""Kafka to Kafka, record by record: milliseconds from a record's being sent to the receipt of its result, by a client
of its own, in micro-batches and in real time, at two rates.

Each model runs in both modes, one after the other, as `lsqlc run --continuous` over one warm server and one broker.
A record is answered when all that it changes has been received as committed: of a group of a TABLE that where its row
is and that where it was. The time before each measurement warms the query up, and is left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.server.jars import jars
from tools.bench.changes import Changes, of_each_record, of_groups, of_groups_of_rows
from tools.bench.continuous_run import ContinuousRun, continuous_run
from tools.bench.latency_client import Load, Results, make_topic
from tools.bench.latency_waits import FIRST_WITHIN, LAST_WITHIN, RATES, Timing, Waits, percentile, until, waits
from tools.bench.report import Row, print_table

MODES = ("micro-batch", "real-time")
# Each rate is measured for longer than from one note of a query to the next.
TIMING, QUICK = Timing(0, 15, 32), Timing(0, 5, 5)
# A source, two states, and a slot for other queries.
CORES = 4
INPUT, OUTPUT = "records", "results"


@dataclass(frozen=True, slots=True)
class Query:
    """A model over `INPUT`, and what it makes of its records. `id`: its name for programs."""

    id: str
    name: str
    sql: str
    changes: Changes


_SUMS = "COUNT(*) AS c, SUM(n) AS s"
QUERIES = (
    Query("stream", "a STREAM without state", f"SELECT STREAM g, n FROM {INPUT} WHERE n > 0", of_each_record),
    Query(
        "windows",
        "windows of a STREAM",
        f"SELECT STREAM {_SUMS} FROM {INPUT} WINDOW BY TUMBLE 1h GROUP BY g",
        of_groups,
    ),
    Query("groups", "groups of a TABLE", f"SELECT TABLE {_SUMS} FROM {INPUT} GROUP BY g", of_groups_of_rows),
)
_TOPICS = f"""\
version: 1
topics:
  - name: {INPUT}
    key: STRING
    value: g STRING, n BIGINT
    connector: kafka
"""


@dataclass(frozen=True, slots=True)
class Place:
    """The server and the broker of all runs."""

    root: Path
    bootstrap: str
    address: str


def run(work: Path, quick: bool) -> None:
    environment = dict(os.environ)
    options = ServerOptions(optimize=True, memory="4g", jars=jars("spark-kafka", environment), cores=CORES)
    with (
        Broker(work / "latency-broker", environment) as broker,
        EmbeddedServer(work / "latency-server", environment, options) as server,
    ):
        place = Place(work / "latency", broker.bootstrap, server.address)
        timing = QUICK if quick else TIMING
        print_table(
            "latency: Kafka alone, from the producer to the consumer",
            list(_rows("Kafka", _alone(place, timing.measured / 4))),
        )
        for number, query in enumerate(QUERIES):
            rows: list[Row] = []
            for mode in MODES:
                rows += _rows(mode, _waits(place, query, mode, f"q{number}.{mode}.", timing))
            print_table(f"latency: {query.name}", sorted(rows, key=lambda row: row.what.rpartition(" at ")[2]))


def _alone(place: Place, seconds: float) -> Waits:
    """What the broker and the client take by themselves."""
    make_topic(place.bootstrap, "alone")
    load, results = Load(place.bootstrap, "alone"), Results(place.bootstrap, "alone")
    with results.receiving():
        measured = {rate: (load.send(rate, 2.0), load.send(rate, seconds))[1] for rate in RATES}
        until(lambda: len(results.received) == len(load.sent), LAST_WITHIN, lambda: "the broker is stuck")
    return {
        rate: [1_000 * (results.received[n - 1].at - load.sent[n - 1].at) for n in numbers]
        for rate, numbers in measured.items()
    }


def _waits(place: Place, query: Query, mode: str, prefix: str, timing: Timing) -> Waits:
    """Raises RuntimeError, with what is known of the reason, for results that do not come or are wrong."""
    root = place.root / prefix.rstrip(".")
    write_model(root, place, query, mode, prefix)
    make_topic(place.bootstrap, f"{prefix}{INPUT}")
    load, results = Load(place.bootstrap, f"{prefix}{INPUT}"), Results(place.bootstrap, f"{prefix}{OUTPUT}")
    with running(root) as live:
        return waits(live, query.changes, load, results, timing)


@dataclass(frozen=True, slots=True)
class Running:
    """A run of lsqlc that goes on, as what makes results."""

    run: ContinuousRun

    def check(self) -> None:
        self.run.check()

    def state(self) -> str:
        batches = self.run.batches
        rows = sum(batch["rows"] for batch in batches)
        progress = f"the run has reported {len(batches):,} batches, in which {rows:,} records were read"
        return f"{progress}\n{''.join(self.run.said)[-4000:]}"


@contextmanager
def running(root: Path) -> Iterator[Running]:
    """The project in that folder, whose query has started, runs inside the `with`. Raises RuntimeError if it does not
    start.
    """
    with continuous_run(root) as run:
        live = Running(run)

        def why() -> str:
            live.check()
            return f"the query did not start: {live.state()}"

        until(lambda: bool(run.queries), FIRST_WITHIN, why)
        yield live


def write_model(root: Path, place: Place, query: Query, mode: str, prefix: str) -> None:
    """A project of that model alone, in that latency. `prefix`: of its topics."""
    (root / "models").mkdir(parents=True)
    (root / "lsqlc.yml").write_text("name: latency\n")
    (root / "models" / "topics.yml").write_text(_TOPICS)
    (root / "models" / f"{OUTPUT}.sql").write_text(query.sql)
    target = {
        "type": "connect",
        "address": place.address,
        "checkpoints": (root / "checkpoints").absolute().as_uri(),
        "latency": mode,
        "kafka": {"bootstrap": place.bootstrap, "partitions": 1, "prefix": prefix},
    }
    (root / "profiles.yml").write_text(json.dumps({"default": "k", "targets": {"k": target}}))


def _rows(what: str, waits: Waits) -> Iterator[Row]:
    for rate, found in waits.items():
        ordered = sorted(found)
        p50, p99 = (percentile(ordered, share) for share in (0.5, 0.99))
        note = f"p50; p99 {p99:,.1f} ms, most {ordered[-1]:,.1f} ms, of {len(ordered):,} records"
        yield Row(f"{what} at {rate:,} records/s", p50, "ms", note=note)
