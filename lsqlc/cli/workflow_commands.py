"""GitHub's workflow commands: lines of a log that begin with `::`, or have `##[` in them.

Names, records and SQL in a log come from the author of the pull request. So a command stops workflow commands for as
long as it prints.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def is_listening() -> bool:
    """Return whether the process runs in a workflow of GitHub's, which reads its log."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def new_token() -> str:
    """Return an unguessable word, which ends the output in which GitHub ignores commands."""
    # It takes a millisecond that only workflows pay.
    import secrets

    return secrets.token_hex(16)


@contextmanager
def stopped(token: str) -> Iterator[None]:
    """Nothing that is printed inside is a command of GitHub's but what `released` lets through. Empty: no change."""
    if not token:
        yield
        return
    print(f"::stop-commands::{token}", file=sys.stderr, flush=True)
    try:
        try:
            yield
        finally:
            # Buffered output must not come after the end.
            sys.stdout.flush()
    finally:
        print(f"::{token}::", file=sys.stderr, flush=True)


@contextmanager
def released(token: str) -> Iterator[None]:
    """Inside of `stopped`: what is printed inside is a command again."""
    print(f"::{token}::", file=sys.stderr)
    yield
    print(f"::stop-commands::{token}", file=sys.stderr, flush=True)
