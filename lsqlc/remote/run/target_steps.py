"""What becomes of each model on a target: what continues there, what starts, and what has to be rebuilt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from lsqlc.diagnostics import listing
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.lower.spark.evolution import RULES, STANDINGS, Finding, goes_on
from lsqlc.plan.tested import tested_topic
from lsqlc.project.selection.graph import Graph

# From what changes nothing to what changes most. `continue`: nothing of the model has changed, `change`: it continues
# with its state, and old rows stay as they are, `start`: it is new there, `rebuild`: its state and results are made
# anew, `leave`: the target has it, and the project has not.
Action = Literal["continue", "leave", "start", "change", "rebuild"]
ACTIONS: tuple[Action, ...] = get_args(Action)
# A run that is active: of a process, or left to its server.
Running = Literal["process", "detached"]


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one model. `reasons`: in words, the weightiest first; `topics`: those that it writes; `replay`:
    how many records are read from the beginning, at most, None where nobody knows, as of files and of topics that are
    written anew; `queries`: with a checkpoint on the target, in order of their names; `own`: what would happen to it if
    nothing that it reads were rebuilt; `starts`: where it begins to read, in words, topic by topic.
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
        """The step as JSON-ready data."""
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
    """The queries of a target. `there`: all that have a checkpoint, by name; `found`: how those of the project differ
    from theirs; `gone`: those whose model writes their topic by another query now; `lost`: those of
    the project whose records are in their topic, and whose checkpoint is missing; `missing`: what others can no longer
    read of their topics, in words.
    """

    there: Mapping[str, Parts]
    found: Mapping[str, tuple[Finding, ...]]
    gone: Mapping[str, Parts]
    lost: Collection[str] = ()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def steps_of(queries: Mapping[str, Mapping[str, Parts]], deployed: Deployed, graph: Graph) -> tuple[Step, ...]:
    """A step for each model of `queries`, which has the queries of each, and for each reader of those that are rebuilt;
    in order of dependency.
    """
    own = {name: _step(name, queries[name], deployed) for name in graph.order if name in queries}
    found = _with_readers(own, graph, deployed.there)
    return tuple(found[name] for name in graph.order if name in found)


def without_model(models: Collection[str], there: Mapping[str, Parts]) -> Iterator[Step]:
    """A step for each model that a target has and the project has not. `models`: the names of those of the project."""
    left: dict[str, list[str]] = {}
    for query, parts in there.items():
        model = parts.model
        if model not in models and tested_topic(model) is None:
            left.setdefault(model, []).append(query)
    for model, queries in sorted(left.items()):
        topics = tuple(dict.fromkeys(there[query].topic for query in queries))
        yield Step(model, "leave", ("the project has no such model; its state and topics stay",), topics, 0,
                   tuple(queries))  # fmt: skip


def refreshed(found: Iterable[Step]) -> tuple[str, ...]:
    """The models that have to be rebuilt, in order of dependency."""
    return tuple(step.model for step in found if step.action == "rebuild")


def commands(found: Iterable[Step], target: str | None, running: Running | None = None) -> tuple[str, ...]:
    """What brings the target to the project, as commands. `target`: its name, if it is to be given; `running`: the run
    that is active there. A detached one is taken over, and stopped only where something is rebuilt.
    """
    of_target = f" --target {target}" if target else ""
    models = refreshed(found)
    stop = running == "process" or (running == "detached" and models)
    select = "".join(f" --select {model}" for model in models)
    goes_on = {None: "", "process": " --continuous", "detached": " --detach"}[running]
    return (
        *((f"lsqlc stop{of_target}",) if stop else ()),
        *((f"lsqlc run{of_target}{select} --full-refresh",) if models else ()),
        f"lsqlc run{of_target}{goes_on}",
    )


def _step(model: str, parts: Mapping[str, Parts], deployed: Deployed) -> Step:
    found, gone = deployed.found, deployed.gone
    topics = tuple(dict.fromkeys(each.topic for each in parts.values()))
    known = tuple(query for query in parts if query in found)
    before = tuple(query for query, each in gone.items() if each.model == model)
    findings = [(query, each) for query in known for each in found[query]]
    findings.sort(key=lambda pair: -STANDINGS.index(RULES[pair[1].rule]))
    reasons = [f"{query}: {each.text}" for query, each in findings]
    reasons += [f"the query '{query}' is gone, and its records are in '{gone[query].topic}'" for query in before]
    lost = [query for query in parts if query in deployed.lost]
    reasons += [f"{query}: '{parts[query].topic}' has its records, and its checkpoint is missing" for query in lost]
    missing = [f"{query}: {text}" for query in parts for text in deployed.missing.get(query, ())]
    reasons += missing
    action: Action = "continue"
    if before or lost or missing or not all(goes_on(found[query]) for query in known):
        action = "rebuild"
    elif not known:
        action = "start"
        reasons = ["it has not run on this target"]
    elif findings or len(known) < len(parts):
        action = "change"
        new = [query for query in parts if query not in found]
        reasons += [f"the query '{query}' is new, and reads from the beginning" for query in new]
    return Step(model, action, tuple(reasons), topics, 0, (*known, *before), action)


def _with_readers(own: Mapping[str, Step], graph: Graph, there: Mapping[str, Parts]) -> dict[str, Step]:
    """Who has read what is rebuilt is rebuilt with it: it would read all of it a second time."""
    rebuilt = {name for name, step in own.items() if step.action == "rebuild"}
    ran = {parts.model for query, parts in there.items()}
    found = dict(own)
    for name in graph.order:
        reads = sorted(set(graph.upstream.get(name, ())) & rebuilt)
        if not reads or name not in ran:
            continue
        rebuilt.add(name)
        reason = f"it has read {listing(reads)}, which {'is' if len(reads) == 1 else 'are'} rebuilt"
        step = found.get(name, Step(name, "rebuild"))
        reasons = step.reasons if step.action == "rebuild" else ()
        found[name] = replace(step, action="rebuild", reasons=(*reasons, reason))
    return found
