"""The options of `lsqlc compile`. The work is done by `compiling`, which a call without options reaches directly."""

from __future__ import annotations

from typing import Annotated

import typer

from lsqlc.cli import options
from lsqlc.cli.compiling import Engine, compile_models


def command(
    select: options.Select = None,
    exclude: options.Exclude = None,
    state: options.State = None,
    engine: Annotated[Engine, typer.Option("--engine", help="The engine whose SQL is printed and written.")] = "all",
    write: Annotated[bool, typer.Option("--write", help="Write the SQL to target/compiled/<engine>/.")] = False,
    schemas: Annotated[
        options.SchemaLanguage | None,
        typer.Option("--schemas", help="Write the schemas of the results to target/schemas/."),
    ] = None,
    lock: Annotated[
        bool, typer.Option("--lock", help="Update lsqlc.lock.yml: the columns of files without a declared schema.")
    ] = False,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Compile the models; with --select, print their plans and SQL.

    Without a selection the manifest is written to target/manifest.json. A compilation of some models does not change
    it.
    """
    compile_models(
        select, exclude, state, engine,
        write=write, schemas=schemas, lock=lock, vars=vars, project_dir=project_dir, output=output, quiet=quiet,
    )  # fmt: skip
