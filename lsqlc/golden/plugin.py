"""The pytest plugin: each case of an lsqlc project is a test item, `model::case`.

A case file below the case paths is a test file. Its items are its cases, and `model::plan.txt` for each model whose
first case it contains. A project is compiled once per process. A model is evaluated once, when its first item runs.
Orphaned golden files are reported by `lsqlc test` only. Files are written only with `--lsqlc-update`, and never under
CI.

pytest loads this module in every session. So it imports other modules only when there is a possible case file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lsqlc.diagnostics import Diagnostic
    from lsqlc.golden.cases import LoadedCases
    from lsqlc.golden.evaluation import Evaluate
    from lsqlc.golden.run import Goldens, Result
    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace

_PROJECT_FILE = "lsqlc.yml"
_ENGINES = "lsqlc.engines"
_UPDATES = ("none", "all", "new", "changed")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("lsqlc", "golden tests of streaming SQL models")
    group.addoption("--lsqlc-engine", default="duckdb", help="the engine that evaluates the cases (default: duckdb)")
    group.addoption(
        "--lsqlc-update", default="none", choices=_UPDATES, help="which golden files to write (default: none)"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Return the collector of a case file, None for other files."""
    if file_path.suffix not in (".yml", ".yaml"):
        return None
    root = _project_root(file_path.parent)
    if root is None or not _may_hold_cases(file_path):
        return None
    sessions = parent.config.stash.setdefault(_SESSIONS, {})
    session = sessions.get(root)
    if session is None:
        session = sessions[root] = _Session(root, parent.config)
    if not session.has(file_path):
        return None
    return CaseFile.from_parent(parent, path=file_path, session_of_project=session)


def _may_hold_cases(file: Path) -> bool:
    from lsqlc.project.files import read_bytes

    try:
        return b"cases" in read_bytes(file)
    except OSError:
        # If it is below the case paths, the project reports the error.
        return True


def _project_root(folder: Path) -> Path | None:
    return next((f for f in (folder, *folder.parents) if os.path.lexists(f / _PROJECT_FILE)), None)


class _Session:
    """A project in this process: loaded, compiled and evaluated at most once, on first use."""

    def __init__(self, root: Path, config: pytest.Config) -> None:
        self.root = root
        self._engine: str = config.getoption("--lsqlc-engine")
        self._update: Any = config.getoption("--lsqlc-update")
        self._results: dict[str, dict[tuple[str, str], Result]] = {}

    def has(self, file: Path) -> bool:
        """Return whether a file lies below the case paths."""
        project = self.compilation.project if self.compilation else None
        return project is None or any(file.is_relative_to(self.root / f) for f in project.config.case_paths)

    def collects(self, path: str) -> bool:
        """Return whether a file of the project may contain cases."""
        return path.endswith((".yml", ".yaml")) and "cases" in self._case_texts.get(path, "cases")

    def path(self, file: Path) -> str:
        """Return the path of a file in the project."""
        return file.relative_to(self.root).as_posix()

    @cached_property
    def _opened(self) -> tuple[Workspace | None, Sequence[Diagnostic], Mapping[str, str]]:
        """The project, None if it cannot be read, with its diagnostics and the texts of its files."""
        from lsqlc.project.workspace import ProjectError, open_workspace

        try:
            # Templates may read the environment, as under `lsqlc test`.
            workspace = open_workspace(self.root, environment=dict(os.environ))
        except ProjectError as error:
            return None, error.diagnostics, error.texts
        return workspace, workspace.project.diagnostics, workspace.project.texts

    @property
    def compilation(self) -> Compilation | None:
        """All models; None for a project that cannot be read."""
        workspace, _, _ = self._opened
        return workspace.compilation if workspace else None

    @cached_property
    def cases(self) -> LoadedCases:
        from lsqlc.golden.cases import LoadedCases, load_cases

        workspace, diagnostics, _ = self._opened
        if workspace is None:
            return LoadedCases((), (), tuple(diagnostics))
        models = [model.name for model in workspace.project.models]
        functions = workspace.project.functions
        return load_cases(self._case_texts, workspace.compilation.plans, models=models, functions=functions)

    @cached_property
    def _case_texts(self) -> dict[str, str]:
        from lsqlc.golden.files import read_case_files

        assert self.compilation is not None
        return dict(read_case_files(self.root, self.compilation.project.config.case_paths).texts)

    @cached_property
    def _goldens(self) -> Goldens:
        from lsqlc.golden.files import read_golden_files
        from lsqlc.golden.run import Goldens

        assert self.compilation is not None
        folder = self.compilation.project.config.golden_path
        files = read_golden_files(self.root, folder)
        return Goldens(files.texts, files.broken, folder)

    def result(self, kind: str, model: str, name: str) -> Result:
        """Return the result of one item. Evaluates all cases of its model."""
        if model not in self._results:
            self._results[model] = self._run(model)
        return self._results[model][kind, name]

    def _run(self, model: str) -> dict[tuple[str, str], Result]:
        from lsqlc.golden.files import write_golden_files
        from lsqlc.golden.run import Options, run

        assert self.compilation is not None
        plan = self.plan(model)
        assert plan is not None
        # Without --lsqlc-update nothing is written, as under CI.
        ci = "CI" in os.environ or self._update == "none"
        judge = _engine("duckdb")
        options = Options(update=self._update, ci=ci, orphans=False, functions=(model,), judge=judge)
        plans = {} if model in self.cases.functions else {model: plan}
        ran = run(plans, self.cases, _engine(self._engine), self._goldens, options)
        problems = write_golden_files(self.root, ran.writes)
        if problems:
            pytest.fail(self.render(problems), pytrace=False)
        return {(result.kind, result.name): result for result in ran.results}

    def plan(self, model: str) -> Plan | None:
        """Return the plan of a model, or of the program that tests a function."""
        assert self.compilation is not None
        return self.cases.functions.get(model) or self.compilation.plans.get(model)

    def why_not(self, model: str) -> str:
        """Return the diagnostics that explain why a model has no plan."""
        assert self.compilation is not None
        build = self.compilation.models.get(model)
        paths = {m.path for m in self.compilation.project.models if m.name == model}
        own = [d for d in self.compilation.diagnostics if d.span and d.span.path in paths]
        return self.render(own or (build.diagnostics if build else ()) or self.compilation.diagnostics)

    def render(self, diagnostics: Any) -> str:
        from lsqlc.diagnostics.render import render_all

        texts = dict(self._opened[2])
        if self.compilation is not None:
            texts |= self._case_texts | dict(self._goldens.texts)
        return render_all(diagnostics, texts)


_SESSIONS: pytest.StashKey[dict[Path, _Session]] = pytest.StashKey()


def _engine(name: str) -> Evaluate:
    """Load the evaluate function of an installed engine."""
    from lsqlc.diagnostics import did_you_mean, listing

    engines = {point.name: point for point in entry_points(group=_ENGINES)}
    if name not in engines:
        near = did_you_mean(name, engines) or f"known are {listing(engines)}"
        none = "no installed package provides one: install lsqlc itself, in a checkout with `pip install -e .`"
        pytest.fail(f"--lsqlc-engine: unknown engine '{name}'; {near if engines else none}", pytrace=False)
    try:
        evaluate: Evaluate = engines[name].load()
    except ImportError as error:
        pytest.fail(f"--lsqlc-engine: the engine '{name}' cannot be loaded: {error}", pytrace=False)
    return evaluate


class CaseFile(pytest.File):
    """The collector of a case file."""

    def __init__(self, *, session_of_project: _Session, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._project = session_of_project

    def collect(self) -> Iterator[pytest.Item]:
        from lsqlc.golden.snapshot import PLAN_FILE

        project = self._project
        path = project.path(self.path)
        loaded = project.cases
        # Errors in files that pytest does not collect, such as data files, are reported here too.
        broken = [
            d
            for d in loaded.diagnostics
            if d.is_error and (d.span is None or d.span.path == path or not project.collects(d.span.path))
        ]
        if project.compilation is None or broken:
            raise self.CollectError(project.render(broken or loaded.diagnostics))
        models: set[str] = set()
        for span, model, name in loaded.places:
            first = model not in models
            models.add(model)
            if span.path == path:
                if first and not model.endswith("()"):
                    yield self._item("plan", model, PLAN_FILE, span.line)
                yield self._item("case", model, name, span.line)

    def _item(self, kind: str, model: str, name: str, line: int) -> CaseItem:
        item: CaseItem = CaseItem.from_parent(
            self, name=f"{model}::{name}", project=self._project, place=(kind, model, name), line=line
        )
        return item


class CaseFailure(Exception):
    """The failure of an item, as text."""


class CaseItem(pytest.Item):
    """A test item: a case, or the plan of a model."""

    def __init__(self, *, project: _Session, place: tuple[str, str, str], line: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._project, self._place, self._line = project, place, line

    def runtest(self) -> None:
        compilation = self._project.compilation
        if compilation is None or self._project.plan(self._place[1]) is None:
            raise CaseFailure(self._project.why_not(self._place[1]))
        result = self._project.result(*self._place)
        if not result.ok:
            from lsqlc.golden.show import difference_lines

            parts = [self._project.render(result.diagnostics)]
            parts += ["\n".join(difference_lines(d)) for d in (result.unmet, result.differences) if d]
            raise CaseFailure("\n\n".join([*parts, *filter(None, [result.patch.rstrip("\n")])]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        if isinstance(excinfo.value, CaseFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args, **kwargs)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self._line - 1, self.name
