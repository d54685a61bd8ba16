"""A stand-in registry that serves, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.registry.client import RestRegistry
from tests.cli.conftest import Cli, cli
from tests.registry.stand_in import State, stand_in

__all__ = ["Cli", "cli"]


@pytest.fixture
def state() -> State:
    return State()


@pytest.fixture
def url(state: State) -> Iterator[str]:
    with stand_in(state) as address:
        yield address


@pytest.fixture
def registry(url: str) -> RestRegistry:
    return RestRegistry(RegistryTarget(url), pause=lambda seconds: None)
