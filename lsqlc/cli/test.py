"""`lsqlc test`: the golden tests, on DuckDB or on Spark."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc import __version__
from lsqlc.cli import completing, options, project, reports
from lsqlc.cli.case_checks import Checked, CheckOptions, checked
from lsqlc.cli.shell import Shell

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from lsqlc.project.workspace import Workspace
    from lsqlc.report.command_result import CommandResult
    from lsqlc.tasks.golden import GoldenRequest, GoldenResult
    from lsqlc.tasks.recording import RecordedCase
    from lsqlc.tasks.run_context import Session
    from lsqlc.tasks.run_target import RunTarget

Engine = Literal["duckdb", "spark", "kafka"]

_NO_CASES = "no cases: write some, or record them from a topic with `lsqlc test --record TOPIC`"


@dataclass(frozen=True, slots=True)
class TestOptions(CheckOptions):
    """The options of `lsqlc test`."""

    engine: Annotated[Engine, typer.Option("--engine", help="The engine that evaluates the cases.")] = "duckdb"
    target: options.Target = None
    update: options.Update = "none"
    fail_fast: options.FailFast = False
    record: Annotated[
        list[str] | None,
        typer.Option(
            "--record",
            metavar="TOPIC",
            help="Record the records of this topic as a case instead.",
            autocompletion=completing.topics,
        ),
    ] = None
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="With --record: only the first N records.")] = 20
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="CONDITION", help="With --record: only those that satisfy this condition."),
    ] = None


def command(
    selected: options.SelectedByState,
    own: TestOptions,
    in_project: options.InProject,
    files: options.ReportFiles,
    printing: options.Printing,
) -> None:
    """Run the golden tests; with --engine spark on Spark, the records cut into batches, and with --engine kafka on
    Spark over Kafka topics with several partitions.

    Spark and the broker are started for the command unless --target names others. Models that cannot run there are
    skipped, with the reason. Golden files are only written from DuckDB's results.
    """
    began, started = time.monotonic(), datetime.now(UTC)
    requested_reports = reports.wanted(files.junit, files.sarif, files.markdown, files.github)
    with reports.reporting("test", printing.output, printing.quiet, requested_reports) as sh:
        from lsqlc.tasks.golden import GoldenRequest
        from lsqlc.tasks.recording import RecordRequest, record_case
        from lsqlc.tasks.selection import ModelSelection

        if own.engine != "duckdb" and own.update != "none":
            raise typer.BadParameter("golden files are written from DuckDB's results", param_hint="--update")
        if own.where is not None and not own.record:
            raise typer.BadParameter("it selects records; add --record TOPIC", param_hint="--where")
        if own.engine == "duckdb" and own.target is not None and not own.record:
            raise typer.BadParameter("DuckDB needs no target; add --engine spark or kafka", param_hint="--target")
        if (problem := own.problem(own.engine, records=bool(own.record))) is not None:
            raise typer.BadParameter(problem[0], param_hint=problem[1])
        workspace = project.opened(sh, in_project.project_dir, in_project.vars)
        selection = ModelSelection(selected.select or (), selected.exclude or (), selected.state)
        if own.record:
            _show_recorded(
                sh, record_case(workspace, RecordRequest(own.record, own.target, own.limit, own.where, selection))
            )
            return
        result = _tested(
            sh,
            workspace,
            GoldenRequest(selection, own.update, own.fail_fast, "CI" in os.environ),
            own.engine,
            own.target,
        )
        sh.texts.update(result.texts)
        report = result.for_report(started.isoformat(timespec="seconds"), time.monotonic() - began)
        ok = result.compilation.ok and result.ok
        checks = checked(sh, own, result.compilation)
        unwritten = reports.publish(sh, requested_reports, report, ok=ok and checks.ok)
        report = replace(report, diagnostics=(*report.diagnostics, *checks.diagnostics, *unwritten))
        _show(sh, result, report, own.engine, checks)


def _tested(
    sh: Shell, workspace: Workspace, request: GoldenRequest, engine: Engine, target: str | None
) -> GoldenResult:
    if engine == "duckdb":
        from lsqlc.tasks.golden import golden_tests

        return golden_tests(workspace, request)
    from lsqlc.cli.spark import SessionUse, opened
    from lsqlc.tasks.spark_cases import SparkTests, golden_tests_on_kafka, golden_tests_on_spark

    def sessions(place: RunTarget, *, queries: int, over_topics: bool = False) -> AbstractContextManager[Session]:
        return opened(sh, place, SessionUse("test", queries=queries, over_topics=over_topics))

    tests = SparkTests(target, sessions, os.environ, sh.say)
    return (golden_tests_on_spark if engine == "spark" else golden_tests_on_kafka)(workspace, request, tests)


def _show(sh: Shell, result: GoldenResult, report: CommandResult, engine: Engine, checks: Checked) -> None:
    """Print the results, and end the command if they have an error."""
    from lsqlc.report.json_report import run_results
    from lsqlc.report.text import build_text

    results = run_results(report, lsqlc=__version__, command="test", engine=engine)
    if sh.json:
        sh.document({**results, "ok": results["ok"] and checks.ok, **checks.data})
    for each in () if sh.json else checks.texts:
        sh.result(each)
    text = build_text(replace(report, started=None, uncovered=()), sh.texts, colour=sh.colour, warnings=False)
    if not any(each.kind == "case" for each in result.run.results) and result.ok:
        text = f"{_NO_CASES}\n{text}"
    text = "\n".join((text, *checks.summaries))
    if results["ok"]:
        sh.say(text)
    else:
        sh.error(text)
        sh.end((*result.compilation.diagnostics, *report.diagnostics))
    if not checks.ok:
        raise typer.Exit(1)


def _show_recorded(sh: Shell, case: RecordedCase) -> None:
    if sh.json:
        data = {"files": list(case.files), "models": list(case.models), "records": dict(case.records)}
        sh.document({"version": 1, "command": "test", "ok": True, **data})
    count = sum(case.records.values())
    message = f"recorded {count:,} {'record' if count == 1 else 'records'} for {', '.join(case.models)}:"
    sh.say("\n".join((message, *(f"  {path}" for path in case.files))))
    if case.lacking:
        sh.say(f"these models also read topics that are empty in the cases: {', '.join(case.lacking)}")
    sh.say("next: check them, and run `lsqlc test`, which writes the golden files for review")
