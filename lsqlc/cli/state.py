"""`lsqlc state`: what the queries of models keep, another number of its partitions, and copies of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import Shell, shell
from lsqlc.cli.state_copy import copy

if TYPE_CHECKING:
    from lsqlc.plan.plan import Plan
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.run_target import RunTarget
    from lsqlc.tasks.state import QueryState

command = typer.Typer(
    help="Show the state of a model's queries, repartition and copy it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model.",
        autocompletion=completing.models,
    ),
]


command.command("copy")(copy)


@command.callback()
def _verbs() -> None:
    """Show the state of a model's queries, repartition and copy it."""


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """The rows of `lsqlc state show`."""

    operator: Annotated[
        int | None, typer.Option("--operator", min=0, metavar="N", help="Show the rows of this operator.")
    ] = None
    query: Annotated[str | None, typer.Option("--query", help="The query, of a model that has several.")] = None
    key: Annotated[
        str | None, typer.Option("--key", metavar="JSON", help="Only the row of this key, or of these fields of it.")
    ] = None
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="CONDITION", help='Only those, in Spark SQL, such as "value.count > 3".'),
    ] = None
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Rows to show; 0: all.")] = 20
    batch: Annotated[
        int | None, typer.Option("--batch", min=0, metavar="N", help="The rows as they were after this batch.")
    ] = None


@command.command("show")
def show(model: Model, own: ShowOptions, *, target: options.Target = None, common: options.Common) -> None:
    """Show what the queries of a model keep in their state: the operators with their rows and sizes. With --operator,
    --key or --where the rows themselves. It is read on the target's server, as the last completed batch has left it; a
    run may be active.
    """
    rows_wanted = any(option is not None for option in (own.operator, own.query, own.key, own.where, own.batch))
    with shell("state show", common.output, common.quiet, lines=rows_wanted) as sh:
        from lsqlc.cli.spark import SessionUse, opened
        from lsqlc.remote.state.reading import operators
        from lsqlc.report.state_report import state_text
        from lsqlc.tasks.state import QueryState, kept_states

        workspace = project.opened(sh, common.project_dir, common.vars)
        place, plan = _placed(workspace, target, model)
        # Checkpoints in a folder are read without a server.
        states_of_queries = (
            kept_states(place, place.store(), model, plan) if isinstance(place.checkpoints, Path) else ()
        )
        with opened(sh, place, SessionUse("state")) as spark:
            states_of_queries = states_of_queries or kept_states(place, place.store(spark.session), model, plan)
            states = tuple(
                QueryState(each, operators(spark.session, each.location, each.version)) for each in states_of_queries
            )
            if rows_wanted:
                _show_rows(sh, spark.session, states, own, model)
                return
        data = [state.to_json() for state in states]
        if sh.json:
            document = {"version": 1, "command": "state show", "ok": True, "model": model}
            sh.document({**document, "target": place.target.name, "queries": data})
        else:
            sh.result(state_text(data, width=sh.width))


@command.command("repartition")
def repartition(
    model: Model,
    partitions: Annotated[
        int, typer.Option("--partitions", min=1, metavar="N", help="How many shuffle partitions the queries get.")
    ],
    *,
    target: options.Target = None,
    confirm: options.Confirm = None,
    common: options.Common,
) -> None:
    """Give the state of a model's queries another number of shuffle partitions, without a rebuild. No run may be
    active, and this machine must see the folder of the checkpoints. The next run continues with that number.
    """
    with shell("state repartition", common.output, common.quiet) as sh:
        from lsqlc.cli.arguments import check_confirmed
        from lsqlc.cli.standby import alone_with_state
        from lsqlc.remote.server.embedded import without_server
        from lsqlc.remote.session.session import client_version
        from lsqlc.tasks.repartition import repartition as repartitioned

        workspace = project.opened(sh, common.project_dir, common.vars)
        place, plan = _placed(workspace, target, model)
        check_confirmed(place.target, confirm, "the checkpoints of the model are replaced")
        with alone_with_state(sh, place, workspace.name) as live, without_server(place.state / "server-run"):
            results = repartitioned(
                live, model, plan, partitions,
                installed=client_version(), environment=dict(os.environ), say=sh.say,
            )  # fmt: skip
        if sh.json:
            data = [each.to_json() for each in results]
            document = {"version": 1, "command": "state repartition", "ok": True, "model": model}
            sh.document({**document, "target": place.target.name, "queries": data})
        for each in results:
            same = each.before == each.after
            sh.say(f"{each.query}: {each.after} partitions{'' if same else f' instead of {each.before}'}")
        sh.say(f"next: `lsqlc run{f' --target {target}' if target else ''}` continues from there")


def _placed(workspace: Workspace, target: str | None, model: str) -> tuple[RunTarget, Plan | None]:
    """Return the target, and the plan of a model; None for a model that the project no longer has, which may have left
    a state.
    """
    from lsqlc.tasks.run_target import open_compiled, open_target
    from lsqlc.tasks.selection import ModelSelection, sound_selection

    described_target = workspace.target(target)
    if workspace.project.model(model) is None:
        return open_target(workspace.root, described_target), None
    compilation = sound_selection(workspace, ModelSelection([model]))
    return open_compiled(compilation, described_target), compilation.plans[model]


def _show_rows(sh: Shell, session: Any, states: tuple[QueryState, ...], own: ShowOptions, model: str) -> None:
    from lsqlc.remote.state.reading import Selection, rows
    from lsqlc.report.state_report import rows_text
    from lsqlc.tasks.state import chosen

    state, which = chosen(states, own.query, own.operator or 0, model)
    request = Selection(own.key, own.where, own.limit, own.batch)
    state_rows = rows(session, state.kept.location, state.kept.version, which, request)
    batch = state.kept.batch if request.batch is None else request.batch
    sh.say(f"{state.kept.query}, operator {which.number}: {state.keeps(which)}, after batch {batch}")
    if sh.json:
        for row in state_rows:
            sh.line({"query": state.kept.query, "operator": which.number, **row.to_json()})
    elif state_rows:
        sh.result(rows_text(state_rows, limit=request.limit, width=sh.width))
    else:
        sh.say("no row of the state is like that")
