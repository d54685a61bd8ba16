"""Models in real-time mode over Kafka, which run beside a test until it has seen their records."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lsqlc.lower.spark import lower
from lsqlc.lower.spark.real_time import with_settings
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.plan.real_time import obstacles
from lsqlc.remote.run.events import Event, QuerySummary, Started
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.session.session import server_version
from lsqlc.tasks.verify import verify
from tests.kafka import client
from tests.kafka.settings import settings_of
from tests.kafka.test_run import Kafka

# The least that Spark allows.
NOTED = 5_000
# For a machine that is busy.
_WAIT = 90.0


def stages(kafka: Kafka, *, real_time: bool, new: bool, noted: int = NOTED) -> SparkPlan:
    """A model as it runs, in real time or not; `new`: it has no checkpoint yet."""
    assert not obstacles(kafka.plan)
    version, wires = server_version(kafka.spark.version), kafka.place.wires
    lowered = lower(kafka.plan, server=version, wires=wires, real_time=real_time)
    of = (with_settings(replace(s, interval=noted) if real_time else s, new=new) for s in lowered.stages)
    return replace(lowered, stages=tuple(of))


@contextmanager
def running(kafka: Kafka, *, new: bool = True, noted: int = NOTED) -> Iterator[Callable[[], None]]:
    """The model in real time inside the `with`; what is given raises what the run has raised by then."""
    kafka.prepare()
    began, stop, failed = threading.Event(), threading.Event(), list[BaseException]()

    def report(event: Event) -> None:
        if isinstance(event, Started):
            began.set()

    def work() -> None:
        try:
            jobs = [Job(kafka.plan.name, stages(kafka, real_time=True, new=new, noted=noted))]
            options = RunOptions(query=QueryOptions(until_read=False), restarts=0)
            transport, checkpoints = kafka.place.streams(), kafka.place.checkpoints
            run(
                RunResources(kafka.spark, kafka.address, transport, checkpoints),
                jobs,
                options=options,
                report=report,
                stop=stop.is_set,
            )
        except BaseException as error:
            failed.append(error)

    def look() -> None:
        if failed:
            raise failed[0]

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while not began.wait(0.2) and thread.is_alive():
            pass
        look()
        yield look
    finally:
        stop.set()
        thread.join(60)
    look()


def in_batches(kafka: Kafka, *, new: bool) -> tuple[QuerySummary, ...]:
    """The model in micro-batches, until all is read."""
    kafka.prepare()
    jobs = [Job(kafka.plan.name, stages(kafka, real_time=False, new=new))]
    return run(RunResources(kafka.spark, kafka.address, kafka.place.streams(), kafka.place.checkpoints), jobs)


def until_noted(kafka: Kafka, look: Callable[[], None]) -> None:
    """Wait until Spark has noted all that was read by now: two ends of batches are enough."""
    seen = _noted(kafka)
    end = time.monotonic() + _WAIT
    while _noted(kafka) < seen + 2:
        look()
        assert time.monotonic() < end, f"no batch ended within {_WAIT:g} seconds"
        time.sleep(0.2)


def _noted(kafka: Kafka) -> int:
    found = Path(str(kafka.place.checkpoints)).glob("out/spark-*/commits/[0-9]*")
    return max((int(path.name) for path in found), default=-1)


def until_written(kafka: Kafka, look: Callable[[], None], agrees: Callable[[], bool]) -> None:
    """Wait until what is in the topic is as it should be."""
    end = time.monotonic() + _WAIT
    while not agrees():
        look()
        assert time.monotonic() < end, f"the records were not there within {_WAIT:g} seconds: {differences(kafka)}"
        time.sleep(0.5)


def differences(kafka: Kafka) -> list[str]:
    """What differs from DuckDB's records, times aside."""
    plan = kafka.place.ordered(kafka.plan)
    lowered = lower(kafka.plan, wires=kafka.place.wires)
    found = verify({plan.name: plan}, {plan.name: lowered}, kafka.place.log, kafka.place.root, timed=False)
    return [f"{v.text}: {v.differences}" for v in found if not v.ok or not v.expected]


def written(kafka: Kafka) -> list[tuple[bytes | None, bytes | None]]:
    """What is in the topic of the model."""
    settings = settings_of(kafka.place.target)
    return [(m.key(), m.value()) for m in client.read(settings.bootstrap, f"{settings.prefix}out")]
