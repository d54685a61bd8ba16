"""`lsqlc shell`: a SQL prompt over the topics and models of a project; without a terminal the statements of stdin."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from signal import SIGINT
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc.cli import interrupts, options, project
from lsqlc.cli.answers import AnswerOutput
from lsqlc.cli.shell import Shell, read_stdin, shell
from lsqlc.dialects import DialectName

if TYPE_CHECKING:
    from lsqlc.cli.prompt_statements import Prompt
    from lsqlc.tasks.statements import Statement


@dataclass(frozen=True, slots=True)
class PromptOptions:
    """The options of `lsqlc shell`."""

    dialect: Annotated[
        DialectName | None,
        typer.Option("--dialect", help="The language of the statements; that of the project by default."),
    ] = None
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=0, help="Rows of a query to show, by default 100; 0: all.")
    ] = None
    target: options.Target = None


def command(
    own: PromptOptions,
    in_project: options.InProject,
    output: Annotated[
        Literal["text", "json", "csv"], typer.Option("--output", help="The format of the rows.")
    ] = "text",
    quiet: options.Quiet = False,
) -> None:
    """Ask queries at a prompt, with completion and history. Nothing that is typed there changes anything.

    Statements end with a semicolon: SELECT, EXPLAIN, SHOW TOPICS, DESCRIBE, PRINT and others, which \\? lists. Ctrl-C
    ends a query, \\q the prompt. Without a terminal the statements of stdin are run, and answers end with the records
    by now; the exit code is 1 if a statement failed.
    """
    with shell("shell", output, quiet, lines=True) as sh:
        from lsqlc.cli.prompt_statements import Prompt

        root, values = project.find(sh, in_project.project_dir), project.variables(sh, in_project.vars)
        config = project.config(sh, root)
        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        rows_output = AnswerOutput(output, None, own.limit)
        prompt = Prompt(sh, root, values, own.dialect or config.dialect, own.target, rows_output, is_terminal)
        if is_terminal:
            _converse(prompt, config.name)
        elif not _run_text(prompt, read_stdin()):
            raise typer.Exit(1)


def _run_text(prompt: Prompt, text: str) -> bool:
    """Run the statements of a text, and return whether none failed."""
    from lsqlc.cli.prompt_statements import EndOfShellError
    from lsqlc.tasks.statements import statements

    is_ok, lines = True, 0
    try:
        for part in _parts(text):
            if part.startswith("\\"):
                is_ok = _succeeds(prompt.sh, lambda line=part: prompt.command(line)) and is_ok  # type: ignore[misc]
            else:
                for statement in statements("\n" * lines + part, backslashes=prompt.backslashes):
                    moved_statement = _in_place(statement, "\n" * lines + part)
                    is_ok = _succeeds(prompt.sh, lambda each=moved_statement: prompt.run(each)) and is_ok  # type: ignore[misc]
            lines += part.count("\n")
    except EndOfShellError:
        pass
    return is_ok


def _in_place(statement: Statement, text: str) -> Statement:
    """Return a statement with blank lines before it, so that its errors have the lines of the whole text."""
    before = text[: statement.start]
    line_start = before.rfind("\n") + 1
    return replace(statement, text="\n" * before.count("\n") + " " * (statement.start - line_start) + statement.text)


def _parts(text: str) -> list[str]:
    """Return a text in parts: each line that begins with a backslash is one, and what is between them."""
    parts: list[str] = [""]
    for line in text.splitlines(keepends=True):
        if line.startswith("\\"):
            parts += [line, ""]
        else:
            parts[-1] += line
    return parts


def _succeeds(sh: Shell, run: Callable[[], None]) -> bool:
    """Run a statement, show its errors, and return whether it has none."""
    from lsqlc.diagnostics import LsqlcError, order

    try:
        run()
        sh.flush()
    except LsqlcError as error:
        sh.flush()
        ordered = order(error.diagnostics)
        sh.show(ordered)
        if sh.json:
            from lsqlc.report.json_report import diagnostic_data

            errors = [diagnostic_data(d) for d in ordered]
            sh.line({"event": "error", "version": 1, "command": sh.command, "ok": False, "diagnostics": errors})
        return False
    return True


def _converse(prompt: Prompt, name: str) -> None:
    """Run what is typed at the terminal, until it ends."""
    from lsqlc.cli.prompt_input import open_input
    from lsqlc.cli.prompt_statements import EndOfShellError

    sh = prompt.sh
    sh.say(f"{name}, {prompt.dialect}: statements end with a semicolon, \\? lists them")
    line_input = open_input(prompt, name)
    while True:
        try:
            text = line_input()
        except KeyboardInterrupt:
            # It clears the line.
            _check_end()
            continue
        if text is None:
            return
        try:
            _run_text_at(prompt, text)
        except EndOfShellError:
            return
        except KeyboardInterrupt:
            _check_end()
            sh.say("interrupted")
        except Exception:
            # Some libraries make a failure of their own of a signal.
            if not interrupts.asked():
                raise
            _check_end()
            sh.say("interrupted")


def _check_end() -> None:
    """Go on after Ctrl-C, which ended a line or a query. Raises KeyboardInterrupt for SIGTERM."""
    if interrupts.asked() not in (0, SIGINT):
        raise KeyboardInterrupt
    interrupts.forget()


def _run_text_at(prompt: Prompt, text: str) -> None:
    """Run what was typed. Raises EndOfShellError."""
    from lsqlc.tasks.statements import statements

    if text.lstrip().startswith("\\"):
        _succeeds(prompt.sh, lambda: prompt.command(text))
        return
    for statement in statements(text, backslashes=prompt.backslashes):
        if not _succeeds(prompt.sh, lambda each=statement: prompt.run(each)):  # type: ignore[misc]
            return
