"""A shell in a terminal, as somebody sits before it: what is typed, and what the screen shows then."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pyte

COLUMNS, LINES = 110, 45
PROMPT = "shop> "
# How long nothing may come before the screen is taken to stand still, in seconds.
_QUIET = 0.3
_TIMES = (
    (re.compile(r"\b\d+ min \d+ s\b|\b\d+(?:\.\d+)? (?:ms|s|min)\b"), "TIME"),
    (re.compile(r"\b[\d,.]+ rows/s"), "RATE rows/s"),
    (re.compile(r"\bagainst [0-9a-f]{10}\b"), "against COMMIT"),
    (re.compile(r"\bprocess \d+"), "process PID"),
)


class Terminal:
    """A shell in a folder. Close it, or use it as a context manager."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self.screen)
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        who = {
            f"GIT_{role}_{what}": "ada@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        given = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "PS1": PROMPT,
            "GIT_CONFIG_GLOBAL": os.devnull,
            **who,
            **{name: os.environ[name] for name in ("JAVA_HOME", "LSQLC_CACHE") if name in os.environ},
        }
        self._process = subprocess.Popen(
            ["sh", "-i"], cwd=folder, env=given, stdin=slave, stdout=slave, stderr=slave, close_fds=True,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        self.until(self.is_ready)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *of: object) -> None:
        self.close()

    def close(self) -> None:
        """End the shell, and what runs in it."""
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def run(self, command: str, timeout: float = 180) -> list[str]:
        """Type a command on an empty screen, and wait until it has ended; what the screen shows, with the command."""
        self.screen.reset()
        self.type(f"{PROMPT}{command}\r\n", echo=True)
        self.type(f"{command}\n")
        # What the terminal echoes is the command, which stands there.
        self.until(self.is_ready, timeout)
        return self.shown()

    def type(self, text: str, *, echo: bool = False) -> None:
        """Press keys; `echo`: only show them."""
        if echo:
            self._stream.feed(text.encode())
        else:
            os.write(self._master, text.encode())

    def until(self, seen: Callable[[], bool], timeout: float = 60) -> None:
        """Wait until the screen shows something, and stands still. Raises TimeoutError with the screen."""
        deadline = time.monotonic() + timeout
        while True:
            ready, _, _ = select.select([self._master], [], [], _QUIET)
            if ready:
                self._stream.feed(os.read(self._master, 65536))
            elif seen():
                return
            if time.monotonic() > deadline:
                raise TimeoutError("\n".join(self.shown()))

    def shows(self, *words: str) -> Callable[[], bool]:
        """Whether all of these words are on the screen."""
        return lambda: all(word in "\n".join(self.screen.display) for word in words)

    def shown(self) -> list[str]:
        """The lines of the screen without what is blank, and without what is another one each time."""
        lines = [line.rstrip() for line in self.screen.display]
        lines = ["" if line == PROMPT.rstrip() else line for line in lines]
        for pattern, word in _TIMES:
            lines = [pattern.sub(word, line) for line in lines]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def is_ready(self) -> bool:
        """Whether the shell waits for a command."""
        row = self.screen.display[self.screen.cursor.y]
        return row.rstrip() == PROMPT.rstrip() and self.screen.cursor.x == len(PROMPT)
