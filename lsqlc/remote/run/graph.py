"""The order in which the stages of several models can run: a stage depends on those that write its input."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from lsqlc.lower.spark.steps import SparkPlan, Stage


@dataclass(frozen=True, slots=True)
class Job:
    """A model and its plan."""

    model: str
    plan: SparkPlan


@dataclass(frozen=True, slots=True)
class Node:
    """One stage of a job, its query's name, and the names of the queries that it reads from."""

    query: str
    model: str
    stage: Stage
    needs: tuple[str, ...]


def nodes(jobs: Iterable[Job]) -> tuple[Node, ...]:
    """Return all stages in order of dependency. Independent stages stay in the order of `jobs`.

    Raises ValueError for a cycle, or for two stages with the same name. The compiler of a project rejects both before.
    """
    stages = [(job.model, stage) for job in jobs for stage in job.plan.stages]
    names = [stage.name for _, stage in stages]
    if len(set(names)) < len(names):
        raise ValueError("two stages have the same name")
    writers: dict[str, list[str]] = {}
    for _, stage in stages:
        writers.setdefault(stage.write.topic, []).append(stage.name)
    waiting = [Node(s.name, model, s, _needs(s, writers)) for model, s in stages]
    ordered: list[Node] = []
    while waiting:
        names_before = {n.query for n in ordered}
        ready = next((n for n in waiting if names_before.issuperset(n.needs)), None)
        if ready is None:
            raise ValueError("the stages depend on each other in a cycle")
        waiting.remove(ready)
        ordered.append(ready)
    return tuple(ordered)


def topics_of(node: Node) -> tuple[str, ...]:
    """Return the topics that a query reads, without topics of files."""
    return tuple(topic for source in node.stage.sources for topic in source.topics)


def longest_first(ordered: Sequence[Node]) -> tuple[Node, ...]:
    """Sort nodes so that those come first on which the longest chain of other nodes depends.

    `ordered`: in order of dependency, which is preserved. So the last nodes of a run can run in parallel.
    """
    dependents: dict[str, int] = {}
    for node in reversed(ordered):
        for name in node.needs:
            dependents[name] = max(dependents.get(name, 0), 1 + dependents.get(node.query, 0))
    return tuple(sorted(ordered, key=lambda node: -dependents.get(node.query, 0)))


def waiting_for(ordered: Sequence[Node], failed: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the queries that read from failed ones, directly or not, each with these failed queries.

    `ordered`: in order of dependency.
    """
    causes: dict[str, tuple[str, ...]] = {}
    for node in ordered:
        names = (name for need in node.needs for name in ((need,) if need in failed else causes.get(need, ())))
        causes_of_node = tuple(dict.fromkeys(names))
        if causes_of_node and node.query not in failed:
            causes[node.query] = causes_of_node
    return causes


def _needs(stage: Stage, writers: dict[str, list[str]]) -> tuple[str, ...]:
    read = [topic for source in stage.sources for topic in source.topics]
    return tuple(dict.fromkeys(name for topic in read for name in writers.get(topic, ())))
