"""Kafka to Kafka, record by record: milliseconds from a record's being sent to the receipt of its result, by a client
of its own, in micro-batches and in real time, at two rates.

Each model runs in both modes, one after the other, as `lsqlc run --continuous` over one warm server and one broker.
A record is answered when all that it changes has been received as committed: of a group of a TABLE that where its row
is and that where it was. The time before each measurement warms the query up, and is left out.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.changes import Changes, answers, of_each_record, of_groups, of_groups_of_rows
from bench.continuous_run import ContinuousRun, continuous_run
from bench.latency_client import ROWS, Load, Results, make_topic, state_of_topic
from bench.report import Row, print_table
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.remote.server.jars import jars

RATES = (100, 1_000)
MODES = ("micro-batch", "real-time")
# Seconds that a rate warms up for, and that it is measured for: longer than from one note of a query to the next.
WARM, MEASURED = 15.0, 32.0
QUICK_WARM, QUICK_MEASURED = 5.0, 5.0
# Seconds within which the first result must come, and the last one once nothing more is sent.
FIRST_WITHIN, LAST_WITHIN = 120.0, 60.0
# A source, two states, and a slot for other queries.
CORES = 4
INPUT, OUTPUT = "records", "results"


@dataclass(frozen=True, slots=True)
class Query:
    """A model over `INPUT`, and what it makes of its records."""

    name: str
    sql: str
    changes: Changes


_SUMS = "COUNT(*) AS c, SUM(n) AS s"
QUERIES = (
    Query("a STREAM without state", f"SELECT STREAM g, n FROM {INPUT} WHERE n > 0", of_each_record),
    Query("windows of a STREAM", f"SELECT STREAM {_SUMS} FROM {INPUT} WINDOW BY TUMBLE 1h GROUP BY g", of_groups),
    Query("groups of a TABLE", f"SELECT TABLE {_SUMS} FROM {INPUT} GROUP BY g", of_groups_of_rows),
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
    """The server and the broker of all runs. `warm`, `measured`: seconds at each rate."""

    root: Path
    bootstrap: str
    address: str
    warm: float
    measured: float


def run(work: Path, quick: bool) -> None:
    environment = dict(os.environ)
    settings = {"optimize": True, "memory": "4g", "jars": jars("spark-kafka", environment), "cores": CORES}
    with (
        Broker(work / "latency-broker", environment) as broker,
        EmbeddedServer(work / "latency-server", environment, **settings) as server,  # type: ignore[arg-type]
    ):
        seconds = (QUICK_WARM, QUICK_MEASURED) if quick else (WARM, MEASURED)
        place = Place(work / "latency", broker.bootstrap, server.address, *seconds)
        print_table("latency: Kafka alone, from the producer to the consumer", list(_rows("Kafka", _alone(place))))
        for number, query in enumerate(QUERIES):
            rows: list[Row] = []
            for mode in MODES:
                rows += _rows(mode, _waits(place, query, mode, f"q{number}.{mode}."))
            print_table(f"latency: {query.name}", sorted(rows, key=lambda row: row.what.rpartition(" at ")[2]))


# The milliseconds of all records, by rate.
Waits = Mapping[int, Sequence[float]]


def _alone(place: Place) -> Waits:
    """What the broker and the client take by themselves."""
    make_topic(place.bootstrap, "alone")
    load, results = Load(place.bootstrap, "alone"), Results(place.bootstrap, "alone")
    with results.receiving():
        measured = {rate: (load.send(rate, 2.0), load.send(rate, place.measured / 4))[1] for rate in RATES}
        _until(lambda: len(results.received) == len(load.sent), LAST_WITHIN, lambda: "the broker is stuck")
    return {
        rate: [1_000 * (results.received[n - 1].at - load.sent[n - 1].at) for n in numbers]
        for rate, numbers in measured.items()
    }


def _waits(place: Place, query: Query, mode: str, prefix: str) -> Waits:
    """Raises RuntimeError, with what is known of the reason, for results that do not come or are wrong."""
    root = place.root / prefix.rstrip(".")
    write_model(root, place, query, mode, prefix)
    make_topic(place.bootstrap, f"{prefix}{INPUT}")
    load, results = Load(place.bootstrap, f"{prefix}{INPUT}"), Results(place.bootstrap, f"{prefix}{OUTPUT}")
    with continuous_run(root) as running:

        def reason() -> str:
            running.check()
            topics = [state_of_topic(place.bootstrap, topic) for topic in (load.topic, results.topic)]
            failed = [f"the consumer failed: {error}" for error in results.failed]
            return f"{_progress(running)}; {'; '.join([*topics, *failed])}\n{''.join(running.said)[-4000:]}"

        _until(lambda: bool(running.queries), FIRST_WITHIN, lambda: f"the query did not start: {reason()}")
        with results.receiving():
            # All rows, so that each record that is measured changes one.
            load.send(ROWS, 1.0)
            _until(lambda: bool(results.received), FIRST_WITHIN, lambda: f"no result came: {reason()}")
            measured = {}
            for rate in RATES:
                load.send(rate, place.warm)
                measured[rate] = load.send(rate, place.measured)
            # Where changes of a group within a batch cancel out, its next result answers them.
            load.send(ROWS, 1.0)
            found: dict[int, float] = {}

            def all_answered() -> bool:
                found.update(answers(query.changes(load.sent), tuple(results.received)))
                return all(n in found for numbers in measured.values() for n in numbers)

            _until(all_answered, LAST_WITHIN, lambda: f"{_left(measured, found)}: {reason()}", pause=1.0)
    return {rate: [1_000 * (found[n] - load.sent[n - 1].at) for n in numbers] for rate, numbers in measured.items()}


def _left(measured: Mapping[int, range], found: Mapping[int, float]) -> str:
    missing = [n for numbers in measured.values() for n in numbers if n not in found]
    return f"{len(missing):,} records have no result, the first of them {missing[0]}"


def _progress(running: ContinuousRun) -> str:
    rows = sum(batch["rows"] for batch in running.batches)
    return f"the run has reported {len(running.batches):,} batches, in which {rows:,} records were read"


def _until(done: Callable[[], bool], seconds: float, why: Callable[[], str], pause: float = 0.1) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise RuntimeError(f"after {seconds:g} seconds {why()}")
        time.sleep(pause)


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
        p50, p99 = (_percentile(ordered, share) for share in (0.5, 0.99))
        note = f"p50; p99 {p99:,.1f} ms, most {ordered[-1]:,.1f} ms, of {len(ordered):,} records"
        yield Row(f"{what} at {rate:,} records/s", p50, "ms", note=note)


def _percentile(ordered: Sequence[float], share: float) -> float:
    """The least of the numbers that so many of them do not exceed."""
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
