"""A batch of derived records as one segment of a topic."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from lsqlc.connectors.folders import segments, sums
from lsqlc.connectors.folders.sums import Summed


def link_batch(folder: Path, name: str, lines: Iterable[bytes], last_ordinal: Callable[[], int]) -> bool:
    """Make lines visible as the segment of that name. Return False, without a change, if it exists already.

    `folder`: that of the topic. The lines are consumed in any case. `last_ordinal` is called after that, and returns
    the highest first number of their ordinals.
    """
    segment = folder / "data" / name
    segments.make_folders(folder)
    handle, temporary_name = tempfile.mkstemp(prefix="batch-", dir=folder / "tmp")
    os.close(handle)
    new_file = Path(temporary_name)
    try:
        summed = Summed(lines)
        segments.write(new_file, summed)
        segments.stamp(new_file, last_ordinal())
        new = segments.link(new_file, segment)
        if new:
            sums.store_sum(segment, summed.sum.content())
        elif not sums.sum_path(segment).exists():
            # The process crashed between the segment and its sum.
            sums.store_sum(segment, sums.sum_of(segment).content())
        return new
    finally:
        new_file.unlink()
