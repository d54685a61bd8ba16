"""`lsqlc seed`: load the declared sample records, and those that ksqlDB programs insert, into topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import shell

if TYPE_CHECKING:
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.seed import Samples


@dataclass(frozen=True, slots=True)
class SeedOptions:
    """The options of `lsqlc seed`."""

    topics: Annotated[
        list[str] | None,
        typer.Argument(
            help="Topics to load; by default all that declare a seed.",
            autocompletion=completing.topics,
        ),
    ] = None
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only load the first N records of each.")] = None
    full_refresh: Annotated[
        bool,
        typer.Option(
            "--full-refresh",
            help="Load again, and remove what models computed from the old records: topics, checkpoints.",
        ),
    ] = False
    confirm: options.Confirm = None


def command(own: SeedOptions, *, target: options.Target = None, common: options.Common) -> None:
    """Load sample records into the topics that declare a seed.

    With --full-refresh the models that read these topics lose their results and checkpoints, so that the next run
    computes them from the new records. This is refused while a run is active.
    """
    with shell("seed", common.output, common.quiet) as sh:
        from lsqlc.cli.arguments import check_confirmed
        from lsqlc.cli.spark import opened_store
        from lsqlc.diagnostics import LsqlcError, errors
        from lsqlc.project.workspace import sound
        from lsqlc.remote.run.locks import run_lock
        from lsqlc.tasks.detached import check_detached
        from lsqlc.tasks.run_target import open_target
        from lsqlc.tasks.seed import chosen, forget, load_all, source_of

        workspace = project.opened(sh, common.project_dir, common.vars)
        root, loaded = workspace.root, workspace.project
        if errors(loaded.diagnostics):
            raise LsqlcError(loaded.diagnostics)
        samples = chosen(loaded, own.topics or (), _inserted(workspace))
        described_target = workspace.target(target)
        place = open_target(root, described_target, topics=[sample.topic for sample in samples], project=loaded)
        sources = [source_of(root, s.seed) if s.seed is not None else None for s in samples]
        if own.full_refresh:
            check_confirmed(
                described_target,
                own.confirm,
                "topics are emptied, and the models that read them start from the beginning",
            )
            with run_lock(place.state), place.lease(loaded.config.name):
                check_detached(place, loaded.config.name, takes_over=False)
                compilation = sound(workspace.compilation)
                with opened_store(sh, place) as store:
                    forget(place, store, compilation, [s.topic.name for s in samples], sh.say)
                loads = load_all(place, list(zip(samples, sources, strict=True)), own.limit, sh.say, anew=True)
        else:
            loads = load_all(place, list(zip(samples, sources, strict=True)), own.limit, sh.say)
        if sh.json:
            data = [{"topic": n.topic, "status": "kept" if n.kept else "loaded", "records": n.records} for n in loads]
            sh.document({"version": 1, "command": "seed", "ok": True, "topics": data})
        elif not loads:
            sh.say("no topic declares a seed")


def _inserted(workspace: Workspace) -> Mapping[str, Samples]:
    """Return the records that models insert into topics which no model writes, by topic. Raises LsqlcError if one of
    these models does not compile.
    """
    from lsqlc.dialects import dialect
    from lsqlc.tasks.seed import inserted
    from lsqlc.tasks.selection import ModelSelection, sound_selection

    names = [m.name for m in workspace.project.models if dialect(m.dialect).may_insert(m.text or "")]
    if not names:
        return {}
    return inserted(sound_selection(workspace, ModelSelection(names)))
