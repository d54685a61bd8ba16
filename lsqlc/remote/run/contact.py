"""Whether the server of a run is still there, asked between the calls to it.

pyspark blocks and tries again for long where a server is gone; a greeting at its socket tells within seconds. Only a
refused connection is certain: nobody listens. Silence can be a pause of Java's garbage collection, of a cluster that is
overloaded or of a machine that sleeps, from which a server comes back with all its queries.
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
"""Seconds of silence after which a server counts as lost. One that was silent for 8 seconds was seen to go on."""


class Contact:
    """The contact with the server at that address. `now`: the monotonic time in seconds; `greet` asks who is there."""

    def __init__(
        self, address: Address, now: Callable[[], float], greet: Callable[[Address], Answer] | None = None
    ) -> None:
        self._address = address
        self._now = now
        self._greet = greet or _greeted
        self._asked = float("-inf")
        # Since when it has been silent whenever it was asked.
        self._silent: float | None = None

    def answers(self) -> bool:
        """Whether the server answered when it was last asked, which is at most once a second: a call to one that does
        not would block. Raises LsqlcError LSQ663 for a server that is lost.
        """
        if self._now() - self._asked >= _EVERY:
            self._asked = self._now()
            answer = self._greet(self._address)
            if answer == "refused":
                raise self.lost()
            # A TLS server may say anything to a plain greeting, or nothing.
            if answer == "serving" or self._address.tls:
                self._silent = None
            elif self._silent is None:
                self._silent = self._asked
            elif self._asked - self._silent >= SILENCE:
                raise LsqlcError([failures.server_silent(self._address.place, SILENCE)])
        return self._silent is None

    def lost(self) -> LsqlcError:
        """LSQ663 for a server that is gone."""
        return LsqlcError([failures.server_lost(self._address.place, self._address.host == "localhost")])


def _greeted(address: Address) -> Answer:
    return probe(address.host, address.port, timeout=_ANSWER_WITHIN)
