"""The part of the connectors for streaming queries on Spark, by the same keys as the part for clients."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsqlc.remote.connectors.record import SparkConnector

MODULES: tuple[str, ...] = ("lsqlc.remote.connectors.folders.connector", "lsqlc.remote.connectors.kafka.connector")
"""The modules with the records, as `CONNECTOR`."""


def spark_connector(key: str) -> SparkConnector | None:
    """Return the half of a connector that streaming queries need; None for a connector without one."""
    return next((each for each in map(_record, MODULES) if each.key == key), None)


@cache
def _record(module: str) -> SparkConnector:
    record: SparkConnector = import_module(module).CONNECTOR
    return record
