"""Functions that all verbs share: the output of text and results, diagnostics, and the end of a command.

With `--output json` stdout only has JSON: one document, or one object a line for results that arrive one by one. A
command that fails reports it there too, as `{"ok": false, "diagnostics": [...]}`.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import IO, TYPE_CHECKING, Any, NoReturn

from lsqlc.cli import interrupts
from lsqlc.cli.workflow_commands import is_listening, new_token, stopped

if TYPE_CHECKING:
    from lsqlc.diagnostics import Diagnostic

# Cells of a line where nobody looks at a terminal.
_WIDE = 200
# How many findings of the same words are shown.
_ALIKE = 5
# A topic's file can be large; a longer one is not read for the one line that a finding shows.
_MAX_SHOWN = 1 << 26


class Shell:
    """One run of a command. `texts` are what findings are shown with, by path; they are added as files are read."""

    def __init__(self, command: str, *, output: str = "text", quiet: bool = False, lines: bool = False) -> None:
        self.command = command
        self._lines = lines
        self.json = output == "json"
        self.quiet = quiet
        self.root: Path | None = None
        self.texts: dict[str, str] = {}
        # Whether a JSON document has been written: a second one would break the first.
        self._answered = False

    @property
    def colour(self) -> bool:
        """Whether words for people are coloured."""
        return coloured(sys.stderr)

    @property
    def animated(self) -> bool:
        """Whether words for people may move: they go to a terminal that can do it, and nobody asked for JSON."""
        return not self.json and can_move(sys.stderr)

    @property
    def result_colour(self) -> bool:
        """Whether results are coloured."""
        return coloured(sys.stdout)

    @property
    def width(self) -> int:
        """Cells of a line of results."""
        return get_terminal_size().columns if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDE

    @property
    def said_width(self) -> int:
        """Cells of a line of words for people."""
        return get_terminal_size().columns if sys.stderr.isatty() or "COLUMNS" in os.environ else _WIDE

    def say(self, text: str) -> None:
        """Print to stderr, unless --quiet."""
        if not self.quiet:
            self.error(text)

    def error(self, text: str) -> None:
        """Print to stderr also with --quiet. The text may name control characters of a terminal."""
        from lsqlc.diagnostics.visible import visible, visible_in_colour

        print(visible_in_colour(text) if self.colour else visible(text), file=sys.stderr, flush=True)

    def result(self, text: str) -> None:
        """Write a result as it is."""
        try:
            sys.stdout.write(text if text.endswith("\n") or not text else f"{text}\n")
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _full(error) from None

    def bytes(self, content: bytes) -> None:
        """Write a result that is not text."""
        self.flush()
        try:
            sys.stdout.buffer.write(content)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _full(error) from None

    def document(self, data: Mapping[str, Any]) -> None:
        """Write the only JSON document of this command."""
        self._answered = True
        self.result(json.dumps(data, ensure_ascii=_is_narrow(), indent=1))

    def line(self, data: Mapping[str, Any]) -> None:
        """Write one of several JSON objects."""
        self.result(json.dumps(data, ensure_ascii=_is_narrow()))
        self.flush()

    def flush(self) -> None:
        """Flush the results, for readers of a pipe."""
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _full(error) from None

    def show(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Print diagnostics in full to stderr; with --quiet only errors."""
        from lsqlc.diagnostics import by_severity
        from lsqlc.diagnostics.render import render_all

        visible = [d for d in by_severity(diagnostics) if d.is_error or not self.quiet]
        if not visible:
            return
        first = _first_of_each(visible)
        self._read_texts(first)
        print(render_all(first, self.texts, colour=self.colour), file=sys.stderr)
        if len(first) < len(visible):
            print(f"\nand {len(visible) - len(first):,} more like these", file=sys.stderr)
        sys.stderr.flush()

    def show_errors(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Print the diagnostics of models in a command that is not about models: errors in full, the number of
        warnings.
        """
        from lsqlc.diagnostics import Severity
        from lsqlc.report.text import counted_warnings

        reported = tuple(diagnostics)
        self.show(d for d in reported if d.is_error)
        if warnings := sum(d.severity is Severity.WARNING for d in reported):
            self.say(counted_warnings(warnings))

    def fail(self, diagnostics: Iterable[Diagnostic]) -> NoReturn:
        """Show findings and end with exit code 2 for wrong usage, else 1."""
        from lsqlc.diagnostics import order

        ordered = order(diagnostics)
        self.show(ordered)
        if self.json and not self._answered:
            from lsqlc.report.json_report import diagnostic_data

            errors = [diagnostic_data(d) for d in ordered]
            data = {"version": 1, "command": self.command, "ok": False, "diagnostics": errors}
            if self._lines:
                self.line({"event": "error", **data})
            else:
                self.document(data)
        self.end(ordered)

    def end(self, diagnostics: Iterable[Diagnostic]) -> NoReturn:
        """End with the highest exit code of the errors' codes: 2 if one is about what was typed, else 1."""
        # An unchanged build ends without them.
        from typer import Exit

        from lsqlc.diagnostics.catalogue import exit_code

        raise Exit(max((exit_code(code) for code in {d.code for d in diagnostics if d.is_error}), default=1))

    def _read_texts(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Read the files that diagnostics refer to and that nobody has read as text: segments of topics, seeds."""
        from lsqlc.project.files import read_bytes

        for path in {d.span.path for d in diagnostics if d.span} - set(self.texts):
            file = self.root / path if self.root else Path(path)
            try:
                if file.suffix not in (".gz", ".zip"):
                    self.texts[path] = read_bytes(file, _MAX_SHOWN).decode("utf-8", "replace")
            except (OSError, ValueError):
                # The finding is shown without its line.
                continue


@contextmanager
def shell(command: str, output: str, quiet: bool, *, lines: bool = False, stops: bool = True) -> Iterator[Shell]:
    """Return the shell of a command. Diagnostics that are raised inside are shown, and end the command.

    `lines`: its JSON is one object a line. `stops`: none of its output is a workflow command of GitHub's.
    """
    with stopped(new_token() if stops and is_listening() else ""):
        yield from _shell(command, output, quiet, lines=lines)


def _shell(command: str, output: str, quiet: bool, *, lines: bool) -> Iterator[Shell]:
    from lsqlc.diagnostics import LsqlcError

    opened = Shell(command, output=output, quiet=quiet, lines=lines)
    # From here on there may be something half made.
    interrupts.raise_instead()
    try:
        yield opened
    except LsqlcError as error:
        opened.fail(error.diagnostics)
    except ImportError as error:
        from lsqlc.diagnostics.extras import missing_package

        if (missing := missing_package(error)) is None:
            raise
        opened.fail([missing])


def _full(error: OSError) -> Exception:
    """Return LSQ068 for a stdout that takes no more. Later output is dropped."""
    from lsqlc.diagnostics import LsqlcError

    close_pipe()
    return LsqlcError([unwritten(error)])


def unwritten(error: OSError) -> Diagnostic:
    """Return LSQ068 for a stdout that takes no more."""
    from lsqlc.diagnostics import Diagnostic

    reason = (error.strerror or str(error)).lower()
    return Diagnostic("LSQ068", f"cannot write to stdout: {reason}", help="redirect it to a disk with space")


def read_stdin() -> str:
    """Return the text of stdin. Bytes that are not UTF-8 become surrogates, which no file of a project may have."""
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="surrogateescape")
    return sys.stdin.read()


def close_pipe() -> None:
    """Close a stdout that is no longer read: a reader that closes the pipe has read enough, as in `lsqlc ls | head`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_narrow() -> bool:
    """Return whether stdout lacks characters, so that JSON has to escape them."""
    return (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"


def _first_of_each(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings, but few of those with the same message: all records of a topic can have another schema."""
    count: Counter[tuple[str, str]] = Counter()
    first = []
    for diagnostic in diagnostics:
        count[diagnostic.code, diagnostic.message] += 1
        if count[diagnostic.code, diagnostic.message] <= _ALIKE:
            first.append(diagnostic)
    return first


def can_move(stream: IO[str]) -> bool:
    """Return whether a stream is a terminal on which output can be replaced."""
    return stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown", None)


def coloured(stream: IO[str]) -> bool:
    """Return whether the output to a stream may have colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
