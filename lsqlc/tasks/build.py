"""The build of a project: its models compiled and tested on DuckDB, with SQL and manifest in the target folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.build import cache
from lsqlc.project.user_cache import user_key

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.golden import GoldenRequest, GoldenResult
    from lsqlc.types.files import Files


def build_project(workspace: Workspace, request: GoldenRequest) -> GoldenResult:
    """Compile the selected models, write their SQL, keep the build of a whole project, and run the golden tests.

    The diagnostics include the names of data tests and descriptions that do not exist. Raises LsqlcError for a target
    folder that cannot be written, before the tests run.
    """
    from lsqlc.report.command_result import CommandResult
    from lsqlc.report.json_report import run_results
    from lsqlc.tasks.artifacts import write_sql
    from lsqlc.tasks.golden import on_duckdb
    from lsqlc.tasks.selection import compile_selection

    compilation = compile_selection(workspace, request.selection)
    whole = request.selection.is_whole
    # A folder that lsqlc did not create keeps the files that lsqlc did not write.
    is_created = create_target_folder(workspace)
    problems = write_sql(compilation, whole=is_created and whole)
    if whole and not problems:
        results = run_results(CommandResult(compilation), lsqlc=workspace.release or "", command="build")
        problems = keep_build(workspace, compilation, results)
    if problems:
        raise LsqlcError((*compilation.diagnostics, *problems))
    result = on_duckdb(compilation, request)
    return replace(result, diagnostics=(*result.diagnostics, *_wrong_names(compilation)))


def _wrong_names(compilation: Compilation) -> tuple[Diagnostic, ...]:
    """Return LSQ870 for each data test that does not fit its topic, and LSQ550 for each description of a column that
    does not exist.

    No record is read. Nothing is reported for a project with errors, whose schemas are not all known.
    """
    from lsqlc.report.site.descriptions import describe
    from lsqlc.tasks.bound_tests import bound_tests

    if not compilation.ok:
        return ()
    try:
        bound_tests(compilation, compilation.semantics)
    except LsqlcError as error:
        return (*error.diagnostics, *describe(compilation).diagnostics)
    return describe(compilation).diagnostics


def create_target_folder(workspace: Workspace) -> bool:
    """Create the target folder, unless it exists. Return whether lsqlc created it, now or before."""
    from lsqlc.project.build.target_folder import create

    root = workspace.root
    return create(root, workspace.project.config.target_path, user_key(root, workspace.environment))


def keep_build(
    workspace: Workspace, compilation: Compilation, results: Mapping[str, Any], watched: Sequence[Files] = ()
) -> tuple[Diagnostic, ...]:
    """Write the manifest of a whole project, and keep its compilation for the next command.

    `results`: as of `run_results`; `watched`: folders of files that were compared with the lock file. Returns a
    diagnostic if the target folder cannot be written.
    """
    from lsqlc.project.build.entries import write_entries
    from lsqlc.project.build.manifest import manifest_bytes

    project, release = workspace.project, workspace.release or ""
    stamp, key = cache.stamp(release), user_key(project.root, workspace.environment)
    create_target_folder(workspace)
    problems = write_entries(project.root, project.config.target_path, stamp, compilation.entries, key)
    if problems or not compilation.ok:
        return problems
    manifest = manifest_bytes(compilation.manifest(release))
    diagnostics, folders = compilation.diagnostics, project.config.model_paths
    build = cache.Build(project.texts, folders, manifest, _unchanged(results), diagnostics, watched)
    origin = cache.Origin(stamp, cache.salt(workspace.vars, workspace.environment), key)
    return cache.keep(project.root, project.config.target_path, build, origin)


def _unchanged(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results of the next compilation if nothing changes."""
    models = [{**model, "status": "cached"} for model in results["models"]]
    return {**results, "command": "compile", "engine": None, "results": [], "written": [], "models": models}
