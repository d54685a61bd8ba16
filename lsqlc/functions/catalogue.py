"""All functions by dialect and name, and the names that a dialect refuses, with the reason.

The module `families` in a dialect's folder holds its tables: FAMILIES, AGGREGATES and REFUSED. It is imported on first
use. Names are matched without regard to case, aliases included.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from lsqlc import functions as room
from lsqlc.functions.signature import Aggregate, Function

# The dialect whose functions a plan calls by their own names.
HOME = "lenses"


@dataclass(frozen=True, slots=True)
class Tables:
    """The functions of a dialect.

    `families` is in the order of the documentation. `refused` has the reason for each refused name.
    """

    families: Mapping[str, tuple[Function, ...]] = field(default_factory=dict)
    aggregates: tuple[Aggregate, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


def scalar(name: str, dialect: str = HOME) -> Function | None:
    """Return the scalar function with a name, or None."""
    return _scalars(dialect).get(name.upper())


def aggregate(name: str, dialect: str = HOME) -> Aggregate | None:
    """Return the aggregate function with a name, or None."""
    return _aggregates(dialect).get(name.upper())


def planned(name: str) -> Function | None:
    """Return the scalar function that a plan calls by a name (see `plan_name`), or None."""
    dialect, dot, own = name.rpartition(".")
    return _scalars(dialect if dot else HOME).get(own)


def plan_name(function: Function, dialect: str) -> str:
    """Return the name by which a plan calls a function.

    A function that differs from the Lenses function of the same name has a prefix: `ksql.SUBSTRING`.
    """
    same = dialect == HOME or _scalars(HOME).get(function.name) is function
    return function.name if same else f"{dialect}.{function.name}"


def functions(dialect: str = HOME) -> tuple[Function, ...]:
    """Return the scalar functions of a dialect, each once, in the order of the families."""
    return tuple(f for family in tables(dialect).families.values() for f in family)


def every_function() -> tuple[Function, ...]:
    """Return the scalar functions of all dialects, which a plan may call."""
    folders = [module.name for module in pkgutil.iter_modules(room.__path__) if module.ispkg]
    return tuple(f for dialect in folders for f in functions(dialect))


def aggregates(dialect: str = HOME) -> tuple[Aggregate, ...]:
    return tables(dialect).aggregates


def names(dialect: str = HOME) -> tuple[str, ...]:
    """Return all names that can be called, aliases included, sorted."""
    return tuple(sorted({*_scalars(dialect), *_aggregates(dialect)}))


def refused(name: str, dialect: str = HOME) -> str | None:
    """Return the reason why a dialect refuses a function of this name, or None. It completes "NAME is refused
    because".
    """
    return tables(dialect).refused.get(name.upper())


def refusals(dialect: str = HOME) -> tuple[tuple[str, str], ...]:
    """Return the names that a dialect refuses, each with its reason, sorted."""
    return tuple(sorted(tables(dialect).refused.items()))


@cache
def tables(dialect: str) -> Tables:
    """Return the functions of a dialect; empty if there is no dialect with this name."""
    name = f"{room.__name__}.{dialect}.families"
    try:
        families = import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        return Tables()
    return Tables(families.FAMILIES, families.AGGREGATES, families.REFUSED)


@cache
def _scalars(dialect: str) -> dict[str, Function]:
    return {name: f for f in functions(dialect) for name in (f.name, *f.aliases)}


@cache
def _aggregates(dialect: str) -> dict[str, Aggregate]:
    return {a.name: a for a in aggregates(dialect)}
