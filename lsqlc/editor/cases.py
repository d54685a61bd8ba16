"""Test cases in an editor: code lenses, and running cases with the unsaved texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.snapshot import Snapshot, named_models
from lsqlc.golden.cases import LoadedCases, is_case_file, load_cases
from lsqlc.golden.files import read_case_files, read_golden_files
from lsqlc.golden.run import GoldenRun, Goldens, Options, run
from lsqlc.golden.show import plural
from lsqlc.project.build.compile import compile_project
from lsqlc.project.selection.selectors import Selection
from lsqlc.report.text import failure_text


@dataclass(frozen=True, slots=True)
class CaseLens:
    """A code lens that runs one case, or all cases of the model if `name` is None."""

    at: Extent
    title: str
    model: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class CaseReport:
    """The result of running cases: a summary line, and the differences as `lsqlc test` prints them."""

    ok: bool
    summary: str
    details: str = ""


def case_lenses(snapshot: Snapshot, path: str) -> tuple[CaseLens, ...]:
    """Return the lenses of a file: one at the start of a model for its cases, one at each case in a case file."""
    project = snapshot.compilation.project if snapshot.compilation else None
    kind = snapshot.kind(path)
    if project is None or kind not in ("model", "cases"):
        return ()
    model = next((m for m in project.models if m.path == path), None)
    if kind == "model" and model is None:
        return ()
    text = snapshot.texts.get(path, "")
    loaded = _loaded(snapshot, [model.name] if model else named_models(text))
    if model is not None:
        count = sum(1 for _, name, _ in loaded.places if name == model.name)
        title = f"run {count} cases" if count > 1 else "run its case"
        return (CaseLens((0, 0), title, model.name),) if count else ()
    return tuple(_in_file(text, path, loaded))


def run_cases(snapshot: Snapshot, model: str, name: str | None = None) -> CaseReport:
    """Run the cases of a model, or one of them, on DuckDB, and compare with golden files and expectations.

    Writes no files.
    """
    from lsqlc.lower.duckdb import evaluate

    if snapshot.compilation is None:
        return CaseReport(False, "the project cannot be read")
    project = snapshot.compilation.project
    if project.model(model) is None:
        return CaseReport(False, f"the project has no model '{model}'")
    compiled = compile_project(project, select=Selection((model,)), cache=snapshot.entries)
    if model not in compiled.plans:
        return CaseReport(False, f"the model '{model}' has errors")
    loaded = _loaded(snapshot, [model])
    cases = tuple(c for c in loaded.cases if c.model == model and name in (None, c.name))
    if not cases:
        return CaseReport(False, f"'{model}' has no case{f' {name!r}' if name else ''} that can be read")
    files = read_golden_files(project.root, project.config.golden_path)
    goldens = Goldens(files.texts, files.broken, project.config.golden_path)
    options = Options(ci=True, orphans=False)
    golden_run = run({model: compiled.plans[model]}, replace(loaded, cases=cases), evaluate, goldens, options)
    return _report(model, name, golden_run, {**snapshot.texts, **files.texts})


def _report(model: str, name: str | None, golden_run: GoldenRun, texts: dict[str, str]) -> CaseReport:
    results = [result for result in golden_run.results if result.kind == "case"]
    failed = [result for result in results if not result.ok]
    subject = f"case '{name}' of '{model}'" if name else f"{plural(len(results), 'case')} of '{model}'"
    if not failed:
        return CaseReport(True, f"{subject}: passed")
    details = "\n\n".join(failure_text(result, texts) for result in failed)
    return CaseReport(False, f"{subject}: {len(failed)} failed" if name is None else f"{subject}: failed", details)


def _loaded(snapshot: Snapshot, models: Collection[str]) -> LoadedCases:
    """Return the cases of some models, with unsaved texts."""
    assert snapshot.compilation is not None
    project = snapshot.compilation.project
    read = read_case_files(project.root, project.config.case_paths)
    opened = {path: text for path, text in snapshot.opened.items() if snapshot.kind(path) == "cases"}
    texts = {path: text for path, text in {**read.texts, **opened}.items() if _concerns(text, models)}
    names = {m.name for m in project.models}
    selection = Selection(tuple(sorted(names & set(models))))
    plans = compile_project(project, select=selection, cache=snapshot.entries).plans if selection.select else {}
    return load_cases(texts, plans, models=names)


def _concerns(text: str, models: Collection[str]) -> bool:
    """Return whether a file may have cases of these models, or data that such cases use: fixtures and records."""
    return not is_case_file(text) or "fixtures" in text or not set(models).isdisjoint(named_models(text))


def _in_file(text: str, path: str, loaded: LoadedCases) -> Iterator[CaseLens]:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    for span, model, name in loaded.places:
        if span.path == path and span.line <= len(starts):
            start = starts[span.line - 1]
            yield CaseLens((start, start), "run case", model, name)
