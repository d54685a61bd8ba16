"""The data types of the language, and how two of them meet. Types compare by value."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec


class Primitive(msgspec.Struct, frozen=True):
    """A type without parts, known by its name. `NULL` is the type of the literal NULL and of a facet that is absent."""

    name: str

    def __str__(self) -> str:
        return self.name


NULL = Primitive("NULL")
BOOLEAN = Primitive("BOOLEAN")
INT = Primitive("INT")
BIGINT = Primitive("BIGINT")
FLOAT = Primitive("FLOAT")
DOUBLE = Primitive("DOUBLE")
STRING = Primitive("STRING")
BYTES = Primitive("BYTES")
DATE = Primitive("DATE")
TIME = Primitive("TIME")
TIMESTAMP = Primitive("TIMESTAMP")
# Intervals of standard SQL: numbers of months or of microseconds, by the units of their first and last field. A topic
# holds their text.
MONTH_UNITS = ("YEAR", "MONTH")
TIME_UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")


def interval(first: str, last: str) -> Primitive:
    """The type of an interval with these units, in upper case, both of months or both of shorter units."""
    return Primitive(f"INTERVAL {first}" if first == last else f"INTERVAL {first} TO {last}")


DAYS = interval("DAY", "DAY")
LENGTH = interval("DAY", "SECOND")
MONTHS = interval("YEAR", "MONTH")
INTERVALS = tuple(
    interval(first, last) for units in (MONTH_UNITS, TIME_UNITS) for i, first in enumerate(units) for last in units[i:]
)


class Decimal(msgspec.Struct, frozen=True):
    """An exact number of `precision` digits, `scale` of them after the point; 1 <= precision <= 38."""

    precision: int
    scale: int

    def __str__(self) -> str:
        return f"DECIMAL({self.precision},{self.scale})"


class Array(msgspec.Struct, frozen=True):
    element: DataType

    def __str__(self) -> str:
        return f"ARRAY<{self.element}>"


class Map(msgspec.Struct, frozen=True):
    key: DataType
    value: DataType

    def __str__(self) -> str:
        return f"MAP<{self.key},{self.value}>"


class Field(msgspec.Struct, frozen=True):
    """A member of a struct. A field is nullable unless its declaration says NOT NULL."""

    name: str
    type: DataType
    nullable: bool = True

    def __str__(self) -> str:
        return f"{quote(self.name)}: {self.type}" + ("" if self.nullable else " NOT NULL")


class Struct(msgspec.Struct, frozen=True):
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field | None:
        """The member of exactly that name, or None."""
        if len(self.fields) < _FEW:
            for field in self.fields:
                if field.name == name:
                    return field
            return None
        return _by_name(self.fields).get(name)

    def folded_field(self, name: str) -> Field | None:
        """The first member of that name, letter case aside, or None."""
        return _by_folded_name(self.fields).get(name.lower())

    def __str__(self) -> str:
        return f"STRUCT<{', '.join(map(str, self.fields))}>"


# So many fields are looked through as fast as an index is asked.
_FEW = 8
# Of the structs that were asked last, by the identity of their fields: the fields, and an index of them.
_Indexes = dict[int, tuple[tuple[Field, ...], dict[str, Field]]]
_indexes: _Indexes = {}
_folded_indexes: _Indexes = {}
_MOST_INDEXES = 64


def _by_name(fields: tuple[Field, ...]) -> dict[str, Field]:
    known = _indexes.get(id(fields))
    if known is None or known[0] is not fields:
        if len(_indexes) >= _MOST_INDEXES:
            _indexes.clear()
        known = _indexes[id(fields)] = fields, {f.name: f for f in reversed(fields)}
    return known[1]


def _by_folded_name(fields: tuple[Field, ...]) -> dict[str, Field]:
    known = _folded_indexes.get(id(fields))
    if known is None or known[0] is not fields:
        if len(_folded_indexes) >= _MOST_INDEXES:
            _folded_indexes.clear()
        known = _folded_indexes[id(fields)] = fields, {f.name.lower(): f for f in reversed(fields)}
    return known[1]


DataType = Primitive | Decimal | Array | Map | Struct

_INTEGERS = (INT, BIGINT)


def is_integer(type: DataType) -> bool:
    return type in _INTEGERS


def is_numeric(type: DataType) -> bool:
    return type in (INT, BIGINT, FLOAT, DOUBLE) or isinstance(type, Decimal)


def common_interval(one: DataType, other: DataType) -> DataType | None:
    """The type in which two intervals meet; None where one is of months and the other is not, or is no interval."""
    if one not in INTERVALS or other not in INTERVALS:
        return None
    units = MONTH_UNITS if is_of_months(one) else TIME_UNITS
    if is_of_months(one) != is_of_months(other):
        return None
    places = [units.index(unit) for type in (one, other) for unit in interval_units(type)]
    return interval(units[min(places)], units[max(places)])


def interval_units(type: DataType) -> tuple[str, str]:
    """The units of the first and of the last field of an interval."""
    words = str(type).split()
    return words[1], words[-1]


def is_of_months(type: DataType) -> bool:
    """Whether a type is an interval of months and years."""
    return type in INTERVALS and interval_units(type)[0] in MONTH_UNITS


def has_interval(type: DataType) -> bool:
    """Whether a part of the type is an interval."""
    return any(isinstance(part, Primitive) and part in INTERVALS for part in parts(type))


def parts(type: DataType) -> Iterator[DataType]:
    """The type itself, and each one inside of it."""
    yield type
    match type:
        case Array(element):
            yield from parts(element)
        case Map(key, value):
            yield from parts(key)
            yield from parts(value)
        case Struct(fields):
            for field in fields:
                yield from parts(field.type)


def has_map(type: DataType) -> bool:
    """Whether a part of the type is a MAP."""
    return any(isinstance(part, Map) for part in parts(type))


def unify(a: DataType, b: DataType) -> DataType | None:
    """The type in which both meet without loss of meaning, or None.

    INT with BIGINT is BIGINT, any number with FLOAT or DOUBLE is DOUBLE, decimals widen; NULL meets anything
    (docs/reference/lenses.md, "Types and nulls"). There is no other implicit conversion.
    """
    if a == b or b == NULL:
        return a
    if a == NULL:
        return b
    if isinstance(a, Array) and isinstance(b, Array):
        element = unify(a.element, b.element)
        return Array(element) if element else None
    if isinstance(a, Map) and isinstance(b, Map):
        key, value = unify(a.key, b.key), unify(a.value, b.value)
        return Map(key, value) if key and value else None
    if isinstance(a, Struct) and isinstance(b, Struct):
        return _unify_structs(a, b)
    if not (is_numeric(a) and is_numeric(b)):
        return common_interval(a, b)
    if is_integer(a) and is_integer(b):
        return BIGINT
    if isinstance(a, Primitive) and isinstance(b, Primitive):
        return DOUBLE
    if DOUBLE in (a, b) or FLOAT in (a, b):
        return DOUBLE
    return _widen(_as_decimal(a), _as_decimal(b))


def _unify_structs(a: Struct, b: Struct) -> Struct | None:
    if [f.name for f in a.fields] != [f.name for f in b.fields]:
        return None
    fields = []
    for x, y in zip(a.fields, b.fields, strict=True):
        type = unify(x.type, y.type)
        if type is None:
            return None
        fields.append(Field(x.name, type, x.nullable or y.nullable))
    return Struct(tuple(fields))


def meet_as_keys(a: DataType, b: DataType) -> DataType | None:
    """The type in which keys meet that a join equates: INT with BIGINT is BIGINT, and nothing else is converted.

    That a part may be null makes no other key.
    """
    return unify(a, b) if _alike(a, b, lambda x, y: x == y or (is_integer(x) and is_integer(y))) else None


def equal_but_for_nulls(a: DataType, b: DataType) -> bool:
    """Whether two types differ at most in which fields may be null."""
    return _alike(a, b, lambda x, y: x == y)


def _alike(a: DataType, b: DataType, leaves: Callable[[DataType, DataType], bool]) -> bool:
    """Whether two types have one structure, with the same names, and leaves that are alike."""
    match a, b:
        case Struct(), Struct():
            if [f.name for f in a.fields] != [f.name for f in b.fields]:
                return False
            return all(_alike(x.type, y.type, leaves) for x, y in zip(a.fields, b.fields, strict=True))
        case Array(), Array():
            return _alike(a.element, b.element, leaves)
        case Map(), Map():
            return _alike(a.key, b.key, leaves) and _alike(a.value, b.value, leaves)
    return leaves(a, b)


def _as_decimal(type: DataType) -> Decimal:
    if isinstance(type, Decimal):
        return type
    return Decimal(10, 0) if type == INT else Decimal(20, 0)


def _widen(a: Decimal, b: Decimal) -> Decimal:
    """The decimal that holds both, cut to 38 digits as Spark cuts it: whole digits are kept before the scale."""
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    return Decimal(min(38, whole + scale), min(scale, 38 - min(38, whole)))


def quote(name: str) -> str:
    """A name as it can be written: in backticks unless it is letters, digits and `_`."""
    return name if name.isascii() and name.isidentifier() else "`" + name.replace("`", "``") + "`"
