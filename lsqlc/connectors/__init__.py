"""The connectors to systems with topics: their records by key, one folder each.

The modules at the root are shared by all connectors.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsqlc.connectors.record import Connector, ConnectorSettings

MODULES: tuple[str, ...] = ("lsqlc.connectors.folders.connector", "lsqlc.connectors.kafka.connector")
"""The modules with the records, as `CONNECTOR`. The first is the connector of a target that selects none."""


def connectors() -> tuple[Connector, ...]:
    """Return the records of all connectors."""
    return tuple(map(_record, MODULES))


def declared_names() -> tuple[str, ...]:
    """Return the valid values of `connector:` in a declared topic: any connector, one that a target selects, files, or
    a Delta table.
    """
    return ("embedded", *(each.key for each in connectors() if each.setting is not None), "files", "delta")


def connector_of(settings: ConnectorSettings | None) -> Connector:
    """Return the connector of a target with these settings; for None that of a target without settings."""
    first, *others = connectors()
    return first if settings is None else next(each for each in others if each.key == settings.connector)


@cache
def _record(module: str) -> Connector:
    record: Connector = import_module(module).CONNECTOR
    return record
