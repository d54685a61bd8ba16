"""The server that a Python process has for `lsqlc.evaluate(engine="spark")`: one, unless another Java is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from lsqlc.remote.cases import outcomes
from lsqlc.remote.server import process


def test_only_another_java_starts_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else changes in the environment, as a test runner's variables do for each test, has no part in it."""
    started: list[Mapping[str, str]] = []

    def start(environment: Mapping[str, str]) -> tuple[Any, Path]:
        started.append(environment)
        return MagicMock(), Path()

    monkeypatch.setattr(process, "_start", start)
    monkeypatch.setattr(process, "_SERVERS", {})
    monkeypatch.setattr(outcomes, "evaluate", lambda *_: [])
    one = {"PATH": "/bin", "JAVA_HOME": "/java", "CURRENT_TEST": "a"}
    for environment in (one, one | {"CURRENT_TEST": "b"}, one | {"JAVA_HOME": "/other"}, one):
        process.evaluate(MagicMock(), [], environment)
    assert started == [one, one | {"JAVA_HOME": "/other"}]
