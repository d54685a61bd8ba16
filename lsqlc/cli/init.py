"""`lsqlc init`: a small project that builds and runs at once."""

from __future__ import annotations

import re
import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from lsqlc.cli import options
from lsqlc.cli.shell import shell

# Where the comments of the YAML files point editors to.
_SCHEMAS = ".schemas"
# In the package they would speak to the package's own repository, its build and its CI.
_HIDDEN = ("gitignore", "github", "pre-commit-config.yaml")


def command(
    folder: Annotated[str, typer.Argument(metavar="NAME|.", help="The folder to create, or '.' for this one.")],
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Make a project with two models, sample records and a golden test. Nothing is overwritten."""
    with shell("init", output, quiet) as sh:
        from lsqlc.diagnostics import Diagnostic, LsqlcError

        root = Path(folder).absolute()
        name = re.sub(r"[^A-Za-z0-9_.-]", "_", root.resolve().name).lstrip(".-") or "project"
        try:
            made = _make(root, name, folder)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            help = "choose a folder that can be created or written"
            message = f"cannot create a project in '{folder}': {reason}"
            raise LsqlcError([Diagnostic("LSQ060", message, help=help)]) from None
        if sh.json:
            sh.document({"version": 1, "command": "init", "ok": True, "name": name, "files": made})
        enter = "" if root == Path.cwd() else f"  cd {folder}\n"
        sh.say(f"created the project '{name}' with {len(made)} files; next:\n")
        sh.say(f"{enter}  lsqlc build\n  lsqlc seed\n  lsqlc run\n  lsqlc show bikes_at_station")


def _make(root: Path, name: str, shown: str) -> list[str]:
    from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
    from lsqlc.report.schemas import WRITTEN_BY_PEOPLE, schema_text

    with as_file(files("lsqlc").joinpath("project_template")) as template:
        sources = sorted(p for p in template.rglob("*") if p.is_file() and p.suffix != ".pyc")
        targets = {source: _target(source.relative_to(template)) for source in sources}
        schemas = {Path(_SCHEMAS, f"{name}.json"): schema_text(name) for name in WRITTEN_BY_PEOPLE}
        there = [path.as_posix() for path in (*targets.values(), *schemas) if (root / path).exists()]
        if there:
            where = "here" if shown == "." else f"in '{shown}'"
            message = f"a project would overwrite {listing(there)} {where}"
            help = "choose another folder, or remove these files"
            raise LsqlcError([Diagnostic("LSQ060", message, help=help)])
        fresh = not root.exists()
        parent = root.parent if fresh else root
        parent.mkdir(parents=True, exist_ok=True)
        # Whole or not at all: everything is made beside its place, and then moved there.
        made = Path(tempfile.mkdtemp(prefix=".lsqlc-init-", dir=parent))
        try:
            for source, path in targets.items():
                text = source.read_text("utf-8").replace("{{project_name}}", name)
                (made / path).parent.mkdir(parents=True, exist_ok=True)
                (made / path).write_text(text, "utf-8", newline="\n")
            (made / _SCHEMAS).mkdir()
            for path, text in schemas.items():
                (made / path).write_text(text, "utf-8", newline="\n")
            if fresh:
                made.chmod(0o755)
                made.rename(root)
            else:
                for path in (*targets.values(), *schemas):
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (made / path).rename(root / path)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return [path.as_posix() for path in (*targets.values(), *schemas)]


def _target(path: Path) -> Path:
    first, *rest = path.parts
    return Path(f".{first}" if first in _HIDDEN else first, *rest)
