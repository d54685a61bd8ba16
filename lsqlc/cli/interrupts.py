"""Ctrl-C and SIGTERM, at any moment of a command: one line, and the exit code 130 or 143.

While modules are imported there is nothing to tidy up. An exception would come out of the middle of an import, as a
traceback or swallowed by it, so the process ends at once. While a verb works, a signal is a KeyboardInterrupt, so that
partial results are removed; a second one ends the process. Signals that the process was started to ignore stay ignored.

Imports nothing that takes a while: only Python's own start comes before `end_at_once` is called.
"""

from __future__ import annotations

import os
import sys
import time

# `signal` is made of enumerations, which take milliseconds.
from _signal import SIG_IGN, SIGINT, SIGTERM, getsignal, signal  # type: ignore[import-not-found]
from _thread import start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_asked = 0
_own = False


def asked() -> int:
    """Return the signal that has asked the process to end; 0 without one."""
    return _asked


def code() -> int:
    """Return the exit code of shells for the signal that has asked for the end, or for Ctrl-C."""
    return 128 + (_asked or SIGINT)


def forget() -> None:
    """Go on after a signal that asked to end only a part of the work. The next one is the first again."""
    global _asked
    _asked = 0


def end_at_once() -> None:
    """Let signals end the process, which is the command's own from now on."""
    global _own
    _own = True
    _handle(_end)


def raise_instead() -> None:
    """Let signals raise KeyboardInterrupt from now on, if the process is the command's own."""
    if _own:
        sys.unraisablehook = _raise_again
        _handle(_raise)


def settle() -> None:
    """Let signals end the process again, if it is the command's own. All work is complete."""
    if _own:
        _handle(_end)


def _handle(handler: object) -> None:
    for number in (SIGINT, SIGTERM):
        if getsignal(number) != SIG_IGN:
            signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, b"interrupted\n")
    finally:
        # Also where nobody can be told any more.
        os._exit(128 + number)


def _raise(number: int, frame: FrameType | None) -> None:
    global _asked
    if _asked:
        _end(number, frame)
    _asked = number
    raise KeyboardInterrupt


def _raise_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Print an exception that has no caller to go to, as at the end of an object. Raise KeyboardInterrupt again."""
    global _asked
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    number, _asked = _asked or SIGINT, 0

    def send() -> None:
        time.sleep(0.01)
        os.kill(os.getpid(), number)

    # Not from here, where it would be swallowed too.
    start_new_thread(send, ())
