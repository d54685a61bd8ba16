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
    """What is expected, by topic; None without a file. The path is that of where the command was called. Raises
    LsqlcError: LSQ001, and for what is wrong in the file.
    """
    from lsqlc.project.declared.expectations import read_expectations

    if file is None:
        return None
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise LsqlcError([Diagnostic("LSQ001", f"cannot read '{file}': {error}")]) from None
    sh.texts[file.as_posix()] = text
    found, problems = read_expectations(text, file.as_posix())
    if problems:
        raise LsqlcError(problems)
    return found
