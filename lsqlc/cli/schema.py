"""`lsqlc schema NAME`: the JSON Schemas of lsqlc's files, for editors and for programs that read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lsqlc.cli import options
from lsqlc.cli.shell import shell


def command(
    name: Annotated[str | None, typer.Argument(help="Such as cases or manifest; without one, all are listed.")] = None,
    write: Annotated[
        Path | None,
        typer.Option("--write", metavar="FOLDER", help="Write the schemas of YAML files, or of NAME, as files."),
    ] = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Print the JSON Schema of a kind of file, or list all of them.

    `lsqlc schema --write .schemas` renews the ones that the comments of `lsqlc init` point editors to.
    """
    with shell("schema", output, quiet) as sh:
        from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
        from lsqlc.report.schemas import NAMES, WRITTEN_BY_PEOPLE, described, schema_text

        if name is not None and name not in NAMES:
            help = did_you_mean(name, NAMES) or f"known are {listing(NAMES)}"
            raise typer.BadParameter(f"unknown schema '{name}'; {help}", param_hint="NAME")
        if write is not None:
            names = (name,) if name else WRITTEN_BY_PEOPLE
            paths = [write / f"{each}.json" for each in names]
            try:
                write.mkdir(parents=True, exist_ok=True)
                for each, path in zip(names, paths, strict=True):
                    path.write_text(schema_text(each), "utf-8", newline="\n")
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise LsqlcError([Diagnostic("LSQ068", f"cannot write '{write}': {reason}")]) from None
            if sh.json:
                schema_names = [path.as_posix() for path in paths]
                sh.document({"version": 1, "command": "schema", "ok": True, "files": schema_names})
            sh.say("\n".join(f"wrote {path.as_posix()}" for path in paths))
        elif name is not None:
            sh.result(schema_text(name).rstrip("\n"))
        elif sh.json:
            schemas = {each: json.loads(schema_text(each)) for each in NAMES}
            sh.document({"version": 1, "command": "schema", "ok": True, "schemas": schemas})
        else:
            sh.result("\n".join(f"{each:<12} {described(each)}" for each in NAMES))
