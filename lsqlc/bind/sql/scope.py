"""The names in scope of a query: case-insensitive columns of its sources, and the columns of a star."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from msgspec.structs import replace

from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.plan.expression import Cast, Expression, Field, Member, RecordTime
from lsqlc.plan.nodes import Relation
from lsqlc.syntax import tree
from lsqlc.syntax.sql.tree import GENERATED
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct

# Columns of a topic that `*` excludes: its key, its value if that is not a struct, and the time of a record.
KEY, VALUE, TIME = "_key", "_value", "_timestamp"
# The source of columns that USING merged: no name in a text equals it.
USING = " using"
# The prefix of a name of a column by its number.
_NUMBERED = " column "


@dataclass(frozen=True, slots=True)
class Scope:
    """The names in scope of a query. `labels`: those of its sources, in order."""

    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    # The columns by their names in one case, made when the first name is looked up.
    _by_name: dict[str, list[Column]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def find(self, parts: tuple[str, ...]) -> list[tuple[Column, tuple[str, ...]]]:
        """Return the columns that a dotted name can mean, each with the path of fields after it."""
        if parts[0].startswith(_NUMBERED):
            return [(self.columns[int(parts[0].removeprefix(_NUMBERED))], parts[1:])]
        candidates: list[tuple[Column, tuple[str, ...]]] = []
        for label in self.labels:
            path = tuple(label.split("."))
            if len(parts) > len(path) and _same(parts[: len(path)], path):
                name, *rest = parts[len(path) :]
                columns = [c for c in self._named(name) if c.source == label]
                candidates += [(c, tuple(rest)) for c in _closest(columns, name)]
        columns = [c for c in self._named(parts[0]) if not c.merged and c.source != GENERATED]
        return candidates or [(c, parts[1:]) for c in _closest(columns, parts[0])]

    def _named(self, name: str) -> list[Column]:
        """Return the columns with a name in any case."""
        if not self._by_name:
            for column in self.columns:
                self._by_name.setdefault(column.name.casefold(), []).append(column)
        return self._by_name.get(name.casefold(), [])

    def numbered(self, column: Column) -> tuple[str]:
        """Return a unique name of one column."""
        return (f"{_NUMBERED}{next(i for i, c in enumerate(self.columns) if c is column)}",)

    def of(self, label: str) -> tuple[Column, ...]:
        return tuple(c for c in self.columns if c.source == label)

    def resolve(self, reference: tree.Reference, findings: Findings) -> Expression | None:
        """Return the expression of a name; None after an error."""
        parts, at = reference.parts, reference.at
        candidates = self.find(parts)
        if len(candidates) > 1:
            column = candidates[0][0]
            sources = dict.fromkeys(c.source for c, _ in candidates)
            message = f"'{parts[0]}' is a column of {listing(sources)}"
            advice = f"say which: {column.source}.{column.name}"
            if len(sources) == 1:
                message = f"{len(candidates)} columns of '{column.source}' are named '{column.name}'"
                advice = "give each a name of its own inside of the query"
            findings.error("LSQ203", message, at, help=advice)
            return None
        if not candidates:
            labelled = [label for label in self.labels if len(parts) > 1 and _same((parts[0],), (label,))]
            column_names = [c.name for c in self.columns if not labelled or c.source == labelled[0]]
            visible_names = [c.name for c in self.columns if c.listed and (not labelled or c.source == labelled[0])]
            name = parts[1] if labelled else parts[0]
            where = f" in '{labelled[0]}'" if labelled else ""
            help = did_you_mean(name, column_names) or (
                f"known are {listing(visible_names)}" if visible_names else None
            )
            findings.error("LSQ201", f"unknown column '{name}'{where}", at, help=help)
            return None
        column, rest = candidates[0]
        bound: Expression = column.expression
        for name in rest:
            inner = _field(bound.type, name)
            if inner is None:
                column_names = [f.name for f in bound.type.fields] if isinstance(bound.type, Struct) else []
                findings.error(
                    "LSQ202", f"{bound.type} has no field '{name}'", at, help=did_you_mean(name, column_names)
                )
                return None
            nullable = bound.nullable or inner.nullable
            if isinstance(bound, Field):
                bound = replace(bound, path=(*bound.path, inner.name), type=inner.type, nullable=nullable)
            else:
                bound = Member(bound, inner.name, inner.type, nullable)
        return bound


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return tuple(map(str.casefold, one)) == tuple(map(str.casefold, other))


def _closest(columns: list[Column], name: str) -> list[Column]:
    """Return the columns, whose names differ in case only; if one source has several, the one with the same case."""
    exact = [c for c in columns if c.name == name]
    return exact if len(exact) == 1 and len({c.source for c in columns}) == 1 else columns


def _field(type: DataType, name: str) -> data.Field | None:
    if not isinstance(type, Struct):
        return None
    exact = type.field(name)
    return exact or next((f for f in type.fields if f.name.casefold() == name.casefold()), None)


def topic_columns(relation: Relation, label: str, *, timed: bool) -> tuple[Column, ...]:
    """Return the columns of a topic. `timed`: its records have a time."""
    columns = value_columns(relation, label)
    used_names = {c.name for c in columns}
    if not isinstance(relation.value.type, Struct) and not relation.value.is_absent:
        whole = Field(0, "value", (), relation.value.type, True)
        columns = (Column(label, VALUE, whole, False),)
    if not relation.key.is_absent and KEY not in used_names:
        columns = (*columns, Column(label, KEY, Field(0, "key", (), relation.key.type, True), True, listed=False))
    if timed and TIME not in used_names:
        time = Cast(RecordTime(), data.TIMESTAMP, False)
        columns = (*columns, Column(label, TIME, time, False, listed=False))
    return columns


def field_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return unique names of fields in a struct for columns with these names."""
    unique_names: dict[str, str] = {}
    for name in names:
        new = next(n for i in count() if (n := f"{name}_{i}" if i else name).casefold() not in unique_names)
        unique_names[new.casefold()] = new
    return tuple(unique_names.values())


def result_columns(relation: Relation, names: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of a query's result, some of which may have the same name."""
    columns = zip(value_columns(relation, ""), names, strict=True)
    return tuple(dataclasses.replace(column, name=name) for column, name in columns)


def value_columns(relation: Relation, label: str) -> tuple[Column, ...]:
    """Return the fields of a topic's value, or of a query's, as columns."""
    value = relation.value.type
    fields = value.fields if isinstance(value, Struct) else ()
    return tuple(Column(label, f.name, Field(0, "value", (f.name,), f.type, f.nullable), False) for f in fields)
