"""The public Python API. Everything else in this package is private.

plan = lsqlc.compile(text, topics=[lsqlc.Topic("customers", key="INT", value="id INT, name STRING")])
out = lsqlc.evaluate(plan, [lsqlc.Record("customers", key=1, value={"id": 1, "name": "John"}, timestamp=0)])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lsqlc.diagnostics import Diagnostic, LsqlcError, by_severity, errors, listing
from lsqlc.plan import Plan
from lsqlc.report.frames import Records
from lsqlc.report.notebook import Changes, TestRun
from lsqlc.types import record as model
from lsqlc.types.record import Case, Record

if TYPE_CHECKING:
    from lsqlc.bind import own_functions
    from lsqlc.dialects import DialectName
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Project as ProjectFiles

__all__ = ["CompileError", "Plan", "Project", "Record", "Records", "Topic", "compile", "evaluate"]

Declared = str | Mapping[str, Any] | None


class CompileError(LsqlcError):
    """A program, project or topic that does not compile. As text it is what `lsqlc compile` prints: each finding with
    its line and carets under the words.

    `diagnostics` is everything that was found, in order of the text; each has `.code`, `.message`, `.line` and
    `.column` (from 1, in code points; None for what has no place).
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], texts: Mapping[str, str] | None = None) -> None:
        """`texts`: by path, what the findings are about."""
        super().__init__(diagnostics)
        self._texts = dict(texts or {})

    def __str__(self) -> str:
        from lsqlc.diagnostics.render import render_all

        return render_all(by_severity(self.diagnostics), self._texts)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that a program may name.

    `key` and `value` are a type (`"INT"`), DDL columns (`"id INT, name STRING"`), the path of an Avro (`.avsc`) or JSON
    Schema (`.json`) file, or a mapping with `format` and `schema`; None is a facet that is absent. `event_time` is the
    value field, dotted where nested, that is the record's time. `partitions` is the number of partitions, where it is
    known.
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
    """The plan of a program. `name` is the target of a bare SELECT.

    `dialect`: `lenses`, `sql`, or `ksql`, whose programs declare their topics themselves; `topics` then says what is
    known of them besides.

    `nullability`: `strict` turns on the documented check that refuses operands which may be null.

    `materialized`, `key` and `key_format` are for the dialect `sql`, as `config()` in a model: what the query makes,
    the columns that are the key of its result, and whether one column that may be null is a key without a struct;
    without them they follow from the query.

    `functions`: `CREATE FUNCTION` statements in the same dialect, which the program may call.

    `error_policy` and `dead_letters`, as `config()` in a model: what happens to records that cannot be read, and the
    topic of dead letters, where the program does not set it.

    Raises CompileError with all that is wrong in the text, in the functions or in a topic's declaration, and ValueError
    for a dialect, nullability, error policy, format of keys or kind of result that does not exist, or one that is not
    for the dialect.
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
    found = [*problems, *parsed.diagnostics]
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
        found += compiled.diagnostics
        if compiled.plan is not None:
            return compiled.plan
    raise CompileError(found, {"<text>": text, "<functions>": functions})


def evaluate(
    plan: Plan,
    records: Iterable[Record] = (),
    *,
    engine: Literal["duckdb", "spark"] = "duckdb",
    batches: Iterable[Iterable[Record]] | None = None,
    now: int = 0,
) -> dict[str, Records]:
    """What a plan gives for records in order of arrival: every topic that the program writes.

    A TABLE's live rows come by key (numbers by value, text by code point, structs field by field, null first), a
    STREAM's records by ordinal; every field of the schema is present. `batches` instead of `records` says how a
    streaming engine cuts them; DuckDB sees them all at once. `now`: epoch milliseconds, for clock functions. The
    engine `spark` starts an embedded server for the process; it needs no cluster. Each list of records has
    `to_arrow()`, `to_pandas()` and `to_polars()`.

    Raises ValueError if both records and batches are given, the engine is unknown or `now` is not of the days from
    1970-01-01 to 9999-12-30, LsqlcError for records that do not fit their topics (LSQ430) and for what an engine cannot
    run.
    """
    if not 0 <= now <= model.LATEST - 86_400_000:
        raise ValueError(f"'now' must be a time from 1970-01-01 to 9999-12-30 in epoch milliseconds, not {now}")
    given = tuple(records)
    if batches is not None and given:
        raise ValueError("give records or batches, not both")
    cut = tuple(tuple(batch) for batch in batches) if batches is not None else (given,)
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
    """A project that compiles: its models' plans by name, in order of dependency. `vars` are those that it was loaded
    with.
    """

    root: Path
    name: str
    plans: Mapping[str, Plan]
    diagnostics: tuple[Diagnostic, ...]
    vars: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | Path, *, vars: Mapping[str, Any] | None = None) -> Project:
        """Read and compile the project in a folder. `vars` take precedence over those of its project file.

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
        """The project's files as they are now, with the same `vars`. Raises CompileError as `load`."""
        return Project.load(self.root, vars=self.vars)

    def show(
        self, name: str, *, target: str | None = None, limit: int = 20, tail: bool = False, changes: bool = False
    ) -> Records:
        """The first records of a topic on a target, or the rows of a TABLE by key; with `changes`, the records of a
        TABLE too. `name`: a topic, or a model that writes one topic. `limit` 0: all; `tail`: the last ones. `target`:
        a name of profiles.yml; None: its default.

        Raises CompileError if the project no longer compiles, LsqlcError for an unknown topic or model (LSQ063) or
        target, and for records that cannot be read, and ValueError for a model that writes several topics.
        """
        from lsqlc.project.declared.profiles import load_target
        from lsqlc.tasks.run_target import open_target
        from lsqlc.tasks.show import part, records_of, topics_named

        compilation = _compiled(self.root, self.vars)
        described, problems = load_target(self.root, target, dict(os.environ))
        if described is None:
            raise LsqlcError(problems)
        topics = topics_named(compilation, name)
        if len(topics) > 1:
            raise ValueError(f"the model '{name}' writes {', '.join(repr(t.name) for t in topics)}; name one of them")
        (topic,) = topics
        kinds = {t: kind for plan in compilation.plans.values() for t, kind in plan.semantics.items()}
        rows = kinds.get(topic.name) == "TABLE" and not changes
        plans, known = compilation.plans.values(), compilation.topics.values()
        place = open_target(self.root, described, plans, known, compilation.project)
        found = part(records_of(topic, place.log, self.root, rows=rows), limit, tail)
        return Records(topic, found.records, times=not rows, total=found.total)

    def plan(self, model: str) -> Plan:
        """The plan of a model. Raises KeyError if the project has no such model."""
        return self.plans[model]

    def test(self, *, update: Literal["none", "new", "changed", "orphaned", "all"] = "none") -> TestRun:
        """Run the golden cases of the project's files as they are now on DuckDB, and write golden files as `update`
        says.

        Returns what `lsqlc test --output json` prints, without times; as text it is what `lsqlc test` prints. Raises
        CompileError if the project no longer
        compiles.
        """
        from lsqlc.lower.duckdb import evaluate
        from lsqlc.report.command_result import CommandResult
        from lsqlc.report.json_report import run_results
        from lsqlc.report.text import build_text
        from lsqlc.tasks.golden import run_goldens

        compilation = _compiled(self.root, self.vars)
        tested = run_goldens(compilation, evaluate, update=update, fail_fast=False, whole=True, ci="CI" in os.environ)
        results = run_results(
            CommandResult(compilation, tested.run, diagnostics=tested.diagnostics, uncovered=tested.uncovered),
            lsqlc=_release(),
            command="test",
            engine="duckdb",
        )
        sources = {**compilation.project.texts, **tested.texts}
        return TestRun(
            results, build_text(CommandResult(compilation, tested.run, diagnostics=tested.diagnostics), sources)
        )

    def diff(
        self,
        against: str | None = None,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        rows: bool = True,
    ) -> Changes:
        """The models of the project's files as they are now that differ from another version, a git revision or the
        path of a manifest; None: the merge base of HEAD and the default branch, else HEAD. `select` and `exclude` are
        selectors; `rows`: both versions are run over the golden cases.

        Returns `models` of what `lsqlc diff --output json` prints; as text it is what `lsqlc diff` prints. Raises
        CompileError if the project no longer compiles, LsqlcError if there is no such version (LSQ069), it has errors
        (LSQ070), or nothing is selected.
        """
        from lsqlc.project.versions.revisions import default_base
        from lsqlc.report.diff_report import diff_data, diff_summary, diff_text
        from lsqlc.tasks.compare import differences

        environment = dict(os.environ)
        found = differences(
            self.root,
            default_base(self.root, environment).commit if against is None else against,
            self.vars,
            environment,
            lambda: _compiled(self.root, self.vars, plans=False),
            _release(),
            select=tuple(select),
            exclude=tuple(exclude),
            rows=rows,
        )
        return Changes(diff_data(found), diff_text(found) or diff_summary(found))

    def lint(self, *, fix: bool = False) -> tuple[Diagnostic, ...]:
        """What could be improved in the models of the project's files as they are now, by the settings of its project
        file. `fix`: the fixes of findings are made and written; what is left is returned.

        Raises CompileError if the project no longer compiles.
        """
        from lsqlc.tasks.lint import Wanted, findings, fixed
        from lsqlc.tasks.model_files import write_model

        def look(project: ProjectFiles) -> tuple[Diagnostic, ...]:
            return findings(_compilation(project, plans=False), Wanted())

        compilation = _compiled(self.root, self.vars, plans=False)
        found = findings(compilation, Wanted())
        if not fix:
            return found
        result = fixed(compilation.project, found, lambda texts: _loaded(self.root, self.vars, texts), look)
        unwritten = [d for path, text in result.changed.items() for d in write_model(self.root, path, text)]
        return (*result.found, *unwritten)

    def format(self, *, write: bool = True) -> dict[str, str]:
        """The models of the project's files as they are now that are not in the one form: their formatted texts by
        path, which are written unless `write` is false. Models with errors are not formatted.

        Raises CompileError if the project's file cannot be read, LsqlcError LSQ043 for a file that cannot be written.
        """
        from lsqlc.tasks.fmt import formatted
        from lsqlc.tasks.model_files import write_model

        project = _loaded(self.root, self.vars)
        files = formatted(project, project.models, lambda texts: _loaded(self.root, self.vars, texts))
        changed = {f.path: f.after for f in files if f.after is not None and f.status == "formatted"}
        if write:
            unwritten = [d for path, text in changed.items() for d in write_model(self.root, path, text)]
            if unwritten:
                raise LsqlcError(unwritten)
        return changed

    def lineage(self, name: str) -> dict[str, Any]:
        """What the columns of a topic come from, and what comes of them, by the project's files as they are now.
        `name`: a topic, a model for what it writes, or a column of one, such as `orders.item`.

        Returns `columns`, `upstream` and `downstream` as `lsqlc lineage --output json` prints them. Raises CompileError
        if the project no longer compiles, LsqlcError for an unknown topic or model (LSQ063) or column (LSQ095).
        """
        from lsqlc.report.lineage_report import lineage_answer
        from lsqlc.tasks.lineage import columns_of, graph_of

        compilation = _compiled(self.root, self.vars, plans=False)
        return lineage_answer(graph_of(compilation), columns_of(compilation, name))


def _release() -> str:
    from importlib import metadata

    return metadata.version("lsqlc")


def _loaded(root: Path, vars: Mapping[str, Any], contents: Mapping[str, bytes] | None = None) -> ProjectFiles:
    from lsqlc.project.discovery import load_project

    loaded = load_project(root, vars=vars, environment=dict(os.environ), contents=contents)
    if loaded.project is None:
        raise CompileError(loaded.diagnostics, loaded.texts)
    return loaded.project


def _compilation(project: ProjectFiles, *, plans: bool = True) -> Compilation:
    from lsqlc.project.build.compile import compile_project

    return compile_project(project, plans=plans)


def _compiled(root: Path, vars: Mapping[str, Any], *, plans: bool = True) -> Compilation:
    compilation = _compilation(_loaded(root, vars), plans=plans)
    if errors(compilation.diagnostics):
        raise CompileError(compilation.diagnostics, compilation.project.texts)
    return compilation


def _own_functions(text: str, dialect: DialectName) -> own_functions.Declared:
    from lsqlc.bind.own_functions import Declared
    from lsqlc.project.declared.own_functions import read_own_functions

    return read_own_functions({"<functions>": text}, dialect, (dialect,)) if text else Declared({}, ())


def _declared(topics: Iterable[Topic]) -> tuple[dict[str, model.Topic], list[Diagnostic]]:
    from lsqlc.project.declared.event_times import event_time_fault
    from lsqlc.project.declared.facets import FacetError, facet_of
    from lsqlc.project.declared.schema_files import ReadableFiles, listed_endings
    from lsqlc.project.files import names_in, read_file

    files = ReadableFiles(lambda path: read_file(path, path), lambda folder: names_in(Path(folder), listed_endings()))

    declared: dict[str, model.Topic] = {}
    problems: list[Diagnostic] = []
    for topic in topics:
        facets = []
        for name, given in (("key", topic.key), ("value", topic.value)):
            try:
                facets.append(facet_of(given, files))
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
            declared[topic.name] = model.Topic(topic.name, key, value, topic.event_time, topic.partitions)
    return declared, problems
