"""Diagnostics as SARIF 2.1.0 (OASIS), for code scanning and editors.

Each code is a rule, whose help is the code's page. Paths are relative to the repository's root. Lines and columns count
from 1 in code points, and the end is exclusive, as in SARIF (section 3.30).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from lsqlc.diagnostics import Diagnostic, Fix, Severity, Span
from lsqlc.diagnostics.catalogue import code_info
from lsqlc.report.findings import details, repository_path

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_ROOT = "%SRCROOT%"


def sarif_log(
    diagnostics: Iterable[Diagnostic], *, lsqlc: str, prefix: str = "", otherwise: str | None = None
) -> dict[str, Any]:
    """Return the log as JSON-ready data.

    `lsqlc`: its version. `prefix`: the folder of the project in the repository, empty for the root. `otherwise`: the
    file for diagnostics without a span, because code scanning rejects results without a location.
    """
    all_diagnostics = tuple(diagnostics)
    used = sorted({d.code for d in all_diagnostics})
    numbers = {code: number for number, code in enumerate(used)}
    driver = {
        "name": "lsqlc",
        "version": lsqlc,
        "rules": [_rule(code) for code in used],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, numbers[d.code], prefix, otherwise) for d in all_diagnostics],
    }
    return {"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    info = code_info(code)
    assert info is not None, "every code has a page"
    body = info.page.split("\n", 1)[-1].strip()
    return {
        "id": code,
        "shortDescription": {"text": info.title},
        "fullDescription": {"text": " ".join(body.split("\n\n", 1)[0].split())},
        "help": {"text": body, "markdown": info.page},
        # The default. A result with another level overrides it.
        "defaultConfiguration": {"level": _LEVELS[info.severities[0]]},
    }


def _result(diagnostic: Diagnostic, number: int, prefix: str, otherwise: str | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": number,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": details(diagnostic)},
        "locations": [],
    }
    span = diagnostic.span
    path = repository_path(span.path, prefix) if span else None
    if span and path:
        place = {"artifactLocation": _artifact(path), "region": _region(span)}
        result["locations"] = [{"physicalLocation": place}]
    elif otherwise and (path := repository_path(otherwise, prefix)):
        result["locations"] = [{"physicalLocation": {"artifactLocation": _artifact(path)}}]
    if diagnostic.fix:
        fixes = _fixes(diagnostic.fix, prefix, diagnostic.help or diagnostic.message)
        result |= {"fixes": fixes} if fixes else {}
    return result


def _fixes(fix: Fix, prefix: str, why: str) -> list[dict[str, Any]]:
    path = repository_path(fix.span.path, prefix)
    if path is None:
        return []
    edit = {"deletedRegion": _region(fix.span), "insertedContent": {"text": fix.text}}
    change = {"artifactLocation": _artifact(path), "replacements": [edit]}
    return [{"description": {"text": why}, "artifactChanges": [change]}]


def _artifact(path: str) -> dict[str, str]:
    # A colon in the first part of a relative reference would be parsed as a scheme (RFC 3986, 4.2).
    return {"uri": quote(path), "uriBaseId": _ROOT}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
