"""The columns that a query can name at an offset, from its sources and their schemas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lsqlc.bind.columns import Column
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.statements import NamedSource, Statement
from lsqlc.editor.view import View
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Facet


@dataclass(frozen=True, slots=True)
class Named:
    """A name that can be completed. `of`: the source that it belongs to."""

    name: str
    type: str
    of: str = ""


@dataclass(frozen=True, slots=True)
class _Side:
    """A source with its facets. `columns`: in a dialect that names columns instead of facets."""

    label: str
    key: Facet
    value: Facet
    columns: tuple[Column, ...]


def members(snapshot: Snapshot, view: View, statement: Statement) -> tuple[Named, ...]:
    """Return the names that can follow the text up to its last dot; without a dot, those that can begin a column."""
    sides = [side for source in statement.sources if (side := _side(snapshot, view, source))]
    if view.dialect.declares_sources:
        return tuple(_columns(sides, statement.path))
    if not statement.path:
        return tuple(_first(sides, statement))
    return tuple(_within(sides, statement))


def _side(snapshot: Snapshot, view: View, source: NamedSource) -> _Side | None:
    source_trace = view.trace.sources.get(source.name)
    if source_trace is None:
        source_trace = view.trace.sources.get(view.dialect.fold(source.name))
    if source_trace is not None:
        relation = source_trace.node.relations[0]
        return _Side(source.label, relation.key, relation.value, source_trace.columns)
    topic = snapshot.topics.get(view.topic_of(source.name))
    return _Side(source.label, topic.key, topic.value, ()) if topic is not None else None


def _first(sides: list[_Side], statement: Statement) -> Iterator[Named]:
    several = len(sides) > 1
    names = [name for side in sides for name in _fields(side.value.type)]
    for side in sides:
        if several:
            yield Named(side.label, "source")
        for field in _members(side.value.type):
            alone = names.count(field.name) == 1
            yield Named(field.name if alone else f"{side.label}.{field.name}", _typed(field), side.label)
    for name, facet in (("_key", "key"), ("_value", "value")):
        if not several:
            yield from (Named(name, str(f.type)) for s in sides if not (f := getattr(s, facet)).is_absent)
    for alias, array in statement.elements:
        element = _element(sides, array)
        yield Named(alias, str(element) if element else "element")
    if statement.clause == "HAVING":
        yield from (Named(alias, "alias") for alias in statement.aliases)


def _within(sides: list[_Side], statement: Statement) -> Iterator[Named]:
    path = statement.path
    for length in range(len(path), 0, -1):
        side = next((s for s in sides if s.label == ".".join(path[:length])), None)
        if side is None:
            continue
        rest = path[length:]
        if not rest:
            yield from (Named(f.name, _typed(f), side.label) for f in _members(side.value.type))
            yield from (Named(f"_{n}", str(f.type)) for n, f in (("key", side.key), ("value", side.value))
                        if not f.is_absent)  # fmt: skip
            return
        yield from _at(_start(side, rest[0]), rest[1:] if rest[0] in ("_key", "_value") else rest)
        return
    element = next((_element(sides, array) for alias, array in statement.elements if alias == path[0]), None)
    if element is not None:
        yield from _at(element, path[1:])
        return
    for side in sides:
        yield from _at(_start(side, path[0]), path[1:] if path[0] in ("_key", "_value") else path)


def _start(side: _Side, word: str) -> DataType:
    return side.key.type if word == "_key" else side.value.type


def _at(type: DataType, path: tuple[str, ...]) -> Iterator[Named]:
    struct = _typed_at(type, path)
    yield from (Named(f.name, _typed(f)) for f in _members(struct))


def _typed_at(type: DataType, path: tuple[str, ...]) -> DataType:
    for name in path:
        field = type.field(name) if isinstance(type, Struct) else None
        if field is None:
            return data.NULL
        type = field.type
    return type


def _element(sides: list[_Side], array: tuple[str, ...]) -> DataType | None:
    """Return the element type of an array, named with or without its source."""
    for side in sides:
        inner = array[1:] if array[0] == side.label else array
        type = _typed_at(side.value.type, inner[1:] if inner[:1] == ("_value",) else inner)
        if isinstance(type, data.Array):
            return type.element
    return None


def _members(type: DataType) -> tuple[data.Field, ...]:
    return type.fields if isinstance(type, Struct) else ()


def _fields(type: DataType) -> tuple[str, ...]:
    return tuple(field.name for field in _members(type))


def _typed(field: data.Field) -> str:
    return f"{field.type}" + ("" if field.nullable else " NOT NULL")


def _columns(sides: list[_Side], path: tuple[str, ...]) -> Iterator[Named]:
    if not path and len(sides) > 1:
        yield from (Named(side.label.upper(), "source") for side in sides)
    for side in sides:
        if path and side.label.upper() != ".".join(path).upper():
            continue
        for column in side.columns:
            yield Named(column.name, f"{column.expression.type}{' KEY' if column.is_key else ''}", side.label)
