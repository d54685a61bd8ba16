"""The graph of models: its edges are the topics that one model writes and another one reads.

An edge needs no `ref()`: it follows from the names after FROM. A topic has one writer, so that its records have one
meaning.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic, Span

Use = tuple[str, Span]
"""A topic, and the position of its name in a model."""


@dataclass(frozen=True, slots=True)
class Node:
    """A model and the topics that it reads and writes."""

    name: str
    reads: tuple[Use, ...]
    writes: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """The models and their neighbours, in order of name.

    `order`: upstream before downstream, by name where both could come first; without the models on a cycle or below
    one. `writers`: model by topic.
    """

    upstream: Mapping[str, tuple[str, ...]]
    downstream: Mapping[str, tuple[str, ...]]
    order: tuple[str, ...]
    writers: Mapping[str, str]

    def above(self, names: Iterable[str], steps: int | None = None) -> frozenset[str]:
        """Return the models and all that they depend on, at most `steps` edges away."""
        return _reach(self.upstream, names, steps)

    def below(self, names: Iterable[str], steps: int | None = None) -> frozenset[str]:
        """Return the models and all that depends on them, at most `steps` edges away."""
        return _reach(self.downstream, names, steps)


def build_graph(nodes: Sequence[Node]) -> tuple[Graph, tuple[Diagnostic, ...]]:
    """Return the graph, with an error for each cycle and for each topic with two writers."""
    nodes = sorted(nodes, key=lambda node: node.name)
    writers, problems = _writers(nodes)
    upstream = {
        node.name: tuple(sorted({writers[topic] for topic, _ in node.reads if topic in writers})) for node in nodes
    }
    downstream: dict[str, list[str]] = {node.name: [] for node in nodes}
    for name, above in upstream.items():
        for other in above:
            downstream[other].append(name)
    below = {name: tuple(names) for name, names in downstream.items()}
    order = _order(upstream, below)
    if len(order) < len(nodes):
        problems += _cycles(nodes, upstream, writers, set(upstream).difference(order))
    return Graph(upstream, below, order, writers), tuple(problems)


def _writers(nodes: Sequence[Node]) -> tuple[dict[str, str], list[Diagnostic]]:
    first: dict[str, tuple[str, Span]] = {}
    problems: list[Diagnostic] = []
    for node in nodes:
        for topic, span in dict(reversed(node.writes)).items():
            name, other = first.setdefault(topic, (node.name, span))
            if name != node.name:
                problems.append(
                    Diagnostic(
                        "LSQ031",
                        f"the models '{name}' and '{node.name}' both write the topic '{topic}'",
                        span,
                        (
                            f"'{name}' writes it in {other.path}:{other.line}:{other.column}",
                            "a topic must have one writer",
                        ),
                        "give one of them another target, or put both INSERT INTO into one model",
                    )
                )
    return {topic: name for topic, (name, _) in first.items()}, problems


def _order(upstream: Mapping[str, tuple[str, ...]], downstream: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    waiting = {name: len(above) for name, above in upstream.items()}
    ready = deque(name for name, count in waiting.items() if not count)
    order: list[str] = []
    while ready:
        name = ready.popleft()
        order.append(name)
        for other in downstream[name]:
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return tuple(order)


def _cycles(
    nodes: Sequence[Node], upstream: Mapping[str, tuple[str, ...]], writers: Mapping[str, str], rest: set[str]
) -> list[Diagnostic]:
    by_name = {node.name: node for node in nodes}
    reported: set[str] = set()
    problems: list[Diagnostic] = []
    for name in sorted(rest):
        path = None if name in reported else _way_back(name, upstream, rest)
        if path is None:
            continue
        reported.update(path)
        steps = list(zip(path, [*path[1:], path[0]], strict=True))
        uses = [_use(by_name[reader], writers, writer) for reader, writer in steps]
        message = (
            f"the model '{name}' reads what it writes"
            if len(path) == 1
            else f"models depend on each other in a cycle: {' -> '.join([*path, name])}"
        )
        notes = tuple(
            f"'{reader}' reads '{topic}', which '{writer}' writes ({span.path}:{span.line}:{span.column})"
            for (reader, writer), (topic, span) in zip(steps, uses, strict=True)
        )
        help = "break the cycle: one of them must read a topic that none of the others writes"
        problems.append(Diagnostic("LSQ030", message, uses[0][1], notes, help))
    return problems


def _way_back(name: str, upstream: Mapping[str, tuple[str, ...]], within: set[str]) -> list[str] | None:
    """Return the shortest cycle through a model, as the models that each one reads; None if there is none."""
    came: dict[str, str] = {}
    queue = deque([name])
    while queue:
        here = queue.popleft()
        for above in upstream[here]:
            if above == name:
                path = [here]
                while path[-1] != name:
                    path.append(came[path[-1]])
                return path[::-1]
            if above in within and above not in came:
                came[above] = here
                queue.append(above)
    return None


def _use(node: Node, writers: Mapping[str, str], writer: str) -> Use:
    return next(use for use in node.reads if writers.get(use[0]) == writer)


def _reach(edges: Mapping[str, tuple[str, ...]], names: Iterable[str], steps: int | None) -> frozenset[str]:
    closure = set(names)
    frontier = set(closure)
    while frontier and (steps is None or steps > 0):
        frontier = {other for name in frontier for other in edges.get(name, ())} - closure
        closure |= frontier
        steps = None if steps is None else steps - 1
    return frozenset(closure)
