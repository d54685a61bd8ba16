"""Encoded records put aside until the last one is known to fit, so that a transaction lasts as long as sending does.

Reading and encoding many records takes longer than a broker lets a transaction be open, and while one is open readers
see nothing of what comes behind it.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lsqlc.types.headers import Headers

Encoded = tuple[bytes | None, bytes | None, int, Headers | None]
"""The bytes of a key and of a value, the time in epoch milliseconds, and the headers."""
# Bytes that are kept in memory; what is more lies in a file.
_MEMORY = 32_000_000


@contextmanager
def spooled(records: Iterable[Encoded]) -> Iterator[Iterator[Encoded]]:
    """The records, once more, after all of them have come. Inside the `with`, and once only."""
    with tempfile.SpooledTemporaryFile(_MEMORY) as file:
        count = 0
        for record in records:
            pickle.dump(record, file, pickle.HIGHEST_PROTOCOL)
            count += 1
        file.seek(0)
        yield (pickle.load(file) for _ in range(count))
