"""The line editor of the SQL prompt: several lines up to a semicolon, completion, and a history that is kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.cli.prompt_completion import Completions
from lsqlc.cli.prompt_statements import Prompt
from lsqlc.diagnostics.extras import require
from lsqlc.tasks.statements import statements

if TYPE_CHECKING:
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.key_binding import KeyBindings

# The statements that end without a semicolon.
_WORDS = ("EXIT", "QUIT", "HELP")
_HISTORY = "shell-history"


def open_input(prompt: Prompt, name: str) -> Callable[[], str | None]:
    """Return the function that reads statements from the terminal; it returns None at the end of input.

    The function raises KeyboardInterrupt for Ctrl-C. Raises LsqlcError LSQ099 without the package prompt_toolkit.
    """
    require("prompt_toolkit")
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    path = _history(os.environ)
    completions = Completions(prompt.root, prompt.vars, prompt.dialect)
    session: PromptSession[str] = PromptSession(
        history=InMemoryHistory() if path is None else FileHistory(path),
        completer=_completer(completions),
        complete_in_thread=True,
        complete_while_typing=False,
        multiline=True,
        key_bindings=_keys(prompt),
        prompt_continuation=lambda width, line, wrapped: " " * max(0, width - 2) + "> ",
    )

    def read() -> str | None:
        completions.refresh()
        try:
            return session.prompt(f"{name}> ")
        except EOFError:
            return None

    return read


def is_complete(text: str, *, backslashes: bool) -> bool:
    """Return whether Enter behind a text runs it: a command, no text, or statements of which the last is closed."""
    stripped = text.strip()
    if not stripped or stripped.startswith("\\") or stripped.upper() in _WORDS:
        return True
    parts = list(statements(text, backslashes=backslashes))
    return not parts or parts[-1].is_closed


def _completer(completions: Completions) -> Completer:
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

    class OfProject(Completer):
        """The completions of a project."""

        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
            for each in completions.at(document.text, document.cursor_position):
                yield Completion(each.text, -each.replaced, display_meta=each.detail)

    return OfProject()


def _keys(prompt: Prompt) -> KeyBindings:
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    bindings = KeyBindings()

    @bindings.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_complete(buffer.text, backslashes=prompt.backslashes):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return bindings


def _history(environment: Mapping[str, str]) -> str | None:
    """Return the path of the history in the user's folder of states; None if it cannot be made."""
    own = environment.get("XDG_STATE_HOME", "")
    try:
        state = Path(own) if Path(own).is_absolute() else Path.home() / ".local" / "state"
        folder = state / "lsqlc"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / _HISTORY
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except (OSError, RuntimeError):
        print("the history is not kept, since the folder of states cannot be written", file=sys.stderr)
        return None
    return str(path)
