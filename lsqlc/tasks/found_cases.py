"""The cases of `lsqlc diff --search`: the records that tell two versions of a model apart, as a case file each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from lsqlc.diagnostics import LsqlcError, errors
from lsqlc.golden.case_writer import WrittenCase, cases_yaml
from lsqlc.golden.files import write_golden_files
from lsqlc.report.search_report import case_of

if TYPE_CHECKING:
    from pathlib import Path

    from lsqlc.project.workspace import Workspace
    from lsqlc.report.diff_report import Difference
    from lsqlc.search.results import SearchResult


def write_found_cases(workspace: Workspace, differences: Iterable[Difference]) -> tuple[str, ...]:
    """Write a case for each model whose versions a search has told apart. As `write_new_cases`."""
    searches = {each.change.name: each.search for each in differences if each.search is not None and each.search.rows}
    return write_new_cases(workspace, {f"{name}_diff": partial(_cases, name, each) for name, each in searches.items()})


def _cases(model: str, result: SearchResult, number: int) -> list[WrittenCase]:
    return [case_of(model, result, number)]


def write_new_cases(workspace: Workspace, files: Mapping[str, Callable[[int], list[WrittenCase]]]) -> tuple[str, ...]:
    """Write files of cases in the first folder of cases. Returns their paths, from the project's folder.

    `files`: by the start of its name, what returns the cases of a file with a number. No file is replaced: another one
    has the next number. Raises LsqlcError for a file that cannot be written.
    """
    case_paths = workspace.project.config.case_paths
    folder = case_paths[0] if case_paths else "tests"
    texts = {}
    for stem, cases in files.items():
        path, number = _unused_path(workspace.root, f"{folder}/{stem}")
        texts[path] = cases_yaml(cases(number))
    problems = write_golden_files(workspace.root, texts)
    if errors(problems):
        raise LsqlcError(problems)
    return tuple(texts)


def _unused_path(root: Path, stem: str) -> tuple[str, int]:
    """Return the path of a new YAML file, the stem or with a number behind it, and the number, from 1."""
    number, path = 1, f"{stem}.yml"
    while (root / path).exists():
        number += 1
        path = f"{stem}_{number}.yml"
    return path, number
