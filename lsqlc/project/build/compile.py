"""A project to its plans: parse every model, order them, bind each against the topics that exist above it.

An error is reported once: a model that reads a topic of a failed one is skipped with a note. The binder judges the
names of topics and whether a declared topic fits what is written to it; this module gives it the topics.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec
from msgspec import structs

from lsqlc.bind.limits import Limits
from lsqlc.bind.own_function import called_by
from lsqlc.diagnostics import Diagnostic, Severity, Span, order
from lsqlc.dialects import dialect
from lsqlc.formats.subjects import subject_of
from lsqlc.lint import ignore
from lsqlc.plan import Plan
from lsqlc.plan.lineage import lineage, lineage_data
from lsqlc.project.build.cache import diagnostic_data, diagnostic_from
from lsqlc.project.build.entries import Entry, digest, entry, places
from lsqlc.project.build.halves import SMALLEST, Lost, Side, in_two, parsed_here, shares
from lsqlc.project.build.latency import latency_errors
from lsqlc.project.build.linking import Linked, have_errors, learn, learned_from, link, link_project, parse, source, top
from lsqlc.project.build.manifest import manifest, topic_data
from lsqlc.project.build.read_formats import other_formats
from lsqlc.project.build.starts import declared_starts, partial_tables, unfit_histories, written_with_start
from lsqlc.project.declared.declarations import TOPIC_NAME
from lsqlc.project.model import Model, Project
from lsqlc.project.selection.graph import Graph, Node
from lsqlc.project.selection.selectors import Selectable, Selection, select_models
from lsqlc.types.record import Topic

Status = Literal["compiled", "cached", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class ModelBuild:
    """The result of one model. `plan` is there for `compiled`; `summary`, its part of the manifest, for `cached` too.

    `outputs` are the topics that it writes, with their schemas. `diagnostics` lie in the model's file.
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
    """What compiling a project gave. `selected`: the models that were asked for; `models` also has those above them,
    in order of dependency. `diagnostics` are all there are, loading included, in order of place; `project.texts` holds
    the texts that they are shown with. `ignored` are those that comments of the models ignore. `linked`: what it was
    made of, from which more of the same project can be compiled.
    """

    project: Project
    graph: Graph
    selected: frozenset[str]
    models: Mapping[str, ModelBuild]
    diagnostics: tuple[Diagnostic, ...]
    ignored: tuple[Diagnostic, ...] = ()
    linked: Linked | None = None

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
        """Every topic by name: the declared ones, those that the models write, and what programs declare themselves, as
        far as there are plans.
        """
        inputs = [t for build in self.models.values() if build.plan is not None for t in build.plan.inputs]
        of_ksqldb = _topics_of_ksqldb(self.linked) if self.linked is not None else frozenset()
        declared = {t.topic.name: replace(t.topic, ksql_json=t.topic.name in of_ksqldb) for t in self.project.topics}
        written = {t.name: t for build in self.models.values() for t in build.outputs}
        return {t.name: t for t in inputs} | declared | written

    @property
    def semantics(self) -> dict[str, str]:
        """STREAM or TABLE of each topic that a model writes."""
        return {t: s for b in self.models.values() if b.summary for t, s in b.summary["semantics"].items()}

    @property
    def entries(self) -> dict[str, Entry]:
        """What to keep for the next build, by model."""
        return {name: build.entry for name, build in self.models.items() if build.entry is not None}

    def written(self, model: str) -> tuple[tuple[str, Span], ...]:
        """Return the topics that a model's statements write, with their places: without that for bad records."""
        return self.linked.nodes[model].writes if self.linked is not None else ()

    def only(self, models: Collection[str]) -> Compilation:
        """Return the compilation of some of its models only."""
        chosen = {name: build for name, build in self.models.items() if name in models}
        return replace(self, models=chosen, selected=frozenset(models))

    def manifest(self, version: str) -> dict[str, Any]:
        """Return the manifest of what was compiled. `version`: that of lsqlc."""
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
    """Compile the selected models and what they depend on.

    `cache`: entries of earlier builds; a model that it knows is not compiled again unless its plan is wanted. `plans`
    False: none is wanted, the manifest is enough. `states`: see `select_models`; `linked`: the project's, if it was
    linked before; `processes`: how many may be used where no plan is wanted, see `halves`. Never raises for bad input.
    """
    done = None
    if processes > 1 and not plans and select in (None, Selection()) and linked is None:
        done = _in_two(project, cache or {})
    linked = linked or (done[0] if done else link_project(project, cache))
    known = [Selectable(m.name, m.path, m.tags) for m in project.models]
    selected, problems = select_models(select or Selection(), known, linked.graph, states, project.config.selectors)
    needed = linked.graph.above(selected)
    builder = _Builder(linked, cache or {}, selected if plans else frozenset())
    builds = done[1] if done else {name: builder.build(name) for name in linked.graph.order if name in needed}
    for name in sorted(needed.difference(builds)):
        # On a circle, or below one, which is an error of its own.
        builds[name] = ModelBuild(name, "skipped")
    paths = {m.path for m in project.models if m.name not in needed}
    told = [d for d in linked.diagnostics if d.span is None or d.span.path not in paths]
    told += [d for build in builds.values() for d in build.diagnostics]
    told += _misused_dead_letters(linked, builds)
    told += written_with_start(project.topics, linked.graph.writers)
    told += unfit_histories(project.topics)
    told = [d for d in told if d.code not in project.config.lint.ignore]
    shown = ignore(told, {m.path: m.raw for m in project.models})
    return Compilation(
        project, linked.graph, selected, builds, order((*problems, *shown.remaining)), shown.ignored, linked
    )


def _topics_of_ksqldb(linked: Linked) -> frozenset[str]:
    """Return the topics of programs with ksqlDB's JSON, which have it for all models."""
    of_ksqldb = (m.name for m in linked.project.models if m.name in linked.nodes and dialect(m.dialect).ksql_json)
    nodes = [linked.nodes[name] for name in of_ksqldb]
    return frozenset(topic for node in nodes for topic, _ in (*node.reads, *node.writes))


def _in_two(project: Project, cache: Mapping[str, Entry]) -> tuple[Linked, dict[str, ModelBuild]] | None:
    """Return the project linked, and all its models, by two processes.

    None where there is too little to do, and where there is an error: an error may name what one process alone does not
    know.
    """
    known = {name: each.source for name, each in cache.items()}
    fresh = sum(known.get(m.name) != source(m) for m in project.models) if known else len(project.models)
    if fresh < SMALLEST or have_errors(project.diagnostics):
        return None
    return in_two(lambda side: _half(side, project, cache))


def _half(side: Side, project: Project, cache: Mapping[str, Entry]) -> tuple[Linked, dict[str, ModelBuild]]:
    """One side of `_in_two`. Raises Lost where one process must do it all."""
    own = parsed_here(project.models, is_fork=side.is_fork)
    learned = {m.name: learn(m, cache) for m in project.models if m.name in own}
    others = side.exchange({name: each.data() for name, each in learned.items()})
    linked = link(project, {m.name: learned.get(m.name) or learned_from(m, others[m.name]) for m in project.models})
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
    """Return a model that has compiled, as plain data."""
    kept = build.entry
    assert kept is not None
    told = [diagnostic_data(d) for d in build.diagnostics]
    return build.name, build.status, kept.source, kept.key, kept.plan, kept.warnings, told


def _build_from(node: Node, data: tuple[Any, ...]) -> ModelBuild:
    """Return the build of which `_build_data` was made, without its plan."""
    name, status, text, key, plan, warnings, told = data
    kept = Entry(
        source=text, key=key, reads=places(node.reads), writes=places(node.writes), plan=plan, warnings=warnings
    )
    found = tuple(map(diagnostic_from, told))
    return ModelBuild(name, status, summary=plan, outputs=kept.outputs(), diagnostics=found, entry=kept)


def _misused_dead_letters(linked: Linked, builds: Mapping[str, ModelBuild]) -> list[Diagnostic]:
    """Return an error for each model that writes its results where another one writes its bad records; several models
    may write those to one topic.
    """
    found = []
    for name, build in builds.items():
        own = {topic for topic, _ in linked.nodes[name].writes}
        for topic in build.outputs:
            writer = linked.graph.writers.get(topic.name)
            if topic.name in own or writer is None:
                continue
            span = next(span for t, span in linked.nodes[writer].writes if t == topic.name)
            message = f"the model '{writer}' writes the topic '{topic.name}', to which '{name}' writes its bad records"
            help = "give one of them another topic"
            found.append(Diagnostic("LSQ031", message, span, ("a topic must have one schema",), help))
    return found


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
    """Compiles models in order of dependency and keeps the topics that exist so far."""

    def __init__(self, linked: Linked, cache: Mapping[str, Entry], wanted: frozenset[str]) -> None:
        project = linked.project
        self._linked, self._cache, self._wanted = linked, cache, wanted
        self._models = {model.name: model for model in project.models}
        self._ksql_json = _topics_of_ksqldb(linked)
        self._topics = {
            declared.topic.name: replace(declared.topic, ksql_json=declared.topic.name in self._ksql_json)
            for declared in project.topics
        }
        self._declared = frozenset(self._topics)
        self._starts = declared_starts(project.topics)
        # Topics that nothing good can be said of, and why.
        self._broken = dict.fromkeys(project.broken_topics, "its declaration has errors")
        self._broken |= dict.fromkeys(project.broken_models, "its file cannot be read")
        self._limits = Limits(grace=project.config.defaults.grace, retention=project.config.defaults.retention)

    def build(self, name: str) -> ModelBuild:
        build = self._build(self._models[name], self._linked.nodes[name])
        unfit = _unfit_names(self._models[name], self._linked.nodes[name], build.outputs)
        if unfit:
            build = ModelBuild(name, "failed", diagnostics=(*build.diagnostics, *unfit))
        if build.status in ("failed", "skipped"):
            for topic, _ in self._linked.nodes[name].writes:
                # A declared topic has its schema without the model that writes it.
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
        known = self._cache.get(model.name)
        if known is not None and known.key == key and model.name not in self._wanted:
            return ModelBuild(
                model.name,
                "cached",
                summary=known.plan,
                outputs=known.outputs(),
                diagnostics=known.diagnostics(),
                entry=known,
            )
        fresh = parsed or parse(model)
        if fresh.program is None:
            return ModelBuild(model.name, "failed", diagnostics=fresh.diagnostics)
        compiled = dialect(model.dialect).bind(
            fresh.program,
            self._visible(model, node),
            name=model.name,
            nullability=model.nullability,
            limits=self._limits,
            subjects=self._linked.project.subjects,
            materialized=model.materialized,
            functions=self._linked.project.functions,
            errors=model.errors,
        )
        # What parsing found is told by `link`, unless the model was not parsed there.
        of_starts = partial_tables(compiled.plan, node.reads, self._starts) if compiled.plan else ()
        found = (*(model.at_home(d) for d in compiled.diagnostics), *of_starts)
        told = found if model.name in self._linked.told else (*fresh.diagnostics, *found)
        if compiled.plan is None:
            return _without_plan(model, told)
        written = {t: known for t, known in self._topics.items() if t in self._linked.graph.writers}
        if formats := other_formats(compiled.plan, node.reads, written):
            return ModelBuild(model.name, "failed", diagnostics=(*told, *formats))
        plan = self._with_json_of_ksqldb(compiled.plan)
        if model.latency == "real-time" and (unfit := latency_errors(model, fresh.program, plan)):
            return ModelBuild(model.name, "failed", diagnostics=(*told, *unfit))
        said = summary(plan)
        kept = entry(text, key, node, said, (*fresh.diagnostics, *found))
        return ModelBuild(model.name, "compiled", plan, said, plan.outputs, told, kept)

    def _with_json_of_ksqldb(self, plan: Plan) -> Plan:
        """Return the plan, whose results for topics of ksqlDB programs have ksqlDB's JSON."""
        if not any(sink.topic.name in self._ksql_json and not sink.topic.ksql_json for sink in plan.sinks):
            return plan
        topics = (replace(s.topic, ksql_json=s.topic.name in self._ksql_json) for s in plan.sinks)
        sinks = tuple(structs.replace(s, topic=topic) for s, topic in zip(plan.sinks, topics, strict=True))
        return replace(plan, sinks=sinks)

    def _visible(self, model: Model, node: Node) -> Mapping[str, Topic]:
        """Return the topics that exist for a model: without those that another one, by mistake, writes too."""
        taken = {t for t, _ in node.writes if self._linked.graph.writers.get(t) != model.name} - self._declared
        return {n: t for n, t in self._topics.items() if n not in taken} if taken else self._topics

    def _key(self, source: str, node: Node) -> str:
        named = sorted({topic for topic, _ in (*node.reads, *node.writes)})
        # As JSON, since it is made for every model, and Python takes several times as long for the text of a schema.
        schemas = msgspec.json.encode([(name, self._topics.get(name)) for name in named])
        starts = [f"{name} {self._starts[name].text}" for name in named if name in self._starts]
        subjects = self._linked.project.subjects
        if subjects:
            # What a program that declares its topics may take their columns from.
            used = [subjects.get(subject_of(name, facet)) for name in named for facet in ("key", "value")]
            schemas += msgspec.json.encode(used)
        called = called_by(self._models[node.name].text or "", self._linked.project.functions)
        schemas += msgspec.json.encode([name for name in named if name in self._ksql_json])
        return digest(source, self._limits, schemas.decode(), *(f"{f.name} {f.identity}" for f in called), *starts)

    def _skipped(self, model: Model, topic: str, span: Span) -> Diagnostic:
        message = f"the model '{model.name}' is skipped, because of the topic '{topic}'"
        return Diagnostic("LSQ033", message, span, (self._broken[topic],), severity=Severity.NOTE)


def _without_plan(model: Model, found: tuple[Diagnostic, ...]) -> ModelBuild:
    """Return a model with errors: one that only calls functions with errors is skipped, as these are reported
    themselves.
    """
    if any(d.is_error and d.code != "LSQ487" for d in found):
        return ModelBuild(model.name, "failed", diagnostics=found)
    notes = tuple(replace(d, severity=Severity.NOTE) if d.is_error else d for d in found)
    return ModelBuild(model.name, "skipped", diagnostics=notes)


def _unfit_names(model: Model, node: Node, outputs: tuple[Topic, ...]) -> list[Diagnostic]:
    """Return an error for each topic that the model writes under a name that no topic can have: files are called after
    it.
    """
    spans = dict(node.writes)
    help = (
        "a name consists of letters, digits, '_', '-' and '.', with at most 249 characters, and does not begin with '.'"
    )
    return [
        Diagnostic("LSQ082", f"'{t.name}' is not a valid name of a topic", spans.get(t.name, top(model)), help=help)
        for t in outputs
        if not TOPIC_NAME.fullmatch(t.name)
    ]
