"""Changes between two versions of a project, as text for reviewers and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lsqlc.diagnostics.paint import PLAIN, Paint, Tone
from lsqlc.golden.show import plural, printable
from lsqlc.golden.version_rows import VersionRows
from lsqlc.lower.spark.evolution import Standing, Verdict
from lsqlc.plan.column_changes import ColumnChanges
from lsqlc.plan.diff import NodeChange
from lsqlc.plan.lineage import Source
from lsqlc.plan.topic_changes import CATEGORIES, Category
from lsqlc.project.versions.comparison import ModelChange, Status
from lsqlc.report.column_report import column_data, column_lines
from lsqlc.report.row_report import row_data, row_lines
from lsqlc.report.search_report import search_data, search_lines
from lsqlc.search.results import SearchResult

_SIGNS = {"added": "+", "removed": "-", "modified": "~"}
_CATEGORY_TONES: dict[Category, Tone] = {
    "cosmetic": "faint",
    "additive": "good",
    "compatible": "careful",
    "breaking": "bad",
}
_STANDING_TONES: dict[Standing, Tone] = {
    "new": "good",
    "gone": "faint",
    "continues": "good",
    "continues, but old rows keep their old value": "careful",
    "unknown": "careful",
    "needs a new state and a replay": "bad",
    "cannot be read by the consumers of the topic": "bad",
}
_KINDS = {"expression": "function ", "python": "function in Python ", "jvm": "function of the server "}
# Lines that explain why a state does not continue.
_REASONS = 8


@dataclass(frozen=True, slots=True)
class Difference:
    """The changes of a model.

    `rows` None: its plan is unchanged, or plans could not be run. `columns` None: its plan is unchanged, or there are
    no plans. `affected`: the downstream columns of `columns`. `schemas`: a line per changed schema of a registry, on
    its compatibility. `functions`: changed functions of the project that the model calls: name, status and kind.
    `growth`: parts of the state that grow with updates and that the other version does not have. `search` None: no
    search for a difference was asked for, or its plan is unchanged. `tables`: a line per change of a table that follows
    a topic of the model.
    """

    change: ModelChange
    verdict: Verdict
    rows: VersionRows | None = None
    columns: ColumnChanges | None = None
    affected: tuple[Source, ...] = ()
    schemas: tuple[str, ...] = ()
    functions: tuple[tuple[str, Status, str], ...] = ()
    growth: tuple[str, ...] = ()
    search: SearchResult | None = None
    tables: tuple[str, ...] = ()


def diff_text(differences: Iterable[Difference], *, paint: Paint = PLAIN) -> str:
    """Return a paragraph per model; empty if nothing changed."""
    return "\n\n".join(model_text(difference, paint=paint) for difference in differences)


def diff_data(differences: Iterable[Difference]) -> list[dict[str, Any]]:
    """Return the changes as JSON-ready data, an object per model."""
    return [_data(difference) for difference in differences]


def diff_summary(differences: Sequence[Difference]) -> str:
    """Return the number of changed models by category, the most severe first, on one line."""
    if not differences:
        return "no model changed"
    count = Counter(difference.change.category for difference in differences)
    parts = [f"{count[category]:,} {category}" for category in reversed(CATEGORIES) if count[category]]
    return f"{plural(len(differences), 'model')} changed: {', '.join(parts)}"


def model_text(difference: Difference, *, paint: Paint = PLAIN) -> str:
    """Return the paragraph of one model."""
    model, verdict = difference.change, difference.verdict
    name = paint(f"{_SIGNS[model.status]} {_flat(model.name)}", "strong")
    lines = [f"{name}: {paint(model.category, _CATEGORY_TONES[model.category])}"]
    for change in model.changes:
        about = f"{change.topic}: " if change.topic else ""
        lines.append(
            f"  {paint(f'{change.category:<10}', _CATEGORY_TONES[change.category])}  {_flat(about + change.text)}"
        )
    lines += [f"  {_KINDS[kind]}{_flat(name)}: {status}" for name, status, kind in difference.functions]
    if model.plan:
        lines += [_head("plan", paint), *(line for node in model.plan for line in _node(node, paint))]
    if difference.columns is not None:
        lines += [f"  {_flat(line)}" for line in column_lines(difference.columns, difference.affected)]
    if difference.rows is not None:
        lines += [f"  {line}" for line in row_lines(difference.rows, paint)]
    if difference.search is not None:
        lines += [f"  {line}" for line in search_lines(difference.search, paint)]
    lines += [f"  schema of {_flat(line)}" for line in difference.schemas]
    lines += [f"  table {_flat(line)}" for line in difference.tables]
    lines.append(f"{_head('state:', paint)} {paint(verdict.standing, _STANDING_TONES[verdict.standing])}")
    lines += [f"    {_flat(reason)}" for reason in verdict.reasons[:_REASONS]]
    if len(verdict.reasons) > _REASONS:
        lines.append(f"    and {len(verdict.reasons) - _REASONS} more")
    lines += [f"    {paint('new', 'bad')}: {_flat(text)}" for text in difference.growth]
    if model.downstream:
        lines.append(f"{_head('downstream:', paint)} {_flat(', '.join(model.downstream))}")
    return "\n".join(lines)


def _flat(text: str) -> str:
    """Return a text without characters that control a terminal or end a line."""
    return printable(text)


def _head(text: str, paint: Paint) -> str:
    return f"  {paint(text, 'strong')}"


def _data(difference: Difference) -> dict[str, Any]:
    model, verdict, rows = difference.change, difference.verdict, difference.rows
    return {
        "name": model.name,
        "status": model.status,
        "category": model.category,
        "changes": [
            {"category": c.category, "rule": c.rule, "topic": c.topic, "message": c.text} for c in model.changes
        ],
        "plan": [_node_data(node) for node in model.plan] if model.plan else None,
        "columns": column_data(difference.columns, difference.affected) if difference.columns else None,
        "rows": row_data(rows) if rows else None,
        "search": search_data(difference.search) if difference.search else None,
        "schemas": list(difference.schemas),
        "tables": list(difference.tables),
        "state": {
            "verdict": verdict.standing,
            "rules": list(verdict.rules),
            "reasons": list(verdict.reasons),
            "growth": list(difference.growth),
        },
        "functions": [{"name": n, "status": status, "kind": kind} for n, status, kind in difference.functions],
        "downstream": list(model.downstream),
    }


def _node(node: NodeChange, paint: Paint) -> list[str]:
    indent = "  " * node.depth
    before, after = (None if text is None else _flat(text) for text in (node.before, node.after))
    if node.kind == "same":
        return [paint(f"      {indent}{after}", "faint")]
    if node.kind == "altered" and before == after:
        # Plan texts omit some details, such as the type of a literal.
        return [paint(f"    ~ {indent}{after}", "changed")]
    if before is not None and after is not None:
        old, new = paint.versions(before, after)
        return [f"    {paint('-', 'removed')} {indent}{old}", f"    {paint('+', 'added')} {indent}{new}"]
    if before is not None:
        return [paint(f"    - {indent}{before}", "removed")]
    return [paint(f"    + {indent}{after}", "added")] if after is not None else []


def _node_data(node: NodeChange) -> dict[str, Any]:
    return {"kind": node.kind, "depth": node.depth, "before": node.before, "after": node.after}
