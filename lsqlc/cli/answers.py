"""How commands write the rows of a query: to stdout or to a file, as text, lines of JSON, CSV, Parquet or Arrow."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lsqlc.cli.shell import Shell

if TYPE_CHECKING:
    from lsqlc.report.answers import Answer

Format = Literal["text", "json", "csv", "parquet", "arrow"]
# Rows that are shown without --limit. Files have all of them.
_ROWS = 100


@dataclass(frozen=True, slots=True)
class AnswerOutput:
    """Where rows go. `out`: a file; None: stdout. `limit`: at most so many rows; 0: all; None: the default."""

    format: Format = "text"
    out: Path | None = None
    limit: int | None = None

    @property
    def is_binary(self) -> bool:
        return self.format in ("parquet", "arrow")

    def check(self) -> None:
        """Raise LsqlcError LSQ621 for bytes that would be written to a terminal."""
        if self.is_binary and self.out is None and sys.stdout.isatty():
            from lsqlc.diagnostics import Diagnostic, LsqlcError

            message = f"{self.format} is not text, and stdout is a terminal"
            help = f"write a file: --out answer.{self.format}, or redirect stdout"
            raise LsqlcError([Diagnostic("LSQ621", message, help=help)])


def write_answer(sh: Shell, answer: Answer, output: AnswerOutput) -> None:
    """Write the rows, and say how many are left out. Raises LsqlcError LSQ622 for a file that cannot be written, and
    LSQ694 without the package pyarrow.
    """
    default = 0 if output.is_binary or output.out is not None else _ROWS
    limit = default if output.limit is None else output.limit
    cut = answer if limit == 0 else answer.first(limit)
    if output.format == "parquet" or output.format == "arrow":
        from lsqlc.report.answer_files import answer_bytes

        content = answer_bytes(cut, output.format, as_file=output.out is not None)
        if output.out is None:
            sh.bytes(content)
        else:
            _write_file(output.out, content)
    else:
        text = _text(sh, cut, output.format)
        if output.out is None:
            sh.result(text)
        else:
            _write_file(output.out, text.encode("utf-8", "surrogatepass"))
    left = answer.total - len(cut.rows)
    if left > 0 and output.format != "text":
        sh.say(f"and {left:,} more rows: see --limit")
    if output.out is not None:
        rows = "1 row" if len(cut) == 1 else f"{len(cut):,} rows"
        sh.say(f"{rows} written to '{output.out}'")


def _text(sh: Shell, answer: Answer, format: str) -> str:
    from lsqlc.report.answers import answer_csv, answer_json, answer_text

    if format == "text":
        return f"{answer_text(answer, sh.width)}\n"
    lines = answer_json(answer) if format == "json" else answer_csv(answer)
    return "".join(f"{line}\n" for line in lines)


def _write_file(path: Path, content: bytes) -> None:
    """Write a file as a whole, also over another one."""
    import tempfile

    from lsqlc.diagnostics import Diagnostic, LsqlcError

    try:
        if path.exists() and not path.is_file():
            # A device or a pipe is written, not replaced.
            path.write_bytes(content)
            return
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        new_file = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            umask = os.umask(0)
            os.umask(umask)
            new_file.chmod(0o666 & ~umask)
            new_file.replace(path)
        finally:
            new_file.unlink(missing_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        help = "name a file in a folder that exists and can be written"
        raise LsqlcError([Diagnostic("LSQ622", f"cannot write '{path}': {reason}", help=help)]) from None
