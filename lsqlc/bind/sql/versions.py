"""The changes of a row, and its versions: an array of them as an expression over all its changes.

The last of several changes with one sequence is used. Consecutive changes with equal tracked columns are one version,
with the values of the last one. It begins with the sequence of the first one, and ends with that of the next change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lsqlc.bind.sql.called import called
from lsqlc.bind.sql.null_updates import FALSE, TRUE, filled, is_not_null, is_true
from lsqlc.functions.inner import window_rows
from lsqlc.plan.expression import (
    Call,
    Case,
    ElementAt,
    Expression,
    Lambda,
    Literal,
    Member,
    Operation,
    StructOf,
    Variable,
    joined,
    rewrite,
)
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Struct

START, END = "__START_AT", "__END_AT"
DELETED = "deleted"
# Whether a change is the first one of a version, and whether it is the last one.
_FIRST, _LAST = "is_first", "is_last"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a row.

    `sequence`: its type. `order`: the expressions by which it is compared. `deletes`: a condition. `values`: the
    columns of the table.
    """

    sequence: DataType
    order: tuple[Expression, ...]
    deletes: Expression | None
    values: tuple[Expression, ...]

    @property
    def row(self) -> StructOf:
        """The columns `c0`, `c1`, ..., and DELETED if changes may delete the row."""
        deleted = () if self.deletes is None else (is_true(self.deletes),)
        names = (*(DELETED for _ in deleted), *(f"c{i}" for i in range(len(self.values))))
        return StructOf(names, (*deleted, *self.values))

    @property
    def ordered(self) -> StructOf:
        """The row, and before it the values by which it is compared, `o0`, `o1`, ..."""
        row = self.row
        return StructOf((*(f"o{i}" for i in range(len(self.order))), *row.names), (*self.order, *row.values))


def versions_of(changes: Expression, change: Change, tracked: Sequence[int], ignoring: Sequence[int]) -> Expression:
    """Return an array of structs START, END, `c0`, `c1`, ...

    `changes`: an array of the changes of a row, in order, each `ordered`. `tracked`: the numbers of the columns whose
    values distinguish versions. `ignoring`: the numbers of those in which a null is ignored.
    """

    def of_counted(array: Expression) -> Expression:
        return _versions(_Changes(array, change, tracked))

    def of_filled(array: Expression) -> Expression:
        return _with(_Changes(array, change, tracked).counted(), "counted", of_counted)

    if not ignoring:
        return of_filled(changes)
    return _with(_Changes(changes, change, tracked).filled(ignoring), "filled", of_filled)


@dataclass(frozen=True, slots=True)
class _Changes:
    """An array of changes."""

    array: Expression
    change: Change
    tracked: Sequence[int]

    def filled(self, ignoring: Sequence[int]) -> Expression:
        """Return each change with the row's values after it in the columns in which a null is ignored."""
        one, index = Variable("written", _element(self.array)), Variable("written_index", data.INT, False)
        before = Variable("earlier", _element(self.array))
        behind = Operation("+", (index, _int(1)), data.INT, False)
        up_to = Call(window_rows.FRAME, (self.array, _int(1), behind), self.array.type, False)

        def newest(value: Expression) -> Expression:
            earlier = rewrite(value, lambda part: before if part == one else part)
            condition = is_not_null(earlier)
            if self.change.deletes is not None:
                is_deletion = Member(before, DELETED, data.BOOLEAN, False)
                condition = joined("OR", (is_deletion, condition))
                earlier = Case(((is_deletion, Literal(None, value.type)),), earlier, value.type)
            newest_values = _each(_filtered(up_to, (before,), condition), (before,), earlier)
            return called("ELEMENT_AT", (newest_values, _int(-1)), value.type)

        assert isinstance(one.type, Struct)
        columns = {f"c{i}" for i in ignoring}
        members = (Member(one, f.name, f.type, f.nullable) for f in one.type.fields)
        values = tuple(filled(each, newest) if each.name in columns else each for each in members)
        return _each(self.array, (one, index), StructOf(tuple(f.name for f in one.type.fields), values))

    def counted(self) -> Expression:
        """Return the last change of each sequence."""
        one, index = Variable("each", _element(self.array)), Variable("each_index", data.INT, False)
        differs = Operation("<>", (self._order(one), self._order(self._at(index, 1))), data.BOOLEAN, False)
        return _filtered(self.array, (one, index), self._unless_last(index, differs, TRUE))

    def marked(self) -> Expression:
        """Return the position of each change in its version: START, END, _FIRST, _LAST, and its columns."""
        one, index = Variable("change", _element(self.array)), Variable("change_index", data.INT, False)
        before, behind = self._at(index, -1), self._at(index, 1)
        none = Literal(None, self.change.sequence)
        is_first = Case(((_equal(index, _int(0)), TRUE),), self._differ(before, one), data.BOOLEAN)
        is_last = self._unless_last(index, self._differ(one, behind), TRUE)
        columns = {f"c{i}": _member(one, f"c{i}", value) for i, value in enumerate(self.change.values)}
        parts = {
            START: self._sequence(one),
            END: self._unless_last(index, self._sequence(behind), none),
            _FIRST: self._present(one, is_first),
            _LAST: self._present(one, is_last),
            **columns,
        }
        return _each(self.array, (one, index), StructOf(tuple(parts), tuple(parts.values())))

    def _at(self, index: Expression, distance: int) -> Expression:
        """Return the change at a distance from another one, which must exist."""
        place = Operation("+", (index, _int(distance)), data.INT, False)
        return ElementAt(self.array, place, _element(self.array))

    def _unless_last(self, index: Expression, value: Expression, otherwise: Expression) -> Expression:
        """Return a value of the next change; another value for the last change."""
        size = Call(window_rows.FRAME_SIZE, (self.array,), data.INT, False)
        behind = Operation("+", (index, _int(1)), data.INT, False)
        return Case(((_equal(behind, size), otherwise),), value, value.type)

    def _order(self, one: Expression) -> Expression:
        names = tuple(f"o{i}" for i in range(len(self.change.order)))
        return StructOf(names, self._parts(one))

    def _parts(self, one: Expression) -> tuple[Expression, ...]:
        return tuple(_member(one, f"o{i}", part) for i, part in enumerate(self.change.order))

    def _sequence(self, one: Expression) -> Expression:
        parts, type = self._parts(one), self.change.sequence
        return StructOf(tuple(f.name for f in type.fields), parts) if isinstance(type, Struct) else parts[0]

    def _differ(self, one: Expression, other: Expression) -> Expression:
        """Return the condition that two neighbours are in different versions. Structs are equal if their nulls are."""
        left, right = (
            StructOf(
                tuple(f"t{i}" for i in self.tracked),
                tuple(_member(each, f"c{i}", self.change.values[i]) for i in self.tracked),
            )
            for each in (one, other)
        )
        differ = Operation("<>", (left, right), data.BOOLEAN, False) if self.tracked else FALSE
        if self.change.deletes is None:
            return differ
        deletions = [Member(each, DELETED, data.BOOLEAN, False) for each in (one, other)]
        return joined("OR", (*deletions, differ))

    def _present(self, one: Expression, condition: Expression) -> Expression:
        if self.change.deletes is None:
            return condition
        present = Operation("NOT", (Member(one, DELETED, data.BOOLEAN, False),), data.BOOLEAN, False)
        return joined("AND", (present, condition))


def _versions(changes: _Changes) -> Expression:
    def of_marked(marked: Expression) -> Expression:
        return _with(_starts(marked), "starts", lambda starts: _rows(marked, starts, changes.change))

    return _with(changes.marked(), "marked", of_marked)


def _starts(marked: Expression) -> Expression:
    """Return the index where each version begins."""
    one = Variable("first_change", _element(marked))
    first = _filtered(marked, (one,), Member(one, _FIRST, data.BOOLEAN, False))
    return _each(first, (one,), Member(one, START, _field(marked, START), False))


def _rows(marked: Expression, starts: Expression, change: Change) -> Expression:
    """Return the last change of each version, with the index where its first one is."""
    one, index = Variable("last_change", _element(marked)), Variable("last_index", data.INT, False)
    last = _filtered(marked, (one,), Member(one, _LAST, data.BOOLEAN, False))
    parts = {
        START: ElementAt(starts, index, change.sequence, False),
        END: Member(one, END, change.sequence, True),
        **{f"c{i}": _member(one, f"c{i}", value) for i, value in enumerate(change.values)},
    }
    return _each(last, (one, index), StructOf(tuple(parts), tuple(parts.values())))


def _with(value: Expression, name: str, body: Callable[[Expression], Expression]) -> Expression:
    """Return an expression over a value that is computed once."""
    variable = Variable(name, value.type, False)
    result = body(variable)
    return Call(window_rows.WITH, (value, Lambda((variable,), result)), result.type, False)


def _filtered(array: Expression, variables: tuple[Variable, ...], condition: Expression) -> Expression:
    return called("FILTER", (array, Lambda(variables, condition)), array.type, nullable=False)


def _each(array: Expression, variables: tuple[Variable, ...], value: Expression) -> Expression:
    return called("TRANSFORM", (array, Lambda(variables, value)), Array(value.type), nullable=False)


def _element(array: Expression) -> DataType:
    assert isinstance(array.type, Array)
    return array.type.element


def _field(array: Expression, name: str) -> DataType:
    element = _element(array)
    assert isinstance(element, Struct)
    field = element.field(name)
    assert field is not None, name
    return field.type


def _member(one: Expression, name: str, value: Expression) -> Expression:
    """Return the field of a change with a value."""
    return Member(one, name, value.type, value.nullable)


def _equal(left: Expression, right: Expression) -> Expression:
    return Operation("=", (left, right), data.BOOLEAN, False)


def _int(number: int) -> Literal:
    return Literal(number, data.INT)
