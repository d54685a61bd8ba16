"""All functions by dialect and name, and the names that the language refuses, with the reason.

Names are matched without regard to case, aliases included.
"""

from __future__ import annotations

from functools import cache

from lsqlc.functions.ksql.aggregates import KSQL_AGGREGATES
from lsqlc.functions.ksql.scalars import KSQL_FAMILIES
from lsqlc.functions.lenses.aggregates import AGGREGATES
from lsqlc.functions.lenses.arrays import ARRAYS
from lsqlc.functions.lenses.dates import DATES
from lsqlc.functions.lenses.identifiers import IDENTIFIERS
from lsqlc.functions.lenses.json_paths import JSON
from lsqlc.functions.lenses.masking import MASKING
from lsqlc.functions.lenses.nulls import NULLS
from lsqlc.functions.lenses.numbers import NUMBERS
from lsqlc.functions.lenses.strings import STRINGS
from lsqlc.functions.signature import Aggregate, Function

# Families in the order of the documentation.
FAMILIES: dict[str, dict[str, tuple[Function, ...]]] = {
    "lenses": {
        "Strings": (*STRINGS, *IDENTIFIERS),
        "Obfuscation": MASKING,
        "Numbers": NUMBERS,
        "Nulls": NULLS,
        "Arrays": ARRAYS,
        "Dates and times": DATES,
        "JSON": JSON,
    },
    "ksql": KSQL_FAMILIES,
}
_AGGREGATES: dict[str, tuple[Aggregate, ...]] = {"lenses": AGGREGATES, "ksql": KSQL_AGGREGATES}

_STUDIO = "it belongs to SQL Studio and has no meaning in a streaming program"
_HEADERS = "records have no headers here"
_REFUSED_KSQL = {
    "RANDOM": "a replay would write other records; UUID() is different for each record and the same in every run",
    **dict.fromkeys(("JSON_CONCAT", "DOUBLE_FROM_BYTES", "COLLECT_MAP", "ATTR"), "it has no form on both engines"),
}
_REFUSED = {
    "TYPEOF": _STUDIO,
    "TOPK": f"{_STUDIO}; MAXK gives the largest values",
    "BOTTOMK": f"{_STUDIO}; MINK gives the smallest values",
    "DUMP": "it shows how Lenses stores a value, which lsqlc does not share",
    "EXISTS": "the schema says which fields there are; test a value with IS NOT NULL",
    **dict.fromkeys(
        ("HEADERASSTRING", "HEADERASINT", "HEADERASLONG", "HEADERASFLOAT", "HEADERASDOUBLE", "HEADERKEYS"), _HEADERS
    ),
    "RANDINT": "a replay would write other records; UUID() is different for each record and the same in every run",
    "CURRENT_TIMESTAMP": "the language has NOW() for it",
}


def scalar(name: str, dialect: str = "lenses") -> Function | None:
    """The scalar function of that name, or None."""
    return _scalars(dialect).get(name.upper())


def aggregate(name: str, dialect: str = "lenses") -> Aggregate | None:
    """The aggregate function of that name, or None."""
    return _aggregates(dialect).get(name.upper())


def planned(name: str) -> Function | None:
    """The scalar function that a plan calls by this name (see `plan_name`)."""
    dialect, dot, own = name.rpartition(".")
    return _scalars(dialect if dot else "lenses").get(own)


def plan_name(function: Function, dialect: str) -> str:
    """The name by which a plan calls a function: `ksql.SUBSTRING` for one that is not the function of that name in the
    Lenses language.
    """
    same = dialect == "lenses" or _scalars("lenses").get(function.name) is function
    return function.name if same else f"{dialect}.{function.name}"


def functions(dialect: str = "lenses") -> tuple[Function, ...]:
    """All scalar functions, each once, in the order of the families."""
    return tuple(f for family in FAMILIES.get(dialect, {}).values() for f in family)


def every_function() -> tuple[Function, ...]:
    """The scalar functions of all dialects, which a plan may call."""
    return tuple(f for dialect in FAMILIES for f in functions(dialect))


def aggregates(dialect: str = "lenses") -> tuple[Aggregate, ...]:
    return _AGGREGATES.get(dialect, ())


def names(dialect: str = "lenses") -> tuple[str, ...]:
    """Every name that can be called, aliases included, in order."""
    return tuple(sorted({*_scalars(dialect), *_aggregates(dialect)}))


def refused(name: str, dialect: str = "lenses") -> str | None:
    """Why a dialect refuses a function of this name, completing "NAME is refused because", or None."""
    return (_REFUSED if dialect == "lenses" else _REFUSED_KSQL).get(name.upper())


def refusals() -> tuple[tuple[str, str], ...]:
    """The names that the language refuses, with why, in order."""
    return tuple(sorted(_REFUSED.items()))


@cache
def _scalars(dialect: str) -> dict[str, Function]:
    return {name: f for f in functions(dialect) for name in (f.name, *f.aliases)}


@cache
def _aggregates(dialect: str) -> dict[str, Aggregate]:
    return {a.name: a for a in aggregates(dialect)}
