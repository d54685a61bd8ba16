"""Two versions of a project compared: the plans of changed models, their columns, rows, readers and state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lsqlc.project.selection.selectors import Selection

if TYPE_CHECKING:
    from lsqlc.golden.version_rows import VersionRows
    from lsqlc.lower.spark.evolution import Verdict
    from lsqlc.plan import Plan
    from lsqlc.plan.column_changes import ColumnChanges
    from lsqlc.plan.lineage_graph import LineageGraph
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.versions.comparison import ModelChange, Version
    from lsqlc.project.workspace import Workspace
    from lsqlc.report.diff_report import Difference
    from lsqlc.search.results import SearchResult
    from lsqlc.tasks.diff_gate import Gate
    from lsqlc.tasks.versions import Base, Other
    from lsqlc.types.record import Case, Outcome


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """The differences that a command asks for.

    `release`: that of lsqlc; `selection`: the models, `state:` in it compares with the other version; `rows`: both
    versions are run over the golden cases on DuckDB; `search`: the seconds of a search for a difference, for each model
    whose plan differs; 0: no search; `gate`: the changes that fail.
    """

    release: str
    selection: Selection = field(default_factory=Selection)
    rows: bool = True
    gate: Gate | None = None
    search: float = 0


@dataclass(frozen=True, slots=True)
class Diff:
    """The models that differ from another version, by name. `failures`: those that the gate refuses."""

    against: str
    models: tuple[Difference, ...]
    failures: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no change is refused."""
        return not self.failures


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the versions that are compared. `plans`: those of the models that differ."""

    compilation: Compilation
    version: Version
    plans: Mapping[str, Plan]


def diff_models(workspace: Workspace, base: Base, request: DiffRequest) -> Diff:
    """Compare the models of a project with another version. They are compiled while git extracts that version.

    A manifest has no plans, so that little is known of rows and state. Raises ProjectError for errors in the project.
    Raises LsqlcError LSQ069 if there is nothing to compare with, LSQ070 for a revision with errors, LSQ040 and LSQ041
    for a selection.
    """
    from lsqlc.tasks.diff_gate import fails
    from lsqlc.tasks.selection import sound_selection
    from lsqlc.tasks.versions import other_version

    new = sound_selection(workspace, plans=False)
    models = _differences(other_version(base, workspace, new, request.release), new, request)
    gate = request.gate
    return Diff(base.against, models, tuple(m.change.name for m in models if gate is not None and fails(m, gate)))


def _differences(other: Other, new: Compilation, request: DiffRequest) -> tuple[Difference, ...]:
    from lsqlc.plan.column_changes import affected, column_changes
    from lsqlc.project.versions.comparison import changed_functions, differing
    from lsqlc.project.versions.table_changes import table_changes
    from lsqlc.report.diff_report import Difference
    from lsqlc.search.results import SearchResult
    from lsqlc.tasks.versions import version

    versions = other.version, version(new, request.release, checksums=other.compilation is None)
    selection = _selection(versions, new, request.selection)
    if other.compilation is None:
        changes, verdicts = _with_manifest(versions)
        search = SearchResult(reason="a manifest has no plans: use a revision") if request.search else None
        return tuple(
            Difference(c, verdicts[c.name], functions=changed_functions(c.name, *versions), search=search)
            for c in changes
            if selection is None or c.name in selection
        )
    names = differing(*versions)
    before, after = plans_of(other.compilation, names), plans_of(new, names)
    changes, verdicts = _with_revision(versions, before, after, new)
    selected_changes = [change for change in changes if selection is None or change.name in selection]
    edited_models = [
        change.name for change in selected_changes if change.name in names and _has_other_plan(change.name, versions)
    ]
    sides = _Side(other.compilation, versions[0], before), _Side(new, versions[1], after)
    rows = _rows(*sides, edited_models) if request.rows and edited_models else {}
    searches = {
        name: _search(name, other.against, before[name], after[name], request.search)
        for name in edited_models
        if request.search
    }
    removed_plans = plans_of(
        other.compilation, tuple(change.name for change in selected_changes if change.status == "removed")
    )
    added_plans = plans_of(new, tuple(change.name for change in selected_changes if change.status == "added"))
    growth = {name: _growth(before.get(name), plan) for name, plan in (after | added_plans).items()}
    columns = {name: column_changes(before[name], after[name]) for name in edited_models}
    columns |= {name: _unwritten(column_changes(plan, None), versions[1]) for name, plan in removed_plans.items()}
    graphs = [_lineages(version, changes) for version in versions] if columns else []
    return tuple(
        Difference(
            change,
            verdicts[change.name],
            rows.get(change.name),
            columns.get(change.name),
            affected(columns[change.name], *graphs) if change.name in columns else (),
            _schemas(before[change.name], after[change.name], new) if change.name in edited_models else (),
            changed_functions(change.name, *versions),
            growth.get(change.name, ()),
            searches.get(change.name),
            table_changes(other.compilation.tables, new.tables, _outputs(change.name, versions)),
        )
        for change in selected_changes
    )


def _search(model: str, against: str, before: Plan, after: Plan, seconds: float) -> SearchResult:
    """Return the certificate of two versions with one normal form, or else search for a difference."""
    from lsqlc.lower.duckdb import evaluate
    from lsqlc.search.certificates import certificate_of
    from lsqlc.search.results import SearchResult
    from lsqlc.search.search import search

    certificate = certificate_of(model, against, before, after)
    if certificate is not None:
        return SearchResult(certificate=certificate)
    return search(before, after, evaluate, seconds=seconds)


def _outputs(name: str, versions: tuple[Version, Version]) -> frozenset[str]:
    """Return the topics that a model writes in either version."""
    return frozenset(topic for each in versions if name in each.models for topic in each.models[name].outputs)


def _growth(before: Plan | None, after: Plan) -> tuple[str, ...]:
    """Return the parts of a state that grow with updates and that the other version does not have."""
    from lsqlc.tasks.growing import growing_states

    earlier = growing_states(before) if before is not None else ()
    return tuple(text for text in growing_states(after) if text not in earlier)


def _has_other_plan(name: str, versions: tuple[Version, Version]) -> bool:
    """Return whether the plan is another one, and not only the text."""
    return versions[0].models[name].fingerprint != versions[1].models[name].fingerprint


def _schemas(before: Plan, after: Plan, new: Compilation) -> tuple[str, ...]:
    """Return the compatibility of each changed schema for a registry, by the versions in the lock file."""
    from lsqlc.registry.written import change_text, written_schemas

    old = {schema.subject: schema.text for schema in written_schemas([before], new.project.subjects)}
    lines = []
    for schema in written_schemas([after], new.project.subjects):
        was = old.get(schema.subject)
        if was is not None and was != schema.text:
            text = change_text(was, schema.text, new.project.subjects.get(schema.subject), schema.type)
            lines.append(f"{schema.subject}: {text}")
    return tuple(lines)


def _unwritten(changes: ColumnChanges, version: Version) -> ColumnChanges:
    """Return the columns of topics that are no longer written: renaming a model removes none."""
    outputs = {topic for model in version.models.values() for topic in model.outputs}
    return replace(changes, changed=tuple(column for column in changes.changed if column.topic not in outputs))


def _lineages(version: Version, changes: Iterable[ModelChange]) -> LineageGraph:
    """Return the lineage of the models that changed, and of those below them."""
    from lsqlc.plan.lineage import lineage_from
    from lsqlc.plan.lineage_graph import lineage_graph

    names = {name for change in changes for name in (change.name, *change.downstream)}
    models = (version.models[name] for name in sorted(names & version.models.keys()))
    return lineage_graph(lineage for model in models for lineage in lineage_from(model.lineage))


def _with_manifest(versions: tuple[Version, Version]) -> tuple[tuple[ModelChange, ...], dict[str, Verdict]]:
    from lsqlc.lower.spark.evolution import Verdict
    from lsqlc.project.versions.comparison import compare

    old, new = versions
    changes = compare(old, new, {})
    same = {
        name
        for name, model in new.models.items()
        if name in old.models
        and old.lsqlc == new.lsqlc
        and (model.text, model.fingerprint) == (old.models[name].text, old.models[name].fingerprint)
    }
    unknown = Verdict("unknown", ("a manifest has no queries to compare: use a revision",))
    verdicts = {c.name: Verdict("continues") if c.name in same else unknown for c in changes}
    return changes, verdicts | _came_and_gone(changes, versions)


def _with_revision(
    versions: tuple[Version, Version], before: Mapping[str, Plan], after: Mapping[str, Plan], new: Compilation
) -> tuple[tuple[ModelChange, ...], dict[str, Verdict]]:
    from lsqlc.lower.spark.evolution import Verdict, queries, verdict

    changes = _compare(versions, before, after)
    verdicts = {name: verdict(queries(before[name]), queries(plan)) for name, plan in after.items()}
    verdicts |= _came_and_gone(changes, versions)
    for change in changes:
        # A model whose text has not changed has the same queries.
        verdicts.setdefault(change.name, Verdict("continues"))
    return changes, dict(_below_replays(verdicts, new))


def _rows(old: _Side, new: _Side, names: Collection[str]) -> dict[str, VersionRows]:
    """Return the rows of the golden cases of models whose plans differ. `lsqlc test` reports unreadable files."""
    from lsqlc.golden.files import read_case_files
    from lsqlc.golden.version_rows import VersionRows

    projects = [side.compilation.project for side in (old, new)]
    texts = [read_case_files(project.root, project.config.case_paths).texts for project in projects]
    if not any(texts):
        return {name: VersionRows(0, ()) for name in names}
    from lsqlc.golden.versions import Side, compare_rows

    def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        # A project without cases for these models needs no DuckDB, whose import takes a tenth of a second.
        from lsqlc.lower.duckdb import evaluate

        return evaluate(plan, cases)

    def readers(models: Collection[str]) -> list[tuple[Plan, Plan]]:
        graph = new.compilation.graph
        below = graph.below(models)
        there = tuple(name for name in graph.order if name in below and name in old.version.models)
        plans = plans_of(new.compilation, there)
        # A model whose plan was not compared has not changed.
        return [(old.plans.get(name, plans[name]), plans[name]) for name in there]

    sides = zip((old.plans, new.plans), texts, strict=True)
    left, right = (Side({name: plans[name] for name in names}, files) for plans, files in sides)
    return compare_rows(left, right, evaluate, readers)


def plans_of(compilation: Compilation, names: tuple[str, ...]) -> dict[str, Plan]:
    """Return the plans of some models, which are compiled again: the compilation has none."""
    from lsqlc.project.build.compile import compile_project
    from lsqlc.project.selection.selectors import Selection

    if not names:
        return {}
    entries = compilation.entries
    return compile_project(compilation.project, select=Selection(names), cache=entries, linked=compilation.linked).plans


def _compare(
    versions: tuple[Version, Version], before: Mapping[str, Plan], after: Mapping[str, Plan]
) -> tuple[ModelChange, ...]:
    from lsqlc.plan.diff import outline, plan_changes
    from lsqlc.project.versions.comparison import compare

    plans = {name: plan_changes(outline(before[name]), outline(plan)) for name, plan in after.items()}
    return compare(*versions, plans)


def _came_and_gone(changes: Iterable[ModelChange], versions: tuple[Version, Version]) -> dict[str, Verdict]:
    """Return the verdicts on models that only one version has. Queries are named after their model: under another name
    they start again, next to the results of those of the old name.
    """
    from lsqlc.lower.spark.evolution import Verdict

    old, new = versions
    outputs = {topic for model in old.models.values() for topic in model.outputs}
    states: dict[str, Verdict] = {}
    for change in changes:
        if change.status == "added":
            shared_topics = sorted(outputs.intersection(new.models[change.name].outputs))
            reasons = tuple(f"the topic '{topic}' has records of another model's queries" for topic in shared_topics)
            states[change.name] = Verdict("unknown" if shared_topics else "new", reasons)
        elif change.status == "removed":
            states[change.name] = Verdict("gone")
    return states


def _below_replays(verdicts: Mapping[str, Verdict], new: Compilation) -> dict[str, Verdict]:
    """Return the verdicts; a state that could continue may not if its input is rewritten."""
    # A topic that its readers cannot read is not one that holds both versions' records.
    anew = ("needs a new state and a replay", "cannot be read by the consumers of the topic")
    replayed = {name for name, verdict in verdicts.items() if verdict.standing in anew}
    results = dict(verdicts)
    for name, verdict in verdicts.items():
        above = sorted(replayed & new.graph.above({name}) - {name})
        if verdict.standing.startswith("continues") and above:
            reasons = tuple(f"its queries can continue, but '{model}' upstream requires a replay" for model in above)
            results[name] = replace(verdict, standing="unknown", reasons=reasons + verdict.reasons, rules=("above",))
    return results


def _selection(
    versions: tuple[Version, Version], compilation: Compilation, request: Selection
) -> frozenset[str] | None:
    """Return the names of selected models; None without a selection. Removed models are only shown without one."""
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.project.selection.selectors import Selectable, select_models
    from lsqlc.project.versions.states import states

    if request == Selection():
        return None
    models = [Selectable(m.name, m.path, m.tags) for m in compilation.project.models]
    by_state = states(*versions, [model.name for model in models])
    selectors = compilation.project.config.selectors
    names, problems = select_models(request, models, compilation.graph, by_state, selectors)
    if problems:
        raise LsqlcError(problems)
    return names
