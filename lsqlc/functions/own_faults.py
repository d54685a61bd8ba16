"""What one of the project's own functions did wrong, read off the error of an engine."""

from __future__ import annotations

import re

from lsqlc.diagnostics import Diagnostic
from lsqlc.functions.python_code import MARK

# What a message has where a function of a server is called with arguments of no example.
NO_EXAMPLE = "LSQ495"
_FAULT = re.compile(rf"({MARK}|{NO_EXAMPLE}) ([^\n]*)")


def fault(model: str, error: str) -> Diagnostic | None:
    """What a function is to blame for; None for any other error."""
    found = _FAULT.search(error)
    if found is None:
        return None
    what = "a case" if model.endswith("()") else f"the model '{model}'"
    help = (
        "add an example to its declaration, or run the case with `--engine spark`" if found[1] == NO_EXAMPLE else None
    )
    return Diagnostic(found[1], found[2], notes=(f"it was called by {what}",), help=help)
