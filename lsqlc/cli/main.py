"""The entry point: the verbs, and what happens when one of them is interrupted or breaks.

Only the verb that is called is imported and has its options read: those of all take longer than a help page may.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

from lsqlc import __version__

# In the order of a project's life. The words are the first line of each command's own help.
VERBS: Mapping[str, str] = {
    "init": "Make a project that builds and runs at once.",
    "debug": "Check the installation, the project and the target.",
    "ls": "List the models.",
    "compile": "Compile the models; with --select, print their plans.",
    "build": "Compile the models and run their golden tests.",
    "test": "Run the golden tests, on DuckDB or on Spark.",
    "seed": "Load sample records into topics.",
    "run": "Run the models on Spark.",
    "status": "Show how the run that holds the project stands.",
    "stop": "Stop the run that holds the project.",
    "show": "Show a topic's records or a TABLE's rows.",
    "lineage": "Show what a column comes from, and what comes of it.",
    "lint": "Say what in the models could be better, and mend it.",
    "fmt": "Format the models.",
    "diff": "Compare the models with another version of the project.",
    "docs": "Make the docs site, or serve it on this machine.",
    "schema": "Print the JSON Schema of a kind of file, or list all of them.",
    "explain": "Explain a code, or list all of them.",
    "clean": "Remove what a build left.",
    "lsp": "Serve an editor by the Language Server Protocol.",
}

# typer checks options by pydantic, which takes longer to import than an unchanged build takes: what needs no check, and
# is what hooks and editors call all the time, goes without.
_DIRECT: Mapping[tuple[str, ...], Mapping[str, Any]] = {
    ("compile",): {},
    ("compile", "-q"): {"quiet": True},
    ("compile", "--quiet"): {"quiet": True},
    ("compile", "--output", "json"): {"output": "json"},
    ("compile", "--output", "json", "--quiet"): {"output": "json", "quiet": True},
}

_traceback = bool(os.environ.get("LSQLC_DEBUG"))


def application(verbs: Mapping[str, str], loaded: Callable[[str], bool]) -> typer.Typer:
    """The command line. Verbs that are not `loaded` have their name and help alone."""
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
        app.command(name, help=None if loaded(name) else help)(_verb(name) if loaded(name) else _unloaded)
    return app


def _verb(name: str) -> Callable[..., None]:
    command: Callable[..., None] = import_module(f"lsqlc.cli.{name}").command
    return command


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


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with its code."""
    # Little of what a compiler makes is garbage before it ends: looking for it all the time costs a tenth.
    gc.set_threshold(1_000_000, 20, 20)
    given = tuple(sys.argv[1:] if arguments is None else arguments)
    # Options before the verb take no values, so that the first other word is the verb.
    verb = next((word for word in given if not word.startswith("-")), None)
    completing = "_LSQLC_COMPLETE" in os.environ
    try:
        if given in _DIRECT and not completing:
            _verb("compile")(**_DIRECT[given])
            _leave(0)
        application(VERBS, lambda name: completing or name == verb)(list(given), prog_name="lsqlc")
    except typer.Exit as ended:
        _leave(ended.exit_code)
    except SystemExit as ended:
        if ended.code == 130:
            print("interrupted", file=sys.stderr)
        _leave(ended.code)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        _leave(130)
    except BrokenPipeError:
        _leave(0)
    except Exception as error:
        if _traceback:
            import traceback

            traceback.print_exc()
        said = " ".join(str(error).split())[:300]
        hint = "" if _traceback else "; `lsqlc --debug` in front of the same words shows where"
        print(f"internal error: {type(error).__name__}: {said}; please report it{hint}", file=sys.stderr)
        _leave(2)


def _leave(code: object) -> None:
    """Exit, quietly where nobody reads what is left to write."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        from lsqlc.cli.shell import close_pipe

        close_pipe()
        code = 0
    raise SystemExit(code)
