"""Ctrl-C and SIGTERM, at any moment of a command: one line, and the exit code 130 or 143.

While modules are imported there is nothing to tidy up, and an exception would come out of the middle of an import, as a
traceback or swallowed by it: the process ends where it is. While a verb works, a signal is a KeyboardInterrupt, so that
what is half made is removed; a second one ends the process. Signals that the process was started to ignore stay so.

Imports nothing that takes a while: what comes before `end_at_once` is called is Python's own start.
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
    """The signal that has asked the process to end; 0: none has."""
    return _asked


def code() -> int:
    """What a shell calls the end by the signal that has asked for it, or by Ctrl-C."""
    return 128 + (_asked or SIGINT)


def end_at_once() -> None:
    """From here on the process is the command's own, and a signal ends it."""
    global _own
    _own = True
    _handle(_end)


def raise_instead() -> None:
    """From here on a signal is a KeyboardInterrupt, if the process is the command's own."""
    if _own:
        sys.unraisablehook = _raise_again
        _handle(_raise)


def settle() -> None:
    """What is to be done has been done: a signal ends the process again, if it is the command's own."""
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
    """An exception in a place that has nobody to raise to, such as the end of an object, is printed and forgotten."""
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
