"""Results as JSON-ready data: `target/run_results.json`, and the output of `--output json`.

Version 1. All keys are always present. Readers must accept unknown keys; a change of meaning increases the version.
Paths are relative to the project; lines and columns count from 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics import Diagnostic, Fix, Span
from lsqlc.report.command_result import CommandResult

if TYPE_CHECKING:
    # A compilation without cases loads none of this.
    from lsqlc.golden.compare import RowDifference, TopicDifference
    from lsqlc.golden.run import Result
    from lsqlc.remote.run.events import QuerySummary

VERSION = 1


def run_results(
    command_result: CommandResult,
    *,
    lsqlc: str,
    command: str,
    engine: str | None = None,
    queries: Iterable[QuerySummary] | None = None,
) -> dict[str, Any]:
    """Return the results of a build, a test or a run. `ok` is whether the command succeeds.

    `lsqlc`: its version. `queries`: those of a run of the models, else None.
    """
    compilation, run = command_result.compilation, command_result.run
    all_diagnostics = [*(compilation.diagnostics if compilation else ()), *command_result.diagnostics]
    ok = not any(d.is_error for d in all_diagnostics) and (run is None or run.ok)
    builds = compilation.models if compilation else {}
    return {
        "version": VERSION,
        "lsqlc": lsqlc,
        "command": command,
        "engine": engine,
        "started": command_result.started,
        "seconds": None if command_result.seconds is None else round(command_result.seconds, 3),
        "ok": ok,
        "diagnostics": [diagnostic_data(d) for d in all_diagnostics],
        "models": [
            {"name": b.name, "status": b.status, "selected": bool(compilation and b.name in compilation.selected)}
            for b in builds.values()
        ],
        "results": [result_data(result) for result in run.results] if run else [],
        "written": sorted(run.writes) if run else [],
        "uncovered": list(command_result.uncovered),
        **({} if queries is None else {"queries": [query_data(query) for query in queries]}),
    }


def query_data(query: QuerySummary) -> dict[str, Any]:
    """Return the status of a query in a run of the models."""
    status = "failed" if query.failure else "waiting" if query.waits_for else "stopped"
    return {
        "name": query.query,
        "model": query.model,
        "topic": query.topic,
        "status": "finished" if query.finished else status,
        "waits_for": list(query.waits_for),
        "diagnostics": [diagnostic_data(d) for d in query.failure],
        "batches": query.batches,
        "rows": query.rows,
        "seconds": round(query.seconds, 3),
        "dropped": dict(sorted(query.counts.items())),
    }


def diagnostic_data(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic. `span` and `fix` are None if it has none."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "span": span_data(diagnostic.span),
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
        "fix": _fix_data(diagnostic.fix),
    }


def span_data(span: Span | None) -> dict[str, Any] | None:
    """Return a span; the end is exclusive."""
    if span is None:
        return None
    return {
        "path": span.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def result_data(result: Result) -> dict[str, Any]:
    """Return the result for one golden file."""
    return {
        "kind": result.kind,
        "model": result.model,
        "name": result.name,
        "path": result.path,
        "status": result.status,
        "ok": result.ok,
        "span": span_data(result.span),
        "differences": [difference_data(d) for d in result.differences],
        "unmet": [difference_data(d) for d in result.unmet],
        "patch": result.patch,
        "diagnostics": [diagnostic_data(d) for d in result.diagnostics],
        "counts": dict(sorted(result.counts.items())),
    }


def _fix_data(fix: Fix | None) -> dict[str, Any] | None:
    return {"span": span_data(fix.span), "text": fix.text} if fix else None


def difference_data(difference: TopicDifference) -> dict[str, Any]:
    """Return the differing rows of a topic."""
    return {
        "topic": difference.topic,
        "semantics": difference.semantics,
        "compacted": difference.compacted,
        "expected": difference.expected,
        "actual": difference.actual,
        "rows": [_row_data(row) for row in difference.rows],
    }


def _row_data(row: RowDifference) -> dict[str, Any]:
    """Return a differing row. Keys, values and cells are JSON texts, so that numbers keep their digits."""
    return {
        "kind": row.kind,
        "key": row.key,
        "value": row.value,
        "line": row.line,
        "cells": [{"path": c.path, "expected": c.expected, "actual": c.actual} for c in row.cells],
    }
