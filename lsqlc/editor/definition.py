"""Go to definition: queries, projections, YAML declarations, macros and pages of codes."""

from __future__ import annotations

import re
from importlib.resources import files

from lsqlc.bind.own_function import OwnFunction
from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Location
from lsqlc.editor.cursor_target import CursorTarget, Origin, origin, source_called, target_in_file
from lsqlc.editor.file_words import FileWord, file_word, macro_place
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.text import Lines
from lsqlc.editor.view import View, view_of
from lsqlc.plan.expression import FacetName, Field
from lsqlc.project.declared.config import MACRO_FOLDER

_SCHEMA_FILE = re.compile(r"[\w./-]+\.(?:avsc|json)\b")


def definition(snapshot: Snapshot, path: str, offset: int) -> tuple[Location, ...]:
    """Return the definitions of the name at an offset of a file."""
    word = file_word(snapshot, path, offset)
    if word is not None:
        return _of_word(snapshot, word)
    target = target_in_file(snapshot, path, offset)
    return _of_target(snapshot, *target) if target else ()


def topic_places(snapshot: Snapshot, topic: str) -> tuple[Location, ...]:
    """Return the positions where a model writes a topic, then where YAML declares it."""
    return (*_writer(snapshot, topic), *_declared(snapshot, topic))


def column_place(snapshot: Snapshot, topic: str, facet: FacetName, path: tuple[str, ...]) -> tuple[Location, ...]:
    """Return the position of a column: in the model that writes the topic, else in its YAML declaration."""
    model = _writing_model(snapshot, topic)
    view = view_of(snapshot, model) if model else None
    if view is not None:
        at = projected(view, topic, facet, path, query=False)
        if at is not None:
            return (Location(view.path, view.outward(at)),)
    declared = _declared(snapshot, topic)
    within = _declared_column(snapshot, declared[0], path) if declared and path else None
    return (within,) if within else declared


def _of_word(snapshot: Snapshot, word: FileWord) -> tuple[Location, ...]:
    models = snapshot.compilation.project.models if snapshot.compilation else ()
    if word.kind == "code":
        page = files("lsqlc.diagnostics").joinpath("pages", f"{word.name}.md")
        return (Location(str(page), (0, 0)),) if page.is_file() else ()
    if word.kind == "macro":
        macros = [(p, t) for p, t in sorted(snapshot.texts.items()) if p.startswith(f"{MACRO_FOLDER}/")]
        macro_places = [(p, at) for p, text in macros if (at := macro_place(text, word.name))]
        return tuple(Location(path, at) for path, at in macro_places)
    model = next((m for m in models if m.name == word.name), None)
    if model is not None and word.kind in ("ref", "word"):
        return (Location(model.path, (0, 0)),)
    return topic_places(snapshot, word.name)[:1]


def _own_function(snapshot: Snapshot, own: OwnFunction) -> tuple[Location, ...]:
    """Return the declaration of one of the project's own functions."""
    text = snapshot.texts.get(own.path)
    match = re.search(rf"\b(?:FUNCTION|def)\s+({re.escape(own.name)})\b", text, re.IGNORECASE) if text else None
    return (Location(own.path, match.span(1) if match else (0, 0)),)


def _of_target(snapshot: Snapshot, view: View, target: CursorTarget) -> tuple[Location, ...]:
    match target.kind:
        case "function":
            own = view.functions.get(target.name.upper())
            return _own_function(snapshot, own) if own else ()
        case "topic":
            places = topic_places(snapshot, target.name)
            here = Location(view.path, view.outward(target.at))
            # At the statement that writes the topic, go to its declaration.
            return tuple(p for p in places if p != here)[:1] or places[:1]
        case "query":
            at = _query(view, target.name)
            return (Location(view.path, view.outward(at)),) if at else topic_places(snapshot, target.name)[:1]
        case "alias":
            source = source_called(view, target.at[0], target.name)
            if source is None:
                return ()
            if source.alias and source.alias.at != target.at:
                return (Location(view.path, view.outward(source.alias.at)),)
            name = source.name.text
            kind: CursorTarget = CursorTarget(
                "query" if _query(view, name) else "topic", view.topic_of(name), source.name.at
            )
            return _of_target(snapshot, view, kind)
        case "column" if isinstance(target.expression, Field) and not target.grouped:
            place = origin(view, target.at, target.expression)
            return _of_origin(snapshot, view, place) if place else ()
    return ()


def _of_origin(snapshot: Snapshot, view: View, place: Origin) -> tuple[Location, ...]:
    at = projected(view, place.name, place.facet, place.path, query=True)
    if at is not None:
        return (Location(view.path, view.outward(at)),)
    return column_place(snapshot, place.name, place.facet, place.path) if place.kind == "topic" else ()


def _query(view: View, name: str) -> Extent | None:
    """Return the name of a WITH, a stream or a table in its definition."""
    return view.dialect.outline().defined(view.program, name)


def projected(view: View, name: str, facet: FacetName, path: tuple[str, ...], *, query: bool) -> Extent | None:
    """Return the projection of a column. `name`: of a query of the program, or else of a topic that it writes."""
    return view.dialect.outline().column(view.program, name, facet, path, query, view.target_of)


def _writing_model(snapshot: Snapshot, topic: str) -> str | None:
    if snapshot.compilation is None:
        return None
    name = snapshot.compilation.graph.writers.get(topic)
    model = snapshot.compilation.project.model(name) if name else None
    return model.path if model else None


def _writer(snapshot: Snapshot, topic: str) -> tuple[Location, ...]:
    path = _writing_model(snapshot, topic)
    view = view_of(snapshot, path) if path else None
    if view is None:
        return ()
    at = next((n.at for n in view.program.writes if view.topic_of(n.text) == topic), None)
    return (Location(view.path, view.outward(at) if at else (0, 0)),)


def _declared(snapshot: Snapshot, topic: str) -> tuple[Location, ...]:
    declared = snapshot.compilation.project.topics if snapshot.compilation else ()
    span = next((d.span for d in declared if d.topic.name == topic), None)
    text = snapshot.texts.get(span.path) if span else None
    return (Location(span.path, Lines(text).extent(span)),) if span and text is not None else ()


def _declared_column(snapshot: Snapshot, declared: Location, path: tuple[str, ...]) -> Location | None:
    """Return the name of a column in the declaration of its topic, or in the schema file that the declaration names."""
    text = snapshot.texts[declared.path]
    start = declared.at[1]
    item = re.compile(r"^\s*-\s+\{?\s*name\s*:|^\S", re.MULTILINE).search(text, start)
    end = item.start() if item else len(text)
    column = re.compile(rf"(?<![\w.]){re.escape(path[0])}(?!\w)(?=`?\s*:?\s+[A-Za-z])")
    match = column.search(text, start, end)
    if match:
        return Location(declared.path, match.span())
    for schema_file in _SCHEMA_FILE.findall(text, start, end):
        inside = re.search(rf'"{re.escape(path[0])}"', snapshot.texts.get(schema_file, ""))
        if inside:
            return Location(schema_file, (inside.start() + 1, inside.end() - 1))
    return None
