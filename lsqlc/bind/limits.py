"""Bounds of plans, and the times that a project sets for joins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Times of the project that a join needs, in milliseconds."""

    grace: int
    retention: int


DAY = 86_400_000


# Bounds of a plan: what walks it does so by recursion, and meets a query once for each of its readers.
MAX_DEPTH = 60


MAX_NODES = 1_000


# Of one topic: what reads it is bound once for each, and DuckDB can unite no more than some 300 queries.
MAX_WRITERS = 200


DEFAULT_LIMITS = Limits(grace=DAY, retention=7 * DAY)
