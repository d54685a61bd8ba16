"""The dialects by name. A dialect is a record, made of a folder each in syntax, functions and bind."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from lsqlc.dialects.record import Dialect

DialectName = Literal["lenses", "ksql", "sql"]
NAMES: tuple[DialectName, ...] = get_args(DialectName)


@cache
def dialect(name: str) -> Dialect:
    """The dialect of that name, one of NAMES. What it is made of is imported when it is first asked for.

    Raises ValueError for any other name.
    """
    if name not in NAMES:
        raise ValueError(f"unknown dialect '{name}'; known are {', '.join(map(repr, NAMES))}")
    record: Dialect = import_module(f"lsqlc.dialects.{name}").DIALECT
    return record
