"""Compilation of a project: parse every model, order them, and bind each to the topics of the models above it.

An error is reported once: a model that reads a topic of a failed model is skipped with a note. The binder checks names
of topics, and whether results fit a declared topic. This module passes the topics to the binder.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec
from msgspec import structs

from lsqlc.bind.limits import Limits
from lsqlc.bind.own_function import called_by
from lsqlc.bind.trace import Trace
from lsqlc.diagnostics import Diagnostic, Severity, Span, order
from lsqlc.dialects import dialect
from lsqlc.formats.subjects import subject_of
from lsqlc.lint import ignore
from lsqlc.plan import Plan
from lsqlc.plan.lineage import lineage, lineage_data
from lsqlc.plan.plan import Compiled
from lsqlc.project.build.cache import diagnostic_data, diagnostic_from
from lsqlc.project.build.entries import Entry, digest, entry, places
from lsqlc.project.build.followed import DeclaredTable, declared_tables
from lsqlc.project.build.latency import latency_errors
from lsqlc.project.build.linking import Linked, have_errors, learn, learned_from, link, link_project, parse, source, top
from lsqlc.project.build.manifest import manifest, topic_data
from lsqlc.project.build.parallel_compile import SMALLEST, Lost, Side, in_two, parsed_here, shares
from lsqlc.project.build.read_formats import other_formats
from lsqlc.project.build.starts import declared_starts, partial_tables, unfit_histories, written_with_start
from lsqlc.project.declared.declarations import TOPIC_NAME
from lsqlc.project.model import Model, Project
from lsqlc.project.selection.graph import Graph, Node
from lsqlc.project.selection.selectors import Selectable, Selection, select_models
from lsqlc.syntax.program import Program
from lsqlc.types.record import Topic

Status = Literal["compiled", "cached", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class ModelBuild:
    """The result of one model.

    `plan`: only with the status `compiled`. `summary`: its part of the manifest, also with the status `cached`.
    `outputs`: the topics that it writes, with schemas. `diagnostics`: in the model's file.
    """

    name: str
    status: Status
    plan: Plan | None = None
    summary: Mapping[str, Any] | None = None
    outputs: tuple[Topic, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of compiling a project.

    `selected`: the requested models. `models`: these and the models above them, in order of dependency. `diagnostics`:
    all, including those of loading, ordered by position; `project.texts` has the texts. `ignored`: diagnostics that
    comments suppress. `linked`: the linked project, from which more models can be compiled. `tables`: those that follow
    topics.
    """

    project: Project
    graph: Graph
    selected: frozenset[str]
    models: Mapping[str, ModelBuild]
    diagnostics: tuple[Diagnostic, ...]
    ignored: tuple[Diagnostic, ...] = ()
    linked: Linked | None = None
    tables: tuple[DeclaredTable, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not any(d.is_error for d in self.diagnostics)

    @property
    def plans(self) -> dict[str, Plan]:
        """The plans of the selected models that have one, in order of dependency."""
        return {n: b.plan for n, b in self.models.items() if n in self.selected and b.plan is not None}

    @property
    def topics(self) -> dict[str, Topic]:
        """All topics by name: the declared ones, outputs of models, and declarations in programs, as far as there are
        plans.
        """
        inputs = [t for build in self.models.values() if build.plan is not None for t in build.plan.inputs]
        of_ksqldb = _topics_of_ksqldb(self.linked) if self.linked is not None else frozenset()
        declared = {t.topic.name: replace(t.topic, ksql_json=t.topic.name in of_ksqldb) for t in self.project.topics}
        outputs = {t.name: t for build in self.models.values() for t in build.outputs}
        return {t.name: t for t in inputs} | declared | outputs

    @property
    def semantics(self) -> dict[str, str]:
        """STREAM or TABLE, by output topic of the models."""
        return {t: s for b in self.models.values() if b.summary for t, s in b.summary["semantics"].items()}

    @property
    def entries(self) -> dict[str, Entry]:
        """The cache entries for the next build, by model."""
        return {name: build.entry for name, build in self.models.items() if build.entry is not None}

    def written(self, model: str) -> tuple[tuple[str, Span], ...]:
        """Return the topics that a model's statements write, with their positions, without the dead-letter topic."""
        return self.linked.nodes[model].writes if self.linked is not None else ()

    def only(self, models: Collection[str]) -> Compilation:
        """Return the compilation reduced to some of its models."""
        builds = {name: build for name, build in self.models.items() if name in models}
        return replace(self, models=builds, selected=frozenset(models))

    def manifest(self, version: str) -> dict[str, Any]:
        """Return the manifest. `version`: of lsqlc."""
        summaries = {name: build.summary for name, build in self.models.items() if build.summary is not None}
        return manifest(self.project, self.graph, summaries, version)


def compile_project(
    project: Project,
    *,
    select: Selection | None = None,
    cache: Mapping[str, Entry] | None = None,
    plans: bool = True,
    states: Mapping[str, frozenset[str]] | None = None,
    linked: Linked | None = None,
    processes: int = 1,
) -> Compilation:
    """Compile the selected models and their dependencies. Never raises for bad input.

    `cache`: entries of earlier builds; a model with a valid entry is only compiled if its plan is needed. `plans`
    False: no plan is needed, only the manifest. `states`: see `select_models`. `linked`: the linked project, if
    available. `processes`: the number of processes without plans, see `parallel_compile`.
    """
    in_two_processes = None
    if processes > 1 and not plans and select in (None, Selection()) and linked is None:
        in_two_processes = _in_two(project, cache or {})
    linked = linked or (in_two_processes[0] if in_two_processes else link_project(project, cache))
    selectable = [Selectable(m.name, m.path, m.tags) for m in project.models]
    selected, problems = select_models(
        select or Selection(), selectable, linked.graph, states, project.config.selectors
    )
    required = linked.graph.above(selected)
    builder = _Builder(linked, cache or {}, selected if plans else frozenset())
    builds = (
        in_two_processes[1]
        if in_two_processes
        else {name: builder.build(name) for name in linked.graph.order if name in required}
    )
    for name in sorted(required.difference(builds)):
        # It is part of a cycle or below one, which is reported separately.
        builds[name] = ModelBuild(name, "skipped")
    paths = {m.path for m in project.models if m.name not in required}
    reported = [d for d in linked.diagnostics if d.span is None or d.span.path not in paths]
    reported += [d for build in builds.values() for d in build.diagnostics]
    reported += _misused_dead_letters(linked, builds)
    reported += written_with_start(project.topics, linked.graph.writers)
    reported += unfit_histories(project.topics)
    tables, unfit_tables = declared_tables(project, builds, {name: linked.nodes[name].writes for name in builds})
    reported += unfit_tables
    reported = [d for d in reported if d.code not in project.config.lint.ignore]
    after_ignores = ignore(reported, {m.path: m.raw for m in project.models})
    return Compilation(
        project,
        linked.graph,
        selected,
        builds,
        order((*problems, *after_ignores.remaining)),
        after_ignores.ignored,
        linked,
        tables,
    )


def _topics_of_ksqldb(linked: Linked) -> frozenset[str]:
    """Return the topics of programs with ksqlDB's JSON encoding. It applies to them in all models."""
    of_ksqldb = (m.name for m in linked.project.models if m.name in linked.nodes and dialect(m.dialect).ksql_json)
    nodes = [linked.nodes[name] for name in of_ksqldb]
    return frozenset(topic for node in nodes for topic, _ in (*node.reads, *node.writes))


def _in_two(project: Project, cache: Mapping[str, Entry]) -> tuple[Linked, dict[str, ModelBuild]] | None:
    """Link and compile all models in two processes.

    Returns None for a small project, and after an error: its message may need data of both processes.
    """
    sources = {name: each.source for name, each in cache.items()}
    fresh = sum(sources.get(m.name) != source(m) for m in project.models) if sources else len(project.models)
    if fresh < SMALLEST or have_errors(project.diagnostics):
        return None
    return in_two(lambda side: _half(side, project, cache))


def _half(side: Side, project: Project, cache: Mapping[str, Entry]) -> tuple[Linked, dict[str, ModelBuild]]:
    """Do the work of one side of `_in_two`. Raises Lost if one process must do all work."""
    own = parsed_here(project.models, is_fork=side.is_fork)
    parsed = {m.name: learn(m, cache) for m in project.models if m.name in own}
    others = side.exchange({name: each.data() for name, each in parsed.items()})
    linked = link(project, {m.name: parsed.get(m.name) or learned_from(m, others[m.name]) for m in project.models})
    if have_errors(linked.diagnostics):
        raise Lost
    here, there = shares(project.models, linked.graph, frozenset(linked.graph.order))
    builder = _Builder(linked, cache, frozenset())
    mine = linked.graph.above(there) if side.is_fork else here
    builds = {name: builder.build(name) for name in linked.graph.order if name in mine}
    if any(build.entry is None for build in builds.values()):
        raise Lost
    if side.is_fork:
        side.send([_build_data(builds[name]) for name in there])
    elif there:
        for data in side.receive():
            builds[data[0]] = _build_from(linked.nodes[data[0]], data)
    return linked, {name: builds[name] for name in linked.graph.order}


def _build_data(build: ModelBuild) -> tuple[Any, ...]:
    """Return a compiled model as plain data."""
    cache_entry = build.entry
    assert cache_entry is not None
    diagnostics = [diagnostic_data(d) for d in build.diagnostics]
    return (
        build.name,
        build.status,
        cache_entry.source,
        cache_entry.key,
        cache_entry.plan,
        cache_entry.warnings,
        diagnostics,
    )


def _build_from(node: Node, data: tuple[Any, ...]) -> ModelBuild:
    """Return the build from the result of `_build_data`, without its plan."""
    name, status, text, key, plan, warnings, diagnostics = data
    cache_entry = Entry(
        source=text, key=key, reads=places(node.reads), writes=places(node.writes), plan=plan, warnings=warnings
    )
    all_diagnostics = tuple(map(diagnostic_from, diagnostics))
    return ModelBuild(
        name, status, summary=plan, outputs=cache_entry.outputs(), diagnostics=all_diagnostics, entry=cache_entry
    )


def _misused_dead_letters(linked: Linked, builds: Mapping[str, ModelBuild]) -> list[Diagnostic]:
    """Return an error for each model that writes its results to the dead-letter topic of another model.

    Several models may share a dead-letter topic.
    """
    diagnostics = []
    for name, build in builds.items():
        own = {topic for topic, _ in linked.nodes[name].writes}
        for topic in build.outputs:
            writer = linked.graph.writers.get(topic.name)
            if topic.name in own or writer is None:
                continue
            span = next(span for t, span in linked.nodes[writer].writes if t == topic.name)
            message = f"the model '{writer}' writes the topic '{topic.name}', to which '{name}' writes its bad records"
            help = "give one of them another topic"
            diagnostics.append(Diagnostic("LSQ031", message, span, ("a topic must have one schema",), help))
    return diagnostics


def summary(plan: Plan) -> dict[str, Any]:
    """Return a plan's part of the manifest."""
    return {
        "inputs": sorted(topic.name for topic in plan.inputs),
        "outputs": [topic_data(topic) for topic in plan.outputs],
        "semantics": dict(plan.semantics),
        "fingerprint": plan.fingerprint,
        "lineage": lineage_data(lineage(plan)),
    }


class _Builder:
    """Compiles models in order of dependency, and collects the topics so far."""

    def __init__(self, linked: Linked, cache: Mapping[str, Entry], selected: frozenset[str]) -> None:
        project = linked.project
        self._linked, self._cache, self._wanted = linked, cache, selected
        self._models = {model.name: model for model in project.models}
        self._ksql_json = _topics_of_ksqldb(linked)
        self._topics = {
            declared.topic.name: replace(declared.topic, ksql_json=declared.topic.name in self._ksql_json)
            for declared in project.topics
        }
        self._declared = frozenset(self._topics)
        self._starts = declared_starts(project.topics)
        # Topics that are not available, with the reason.
        self._broken = dict.fromkeys(project.broken_topics, "its declaration has errors")
        self._broken |= dict.fromkeys(project.broken_models, "its file cannot be read")
        self._limits = _limits(project)

    def build(self, name: str) -> ModelBuild:
        build = self._build(self._models[name], self._linked.nodes[name])
        unfit = _unfit_names(self._models[name], self._linked.nodes[name], build.outputs)
        if unfit:
            build = ModelBuild(name, "failed", diagnostics=(*build.diagnostics, *unfit))
        if build.status in ("failed", "skipped"):
            for topic, _ in self._linked.nodes[name].writes:
                # A declared topic has its schema independent of the model that writes it.
                if topic not in self._declared:
                    self._broken.setdefault(topic, f"the model '{name}', which writes it, is not compiled")
        writers = self._linked.graph.writers
        self._topics.update((topic.name, topic) for topic in build.outputs if writers.get(topic.name) == name)
        return build

    def _build(self, model: Model, node: Node) -> ModelBuild:
        parsed = self._linked.parsed.get(model.name)
        if model.text is None or (parsed is not None and parsed.program is None):
            return ModelBuild(model.name, "failed")
        broken = [(topic, span) for topic, span in node.reads if topic in self._broken]
        if broken:
            return ModelBuild(model.name, "skipped", diagnostics=(self._skipped(model, *broken[0]),))
        text = source(model)
        key = self._key(text, node)
        cached = self._cache.get(model.name)
        if cached is not None and cached.key == key and model.name not in self._wanted:
            return ModelBuild(
                model.name,
                "cached",
                summary=cached.plan,
                outputs=cached.outputs(),
                diagnostics=cached.diagnostics(),
                entry=cached,
            )
        fresh = parsed or parse(model)
        if fresh.program is None:
            return ModelBuild(model.name, "failed", diagnostics=fresh.diagnostics)
        compiled = bind_model(model, fresh.program, self._visible(model, node), self._linked.project)
        # `link` reports the diagnostics of parsing, unless the model was not parsed there.
        of_starts = partial_tables(compiled.plan, node.reads, self._starts) if compiled.plan else ()
        diagnostics = (*(model.at_home(d) for d in compiled.diagnostics), *of_starts)
        reported = diagnostics if model.name in self._linked.reported else (*fresh.diagnostics, *diagnostics)
        if compiled.plan is None:
            return _without_plan(model, reported)
        sources = {name: topic for name, topic in self._topics.items() if name in self._linked.graph.writers}
        if formats := other_formats(compiled.plan, node.reads, sources):
            return ModelBuild(model.name, "failed", diagnostics=(*reported, *formats))
        plan = self._with_json_of_ksqldb(compiled.plan)
        if model.latency == "real-time" and (unfit := latency_errors(model, fresh.program, plan)):
            return ModelBuild(model.name, "failed", diagnostics=(*reported, *unfit))
        plan_summary = summary(plan)
        cache_entry = entry(text, key, node, plan_summary, (*fresh.diagnostics, *diagnostics))
        return ModelBuild(model.name, "compiled", plan, plan_summary, plan.outputs, reported, cache_entry)

    def _with_json_of_ksqldb(self, plan: Plan) -> Plan:
        """Return the plan with ksqlDB's JSON encoding for topics of ksqlDB programs."""
        if not any(sink.topic.name in self._ksql_json and not sink.topic.ksql_json for sink in plan.sinks):
            return plan
        topics = (replace(s.topic, ksql_json=s.topic.name in self._ksql_json) for s in plan.sinks)
        sinks = tuple(structs.replace(s, topic=topic) for s, topic in zip(plan.sinks, topics, strict=True))
        return replace(plan, sinks=sinks)

    def _visible(self, model: Model, node: Node) -> Mapping[str, Topic]:
        """Return the topics that are available to a model, without its outputs that another model writes by mistake."""
        other_outputs = {t for t, _ in node.writes if self._linked.graph.writers.get(t) != model.name} - self._declared
        return {n: t for n, t in self._topics.items() if n not in other_outputs} if other_outputs else self._topics

    def _key(self, source: str, node: Node) -> str:
        topics = sorted({topic for topic, _ in (*node.reads, *node.writes)})
        # Encoded as JSON, because the text of a schema takes several times as long in Python, for every model.
        schemas = msgspec.json.encode([(name, self._topics.get(name)) for name in topics])
        starts = [f"{name} {self._starts[name].text}" for name in topics if name in self._starts]
        subjects = self._linked.project.subjects
        if subjects:
            # A program that declares its topics may take their columns from subjects.
            used = [subjects.get(subject_of(name, facet)) for name in topics for facet in ("key", "value")]
            schemas += msgspec.json.encode(used)
        functions = called_by(self._models[node.name].text or "", self._linked.project.functions)
        schemas += msgspec.json.encode([name for name in topics if name in self._ksql_json])
        return digest(source, self._limits, schemas.decode(), *(f"{f.name} {f.identity}" for f in functions), *starts)

    def _skipped(self, model: Model, topic: str, span: Span) -> Diagnostic:
        message = f"the model '{model.name}' is skipped, because of the topic '{topic}'"
        return Diagnostic("LSQ033", message, span, (self._broken[topic],), severity=Severity.NOTE)


def bind_model(
    model: Model, program: Program, topics: Mapping[str, Topic], project: Project, *, trace: Trace | None = None
) -> Compiled:
    """Bind the program of a model, with the settings of the model and of its project. `topics`: those it can name.
    `trace`: is filled with the meaning of its words.
    """
    return dialect(model.dialect).bind(
        program,
        topics,
        name=model.name,
        nullability=model.nullability,
        limits=_limits(project),
        subjects=project.subjects,
        materialized=model.materialized,
        trace=trace,
        functions=project.functions,
        errors=model.errors,
    )


def _limits(project: Project) -> Limits:
    return Limits(grace=project.config.defaults.grace, retention=project.config.defaults.retention)


def _without_plan(model: Model, diagnostics: tuple[Diagnostic, ...]) -> ModelBuild:
    """Return the build of a model with errors.

    A model whose only errors are calls of functions with errors is skipped, because these functions are reported
    separately.
    """
    if any(d.is_error and d.code != "LSQ487" for d in diagnostics):
        return ModelBuild(model.name, "failed", diagnostics=diagnostics)
    notes = tuple(replace(d, severity=Severity.NOTE) if d.is_error else d for d in diagnostics)
    return ModelBuild(model.name, "skipped", diagnostics=notes)


def _unfit_names(model: Model, node: Node, outputs: tuple[Topic, ...]) -> list[Diagnostic]:
    """Return an error for each output topic with a name that is not valid. Files are named after topics."""
    spans = dict(node.writes)
    help = (
        "a name consists of letters, digits, '_', '-' and '.', with at most 249 characters, and does not begin with '.'"
    )
    return [
        Diagnostic("LSQ082", f"'{t.name}' is not a valid name of a topic", spans.get(t.name, top(model)), help=help)
        for t in outputs
        if not TOPIC_NAME.fullmatch(t.name)
    ]
