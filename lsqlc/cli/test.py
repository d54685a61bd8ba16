"""`lsqlc test`: the golden tests, on DuckDB or on Spark."""

from __future__ import annotations

import os
import shutil
import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc import __version__
from lsqlc.cli import completing, options, project, reports
from lsqlc.cli.shell import Shell

if TYPE_CHECKING:
    from lsqlc.connectors.transport import Transport
    from lsqlc.golden.run import Update
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.golden import Tested

# A query for each stage, and one for each case where there is a watermark.
_QUERIES_PER_MODEL = 4
_NO_CASES = "no cases: write some, or record them from a topic with `lsqlc test --record TOPIC`"


def command(
    select: options.Select = None,
    exclude: options.Exclude = None,
    state: options.State = None,
    engine: Annotated[
        Literal["duckdb", "spark", "kafka"], typer.Option("--engine", help="The engine that evaluates the cases.")
    ] = "duckdb",
    target: options.Target = None,
    update: options.Update = "none",
    fail_fast: options.FailFast = False,
    record: Annotated[
        list[str] | None,
        typer.Option(
            "--record",
            metavar="TOPIC",
            help="Record the records of this topic as a case instead.",
            autocompletion=completing.topics,
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="With --record: only the first N records.")] = 20,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="CONDITION", help="With --record: only those that satisfy this condition."),
    ] = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    junit: options.Junit = None,
    sarif: options.Sarif = None,
    markdown: options.Markdown = None,
    github: options.Github = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Run the golden tests; with --engine spark on Spark, the records cut into batches, and with --engine kafka on
    Spark over Kafka topics with several partitions.

    Spark and the broker are started for the command unless --target names others. Models that cannot run there are
    skipped, with the reason. Golden files are only written from DuckDB's results.
    """
    began, started = time.monotonic(), datetime.now(UTC)
    requested_reports = reports.wanted(junit, sarif, markdown, github)
    with reports.reporting("test", output, quiet, requested_reports) as sh:
        from lsqlc.report.command_result import CommandResult
        from lsqlc.report.json_report import run_results
        from lsqlc.report.text import build_text
        from lsqlc.tasks.selection import compile_selection

        if engine != "duckdb" and update != "none":
            raise typer.BadParameter("golden files are written from DuckDB's results", param_hint="--update")
        if where is not None and not record:
            raise typer.BadParameter("it selects records; add --record TOPIC", param_hint="--where")
        if engine == "duckdb" and target is not None and not record:
            raise typer.BadParameter("DuckDB needs no target; add --engine spark or kafka", param_hint="--target")
        workspace = project.opened(sh, project_dir, vars)
        compilation = compile_selection(workspace, select, exclude, state=state)
        if record:
            _record(sh, workspace, compilation, record, target, limit, where)
            return
        whole = not (select or exclude) and compilation.ok
        if engine == "spark":
            tested = _on_spark(sh, workspace, compilation, target, fail_fast, whole)
        elif engine == "kafka":
            from lsqlc.cli.kafka_cases import on_kafka

            tested = on_kafka(sh, workspace, compilation, target, fail_fast)
        else:
            tested = _on_duckdb(compilation, update, fail_fast, whole)
        sh.texts.update(tested.texts)
        seconds = time.monotonic() - began
        unwritten = reports.publish(
            sh,
            requested_reports,
            ok=compilation.ok and tested.ok,
            compilation=compilation,
            run=tested.run,
            diagnostics=tested.diagnostics,
            started=started.isoformat(timespec="seconds"),
            seconds=seconds,
        )
        diagnostics = (*tested.diagnostics, *unwritten)
        results = run_results(
            CommandResult(
                compilation,
                tested.run,
                diagnostics=diagnostics,
                started=started.isoformat(timespec="seconds"),
                seconds=round(seconds, 3),
                uncovered=tested.uncovered,
            ),
            lsqlc=__version__,
            command="test",
            engine=engine,
        )
        if sh.json:
            sh.document(results)
        report = build_text(
            CommandResult(compilation, tested.run, diagnostics=diagnostics, seconds=seconds),
            sh.texts,
            colour=sh.colour,
            warnings=False,
        )
        if not any(result.kind == "case" for result in tested.run.results) and tested.ok:
            report = f"{_NO_CASES}\n{report}"
        if results["ok"]:
            sh.say(report)
        else:
            sh.error(report)
            sh.end((*compilation.diagnostics, *diagnostics))


def _record(
    sh: Shell,
    workspace: Workspace,
    compilation: Compilation,
    names: list[str],
    target: str | None,
    limit: int,
    where: str | None,
) -> None:
    from lsqlc.tasks.recording import record
    from lsqlc.tasks.run_target import open_compiled

    def log() -> Transport:
        return open_compiled(compilation, workspace.target(target)).log

    recording = record(compilation, names, log, limit=limit, where=where)
    if sh.json:
        data = {"files": list(recording.files), "models": list(recording.models), "records": dict(recording.records)}
        sh.document({"version": 1, "command": "test", "ok": True, **data})
    count = sum(recording.records.values())
    message = f"recorded {count:,} {'record' if count == 1 else 'records'} for {', '.join(recording.models)}:"
    sh.say("\n".join((message, *(f"  {path}" for path in recording.files))))
    if recording.lacking:
        sh.say(f"these models also read topics that are empty in the cases: {', '.join(recording.lacking)}")
    sh.say("next: check them, and run `lsqlc test`, which writes the golden files for review")


def _on_duckdb(compilation: Compilation, update: Update, fail_fast: bool, whole: bool) -> Tested:
    from lsqlc.lower.duckdb import evaluate
    from lsqlc.tasks.golden import run_goldens

    return run_goldens(compilation, evaluate, update=update, fail_fast=fail_fast, whole=whole, ci="CI" in os.environ)


def _on_spark(
    sh: Shell, workspace: Workspace, compilation: Compilation, target: str | None, fail_fast: bool, whole: bool
) -> Tested:
    from dataclasses import replace

    from lsqlc.cli.spark import cases_folder, opened
    from lsqlc.diagnostics import Severity
    from lsqlc.golden.run import GoldenRun
    from lsqlc.lower import duckdb
    from lsqlc.lower.spark import unsupported
    from lsqlc.remote.cases.outcomes import evaluate
    from lsqlc.tasks.golden import run_goldens
    from lsqlc.tasks.run_target import open_target

    reasons = {name: unsupported(plan) for name, plan in compilation.plans.items()}
    plans = {name: plan for name, plan in compilation.plans.items() if not reasons[name]}
    skipped = tuple(replace(d, severity=Severity.NOTE) for problems in reasons.values() for d in problems)
    place = open_target(workspace.root, workspace.cases_target(target))
    work = cases_folder(place)
    with opened(sh, place, "test", queries=_QUERIES_PER_MODEL * len(plans)) as spark:
        engine = partial(evaluate, spark.session, work)
        try:
            tested = run_goldens(
                compilation,
                engine,
                update="none",
                fail_fast=fail_fast,
                whole=whole,
                ci=True,
                plans=plans,
                batched=True,
                judge=duckdb.evaluate,
                without_state=None,
            )
        finally:
            shutil.rmtree(work, ignore_errors=True)
    # The plans are DuckDB's to judge; here they would fail a second time for the same change.
    cases = tuple(result for result in tested.run.results if result.kind == "case")
    return replace(tested, run=GoldenRun(cases, {}), diagnostics=(*skipped, *tested.diagnostics))
