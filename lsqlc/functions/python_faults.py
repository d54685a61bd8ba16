"""What a function in Python did wrong, read off the error of an engine."""

from __future__ import annotations

import re

from lsqlc.diagnostics import Diagnostic
from lsqlc.functions.python_code import MARK

_FAULT = re.compile(rf"{MARK} ([^\n]*)")


def fault(model: str, error: str) -> Diagnostic | None:
    """What a function in Python is to blame for; None for any other error."""
    found = _FAULT.search(error)
    if found is None:
        return None
    what = "a case" if model.endswith("()") else f"the model '{model}'"
    return Diagnostic(MARK, f"{found[1]}", notes=(f"it was called by {what}",))
