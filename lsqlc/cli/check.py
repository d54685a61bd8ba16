"""`lsqlc check`: the data tests of topics and models, over the records that are in the topics of a target."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import shell

if TYPE_CHECKING:
    from lsqlc.tasks.data_tests import DataTestResult


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of `lsqlc check`."""

    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TOPIC|MODEL]...",
            help="Only the tests of these; without, all.",
            autocompletion=completing.topics_and_models,
        ),
    ] = None
    last: Annotated[
        int, typer.Option("--last", min=0, metavar="N", help="Only test the last N records of each STREAM; 0: all.")
    ] = 0
    failures: Annotated[
        str | None,
        typer.Option(
            "--failures",
            metavar="TOPIC",
            help="Append the failures to this topic of the target.",
            autocompletion=completing.topics,
        ),
    ] = None
    metrics_file: Annotated[
        Path | None,
        typer.Option("--metrics-file", metavar="FILE", help="Write the results as metrics, for a textfile collector."),
    ] = None


def command(own: CheckOptions, *, target: options.Target = None, common: options.Common) -> None:
    """Run the data tests of topics and models.

    Tests are declared in YAML with `tests:`. They read the records that are in the topics of the target now, and the
    rows of TABLEs. The exit code is 1 if a test fails that is not only a warning; --output json lists the records.
    """
    with shell("check", common.output, common.quiet) as sh:
        from lsqlc.golden.show import plural
        from lsqlc.report.check_metrics import check_metrics
        from lsqlc.tasks.check import CheckRequest, check_records

        workspace = project.opened(sh, common.project_dir, common.vars)
        now = int(time.time() * 1000)
        request = CheckRequest(now, own.names or (), own.last, own.failures, target)
        result = check_records(workspace, request, lambda test: None if sh.json else sh.say(_line(test)))
        if result.failures_topic is not None:
            sh.say(f"{plural(result.failures, 'failure')} written to '{result.failures_topic}'")
        if own.metrics_file is not None:
            text = check_metrics(result.tests, project=workspace.name, target=result.target, now=now / 1000)
            _write(own.metrics_file, text)
        if sh.json:
            tests = [_data(test) for test in result.tests]
            sh.document({"version": 1, "command": "check", "ok": result.ok, "tests": tests})
        if not result.tests:
            sh.say("no topic or model has tests" if not own.names else "they have no tests")
        sh.show(result.diagnostics)
        if not result.ok:
            raise typer.Exit(1)


def _write(file: Path, text: str) -> None:
    """Replace the file as a whole, since a collector may read it at any time. Raises LsqlcError LSQ034."""
    from lsqlc.diagnostics import Diagnostic, LsqlcError

    aside = file.with_name(f"{file.name}.new")
    try:
        aside.write_text(text, "utf-8")
        aside.replace(file)
    except OSError as error:
        message = f"cannot write '{file}': {(error.strerror or str(error)).lower()}"
        raise LsqlcError(
            [Diagnostic("LSQ034", message, help="choose a file in a folder that can be written")]
        ) from None


def _line(result: DataTestResult) -> str:
    """Return a result as a line, such as `rides: not_null station: 60 records, 2 fail`."""
    from lsqlc.golden.show import plural

    many = plural(result.records, "row" if result.table else "record")
    if result.passed:
        end = "ok"
    elif result.failed:
        end = f"{result.failed:,} {'fails' if result.failed == 1 else 'fail'}"
    else:
        end = "fails"
    return f"{result.topic}: {result.test.text}: {many}, {end}"


def _data(result: DataTestResult) -> dict[str, Any]:
    test = result.test
    return {
        "topic": result.topic,
        "test": test.kind,
        "text": test.text,
        "columns": list(test.columns),
        "severity": test.severity,
        "passed": result.passed,
        "message": result.message or None,
        "records": result.records,
        "failed": result.failed,
        "failures": [asdict(failure) for failure in result.failures],
        "place": f"{test.span.path}:{test.span.line}:{test.span.column}",
    }
