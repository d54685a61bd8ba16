"""`lsqlc compile`: every model to its plan, the manifest written. Nothing changed: nothing is read but the files.

Typer takes longer to import than an unchanged build takes, and is not imported here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lsqlc import __version__
from lsqlc.cli import project
from lsqlc.cli.collector import uncollected
from lsqlc.cli.shell import Shell, shell
from lsqlc.project.build import cache

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.compile import CompileRequest

Engine = Literal["duckdb", "spark", "all"]
SchemaLanguage = Literal["avro", "json", "ddl"]


@dataclass(frozen=True, slots=True)
class CompileArguments:
    """The options that `compile.command` describes."""

    select: Sequence[str] = ()
    exclude: Sequence[str] = ()
    state: str | None = None
    engine: Engine = "all"
    write: bool = False
    schemas: SchemaLanguage | None = None
    lock: bool = False
    vars: str | None = None
    project_dir: Path | None = None
    output: str = "text"
    quiet: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether nothing is needed besides the compilation of all models."""
        return not (self.select or self.exclude or self.write or self.schemas or self.lock)


def compile_models(arguments: CompileArguments) -> None:
    """Run the command."""
    began = time.monotonic()
    with uncollected(), shell("compile", arguments.output, arguments.quiet) as sh:
        root = project.find(sh, arguments.project_dir)
        values = project.variables(sh, arguments.vars)
        contents: Mapping[str, bytes] = {}
        if arguments.is_plain:
            look = cache.look(
                root, stamp=cache.stamp(__version__), salt=cache.salt(values, os.environ), key=project.key(root)
            )
            if look.unchanged:
                _unchanged(sh, look.unchanged, look.contents, began)
                return
            contents = look.contents
        from lsqlc.tasks.compile import CompileRequest
        from lsqlc.tasks.selection import ModelSelection

        with project.keeping_texts(sh):
            workspace = project.opened_at(sh, root, values, contents)
        selection = ModelSelection(arguments.select, arguments.exclude, arguments.state)
        request = CompileRequest(selection, arguments.engine, arguments.write, arguments.schemas)
        _compile(sh, workspace, request, lock=arguments.lock, began=began)


def _unchanged(sh: Shell, cached: cache.Unchanged, contents: Mapping[str, bytes], began: float) -> None:
    sh.texts.update({d.span.path: contents[d.span.path].decode() for d in cached.diagnostics if d.span})
    sh.show(cached.diagnostics)
    seconds = time.monotonic() - began
    count = len(cached.summary["models"])
    sh.say(f"{count:,} model{'s' * (count != 1)} compiled ({count:,} unchanged)\ntook {seconds:.2f} s")
    if sh.json:
        sh.document({**cached.summary, "seconds": round(seconds, 3)})


def _compile(sh: Shell, workspace: Workspace, request: CompileRequest, *, lock: bool, began: float) -> None:
    from lsqlc.project.declared.lock import LOCK_FILE
    from lsqlc.report.command_result import CommandResult
    from lsqlc.report.json_report import run_results
    from lsqlc.report.text import summary_lines
    from lsqlc.tasks.compile import compile_models
    from lsqlc.tasks.locks import settle

    with project.keeping_texts(sh):
        inference = settle(workspace, anew=lock, ci="CI" in os.environ)
    sh.texts.update(inference.workspace.project.texts)
    if inference.is_written:
        sh.say(f"{LOCK_FILE} written: review it, and commit it")
    result = compile_models(inference, request)
    compilation, partly = result.compilation, not request.selection.is_whole
    sh.show(compilation.diagnostics)
    if result.has_schemas:
        sh.say(f"schemas written to {workspace.project.config.target_path}/schemas/")
    sh.show(result.unwritten)
    seconds = time.monotonic() - began
    if not (partly and compilation.ok):
        sh.say("\n".join(summary_lines(compilation, None, diagnostics=compilation.diagnostics, seconds=seconds)))
    elif not sh.json:
        sh.result("\n".join(_plan_text(compilation, request.engine)))
    if sh.json:
        report = CommandResult(compilation, diagnostics=result.unwritten, seconds=seconds)
        results = run_results(report, lsqlc=__version__, command="compile")
        sh.document({**results, **({"plans": _plan_data(compilation, request.engine)} if partly else {})})
    if not result.ok:
        sh.end(compilation.diagnostics)


def _plan_text(compilation: Compilation, engine: Engine) -> list[str]:
    from lsqlc.tasks.artifacts import engines, sql_text

    parts = []
    for plan in compilation.plans.values():
        parts.append(plan.tree())
        parts += [f"-- {each}\n{sql_text(plan, each)}" for each in engines(engine)]
    return parts


def _plan_data(compilation: Compilation, engine: Engine) -> dict[str, Any]:
    from lsqlc.tasks.artifacts import engines, sql_text

    return {
        name: {"plan": plan.to_json(), "sql": {each: sql_text(plan, each) for each in engines(engine)}}
        for name, plan in compilation.plans.items()
    }
