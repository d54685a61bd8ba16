"""Targets with `confirm: true`: what cannot be taken back there needs the target's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError

if TYPE_CHECKING:
    from lsqlc.project.declared.target import Target


def check_confirmed(target: Target, confirmation: str | None, what: str) -> None:
    """Refuse (LSQ749) what nobody has confirmed. `given`: the value of --confirm; `what`: a clause such as "state and
    results are removed".
    """
    if confirmation is not None and confirmation != target.name:
        message = f"'{confirmation}' is confirmed, and the target is '{target.name}'"
        raise LsqlcError([Diagnostic("LSQ749", message, help=f"check `--target`, or add `--confirm {target.name}`")])
    if not target.confirm or confirmation == target.name:
        return
    message = f"{what} on the target '{target.name}', which has to be confirmed"
    notes = (f"{target.owner} answers for that target",) if target.owner else ()
    raise LsqlcError([Diagnostic("LSQ749", message, notes=notes, help=f"add `--confirm {target.name}`")])
