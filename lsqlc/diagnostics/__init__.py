"""Findings as data, how they look, and the catalogue of their codes. Knows nothing of the rest."""

from lsqlc.diagnostics.diagnostic import Diagnostic, Fix, LsqlcError, Severity, Span, by_severity, errors, order
from lsqlc.diagnostics.suggest import did_you_mean, listing

__all__ = [
    "Diagnostic",
    "Fix",
    "LsqlcError",
    "Severity",
    "Span",
    "by_severity",
    "did_you_mean",
    "errors",
    "listing",
    "order",
]
