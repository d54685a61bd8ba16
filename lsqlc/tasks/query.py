"""`lsqlc query`: the rows of a query over the topics of a target as they are now.

The query is compiled as a model of the project would be, and DuckDB evaluates its plan. So the answer has the rows that
a model with this text would have written. ORDER BY and LIMIT at its end sort and cut the answer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc.bind.limits import Limits
from lsqlc.bind.trace import Trace, TracedSource
from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.dialects import dialect
from lsqlc.formats.windows import windowed
from lsqlc.plan import Plan
from lsqlc.plan.expression import Field
from lsqlc.plan.nodes import Scan
from lsqlc.project.declared.config import project_config
from lsqlc.project.discovery import AD_HOC
from lsqlc.project.model import Model
from lsqlc.project.selection.selectors import Selection
from lsqlc.project.workspace import ProjectError, Workspace, open_workspace
from lsqlc.report.answers import Answer, AnswerColumn
from lsqlc.syntax.ad_hoc import AdHocQuery, SortColumn
from lsqlc.types import data
from lsqlc.types.codec_order import sort_key
from lsqlc.types.data import Struct
from lsqlc.types.record import Facet, Outcome, Record, Topic

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.declarations import TopicDeclaration
    from lsqlc.tasks.run_target import RunTarget

# The path of a query in messages, and the name of the model that it is compiled as.
PATH = "<query>"
NAME = f"{AD_HOC}query"
_FILE = f"{NAME}.sql"
_BOUNDS = ("start", "end")


@dataclass(frozen=True, slots=True)
class Query:
    """A query that compiles. `columns`: of its rows, with those that are `hidden`. `warnings` are in its text;
    `model_topics`: the topics that models of the project write. `follows`: later changes are asked for, too. `tables`:
    the topics of Delta tables that it reads.
    """

    plan: Plan
    columns: tuple[AnswerColumn, ...]
    order: tuple[SortColumn, ...]
    hidden: frozenset[str]
    limit: int | None
    warnings: tuple[Diagnostic, ...]
    model_topics: frozenset[str]
    follows: bool = False
    tables: tuple[TopicDeclaration, ...] = ()
    offset: int = 0

    @property
    def topic(self) -> Topic:
        """The schema of its rows."""
        (topic,) = _results(self.plan)
        return topic

    @property
    def shown(self) -> tuple[AnswerColumn, ...]:
        """The columns that are not hidden."""
        return tuple(column for column in self.columns if column.name not in self.hidden)


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The rows of a query. `empty_topics`: the topics without records that it reads."""

    answer: Answer
    empty_topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """The query that a command asks for. `dialect`: None: that of the project."""

    text: str
    dialect: str | None = None


def open_query(
    root: Path,
    request: QueryRequest,
    *,
    vars: Mapping[str, Any],
    environment: Mapping[str, str],
    release: str | None = None,
) -> Workspace:
    """Open a project with a query as one of its models. `vars`, `environment`, `release`: see `open_workspace`. Raises
    ProjectError if there is no readable project file.
    """
    contents = query_files(project_config(root).model_paths[0], request.text, request.dialect)
    return open_workspace(root, vars=vars, environment=environment, contents=contents, release=release)


def query_files(folder: str, text: str, language: str | None) -> dict[str, bytes]:
    """Return the files that make a query a model, by path. `folder`: one of those with models."""
    # A text that is not Unicode is reported as a file that is not UTF-8.
    files = {f"{folder}/{_FILE}": text.encode("utf-8", "surrogatepass")}
    if language is not None:
        files[f"{folder}/{NAME}.yml"] = f"models: [{{name: {NAME}, config: {{dialect: {language}}}}}]".encode()
    return files


def compiled_query(workspace: Workspace, follow: bool | None = False) -> Query:
    """Return the query of a project that `open_query` has opened. `follow`: it is asked for later changes, too; None:
    if its text says so. Raises ProjectError with the errors of the query, or of a model whose topic it reads.
    """
    try:
        return _compiled(workspace, follow)
    except LsqlcError as error:
        texts = workspace.project.texts
        text = next((text for path, text in texts.items() if path.endswith(_FILE)), "")
        raise ProjectError(error.diagnostics, {**texts, PATH: text}) from None


def _compiled(workspace: Workspace, follow: bool | None) -> Query:
    from lsqlc.tasks.delta_topics import delta_topics

    project = workspace.project
    compilation = _other_models(workspace)
    model = project.model(NAME)
    if model is None or model.text is None:
        own = [_at_query(d) for d in project.diagnostics if d.is_error]
        raise LsqlcError([d for d in own if d.span is not None and d.span.path == PATH] or own)
    language = dialect(model.dialect)
    parsed = language.parse(model.text, model.path)
    if parsed.program is None:
        raise LsqlcError(_at_query(model.at_home(d)) for d in parsed.diagnostics)
    of_project = declarations(compilation) if language.declares_sources else {}
    ad_hoc = language.ad_hoc(parsed.program, of_project)
    if isinstance(ad_hoc, Diagnostic):
        # A model with errors creates nothing, which may be why a name is not known.
        failed = [name for name, build in compilation.models.items() if build.status == "failed"]
        notes = (f"models with errors: {listing(failed)}",) if failed else ()
        raise LsqlcError([replace(_at_query(model.at_home(ad_hoc)), notes=(*ad_hoc.notes, *notes))])
    follows = ad_hoc.pushes if follow is None else follow
    if follows and ad_hoc.order:
        # The rows that are first by an order change, as those of a model do.
        ad_hoc = AdHocQuery(parsed.program, columns=ad_hoc.columns)
    trace = Trace()
    bound = language.bind(
        ad_hoc.program,
        compilation.topics,
        name=NAME,
        nullability=model.nullability,
        limits=Limits(grace=project.config.defaults.grace, retention=project.config.defaults.retention),
        subjects=project.subjects,
        materialized=model.materialized,
        trace=trace,
        functions=project.functions,
        errors=model.errors,
    )
    if bound.plan is None:
        missing = [name.text for name in ad_hoc.program.reads if name.text not in compilation.topics]
        of_files = [d for d in project.diagnostics if d.is_error and not (d.span and d.span.path.endswith(_FILE))]
        if of_files and not project.broken_topics.isdisjoint(missing):
            # The errors in its declaration explain why a topic is unknown.
            raise LsqlcError(of_files)
        of_models = [d for d in compilation.diagnostics if d.is_error]
        if of_models and any(topic in compilation.graph.writers for topic in missing):
            # The errors in its model explain why a topic is unknown.
            raise LsqlcError(of_models)
        raise LsqlcError(_in_query(bound.diagnostics, ad_hoc, model))
    topic, *others = _results(bound.plan)
    if others:
        message = f"the query writes {listing(t.name for t in (topic, *others))}"
        raise LsqlcError([Diagnostic("LSQ882", message, help="write one query: SELECT ...")])
    columns = _selected(tuple(_columns(topic, trace, ad_hoc)), ad_hoc.names)
    hidden_columns = frozenset((*ad_hoc.hidden, *(order.name for order in ad_hoc.order)))
    warnings = _in_query(bound.diagnostics, ad_hoc, model)
    model_topics = frozenset(compilation.graph.writers)
    tables = tuple(delta_topics(project.topics, {topic.name for topic in bound.plan.inputs}))
    return Query(
        bound.plan,
        columns,
        ad_hoc.order,
        hidden_columns,
        ad_hoc.limit,
        warnings,
        model_topics,
        follows,
        tables,
        ad_hoc.offset,
    )


def _other_models(workspace: Workspace) -> Compilation:
    """Compile the models of the project without the query."""
    return workspace.compile(Selection(exclude=(NAME,)), plans=workspace.declares_topics)


def answer(query: Query, workspace: Workspace, target: str | None = None) -> QueryAnswer:
    """Return the rows of a query over the topics as they are now. `target`: a name of profiles.yml; None: its default.

    Raises LsqlcError for an unknown target, for topics and records that cannot be read, and as the engine does.
    """
    place = opened_for(query, workspace, target)
    return QueryAnswer(_evaluated(query, place, workspace.root), empty_topics(query, place))


def opened_for(query: Query, workspace: Workspace, target: str | None = None) -> RunTarget:
    """Open a target for a query. Raises LsqlcError as `open_target` and `load_topics`, and for an unknown target."""
    from lsqlc.tasks.delta_topics import load_topics
    from lsqlc.tasks.run_target import open_target

    plan = query.plan
    place = open_target(workspace.root, workspace.target(target), (plan,), plan.inputs, workspace.project)
    load_topics(query.tables, place)
    return place


def empty_topics(query: Query, place: RunTarget) -> tuple[str, ...]:
    """Return the topics without records that a query reads."""
    return tuple(t.name for t in query.plan.inputs if t.files is None and place.log.is_empty(t.name))


def _evaluated(query: Query, place: RunTarget, root: Path) -> Answer:
    from lsqlc.lower.duckdb import Session
    from lsqlc.tasks.topic_lines import TopicLines

    plan = place.ordered(query.plan)
    with tempfile.TemporaryDirectory(prefix="lsqlc-query-") as folder:
        lines = TopicLines({NAME: plan}, place.log, root, Path(folder))
        outcome = Session().evaluate_logs(plan, lines.of(plan), root=root)
    return sorted_answer(query, rows_of(query, outcome))


def rows_of(query: Query, outcome: Outcome) -> list[Record]:
    """Return the records of a query's rows: of a TABLE by key, of a STREAM in order of the log."""
    records = outcome.topics[query.topic.name]
    if query.plan.semantics[query.topic.name] == "TABLE":
        return [record for record in records if record.value is not None]
    return list(records)


def sorted_answer(query: Query, rows: list[Record]) -> Answer:
    """Return the answer of a query with such rows: sorted, and cut by its LIMIT and OFFSET."""
    by_name = {column.name: column for column in query.columns}
    # The least significant column first: sorting is stable.
    for order in reversed(query.order):
        rows = _by_column(rows, by_name[order.name], order)
    columns = query.shown
    limited = rows[query.offset : query.limit]
    return Answer(columns, tuple(tuple(column.value(r) for column in columns) for r in limited), len(limited))


def _by_column(rows: list[Record], column: AnswerColumn, order: SortColumn) -> list[Record]:
    """Return the rows sorted by a column. Rows that are equal in it keep their order."""
    nulls = [row for row in rows if column.value(row) is None]
    others = [row for row in rows if column.value(row) is not None]
    others.sort(key=lambda row: sort_key(column.type, column.value(row)), reverse=order.descending)
    return [*nulls, *others] if order.nulls_first else [*others, *nulls]


def _results(plan: Plan) -> tuple[Topic, ...]:
    """Return the topics that a plan writes rows to, other than bad records."""
    return tuple(topic for topic in plan.outputs if topic != plan.dead_letters)


def _selected(columns: tuple[AnswerColumn, ...], names: tuple[str, ...]) -> tuple[AnswerColumn, ...]:
    """Return the columns in the order of some names, followed by the hidden ones. Without names the order stays."""
    by_name = {column.name: column for column in columns}
    return tuple(by_name[name] for name in names) if names and set(names) <= by_name.keys() else columns


def _columns(topic: Topic, trace: Trace, ad_hoc: AdHocQuery) -> Iterator[AnswerColumn]:
    """Return the columns of the rows."""
    if ad_hoc.columns == "of source":
        for column in trace.sources[ad_hoc.program.writes[0].text].columns:
            place = column.expression
            assert isinstance(place, Field), "a column of what a query creates is a part of its record"
            field = place.path[0] if place.path else None
            is_bound = place.facet == "key" and windowed(topic.key.format) is not None and field in _BOUNDS
            yield AnswerColumn(column.name, place.type, place.facet, field, is_bound)
        return
    yield from columns_of(topic, keys=ad_hoc.columns == "of record")


def columns_of(topic: Topic, *, keys: bool = True) -> Iterator[AnswerColumn]:
    """Yield the columns of a topic's records: with `keys` those of the key, and those of the value."""
    of_key = tuple(_of_facet("key", topic.key, "_key", "_key.")) if keys else ()
    yield from of_key
    names = {column.name for column in of_key}
    for each in _of_facet("value", topic.value, "_value", ""):
        yield replace(each, name=f"_value.{each.name}") if each.name in names else each


def _of_facet(name: str, facet: Facet, whole: str, prefix: str) -> Iterator[AnswerColumn]:
    if facet.type == data.NULL:
        return
    if not isinstance(facet.type, Struct) or not facet.type.fields:
        yield AnswerColumn(whole, facet.type, name, None)
        return
    is_windowed = name == "key" and windowed(facet.format) is not None
    for field in facet.type.fields:
        yield AnswerColumn(f"{prefix}{field.name}", field.type, name, field.name, is_windowed and field.name in _BOUNDS)


@dataclass(frozen=True, slots=True)
class DeclaredSource:
    """A stream or table of the project's programs. `text`: the statement that declares it; `model`: the program."""

    text: str
    model: str
    source: TracedSource


def declared_sources(compilation: Compilation) -> dict[str, DeclaredSource]:
    """Return the streams and tables of the project's programs, by name. Where several programs declare a name, the one
    that creates it by a query takes precedence.
    """
    project = compilation.project
    created: dict[str, DeclaredSource] = {}
    declared: dict[str, DeclaredSource] = {}
    for model in project.models:
        language = dialect(model.dialect)
        if model.name == NAME or model.text is None or not language.declares_sources:
            continue
        parsed = compilation.linked.parsed.get(model.name) if compilation.linked is not None else None
        program = (parsed or language.parse(model.text, model.path)).program
        if program is None:
            continue
        trace = Trace()
        language.bind(program, compilation.topics, name=model.name, subjects=project.subjects, trace=trace)
        for name, text in trace.declarations.items():
            source = trace.sources[name]
            of_query = not isinstance(source.node, Scan)
            (created if of_query else declared).setdefault(name, DeclaredSource(text, model.name, source))
    return {**declared, **created}


def declarations(compilation: Compilation) -> dict[str, str]:
    """Return the statements that declare the streams and tables of the project's programs, by name."""
    return {name: each.text for name, each in declared_sources(compilation).items()}


def _in_query(diagnostics: Sequence[Diagnostic], ad_hoc: AdHocQuery, model: Model) -> tuple[Diagnostic, ...]:
    return tuple(_at_query(model.at_home(ad_hoc.in_query(d))) for d in diagnostics)


def _at_query(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic of the query as a model with its position in the query."""
    span = diagnostic.span
    if span is None or not span.path.endswith(_FILE):
        return diagnostic
    return replace(diagnostic, span=replace(span, path=PATH))
