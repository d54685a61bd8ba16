"""Buffering encoded records until all of them are valid, so that a transaction lasts only as long as sending does.

Reading and encoding many records takes longer than a broker lets a transaction be open. While one is open, readers see
no records after it.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lsqlc.types.headers import Headers

Encoded = tuple[bytes | None, bytes | None, int, Headers | None]
"""The bytes of a key and of a value, the time in epoch milliseconds, and the headers."""
# Bytes that are kept in memory; more than that are in a file.
_MEMORY = 32_000_000


@contextmanager
def spooled(records: Iterable[Encoded]) -> Iterator[Iterator[Encoded]]:
    """Return the records again, after all of them have arrived. Inside the `with`, and once only."""
    with tempfile.SpooledTemporaryFile(_MEMORY) as file:
        count = 0
        for record in records:
            pickle.dump(record, file, pickle.HIGHEST_PROTOCOL)
            count += 1
        file.seek(0)
        yield (pickle.load(file) for _ in range(count))
