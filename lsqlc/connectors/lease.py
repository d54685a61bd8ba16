"""The lease that a run holds while it writes to topics which other hosts can reach."""

from __future__ import annotations

from typing import Protocol


class Lease(Protocol):
    """The lease of a run, which its holder calls now and then."""

    def __call__(self) -> None:
        """Raise LsqlcError LSQ783 if the lease is lost. A lease that waits for the brokers raises what they failed with
        (see `is_away`) while it could not be renewed, so that it may be another one's.
        """
        ...

    def silence(self) -> float:
        """Return the seconds for which the lease could not be renewed, if another run may hold it; 0 if it is held.

        Raises LsqlcError LSQ783 if the lease is lost.
        """
        ...


class Unleased:
    """The lease of a connector that needs none, see `Lease`."""

    def __call__(self) -> None:
        return None

    def silence(self) -> float:
        return 0.0
