"""`lsqlc check`: the data tests of topics and models, over the records that are in the topics of a target."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import shell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsqlc.tasks.data_tests import DataTestResult, Tested
    from lsqlc.types.record import Topic


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TOPIC|MODEL]...",
            help="Only the tests of these; without, all.",
            autocompletion=completing.topics_and_models,
        ),
    ] = None,
    last: Annotated[
        int, typer.Option("--last", min=0, metavar="N", help="Only test the last N records of each STREAM; 0: all.")
    ] = 0,
    failures: Annotated[
        str | None,
        typer.Option(
            "--failures",
            metavar="TOPIC",
            help="Append the failures to this topic of the target.",
            autocompletion=completing.topics,
        ),
    ] = None,
    metrics_file: Annotated[
        Path | None,
        typer.Option("--metrics-file", metavar="FILE", help="Write the results as metrics, for a textfile collector."),
    ] = None,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Run the data tests of topics and models.

    Tests are declared in YAML with `tests:`. They read the records that are in the topics of the target now, and the
    rows of TABLEs. The exit code is 1 if a test fails that is not only a warning; --output json lists the records.
    """
    with shell("check", output, quiet) as sh:
        from lsqlc.golden.show import plural
        from lsqlc.project.workspace import sound
        from lsqlc.report.check_metrics import check_metrics
        from lsqlc.tasks.bound_tests import bound_tests
        from lsqlc.tasks.data_test_failures import failures_topic, write_failures
        from lsqlc.tasks.data_tests import run_tests
        from lsqlc.tasks.run_target import open_compiled
        from lsqlc.tasks.show import records_of

        workspace = project.opened(sh, project_dir, vars)
        described_target = workspace.target(target)
        compilation = sound(workspace.compilation)
        place = open_compiled(compilation, described_target)

        def read(topic: Topic) -> Iterator[Tested]:
            # By place, not by time: the newest record of a key is the one that was written last.
            return (
                records_of(topic, place.log, workspace.root, rows=False)
                if topic.files
                else place.log.read(topic, by_time=False)
            )

        failures_of_tests = failures_topic(compilation, failures) if failures is not None else None
        tests = bound_tests(compilation, compilation.semantics, names or ())
        results: list[DataTestResult] = []
        now = int(time.time() * 1000)
        for result in run_tests(tests, read, now=now, last=last, with_partitions=place.capabilities.has_partitions):
            results.append(result)
            if not sh.json:
                sh.say(_line(result))
        if failures_of_tests is not None:
            many = write_failures(place.log, failures_of_tests, results, now=now)
            sh.say(f"{plural(many, 'failure')} written to '{failures_of_tests.name}'")
        if metrics_file is not None:
            text = check_metrics(results, project=workspace.name, target=described_target.name, now=now / 1000)
            _write(metrics_file, text)
        diagnostics = [result.diagnostic for result in results if not result.passed]
        good = not any(d.is_error for d in diagnostics)
        if sh.json:
            sh.document({"version": 1, "command": "check", "ok": good, "tests": [_data(result) for result in results]})
        if not results:
            sh.say("no topic or model has tests" if not names else "they have no tests")
        sh.show(diagnostics)
        if not good:
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
