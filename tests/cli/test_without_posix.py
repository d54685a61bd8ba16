"""Verbs that need no Spark work on a system without what only POSIX has (Windows): they load nothing that needs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# The libraries of this system are loaded first: what they use of it is their affair.
_WITHOUT = """
import asyncio, multiprocessing, os, signal, subprocess, sys, tempfile
import duckdb, filelock, sqlglot, typer
for module in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[module] = None
for name in ("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "fchmod", "fork", "getpgid", "geteuid", "getuid",
             "killpg", "mkfifo", "sysconf"):
    delattr(os, name)
for name in ("SIGHUP", "SIGKILL", "pthread_sigmask"):
    delattr(signal, name)
"""


def _run(code: str, folder: Path) -> str:
    ran = subprocess.run([sys.executable, "-c", _WITHOUT + code], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout + ran.stderr


def test_compile_build_and_lint(tmp_path: Path) -> None:
    """From a new project to its golden cases, by the verbs themselves."""
    code = """
from lsqlc.cli.main import main
for words in (["init", "bikes"], ["compile"], ["build"], ["lint"], ["fmt"], ["lineage", "--help"]):
    try:
        main(words)
    except SystemExit as ended:
        assert not ended.code, (words, ended.code)
    if words[0] == "init":
        os.chdir("bikes")
"""
    assert "passed" in _run(code, tmp_path)


def test_the_language_server_and_the_api(tmp_path: Path) -> None:
    """They load, and so do the verbs that look at a run without Spark."""
    code = """
import lsqlc.api, lsqlc.editor.server, lsqlc.cli.lsp, lsqlc.golden.plugin, lsqlc.connectors.folders.log
import lsqlc.cli.diff, lsqlc.cli.docs, lsqlc.cli.clean, lsqlc.cli.run, lsqlc.cli.status
import lsqlc.remote.run.locks, lsqlc.remote.server.embedded
"""
    _run(code, tmp_path)
