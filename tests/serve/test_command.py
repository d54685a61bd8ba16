"""`lsqlc serve` as a command: what it refuses before it starts, and a service that is started and stopped."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, cli
from tests.serve.conftest import BIKES, Shop

__all__ = ["cli"]


@pytest.fixture
def here(folders: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The project as the current folder."""
    monkeypatch.chdir(folders.root)
    return folders


def test_addresses_that_are_refused(cli: Cli, here: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is started without a token that others need, and at an address that is not free."""
    monkeypatch.setenv("EMPTY", " ")
    assert "error[LSQ833]: others can reach '0.0.0.0'" in cli("serve", "--host", "0.0.0.0").err
    assert "error[LSQ833]" in cli("serve", "--token-env", "EMPTY").err
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = cli("serve", "--port", str(other.getsockname()[1]))
    assert taken.code == 2 and "error[LSQ832]: cannot listen at '127.0.0.1'" in taken.err
    assert "error[LSQ834]" in cli("serve", "--topic", "log").err


@pytest.mark.nightly
@pytest.mark.skipif(os.name == "nt", reason="a process is interrupted by a signal")
def test_a_service_is_started_and_stopped(here: Shop, tmp_path: Path) -> None:
    here.append("bikes", *BIKES)
    command = [sys.executable, "-m", "lsqlc", "serve", "--topic", "bikes", "--port", "0", "--output", "json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            started = json.loads(process.stdout.readline())
            assert started["tables"] == ["bikes", "bikes_at"]
            address = started["address"]
            # It waits for the last record.
            with urllib.request.urlopen(f"{address}tables/bikes/b1?after=bikes:0:3", timeout=60) as answer:
                assert json.load(answer)["row"]["station"] == "harbour"
            with urllib.request.urlopen(f"{address}tables/bikes/changes", timeout=60) as changes:
                assert changes.readline().startswith(b"id: ")
                # A client that follows does not keep the service from ending.
                process.send_signal(signal.SIGTERM)
                assert process.wait(timeout=60) == 0
        finally:
            process.kill()
