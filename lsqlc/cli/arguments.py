"""The values of options: `--from`, `--skip-record`, `--unskip-record`, `--expect` and `--confirm`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic, LsqlcError

if TYPE_CHECKING:
    from lsqlc.connectors.skips import Skip
    from lsqlc.project.declared.expectations import Expectation
    from lsqlc.project.declared.starts import Start
    from lsqlc.project.declared.target import Target


def parsed_start(text: str | None) -> Start | None:
    """Return the start that `--from` asks for; None without one."""
    from lsqlc.project.declared.starts import FORMS, parse_start

    if text is None:
        return None
    start = parse_start(text)
    if start is None:
        raise typer.BadParameter(f"'{text}' is not a start; {FORMS.replace('`', '')}", param_hint="--from")
    return start


def parsed_records(texts: Sequence[str] | None, option: str, *, with_partitions: bool) -> tuple[Skip, ...]:
    """Return the records that a command names by their places."""
    from lsqlc.connectors.skips import skip_of

    records = []
    for text in texts or ():
        skip = skip_of(text, with_partitions=with_partitions)
        if skip is None:
            form = "TOPIC:PARTITION:OFFSET, as orders:0:17" if with_partitions else "TOPIC:ORDINAL, as orders:17"
            raise typer.BadParameter(f"'{text}' is not the place of a record: {form}", param_hint=option)
        records.append(skip)
    return tuple(records)


def read_expectations(sh: Shell, file: Path | None) -> Mapping[str, Expectation] | None:
    """Return the expectations of the file of `--expect` by topic; None without a file.

    The path is relative to the folder where the command was called. Raises LsqlcError LSQ001, and for errors in the
    file.
    """
    from lsqlc.project.declared.expectations import read_expectations as expectations_in

    if file is None:
        return None
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise LsqlcError([Diagnostic("LSQ001", f"cannot read '{file}': {error}")]) from None
    sh.texts[file.as_posix()] = text
    expectations, problems = expectations_in(text, file.as_posix())
    if problems:
        raise LsqlcError(problems)
    return expectations


def check_confirmed(target: Target, confirmation: str | None, what: str) -> None:
    """Raise LsqlcError LSQ749 unless the target needs no confirmation, or has it.

    `confirmation`: the value of `--confirm`; `what`: a clause such as "state and results are removed".
    """
    if confirmation is not None and confirmation != target.name:
        message = f"'{confirmation}' is confirmed, and the target is '{target.name}'"
        raise LsqlcError([Diagnostic("LSQ749", message, help=f"check `--target`, or add `--confirm {target.name}`")])
    if not target.confirm or confirmation == target.name:
        return
    message = f"{what} on the target '{target.name}', which has to be confirmed"
    notes = (f"{target.owner} answers for that target",) if target.owner else ()
    raise LsqlcError([Diagnostic("LSQ749", message, notes=notes, help=f"add `--confirm {target.name}`")])
