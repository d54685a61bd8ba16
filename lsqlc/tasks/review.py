"""Golden files that wait for a review: what a run would write, and what it has written and nobody has looked at."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean
from lsqlc.golden.evaluation import Evaluate
from lsqlc.golden.files import write_golden_files
from lsqlc.golden.pending import Change, Decision, Pending
from lsqlc.golden.run import Options, run
from lsqlc.tasks.golden import MOST_WORKERS, read_goldens
from lsqlc.tasks.unreviewed import checksum, read_unreviewed, write_unreviewed

if TYPE_CHECKING:
    from lsqlc.golden.run import Result
    from lsqlc.project.build.compile import Compilation


@dataclass(frozen=True, slots=True)
class Waiting:
    """What there is to review, in order of the models. `failures`: what no review settles, such as rows that a case
    itself does not expect; `diagnostics` and `texts`: of the case files and golden files.
    """

    pending: tuple[Pending, ...]
    failures: tuple[Result, ...]
    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, str]


def waiting(compilation: Compilation, evaluate: Evaluate) -> Waiting:
    """Run the cases of all models, and compare with the golden files. Nothing is written."""
    read = read_goldens(compilation)
    options = Options(
        update="all",
        workers=min(MOST_WORKERS, os.cpu_count() or 1),
        # A model with errors has files that only seem to have no case.
        orphans=compilation.ok,
        models=[model.name for model in compilation.project.models],
    )
    tested = run(compilation.plans, read.cases, evaluate, read.goldens, options)
    known = read_unreviewed(compilation.project.root)
    pending = []
    for result in tested.results:
        before = read.goldens.texts.get(result.path)
        if result.path in tested.writes:
            after = tested.writes[result.path]
            there = before is not None or result.path in read.goldens.broken
            change: Change = "orphaned" if after is None else "changed" if there else "new"
            pending.append(_pending(result, change, before, after))
        elif before is not None and known.get(result.path) == checksum(before):
            pending.append(_pending(result, "new", None, before, written=True))
    failures = tuple(result for result in tested.results if not result.ok)
    return Waiting(tuple(pending), failures, read.diagnostics, read.texts)


def _pending(
    result: Result, change: Change, before: str | None, after: str | None, *, written: bool = False
) -> Pending:
    return Pending(
        result.kind, change, result.model, result.name, result.path, before, after, written, result.differences
    )


def chosen(pending: Sequence[Pending], paths: Iterable[str]) -> tuple[Pending, ...]:
    """Those of the files and folders `paths`, relative to the project; all without any. Raises LsqlcError LSQ691 for a
    path of which nothing waits.
    """
    asked = tuple(paths)
    if not asked:
        return tuple(pending)
    found, wrong = set(), []
    for path in asked:
        below = {item.path for item in pending if item.path == path or item.path.startswith(f"{path.rstrip('/')}/")}
        found |= below
        if not below:
            help = did_you_mean(path, [item.path for item in pending]) or "`lsqlc review --list` shows those to review"
            wrong.append(Diagnostic("LSQ691", f"there is no golden file to review at '{path}'", help=help))
    if wrong:
        raise LsqlcError(wrong)
    return tuple(item for item in pending if item.path in found)


def settle(compilation: Compilation, decisions: Sequence[tuple[Pending, Decision]]) -> tuple[Diagnostic, ...]:
    """Write what was accepted, and remove what a run had written and was rejected. What cannot be written is returned,
    and stays to be reviewed.
    """
    root = compilation.project.root
    writes: dict[str, str | None] = {}
    for item, decision in decisions:
        if decision == "accepted" and not item.written:
            writes[item.path] = item.after
        elif decision == "rejected" and item.written:
            writes[item.path] = None
    problems = write_golden_files(root, writes)
    failed = {d.span.path for d in problems if d.span}
    settled = [item.path for item, decision in decisions if decision != "skipped" and item.path not in failed]
    return (*problems, *write_unreviewed(root, remove=settled))
