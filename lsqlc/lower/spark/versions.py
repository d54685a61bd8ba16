"""The versions of Spark that plans are made for."""

from __future__ import annotations

# Major and minor.
Version = tuple[int, int]

# The oldest server that runs anything of ours, and the newest one that all was tried on: what a plan is made for where
# no server is at hand.
OLDEST: Version = (4, 0)
NEWEST: Version = (4, 3)
