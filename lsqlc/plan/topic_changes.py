"""Comparison of two versions of a topic from its readers' point of view, with a category for each change.

RULES is complete: every change has a rule, and every rule a category.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lsqlc.plan.nodes import Semantics
from lsqlc.types.data import Array, DataType, Field, Map, Struct, quote
from lsqlc.types.record import Facet, Topic

Category = Literal["cosmetic", "additive", "compatible", "breaking"]
# From no effect to incompatible.
CATEGORIES: tuple[Category, ...] = ("cosmetic", "additive", "compatible", "breaking")

RULES: dict[str, Category] = {
    # Models.
    "text": "cosmetic",
    "about": "cosmetic",
    "unused input": "cosmetic",
    "model added": "additive",
    # Its topics have their own rules: a model can be renamed.
    "model removed": "compatible",
    "plan": "compatible",
    # Topics.
    "topic about": "cosmetic",
    "topic added": "additive",
    "topic removed": "breaking",
    "semantics": "breaking",
    "event time": "breaking",
    "partitions declared": "compatible",
    "partitions": "breaking",
    # A key identifies rows and determines partitions, so any change of it affects readers.
    "key": "breaking",
    "key format": "breaking",
    "value format": "breaking",
    # Values.
    "column added": "additive",
    "column order": "compatible",
    "column never null": "compatible",
    "column may be null": "breaking",
    "column removed": "breaking",
    "column renamed": "breaking",
    "column retyped": "breaking",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `rule` is a key of RULES. `topic` None: the change is about the model."""

    rule: str
    text: str
    topic: str | None = None

    @property
    def category(self) -> Category:
        return RULES[self.rule]


def topic_changes(old: Topic, old_semantics: Semantics, new: Topic, new_semantics: Semantics) -> tuple[Change, ...]:
    """Return the changes between two versions of a topic, those of the key first."""
    return tuple(Change(rule, text, new.name) for rule, text in _changes(old, old_semantics, new, new_semantics))


def _changes(old: Topic, old_semantics: str, new: Topic, new_semantics: str) -> Iterator[tuple[str, str]]:
    if old_semantics != new_semantics:
        yield "semantics", f"{old_semantics} is now {new_semantics}"
    if old.key.type != new.key.type:
        yield "key", f"key {old.key.type} is now {new.key.type}"
    if old.key.format != new.key.format:
        yield "key format", f"key format {old.key.format} is now {new.key.format}"
    yield from _values(old.value, new.value)
    if old.event_time != new.event_time:
        yield "event time", f"event time {old.event_time or 'of the record'} is now {new.event_time or 'of the record'}"
    if old.partitions != new.partitions:
        declared = "partitions declared" if None in (old.partitions, new.partitions) else "partitions"
        yield declared, f"partitions {_or_none(old.partitions)} is now {_or_none(new.partitions)}"
    if (old.connector, old.description, old.tags) != (new.connector, new.description, new.tags):
        yield "topic about", "the description of the topic has changed"


def _values(old: Facet, new: Facet) -> Iterator[tuple[str, str]]:
    if old.format != new.format:
        yield "value format", f"value format {old.format} is now {new.format}"
    yield from _types("", old.type, new.type)


def _types(path: str, old: DataType, new: DataType) -> Iterator[tuple[str, str]]:
    """Yield the changes of a type, including nested structs, arrays and maps.

    `path`: of the column, such as `a.b` or `a[]`.
    """
    if old == new:
        return
    match old, new:
        case Struct(), Struct():
            yield from _fields(path, old, new)
        case Array(), Array():
            yield from _types(f"{path}[]", old.element, new.element)
        case Map(), Map() if old.key == new.key:
            yield from _types(f"{path}[]", old.value, new.value)
        case _:
            yield "column retyped", f"{path or '_value'} {old} is now {new}"


def _fields(path: str, old: Struct, new: Struct) -> Iterator[tuple[str, str]]:
    before, after = ({f.name: f for f in struct.fields} for struct in (old, new))
    renamed = dict(_renamed(old, new))
    for field in old.fields:
        other = after.get(renamed.get(field.name, field.name))
        name = _path(path, field)
        if other is None:
            yield "column removed", f"{name} {field.type} was removed"
            continue
        if other.name != field.name:
            yield "column renamed", f"{name} is now called {_path(path, other)}"
        if field.nullable != other.nullable:
            rule = "column may be null" if other.nullable else "column never null"
            yield rule, f"{name} {'may now be' if other.nullable else 'is now never'} null"
        yield from _types(name, field.type, other.type)
    came = set(renamed.values())
    for field in new.fields:
        if field.name not in before and field.name not in came:
            yield "column added", f"{_path(path, field)} {field.type} was added"
    common = [f.name for f in old.fields if f.name in after]
    if common != [f.name for f in new.fields if f.name in before]:
        yield "column order", f"the columns{f' of {path}' if path else ''} come in another order"


def _renamed(old: Struct, new: Struct) -> Iterator[tuple[str, str]]:
    """Yield pairs of old and new name: fields with the same position, type and nullability, and an unused new name."""
    before, after = {f.name for f in old.fields}, {f.name for f in new.fields}
    if len(old.fields) != len(new.fields):
        return
    for was, now in zip(old.fields, new.fields, strict=True):
        same = (was.type, was.nullable) == (now.type, now.nullable)
        if same and was.name not in after and now.name not in before:
            yield was.name, now.name


def _path(path: str, field: Field) -> str:
    return f"{path}.{quote(field.name)}" if path else quote(field.name)


def _or_none(number: int | None) -> str:
    return "not declared" if number is None else str(number)
