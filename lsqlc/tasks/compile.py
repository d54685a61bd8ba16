"""The compilation of a project, with what a command asks to be written of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, order
from lsqlc.report.command_result import CommandResult
from lsqlc.report.json_report import run_results
from lsqlc.tasks.artifacts import EngineChoice
from lsqlc.tasks.build import create_target_folder, keep_build
from lsqlc.tasks.selection import ALL_MODELS, ModelSelection, compile_selection

if TYPE_CHECKING:
    from lsqlc.formats.schemas import Language
    from lsqlc.project.build.compile import Compilation
    from lsqlc.tasks.locks import Settled


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """The compilation that a command asks for.

    `engine`: whose SQL is written with `write_sql`; `schemas`: the language of the schemas that are written, None:
    none.
    """

    selection: ModelSelection = ALL_MODELS
    engine: EngineChoice = "all"
    write_sql: bool = False
    schemas: Language | None = None


@dataclass(frozen=True, slots=True)
class CompileResult:
    """The selected models, with the findings in the columns of files among their diagnostics.

    `unwritten`: a diagnostic for each output that cannot be written; `has_schemas`: schemas were written.
    """

    compilation: Compilation
    unwritten: tuple[Diagnostic, ...] = ()
    has_schemas: bool = False

    @property
    def ok(self) -> bool:
        """Whether the models compile and everything was written."""
        return self.compilation.ok and not self.unwritten


def compile_models(inference: Settled, request: CompileRequest) -> CompileResult:
    """Compile the selected models of a project whose columns of files are settled. A whole compilation is kept for the
    next command, with its manifest.

    Raises LsqlcError as `compile_selection`.
    """
    from lsqlc.tasks.artifacts import write_schemas, write_sql

    workspace, selection = inference.workspace, request.selection
    writes = request.write_sql or request.schemas is not None
    compilation = compile_selection(workspace, selection, plans=writes or not selection.is_whole)
    reported = (d for d in inference.diagnostics if d.code not in workspace.project.config.lint.ignore)
    compilation = replace(compilation, diagnostics=order((*compilation.diagnostics, *reported)))
    problems: tuple[Diagnostic, ...] = ()
    if selection.is_whole:
        results = run_results(CommandResult(compilation), lsqlc=workspace.release or "", command="compile")
        problems = keep_build(workspace, compilation, results, inference.watched)
    # A folder that lsqlc did not create keeps the files that lsqlc did not write.
    whole = writes and create_target_folder(workspace) and selection.is_whole
    if request.write_sql and not problems:
        problems = write_sql(compilation, request.engine, whole=whole)
    if request.schemas is None or problems:
        return CompileResult(compilation, problems)
    problems = write_schemas(compilation, request.schemas, whole=whole)
    return CompileResult(compilation, problems, has_schemas=True)
