"""Results of a build or a test as text: diagnostics, failures with their differences, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, Severity, by_severity
from lsqlc.diagnostics.paint import Paint
from lsqlc.diagnostics.render import render, render_all
from lsqlc.golden.show import difference_lines, plural
from lsqlc.report.command_result import CommandResult

if TYPE_CHECKING:
    from lsqlc.golden.run import GoldenRun, Result, Status
    from lsqlc.project.build.compile import Compilation

_LIMIT = 12
_PATCH_LINES = 60
_WHATS = {"case": "case", "plan": "plan", "orphan": "orphaned golden file"}


def build_text(
    command_result: CommandResult,
    sources: Mapping[str, str],
    *,
    colour: bool = False,
    limit: int = _LIMIT,
    warnings: bool = True,
) -> str:
    """Return the whole report, without a final newline.

    `sources`: texts by path, for diagnostics. `limit`: the number of failures with details. `warnings` False: only
    count the warnings of the compilation.
    """
    compilation, run = command_result.compilation, command_result.run
    parts: list[str] = []
    reported = by_severity((*(compilation.diagnostics if compilation else ()), *command_result.diagnostics))
    hidden_warnings = () if warnings or compilation is None else compilation.diagnostics
    hidden_warnings = tuple(d for d in hidden_warnings if d.severity is Severity.WARNING)
    reported = tuple(d for d in reported if d not in hidden_warnings)
    serious = [d for d in reported if d.severity is not Severity.NOTE]
    if serious:
        parts.append(render_all(serious, sources, colour=colour))
    failures = [result for result in run.results if not result.ok] if run else []
    parts += [failure_text(result, sources, colour=colour) for result in failures[:limit]]
    if len(failures) > limit:
        names = "\n".join(f"  {_name(result)}" for result in failures[limit : 2 * limit])
        rest = len(failures) - 2 * limit
        more = f"\n  and {rest:,} more" if rest > 0 else ""
        parts.append(f"and {plural(len(failures) - limit, 'more failure')}:\n{names}{more}")
    # Notes, such as those about skipped models, come after their reasons.
    if len(serious) < len(reported):
        parts.append(render_all(reported[len(serious) :], sources, colour=colour))
    seconds, uncovered = command_result.seconds, command_result.uncovered
    parts.append("\n".join(summary_lines(compilation, run, diagnostics=reported, seconds=seconds, uncovered=uncovered)))
    return "\n\n".join(parts) + (f"\n{counted_warnings(len(hidden_warnings))}" if hidden_warnings else "")


def counted_warnings(count: int) -> str:
    """Return the number of warnings, for a command that does not print the warnings of models."""
    return f"{plural(count, 'warning')} of models: `lsqlc compile` shows {'it' if count == 1 else 'them'}"


def failure_text(result: Result, sources: Mapping[str, str], *, colour: bool = False) -> str:
    """Return one failure: diagnostics, differing rows cell by cell, and a patch for `git apply`."""
    paint = Paint(colour)
    parts = [render(d, sources, colour=colour) for d in result.diagnostics[:_LIMIT]]
    if len(result.diagnostics) > _LIMIT:
        parts.append(f"and {plural(len(result.diagnostics) - _LIMIT, 'more finding')} in '{result.path}'")
    for label, differences in (("not as expected", result.unmet), ("not as in the golden file", result.differences)):
        lines = [f"  {line}" for line in difference_lines(differences, paint=paint)]
        if lines:
            parts.append("\n".join([f"{label}:", *lines]))
    if result.patch:
        lines = result.patch.removesuffix("\n").split("\n")
        # A part of a patch cannot be applied, so long patches are not printed.
        if len(lines) <= _PATCH_LINES:
            parts.append("\n".join(["patch:", *patch_lines(lines, paint)]))
        else:
            parts.append(f"the patch has {plural(len(lines), 'line')}; `--output json` shows all of them")
    return "\n\n".join(parts)


def patch_lines(lines: Sequence[str], paint: Paint) -> Iterator[str]:
    """Yield the lines of a patch of one file. Its first two lines name the file.

    If a change has as many new lines as old ones, differing words are highlighted.
    """
    yield from (paint(line, "strong") for line in lines[:2])
    for same, old, new in _hunks(lines[2:]):
        yield from (paint(line, "faint") if line[:1] == "@" else line for line in same)
        if len(old) == len(new):
            pairs = [paint.versions(before[1:], after[1:]) for before, after in zip(old, new, strict=True)]
            yield from (paint("-", "removed") + before for before, _ in pairs)
            yield from (paint("+", "added") + after for _, after in pairs)
        else:
            yield from (paint(line, "removed") for line in old)
            yield from (paint(line, "added") for line in new)


def _hunks(lines: Sequence[str]) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Yield unchanged lines with the removed and added lines that follow them."""
    at = 0
    while at < len(lines):
        same = list(takewhile(lambda line: line[:1] not in ("-", "+"), lines[at:]))
        old = list(takewhile(lambda line: line[:1] == "-", lines[at + len(same) :]))
        new = list(takewhile(lambda line: line[:1] == "+", lines[at + len(same) + len(old) :]))
        at += len(same) + len(old) + len(new)
        yield same, old, new


def summary_lines(
    compilation: Compilation | None,
    run: GoldenRun | None,
    *,
    diagnostics: Iterable[Diagnostic] = (),
    seconds: float | None = None,
    uncovered: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the last lines of a report: numbers of models, cases and diagnostics, and the duration."""
    if compilation is not None:
        yield _models(compilation)
    if run is not None:
        yield from _goldens(run)
    if uncovered:
        verb = "has" if len(uncovered) == 1 else "have"
        yield f"{plural(len(uncovered), 'model')} {verb} no case: see `lsqlc ls --untested`"
    severities = Counter(d.severity for d in diagnostics)
    counts = [plural(severities[s], s.value) for s in (Severity.ERROR, Severity.WARNING) if severities[s]]
    if counts:
        yield ", ".join(counts)
    if seconds is not None:
        yield f"took {duration_text(seconds)}"


def duration_text(seconds: float) -> str:
    """Return a duration such as `0.42 s`, `12.3 s` or `2 min 5 s`."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _models(compilation: Compilation) -> str:
    states = Counter(build.status for build in compilation.models.values())
    good = states["compiled"] + states["cached"]
    same = f" ({states['cached']:,} unchanged)" if states["cached"] else ""
    rest = "".join(f", {states[s]:,} {s}" for s in ("failed", "skipped") if states[s])
    return f"{plural(good, 'model')} compiled{same}{rest}"


def _goldens(run: GoldenRun) -> Iterator[str]:
    words: dict[Status, str] = {"passed": "passed", "updated": "updated", "new": "new", "failed": "failed"}
    words["error"] = "in error"
    cases = [result for result in run.results if result.kind == "case"]
    states = Counter(result.status for result in cases)
    parts = [f"{states[status]:,} {word}" for status, word in words.items() if states[status]]
    if parts:
        yield f"{plural(len(cases), 'case')}: {', '.join(parts)}"
    plans = Counter(result.status for result in run.results if result.kind == "plan")
    changes: dict[Status, str] = {"updated": "updated", "new": "new", "failed": "changed"}
    parts = [f"{plural(plans[status], 'plan')} {word}" for status, word in changes.items() if plans[status]]
    orphans = Counter(result.status for result in run.results if result.kind == "orphan")
    parts += [f"{plural(orphans['failed'], 'orphaned golden file')}"] if orphans["failed"] else []
    parts += [f"{plural(orphans['updated'], 'orphaned golden file')} removed"] if orphans["updated"] else []
    if parts:
        yield ", ".join(parts)
    dropped: Counter[str] = Counter()
    for result in cases:
        dropped.update(result.counts)
    reasons = [f"{count:,} for {reason}" for reason, count in sorted(dropped.items()) if count]
    if reasons:
        yield f"dropped records: {', '.join(reasons)}"


def _name(result: Result) -> str:
    if result.kind == "orphan":
        return f"{_WHATS['orphan']} {result.path}"
    return f"{_WHATS[result.kind]} {result.model}::{result.name}"
