"""A stdout that takes no more: its diagnostic, and how it is closed."""

from __future__ import annotations

import os
import sys

from lsqlc.diagnostics import Diagnostic


def unwritten(error: OSError) -> Diagnostic:
    """LSQ068 for a stdout that takes no more."""
    reason = (error.strerror or str(error)).lower()
    return Diagnostic("LSQ068", f"cannot write to stdout: {reason}", help="redirect it to a disk with space")


def close_pipe() -> None:
    """Close a stdout that is no longer read: a reader that closes the pipe has read enough, as in `lsqlc ls | head`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
