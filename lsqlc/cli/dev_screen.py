"""The output of `lsqlc dev` after a save: as text for a terminal or a log, and as JSON-ready data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lsqlc.diagnostics import Diagnostic, Severity, by_severity
from lsqlc.diagnostics.paint import Paint
from lsqlc.diagnostics.render import render_all
from lsqlc.golden.run import Result
from lsqlc.golden.show import VERSIONS, difference_lines, plural
from lsqlc.report.json_report import diagnostic_data, difference_data, result_data
from lsqlc.report.tables import records_text
from lsqlc.report.text import duration_text, failure_text
from lsqlc.tasks.dev import Affected, Look, Rows
from lsqlc.types.record import Topic

# Files of a save that are named.
_FILES = 3
# The most models whose rows are shown besides their changes.
_TABLES = 3
# The text for a model that compiled and has no rows.
_NO_SAMPLE = "no sample data, as there are no records of {topics}, and no case"


@dataclass(frozen=True, slots=True)
class Screen:
    """The output after a save, or at the start.

    `files`: those that were saved; `rows`: the most rows to show of a model; `seconds`: the time since the save;
    `was_wrong`: the output before had errors.
    """

    look: Look
    affected: Sequence[Affected]
    files: Sequence[str]
    seconds: float
    rows: int
    is_first: bool
    was_wrong: bool = False

    @property
    def is_idle(self) -> bool:
        """Whether the save changes nothing, and nothing is or was wrong."""
        return not self.is_first and not self.was_wrong and not self.affected and self.look.ok

    def text(self, sources: Mapping[str, str], *, width: int, paint: Paint) -> str:
        """Return the output without a final newline: rows, errors, and a summary. `sources`: texts by path."""
        parts = [paint(self._head(), "strong")]
        if self.is_first:
            lines = [line for each in self.affected if (line := _counted(each, paint))]
            parts += ["\n".join(lines)] if lines else []
        else:
            parts += [text for each in self.affected if (text := self._model(each, width, paint))]
        parts += [_failure(result, sources, paint) for result in self._failures()]
        if still := [f"{_case(r)} still fails" for r in self.look.results if not r.ok and r not in self._failures()]:
            parts.append("\n".join(still))
        if diagnostics := self._told():
            parts.append(render_all(diagnostics, sources, colour=paint.on))
        parts.append(self._summary(paint))
        return "\n\n".join(parts)

    def data(self, project: str) -> dict[str, Any]:
        """Return the output as JSON-ready data."""
        return {
            "version": 1,
            "command": "dev",
            "event": "start" if self.is_first else "save",
            "project": project,
            "ok": self.look.ok,
            "files": list(self.files),
            "models": [_model_data(each) for each in self.affected],
            "diagnostics": [diagnostic_data(d) for d in by_severity(self.look.diagnostics)],
            "seconds": round(self.seconds, 3),
        }

    def _head(self) -> str:
        config = self.look.compilation.project.config
        if self.is_first:
            return f"lsqlc dev: {config.name}, {plural(len(self.look.models), 'model')}"
        return saved(self.files)

    def _model(self, each: Affected, width: int, paint: Paint) -> str:
        """Return a model with its rows; empty if there is nothing to show."""
        model = each.model
        head = f"{paint(model.name, 'strong')}  {paint(each.cause, 'faint')}"
        if model.status not in ("compiled", "cached"):
            # Its errors are shown, or those of the model that it reads.
            return f"{head}  {paint(model.status, 'bad' if model.status == 'failed' else 'careful')}"
        if model.lacking and not model.rows:
            return f"{head}\n{_NO_SAMPLE.format(topics=_names(model.lacking))}"
        lines = [head]
        for rows in model.rows:
            lines += self._rows(rows, each, width, paint)
        return "\n".join(lines)

    def _rows(self, rows: Rows, each: Affected, width: int, paint: Paint) -> Iterator[str]:
        differing = each.differences.get(rows.case)
        if rows.case is not None:
            yield paint(f"case '{rows.case}':", "faint")
        changed = {difference.topic for difference in differing or ()}
        for topic in rows.plan.outputs:
            if differing is None or (each.cause == "changed" and self._few):
                yield from self._table(rows, topic, width)
            elif topic.name not in changed:
                yield f"the same {_records_in(rows, topic)}"
        for line in difference_lines(differing or (), limit=self.rows, wording=VERSIONS, paint=paint):
            yield f"{line}, of {_count(rows, line)}" if not line.startswith(" ") else line

    @property
    def _few(self) -> bool:
        return sum(each.cause == "changed" for each in self.affected) <= _TABLES

    def _table(self, rows: Rows, topic: Topic, width: int) -> Iterator[str]:
        records = rows.outcome.topics.get(topic.name, ())
        if len(rows.plan.outputs) > 1 and records:
            yield f"{topic.name}:"
        is_table = rows.plan.semantics[topic.name] == "TABLE"
        yield records_text(topic, records[: self.rows], width=width, times=not is_table, total=len(records))

    def _failures(self) -> list[Result]:
        """Return the cases that fail, of affected models and of functions."""
        of_models = [r for each in self.affected for r in each.model.results]
        return [r for r in (*of_models, *self.look.functions) if not r.ok]

    def _told(self) -> tuple[Diagnostic, ...]:
        """Return all errors, and the warnings in affected models."""
        models = self.look.compilation.project.models
        names = {each.model.name for each in self.affected}
        paths = {model.path for model in models if model.name in names} | set(self.files)
        diagnostics = by_severity(self.look.diagnostics)
        near = [d for d in diagnostics if d.severity is Severity.WARNING and (d.span is None or d.span.path in paths)]
        return (*(d for d in diagnostics if d.is_error), *near)

    def _summary(self, paint: Paint) -> str:
        look = self.look
        parts = []
        if not self.is_first:
            parts.append(f"{len(self.affected):,} of {plural(len(look.models), 'model')} affected")
        errors = sum(d.is_error for d in look.diagnostics)
        if errors:
            parts.append(plural(errors, "error"))
        states = Counter(result.status for result in look.results)
        cases = [f"{states['passed']:,} passed"] if states["passed"] else []
        cases += [f"{states['failed']:,} failed"] if states["failed"] else []
        cases += [f"{states['error']:,} in error"] if states["error"] else []
        cases += [f"{states['new']:,} new"] if states["new"] else []
        if cases:
            parts.append(f"{plural(sum(states.values()), 'case')}: {', '.join(cases)}")
        parts.append(f"took {duration_text(self.seconds)}")
        mark = paint("✓", "good") if look.ok else paint("✗", "bad")
        return f"{mark} {'; '.join(parts)}\n{paint('watching; Ctrl-C ends', 'faint')}"


def saved(files: Sequence[str]) -> str:
    """Return the names of the saved files, in a few words."""
    names = ", ".join(files[:_FILES])
    more = len(files) - _FILES
    return f"{names} and {more:,} more saved" if more > 0 else f"{names} saved"


def broken_text(
    diagnostics: Sequence[Diagnostic], files: Sequence[str], sources: Mapping[str, str], paint: Paint
) -> str:
    """Return the errors of a project that cannot be read, as text."""
    head = [paint(saved(files), "strong")] if files else []
    errors = render_all(by_severity(diagnostics), sources, colour=paint.on)
    summary = f"{paint('✗', 'bad')} the project cannot be read\n{paint('watching; Ctrl-C ends', 'faint')}"
    return "\n\n".join([*head, errors, summary])


def broken_data(diagnostics: Sequence[Diagnostic], files: Sequence[str]) -> dict[str, Any]:
    """Return the errors of a project that cannot be read as JSON-ready data."""
    errors = [diagnostic_data(d) for d in diagnostics]
    data = {"version": 1, "command": "dev", "event": "save" if files else "start", "ok": False}
    return {**data, "files": list(files), "models": [], "diagnostics": errors}


def _counted(each: Affected, paint: Paint) -> str:
    """Return a model as one line, as at the start."""
    model = each.model
    name = paint(model.name, "strong")
    if model.status not in ("compiled", "cached"):
        return f"{name}  {paint(model.status, 'bad' if model.status == 'failed' else 'careful')}"
    counts = [f"{_records(rows)}{f' in the case {rows.case!r}' if rows.case else ''}" for rows in model.rows]
    return f"{name}  {', '.join(counts) or 'no sample data'}"


def _records(rows: Rows) -> str:
    topics = rows.plan.outputs
    return ", ".join(
        _records_in(rows, t) if len(topics) == 1 else f"{_records_in(rows, t)} in {t.name}" for t in topics
    )


def _records_in(rows: Rows, topic: Topic) -> str:
    noun = "row" if rows.plan.semantics[topic.name] == "TABLE" else "record"
    return plural(len(rows.outcome.topics.get(topic.name, ())), noun)


def _count(rows: Rows, line: str) -> str:
    topic = line.split(" (", 1)[0]
    return f"{len(rows.outcome.topics.get(topic, ())):,}"


def _failure(result: Result, sources: Mapping[str, str], paint: Paint) -> str:
    if result.status == "new":
        return f"{paint(_case(result), 'careful')} has no golden file yet: `lsqlc test` writes it"
    # A patch of a golden file is for whoever accepts it, which `lsqlc review` does.
    return failure_text(replace(result, patch=""), sources, colour=paint.on)


def _case(result: Result) -> str:
    return f"case '{result.name}' of '{result.model}'"


def _names(topics: Sequence[str]) -> str:
    return " and ".join(f"'{topic}'" for topic in topics)


def _model_data(each: Affected) -> dict[str, Any]:
    model = each.model
    return {
        "name": model.name,
        "cause": each.cause,
        "status": model.status,
        "cases": [{**result_data(r), "patch": ""} for r in model.results],
        "lacking": list(model.lacking),
        "rows": [
            {
                "case": rows.case,
                "records": {topic.name: len(rows.outcome.topics.get(topic.name, ())) for topic in rows.plan.outputs},
                "differences": [difference_data(d) for d in each.differences.get(rows.case, ())],
            }
            for rows in model.rows
        ],
    }
