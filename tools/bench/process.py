"""lsqlc as a user runs it: whole processes, timed from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

# Python would compile what it imports again and again, as no installation does.
_NOT_OURS = frozenset(("CI", "PYTHONDONTWRITEBYTECODE"))


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """That of a command: what changes how lsqlc behaves must not come from whoever runs the benchmark."""
    return {k: v for k, v in given.items() if k not in _NOT_OURS and not k.startswith("LSQLC_")}


def lsqlc(*words: str, cwd: Path) -> tuple[float, str]:
    """Run a command; the seconds of the whole process, and what it wrote to stdout.

    Raises RuntimeError, with what it said, for a command that fails.
    """
    began = time.perf_counter()
    command = [sys.executable, "-m", "lsqlc", *words]
    done = subprocess.run(command, cwd=cwd, env=environment(os.environ), capture_output=True)
    seconds = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"`lsqlc {' '.join(words)}` failed in '{cwd}':\n{done.stderr.decode()[-4000:]}")
    return seconds, done.stdout.decode()
