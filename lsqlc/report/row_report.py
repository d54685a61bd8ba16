"""The rows that differ between two versions, as lines for reviewers and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics.paint import PLAIN, Paint
from lsqlc.golden.show import VERSIONS, difference_lines, plural
from lsqlc.golden.version_rows import CaseRows, VersionRows

if TYPE_CHECKING:
    from lsqlc.golden.compare import RowDifference

# Differing cases of a model that are printed.
_CASES = 5
_ORIGINS = {"newer": "", "older": " of the older version", "each": ", each version with its own records"}
_KINDS = {"missing": "removed", "unexpected": "added", "changed": "changed"}


def row_lines(rows: VersionRows, paint: Paint = PLAIN) -> Iterator[str]:
    """Yield the number of differing cases, then the rows of the first ones."""
    if not rows.cases:
        yield "rows: not covered by a case"
        return
    if not rows.differing:
        yield f"rows: the same in {plural(rows.cases, 'case')}"
        return
    yield f"rows: {plural(len(rows.differing), 'case')} of {rows.cases:,} with differences"
    for case in rows.differing[:_CASES]:
        yield from (f"  {line}" for line in _case(case, paint))
    more = len(rows.differing) - _CASES
    if more > 0:
        yield f"  and {plural(more, 'more case')}"


def row_data(rows: VersionRows) -> dict[str, Any]:
    """Return the rows as JSON-ready data. Keys, values and cells are JSON texts, so that numbers keep their digits."""
    return {
        "cases": rows.cases,
        "differing": [
            {
                "case": case.case,
                "origin": case.origin,
                "problem": case.problem,
                "models": [
                    {
                        "model": model.model,
                        "topics": [
                            {
                                "topic": topic.topic,
                                "semantics": topic.semantics,
                                "compacted": topic.compacted,
                                "before": topic.expected,
                                "after": topic.actual,
                                "rows": [_row(row) for row in topic.rows],
                            }
                            for topic in model.topics
                        ],
                    }
                    for model in case.rows
                ],
            }
            for case in rows.differing
        ],
    }


def _row(row: RowDifference) -> dict[str, Any]:
    cells = [{"path": cell.path, "before": cell.expected, "after": cell.actual} for cell in row.cells]
    return {"kind": _KINDS[row.kind], "key": row.key, "value": row.value, "cells": cells}


def _case(case: CaseRows, paint: Paint) -> Iterator[str]:
    yield f"case '{case.case}'{_ORIGINS[case.origin]}"
    if case.problem is not None:
        yield f"  {case.problem}"
    for index, model in enumerate(case.rows):
        # The first entry is the model itself, unless its rows are equal. The others are downstream of it.
        if index:
            yield f"  downstream, model {model.model}"
        indent = "    " if index else "  "
        yield from (f"{indent}{line}" for line in difference_lines(model.topics, wording=VERSIONS, paint=paint))
