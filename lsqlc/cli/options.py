"""The options that several verbs have, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from lsqlc.cli import completing
from lsqlc.cli.compiling import SchemaLanguage as SchemaLanguage

Output = Annotated[Literal["text", "json"], typer.Option("--output", help="The format of stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only report errors.")]
ProjectDir = Annotated[
    Path | None,
    typer.Option("--project-dir", metavar="FOLDER", help="The project's folder, if not this one or one above it."),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", metavar="NAME", help="The target of profiles.yml to use.", autocompletion=completing.targets
    ),
]
Vars = Annotated[
    str | None, typer.Option("--vars", metavar="YAML", help="Variables for var(), such as 'day: 2013-01-01'.")
]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        "-s",
        metavar="SELECTOR",
        help="One or several: name, glob, tag:x, path:x, state:x, selector:x, with + for graph.",
        autocompletion=completing.selectors,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="SELECTOR",
        help="Models to exclude, with the syntax of --select.",
        autocompletion=completing.selectors,
    ),
]
State = Annotated[
    str | None,
    typer.Option("--state", metavar="REV|MANIFEST.JSON", help="The version that state:x in --select compares with."),
]
FailFast = Annotated[bool, typer.Option("--fail-fast", "-x", help="Stop at the first model that fails.")]
Expect = Annotated[
    Path | None,
    typer.Option("--expect", metavar="FILE", help="Which rows are meant to differ: see docs/how-to/deploy.md."),
]
Compared = Annotated[
    float,
    typer.Option(
        "--compared", metavar="PERCENT", min=0, max=100,
        help="The share of the rows that must have been compared; live input may change a row too often.",
    ),
]  # fmt: skip
Confirm = Annotated[
    str | None,
    typer.Option(
        "--confirm",
        metavar="TARGET",
        help="The name of the target, if it has `confirm: true`.",
        autocompletion=completing.targets,
    ),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="TIME",
        help="Where new queries begin to read: a time, 30d, earliest or latest.",
    ),
]
FullRefresh = Annotated[bool, typer.Option("--full-refresh", help="Start from the beginning instead of continuing.")]
Update = Annotated[
    Literal["none", "all", "new", "changed", "orphaned"],
    typer.Option("--update", help="Golden files to write. With CI set nothing is written."),
]
Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit XML report.")]
Sarif = Annotated[Path | None, typer.Option("--sarif", metavar="FILE", help="Write the findings as SARIF 2.1.0.")]
Markdown = Annotated[
    Path | None, typer.Option("--markdown", metavar="FILE", help="Write a report for a pull request's comment.")
]
Github = Annotated[
    bool | None,
    typer.Option(
        "--github/--no-github", help="Annotate the pull request. On where GITHUB_ACTIONS is true.", show_default=False
    ),
]
Tests = Annotated[
    bool | None,
    typer.Option(
        "--tests/--no-tests",
        help="With the data tests that run beside the models; by default as `data-tests:` in lsqlc.yml says.",
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        "--metrics", metavar="[HOST:]PORT", help="Serve metrics for Prometheus; without a host on 127.0.0.1 only."
    ),
]
Otlp = Annotated[str | None, typer.Option("--otlp", metavar="URL", help="Send metrics to an OTLP receiver, by HTTP.")]


# Options that belong together: a parameter of one of these types is one option for each field.


@dataclass(frozen=True, slots=True)
class Selected:
    """The selected models."""

    select: Select = None
    exclude: Exclude = None


@dataclass(frozen=True, slots=True)
class SelectedByState(Selected):
    """The selected models, also by `state:`."""

    state: State = None


@dataclass(frozen=True, slots=True)
class InProject:
    """The project, and the variables of its templates."""

    vars: Vars = None
    project_dir: ProjectDir = None


@dataclass(frozen=True, slots=True)
class Printing:
    """The form of the output."""

    output: Output = "text"
    quiet: Quiet = False


@dataclass(frozen=True, slots=True)
class Common(InProject):
    """The last options of most verbs: the project, and the form of the output."""

    output: Output = "text"
    quiet: Quiet = False


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The reports of golden tests for CI."""

    junit: Junit = None
    sarif: Sarif = None
    markdown: Markdown = None
    github: Github = None


@dataclass(frozen=True, slots=True)
class Reporting:
    """The reports for a pull request, and the form of the output."""

    markdown: Markdown = None
    github: Github = None
    output: Output = "text"
    quiet: Quiet = False


@dataclass(frozen=True, slots=True)
class Served:
    """Where the metrics of a run go."""

    metrics: Metrics = None
    otlp: Otlp = None
