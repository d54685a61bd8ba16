"""Why something that a release wrote is not what this one makes of the same program.

Keys are the release, what differs, and a pattern over names of models (of queries for `stage`, of topics for `topic`):

- `program`: it no longer compiles;
- `plan`: its plan is another one;
- `stage`: a checkpoint of it does not go on. The words must stand in what LSQ660 says, so that users read them;
- `output`: a checkpoint of it goes on, and the query writes other records from then on;
- `topic`: readers of the topic cannot go on as before;
- `rows`: DuckDB computes other rows.

A reason that nothing needs any more fails the tests like a difference without a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Literal

What = Literal["program", "plan", "stage", "output", "topic", "rows"]
REASONS: Mapping[tuple[str, What, str], str] = {}


def reason(release: str, what: What, name: str) -> str | None:
    """Why it differs; None: it must not."""
    return next((text for key, text in REASONS.items() if _is_of(key, release, what, name)), None)


def needless(release: str, what: What, differing: set[str]) -> list[str]:
    """The patterns of reasons that nothing which differs needs."""
    found = (key for key in REASONS if key[:2] == (release, what))
    return [key[2] for key in found if not any(_is_of(key, release, what, name) for name in differing)]


def _is_of(key: tuple[str, What, str], release: str, what: What, name: str) -> bool:
    return key[:2] == (release, what) and fnmatchcase(name, key[2])
