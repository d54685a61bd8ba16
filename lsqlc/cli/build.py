"""`lsqlc build`: compile, test on DuckDB, and write the results. CI runs this verb."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import UTC, datetime

from lsqlc import __version__
from lsqlc.cli import options, project, reports
from lsqlc.cli.collector import uncollected


def command(
    select: options.Select = None,
    exclude: options.Exclude = None,
    state: options.State = None,
    update: options.Update = "none",
    fail_fast: options.FailFast = False,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    junit: options.Junit = None,
    sarif: options.Sarif = None,
    markdown: options.Markdown = None,
    github: options.Github = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Compile the models and run their golden tests on DuckDB. Data tests and descriptions are checked for the columns
    and topics that they name; `lsqlc check` runs data tests over records.

    Leaves target/: compiled SQL, manifest.json (of a whole build), run_results.json. A first run writes golden files
    and fails, so that they are reviewed; with CI set none is written.
    """
    began, started = time.monotonic(), datetime.now(UTC)
    requested_reports = reports.wanted(junit, sarif, markdown, github)
    with uncollected(), reports.reporting("build", output, quiet, requested_reports) as sh:
        from lsqlc.cli.compiling import as_cached
        from lsqlc.diagnostics import LsqlcError
        from lsqlc.lower.duckdb import evaluate
        from lsqlc.report.command_result import CommandResult
        from lsqlc.report.json_report import run_results
        from lsqlc.report.text import build_text
        from lsqlc.tasks.artifacts import write_results, write_sql
        from lsqlc.tasks.declared_names import wrong_names
        from lsqlc.tasks.golden import run_goldens
        from lsqlc.tasks.selection import compile_selection

        workspace = project.opened(sh, project_dir, vars)
        root, loaded = workspace.root, workspace.project
        target, whole = loaded.config.target_path, not (select or exclude)
        compilation = compile_selection(workspace, select, exclude, state=state)
        # Before the tests, so that a target that cannot be written is reported without waiting for them.
        # A folder that lsqlc did not create keeps the files that lsqlc did not write.
        problems = write_sql(root, target, compilation, whole=project.create_target(loaded) and whole)
        if whole and not problems:
            cached_results = as_cached(run_results(CommandResult(compilation), lsqlc=__version__, command="build"))
            problems = project.remember(compilation, workspace.vars, cached_results)
        if problems:
            raise LsqlcError((*compilation.diagnostics, *problems))
        tested = run_goldens(
            compilation,
            evaluate,
            update=update,
            fail_fast=fail_fast,
            whole=whole and compilation.ok,
            ci="CI" in os.environ,
        )
        tested = replace(tested, diagnostics=(*tested.diagnostics, *wrong_names(compilation)))
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
        results = run_results(
            CommandResult(
                compilation,
                tested.run,
                diagnostics=(*tested.diagnostics, *unwritten),
                started=started.isoformat(timespec="seconds"),
                seconds=round(seconds, 3),
                uncovered=tested.uncovered,
            ),
            lsqlc=__version__,
            command="build",
            engine="duckdb",
        )
        problems = write_results(root, target, results)
        diagnostics = (*tested.diagnostics, *unwritten, *problems)
        if sh.json:
            sh.document(results)
        report = build_text(
            CommandResult(
                compilation, tested.run, diagnostics=diagnostics, seconds=seconds, uncovered=tested.uncovered
            ),
            sh.texts,
            colour=sh.colour,
        )
        if results["ok"] and not problems:
            sh.say(report)
        else:
            sh.error(report)
            sh.end((*compilation.diagnostics, *diagnostics))
