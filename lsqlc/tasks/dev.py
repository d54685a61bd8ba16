"""What `lsqlc dev` does after each save: compile, run the cases of the models that the save affects, and compute what
they give over the sample data, all on DuckDB. What is not affected is kept from the look before.

A model is affected if its text, its plan, what is wrong with it, its cases, their golden files or the sample records
of a topic that it reads have changed, and also if it is downstream of such a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lsqlc.bind.own_plan import plan_name
from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.golden.cases import LoadedCase
from lsqlc.golden.compare import TopicDifference
from lsqlc.golden.evaluation import Evaluate
from lsqlc.golden.run import GoldenRun, Options, Result, run
from lsqlc.golden.versions import differences
from lsqlc.plan import Plan
from lsqlc.plan.nodes import Semantics
from lsqlc.project.build.compile import Compilation, Status
from lsqlc.tasks.golden import Read, read_goldens
from lsqlc.tasks.samples import Source, given, sources
from lsqlc.types.record import Case, Outcome, Record

Cause = Literal["changed", "downstream"]


@dataclass(frozen=True, slots=True)
class Rows:
    """What a model gives over the sample data, or in one case. `case` None: over the sample data."""

    case: str | None
    plan: Plan
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ModelLook:
    """A model after a save. `results`: those of its cases; `rows`: over the sample data, or where there is none, in
    each case; `problems`: why there are no rows; `lacking`: topics that it reads and that have no sample. `earlier`:
    where there are no rows, the last ones that there were.
    """

    name: str
    status: Status
    results: tuple[Result, ...] = ()
    rows: tuple[Rows, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    lacking: tuple[str, ...] = ()
    earlier: tuple[Rows, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """The project after a save. `read`: its cases and golden files; `sources`: the sample records by topic; `models`:
    all selected ones, in order of dependency; `functions`: the results of the cases of the project's own functions.
    """

    compilation: Compilation
    read: Read
    sources: Mapping[str, Source]
    models: Mapping[str, ModelLook]
    functions: tuple[Result, ...] = ()
    problems: tuple[Diagnostic, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that is wrong but results of cases."""
        of_models = [d for model in self.models.values() for d in model.problems]
        of_sources = [d for source in self.sources.values() for d in source.problems]
        found = (*self.compilation.diagnostics, *self.read.diagnostics, *self.problems, *of_sources, *of_models)
        return tuple(dict.fromkeys(found))

    @property
    def results(self) -> tuple[Result, ...]:
        """The results of all cases."""
        return (*(r for model in self.models.values() for r in model.results), *self.functions)

    @property
    def ok(self) -> bool:
        """Whether everything compiles and every case passes."""
        return all(r.ok for r in self.results) and not any(d.is_error for d in self.diagnostics)


@dataclass(frozen=True, slots=True)
class Affected:
    """A model that a save affects. `differences`: of its rows from those before the save, by the case, None for the
    sample data; of what was not there before, or not after, there are none.
    """

    model: ModelLook
    cause: Cause
    differences: Mapping[str | None, tuple[TopicDifference, ...]] = field(default_factory=dict)


def look(
    compilation: Compilation, evaluate: Evaluate, *, log: Transport | None, limit: int, before: Look | None
) -> tuple[Look, tuple[Affected, ...]]:
    """The project as it is now, and the models that are not as they were before, in order of dependency; without
    `before` all.

    `log`: topics in folders whose records are samples too; `limit`: sample records of each topic, 0: all.
    """
    read = read_goldens(compilation)
    plans = compilation.plans
    found: tuple[Diagnostic, ...] = ()
    try:
        samples = sources(compilation, plans.values(), log, limit, before.sources if before else {})
    except LsqlcError as error:
        samples, found = {}, error.diagnostics
    now = Look(compilation, read, samples, {}, problems=found)
    names = [name for name in compilation.models if name in compilation.selected]
    changed = set(names) if before is None else {n for n in names if _parts(now, n) != _parts(before, n)}
    below = compilation.graph.below(changed)
    affected = [name for name in names if name in below]
    seen: dict[tuple[str, str], Outcome] = {}

    def noted(plan: Plan, cases: Sequence[Case]) -> Sequence[Outcome]:
        outcomes = evaluate(plan, cases)
        seen.update({(plan.name, case.name): outcome for case, outcome in zip(cases, outcomes, strict=True)})
        return outcomes

    functions = _functions(now, before)
    tested = _tested(now, [n for n in affected if n in plans], functions, noted)
    models = _models(now, affected, tested, seen, evaluate, before)
    of_functions = [r for r in tested.results if r.kind == "case" and r.model in read.cases.functions]
    kept = () if functions or before is None else before.functions
    now = Look(compilation, read, samples, models, (*of_functions, *kept), found)
    told = tuple(_affected(models[n], _cause(now, before, n, below), before) for n in affected)
    return now, told


def _parts(look: Look, name: str) -> object:
    """What the results of a model depend on, itself and what it reads directly."""
    build = look.compilation.models.get(name)
    if build is None or name not in look.compilation.selected:
        return None
    wrong = [(d.code, d.message) for d in build.diagnostics]
    return _text(look, name), build.status, build.plan, wrong, _given(look, name)


def _text(look: Look, name: str) -> object:
    model = look.compilation.project.model(name)
    return model and (model.path, model.text)


def _given(look: Look, name: str) -> object:
    """The cases of a model that compiles, with their golden files, and the samples of what it reads."""
    build = look.compilation.models[name]
    if build.plan is None:
        return None
    folder = f"{look.read.goldens.folder}/{name}/"
    goldens = {path: text for path, text in look.read.goldens.texts.items() if path.startswith(folder)}
    cases = [_case(case) for case in look.read.cases.cases if case.model == name]
    return goldens, cases, [look.sources.get(topic.name) for topic in build.plan.inputs]


def _cause(now: Look, before: Look | None, name: str, affected: frozenset[str]) -> Cause:
    """Whether the save was of a model, or of what it reads from other models."""
    if before is None or affected.isdisjoint(now.compilation.graph.upstream.get(name, ())):
        return "changed"
    if name not in before.models or _text(now, name) != _text(before, name):
        return "changed"
    is_given, was_given = _given(now, name), _given(before, name)
    return "changed" if None not in (is_given, was_given) and is_given != was_given else "downstream"


def _case(case: LoadedCase) -> object:
    """A case without its place, which moves when another one is edited."""
    asserted = [(a.topic, a.kind, a.text) for a in case.assertions]
    return case.case, case.expect, case.batched, case.golden, asserted


def _functions(now: Look, before: Look | None) -> tuple[str, ...]:
    """The functions whose cases are to run."""

    def parts(look: Look, name: str) -> object:
        return look.read.cases.functions.get(name), [_case(c) for c in look.read.cases.cases if c.model == name]

    names = [plan_name(f.name) for f in now.compilation.project.functions.values()]
    if before is not None and all(parts(now, name) == parts(before, name) for name in names):
        return ()
    return tuple(names)


def _tested(now: Look, names: Sequence[str], functions: tuple[str, ...], evaluate: Evaluate) -> GoldenRun:
    plans = now.compilation.plans
    options = Options(ci=True, orphans=False, functions=functions)
    return run({n: plans[n] for n in names}, now.read.cases, evaluate, now.read.goldens, options)


def _models(
    now: Look,
    affected: Sequence[str],
    tested: GoldenRun,
    seen: Mapping[tuple[str, str], Outcome],
    evaluate: Evaluate,
    before: Look | None,
) -> dict[str, ModelLook]:
    """All selected models, those that are affected again."""
    compilation = now.compilation
    known: dict[str, tuple[Record, ...]] = {n: s.records for n, s in now.sources.items() if not s.problems}
    derived: dict[str, Semantics] = {}
    found: dict[str, ModelLook] = {}
    for name, build in compilation.models.items():
        if name not in compilation.selected:
            continue
        plan = build.plan
        if name not in affected and before is not None:
            found[name] = before.models[name]
        elif plan is None:
            found[name] = ModelLook(name, build.status, earlier=_rows_of(before, name))
        else:
            # That the plan's text is another one says nothing while it is edited.
            results = tuple(r for r in tested.results if r.model == name and r.kind == "case")
            sample = given(plan, known, derived, evaluate)
            rows = [Rows(None, plan, sample.outcome)] if sample.outcome is not None else []
            if sample.lacking:
                cases = [case.name for case in now.read.cases.cases if case.model == name]
                rows = [Rows(case, plan, seen[name, case]) for case in cases if (name, case) in seen]
            earlier = () if rows else _rows_of(before, name)
            found[name] = ModelLook(name, build.status, results, tuple(rows), sample.problems, sample.lacking, earlier)
        for rows_of in found[name].rows:
            if rows_of.case is None:
                known |= rows_of.outcome.topics
                derived |= rows_of.plan.semantics
    return found


def _rows_of(before: Look | None, name: str) -> tuple[Rows, ...]:
    """The last rows of a model."""
    model = before.models.get(name) if before else None
    return model.rows or model.earlier if model else ()


def _affected(model: ModelLook, cause: Cause, before: Look | None) -> Affected:
    old = {rows.case: rows for rows in _rows_of(before, model.name)}
    found = {
        rows.case: differences(was.plan, was.outcome, rows.plan, rows.outcome)
        for rows in model.rows
        if (was := old.get(rows.case)) is not None
    }
    return Affected(model, cause, found)
