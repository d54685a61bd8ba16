"""JSON Schemas of the files that people write for lsqlc, and of those that it writes: `lsqlc/schemas/NAME.json`.

Each has its version in its `$id`, which rises when a key changes its meaning or goes. What people write is closed: an
unknown key is a mistake. What lsqlc writes is open, since a reader must accept keys that it does not know.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

# Those for editors, in the order of a project's files; then those for programs.
WRITTEN_BY_PEOPLE = ("project", "models", "cases", "profiles")
WRITTEN_BY_LSQLC = ("manifest", "run_results", "diff")
NAMES = (*WRITTEN_BY_PEOPLE, *WRITTEN_BY_LSQLC)


@cache
def schema_text(name: str) -> str:
    """Return the schema of that name, one of NAMES, as JSON text."""
    return files("lsqlc").joinpath("schemas", f"{name}.json").read_text("utf-8")


def described(name: str) -> str:
    """What a schema is of, in a sentence."""
    return str(json.loads(schema_text(name))["description"])
