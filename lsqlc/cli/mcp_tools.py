"""The tools for agents over the Model Context Protocol: the verbs that only read, as functions that return text.

`mcp.py` serves them. Each works on the files as they are when it is called. Nothing of the project is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, Any

from lsqlc import __version__
from lsqlc.diagnostics import Diagnostic, LsqlcError, by_severity
from lsqlc.diagnostics.render import render_all
from lsqlc.diagnostics.visible import visible

if TYPE_CHECKING:
    from lsqlc.project.workspace import Workspace

# Cells of a line of a table.
_WIDTH = 160
# Records that one call shows at most: they are read by a model, to which each costs.
MOST_RECORDS = 200
# Characters of an answer. What is longer is cut: a program can have findings by the thousand.
_LONGEST = 100_000


class Refused(Exception):
    """Why a tool has no answer, as the command line prints it."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools over the project in `root`; `vars`: those of `--vars`. One call runs at a time."""

    root: Path
    vars: Mapping[str, Any]
    _lock: Lock = field(default_factory=Lock)

    def compile(self, select: Sequence[str] = (), files: Mapping[str, str] | None = None) -> str:
        """Compile the project's models and report every error and warning with its line and carets. With `select`
        (names or selectors such as "orders+" or "tag:daily") the plans of those models are shown too. `files`: texts
        by path, such as "models/orders.sql", that are compiled instead of those on the disk; a new model can be tried
        before it is written.
        """

        def answer() -> str:
            from lsqlc.report.text import summary_lines
            from lsqlc.tasks.selection import ModelSelection, compile_selection

            compilation = compile_selection(self._opened(files), ModelSelection(select))
            diagnostics = compilation.diagnostics
            parts = [render_all(by_severity(diagnostics), compilation.project.texts)] if diagnostics else []
            if select:
                parts += [plan.tree().rstrip("\n") for plan in compilation.plans.values()]
            return "\n\n".join((*parts, "\n".join(summary_lines(compilation, None, diagnostics=diagnostics))))

        return self._answered(answer)

    def test(self, select: Sequence[str] = (), files: Mapping[str, str] | None = None) -> str:
        """Run the golden cases of the models on DuckDB and report what differs, cell by cell, with a patch of each
        golden file. Golden files are not written. `select` and `files` as for compile; cases are read from the disk.
        """

        def answer() -> str:
            from lsqlc.report.text import build_text
            from lsqlc.tasks.golden import GoldenRequest, golden_tests
            from lsqlc.tasks.selection import ModelSelection

            workspace = self._opened(files)
            result = golden_tests(workspace, GoldenRequest(ModelSelection(select), ci=True, orphans=not files))
            return build_text(result.for_report(), {**workspace.project.texts, **result.texts})

        return self._answered(answer)

    def diff(self, against: str | None = None, select: Sequence[str] = ()) -> str:
        """Compare the models with another version of the project: what changed in each plan, the rows of the golden
        cases that differ, what happens to the state of its queries, and which models are downstream. `against`: a git
        revision, or the path of a manifest.json; by default where the current branch began.
        """

        def answer() -> str:
            from lsqlc.project.selection.selectors import Selection
            from lsqlc.report.diff_report import diff_summary, diff_text
            from lsqlc.tasks.compare import DiffRequest, diff_models
            from lsqlc.tasks.versions import base_version

            with base_version(self.root, against, dict(os.environ)) as base:
                request = DiffRequest(__version__, Selection(tuple(select)))
                models = diff_models(self._opened(), base, request).models
            return "\n\n".join(part for part in (diff_text(models), diff_summary(models)) if part)

        return self._answered(answer)

    def explain(self, code: str) -> str:
        """Explain an error or warning code such as "LSQ203", with a wrong and a right example."""

        def answer() -> str:
            from lsqlc.diagnostics import did_you_mean
            from lsqlc.diagnostics.catalogue import codes, page

            text = page(code.upper())
            if text is None:
                help = did_you_mean(code.upper(), codes()) or "a code is LSQ and three digits"
                raise LsqlcError([Diagnostic("LSQ065", f"unknown code '{code}'", help=help)])
            return text

        return self._answered(answer)

    def lineage(self, name: str) -> str:
        """Show where the columns of a topic come from through every model, and what uses them. `name`: a topic, a model
        for its output, or one column, such as "orders.item".
        """

        def answer() -> str:
            from lsqlc.report.lineage_report import lineage_text
            from lsqlc.tasks.lineage import columns_of, graph_of

            compilation = self._opened().compilation
            columns = columns_of(compilation, name)
            return lineage_text(graph_of(compilation), columns, compilation.tables, width=_WIDTH)

        return self._answered(answer)

    def show(self, name: str, limit: int = 20, tail: bool = False, target: str | None = None) -> str:
        """Show the records of a topic, or the rows of a TABLE by key, as they are on a target. `name`: a topic, or a
        model that writes one. `limit`: at most 200; `tail`: the last records instead of the first; `target`: a name of
        profiles.yml.
        """

        def answer() -> str:
            from lsqlc.project.workspace import sound
            from lsqlc.tasks.show import ShowRequest, topic_records

            if not 1 <= limit <= MOST_RECORDS:
                raise Refused(f"limit must be from 1 to {MOST_RECORDS}, not {limit}")
            workspace = self._opened()
            sound(workspace.compilation)
            try:
                return str(topic_records(workspace, ShowRequest(name, target, limit, tail)))
            except ValueError as error:
                raise Refused(str(error)) from None

        return self._answered(answer)

    def query(self, text: str, limit: int = 20, dialect: str | None = None, target: str | None = None) -> str:
        """Answer a SELECT over the topics of a target as they are now, as a model with this text would. Nothing is
        written. `limit`: rows, at most 200; `dialect`: sql, ksql or lenses, if not that of the project; `target`: a
        name of profiles.yml.
        """

        def answer() -> str:
            from lsqlc import dialects
            from lsqlc.tasks import query

            if not 1 <= limit <= MOST_RECORDS:
                raise Refused(f"limit must be from 1 to {MOST_RECORDS}, not {limit}")
            language = next((name for name in dialects.NAMES if name == dialect), None)
            if dialect is not None and language is None:
                raise Refused(f"unknown dialect '{dialect}'; known are {', '.join(dialects.NAMES)}")
            request = query.QueryRequest(text, language)
            workspace = query.open_query(self.root, request, vars=self.vars, environment=dict(os.environ))
            return str(query.answer(query.compiled_query(workspace), workspace, target).answer.first(limit))

        return self._answered(answer)

    def _opened(self, files: Mapping[str, str] | None = None) -> Workspace:
        """Open the project. `files`: texts that replace files, by path. Raises ProjectError as `open_workspace`."""
        from lsqlc.project.declared.lock import LOCK_FILE
        from lsqlc.project.workspace import open_workspace

        if any(PurePosixPath(path).name.lower() == LOCK_FILE for path in files or {}):
            # With it a call could bring code in Python that is executed.
            raise Refused(f"'{LOCK_FILE}' cannot be given: a person reviews code in Python, and locks it in the file")
        # Content that is not Unicode is reported as a file that is not UTF-8.
        contents = {path: text.encode("utf-8", "surrogatepass") for path, text in (files or {}).items()}
        return open_workspace(self.root, vars=self.vars, environment=dict(os.environ), contents=contents)

    def _answered(self, answer: Callable[[], str]) -> str:
        """Return the answer of a tool. Raises Refused for bad input."""
        from lsqlc.project.workspace import ProjectError

        with self._lock:
            try:
                return _shown(answer())
            except ProjectError as error:
                raise Refused(_shown(render_all(by_severity(error.diagnostics), error.texts))) from None
            except LsqlcError as error:
                raise Refused(_shown(render_all(error.diagnostics, {}))) from None


def _shown(text: str) -> str:
    """Return a text without controls, of a bounded length, and such that it can be encoded."""
    if len(text) > _LONGEST:
        text = (
            f"{text[:_LONGEST]}\n\nthe answer is cut after {_LONGEST:,} characters: ask for less by `select` or `limit`"
        )
    return visible(text.encode("utf-8", "replace").decode())
