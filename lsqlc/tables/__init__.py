"""Tables outside of the project that follow topics, in lakes and databases: the records of the kinds of stores by key.

A store has one record, made of one folder here. The modules at the root are what all stores share.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsqlc.tables.record import StoreKind

MODULES: tuple[str, ...] = (
    "lsqlc.tables.delta.store",
    "lsqlc.tables.iceberg.store",
    "lsqlc.tables.postgres.store",
)
"""The modules with the records, as `STORE`."""


def store_kinds() -> tuple[StoreKind, ...]:
    """Return the records of all kinds of stores."""
    return tuple(map(_record, MODULES))


@cache
def _record(module: str) -> StoreKind:
    record: StoreKind = import_module(module).STORE
    return record
