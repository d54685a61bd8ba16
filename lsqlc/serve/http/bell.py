"""Wakes coroutines when another thread has news."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class Bell:
    """Belongs to the running event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    def ring(self) -> None:
        """Wake all coroutines that wait. Called by any thread, also after the loop has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self, seconds: float) -> bool:
        """Wait until the bell rings, and return whether it has within some seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return False
        return True
