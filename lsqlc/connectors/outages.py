"""Errors of a system that does not answer, which pass once it does."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.diagnostics import Diagnostic


def is_away(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether all errors say that the system does not answer, or that it is not ready."""
    return {each.code for each in diagnostics if each.is_error} in ({"LSQ732"}, {"LSQ766"}, {"LSQ732", "LSQ766"})
