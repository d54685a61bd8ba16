"""Limits of plans, and the times that a project sets for joins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Times of the project for joins, in milliseconds."""

    grace: int
    retention: int


DAY = 86_400_000


# Limits of a plan, because functions over it are recursive, and visit a query once for each of its readers.
MAX_DEPTH = 60


MAX_NODES = 1_000


# The maximum number of writers of one topic: each of its readers binds them all, and DuckDB can unite about 300
# queries.
MAX_WRITERS = 200


DEFAULT_LIMITS = Limits(grace=DAY, retention=7 * DAY)
