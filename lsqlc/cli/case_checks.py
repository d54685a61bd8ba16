"""The options of `lsqlc test` that check the cases themselves, and what they print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import reports
from lsqlc.cli.shell import Shell

if TYPE_CHECKING:
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.golden.coverage import ModelCoverage
    from lsqlc.project.build.compile import Compilation
    from lsqlc.search.laws import ModelLaws
    from lsqlc.search.orders import ModelOrders


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of `lsqlc test` beyond golden files."""

    coverage: Annotated[
        bool, typer.Option("--coverage", help="Show which conditions, branches and joins the cases reach, and how.")
    ] = False
    lcov: Annotated[
        Path | None, typer.Option("--lcov", metavar="FILE", help="With --coverage: write it as an lcov report too.")
    ] = None
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under",
            metavar="PERCENT",
            min=0,
            max=100,
            help="With --coverage: exit with 1 if the cases reach a smaller share of the outcomes.",
        ),
    ] = None

    orders: Annotated[
        int,
        typer.Option(
            "--orders",
            metavar="N",
            min=0,
            max=1000,
            help="Run each case in N other orders of its records that Kafka allows; exit with 1 if rows differ.",
            show_default=False,
        ),
    ] = 0

    laws: Annotated[
        bool,
        typer.Option(
            "--laws", help="Check lsqlc itself: laws that hold for each model, over cases and random records."
        ),
    ] = False

    def problem(self, engine: str, *, records: bool) -> tuple[str, str] | None:
        """Return why the options cannot be given together, and the option; None if they can.

        `records`: the command records a case instead.
        """
        if not self.coverage:
            for option, value in (("--lcov", self.lcov), ("--fail-under", self.fail_under)):
                if value is not None:
                    return "it is about coverage; add --coverage", option
        for option, value in (("--coverage", self.coverage), ("--orders", self.orders), ("--laws", self.laws)):
            if value and records:
                return "nothing is tested with --record", option
            if value and engine != "duckdb":
                return "it runs on DuckDB; leave out --engine", option
        return None


@dataclass(frozen=True, slots=True)
class Checked:
    """The results of the checks: `texts` for stdout, `summaries` for stderr, `data` for the JSON document."""

    ok: bool = True
    texts: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


def checked(sh: Shell, options: CheckOptions, compilation: Compilation) -> Checked:
    """Run the checks that options ask for over the models of a compilation."""
    if not (options.coverage or options.orders or options.laws):
        return Checked()
    from lsqlc.tasks.model_cases import model_cases

    models = model_cases(compilation)
    results = []
    if options.coverage:
        from lsqlc.tasks.coverage import coverage_of

        results.append(_coverage(sh, options, coverage_of(models, compilation)))
    if options.orders:
        from lsqlc.tasks.orders import orders_of

        results.append(_orders(sh, orders_of(models, options.orders)))
    if options.laws:
        from lsqlc.tasks.laws import laws_of

        results.append(_laws(sh, laws_of(models)))
    return Checked(
        all(each.ok for each in results),
        tuple(text for each in results for text in each.texts if text),
        tuple(summary for each in results for summary in each.summaries),
        {name: value for each in results for name, value in each.data.items()},
        tuple(diagnostic for each in results for diagnostic in each.diagnostics),
    )


def _orders(sh: Shell, models: Sequence[ModelOrders]) -> Checked:
    from lsqlc.diagnostics.paint import Paint
    from lsqlc.report.orders_report import orders_data, orders_lines, orders_summary

    return Checked(
        not any(model.dependence for model in models),
        ("\n".join(orders_lines(models, Paint(sh.result_colour))),),
        (orders_summary(models),),
        {"orders": orders_data(models)},
    )


def _coverage(sh: Shell, options: CheckOptions, models: Sequence[ModelCoverage]) -> Checked:
    from lsqlc.diagnostics.paint import Paint
    from lsqlc.golden.coverage import percent
    from lsqlc.report.coverage_report import coverage_data, coverage_lcov, coverage_lines, coverage_summary

    lines = coverage_lines(models, Paint(sh.result_colour), width=sh.width) if models else ()
    return Checked(
        options.fail_under is None or percent(models) >= options.fail_under,
        ("\n".join(lines),),
        (coverage_summary(models),),
        {"coverage": coverage_data(models)},
        reports.write(options.lcov, coverage_lcov(models)) if options.lcov else (),
    )


def _laws(sh: Shell, models: Sequence[ModelLaws]) -> Checked:
    from lsqlc.diagnostics.paint import Paint
    from lsqlc.report.laws_report import laws_data, laws_lines, laws_summary

    return Checked(
        not any(model.violation for model in models),
        ("\n".join(laws_lines(models, Paint(sh.result_colour))),),
        (laws_summary(models),),
        {"laws": laws_data(models)},
    )
