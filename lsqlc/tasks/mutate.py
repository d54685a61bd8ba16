"""Small edits of models, and whether the golden cases would notice them.

Each edit of a model's text that compiles runs over the model's cases. One that changes no row there is searched for a
difference: if records show one, no case notices a change of an answer, and these records would be a case that does. An
edit that the search does not tell apart from the model probably means the same, and does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lsqlc.diagnostics import LsqlcError, Span, errors
from lsqlc.golden.case_writer import WrittenCase
from lsqlc.golden.evaluation import outcomes
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan.fingerprint import fingerprint
from lsqlc.project.build.compile import bind_model
from lsqlc.project.build.linking import parse
from lsqlc.report.search_report import arrivals
from lsqlc.search.comparison import Output, differences, outputs, same_inputs
from lsqlc.search.mutant_results import ModelMutants, MutantResult
from lsqlc.search.mutants import mutants
from lsqlc.search.search import search
from lsqlc.tasks.found_cases import write_new_cases
from lsqlc.tasks.model_cases import ModelCases, model_cases
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
    results = []
    for tested in model_cases(compilation):
        results.append(_of_model(tested, compilation, seconds))
        progress(results[-1])
    return tuple(results)


def _of_model(tested: ModelCases, compilation: Compilation, seconds: float) -> ModelMutants:
    model, plan, cases = tested.model, tested.plan, tested.cases
    text = model.text or ""
    before = outcomes(plan, cases, evaluate)
    own = _identity(plan)
    results: list[MutantResult] = []
    known_sequences: list[tuple[Record, ...]] = []
    for mutant in mutants(text):
        other = _compiled(replace(model, text=mutant.text(text)), compilation)
        compared = None if other is None or _identity(other) == own else _compared(plan, other)
        if other is None or compared is None:
            continue
        line = _line(model, text, mutant.start)
        if _notices(compared, before, other, cases):
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
    program = parse(model).program
    if program is None:
        return None
    compiled = bind_model(model, program, compilation.topics, compilation.project)
    return None if errors(compiled.diagnostics) else compiled.plan


def _compared(plan: Plan, other: Plan) -> tuple[Output, ...] | None:
    """Return the topics to compare; None if an edit changes more than rows: a column, a topic or a key."""
    compared = outputs(plan, other)
    read, own = ({topic.name for topic in each.inputs} for each in (other, plan))
    if isinstance(compared, str) or read != own or isinstance(same_inputs(plan, other), str):
        return None
    is_whole = len(compared) == len(plan.outputs) == len(other.outputs)
    return compared if is_whole and not any(output.left_out for output in compared) else None


def _notices(
    compared: Sequence[Output], before: Sequence[Outcome | LsqlcError], other: Plan, cases: Sequence[Case]
) -> bool:
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
    return write_new_cases(
        workspace,
        {f"{model.model}_edits": partial(_missing_cases, model) for model in models if model.count("unnoticed")},
    )


def _missing_cases(model: ModelMutants, number: int) -> list[WrittenCase]:
    """Return a case for each sequence of records that shows an edit. `number`: that of the file."""
    missing: dict[str, WrittenCase] = {}
    for result in model.results:
        if result.verdict == "unnoticed" and result.search is not None:
            records = arrivals(result.search)
            name = f"edit {number} {len(missing) + 1} of line {result.line}"
            missing.setdefault(repr(records), WrittenCase(name, model.model, records, None))
    return list(missing.values())
