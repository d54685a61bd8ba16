"""The cases of `lsqlc diff --search`: the records that tell two versions of a model apart, as a case file each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsqlc.diagnostics import LsqlcError, errors
from lsqlc.golden.case_writer import cases_yaml
from lsqlc.golden.files import write_golden_files
from lsqlc.report.search_report import case_of

if TYPE_CHECKING:
    from pathlib import Path

    from lsqlc.project.workspace import Workspace
    from lsqlc.report.diff_report import Difference


def write_found_cases(workspace: Workspace, differences: Iterable[Difference]) -> tuple[str, ...]:
    """Write a case for each model whose versions a search has told apart. Returns the paths, from the project's folder.

    Files that exist are not replaced. Raises LsqlcError for a file that cannot be written.
    """
    case_paths = workspace.project.config.case_paths
    folder = case_paths[0] if case_paths else "tests"
    texts = {}
    for difference in differences:
        if difference.search is not None and difference.search.rows:
            name = difference.change.name
            path, number = unused_path(workspace.root, f"{folder}/{name}_diff")
            texts[path] = cases_yaml([case_of(name, difference.search, number)])
    problems = write_golden_files(workspace.root, texts)
    if errors(problems):
        raise LsqlcError(problems)
    return tuple(texts)


def unused_path(root: Path, stem: str) -> tuple[str, int]:
    """Return the path of a new YAML file, the stem or with a number behind it, and the number, from 1."""
    number, path = 1, f"{stem}.yml"
    while (root / path).exists():
        number += 1
        path = f"{stem}_{number}.yml"
    return path, number
