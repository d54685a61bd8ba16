"""References to a topic, a query or a column, in all models of the project and in YAML declarations."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Location
from lsqlc.editor.cursor_target import CursorTarget, Origin, names, origin, source_called, target_in_file
from lsqlc.editor.definition import column_place, projected, topic_places
from lsqlc.editor.file_words import file_word
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.view import View, view_of
from lsqlc.plan.expression import Field
from lsqlc.project.build.linking import link_project


def references(snapshot: Snapshot, path: str, offset: int) -> tuple[Location, ...]:
    """Return the references to the name at an offset of a file, including its definition, in order of position."""
    word = file_word(snapshot, path, offset)
    if word is not None:
        return _in_order(_of_topic(snapshot, _topic_of_word(snapshot, word.kind, word.name)))
    target = target_in_file(snapshot, path, offset)
    return _in_order(_of_target(snapshot, *target)) if target else ()


def _in_order(locations: Iterator[Location]) -> tuple[Location, ...]:
    return tuple(sorted(set(locations), key=lambda place: (place.path, place.at)))


def _topic_of_word(snapshot: Snapshot, kind: str, name: str) -> str:
    build = snapshot.compilation.models.get(name) if snapshot.compilation and kind in ("ref", "word") else None
    return build.outputs[0].name if build and build.outputs else name


def _of_target(snapshot: Snapshot, view: View, target: CursorTarget) -> Iterator[Location]:
    if target.kind == "alias":
        source = source_called(view, target.at[0], target.name)
        if source is not None:
            kind: CursorTarget = CursorTarget(
                "query" if source.name.text in view.trace.sources else "topic", source.name.text, target.at
            )
            yield from _of_target(snapshot, view, kind)
    elif target.kind == "query" and view.dialect.outline().defined(view.program, target.name):
        yield from (Location(view.path, view.outward(n.at)) for _, n in names(view) if n.text == target.name)
    elif target.kind in ("topic", "query"):
        yield from _of_topic(snapshot, view.topic_of(target.name))
    elif target.kind == "column" and isinstance(target.expression, Field) and not target.grouped:
        place = origin(view, target.at, target.expression)
        if place is not None and place.kind == "topic":
            yield from _of_column(snapshot, place)
        elif place is not None:
            at = projected(view, place.name, place.facet, place.path, query=True)
            yield from (Location(view.path, view.outward(each)) for each in (*_uses(view, place), at) if each)


def _of_topic(snapshot: Snapshot, topic: str) -> Iterator[Location]:
    yield from topic_places(snapshot, topic)
    for view in _models_on(snapshot, topic):
        for kind, name in names(view):
            if kind == "topic" and view.topic_of(name.text) == topic:
                yield Location(view.path, view.outward(name.at))


def _of_column(snapshot: Snapshot, place: Origin) -> Iterator[Location]:
    yield from column_place(snapshot, place.name, place.facet, place.path)
    for view in _models_on(snapshot, place.name):
        yield from (Location(view.path, view.outward(at)) for at in _uses(view, place))


def _uses(view: View, place: Origin) -> Iterator[Extent]:
    """Yield the positions where a program reads a column."""
    for at, expression in view.trace.expressions.items():
        if (
            isinstance(expression.expression, Field)
            and not expression.grouped
            and origin(view, at, expression.expression) == place
        ):
            yield at


def _models_on(snapshot: Snapshot, topic: str) -> Iterator[View]:
    """Yield the models that read or write a topic, as far as they can be parsed."""
    if snapshot.compilation is None:
        return
    project = snapshot.compilation.project
    linked = link_project(project, snapshot.entries)
    for model in project.models:
        node = linked.nodes.get(model.name)
        topics = {name for name, _ in (*node.reads, *node.writes)} if node else set()
        if topic in topics or (not node or not node.reads):
            view = view_of(snapshot, model.path)
            if view is not None:
                yield view
