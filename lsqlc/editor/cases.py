"""Cases in an editor: where each stands, and what running it gives, from the texts that are typed."""

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
    """What can be run at a place: one case, or with `name` None all of the model."""

    at: Extent
    title: str
    model: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class CaseReport:
    """What running cases gave: a line that sums it up, and the differences as `lsqlc test` prints them."""

    ok: bool
    summary: str
    details: str = ""


def case_lenses(snapshot: Snapshot, path: str) -> tuple[CaseLens, ...]:
    """What can be run in a file: the cases of a model at its first word, each case of a file of cases at its name."""
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
    """Evaluate the cases of a model, or one of them, on DuckDB, and compare them with golden files and expectations.
    Nothing is written.
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
    found = run({model: compiled.plans[model]}, replace(loaded, cases=cases), evaluate, goldens, options)
    return _report(model, name, found, {**snapshot.texts, **files.texts})


def _report(model: str, name: str | None, found: GoldenRun, texts: dict[str, str]) -> CaseReport:
    results = [result for result in found.results if result.kind == "case"]
    failed = [result for result in results if not result.ok]
    said = f"case '{name}' of '{model}'" if name else f"{plural(len(results), 'case')} of '{model}'"
    if not failed:
        return CaseReport(True, f"{said}: passed")
    details = "\n\n".join(failure_text(result, texts) for result in failed)
    return CaseReport(False, f"{said}: {len(failed)} failed" if name is None else f"{said}: failed", details)


def _loaded(snapshot: Snapshot, models: Collection[str]) -> LoadedCases:
    """Return the cases of some models, as they are typed."""
    assert snapshot.compilation is not None
    project = snapshot.compilation.project
    read = read_case_files(project.root, project.config.case_paths)
    opened = {path: text for path, text in snapshot.opened.items() if snapshot.kind(path) == "cases"}
    texts = {path: text for path, text in {**read.texts, **opened}.items() if _concerns(text, models)}
    known = {m.name for m in project.models}
    wanted = Selection(tuple(sorted(known & set(models))))
    plans = compile_project(project, select=wanted, cache=snapshot.entries).plans if wanted.select else {}
    return load_cases(texts, plans, models=known)


def _concerns(text: str, models: Collection[str]) -> bool:
    """Return whether a file has cases of these models, or what such cases may name: fixtures, and records."""
    return not is_case_file(text) or "fixtures" in text or not set(models).isdisjoint(named_models(text))


def _in_file(text: str, path: str, loaded: LoadedCases) -> Iterator[CaseLens]:
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    for span, model, name in loaded.places:
        if span.path == path and span.line <= len(starts):
            start = starts[span.line - 1]
            yield CaseLens((start, start), "run case", model, name)
