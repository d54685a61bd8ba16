"""The entry point: the verbs, and the process before one of them is called.

These imports come before Ctrl-C is caught, so there are few.
"""

from __future__ import annotations

import os
import sys

from lsqlc.cli import interrupts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# In the order of a project's life. The words are the first line of each command's own help.
VERBS: Mapping[str, str] = {
    "init": "Create a project that builds and runs.",
    "import": "Make a project of programs of ksqlDB or Lenses.",
    "debug": "Check the installation, the project and the target.",
    "ls": "List the models.",
    "compile": "Compile the models; with --select, print their plans.",
    "build": "Compile the models and run their golden tests.",
    "dev": "Watch the project, and show what each save changes.",
    "test": "Run the golden tests, on DuckDB or on Spark.",
    "review": "Show new and changed golden files, and accept or reject each.",
    "seed": "Load sample records into topics.",
    "produce": "Write records to a topic, also while a run reads it.",
    "tables": "Keep tables in lakes and databases up to date with topics.",
    "topics": "Plan and create topics in Kafka, and check those in folders.",
    "plan": "Show what a run would change on a target.",
    "run": "Run the models on Spark.",
    "deploy": "Stage changed models, prove, promote and roll back.",
    "env": "List targets, compare environments with others, and remove them.",
    "status": "Show the status of the project's run.",
    "stop": "Stop the project's run.",
    "state": "Show the state of a model's queries, and repartition it.",
    "server": "Keep a Spark server on this machine between commands.",
    "kafka": "Run a Kafka broker for the project on this machine.",
    "query": "Show what a query gives over topics as they are now.",
    "shell": "Ask queries at a SQL prompt.",
    "serve": "Answer queries over the current rows of TABLEs, by HTTP.",
    "preview": "Show what a model gives over live topics, before it runs.",
    "show": "Show a topic's records or a TABLE's rows.",
    "letters": "List and replay the letters of dead-letter topics.",
    "check": "Run the data tests of topics and models.",
    "lineage": "Show the sources of a column, and what it is used for.",
    "lint": "Report what could be improved in the models, and fix it.",
    "fmt": "Format the models.",
    "diff": "Compare the models with another version of the project.",
    "mutate": "Show edits of the models that no golden case notices.",
    "docs": "Write the docs site, serve it, or write alert rules.",
    "functions": "List the project's own functions, and lock code in Python.",
    "schema": "Print the JSON Schema of a kind of file, or list all of them.",
    "schemas": "Use the schema registry of a target.",
    "explain": "Explain a code, or list all of them.",
    "clean": "Remove the files of builds.",
    "lsp": "Start the language server for editors.",
    "mcp": "Start a Model Context Protocol server for agents.",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code. Without `arguments` they are the process's, whose signals and streams are
    then seen to as well.
    """
    if arguments is None:
        interrupts.end_at_once()
        _open_streams()
    try:
        from lsqlc.cli.application import run

        code = run(VERBS, tuple(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        # In the few steps before and after those that catch it themselves.
        print("interrupted", file=sys.stderr)
        code = interrupts.code()
    except ModuleNotFoundError as error:
        # A dependency without which no error can be shown: the sources are run without having been installed.
        help = "install lsqlc with pip, in a clone `pip install -e .`"
        print(f"error: the package '{error.name}' is not installed; {help}", file=sys.stderr)
        code = 2
    finally:
        interrupts.settle()
    # Python ends by SIGINT, whatever the code, if the last `exec` of any library was interrupted; this resets that.
    exec("")
    raise SystemExit(code)


def _open_streams() -> None:
    """See to it that there are standard streams, whatever the process was started with, and that they take any text."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is this one; a file that is opened later must not get it.
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    # The name of a file need not be UTF-8, and not every terminal has every character.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
