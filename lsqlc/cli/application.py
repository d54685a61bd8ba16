"""A command from its words to its exit code, and how one ends that is interrupted or breaks."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping
from typing import Any

from lsqlc.cli import interrupts

# typer takes as long to import as an unchanged build does without it: what needs no check, and is what hooks and
# editors call all the time, goes without.
_DIRECT: Mapping[tuple[str, ...], Mapping[str, Any]] = {
    ("compile",): {},
    ("compile", "-q"): {"quiet": True},
    ("compile", "--quiet"): {"quiet": True},
    ("compile", "--output", "json"): {"output": "json"},
    ("compile", "--output", "json", "--quiet"): {"output": "json", "quiet": True},
}

# How often Python looks for garbage: little of what a compiler makes is garbage before it ends, and looking for it all
# the time costs a tenth of a build, and nearly half of formatting a long program.
COLLECTOR = (1_000_000, 20, 20)

_traceback = bool(os.environ.get("LSQLC_DEBUG"))


def _show_traceback() -> None:
    """Show that of an internal error."""
    global _traceback
    _traceback = True


def run(verbs: Mapping[str, str], words: tuple[str, ...]) -> object:
    """Run a command, and give the code to exit with. `verbs`: their help by name."""
    gc.set_threshold(*COLLECTOR)
    code = _ended(verbs, words)
    if interrupts.asked() and code not in (0, None):
        # Some libraries make a failure of their own of it.
        code = interrupts.code()
    # Done: what a signal interrupts from here on is only the end.
    interrupts.settle()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        from lsqlc.cli.shell import close_pipe

        close_pipe()
        code = 0
    except OSError as error:
        from lsqlc.cli.shell import close_pipe, unwritten
        from lsqlc.diagnostics.render import render

        close_pipe()
        print(render(unwritten(error), {}), file=sys.stderr)
        code = 2
    return code


def _ended(verbs: Mapping[str, str], words: tuple[str, ...]) -> object:
    # Options before the verb take no values, so that the first other word is the verb.
    verb = next((word for word in words if not word.startswith("-")), None)
    completing = "_LSQLC_COMPLETE" in os.environ
    try:
        if words in _DIRECT and not completing:
            from lsqlc.cli.compiling import CompileArguments, compile_models

            compile_models(CompileArguments(**_DIRECT[words]))
            return 0
        from lsqlc.cli.verbs import application

        typed = application(verbs, lambda name: completing or name == verb, _show_traceback)
        typed(list(words), prog_name="lsqlc")
        return 0
    except SystemExit as ended:
        if ended.code == 130:
            return _interrupted()
        return ended.code
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        return 0
    except Exception as error:
        from typer import Exit

        if isinstance(error, Exit):
            return error.exit_code
        if interrupts.asked():
            return _interrupted()
        if _traceback:
            import traceback

            traceback.print_exc()
        message = " ".join(str(error).split())[:300]
        hint = "" if _traceback else "; `lsqlc --debug` with the same arguments shows the traceback"
        print(f"internal error: {type(error).__name__}: {message}; please report it{hint}", file=sys.stderr)
        return 2


def _interrupted() -> int:
    print("interrupted", file=sys.stderr)
    return interrupts.code()
