"""Models to their graph: parse each, see which topics it names, and find who reads whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from lsqlc.diagnostics import Diagnostic, Span, order
from lsqlc.dialects import dialect
from lsqlc.project.build.cache import diagnostic_data, diagnostic_from
from lsqlc.project.build.entries import Entry, digest, places, uses
from lsqlc.project.model import Model, Project
from lsqlc.project.selection.graph import Graph, Node, build_graph
from lsqlc.syntax.program import Parsed, Program


@dataclass(frozen=True, slots=True)
class Learned:
    """What is known of a model once it was parsed. `parsed` is None where an earlier build or another process did that;
    `is_told`: its diagnostics are there, and are not to be told once more if it is parsed again.
    """

    node: Node
    parsed: Parsed[Program] | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    is_told: bool = False

    def data(self) -> tuple[Any, ...]:
        """As plain data, for another process."""
        found = [diagnostic_data(d) for d in self.diagnostics]
        return places(self.node.reads), places(self.node.writes), found, self.is_told


@dataclass(frozen=True, slots=True)
class Linked:
    """The models with the topics that they name, and their graph. `parsed` lacks what a cache or another process knew;
    `told`: the models whose findings of parsing are among the diagnostics.
    """

    project: Project
    nodes: Mapping[str, Node]
    parsed: Mapping[str, Parsed[Program]]
    told: frozenset[str]
    graph: Graph
    diagnostics: tuple[Diagnostic, ...]


def link_project(project: Project, cache: Mapping[str, Entry] | None = None) -> Linked:
    """Parse the models and find who reads whom. With a cache, models that it knows are not parsed."""
    return link(project, {model.name: learn(model, cache or {}) for model in project.models})


def link(project: Project, learned: Mapping[str, Learned]) -> Linked:
    """Return the graph of models that were parsed. `learned`: by model, in order of the project."""
    nodes = {name: each.node for name, each in learned.items()}
    parsed = {name: each.parsed for name, each in learned.items() if each.parsed is not None}
    told = frozenset(name for name, each in learned.items() if each.is_told)
    found = [d for each in learned.values() for d in each.diagnostics]
    graph, problems = build_graph(list(nodes.values()))
    return Linked(project, nodes, parsed, told, graph, order((*project.diagnostics, *found, *problems)))


def learn(model: Model, cache: Mapping[str, Entry]) -> Learned:
    """Parse a model, unless the cache knows it."""
    known = cache.get(model.name)
    if known is not None and known.source == source(model):
        return Learned(known.node(model.name, model.path))
    if model.text is None:
        return Learned(_guess(model))
    result = parse(model)
    return Learned(_node(model, result), result, result.diagnostics, is_told=True)


def learned_from(model: Model, data: tuple[Any, ...]) -> Learned:
    """What `Learned.data` said in another process."""
    reads, writes, found, is_told = data
    node = Node(model.name, uses(reads, model.path), uses(writes, model.path))
    return Learned(node, None, tuple(map(diagnostic_from, found)), is_told)


def parse(model: Model) -> Parsed[Program]:
    """Return the program of a model whose text is there; its diagnostics lie in the model's file."""
    result = dialect(model.dialect).parse(model.text or "", model.path)
    return replace(result, diagnostics=tuple(model.at_home(d) for d in result.diagnostics))


def source(model: Model) -> str:
    """Identifies a model's text and settings."""
    settings = (model.nullability, model.latency, model.errors.policy, model.errors.dead_letters)
    return digest(model.name, model.path, model.dialect, *(text or "" for text in settings), model.raw, model.text)


def top(model: Model) -> Span:
    """Where a model begins."""
    return Span(model.path, 1, 1, 1, 1)


def have_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether one of them stops a model."""
    return any(d.is_error for d in diagnostics)


def _node(model: Model, parsed: Parsed[Program]) -> Node:
    """Return the topics that a model names, at their places in its file."""
    program = parsed.program
    if program is None:
        return _guess(model)

    def place(extent: tuple[int, int]) -> Span:
        span = program.source.span(extent)
        return model.positions.span(span) if model.positions else span

    reads = tuple((name.text, place(name.at)) for name in program.reads)
    writes = tuple((name.text, place(name.at)) for name in program.writes)
    return Node(model.name, reads, writes or ((model.name, top(model)),))


def _guess(model: Model) -> Node:
    """What a model with errors would write, so that its readers are skipped instead of failing too."""
    topics = dialect(model.dialect).written_topics(model.name, model.raw)
    return Node(model.name, (), tuple((t, top(model)) for t in topics if t))
