"""The command line of all verbs, by typer.

Only the verb that is called is imported and has its options read: those of all take longer than a help page may.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

from lsqlc import __version__
from lsqlc.cli.commands import Command, Group
from lsqlc.cli.option_records import with_options

# The headings under which `lsqlc --help` shows the verbs.
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Project": ("init", "import", "debug", "ls", "fmt", "lint", "clean"),
    "Build and test": ("dev", "compile", "build", "test", "review", "diff", "mutate", "functions"),
    "Run": ("plan", "seed", "produce", "run", "status", "stop", "tables", "deploy", "env", "state", "server"),
    "Read": ("query", "shell", "serve", "preview", "show", "letters", "check", "lineage", "docs", "explain"),
    "Kafka and schema registry": ("kafka", "topics", "schemas"),
    "Editors and programs": ("lsp", "mcp", "schema"),
}
# The modules of verbs that are not called as the verb.
_MODULES: Mapping[str, str] = {"shell": "prompt"}


def command_of(verb: str) -> Any:
    """Return the function of a verb, or the typer application of one that has verbs of its own."""
    return import_module(f"lsqlc.cli.{_MODULES.get(verb, verb)}").command


def application(
    verbs: Mapping[str, str], loaded: Callable[[str], bool], show_traceback: Callable[[], None]
) -> typer.Typer:
    """Return the command line. Verbs that are not `loaded` only have their name and help; `show_traceback` is called
    for --debug.
    """

    def common(
        version: Annotated[
            bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
        ] = False,
        debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")] = False,
    ) -> None:
        if debug:
            show_traceback()

    Group.sections = SECTIONS
    app = typer.Typer(
        name="lsqlc",
        cls=Group,
        help="Compile streaming SQL, prove it on DuckDB, run it on Spark.",
        # rich takes longer to import than a help page may take.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(common)
    for name, help in verbs.items():
        if not loaded(name):
            app.command(name, cls=Command, help=help)(_unloaded)
            continue
        command = command_of(name)
        if isinstance(command, typer.Typer):
            # A verb that has verbs of its own.
            for names in command.registered_commands:
                names.cls = Command
                assert names.callback is not None, "each verb is a function"
                names.callback = with_options(names.callback)
            app.add_typer(command, name=name)
        else:
            app.command(name, cls=Command)(with_options(command))
    return app


def _unloaded() -> None:
    raise AssertionError("a verb that is called is loaded")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"lsqlc {__version__}")
        raise typer.Exit
