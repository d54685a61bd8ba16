"""`lsqlc init`: a small project that builds and runs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from lsqlc.cli import options
from lsqlc.cli.shell import shell
from lsqlc.dialects import DialectName


def command(
    folder: Annotated[str, typer.Argument(metavar="NAME|.", help="The folder to create, or '.' for this one.")],
    dialect: Annotated[DialectName, typer.Option("--dialect", help="The language of the models.")] = "sql",
    empty: Annotated[bool, typer.Option("--empty", help="Without models, topics and cases.")] = False,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Create a project with three models, sample records and a golden test. Nothing is overwritten."""
    with shell("init", output, quiet) as sh:
        from lsqlc.tasks.scaffold import create_project

        created = create_project(folder, dialect, empty=empty)
        if sh.json:
            sh.document(
                {"version": 1, "command": "init", "ok": True, "name": created.name, "files": list(created.files)}
            )
        enter = "" if Path(folder).absolute() == Path.cwd() else f"  cd {shlex.quote(str(folder))}\n"
        sh.say(f"created the project '{created.name}' with {len(created.files)} files; next:\n")
        if empty:
            sh.say(f"{enter}  declare topics in models/topics.yml, and write models into models/\n  lsqlc build")
            return
        sh.say(f"{enter}  lsqlc build\n  lsqlc seed\n  lsqlc run\n  lsqlc show bikes_at_station")
