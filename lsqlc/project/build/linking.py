"""Linking: parse each model, collect the topics that it names, and build the graph."""

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
class ParsedModel:
    """A parsed model.

    `parsed`: None if the cache or another process has it. `is_reported`: its diagnostics are included, so that they are
    not reported again if it is parsed again.
    """

    node: Node
    parsed: Parsed[Program] | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    is_reported: bool = False

    def data(self) -> tuple[Any, ...]:
        """Return the model as plain data for another process."""
        diagnostics = [diagnostic_data(d) for d in self.diagnostics]
        return places(self.node.reads), places(self.node.writes), diagnostics, self.is_reported


@dataclass(frozen=True, slots=True)
class Linked:
    """The models with their topics, and the graph.

    `parsed`: without models of the cache or of another process. `reported`: the models whose diagnostics of parsing are
    included.
    """

    project: Project
    nodes: Mapping[str, Node]
    parsed: Mapping[str, Parsed[Program]]
    reported: frozenset[str]
    graph: Graph
    diagnostics: tuple[Diagnostic, ...]


def link_project(project: Project, cache: Mapping[str, Entry] | None = None) -> Linked:
    """Parse the models and build their graph. Models with a valid cache entry are not parsed."""
    return link(project, {model.name: learn(model, cache or {}) for model in project.models})


def link(project: Project, parsed_models: Mapping[str, ParsedModel]) -> Linked:
    """Build the graph of parsed models. `parsed_models`: by name, in order of the project."""
    nodes = {name: each.node for name, each in parsed_models.items()}
    parsed = {name: each.parsed for name, each in parsed_models.items() if each.parsed is not None}
    reported = frozenset(name for name, each in parsed_models.items() if each.is_reported)
    diagnostics = [d for each in parsed_models.values() for d in each.diagnostics]
    graph, problems = build_graph(list(nodes.values()))
    return Linked(project, nodes, parsed, reported, graph, order((*project.diagnostics, *diagnostics, *problems)))


def learn(model: Model, cache: Mapping[str, Entry]) -> ParsedModel:
    """Parse a model, unless it has a valid cache entry."""
    cached = cache.get(model.name)
    if cached is not None and cached.source == source(model):
        return ParsedModel(cached.node(model.name, model.path))
    if model.text is None:
        return ParsedModel(_guess(model))
    result = parse(model)
    return ParsedModel(_node(model, result), result, result.diagnostics, is_reported=True)


def learned_from(model: Model, data: tuple[Any, ...]) -> ParsedModel:
    """Return the parsed model from the data of another process."""
    reads, writes, diagnostics, is_reported = data
    node = Node(model.name, uses(reads, model.path), uses(writes, model.path))
    return ParsedModel(node, None, tuple(map(diagnostic_from, diagnostics)), is_reported)


def parse(model: Model) -> Parsed[Program]:
    """Parse the text of a model. Diagnostics are in the model's file."""
    result = dialect(model.dialect).parse(model.text or "", model.path)
    return replace(result, diagnostics=tuple(model.at_home(d) for d in result.diagnostics))


def source(model: Model) -> str:
    """Return the identity of a model's text and settings."""
    settings = (model.nullability, model.latency, model.errors.policy, model.errors.dead_letters)
    return digest(model.name, model.path, model.dialect, *(text or "" for text in settings), model.raw, model.text)


def top(model: Model) -> Span:
    """Return the start of a model's file."""
    return Span(model.path, 1, 1, 1, 1)


def have_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether one of the diagnostics is an error."""
    return any(d.is_error for d in diagnostics)


def _node(model: Model, parsed: Parsed[Program]) -> Node:
    """Return the topics that a model names, with their positions in its file."""
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
    """Return the topics that a model with errors would write, so that its readers are skipped."""
    topics = dialect(model.dialect).written_topics(model.name, model.raw)
    return Node(model.name, (), tuple((t, top(model)) for t in topics if t))
