"""Who names a topic, a query or a column: in every model of the project, and in the YAML that declares it."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Location
from lsqlc.editor.definition import column_place, projected, topic_places
from lsqlc.editor.file_words import file_word
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.spots import Origin, Spot, found_at, names, origin, source_called
from lsqlc.editor.view import View, view
from lsqlc.plan.expression import Field
from lsqlc.project.build.linking import link_project


def references(snapshot: Snapshot, path: str, offset: int) -> tuple[Location, ...]:
    """Return the references to what is at an offset of a file, its definition among them, in order of place."""
    word = file_word(snapshot, path, offset)
    if word is not None:
        return _in_order(_of_topic(snapshot, _topic_of_word(snapshot, word.kind, word.name)))
    found = found_at(snapshot, path, offset)
    return _in_order(_of_spot(snapshot, *found)) if found else ()


def _in_order(found: Iterator[Location]) -> tuple[Location, ...]:
    return tuple(sorted(set(found), key=lambda place: (place.path, place.at)))


def _topic_of_word(snapshot: Snapshot, kind: str, name: str) -> str:
    build = snapshot.compilation.models.get(name) if snapshot.compilation and kind in ("ref", "word") else None
    return build.outputs[0].name if build and build.outputs else name


def _of_spot(snapshot: Snapshot, seen: View, spot: Spot) -> Iterator[Location]:
    if spot.kind == "alias":
        source = source_called(seen, spot.at[0], spot.name)
        if source is not None:
            kind: Spot = Spot("query" if source.name.text in seen.trace.sources else "topic", source.name.text, spot.at)
            yield from _of_spot(snapshot, seen, kind)
    elif spot.kind == "query" and seen.dialect.outline().defined(seen.program, spot.name):
        yield from (Location(seen.path, seen.outward(n.at)) for _, n in names(seen) if n.text == spot.name)
    elif spot.kind in ("topic", "query"):
        yield from _of_topic(snapshot, seen.topic_of(spot.name))
    elif spot.kind == "column" and isinstance(spot.expression, Field) and not spot.grouped:
        place = origin(seen, spot.at, spot.expression)
        if place is not None and place.kind == "topic":
            yield from _of_column(snapshot, place)
        elif place is not None:
            at = projected(seen, place.name, place.facet, place.path, query=True)
            yield from (Location(seen.path, seen.outward(each)) for each in (*_uses(seen, place), at) if each)


def _of_topic(snapshot: Snapshot, topic: str) -> Iterator[Location]:
    yield from topic_places(snapshot, topic)
    for seen in _models_on(snapshot, topic):
        for kind, name in names(seen):
            if kind == "topic" and seen.topic_of(name.text) == topic:
                yield Location(seen.path, seen.outward(name.at))


def _of_column(snapshot: Snapshot, place: Origin) -> Iterator[Location]:
    yield from column_place(snapshot, place.name, place.facet, place.path)
    for seen in _models_on(snapshot, place.name):
        yield from (Location(seen.path, seen.outward(at)) for at in _uses(seen, place))


def _uses(seen: View, place: Origin) -> Iterator[Extent]:
    """Where a program reads a column."""
    for at, traced in seen.trace.expressions.items():
        if isinstance(traced.expression, Field) and not traced.grouped and origin(seen, at, traced.expression) == place:
            yield at


def _models_on(snapshot: Snapshot, topic: str) -> Iterator[View]:
    """Yield the models that read or write a topic, as far as their texts can be read."""
    if snapshot.compilation is None:
        return
    project = snapshot.compilation.project
    linked = link_project(project, snapshot.entries)
    for model in project.models:
        node = linked.nodes.get(model.name)
        named = {name for name, _ in (*node.reads, *node.writes)} if node else set()
        if topic in named or (not node or not node.reads):
            seen = view(snapshot, model.path)
            if seen is not None:
                yield seen
