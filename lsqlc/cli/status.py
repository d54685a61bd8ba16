"""`lsqlc status`: the status of the project's run."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.lower.spark.evolution import Finding
    from lsqlc.remote.run.detached_run import DetachedRun
    from lsqlc.remote.run.query_status import RunStatus
    from lsqlc.tasks.losses import Accepted


def command(
    *,
    metrics: Annotated[
        bool, typer.Option("--metrics", help="Use the text format of Prometheus, for a textfile collector.")
    ] = False,
    checkpoints: Annotated[
        bool, typer.Option("--checkpoints", help="Whether the next run can continue from each checkpoint.")
    ] = False,
    target: options.Target = None,
    common: options.Common,
) -> None:
    """Show the status of the project's run, or how the last one ended; of one that is detached, what its queries do on
    the server. The exit code is 0 if a run is active, and all queries of a detached one are, else 1;
    with --checkpoints it is 1 if the next run rejects one of them.
    """
    with shell("status", common.output, common.quiet) as sh:
        if checkpoints:
            _checkpoints(sh, project.find(sh, common.project_dir), target, common.vars)
            return
        run = _look(sh, project.find(sh, common.project_dir), target, tolerant=metrics)
        if metrics:
            from lsqlc.remote.run.query_status import RunStatus
            from lsqlc.report.metrics import metrics_text

            status = run.status or RunStatus(0, 0, 0, "ended")
            sh.result(metrics_text(status, running=run.is_running, now=time.time()))
        elif sh.json:
            sh.document(_data(run))
        else:
            _show(sh, run)
        if not run.is_running:
            raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Run:
    """The run to show. `process`: that of the run on this machine; `detached`: the run on a server; `accepted`: losses
    of records that a run was to pass over.
    """

    status: RunStatus | None
    process: int | None
    detached: _Left | None
    accepted: Sequence[Accepted]

    @property
    def is_running(self) -> bool:
        """Whether a run is active, with all queries of a detached one."""
        return self.process is not None or (self.detached is not None and self.detached.runs)


def _look(sh: Shell, root: Path, target: str | None, *, tolerant: bool) -> _Run:
    """Read the status of the run. `tolerant`: a server that does not answer is shown, and there is no run."""
    from lsqlc.cli.placed import run_folder
    from lsqlc.cli.watch import read_status
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.remote.run.locks import holder
    from lsqlc.tasks.losses import read_accepted

    folder = run_folder(root, target)
    process = holder(folder)
    status = read_status(folder)
    detached = None
    if process is None:
        target_name = target or (status.target if status and status.state == "detached" else None)
        try:
            detached = _detached(sh, root, target_name)
        except LsqlcError as error:
            if not tolerant:
                raise
            # A collector gets metrics all the same, of a run that is not there.
            sh.show(error.diagnostics)
    if detached is not None:
        status = detached.status
    elif status is not None and process is None and status.state != "detached":
        status = _without_run(status)
    return _Run(status, process, detached, read_accepted(folder))


def _data(run: _Run) -> dict[str, Any]:
    from lsqlc.remote.run.query_status import status_data
    from lsqlc.tasks.losses import accepted_data

    run_data = status_data(run.status) if run.status else {}
    data = {"version": 1, "command": "status", "ok": run.is_running, "process": run.process, "run": run_data}
    if run.accepted:
        data["accepted_losses"] = accepted_data(run.accepted)
    return data if run.detached is None else {**data, "detached": asdict(run.detached.run)}


def _show(sh: Shell, run: _Run) -> None:
    from lsqlc.report.progress import detached_text, failures_text, standings_text

    status, detached = run.status, run.detached
    if detached is not None:
        sh.result(_left_headline(detached.run))
        sh.result(detached_text(detached.status.queries, width=sh.width))
        sh.result("\n".join(f"{q.query}: {q.failure}" for q in detached.status.queries if q.failure))
    else:
        sh.result(_headline(status, run.process))
        if status and status.queries and (run.process or status.state != "detached"):
            sh.result(standings_text(status.queries, width=sh.width))
            sh.result(failures_text(status.queries, time.time()))
        if status and status.skips:
            sh.result(f"skipped by all queries: {', '.join(status.skips)}")
    if run.accepted:
        sh.result("\n".join(map(_accepted_text, run.accepted)))


def _accepted_text(loss: Accepted) -> str:
    from lsqlc.report.text import duration_text

    return f"{loss.query}: a loss was accepted {duration_text(_since(loss.at))} ago: {loss.missing}"


def _without_run(status: RunStatus) -> RunStatus:
    """Return the status of a run that no longer exists: none of its queries runs."""
    queries = (replace(q, state="stopped") if q.state in ("running", "restarting") else q for q in status.queries)
    return replace(status, queries=tuple(queries))


@dataclass(frozen=True, slots=True)
class _Left:
    """A detached run, and what its queries do."""

    run: DetachedRun
    status: RunStatus

    @property
    def runs(self) -> bool:
        """Whether all of its queries do: nothing restarts one that does not."""
        return bool(self.status.queries) and all(query.state == "running" for query in self.status.queries)


def _detached(sh: Shell, root: Path, target: str | None) -> _Left | None:
    """Return the detached run of the project on a target; without a name, on the default target."""
    from lsqlc.project.declared.profiles import named_target
    from lsqlc.remote.run.query_status import RunStatus
    from lsqlc.tasks.detached import detached_standings, read_detached
    from lsqlc.tasks.run_target import open_target

    described_target = named_target(root, target, os.environ)
    if described_target.type == "embedded":
        return None
    place = open_target(root, described_target)
    project_name = project.config(sh, root).name
    run = read_detached(place, project_name)
    if run is None:
        return None
    now = time.time()
    status = RunStatus(
        0,
        run.since,
        now,
        "detached",
        queries=detached_standings(place, run),
        target=described_target.name,
        project=project_name,
    )
    return _Left(run, status)


def _left_headline(run: DetachedRun) -> str:
    from lsqlc.report.text import duration_text

    since = duration_text(_since(run.since))
    return f"a run that was detached on '{run.host}' {since} ago, on the server '{run.server}'"


def _checkpoints(sh: Shell, root: Path, target: str | None, vars: str | None) -> None:
    """Say what becomes of each checkpoint."""
    from lsqlc.cli.spark import opened_store
    from lsqlc.lower.spark.evolution import goes_on, standing
    from lsqlc.project.workspace import sound
    from lsqlc.remote.run.checkpoints import foreseen
    from lsqlc.tasks.deployment import queries_of
    from lsqlc.tasks.run_target import open_compiled

    workspace = project.opened_at(sh, root, project.variables(sh, vars))
    compilation = sound(workspace.compilation)
    place = open_compiled(compilation, workspace.target(target))
    parts = {query: each for of in queries_of(compilation, place).values() for query, each in of.items()}
    with opened_store(sh, place) as store:
        verdicts = foreseen(store, parts)
    ok = all(map(goes_on, verdicts.values()))
    if sh.json:
        data = [
            {"query": name, "model": parts[name].model, "verdict": standing(each), "reasons": [f.text for f in each]}
            for name, each in verdicts.items()
        ]
        sh.document({"version": 1, "command": "status", "ok": ok, "checkpoints": data})
    else:
        lines = [line for name, each in verdicts.items() for line in (f"{name}: {standing(each)}", *_reasons(each))]
        sh.result("\n".join(lines or ["no query has a checkpoint"]))
    if not ok:
        raise typer.Exit(1)


def _reasons(findings: Iterable[Finding]) -> list[str]:
    return [f"  {each.text}" for each in findings]


def _headline(status: RunStatus | None, process: int | None) -> str:
    from lsqlc.report.text import duration_text

    if process is None:
        if status is None:
            return "this project has never been run"
        if status.state == "detached":
            when = duration_text(_since(status.updated))
            return f"this project is not being run; the run that was detached {when} ago has been stopped or taken over"
        ended = "the last one ended" if status.state in ("ended", "waiting") else "the last one was interrupted"
        text = f"this project is not being run; {ended} {duration_text(_since(status.updated))} ago"
        if status.trouble:
            return f"{text}; its last failure was {duration_text(_since(status.failed))} ago: {status.trouble}"
        return text
    if status is None or status.process != process:
        return f"process {process} is starting a run"
    since = duration_text(_since(status.began))
    again = f", {status.restarts} restarts" if status.restarts != 1 else ", 1 restart"
    text = f"process {process} has run for {since}{again if status.restarts else ''}"
    if status.state == "waiting":
        left = duration_text(max(0.0, status.until - time.time()))
        ended = duration_text(_since(status.updated))
        text = f"process {process} begins the next run in {left}; the last one ended {ended} ago"
        return f"{text}, after a failure: {status.trouble}" if status.trouble else text
    if status.state == "restarting":
        return f"{text}; it waits to restart after: {status.trouble}"
    if status.trouble:
        return f"{text}; the last failure was {duration_text(_since(status.failed))} ago: {status.trouble}"
    return text


def _since(moment: float) -> float:
    """Seconds since then; none if the clock has been set back meanwhile."""
    return max(0.0, time.time() - moment)
