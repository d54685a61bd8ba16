"""Check between the calls to a server that it still runs.

If a server has ended, pyspark blocks and retries for minutes. A probe of its socket takes seconds. A refused connection
means that the server has ended. A server that does not answer may be in a garbage collection, overloaded, or on a
machine that sleeps. It can continue later, with all its queries.
"""

from __future__ import annotations

from collections.abc import Callable

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.session import failures
from lsqlc.remote.session.probe import Answer, probe
from lsqlc.remote.session.session import Address

_EVERY = 1.0
_ANSWER_WITHIN = 2.0
SILENCE = 30.0
"""Seconds without an answer after which a server is regarded as lost. Pauses of 8 seconds have been observed."""


class Liveness:
    """The liveness check of the server at an address.

    `now`: the monotonic time in seconds; `greet`: probes the server.
    """

    def __init__(
        self, address: Address, now: Callable[[], float], greet: Callable[[Address], Answer] | None = None
    ) -> None:
        self._address = address
        self._now = now
        self._greet = greet or _probe
        self._last_probe = float("-inf")
        # The time of the first of the probes without an answer, if the last probe had none.
        self._silent_since: float | None = None

    def answers(self) -> bool:
        """Return whether the server answered the last probe; a call to a server that does not answer would block.

        The server is probed at most once a second. Raises LsqlcError LSQ663 for a server that is lost.
        """
        if self._now() - self._last_probe >= _EVERY:
            self._last_probe = self._now()
            answer = self._greet(self._address)
            if answer == "refused":
                raise self.lost()
            # A TLS server may answer a probe without TLS in any way, or not at all.
            if answer == "serving" or self._address.tls:
                self._silent_since = None
            elif self._silent_since is None:
                self._silent_since = self._last_probe
            elif self._last_probe - self._silent_since >= SILENCE:
                raise LsqlcError([failures.server_silent(self._address.place, SILENCE)])
        return self._silent_since is None

    def lost(self) -> LsqlcError:
        """Return LSQ663 for a server that has ended."""
        return LsqlcError([failures.server_lost(self._address.place, self._address.host == "localhost")])


def _probe(address: Address) -> Answer:
    return probe(address.host, address.port, timeout=_ANSWER_WITHIN)
