"""`lsqlc clean`: remove what a build left, and the embedded topics if asked to."""

from __future__ import annotations

import shutil
from pathlib import Path
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

    Nothing is asked: target/ is made anew by `build`, and --topics has to be typed. It is refused while a run goes on,
    or a broker of the project runs.
    """
    with shell("clean", output, quiet) as sh:
        from lsqlc.diagnostics import Diagnostic, LsqlcError
        from lsqlc.project import files
        from lsqlc.project.declared.config import PROJECT_FILE, read_config
        from lsqlc.remote.run.locks import run_lock
        from lsqlc.scan import paths

        root = project.find(sh, project_dir)
        text = files.read(root, PROJECT_FILE)
        sh.texts[PROJECT_FILE] = text.text or ""
        config, problems = read_config(text.text or "") if text.text is not None else (None, text.diagnostics)
        # Where the file is in doubt, nothing that it names is removed.
        if config is None or problems:
            raise LsqlcError(problems)
        if not paths.stays_inside(root, config.target_path):
            message = f"the target folder '{config.target_path}' leads out of the project"
            raise LsqlcError([Diagnostic("LSQ009", message, help="remove the link yourself")])
        removed = []
        try:
            if topics and (root / project.STATE_FOLDER).is_dir():
                _refuse_broker(root / project.STATE_FOLDER / "kafka")
                with run_lock(root / project.STATE_FOLDER):
                    removed += _remove(root / project.STATE_FOLDER, project.STATE_FOLDER)
            removed += _remove(root / config.target_path, config.target_path)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            message = f"cannot remove '{error.filename}': {reason}"
            raise LsqlcError(
                [Diagnostic("LSQ034", message, help="check the permissions of the folder, and try again")]
            ) from None
        if sh.json:
            sh.document({"version": 1, "command": "clean", "ok": True, "removed": removed})
        sh.say("\n".join(f"removed {path}/" for path in removed) or "nothing to remove")


def _refuse_broker(folder: Path) -> None:
    """Raises LsqlcError LSQ709 where a broker runs over a folder that is to be removed."""
    from lsqlc.diagnostics import Diagnostic, LsqlcError
    from lsqlc.remote.server import detached

    if broker := detached.running(folder):
        message = f"the folder to remove is used by the broker of this project, process {broker.pid}"
        raise LsqlcError([Diagnostic("LSQ709", message, help="stop it first, with `lsqlc kafka down`")])


def _remove(folder: Path, path: str) -> list[str]:
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)
    elif folder.exists():
        folder.unlink()
    else:
        return []
    return [path]
