"""Compile without Python's collector of cycles.

Reference counts free almost all objects at once, so the command takes no more memory without the collector. The
collector would go through all plans again and again, and find next to nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Nothing is collected until the end of the `with`. It may be used in itself, and in several threads."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
