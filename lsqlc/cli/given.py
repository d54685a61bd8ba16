"""What `--from` says."""

from __future__ import annotations

import typer

from lsqlc.project.declared.starts import FORMS, Start, parse_start


def given_start(text: str | None) -> Start | None:
    """The start that a command asks for; None without one."""
    if text is None:
        return None
    found = parse_start(text)
    if found is None:
        raise typer.BadParameter(f"'{text}' is not a start; {FORMS.replace('`', '')}", param_hint="--from")
    return found
