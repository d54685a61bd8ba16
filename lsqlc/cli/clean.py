"""`lsqlc clean`: remove the files of builds, and the embedded topics on request."""

from __future__ import annotations

from typing import Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import shell


def command(
    topics: Annotated[
        bool,
        typer.Option(
            "--topics", help="Also remove .lsqlc/: the embedded topics with their records, and the checkpoints."
        ),
    ] = False,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Remove target/; with --topics, the embedded topics and checkpoints too.

    There is no confirmation: `build` writes target/ again, and --topics must be given explicitly. A target folder that
    lsqlc did not create is not removed, and nothing is while a run or a broker of the project is active.
    """
    with shell("clean", output, quiet) as sh:
        from lsqlc.tasks.clean import clean

        root = project.find(sh, project_dir)
        # Nothing is removed that a file with errors names.
        config = project.config(sh, root)
        removed = clean(root, config.target_path, project.STATE_FOLDER if topics else None, project.key(root))
        if sh.json:
            sh.document({"version": 1, "command": "clean", "ok": True, "removed": list(removed)})
        sh.say("\n".join(f"removed {path}/" for path in removed) or "nothing to remove")
