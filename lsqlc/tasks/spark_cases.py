"""The golden tests of a project on Spark: over files, or over Kafka topics."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from lsqlc.connectors.kafka.connector import settings_of
from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity
from lsqlc.diagnostics.extras import SPARK, require
from lsqlc.golden.run import GoldenRun
from lsqlc.golden.show import plural
from lsqlc.lower import duckdb
from lsqlc.lower.spark import unsupported
from lsqlc.project.declared.target import Target
from lsqlc.project.workspace import Workspace
from lsqlc.tasks.golden import Engine, GoldenRequest, GoldenResult, run_goldens
from lsqlc.tasks.kafka_bench import Bench
from lsqlc.tasks.kafka_cases import kafka_cases, run_kafka_cases
from lsqlc.tasks.run_context import Session
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.tasks.selection import compile_selection
from lsqlc.types.kafka import KafkaSettings

# A query for each stage, and one for each case where there is a watermark.
_QUERIES_PER_MODEL = 4
# Over Kafka, a query for each stage and batch.
_QUERIES_PER_CASE = 4
# A query's start takes a processor for seconds.
_MOST_WORKERS = 4


class Sessions(Protocol):
    """Opens a session on the server of a target, for about so many queries. `over_topics`: they read its topics."""

    def __call__(
        self, place: RunTarget, *, queries: int, over_topics: bool = False
    ) -> AbstractContextManager[Session]: ...


@dataclass(frozen=True, slots=True)
class SparkTests:
    """The target of the tests, and the services of their command.

    `target`: a name of profiles.yml, None: an embedded server, and a broker that is started for the tests.
    `environment`: all environment variables; `say`: prints a line.
    """

    target: str | None
    sessions: Sessions
    environment: Mapping[str, str]
    say: Callable[[str], None]


def golden_tests_on_spark(workspace: Workspace, request: GoldenRequest, tests: SparkTests) -> GoldenResult:
    """Run the golden tests of the selected models on Spark, the records cut into batches. Models that Spark cannot run
    are skipped, with the reason as a note. No golden file is written.

    Raises LsqlcError as the server does, and LSQ786 for a target that shares no folder with lsqlc.
    """
    from lsqlc.remote.cases.outcomes import evaluate

    compilation = compile_selection(workspace, request.selection)
    reasons = {name: unsupported(plan) for name, plan in compilation.plans.items()}
    plans = {name: plan for name, plan in compilation.plans.items() if not reasons[name]}
    skipped = tuple(replace(d, severity=Severity.NOTE) for problems in reasons.values() for d in problems)
    place = open_target(workspace.root, workspace.cases_target(tests.target))
    work = _records_folder(place)
    with tests.sessions(place, queries=_QUERIES_PER_MODEL * len(plans)) as spark:
        engine = Engine(partial(evaluate, spark.session, work), is_batched=True, judge=duckdb.evaluate)
        try:
            result = run_goldens(compilation, request, engine, plans)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    # DuckDB's tests compare the plans; here they would fail a second time for the same change.
    cases = tuple(each for each in result.run.results if each.kind == "case")
    return replace(result, run=GoldenRun(cases, {}), diagnostics=(*skipped, *result.diagnostics))


def golden_tests_on_kafka(workspace: Workspace, request: GoldenRequest, tests: SparkTests) -> GoldenResult:
    """Run the golden tests of the selected models on Spark, over Kafka topics with several partitions.

    Raises LsqlcError LSQ099 without a client of Kafka, LSQ746 for a target without a cluster, and as the broker, the
    server and `run_kafka_cases` do.
    """
    compilation = compile_selection(workspace, request.selection)
    target = workspace.cases_target(tests.target)
    if tests.target is None:
        # The broker is not started yet.
        target = replace(target, connection=KafkaSettings(""))
    elif settings_of(target) is None:
        raise _no_cluster(tests.target)
    require(*SPARK, *target.connector.packages)
    some = kafka_cases(compilation, target)
    if not some.cases:
        return GoldenResult(compilation, GoldenRun((), {}), (*some.skipped, *some.read.diagnostics), some.read.texts)
    with _bench(workspace.root, target, tests, queries=_QUERIES_PER_CASE * len(some.cases)) as bench:
        tests.say(f"running {plural(len(some.cases), 'case')} over Kafka, {bench.workers} at a time ...")
        return run_kafka_cases(some, compilation, bench, fail_fast=request.fail_fast, say=tests.say)


def _records_folder(place: RunTarget) -> Path:
    """Return a folder of this process for the records of cases, which the server of the target reads. Raises LsqlcError
    LSQ786 if lsqlc and the server share no folder.
    """
    # No query's checkpoint has such a name.
    if place.target.type == "embedded":
        base = place.state / "cases"
    elif isinstance(place.checkpoints, Path):
        base = place.checkpoints / ".cases"
    else:
        message = (
            f"the cases cannot run on the target '{place.target.name}', whose server does not share a folder with lsqlc"
        )
        note = "the records of cases are files, and the target has an address as its `checkpoints`"
        help = "omit `--target` to run them on the embedded server"
        raise LsqlcError([Diagnostic("LSQ786", message, notes=(note,), help=help)])
    return base / _process()


@contextmanager
def _bench(root: Path, target: Target, tests: SparkTests, *, queries: int) -> Iterator[Bench]:
    """Return the bench on which cases run, inside the `with`. Without a named target a broker is started for it."""
    from lsqlc.remote.server.broker import Broker, BrokerOptions

    place = open_target(root, target)
    scratch = place.state / "cases" / _process()
    checkpoints: Path | str = scratch / "checkpoints"
    if target.type != "embedded":
        # Spark does not list what begins with a dot.
        checkpoints = f"{place.checkpoints}/cases/{_process()}"
    workers = min(_MOST_WORKERS, os.cpu_count() or 1)
    try:
        with ExitStack() as stack:
            if tests.target is None:
                tests.say("starting a Kafka broker ...")
                (scratch / "broker").mkdir(parents=True, exist_ok=True)
                broker = stack.enter_context(
                    Broker(scratch / "broker", tests.environment, BrokerOptions(say=tests.say))
                )
                place = open_target(root, replace(target, connection=KafkaSettings(broker.bootstrap)))
            spark = stack.enter_context(tests.sessions(place, queries=queries, over_topics=True))
            yield Bench(spark, place.target, checkpoints, workers)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _process() -> str:
    """Return a name of this process that no other host's process has."""
    return f"{socket.gethostname()}-{os.getpid()}"


def _no_cluster(name: str) -> LsqlcError:
    message = f"the topics of the target '{name}' are not in Kafka"
    help = "add `kafka: {bootstrap: host:9092}` to it in profiles.yml, or omit `--target`: lsqlc then starts a broker"
    return LsqlcError([Diagnostic("LSQ746", message, help=help)])
