"""The order in which the stages of several models can run: a stage waits for those that write what it reads."""

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
    """All stages, each after those that it needs, else in the order given. Raises ValueError for a cycle or a name that
    two stages share: the project has refused both before.
    """
    stages = [(job.model, stage) for job in jobs for stage in job.plan.stages]
    names = [stage.name for _, stage in stages]
    if len(set(names)) < len(names):
        raise ValueError("two stages have the same name")
    writers: dict[str, list[str]] = {}
    for _, stage in stages:
        writers.setdefault(stage.write.topic, []).append(stage.name)
    waiting = [Node(s.name, model, s, _needs(s, writers)) for model, s in stages]
    placed: list[Node] = []
    while waiting:
        done = {n.query for n in placed}
        ready = next((n for n in waiting if done.issuperset(n.needs)), None)
        if ready is None:
            raise ValueError("the stages depend on each other in a cycle")
        waiting.remove(ready)
        placed.append(ready)
    return tuple(placed)


def topics_of(node: Node) -> tuple[str, ...]:
    """The topics that a query reads, but for those of files."""
    return tuple(topic for source in node.stage.sources for topic in source.topics)


def longest_first(ordered: Sequence[Node]) -> tuple[Node, ...]:
    """Nodes in order of dependency, those first that the longest chain of others waits for, else in the order given:
    what is left at the end of a run can then be done side by side.
    """
    behind: dict[str, int] = {}
    for node in reversed(ordered):
        for name in node.needs:
            behind[name] = max(behind.get(name, 0), 1 + behind.get(node.query, 0))
    return tuple(sorted(ordered, key=lambda node: -behind.get(node.query, 0)))


def waiting_for(ordered: Sequence[Node], failed: Collection[str]) -> dict[str, tuple[str, ...]]:
    """By query, the failed ones that it reads from, directly or not; of the queries that read from one. `ordered`: in
    order of dependency.
    """
    found: dict[str, tuple[str, ...]] = {}
    for node in ordered:
        whys = (why for need in node.needs for why in ((need,) if need in failed else found.get(need, ())))
        reasons = tuple(dict.fromkeys(whys))
        if reasons and node.query not in failed:
            found[node.query] = reasons
    return found


def _needs(stage: Stage, writers: dict[str, list[str]]) -> tuple[str, ...]:
    read = [topic for source in stage.sources for topic in source.topics]
    return tuple(dict.fromkeys(name for topic in read for name in writers.get(topic, ())))
