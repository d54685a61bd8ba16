"""The file of --expect."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic, LsqlcError

if TYPE_CHECKING:
    from lsqlc.project.declared.expectations import Expectation


def read_file(sh: Shell, file: Path | None) -> Mapping[str, Expectation] | None:
    """Return the expectations of a file by topic; None without a file. Raises LsqlcError LSQ001, and for errors in the
    file.

    The path is relative to the folder where the command was called.
    """
    from lsqlc.project.declared.expectations import read_expectations

    if file is None:
        return None
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise LsqlcError([Diagnostic("LSQ001", f"cannot read '{file}': {error}")]) from None
    sh.texts[file.as_posix()] = text
    expectations, problems = read_expectations(text, file.as_posix())
    if problems:
        raise LsqlcError(problems)
    return expectations
