"""`lsqlc build`: compile, test on DuckDB, and write the results. CI runs this verb."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from lsqlc import __version__
from lsqlc.cli import options, project, reports
from lsqlc.cli.collector import uncollected


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The options of the golden tests."""

    update: options.Update = "none"
    fail_fast: options.FailFast = False


def command(
    selected: options.SelectedByState,
    own: BuildOptions,
    in_project: options.InProject,
    files: options.ReportFiles,
    printing: options.Printing,
) -> None:
    """Compile the models and run their golden tests on DuckDB. Data tests and descriptions are checked for the columns
    and topics that they name; `lsqlc check` runs data tests over records.

    Leaves target/: compiled SQL, manifest.json (of a whole build), run_results.json. A first run writes golden files
    and fails, so that they are reviewed; with CI set none is written.
    """
    began, started = time.monotonic(), datetime.now(UTC)
    requested_reports = reports.wanted(files.junit, files.sarif, files.markdown, files.github)
    with uncollected(), reports.reporting("build", printing.output, printing.quiet, requested_reports) as sh:
        from lsqlc.report.json_report import run_results
        from lsqlc.report.text import build_text
        from lsqlc.tasks.artifacts import write_results
        from lsqlc.tasks.build import build_project
        from lsqlc.tasks.golden import GoldenRequest
        from lsqlc.tasks.selection import ModelSelection

        workspace = project.opened(sh, in_project.project_dir, in_project.vars)
        selection = ModelSelection(selected.select or (), selected.exclude or (), selected.state)
        result = build_project(workspace, GoldenRequest(selection, own.update, own.fail_fast, "CI" in os.environ))
        sh.texts.update(result.texts)
        report = result.for_report(started.isoformat(timespec="seconds"), time.monotonic() - began)
        unwritten = reports.publish(sh, requested_reports, report, ok=result.compilation.ok and result.ok)
        report = replace(report, diagnostics=(*report.diagnostics, *unwritten))
        results = run_results(report, lsqlc=__version__, command="build", engine="duckdb")
        problems = write_results(workspace.root, workspace.project.config.target_path, results)
        report = replace(report, diagnostics=(*report.diagnostics, *problems))
        if sh.json:
            sh.document(results)
        text = build_text(report, sh.texts, colour=sh.colour)
        if results["ok"] and not problems:
            sh.say(text)
        else:
            sh.error(text)
            sh.end((*result.compilation.diagnostics, *report.diagnostics))
