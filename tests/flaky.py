"""Repeat tests on a busy machine: `python -m tests.flaky --count 20 -- tests/kafka`.

Ten processes that never rest compete with the tests, so that a test which depends on time fails here. What stands
behind `--` goes to pytest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PROCESSES = 10


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keep the processors busy inside the `with`, by so many processes that end with this one."""
    # Each ends by itself once it has another parent.
    program = f"import os\nwhile os.getppid() == {os.getpid()}: sum(range(100_000))"
    busy = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main() -> int:
    """Run pytest under load; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.flaky", description=__doc__)
    parser.add_argument("--count", type=int, default=20, help="how often each test runs")
    parser.add_argument("--load", type=int, default=PROCESSES, help="how many processes compete with the tests")
    parser.add_argument("pytest", nargs="+", help="arguments of pytest")
    options = parser.parse_args()
    command = [sys.executable, "-m", "pytest", "--count", str(options.count), "--repeat-scope", "session"]
    with load(options.load):
        return subprocess.run([*command, *options.pytest], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
