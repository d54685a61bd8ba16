"""Stores of tables for tests, each with nothing in it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.tables import store_kinds
from lsqlc.tables.delta.store import DeltaSettings
from lsqlc.tables.iceberg.store import IcebergSettings
from lsqlc.tables.postgres.store import PostgresSettings
from lsqlc.tables.record import Store
from tests.tables.database import database

KINDS = ("delta", "iceberg", "postgres")


def settings_of(kind: str, folder: Path) -> dict[str, Any]:
    """The settings of a store in profiles.yml."""
    if kind == "delta":
        return {"path": "lake"}
    if kind == "iceberg":
        (folder / "ice").mkdir(exist_ok=True)
        uri, warehouse = f"sqlite:///{folder}/ice/catalog.db", f"file://{folder}/ice"
        return {"catalog": {"type": "sql", "uri": uri, "warehouse": warehouse}}
    return {"url": database(), "schema": f"s{uuid.uuid4().hex[:12]}"}


def store_of(kind: str, folder: Path) -> Store:
    """A store, as a target has it."""
    given = settings_of(kind, folder)
    settings: Any
    if kind == "delta":
        settings = DeltaSettings(given["path"])
    elif kind == "iceberg":
        settings = IcebergSettings("default", given["catalog"])
    else:
        settings = PostgresSettings(given["url"], given["schema"])
    return Store(kind, next(each for each in store_kinds() if each.key == kind), settings)


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    yield store_of(request.param, tmp_path)


@pytest.fixture
def log(tmp_path: Path) -> FileLog:
    return FileLog(tmp_path / "topics")
