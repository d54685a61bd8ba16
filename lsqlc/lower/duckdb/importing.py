"""Import of DuckDB with signals blocked. Its native code would print and drop an exception of a signal handler."""

from __future__ import annotations

import signal

_SIGNALS = {signal.SIGINT, signal.SIGTERM}

# Windows has no signal masks.
_mask = getattr(signal, "pthread_sigmask", None)
_before = _mask(signal.SIG_BLOCK, _SIGNALS) if _mask else None
try:
    import duckdb  # noqa: F401
finally:
    if _mask:
        _mask(signal.SIG_SETMASK, _before)
