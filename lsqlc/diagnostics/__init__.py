"""Diagnostics as frozen data, their rendering, and the catalogue of codes. Imports no other room."""

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
