"""Random expressions of a wanted type over the columns that a query can name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct
from tests.fuzz.syntax import Term

# What parts an expression of a type is made of: the text with a `{}` for each part, and the types of the parts.
Parts = Mapping[DataType, Sequence[tuple[str, tuple[DataType, ...]]]]
# Those that both languages have.
_COMMON: Parts = {
    data.INT: (
        ("({} + {})", (data.INT, data.INT)),
        ("({} - {})", (data.INT, data.INT)),
        ("({} * {})", (data.INT, data.INT)),
        ("({} / {})", (data.INT, data.INT)),
        ("({} % {})", (data.INT, data.INT)),
        ("-{}", (data.INT,)),
        ("COALESCE({}, {})", (data.INT, data.INT)),
        ("CASE WHEN {} THEN {} WHEN {} THEN {} ELSE 0 END", (data.BOOLEAN, data.INT, data.BOOLEAN, data.INT)),
        ("CASE {} WHEN 1 THEN {} END", (data.INT, data.INT)),
        ("CAST({} AS INT)", (data.STRING,)),
        ("CAST({} AS INT)", (data.DOUBLE,)),
        ("ABS({})", (data.INT,)),
    ),
    data.BIGINT: (
        ("CAST({} AS BIGINT)", (data.INT,)),
        ("({} + {})", (data.BIGINT, data.INT)),
        ("({} * {})", (data.BIGINT, data.BIGINT)),
        ("COALESCE({}, {})", (data.BIGINT, data.INT)),
        ("CASE WHEN {} THEN {} END", (data.BOOLEAN, data.BIGINT)),
    ),
    data.DOUBLE: (
        ("({} + {})", (data.DOUBLE, data.INT)),
        ("({} / {})", (data.DOUBLE, data.DOUBLE)),
        ("CAST({} AS DOUBLE)", (data.INT,)),
        ("COALESCE({}, {})", (data.DOUBLE, data.DOUBLE)),
        ("CASE WHEN {} THEN {} ELSE {} END", (data.BOOLEAN, data.DOUBLE, data.DOUBLE)),
    ),
    data.STRING: (
        ("TRIM({})", (data.STRING,)),
        ("CONCAT({}, {})", (data.STRING, data.STRING)),
        ("COALESCE({}, {})", (data.STRING, data.STRING)),
        ("CAST({} AS STRING)", (data.INT,)),
        ("CASE WHEN {} THEN {} ELSE {} END", (data.BOOLEAN, data.STRING, data.STRING)),
        ("REPLACE({}, 'p', {})", (data.STRING, data.STRING)),
    ),
    data.BOOLEAN: (
        ("{} = {}", (data.INT, data.INT)),
        ("{} < {}", (data.INT, data.INT)),
        ("{} >= {}", (data.INT, data.BIGINT)),
        ("{} > {}", (data.DOUBLE, data.DOUBLE)),
        ("{} = {}", (data.STRING, data.STRING)),
        ("{} <= {}", (data.STRING, data.STRING)),
        ("{} IS NULL", (data.INT,)),
        ("{} IS NOT NULL", (data.STRING,)),
        ("{} NOT IN ('p', {})", (data.STRING, data.STRING)),
        ("{} LIKE '%p%'", (data.STRING,)),
        ("{} BETWEEN {} AND {}", (data.INT, data.INT, data.INT)),
        ("({} AND {})", (data.BOOLEAN, data.BOOLEAN)),
        ("({} OR {})", (data.BOOLEAN, data.BOOLEAN)),
        ("NOT ({})", (data.BOOLEAN,)),
    ),
}  # fmt: skip
_LENSES: Parts = {
    data.INT: (
        ("LENGTH({})", (data.STRING,)),
        ("SIZEOF([{}, {}])", (data.INT, data.INT)),
        ("[{}, {}][{}]", (data.INT, data.INT, data.INT)),
        ("MAX({}, {})", (data.INT, data.INT)),
        ("INDEXOF({}, {})", (data.STRING, data.STRING)),
    ),
    data.BIGINT: (
        ("CEIL({})", (data.DOUBLE,)),
    ),
    data.DOUBLE: (
        ("ROUND({}, 1)", (data.DOUBLE,)),
        ("SQRT({})", (data.DOUBLE,)),
    ),
    data.STRING: (
        ("UPPER({})", (data.STRING,)),
        ("LOWER({})", (data.STRING,)),
        ("SUBSTRING({}, 0, {})", (data.STRING, data.INT)),
        ("CAST({} AS STRING)", (data.BOOLEAN,)),
        ("MKSTRING({})", (data.STRING,)),
    ),
    data.BOOLEAN: (
        ("{} <> {}", (data.INT, data.INT)),
        ("{} IN (0, {}, NULL)", (data.INT, data.INT)),
        ("IN_ARRAY({}, [{}, 1])", (data.INT, data.INT)),
        ("ISNULL({})", (data.DOUBLE,)),
    ),
}  # fmt: skip
_LITERALS: dict[DataType, tuple[str, ...]] = {
    data.INT: ("0", "1", "2", "3"),
    data.BIGINT: ("3000000000", "CAST(1 AS BIGINT)"),
    data.STRING: ("'p'", "'q'", "''", "'?'"),
    data.BOOLEAN: ("TRUE", "FALSE"),
}
# Conditions that much satisfies.
_TESTS: dict[DataType, tuple[str, ...]] = {
    data.INT: (
        "{} > 0",
        "{} <> 1",
        "{} IS NOT NULL",
        "{} IS NULL",
        "COALESCE({}, 1) > 0",
        "NOT ({} = 2)",
        "{} IN (0, 1)",
    ),
    data.BIGINT: ("{} >= 1", "{} IS NOT NULL", "{} < 3000000000"),
    data.STRING: ("{} <> 'p'", "{} = 'p'", "{} >= 'p'", "{} IS NOT NULL", "{} IN ('p', 'q')", "{} NOT LIKE 'q%'"),
    data.BOOLEAN: ("{}", "NOT {}", "{} IS NOT NULL"),
}
SCALARS = tuple(_COMMON)


@dataclass(frozen=True, slots=True)
class Forms:
    """What expressions of a dialect are made of, by type: their parts; literals; and conditions on a column, which much
    satisfies.
    """

    forms: Parts
    literals: Mapping[DataType, Sequence[str]]
    tests: Mapping[DataType, Sequence[str]]


def forms_of(own: Parts, doubles: tuple[str, ...]) -> Forms:
    """What both languages have, and a dialect's own. `doubles`: its literals of DOUBLE, the second of which is 1."""
    forms = {type: (*parts, *own.get(type, ())) for type, parts in _COMMON.items()}
    tests = {**_TESTS, data.DOUBLE: (f"{{}} < {doubles[1]}", "{} IS NOT NULL")}
    return Forms(forms, {**_LITERALS, data.DOUBLE: doubles}, tests)


LENSES = forms_of(_LENSES, ("0.5", "1.0", "2.25"))


def columns(label: str, key: DataType, value: DataType, *, bare: bool, bare_key: bool) -> list[Term]:
    """What a query can name of a source. `bare`: fields without the source's name; `bare_key`: `_key` alone as well."""
    found: list[Term] = []
    if isinstance(value, Struct):
        for name, type in _leaves(value):
            found.append(Term(f"{label}.{name}", (), type))
            if bare:
                found.append(Term(name, (), type))
    else:
        found.append(Term("_value" if bare_key else f"{label}._value", (), value))
    whole = [("_key", key), *((f"_key.{name}", type) for name, type in _leaves(key) if isinstance(key, Struct))]
    for name, type in whole:
        if type != data.NULL:
            found.append(Term(f"{label}.{name}", (), type))
            if bare_key:
                found.append(Term(name, (), type))
    return found


def _leaves(type: DataType) -> list[tuple[str, DataType]]:
    """The fields of a struct, those of structs inside it too, by path."""
    if not isinstance(type, Struct):
        return []
    found = []
    for field in type.fields:
        name = field.name if field.name.isidentifier() else f"`{field.name}`"
        found.append((name, field.type))
        found += [(f"{name}.{inner}", t) for inner, t in _leaves(field.type)]
    return found


def expression(
    type: DataType, scope: Sequence[Term], random: Random, depth: int = 2, forms: Forms = LENSES
) -> Term | None:
    """An expression of the type; None if there is none."""
    own = [c for c in scope if c.type == type]
    if type not in forms.forms:
        return random.choice(own) if own else None
    if depth > 0 and random.random() < 0.45:
        text, types = random.choice(forms.forms[type])
        parts = [expression(t, scope, random, depth - 1, forms) for t in types]
        if all(part is not None for part in parts):
            return Term(text, tuple(p for p in parts if p is not None), type)
    if own and random.random() < 0.85:
        return random.choice(own)
    return Term(random.choice(forms.literals[type]), (), type)


def condition(scope: Sequence[Term], random: Random, forms: Forms = LENSES) -> Term:
    """A condition that speaks of a column, if there is one."""
    own = [c for c in scope if c.type in forms.tests]
    if own and random.random() < 0.6:
        column = random.choice(own)
        assert column.type is not None
        return Term(random.choice(forms.tests[column.type]), (column,), data.BOOLEAN)
    found = Term("TRUE")
    for _ in range(8):
        text, types = random.choice(forms.forms[data.BOOLEAN])
        parts = [expression(t, scope, random, 1, forms) for t in types]
        found = Term(text, tuple(p for p in parts if p is not None), data.BOOLEAN)
        if any(str(c) in str(found) for c in scope):
            break
    return found


def groupable(type: DataType | None) -> bool:
    """Whether values of a type can be a group or a key."""
    return type is not None and not isinstance(type, Map | Array | Decimal) and type != data.DOUBLE
