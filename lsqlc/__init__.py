"""lsqlc: streaming SQL, compiled to a plan, proved on DuckDB, run on Spark. See `lsqlc.api` for what is public."""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036, a checkout is not installed by pip, which checks it
    raise ImportError(f"lsqlc requires Python 3.11 or newer, and this is Python {sys.version.split()[0]}")

# `typing` takes milliseconds to import, in which a Ctrl-C of the command line would not be caught yet.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from lsqlc.api import CompileError, Plan, Project, Record, Records, Topic, compile, evaluate

__version__ = "0.1.0"
__all__ = ["CompileError", "Plan", "Project", "Record", "Records", "Topic", "__version__", "compile", "evaluate"]


def __getattr__(name: str) -> Any:
    # The command line starts without the compiler, which a name of the API loads when it is used.
    if name in __all__:
        from lsqlc import api

        return getattr(api, name)
    raise AttributeError(f"module 'lsqlc' has no attribute '{name}'")


def __dir__() -> list[str]:
    # What an interactive session completes: the public names, loaded or not.
    return __all__
