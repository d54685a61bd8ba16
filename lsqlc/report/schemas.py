"""JSON Schemas of lsqlc's input and output files: `lsqlc/schemas/NAME.json`.

The `$id` contains a version, which increases when a key is removed or changes its meaning. Schemas of input files are
closed: unknown keys are errors. Schemas of output files are open, because readers must accept unknown keys.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

# Schemas for editors in the order of a project's files, then schemas for programs.
WRITTEN_BY_PEOPLE = ("project", "models", "cases", "profiles")
WRITTEN_BY_LSQLC = ("manifest", "run_results", "diff")
NAMES = (*WRITTEN_BY_PEOPLE, *WRITTEN_BY_LSQLC)


@cache
def schema_text(name: str) -> str:
    """Return the schema of that name, one of NAMES, as JSON text."""
    return files("lsqlc").joinpath("schemas", f"{name}.json").read_text("utf-8")


def described(name: str) -> str:
    """Return the description of a schema, one sentence."""
    return str(json.loads(schema_text(name))["description"])
