"""A Spark server that runs between commands, from its start to its end, and the commands that use it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.server import background_server
from lsqlc.remote.session.session import connect

from .conftest import Cli

pytest.importorskip("pyspark", reason="pyspark is not installed")


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of the test's own, and no server that is left."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("LSQLC_CACHE", str(folder))
    yield folder
    for server in background_server.all_running(os.environ):
        background_server.stop(server)


def test_none_is_kept(cli: Cli, caches: Path) -> None:
    """Nothing happens, and `status` says so by its code too."""
    ran = cli("server", "stop", "--output", "json")
    assert ran.code == 0 and ran.data["processes"] == []
    ran = cli("server", "status")
    assert ran.code == 1 and "no Spark server is running" in ran.err


@pytest.mark.spark
def test_a_server_that_is_kept(cli: Cli, bikes: Path, caches: Path) -> None:
    """Runs and tests use it, nobody does without the token, and after its end they start their own."""
    ran = cli("server", "start", "--output", "json")
    assert ran.code == 0 and ran.data["started"] and "token" not in ran.out
    (server,) = background_server.all_running(os.environ)
    assert not cli("server", "start", "--output", "json").data["started"]
    with pytest.raises(LsqlcError, match="LSQ658"):
        connect(f"sc://localhost:{server.port}")

    assert cli("seed", "--quiet").code == 0
    ran = cli("run")
    assert ran.code == 0, ran.err
    assert f"using the Spark server of process {server.pid}" in ran.err
    ran = cli("test", "--engine", "spark", "--select", "arrivals")
    assert ran.code == 0, ran.err
    assert f"using the Spark server of process {server.pid}" in ran.err
    assert not list(bikes.glob(".lsqlc/server-*/server.log"))
    (known,) = cli("server", "status", "--output", "json").data["servers"]
    assert known["own"] and known["serves"] and known["uses"] == 0

    ran = cli("server", "stop")
    assert ran.code == 0 and f"process {server.pid} has ended" in ran.err
    assert background_server.all_running(os.environ) == ()
