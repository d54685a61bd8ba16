"""The action of a run for each model of a target: continue, start, or rebuild."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from lsqlc.diagnostics import listing
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.lower.spark.evolution import RULES, STANDINGS, Finding, goes_on
from lsqlc.plan.tested import tested_topic
from lsqlc.project.selection.graph import Graph

# Ordered from the smallest change to the largest. `continue`: the model has not changed. `change`: it continues with
# its state, and its old rows stay as they are. `start`: it is new on the target. `rebuild`: its state and results are
# computed again. `leave`: it exists on the target only.
Action = Literal["continue", "leave", "start", "change", "rebuild"]
ACTIONS: tuple[Action, ...] = get_args(Action)
# The kind of an active run: in a process, or detached.
Running = Literal["process", "detached"]


@dataclass(frozen=True, slots=True)
class Step:
    """The action for a model.

    - `reasons`: texts, the most important first.
    - `topics`: those that it writes.
    - `replay`: the maximum of records that it reads from the beginning; None if it is not known, as for files and for
      topics that are written again.
    - `queries`: those with a checkpoint on the target.
    - `own`: the action if no model that it reads from were rebuilt.
    - `starts`: its start in each topic, as texts.
    """

    model: str
    action: Action
    reasons: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    replay: int | None = 0
    queries: tuple[str, ...] = ()
    own: Action = "continue"
    starts: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the step as JSON-ready data."""
        return {
            "model": self.model,
            "action": self.action,
            "reasons": list(self.reasons),
            "topics": list(self.topics),
            "replay": self.replay,
            "queries": list(self.queries),
            "starts": list(self.starts),
        }


@dataclass(frozen=True, slots=True)
class Deployed:
    """The queries of a target.

    - `there`: all queries with a checkpoint, by name.
    - `found`: for queries of the project with a checkpoint, the differences from it.
    - `gone`: queries whose model now writes their topic by another query.
    - `lost`: queries of the project with records in their topic, but without a checkpoint.
    - `missing`: by query, the input that its topics do not have any more, as texts.
    """

    there: Mapping[str, Parts]
    found: Mapping[str, tuple[Finding, ...]]
    gone: Mapping[str, Parts]
    lost: Collection[str] = ()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def steps_of(queries: Mapping[str, Mapping[str, Parts]], deployed: Deployed, graph: Graph) -> tuple[Step, ...]:
    """Return a step for each model, and for each reader of a model that is rebuilt, in order of dependency.

    `queries`: the queries of each model, by their names.
    """
    own = {name: _step(name, queries[name], deployed) for name in graph.order if name in queries}
    steps = _with_readers(own, graph, deployed.there)
    return tuple(steps[name] for name in graph.order if name in steps)


def without_model(models: Collection[str], there: Mapping[str, Parts]) -> Iterator[Step]:
    """Yield a step for each model that exists on the target only. `models`: the names of the project's models."""
    left: dict[str, list[str]] = {}
    for query, parts in there.items():
        model = parts.model
        if model not in models and tested_topic(model) is None:
            left.setdefault(model, []).append(query)
    for model, queries in sorted(left.items()):
        topics = tuple(dict.fromkeys(there[query].topic for query in queries))
        yield Step(model, "leave", ("the project has no such model; its state and topics stay",), topics, 0,
                   tuple(queries))  # fmt: skip


def refreshed(steps: Iterable[Step]) -> tuple[str, ...]:
    """Return the models that must be rebuilt, in the order of the steps."""
    return tuple(step.model for step in steps if step.action == "rebuild")


def commands(steps: Iterable[Step], target: str | None, running: Running | None = None) -> tuple[str, ...]:
    """Return the commands that bring the target to the state of the project.

    `target`: its name, if the commands need it; `running`: the kind of the active run. A new run takes over the queries
    of a detached one, which is stopped only if a model is rebuilt.
    """
    of_target = f" --target {target}" if target else ""
    models = refreshed(steps)
    stop = running == "process" or (running == "detached" and models)
    select = "".join(f" --select {model}" for model in models)
    goes_on = {None: "", "process": " --continuous", "detached": " --detach"}[running]
    return (
        *((f"lsqlc stop{of_target}",) if stop else ()),
        *((f"lsqlc run{of_target}{select} --full-refresh",) if models else ()),
        f"lsqlc run{of_target}{goes_on}",
    )


def _step(model: str, parts: Mapping[str, Parts], deployed: Deployed) -> Step:
    differences, replaced = deployed.found, deployed.gone
    topics = tuple(dict.fromkeys(each.topic for each in parts.values()))
    existing = tuple(query for query in parts if query in differences)
    before = tuple(query for query, each in replaced.items() if each.model == model)
    findings = [(query, each) for query in existing for each in differences[query]]
    findings.sort(key=lambda pair: -STANDINGS.index(RULES[pair[1].rule]))
    reasons = [f"{query}: {each.text}" for query, each in findings]
    reasons += [f"the query '{query}' is gone, and its records are in '{replaced[query].topic}'" for query in before]
    without_checkpoint = [query for query in parts if query in deployed.lost]
    reasons += [
        f"{query}: '{parts[query].topic}' has its records, and its checkpoint is missing"
        for query in without_checkpoint
    ]
    missing = [f"{query}: {text}" for query in parts for text in deployed.missing.get(query, ())]
    reasons += missing
    action: Action = "continue"
    if before or without_checkpoint or missing or not all(goes_on(differences[query]) for query in existing):
        action = "rebuild"
    elif not existing:
        action = "start"
        reasons = ["it has not run on this target"]
    elif findings or len(existing) < len(parts):
        action = "change"
        new = [query for query in parts if query not in differences]
        reasons += [f"the query '{query}' is new, and reads from the beginning" for query in new]
    return Step(model, action, tuple(reasons), topics, 0, (*existing, *before), action)


def _with_readers(own: Mapping[str, Step], graph: Graph, there: Mapping[str, Parts]) -> dict[str, Step]:
    """Add the models that have read the results of a rebuilt one: they are rebuilt too.

    Otherwise they would read all its results a second time.
    """
    rebuilt = {name for name, step in own.items() if step.action == "rebuild"}
    ran = {parts.model for query, parts in there.items()}
    steps = dict(own)
    for name in graph.order:
        reads = sorted(set(graph.upstream.get(name, ())) & rebuilt)
        if not reads or name not in ran:
            continue
        rebuilt.add(name)
        reason = f"it has read {listing(reads)}, which {'is' if len(reads) == 1 else 'are'} rebuilt"
        step = steps.get(name, Step(name, "rebuild"))
        reasons = step.reasons if step.action == "rebuild" else ()
        steps[name] = replace(step, action="rebuild", reasons=(*reasons, reason))
    return steps
