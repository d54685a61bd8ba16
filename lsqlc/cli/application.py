"""The command line of all verbs, and how a command ends that is interrupted or breaks.

Only the verb that is called is imported and has its options read: those of all take longer than a help page may.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc import __version__
from lsqlc.cli import interrupts

if TYPE_CHECKING:
    from lsqlc.diagnostics import Diagnostic

# typer checks options by pydantic, which takes longer to import than an unchanged build takes: what needs no check, and
# is what hooks and editors call all the time, goes without.
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
        close_pipe()
        code = 0
    except OSError as error:
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
            import_module("lsqlc.cli.compile").command(**_DIRECT[words])
            return 0
        application(verbs, lambda name: completing or name == verb)(list(words), prog_name="lsqlc")
        return 0
    except typer.Exit as ended:
        return ended.exit_code
    except SystemExit as ended:
        if ended.code == 130:
            return _interrupted()
        return ended.code
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        return 0
    except Exception as error:
        if interrupts.asked():
            return _interrupted()
        if _traceback:
            import traceback

            traceback.print_exc()
        said = " ".join(str(error).split())[:300]
        hint = "" if _traceback else "; `lsqlc --debug` with the same arguments shows the traceback"
        print(f"internal error: {type(error).__name__}: {said}; please report it{hint}", file=sys.stderr)
        return 2


def _interrupted() -> int:
    print("interrupted", file=sys.stderr)
    return interrupts.code()


def unwritten(error: OSError) -> Diagnostic:
    """LSQ068 for a stdout that takes no more."""
    from lsqlc.diagnostics import Diagnostic

    reason = (error.strerror or str(error)).lower()
    return Diagnostic("LSQ068", f"cannot write to stdout: {reason}", help="redirect it to a disk with space")


def close_pipe() -> None:
    """Close a stdout that is no longer read: a reader that closes the pipe has read enough, as in `lsqlc ls | head`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def application(verbs: Mapping[str, str], loaded: Callable[[str], bool]) -> typer.Typer:
    """The command line. Verbs that are not `loaded` only have their name and help."""
    app = typer.Typer(
        name="lsqlc",
        help="Compile streaming SQL, prove it on DuckDB, run it on Spark.",
        # rich takes longer to import than a help page may take.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_common)
    for name, help in verbs.items():
        if not loaded(name):
            app.command(name, help=help)(_unloaded)
            continue
        command = import_module(f"lsqlc.cli.{name}").command
        if isinstance(command, typer.Typer):
            # A verb that has verbs of its own.
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def _unloaded() -> None:
    raise AssertionError("a verb that is called is loaded")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"lsqlc {__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")] = False,
) -> None:
    global _traceback
    _traceback = _traceback or debug
