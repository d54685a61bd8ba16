"""Who calls a command, for people."""

from __future__ import annotations

import getpass
import os
import socket


def who() -> str:
    """User and host."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # A container may have no name for its user.
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"
