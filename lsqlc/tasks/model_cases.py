"""The golden cases of each selected model, for checks that evaluate them without golden files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.golden.cases import load_cases
from lsqlc.golden.files import read_case_files

if TYPE_CHECKING:
    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Model
    from lsqlc.types.record import Case


@dataclass(frozen=True, slots=True)
class ModelCases:
    """A model without errors, and its cases in order of their files. Cases of functions are left out."""

    model: Model
    plan: Plan
    cases: tuple[Case, ...]


def model_cases(compilation: Compilation) -> tuple[ModelCases, ...]:
    """Read the cases of the selected models, in order of the models. Files that cannot be read are left out."""
    project = compilation.project
    texts = read_case_files(project.root, project.config.case_paths).texts
    names = [model.name for model in project.models]
    by_model: dict[str, list[Case]] = {name: [] for name in names}
    for each in load_cases(texts, compilation.plans, models=names, functions=project.functions).cases:
        if each.model in by_model and not each.of_function:
            by_model[each.model].append(each.case)
    models = (model for model in project.models if model.name in compilation.plans)
    return tuple(ModelCases(each, compilation.plans[each.name], tuple(by_model[each.name])) for each in models)
