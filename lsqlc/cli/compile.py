"""The options of `lsqlc compile`. The work is done by `compiling`, which a call without options reaches directly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from lsqlc.cli import options
from lsqlc.cli.compiling import CompileArguments, Engine, compile_models


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """The output of `lsqlc compile`."""

    engine: Annotated[Engine, typer.Option("--engine", help="The engine whose SQL is printed and written.")] = "all"
    write: Annotated[bool, typer.Option("--write", help="Write the SQL to target/compiled/<engine>/.")] = False
    schemas: Annotated[
        options.SchemaLanguage | None,
        typer.Option("--schemas", help="Write the schemas of the results to target/schemas/."),
    ] = None
    lock: Annotated[
        bool, typer.Option("--lock", help="Update lsqlc.lock.yml: the columns of files without a declared schema.")
    ] = False


def command(selected: options.SelectedByState, own: CompileOptions, common: options.Common) -> None:
    """Compile the models; with --select, print their plans and SQL.

    Without a selection the manifest is written to target/manifest.json. A compilation of some models does not change
    it.
    """
    arguments = CompileArguments(
        selected.select or (), selected.exclude or (), selected.state,
        own.engine, own.write, own.schemas, own.lock,
        common.vars, common.project_dir, common.output, common.quiet,
    )  # fmt: skip
    compile_models(arguments)
