"""`lsqlc lsp`: a language server for editors, over stdin and stdout."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from lsqlc import __version__
from lsqlc.cli import options, project
from lsqlc.cli.shell import shell


def command(
    vars: options.Vars = None,
    stdio: Annotated[bool, typer.Option("--stdio", hidden=True)] = True,
) -> None:
    """Start the language server for editors, on stdin and stdout.

    The editor starts it, in any folder: the project of a file is the nearest one above it. Nothing is written.
    """
    with shell("lsp", "text", False) as sh:
        from lsqlc.diagnostics.extras import require

        require("pygls.lsp.server")
        from lsqlc.editor.server import serve
        from lsqlc.editor.snapshot import Surroundings

        surroundings = Surroundings(__version__, dict(os.environ), project.variables(sh, vars))
        # Messages have the real stdout for themselves: what anybody prints goes to stderr.
        sys.stdout.flush()
        channel = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        code = serve(surroundings, sys.stdin.buffer, channel)
    raise typer.Exit(code)
