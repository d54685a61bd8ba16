"""lsqlc as a user runs it: whole processes, timed from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path


def lsqlc(*words: str, cwd: Path) -> tuple[float, str]:
    """Run a command; the seconds of the whole process, and what it wrote to stdout.

    Raises RuntimeError, with what it said, for a command that fails.
    """
    # What changes how lsqlc behaves must not come from whoever runs the benchmark.
    environment = {k: v for k, v in os.environ.items() if k != "CI" and not k.startswith("LSQLC_")}
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "lsqlc", *words], cwd=cwd, env=environment, capture_output=True)
    seconds = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"`lsqlc {' '.join(words)}` failed in '{cwd}':\n{done.stderr.decode()[-4000:]}")
    return seconds, done.stdout.decode()
