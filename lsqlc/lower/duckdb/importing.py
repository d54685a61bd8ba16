"""DuckDB, imported with signals held back: one that raises within its native code is printed by it and lost."""

from __future__ import annotations

import signal

_SIGNALS = {signal.SIGINT, signal.SIGTERM}

# Windows has no masks of signals.
_mask = getattr(signal, "pthread_sigmask", None)
_before = _mask(signal.SIG_BLOCK, _SIGNALS) if _mask else None
try:
    import duckdb  # noqa: F401
finally:
    if _mask:
        _mask(signal.SIG_SETMASK, _before)
