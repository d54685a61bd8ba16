"""A golden file to review, as text for the terminal and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics.paint import PLAIN, Paint
from lsqlc.golden.show import difference_lines, escaped, plural
from lsqlc.report.text import patch_lines

if TYPE_CHECKING:
    from lsqlc.golden.pending import Decision, Pending

# Lines of a patch that are printed; `--output json` has all of them.
_LINES = 60


def pending_text(item: Pending, place: int, count: int, *, paint: Paint = PLAIN) -> str:
    """Return one file: its name, the differing rows, or the changed lines."""
    head = paint(f"{place:,} of {count:,}", "faint")
    what = {"case": f"{item.model}::{item.name}", "plan": f"plan of {item.model}", "orphan": "has no case"}[item.kind]
    lines = [f"{head}  {paint(item.change, 'careful')}  {paint(what, 'strong')}  {item.path}"]
    rows = list(difference_lines(item.differences, paint=paint))
    if rows:
        lines += [f"  {line}" for line in rows]
    else:
        changed = item.patch.removesuffix("\n").split("\n")
        excerpt = [_shown(line) for line in changed[:_LINES]]
        lines += [f"  {line}" for line in patch_lines(excerpt, paint)]
        if len(changed) > _LINES:
            lines.append(f"  and {plural(len(changed) - _LINES, 'more line')}")
    return "\n".join(lines)


def pending_data(item: Pending, decision: Decision | None) -> dict[str, Any]:
    """Return the file as JSON-ready data. `decision` None: it is undecided."""
    return {
        "path": item.path,
        "kind": item.kind,
        "change": item.change,
        "model": item.model,
        "name": item.name,
        "written": item.written,
        "patch": item.patch,
        "decision": decision,
    }


def _shown(line: str) -> str:
    """Return a line without characters that control a terminal."""
    return line if line.isprintable() else "".join(c if c.isprintable() or c == "\t" else escaped(c) for c in line)
