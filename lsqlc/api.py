"""The public Python API. Everything else in this package is private.

plan = lsqlc.compile(text, topics=[lsqlc.Topic("customers", key="INT", value="id INT, name STRING")])
out = lsqlc.evaluate(plan, [lsqlc.Record("customers", key=1, value={"id": 1, "name": "John"}, timestamp=0)])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lsqlc.diagnostics import Diagnostic, LsqlcError, by_severity, listing
from lsqlc.plan import Plan
from lsqlc.report.frames import Records
from lsqlc.report.notebook import Changes, TestRun
from lsqlc.types import record as model
from lsqlc.types.record import Case, Record

if TYPE_CHECKING:
    from lsqlc.bind import own_functions
    from lsqlc.dialects import DialectName
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace
    from lsqlc.report.answers import Answer

__all__ = ["CompileError", "Plan", "Project", "Record", "Records", "Topic", "compile", "evaluate"]

Declared = str | Mapping[str, Any] | None


class CompileError(LsqlcError):
    """A program, project or topic that does not compile.

    Its text is the output of `lsqlc compile`: each finding with its line and carets under the words. `diagnostics` has
    all findings, in order of the text. Each has `.code`, `.message`, `.line` and `.column` (from 1, in code points;
    None without a position).
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], texts: Mapping[str, str] | None = None) -> None:
        """Create the error. `texts`: the texts that the findings refer to, by path."""
        super().__init__(diagnostics)
        self._texts = dict(texts or {})

    def __str__(self) -> str:
        from lsqlc.diagnostics.render import render_all

        return render_all(by_severity(self.diagnostics), self._texts)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that a program may name.

    `key` and `value` are a type (`"INT"`), DDL columns (`"id INT, name STRING"`), the path of a schema file, or a
    mapping. A schema file is Avro (`.avsc`) or JSON Schema (`.json`). A mapping has `format` and `schema`. None is an
    absent facet. `event_time` is the value field with the record's time, dotted if it is nested. `partitions` is the
    number of partitions, if it is known.
    """

    name: str
    key: Declared = None
    value: Declared = None
    event_time: str | None = field(default=None, kw_only=True)
    partitions: int | None = field(default=None, kw_only=True)


def compile(
    text: str,
    *,
    dialect: DialectName = "lenses",
    topics: Iterable[Topic] = (),
    name: str = "result",
    nullability: Literal["lenient", "strict"] = "lenient",
    materialized: Literal["streaming_table", "materialized_view"] | None = None,
    key: Sequence[str] = (),
    key_format: Literal["bare"] | None = None,
    functions: str = "",
    error_policy: Literal["fail", "continue", "dlq"] | None = None,
    dead_letters: str | None = None,
) -> Plan:
    """Compile a program and return its plan. `name` is the target of a bare SELECT.

    `dialect`: `lenses`, `sql` or `ksql`. Programs in `ksql` declare their topics themselves; `topics` adds further
    properties to them.

    `nullability`: `strict` refuses operands that may be null.

    `materialized`, `key` and `key_format` are for the dialect `sql`, as in `config()` of a model. They are the kind of
    the result, the columns of its key, and whether one nullable key column is a key without a struct. Their defaults
    follow from the query.

    `functions`: `CREATE FUNCTION` statements in the same dialect, which the program may call.

    `error_policy` and `dead_letters`, as in `config()` of a model: the handling of unreadable records, and the
    dead-letter topic. The program's own settings override them.

    Raises CompileError with all errors in the text, the functions and the topics' declarations. Raises ValueError for
    an unknown dialect, nullability, error policy, key format or kind of result, and for one that the dialect does not
    have.
    """
    from lsqlc import dialects
    from lsqlc.bind.materialized import KEY_FORMATS, KINDS, Materialized
    from lsqlc.types.error_policy import POLICIES, ErrorPolicy

    language = dialects.dialect(dialect)
    if nullability not in ("lenient", "strict"):
        raise ValueError(f"unknown nullability '{nullability}'; known are 'lenient' and 'strict'")
    if error_policy not in (None, *POLICIES):
        raise ValueError(f"unknown error policy '{error_policy}'; known are {listing(POLICIES)}")
    if materialized not in (None, *KINDS):
        raise ValueError(f"unknown kind of result '{materialized}'; known are {' and '.join(map(repr, KINDS))}")
    if key_format not in (None, *KEY_FORMATS):
        raise ValueError(f"unknown format of keys '{key_format}'; known are {listing(KEY_FORMATS)}")
    result = Materialized(materialized, tuple(key), key_format)
    if result != Materialized() and not language.materializes:
        raise ValueError(f"'materialized', 'key' and 'key_format' are not for the dialect '{dialect}'")
    declared, problems = _declared(topics)
    own = _own_functions(functions, dialect)
    problems += own.diagnostics
    parsed = language.parse(text, "<text>")
    diagnostics = [*problems, *parsed.diagnostics]
    if parsed.program is not None and not problems:
        compiled = language.bind(
            parsed.program,
            declared,
            name=name,
            nullability=nullability,
            materialized=result,
            functions=own.functions,
            errors=ErrorPolicy(error_policy, dead_letters),
        )
        diagnostics += compiled.diagnostics
        if compiled.plan is not None:
            return compiled.plan
    raise CompileError(diagnostics, {"<text>": text, "<functions>": functions})


def evaluate(
    plan: Plan,
    records: Iterable[Record] = (),
    *,
    engine: Literal["duckdb", "spark"] = "duckdb",
    batches: Iterable[Iterable[Record]] | None = None,
    now: int = 0,
) -> dict[str, Records]:
    """Run a plan over records in order of arrival, and return the records of every topic that it writes.

    The live rows of a TABLE are sorted by key: numbers by value, text by code point, structs field by field, null
    first. The records of a STREAM are sorted by ordinal. Every field of the schema is present. `batches`, instead of
    `records`, are the batches of a streaming engine; DuckDB gets all of them at once. `now`: epoch milliseconds, for
    clock functions. The engine `spark` starts an embedded server for the process, and needs no cluster. Each list of
    records has `to_arrow()`, `to_pandas()` and `to_polars()`.

    Raises ValueError for records together with batches, for an unknown engine, and for a `now` that is not from
    1970-01-01 to 9999-12-30. Raises LsqlcError for records that do not match their topics (LSQ430), and for a plan that
    the engine cannot run.
    """
    if not 0 <= now <= model.LATEST - 86_400_000:
        raise ValueError(f"'now' must be a time from 1970-01-01 to 9999-12-30 in epoch milliseconds, not {now}")
    all_records = tuple(records)
    if batches is not None and all_records:
        raise ValueError("give records or batches, not both")
    cut = tuple(tuple(batch) for batch in batches) if batches is not None else (all_records,)
    case = Case("", cut, now)
    if engine == "duckdb":
        from lsqlc.lower import duckdb

        outcome = duckdb.evaluate(plan, [case])[0]
    elif engine == "spark":
        from lsqlc.remote.server import process

        outcome = process.evaluate(plan, [case], dict(os.environ))[0]
    else:
        raise ValueError(f"unknown engine '{engine}'; known are 'duckdb' and 'spark'")
    topics, kinds = {topic.name: topic for topic in plan.outputs}, plan.semantics
    return {n: Records(topics[n], rows, times=kinds[n] == "STREAM") for n, rows in outcome.topics.items()}


@dataclass(frozen=True, slots=True, repr=False)
class Project:
    """A project without errors: its models' plans by name, in order of dependency.

    `vars`: the variables with which it was loaded.
    """

    root: Path
    name: str
    plans: Mapping[str, Plan]
    diagnostics: tuple[Diagnostic, ...]
    vars: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | Path, *, vars: Mapping[str, Any] | None = None) -> Project:
        """Read and compile the project in a folder. `vars` override those of its project file.

        Raises CompileError with all errors of the project; warnings are in `diagnostics`.
        """
        root = Path(path)
        compilation = _compiled(root, vars or {})
        name = compilation.project.config.name
        return cls(root, name, compilation.plans, compilation.diagnostics, dict(vars or {}))

    def __repr__(self) -> str:
        count = f"{len(self.plans)} {'model' if len(self.plans) == 1 else 'models'}"
        return f"<lsqlc.Project '{self.name}': {count} in {str(self.root)!r}>"

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{word}</th>" for word in ("model", "semantics", "reads", "writes"))
        rows = []
        for name, plan in self.plans.items():
            kinds = ", ".join(dict.fromkeys(plan.semantics.values()))
            cells = (name, kinds, ", ".join(t.name for t in plan.inputs), ", ".join(t.name for t in plan.outputs))
            rows.append(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        return f"<div><p>{escape(repr(self))}</p>{table}</div>"

    def compile(self) -> Project:
        """Read and compile the project's current files, with the same `vars`. Raises CompileError as `load` does."""
        return Project.load(self.root, vars=self.vars)

    def show(
        self, name: str, *, target: str | None = None, limit: int = 20, tail: bool = False, changes: bool = False
    ) -> Records:
        """Return the first records of a topic on a target, or the rows of a TABLE by key.

        `name`: a topic, or a model that writes one topic. `changes`: return the records of a TABLE. `limit`: the number
        of records; 0: all. `tail`: the last ones. `target`: a name of profiles.yml; None: its default.

        Raises CompileError if the project no longer compiles, and ValueError for a model that writes several topics.
        Raises LsqlcError for an unknown topic or model (LSQ063), for an unknown target, and for records that cannot be
        read.
        """
        from lsqlc.project.workspace import sound
        from lsqlc.tasks.show import ShowRequest, topic_records

        workspace = _opened(self.root, self.vars)
        with _compile_errors():
            sound(workspace.compilation)
        return topic_records(workspace, ShowRequest(name, target, limit, tail, changes))

    def query(
        self, text: str, *, dialect: DialectName | None = None, target: str | None = None, limit: int | None = None
    ) -> Answer:
        """Return what a SELECT gives over the topics of a target as they are now, as `lsqlc query` does.

        `dialect`: that of the text; None: that of the project. `target`: a name of profiles.yml; None: its default.
        `limit`: the number of rows; None: all.

        The answer is iterable, a mapping for each row. Its methods `to_arrow()` and `to_pandas()` return tables.

        Raises CompileError for a query, or a model that it reads, which does not compile. Raises LsqlcError for an
        unknown target, and for records that cannot be read.
        """
        from lsqlc.tasks.query import QueryRequest, answer, compiled_query, open_query

        with _compile_errors():
            workspace = open_query(self.root, QueryRequest(text, dialect), vars=self.vars, environment=dict(os.environ))
            query = compiled_query(workspace)
        rows = answer(query, workspace, target).answer
        return rows if limit is None else rows.first(limit)

    def plan(self, model: str) -> Plan:
        """Return the plan of a model. Raises KeyError if the project has no such model."""
        return self.plans[model]

    def test(self, *, update: Literal["none", "all", "new", "changed", "orphaned"] = "none") -> TestRun:
        """Run the golden cases of the project's current files on DuckDB, and write golden files according to `update`.

        Returns the output of `lsqlc test --output json`, without times. Its text is the output of `lsqlc test`. Raises
        CompileError if the project no longer compiles.
        """
        from lsqlc.report.json_report import run_results
        from lsqlc.report.text import build_text
        from lsqlc.tasks.golden import GoldenRequest, on_duckdb

        compilation = _compiled(self.root, self.vars)
        result = on_duckdb(compilation, GoldenRequest(update=update, ci="CI" in os.environ))
        report = result.for_report()
        results = run_results(report, lsqlc=_release(), command="test", engine="duckdb")
        texts = {**compilation.project.texts, **result.texts}
        return TestRun(results, build_text(replace(report, uncovered=()), texts))

    def diff(
        self,
        against: str | None = None,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        rows: bool = True,
    ) -> Changes:
        """Compare the project's current files with another version, and return the models that differ.

        `against`: a git revision or the path of a manifest; None: the merge base of HEAD and the default branch, else
        HEAD. `select` and `exclude`: selectors. `rows`: run both versions over the golden cases.

        Returns `models` of the output of `lsqlc diff --output json`. Its text is the output of `lsqlc diff`. Raises
        CompileError if the project no longer compiles. Raises LsqlcError if the version does not exist (LSQ069) or has
        errors (LSQ070), or if nothing is selected.
        """
        from lsqlc.project.selection.selectors import Selection
        from lsqlc.report.diff_report import diff_data, diff_summary, diff_text
        from lsqlc.tasks.compare import DiffRequest, diff_models
        from lsqlc.tasks.versions import base_version

        request = DiffRequest(_release(), Selection(tuple(select), tuple(exclude)), rows)
        with base_version(self.root, against, dict(os.environ)) as base, _compile_errors():
            models = diff_models(_opened(self.root, self.vars), base, request).models
        return Changes(diff_data(models), diff_text(models) or diff_summary(models))

    def lint(self, *, fix: bool = False) -> tuple[Diagnostic, ...]:
        """Return the lint findings in the models of the project's current files, with the settings of its project file.

        `fix`: apply and write the fixes, and return the remaining findings. Raises CompileError if the project no
        longer compiles.
        """
        from lsqlc.tasks.lint import LintRequest, lint_project

        with _compile_errors():
            return lint_project(_opened(self.root, self.vars), LintRequest(fix=fix, must_compile=True)).diagnostics

    def format(self, *, write: bool = True) -> dict[str, str]:
        """Format the models of the project's current files, and return the changed texts by path.

        They are written unless `write` is false. Models with errors are not formatted. Raises CompileError if the
        project file cannot be read, and LsqlcError LSQ043 for a file that cannot be written.
        """
        from lsqlc.tasks.fmt import formatted
        from lsqlc.tasks.model_files import write_model

        workspace = _opened(self.root, self.vars)
        files = formatted(workspace, workspace.project.models)
        changed = {f.path: f.after for f in files if f.after is not None and f.status == "formatted"}
        if write:
            unwritten = [d for path, text in changed.items() for d in write_model(self.root, path, text)]
            if unwritten:
                raise LsqlcError(unwritten)
        return changed

    def lineage(self, name: str) -> dict[str, Any]:
        """Return the sources and the uses of the columns of a topic, in the project's current files.

        `name`: a topic, a model for its output, or a column, such as `orders.item`. Returns `columns`, `upstream`,
        `downstream` and `tables` of the output of `lsqlc lineage --output json`. Raises CompileError if the project no
        longer compiles, and LsqlcError for an unknown topic or model (LSQ063) or column (LSQ095).
        """
        from lsqlc.report.lineage_report import lineage_answer
        from lsqlc.tasks.lineage import columns_of, graph_of

        compilation = _compiled(self.root, self.vars, plans=False)
        return lineage_answer(graph_of(compilation), columns_of(compilation, name), compilation.tables)


def _release() -> str:
    from importlib import metadata

    return metadata.version("lsqlc")


@contextmanager
def _compile_errors() -> Iterator[None]:
    """Raise the errors in files of a project as CompileError."""
    from lsqlc.project.workspace import ProjectError

    try:
        yield
    except ProjectError as error:
        raise CompileError(error.diagnostics, error.texts) from None


def _opened(root: Path, vars: Mapping[str, Any]) -> Workspace:
    """Open the project as its files are now. Raises CompileError if there is no readable project file."""
    from lsqlc.project.workspace import open_workspace

    with _compile_errors():
        return open_workspace(root, vars=vars, environment=dict(os.environ))


def _compiled(root: Path, vars: Mapping[str, Any], *, plans: bool = True) -> Compilation:
    """Compile the current files of the project. Raises CompileError for any error."""
    from lsqlc.project.workspace import sound

    with _compile_errors():
        return sound(_opened(root, vars).compile(plans=plans))


def _own_functions(text: str, dialect: DialectName) -> own_functions.Declared:
    from lsqlc.bind.own_functions import Declared
    from lsqlc.project.declared.own_functions import read_own_functions

    return read_own_functions({"<functions>": text}, dialect, (dialect,)) if text else Declared({}, ())


def _declared(topics: Iterable[Topic]) -> tuple[dict[str, model.Topic], list[Diagnostic]]:
    from lsqlc.project.declared.event_times import event_time_fault
    from lsqlc.project.declared.facets import FacetError, facet_of, intervals_of, key_of
    from lsqlc.project.declared.schema_files import ReadableFiles, listed_endings
    from lsqlc.project.files import names_in, read_file

    files = ReadableFiles(lambda path: read_file(path, path), lambda folder: names_in(Path(folder), listed_endings()))

    declared: dict[str, model.Topic] = {}
    problems: list[Diagnostic] = []
    for topic in topics:
        facets = []
        for name, declaration, read in (("key", topic.key, key_of), ("value", topic.value, facet_of)):
            try:
                facets.append(read(declaration, files))
            except FacetError as error:
                problems += error.diagnostics
                if error.diagnostics:
                    continue
                message = f"the {name} of the topic '{topic.name}': {error}"
                problems.append(Diagnostic(error.code, message, help=error.help))
        if len(facets) == 2:
            key, value = facets
            if topic.event_time is not None and (fault := event_time_fault(topic.event_time, value)):
                problems.append(Diagnostic("LSQ016", f"the topic '{topic.name}': {fault[0]}", help=fault[1]))
            declared[topic.name] = model.Topic(
                topic.name, key, value, topic.event_time, topic.partitions, intervals=intervals_of(topic.value)
            )
    return declared, problems
