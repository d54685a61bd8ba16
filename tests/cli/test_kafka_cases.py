"""`lsqlc test --engine kafka` where it cannot begin."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .conftest import Cli

WORDS = ("test", "--engine", "kafka")


def test_without_a_client(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    ran = cli(*WORDS)
    assert ran.code == 1 and "error[LSQ099]" in ran.err and "pip install 'lsqlc[kafka]'" in ran.err


def test_without_jars(cli: Cli, bikes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left of a broker whose jars cannot be fetched."""
    monkeypatch.setenv("LSQLC_OFFLINE", "1")
    monkeypatch.setenv("LSQLC_CACHE", str(tmp_path / "none"))
    ran = cli(*WORDS)
    assert ran.code == 1 and "error[LSQ700]" in ran.err
    assert not any((bikes / ".lsqlc/cases").iterdir())


def test_without_cases(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is started where there is nothing to run."""
    monkeypatch.setenv("LSQLC_OFFLINE", "1")
    monkeypatch.setenv("LSQLC_CACHE", "/nowhere")
    ran = cli(*WORDS, "-s", "arrivals")
    assert ran.code == 0 and "starting" not in ran.err
