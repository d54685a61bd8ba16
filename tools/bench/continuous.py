"""The reference project in `lsqlc run --continuous`: seconds until all input is read, processor time of a batch, and
what the queries cost while nothing comes in. Before and after that records come one by one: how long each takes to its
result.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from lsqlc.api import Project
from lsqlc.connectors.folders.log import FileLog
from lsqlc.types.record import Record
from tools.bench.continuous_run import ContinuousRun, continuous_run
from tools.bench.flights import seeded
from tools.bench.report import Row, print_table
from tools.bench.spent import KINDS, Kind, spent

# Seconds without a batch after which all input counts as read.
QUIET = 15.0
# Seconds after which a run that goes on reading is given up.
LONGEST = 1800.0
IDLE_BUDGET, REACTION_BUDGET = 5.0, 1.0
# The model whose query has no state: a flight that is an hour late or more is a record of its topic.
MODEL, WRITTEN = "late_departures", "late-departures"
LATE = 60


def run(work: Path, quick: bool) -> None:
    # 20,000 flights, in 20 files: what a batch costs does not depend on more.
    root = seeded(work / "continuous", quick=True)
    measured(root, 15.0 if quick else 60.0, 3 if quick else 9)


def measured(root: Path, idle: float, records: int) -> None:
    """Print the figures of a project that is seeded. `idle`: seconds to look at it while nothing comes in; `records`:
    how many come before that and after it, one by one.
    """
    began = time.monotonic()
    with continuous_run(root, "--full-refresh") as running:
        last, busy = _until_quiet(running)
        drained, batches, queries = last - began, len(running.batches), running.queries
        # Input in one batch leaves most of what a record needs to be compiled.
        first = _reactions(root, records)
        # A record is input of other queries too, whose batches are not idleness.
        _until_quiet(running)
        before = spent(running.process.pid)
        time.sleep(idle)
        after = spent(running.process.pid)
        waits = _reactions(root, records)
    quiet = {kind: 100 * (after[kind] - before[kind]) / idle for kind in KINDS}
    rows = [
        Row("seconds until all is read", drained, note=f"{queries} queries, {batches:,} batches"),
        Row("processor seconds until then", sum(busy.values()), note=_parts(busy, "s")),
        Row("processor seconds for a batch, the start included", sum(busy.values()) / batches),
        Row("from one of the first records to its result", median(first), samples=first),
        Row("idle", sum(quiet.values()), "%", IDLE_BUDGET, note=f"of a processor: {_parts(quiet, '%')}"),
        Row("from a record to its result", median(waits), budget=REACTION_BUDGET, samples=waits),
    ]
    print_table("continuous: the reference project in `lsqlc run --continuous`", rows)


def _parts(of: Mapping[Kind, float], unit: str) -> str:
    return ", ".join(f"{kind} {value:.1f} {unit}" for kind, value in of.items())


def _until_quiet(running: ContinuousRun) -> tuple[float, Mapping[Kind, float]]:
    """Wait until nothing has come for a while; the monotonic time of the last batch, and what was spent by then."""
    deadline = time.monotonic() + LONGEST
    known, busy = 0, spent(running.process.pid)
    while time.monotonic() < deadline:
        running.check()
        if len(running.batches) > known:
            known, busy = len(running.batches), spent(running.process.pid)
        if running.batches and time.monotonic() - running.last > QUIET:
            return running.last, busy
        time.sleep(0.5)
    raise RuntimeError(f"the run reads for more than {LONGEST:g} seconds")


def _reactions(root: Path, rounds: int) -> list[float]:
    """Seconds from when a record can be read until its result can."""
    log = FileLog(root / ".lsqlc" / "topics")
    (topic,) = Project.load(root).plans[MODEL].inputs
    late = next(r for r in log.read(topic) if r.value and (r.value["dep_delay"] or 0) >= LATE)
    waits = []
    for _ in range(rounds):
        # Away from the rhythm of the queries.
        time.sleep(3.1)
        before = len(log.segments(WRITTEN))
        log.append(topic, [Record(topic.name, late.key, late.value, late.timestamp)])
        began = time.monotonic()
        while len(log.segments(WRITTEN)) == before:
            time.sleep(0.01)
            if time.monotonic() - began > QUIET:
                raise RuntimeError(f"a record of '{topic.name}' has no result in '{WRITTEN}'")
        waits.append(time.monotonic() - began)
    return waits
