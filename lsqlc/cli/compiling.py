"""`lsqlc compile`: every model to its plan, the manifest written. Nothing changed: nothing is read but the files.

Typer takes longer to import than an unchanged build takes, and is not imported here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lsqlc import __version__
from lsqlc.cli import project
from lsqlc.cli.collector import uncollected
from lsqlc.cli.shell import Shell, shell
from lsqlc.project.build import cache

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation

Engine = Literal["duckdb", "spark", "all"]
SchemaLanguage = Literal["avro", "json", "ddl"]


def compile_models(
    select: list[str] | None = None,
    exclude: list[str] | None = None,
    state: str | None = None,
    engine: Engine = "all",
    *,
    write: bool = False,
    schemas: SchemaLanguage | None = None,
    lock: bool = False,
    vars: str | None = None,
    project_dir: Path | None = None,
    output: str = "text",
    quiet: bool = False,
) -> None:
    """Run the command with the options that `compile.command` describes."""
    began = time.monotonic()
    with uncollected(), shell("compile", output, quiet) as sh:
        root = project.find(sh, project_dir)
        values = project.variables(sh, vars)
        contents: Mapping[str, bytes] = {}
        if not (select or exclude or write or schemas or lock):
            look = cache.look(
                root, stamp=cache.stamp(__version__), salt=cache.salt(values, os.environ), key=project.key(root)
            )
            if look.unchanged:
                _unchanged(sh, look.unchanged, look.contents, began)
                return
            contents = look.contents
        _compile(sh, root, values, contents, select, exclude, state, engine, write, schemas, lock, began)


def _unchanged(sh: Shell, cached: cache.Unchanged, contents: Mapping[str, bytes], began: float) -> None:
    sh.texts.update({d.span.path: contents[d.span.path].decode() for d in cached.diagnostics if d.span})
    sh.show(cached.diagnostics)
    seconds = time.monotonic() - began
    count = len(cached.summary["models"])
    sh.say(f"{count:,} model{'s' * (count != 1)} compiled ({count:,} unchanged)\ntook {seconds:.2f} s")
    if sh.json:
        sh.document({**cached.summary, "seconds": round(seconds, 3)})


def _compile(
    sh: Shell,
    root: Path,
    vars: Mapping[str, Any],
    contents: Mapping[str, bytes],
    select: list[str] | None,
    exclude: list[str] | None,
    state: str | None,
    engine: Engine,
    write: bool,
    schemas: SchemaLanguage | None,
    lock: bool,
    began: float,
) -> None:
    from lsqlc.diagnostics import order
    from lsqlc.project.declared.lock import LOCK_FILE
    from lsqlc.report.command_result import CommandResult
    from lsqlc.report.json_report import run_results
    from lsqlc.report.text import summary_lines
    from lsqlc.tasks.locks import settle
    from lsqlc.tasks.selection import compile_selection

    partly = bool(select or exclude)
    with project.keeping_texts(sh):
        inferred = settle(project.opened_at(sh, root, vars, contents), anew=lock, ci="CI" in os.environ)
    workspace, loaded = inferred.workspace, inferred.workspace.project
    sh.texts.update(loaded.texts)
    if inferred.is_written:
        sh.say(f"{LOCK_FILE} written: review it, and commit it")
    plans = partly or write or schemas is not None
    compilation = compile_selection(workspace, select, exclude, plans=plans, state=state)
    reported = tuple(d for d in inferred.diagnostics if d.code not in loaded.config.lint.ignore)
    compilation = replace(compilation, diagnostics=order((*compilation.diagnostics, *reported)))
    sh.show(compilation.diagnostics)
    results = run_results(CommandResult(compilation), lsqlc=__version__, command="compile")
    problems = () if partly else project.remember(compilation, vars, as_cached(results), inferred.watched)
    # A folder that lsqlc did not create keeps the files that lsqlc did not write.
    whole = (write or schemas is not None) and project.create_target(loaded) and not partly
    if write and not problems:
        from lsqlc.tasks.artifacts import write_sql

        problems = write_sql(root, loaded.config.target_path, compilation, engine, whole=whole)
    if schemas and not problems:
        from lsqlc.tasks.artifacts import write_schemas

        problems = write_schemas(root, loaded.config.target_path, compilation, schemas, whole=whole)
        sh.say(f"schemas written to {loaded.config.target_path}/schemas/")
    sh.show(problems)
    ok = compilation.ok and not problems
    seconds = time.monotonic() - began
    if not (partly and compilation.ok):
        sh.say("\n".join(summary_lines(compilation, None, diagnostics=compilation.diagnostics, seconds=seconds)))
    elif not sh.json:
        sh.result("\n".join(_plan_text(compilation, engine)))
    if sh.json:
        results = run_results(CommandResult(compilation, diagnostics=problems), lsqlc=__version__, command="compile")
        results["seconds"] = round(seconds, 3)
        sh.document({**results, **({"plans": _plan_data(compilation, engine)} if partly else {})})
    if not ok:
        sh.end(compilation.diagnostics)


def as_cached(results: dict[str, Any]) -> dict[str, Any]:
    """Return the results of the next build if nothing changes."""
    models = [{**model, "status": "cached"} for model in results["models"]]
    return {**results, "command": "compile", "engine": None, "results": [], "written": [], "models": models}


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
