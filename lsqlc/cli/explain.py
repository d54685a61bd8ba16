"""`lsqlc explain CODE`: what a finding means, with a wrong and a right example."""

from __future__ import annotations

from typing import Annotated

import typer

from lsqlc.cli import completing, options
from lsqlc.cli.shell import shell


def command(
    code: Annotated[
        str | None,
        typer.Argument(
            help="A code such as LSQ203; without one, all codes are listed.", autocompletion=completing.codes
        ),
    ] = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Explain a code, or list all of them."""
    with shell("explain", output, quiet) as sh:
        from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean
        from lsqlc.diagnostics.catalogue import code_info, codes

        names = codes()
        if code is None:
            if sh.json:
                sh.document({"version": 1, "command": "explain", "ok": True, "codes": names})
            else:
                sh.result("\n".join(f"{each}  {title}" for each, title in names.items()))
            return
        full_code = code.upper() if not code.isdecimal() else f"LSQ{code.zfill(3)}"
        info = code_info(full_code)
        if info is None:
            help = did_you_mean(full_code, names) or "`lsqlc explain` lists all codes"
            raise LsqlcError([Diagnostic("LSQ065", f"unknown code '{code}'", help=help)])
        if sh.json:
            data = {"version": 1, "command": "explain", "ok": True}
            severities = [severity.value for severity in info.severities]
            sh.document({**data, "code": full_code, "title": info.title, "severities": severities, "exit": info.exit,
                         "page": info.page})  # fmt: skip
        else:
            sh.result(info.page)
