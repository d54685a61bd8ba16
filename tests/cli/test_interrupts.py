"""Ctrl-C and SIGTERM at any moment, and standard streams of every kind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.lanes import only

from .conftest import Cli

LSQLC = [sys.executable, "-m", "lsqlc"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
# Python itself catches SIGINT from the beginning, and prints a traceback; SIGTERM is caught by lsqlc alone.
_CAUGHT = re.compile(r"^SigCgt:\s*([0-9a-f]+)$", re.MULTILINE)


def _started(*words: str) -> subprocess.Popen[str]:
    """A command of which lsqlc's first lines have run: what comes before is the interpreter's own start."""
    # That SIGINT is not ignored is inherited from this process, see tests/conftest.py: a function to run in the child
    # would fork a process that may have threads of gRPC, and these do not survive it.
    process = subprocess.Popen(
        [*LSQLC, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    while process.poll() is None:
        found = _CAUGHT.search(Path(f"/proc/{process.pid}/status").read_text())
        if found and int(found[1], 16) & (1 << (signal.SIGTERM - 1)):
            break
        time.sleep(0.001)
    return process


@pytest.mark.parametrize("number", only([signal.SIGINT, signal.SIGTERM], [signal.SIGINT]))
@pytest.mark.parametrize("verb", only(["build", "compile", "debug", "ls", "lint", "--help", "test"], ["build"]))
def test_a_signal_at_any_moment(bikes: Path, verb: str, number: signal.Signals) -> None:
    """One line and the exit code 128 + number; or the command has done its work before, or dies in its last step."""
    for milliseconds in (0, 3, 10, 30, 60, 100, 200, 300, 500, 700, 1000):
        process = _started(verb)
        time.sleep(milliseconds / 1000)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert process.returncode in (0, 128 + number, -number), said
        assert "Traceback" not in said and "Exception" not in said and "internal error" not in said
        if process.returncode == 128 + number:
            assert said.splitlines()[-1] == "interrupted"


def test_an_ignored_signal_stays_so(bikes: Path) -> None:
    """Who starts a command in the background does not end it by a Ctrl-C that is meant for another."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = subprocess.Popen([*LSQLC, "build"], env=ENVIRONMENT)
    finally:
        signal.signal(signal.SIGINT, before)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    assert process.returncode == 0


def test_a_swallowed_interrupt_is_raised_again(bikes: Path) -> None:
    """An exception in the end of an object is printed and forgotten by Python."""
    code = """
import os, signal, sys, time
from lsqlc.cli import project
class Ends:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
def find(*arguments):
    Ends()
    time.sleep(30)
project.find = find
sys.argv = ["lsqlc", "ls"]
from lsqlc.cli.main import main
main()
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, timeout=20)
    assert (ran.returncode, ran.stderr) == (130, "interrupted\n")


def _shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = command.replace("lsqlc", f"'{sys.executable}' -m lsqlc")
    return subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, env={**ENVIRONMENT, **environment}, timeout=60
    )


@pytest.mark.parametrize(
    "words", only(["ls", "ls --output json", "explain --output json", "show rides --output json"], ["ls --output json"])
)
def test_a_full_stdout(cli: Cli, bikes: Path, words: str) -> None:
    """The error says so, once."""
    assert cli("seed").code == 0
    ran = _shell(f"lsqlc {words} > /dev/full")
    assert ran.returncode == 2
    assert ran.stderr.startswith("error[LSQ068]: cannot write to stdout: no space left on device\n")
    assert ran.stderr.count("error") == 1


@pytest.mark.parametrize("closed", only(["<&-", ">&-", "2>&-", "<&- >&- 2>&-"], ["<&- >&- 2>&-"]))
def test_closed_streams(bikes: Path, closed: str) -> None:
    """A command that is started without one of them works, and writes into no file of the project instead."""
    ran = _shell(f"lsqlc ls {closed}; lsqlc build --output json {closed}")
    assert ran.returncode == 0
    assert (ran.stdout == "") == (">&-" in closed.replace("2>&-", ""))
    assert "error" not in ran.stderr


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        pytest.param({"LC_ALL": "C"}, marks=pytest.mark.nightly),
        pytest.param({"LC_ALL": "POSIX", "PYTHONUTF8": "0"}, marks=pytest.mark.nightly),
    ],
    ids=str,
)
def test_narrow_streams(cli: Cli, bikes: Path, environment: dict[str, str]) -> None:
    """Where stdout has few characters, JSON is escaped and words are shown as far as they can be."""
    declared = bikes / "models/topics.yml"
    declared.write_text(declared.read_text("utf-8").replace("[daily]", "[naïve€]"), "utf-8")
    ran = _shell("lsqlc ls --output json", PYTHONIOENCODING="ascii")
    assert ran.returncode == 0 and "naïve€" in json.dumps(json.loads(ran.stdout), ensure_ascii=False)
    assert _shell("lsqlc ls && lsqlc build", **environment).returncode == 0
