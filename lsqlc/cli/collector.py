"""Python's collector of cycles, which a command does without that only compiles.

What such a command drops, its counts of references free at once: it takes no more memory without. To find next to
nothing, the collector would go through all plans again and again.
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
