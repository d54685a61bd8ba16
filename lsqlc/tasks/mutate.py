"""Small edits of models, and whether the golden cases would notice them.

Each edit of a model's text that compiles runs over the model's cases. One that changes no row there is searched for a
difference: if records show one, no case notices a change of an answer, and these records would be a case that does. An
edit that the search does not tell apart from the model probably means the same, and does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lsqlc.diagnostics import LsqlcError, Span, errors
from lsqlc.golden.case_writer import WrittenCase, cases_yaml
from lsqlc.golden.cases import load_cases
from lsqlc.golden.evaluation import outcomes
from lsqlc.golden.files import read_case_files, write_golden_files
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan.fingerprint import fingerprint
from lsqlc.project.build.linking import parse
from lsqlc.report.search_report import arrivals
from lsqlc.search.comparison import differences, outputs, same_inputs
from lsqlc.search.mutant_results import ModelMutants, MutantResult
from lsqlc.search.mutants import mutants
from lsqlc.search.search import search
from lsqlc.tasks.found_cases import unused_path
from lsqlc.tasks.selection import ALL_MODELS, ModelSelection, sound_selection

if TYPE_CHECKING:
    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Model
    from lsqlc.project.workspace import Workspace
    from lsqlc.types.record import Case, Outcome, Record


def mutate_models(
    workspace: Workspace,
    selection: ModelSelection = ALL_MODELS,
    *,
    seconds: float = 1,
    progress: Callable[[ModelMutants], None] = lambda _: None,
) -> tuple[ModelMutants, ...]:
    """Return the edits of the selected models. `seconds`: the time of the search for each edit that no case notices.

    Raises ProjectError for errors in the models, and LsqlcError for a selection.
    """
    compilation = sound_selection(workspace, selection)
    project = workspace.project
    texts = read_case_files(project.root, project.config.case_paths).texts
    loaded = load_cases(texts, compilation.plans, models=[m.name for m in project.models]).cases
    results = []
    for model in project.models:
        if model.name in compilation.plans:
            cases = [each.case for each in loaded if each.model == model.name and not each.of_function]
            results.append(_of_model(model, compilation, cases, seconds))
            progress(results[-1])
    return tuple(results)


def _of_model(model: Model, compilation: Compilation, cases: Sequence[Case], seconds: float) -> ModelMutants:
    plan, text = compilation.plans[model.name], model.text or ""
    before = outcomes(plan, cases, evaluate)
    own = _identity(plan)
    results: list[MutantResult] = []
    known_sequences: list[tuple[Record, ...]] = []
    for mutant in mutants(text):
        other = _compiled(replace(model, text=mutant.text(text)), compilation)
        if other is None or _identity(other) == own or not _is_comparable(plan, other):
            continue
        line = _line(model, text, mutant.start)
        if _notices(plan, before, other, cases):
            results.append(MutantResult(line, mutant))
            continue
        result = search(plan, other, evaluate, seconds=seconds, first=known_sequences)
        if result.records and result.records not in known_sequences:
            # Records that show one edit often show the next one, so that fewer cases are needed.
            known_sequences.append(result.records)
        results.append(MutantResult(line, mutant, result))
    return ModelMutants(model.name, model.path, len(cases), tuple(results))


def _identity(plan: Plan) -> tuple[str, ...]:
    return tuple(fingerprint(node) for sink in plan.sinks for node in sink.inputs)


def _compiled(model: Model, compilation: Compilation) -> Plan | None:
    """Return the plan of an edited model; None if it does not compile."""
    from lsqlc.bind.limits import Limits
    from lsqlc.dialects import dialect

    program = parse(model).program
    if program is None:
        return None
    project = compilation.project
    defaults = project.config.defaults
    compiled = dialect(model.dialect).bind(
        program,
        compilation.topics,
        name=model.name,
        nullability=model.nullability,
        limits=Limits(grace=defaults.grace, retention=defaults.retention),
        subjects=project.subjects,
        materialized=model.materialized,
        functions=project.functions,
        errors=model.errors,
    )
    return None if errors(compiled.diagnostics) else compiled.plan


def _is_comparable(plan: Plan, other: Plan) -> bool:
    """Return whether an edit changes rows only, and no column, topic or key."""
    compared = outputs(plan, other)
    read, own = ({topic.name for topic in each.inputs} for each in (other, plan))
    return (
        read == own
        and not isinstance(compared, str)
        and not isinstance(same_inputs(plan, other), str)
        and len(compared) == len(plan.outputs) == len(other.outputs)
        and not any(output.left_out for output in compared)
    )


def _notices(plan: Plan, before: Sequence[Outcome | LsqlcError], other: Plan, cases: Sequence[Case]) -> bool:
    compared = outputs(plan, other)
    assert not isinstance(compared, str)
    read = {topic.name for topic in other.inputs}
    if any(record.topic not in read for case in cases for record in case.records):
        return True
    for one, two in zip(before, outcomes(other, cases, evaluate), strict=True):
        if isinstance(one, LsqlcError) or isinstance(two, LsqlcError):
            if isinstance(one, LsqlcError) != isinstance(two, LsqlcError):
                return True
        elif differences(compared, one, two):
            return True
    return False


def _line(model: Model, text: str, start: int) -> int:
    """Return the line in the model's file of a place in its rendered text."""
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    span = Span(model.path, line, column, line, column)
    return (model.positions.span(span) if model.positions else span).line


def write_missing_cases(workspace: Workspace, models: Sequence[ModelMutants]) -> tuple[str, ...]:
    """Write a file for each model with edits that no case notices: a case for each sequence of records that shows some.
    Returns the paths, from the project's folder. Raises LsqlcError for a file that cannot be written.
    """
    case_paths = workspace.project.config.case_paths
    folder = case_paths[0] if case_paths else "tests"
    texts = {}
    for model in models:
        missing: dict[str, WrittenCase] = {}
        path, number = unused_path(workspace.root, f"{folder}/{model.model}_edits")
        for result in model.results:
            if result.verdict == "unnoticed" and result.search is not None:
                records = arrivals(result.search)
                name = f"edit {number} {len(missing) + 1} of line {result.line}"
                missing.setdefault(repr(records), WrittenCase(name, model.model, records, None))
        if missing:
            texts[path] = cases_yaml(missing.values())
    problems = write_golden_files(workspace.root, texts)
    if errors(problems):
        raise LsqlcError(problems)
    return tuple(texts)
