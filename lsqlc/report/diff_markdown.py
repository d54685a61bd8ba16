"""Changes between two versions as Markdown for a comment on a pull request: a table of models, then their details.

As in markdown.py, texts of models, records and revisions are only in code blocks and code elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.golden.show import plural
from lsqlc.report.diff_report import Difference, diff_summary, model_text
from lsqlc.report.markdown import LIMIT, code, fenced, within

# The rows of the table. Further models are only counted.
_ROWS = 100


def diff_markdown(differences: Sequence[Difference], *, against: str, ok: bool, limit: int = LIMIT) -> str:
    """Return the report.

    `ok`: whether the command succeeds. `limit`: characters, after which models are only counted. The first line is a
    comment by which a bot finds its earlier report.
    """
    head = [
        "<!-- lsqlc diff -->",
        f"### lsqlc diff: {'passed' if ok else 'failed'}",
        "",
        f"Against {code(against)}: {diff_summary(differences)}.",
    ]
    if differences:
        head += ["", "| model | category | rows | state | downstream |", "| --- | --- | --- | --- | --- |"]
        head += [_row(difference) for difference in differences[:_ROWS]]
    if len(differences) > _ROWS:
        head += ["", f"and {plural(len(differences) - _ROWS, 'more model')}"]
    text = "\n".join(head)
    blocks = [_details(difference) for difference in differences]
    return "\n\n".join([text, *within(blocks, limit - len(text))]) + "\n"


def _row(difference: Difference) -> str:
    change = difference.change
    cells = (
        code(change.name),
        change.category,
        _rows(difference),
        difference.verdict.standing,
        f"{len(change.downstream):,}",
    )
    return f"| {' | '.join(cells)} |"


def _rows(difference: Difference) -> str:
    rows, search = difference.rows, difference.search
    parts = []
    if rows is not None:
        parts.append(f"{len(rows.differing):,} of {plural(rows.cases, 'case')}" if rows.cases else "no case")
    if search is not None:
        parts.append(f"search: {search.answer}")
    return ", ".join(parts)


def _details(difference: Difference) -> str:
    name = code(difference.change.name)
    summary = f"<details><summary>{name}: {difference.change.category}</summary>"
    return "\n\n".join([summary, fenced(model_text(difference), "text"), "</details>"])
