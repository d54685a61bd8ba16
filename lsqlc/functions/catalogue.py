"""All functions by dialect and name, and the names that a dialect refuses, with the reason.

The module `families` in a dialect's folder holds its tables: FAMILIES, AGGREGATES and REFUSED. They are imported when
they are first asked for. Names are matched without regard to case, aliases included.
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
    """The functions of a dialect. `families`: in the order of the documentation; `refused`: names, each with why."""

    families: Mapping[str, tuple[Function, ...]] = field(default_factory=dict)
    aggregates: tuple[Aggregate, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


def scalar(name: str, dialect: str = HOME) -> Function | None:
    """The scalar function of that name, or None."""
    return _scalars(dialect).get(name.upper())


def aggregate(name: str, dialect: str = HOME) -> Aggregate | None:
    """The aggregate function of that name, or None."""
    return _aggregates(dialect).get(name.upper())


def planned(name: str) -> Function | None:
    """The scalar function that a plan calls by this name (see `plan_name`)."""
    dialect, dot, own = name.rpartition(".")
    return _scalars(dialect if dot else HOME).get(own)


def plan_name(function: Function, dialect: str) -> str:
    """The name by which a plan calls a function: `ksql.SUBSTRING` for one that is not the function of that name in the
    Lenses language.
    """
    same = dialect == HOME or _scalars(HOME).get(function.name) is function
    return function.name if same else f"{dialect}.{function.name}"


def functions(dialect: str = HOME) -> tuple[Function, ...]:
    """All scalar functions, each once, in the order of the families."""
    return tuple(f for family in tables(dialect).families.values() for f in family)


def every_function() -> tuple[Function, ...]:
    """The scalar functions of all dialects, which a plan may call."""
    folders = [module.name for module in pkgutil.iter_modules(room.__path__) if module.ispkg]
    return tuple(f for dialect in folders for f in functions(dialect))


def aggregates(dialect: str = HOME) -> tuple[Aggregate, ...]:
    return tables(dialect).aggregates


def names(dialect: str = HOME) -> tuple[str, ...]:
    """Every name that can be called, aliases included, in order."""
    return tuple(sorted({*_scalars(dialect), *_aggregates(dialect)}))


def refused(name: str, dialect: str = HOME) -> str | None:
    """Why a dialect refuses a function of this name, completing "NAME is refused because", or None."""
    return tables(dialect).refused.get(name.upper())


def refusals(dialect: str = HOME) -> tuple[tuple[str, str], ...]:
    """The names that a dialect refuses, with why, in order."""
    return tuple(sorted(tables(dialect).refused.items()))


@cache
def tables(dialect: str) -> Tables:
    """The functions of a dialect; empty for a name that is not one."""
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
