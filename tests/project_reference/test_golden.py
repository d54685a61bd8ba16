"""The reference project compiles, says what it is, and gives its golden files."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from lsqlc.golden.cases import LoadedCases
from lsqlc.golden.files import read_golden_files
from lsqlc.golden.run import Goldens, Options, run
from lsqlc.lower.duckdb import evaluate
from lsqlc.project.build.compile import Compilation
from tests.figures import ANSWERS, PROJECT

_PRINT = f"""
import json
from pathlib import Path
from lsqlc.project.build.compile import compile_project
from lsqlc.project.discovery import load_project
plans = compile_project(load_project(Path({str(PROJECT)!r})).project).plans
print(json.dumps({{name: [plan.tree(), plan.to_json(), plan.fingerprint] for name, plan in plans.items()}}))
"""


def test_compiles_without_a_finding(compiled: Compilation) -> None:
    """The models that others learn from have no error and no warning; the documents' samples stand as they are printed
    (tests/documents).
    """
    samples = {m.path for m in compiled.project.models if "documented" in m.tags}
    assert [str(d) for d in compiled.diagnostics if d.span is None or d.span.path not in samples] == []
    names = {m.name for m in compiled.project.models if m.path in samples}
    assert set(compiled.plans) - names == {answer.model for answer in ANSWERS}


def test_models_are_described(compiled: Compilation) -> None:
    """Every model has a description, an owner and tags, and every topic a description."""
    bare = [m.name for m in compiled.project.models if not (m.description and m.owner and m.tags)]
    bare += [t.topic.name for t in compiled.project.topics if not t.topic.description]
    assert bare == []


@pytest.mark.parametrize("model", [answer.model for answer in ANSWERS])
def test_golden_files_hold(model: str, compiled: Compilation, cases: LoadedCases) -> None:
    """DuckDB gives the committed records and rows for every case of a model, of which there are several, and its plan
    is the committed one.
    """
    assert [str(d) for d in cases.diagnostics] == []
    files = read_golden_files(PROJECT, compiled.project.config.golden_path)
    goldens = Goldens(files.texts, files.broken, compiled.project.config.golden_path)
    found = run({model: compiled.plans[model]}, cases, evaluate, goldens, Options(ci=True, orphans=False))
    assert [r.name for r in found.results if not r.ok] == []
    assert sum(r.kind == "case" for r in found.results) >= 3


def test_no_orphaned_golden(compiled: Compilation, cases: LoadedCases) -> None:
    """Every golden file belongs to a case."""
    files = read_golden_files(PROJECT, compiled.project.config.golden_path)
    goldens = Goldens(files.texts, files.broken, compiled.project.config.golden_path)
    found = run(compiled.plans, cases, evaluate, goldens, Options(ci=True))
    assert [r.path for r in found.results if r.kind == "orphan"] == []


def test_plans_print_the_same_bytes(compiled: Compilation) -> None:
    """Tree, JSON and fingerprint of every plan are the same in two more processes that hash strings differently."""
    printed = [_printed(seed) for seed in ("1", "2")]
    here = {name: [plan.tree(), plan.to_json(), plan.fingerprint] for name, plan in compiled.plans.items()}
    assert printed[0] == printed[1] == json.dumps(here) + "\n"


def _printed(seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", _PRINT]
    return subprocess.run(command, env=environment, cwd=PROJECT, check=True, capture_output=True, text=True).stdout
