"""`lsqlc mutate`: small edits of the models, and whether the golden cases would notice them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.collector import uncollected
from lsqlc.cli.shell import shell


@dataclass(frozen=True, slots=True)
class MutateOptions:
    """The options of `lsqlc mutate`."""

    select: options.Select = None
    exclude: options.Exclude = None
    search: Annotated[
        float,
        typer.Option(
            "--search",
            metavar="SECONDS",
            min=0,
            help="The time to look for a difference, for each edit that no case notices.",
        ),
    ] = 1
    write: Annotated[bool, typer.Option("--write", help="Write cases that notice the edits that no case notices.")] = (
        False
    )
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under",
            metavar="PERCENT",
            min=0,
            max=100,
            help="Exit with 1 if the cases notice a smaller share of the edits.",
        ),
    ] = None


def command(own: MutateOptions, common: options.Common) -> None:
    """Show edits of the models that no golden case notices.

    An edit is a mistake that a person could make: another comparison, constant, join or aggregate. It counts if it
    changes an answer: a case shows other rows, or records are found that do.
    """
    with uncollected(), shell("mutate", common.output, common.quiet) as sh:
        from lsqlc.diagnostics.paint import Paint
        from lsqlc.report.mutants_report import mutants_data, mutants_lines, mutants_summary
        from lsqlc.search.mutant_results import score
        from lsqlc.tasks.mutate import mutate_models, write_missing_cases
        from lsqlc.tasks.selection import ModelSelection

        workspace = project.opened(sh, common.project_dir, common.vars)
        paint = Paint(sh.result_colour)
        selection = ModelSelection(tuple(own.select or ()), tuple(own.exclude or ()))
        models = mutate_models(
            workspace,
            selection,
            seconds=own.search,
            progress=lambda model: None if sh.json else sh.result("\n".join(mutants_lines(model, paint))),
        )
        ok = own.fail_under is None or score(models) >= own.fail_under
        if sh.json:
            head = {"version": 1, "command": "mutate", "ok": ok, "score": round(score(models), 2)}
            sh.document({**head, "models": mutants_data(models)})
        sh.say(mutants_summary(models))
        for path in write_missing_cases(workspace, models) if own.write else ():
            sh.say(f"wrote {path}; `lsqlc test --update new` adds the rows")
        if not ok:
            raise typer.Exit(1)
