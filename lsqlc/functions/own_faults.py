"""Faults of the project's own functions, read from the error of an engine."""

from __future__ import annotations

import re

from lsqlc.diagnostics import Diagnostic
from lsqlc.functions.python_code import MARK

# Part of the message if a server calls a function with arguments that have no example.
NO_EXAMPLE = "LSQ495"
_FAULT = re.compile(rf"({MARK}|{NO_EXAMPLE}) ([^\n]*)")


def fault(model: str, error: str) -> Diagnostic | None:
    """Return the diagnostic of a function's fault, or None for any other error."""
    match = _FAULT.search(error)
    if match is None:
        return None
    what = "a case" if model.endswith("()") else f"the model '{model}'"
    help = (
        "add an example to its declaration, or run the case with `--engine spark`" if match[1] == NO_EXAMPLE else None
    )
    return Diagnostic(match[1], match[2], notes=(f"it was called by {what}",), help=help)
