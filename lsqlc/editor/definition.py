"""Where the words at a place come from: the query, projection, YAML, macro or page that defines them."""

from __future__ import annotations

import re
from importlib.resources import files

from lsqlc.bind.own_function import OwnFunction
from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Location
from lsqlc.editor.file_words import FileWord, file_word, macro_place
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.spots import Origin, Spot, found_at, origin, source_called
from lsqlc.editor.text import Lines
from lsqlc.editor.view import View, view
from lsqlc.plan.expression import FacetName, Field
from lsqlc.project.declared.config import MACRO_FOLDER

_SCHEMA_FILE = re.compile(r"[\w./-]+\.(?:avsc|json)\b")


def definition(snapshot: Snapshot, path: str, offset: int) -> tuple[Location, ...]:
    """Return the definition of what is at an offset of a file."""
    word = file_word(snapshot, path, offset)
    if word is not None:
        return _of_word(snapshot, word)
    found = found_at(snapshot, path, offset)
    return _of_spot(snapshot, *found) if found else ()


def topic_places(snapshot: Snapshot, topic: str) -> tuple[Location, ...]:
    """Where a model writes a topic, then where YAML declares it."""
    return (*_writer(snapshot, topic), *_declared(snapshot, topic))


def column_place(snapshot: Snapshot, topic: str, facet: FacetName, path: tuple[str, ...]) -> tuple[Location, ...]:
    """Where a column of a topic is projected by the model that writes it, else where YAML declares it."""
    model = _writing_model(snapshot, topic)
    seen = view(snapshot, model) if model else None
    if seen is not None:
        at = projected(seen, topic, facet, path, query=False)
        if at is not None:
            return (Location(seen.path, seen.outward(at)),)
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
        found = [(p, at) for p, text in macros if (at := macro_place(text, word.name))]
        return tuple(Location(path, at) for path, at in found)
    model = next((m for m in models if m.name == word.name), None)
    if model is not None and word.kind in ("ref", "word"):
        return (Location(model.path, (0, 0)),)
    return topic_places(snapshot, word.name)[:1]


def _own_function(snapshot: Snapshot, own: OwnFunction) -> tuple[Location, ...]:
    """Where one of the project's own functions is declared."""
    text = snapshot.texts.get(own.path)
    found = re.search(rf"\b(?:FUNCTION|def)\s+({re.escape(own.name)})\b", text, re.IGNORECASE) if text else None
    return (Location(own.path, found.span(1) if found else (0, 0)),)


def _of_spot(snapshot: Snapshot, seen: View, spot: Spot) -> tuple[Location, ...]:
    match spot.kind:
        case "function":
            own = seen.functions.get(spot.name.upper())
            return _own_function(snapshot, own) if own else ()
        case "topic":
            places = topic_places(snapshot, spot.name)
            here = Location(seen.path, seen.outward(spot.at))
            # From the place that writes it one wants to see what declares it.
            return tuple(p for p in places if p != here)[:1] or places[:1]
        case "query":
            at = _query(seen, spot.name)
            return (Location(seen.path, seen.outward(at)),) if at else topic_places(snapshot, spot.name)[:1]
        case "alias":
            source = source_called(seen, spot.at[0], spot.name)
            if source is None:
                return ()
            if source.alias and source.alias.at != spot.at:
                return (Location(seen.path, seen.outward(source.alias.at)),)
            name = source.name.text
            kind: Spot = Spot("query" if _query(seen, name) else "topic", seen.topic_of(name), source.name.at)
            return _of_spot(snapshot, seen, kind)
        case "column" if isinstance(spot.expression, Field) and not spot.grouped:
            place = origin(seen, spot.at, spot.expression)
            return _of_origin(snapshot, seen, place) if place else ()
    return ()


def _of_origin(snapshot: Snapshot, seen: View, place: Origin) -> tuple[Location, ...]:
    at = projected(seen, place.name, place.facet, place.path, query=True)
    if at is not None:
        return (Location(seen.path, seen.outward(at)),)
    return column_place(snapshot, place.name, place.facet, place.path) if place.kind == "topic" else ()


def _query(seen: View, name: str) -> Extent | None:
    """Where a WITH, a stream or a table of the program is named."""
    return seen.dialect.outline().defined(seen.program, name)


def projected(seen: View, name: str, facet: FacetName, path: tuple[str, ...], *, query: bool) -> Extent | None:
    """Where a program gives a column of what it calls `name`: a query of its own, or else a topic that it writes."""
    return seen.dialect.outline().column(seen.program, name, facet, path, query, seen.target_of)


def _writing_model(snapshot: Snapshot, topic: str) -> str | None:
    if snapshot.compilation is None:
        return None
    name = snapshot.compilation.graph.writers.get(topic)
    model = snapshot.compilation.project.model(name) if name else None
    return model.path if model else None


def _writer(snapshot: Snapshot, topic: str) -> tuple[Location, ...]:
    path = _writing_model(snapshot, topic)
    seen = view(snapshot, path) if path else None
    if seen is None:
        return ()
    at = next((n.at for n in seen.program.writes if seen.topic_of(n.text) == topic), None)
    return (Location(seen.path, seen.outward(at) if at else (0, 0)),)


def _declared(snapshot: Snapshot, topic: str) -> tuple[Location, ...]:
    declared = snapshot.compilation.project.topics if snapshot.compilation else ()
    span = next((d.span for d in declared if d.topic.name == topic), None)
    text = snapshot.texts.get(span.path) if span else None
    return (Location(span.path, Lines(text).extent(span)),) if span and text is not None else ()


def _declared_column(snapshot: Snapshot, declared: Location, path: tuple[str, ...]) -> Location | None:
    """Return the name of a column in the declaration of its topic, or in the schema file that this names."""
    text = snapshot.texts[declared.path]
    start = declared.at[1]
    item = re.compile(r"^\s*-\s+\{?\s*name\s*:|^\S", re.MULTILINE).search(text, start)
    end = item.start() if item else len(text)
    column = re.compile(rf"(?<![\w.]){re.escape(path[0])}(?!\w)(?=`?\s*:?\s+[A-Za-z])")
    found = column.search(text, start, end)
    if found:
        return Location(declared.path, found.span())
    for named in _SCHEMA_FILE.findall(text, start, end):
        inside = re.search(rf'"{re.escape(path[0])}"', snapshot.texts.get(named, ""))
        if inside:
            return Location(named, (inside.start() + 1, inside.end() - 1))
    return None
