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
_PATHS = "topics of files say which columns are of the path, and which a line without a header has"
_RANKED = "which row a new key has no longer depends on how records are cut into batches"
REASONS: Mapping[tuple[str, What, str], str] = {
    ("0.1.0.dev0", "plan", "files"): _PATHS,
    ("0.1.0.dev0", "plan", "files_grouped"): _PATHS,
    ("0.1.0.dev0", "plan", "late_in_bad_weather"): _PATHS,
    # How their records are read has changed: TIMESTAMP and DATE are read as text, then converted.
    ("0.1.0.dev0", "stage", "last_seen"): "knew a query by its SQL",
    ("0.1.0.dev0", "stage", "late_in_bad_weather"): "knew a query by its SQL",
    ("0.1.0.dev0", "stage", "table_doubles"): "sums are exact, and kept in integers",
    ("0.1.0.dev0", "stage", "table_table_on_a_field"): _RANKED,
    # It is one query with the join.
    ("0.1.0.dev0", "stage", "table_table_on_a_field.stage1"): "the query is gone",
    ("0.1.0.dev0", "output", "late_departures"): "a TIMESTAMP that is not of the language's form is a bad record",
    ("0.1.0.dev0", "output", "dead_letters.letters"): "a letter about a record without a possible time has the time 0",
}


def reason(release: str, what: What, name: str) -> str | None:
    """Why it differs; None: it must not."""
    return next((text for key, text in REASONS.items() if _is_of(key, release, what, name)), None)


def needless(release: str, what: What, differing: set[str]) -> list[str]:
    """The patterns of reasons that nothing which differs needs."""
    found = (key for key in REASONS if key[:2] == (release, what))
    return [key[2] for key in found if not any(_is_of(key, release, what, name) for name in differing)]


def _is_of(key: tuple[str, What, str], release: str, what: What, name: str) -> bool:
    return key[:2] == (release, what) and fnmatchcase(name, key[2])
