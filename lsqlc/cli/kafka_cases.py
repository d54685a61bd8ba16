"""`lsqlc test --engine kafka`: over a broker and a Spark server of the command's own, or those of a target."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.cli.shell import Shell

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.target import Target
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.golden import Tested
    from lsqlc.tasks.kafka_bench import Bench

# A query's start takes a processor for seconds.
_MOST_WORKERS = 4
# A query for each stage and batch.
_QUERIES_PER_CASE = 4


def on_kafka(sh: Shell, workspace: Workspace, compilation: Compilation, name: str | None, fail_fast: bool) -> Tested:
    """Run the cases of a compilation through Kafka. `name`: the target; None: a broker of the command's own.

    Raises LsqlcError LSQ099 without a client of Kafka, LSQ746 for a target without a cluster, and as the broker, the
    server and `run_kafka_cases` do.
    """
    from lsqlc.cli.spark import require_packages
    from lsqlc.connectors.kafka.connector import settings_of
    from lsqlc.golden.run import GoldenRun
    from lsqlc.golden.show import plural
    from lsqlc.tasks.golden import Tested
    from lsqlc.tasks.kafka_cases import kafka_cases, run_kafka_cases
    from lsqlc.types.kafka import KafkaSettings

    target = workspace.cases_target(name)
    if name is None:
        # The broker is not started yet.
        target = replace(target, connection=KafkaSettings(""))
    elif settings_of(target) is None:
        raise _no_cluster(name)
    require_packages(target)
    some = kafka_cases(compilation, target)
    if not some.cases:
        return Tested(GoldenRun((), {}), (*some.skipped, *some.read.diagnostics), some.read.texts)
    count = len(some.cases)
    with _bench(sh, workspace.root, target, own=name is None, queries=_QUERIES_PER_CASE * count) as bench:
        sh.say(f"running {plural(count, 'case')} over Kafka, {bench.workers} at a time ...")
        return run_kafka_cases(some, compilation, bench, fail_fast=fail_fast, say=sh.say)


@contextmanager
def _bench(sh: Shell, root: Path, target: Target, *, own: bool, queries: int) -> Iterator[Bench]:
    """Return the bench on which cases run, inside the `with`. `own`: the target's cluster is a broker that is started
    here.
    """
    from lsqlc.cli.spark import opened
    from lsqlc.remote.server.broker import Broker
    from lsqlc.tasks.kafka_bench import Bench
    from lsqlc.tasks.run_target import open_target
    from lsqlc.types.kafka import KafkaSettings

    place = open_target(root, target)
    process = f"{socket.gethostname()}-{os.getpid()}"
    scratch = place.state / "cases" / process
    checkpoints: Path | str = scratch / "checkpoints"
    if target.type != "embedded":
        # Spark does not list what begins with a dot.
        checkpoints = f"{place.checkpoints}/cases/{process}"
    workers = min(_MOST_WORKERS, os.cpu_count() or 1)
    try:
        with ExitStack() as stack:
            if own:
                sh.say("starting a Kafka broker ...")
                (scratch / "broker").mkdir(parents=True, exist_ok=True)
                broker = stack.enter_context(Broker(scratch / "broker", os.environ, say=sh.say))
                place = open_target(root, replace(target, connection=KafkaSettings(broker.bootstrap)))
            spark = stack.enter_context(opened(sh, place, "test", queries=queries, over_topics=True))
            yield Bench(spark, place.target, checkpoints, workers)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _no_cluster(name: str) -> Exception:
    from lsqlc.diagnostics import Diagnostic, LsqlcError

    message = f"the topics of the target '{name}' are not in Kafka"
    help = "add `kafka: {bootstrap: host:9092}` to it in profiles.yml, or omit `--target`: lsqlc then starts a broker"
    return LsqlcError([Diagnostic("LSQ746", message, help=help)])
