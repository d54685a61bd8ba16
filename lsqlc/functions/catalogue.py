"""All functions by dialect and name, and the names that the language refuses, with the reason.

Names are matched without regard to case, aliases included.
"""

from __future__ import annotations

from functools import cache

from lsqlc.functions.aggregates import AGGREGATES
from lsqlc.functions.arrays import ARRAYS
from lsqlc.functions.dates import DATES
from lsqlc.functions.masking import MASKING
from lsqlc.functions.nulls import NULLS
from lsqlc.functions.numbers import NUMBERS
from lsqlc.functions.signature import Aggregate, Function
from lsqlc.functions.strings import STRINGS

# Families in the order of the documentation.
FAMILIES: dict[str, dict[str, tuple[Function, ...]]] = {
    "lenses": {
        "Strings": STRINGS,
        "Obfuscation": MASKING,
        "Numbers": NUMBERS,
        "Nulls": NULLS,
        "Arrays": ARRAYS,
        "Dates and times": DATES,
    },
}
_AGGREGATES: dict[str, tuple[Aggregate, ...]] = {"lenses": AGGREGATES}

_STUDIO = "it belongs to SQL Studio and has no meaning in a streaming program"
_OPEN = "the documents do not say what it gives"
_REFUSED = {
    "TYPEOF": _STUDIO,
    "TOPK": f"{_STUDIO}; MAXK gives the largest values",
    "BOTTOMK": f"{_STUDIO}; MINK gives the smallest values",
    "DUMP": "it shows how Lenses stores a value, which lsqlc does not share",
    "EXISTS": "the schema says which fields there are; test a value with IS NOT NULL",
    "MKSTRING": f"{_OPEN} for every type; use CAST(... AS STRING)",
    "REGEX_MATCHES": f"{_OPEN} for a pattern with groups; REGEXP gives the matches",
    "STRIPACCENTS": "Spark has no native form of it",
    "JSON_EXTRACT_FIRST": f"{_OPEN} for a value that is no text; declare the fields and select them",
    "JSON_EXTRACT_ALL": f"{_OPEN} for a value that is no text; declare the fields and select them",
    "CURRENT_TIMESTAMP": "the language has NOW() for it",
}


def scalar(name: str, dialect: str = "lenses") -> Function | None:
    """The scalar function of that name, or None."""
    return _scalars(dialect).get(name.upper())


def aggregate(name: str, dialect: str = "lenses") -> Aggregate | None:
    """The aggregate function of that name, or None."""
    return _aggregates(dialect).get(name.upper())


def functions(dialect: str = "lenses") -> tuple[Function, ...]:
    """All scalar functions, each once, in the order of the families."""
    return tuple(f for family in FAMILIES.get(dialect, {}).values() for f in family)


def aggregates(dialect: str = "lenses") -> tuple[Aggregate, ...]:
    return _AGGREGATES.get(dialect, ())


def names(dialect: str = "lenses") -> tuple[str, ...]:
    """Every name that can be called, aliases included, in order."""
    return tuple(sorted({*_scalars(dialect), *_aggregates(dialect)}))


def refused(name: str) -> str | None:
    """Why the language refuses a function of this name, completing "NAME is refused because", or None."""
    return _REFUSED.get(name.upper())


@cache
def _scalars(dialect: str) -> dict[str, Function]:
    return {name: f for f in functions(dialect) for name in (f.name, *f.aliases)}


@cache
def _aggregates(dialect: str) -> dict[str, Aggregate]:
    return {a.name: a for a in aggregates(dialect)}
