"""The commits in the log of a Delta table, as far as a reader of changes needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

# Actions with a file.
_FILES = ("add", "remove", "cdc")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit. `timestamp`: epoch milliseconds, None if the log does not say it.

    `adds`, `removes`: whether files with changes of data were added or removed, other than by a compaction;
    `has_changes`: rows of the change data feed are in files of their own; `has_metadata`: it writes the schema;
    `has_feed`: and with it, that the table has a change data feed; `has_escapes`: the path of a file has escaped
    characters, as of a partition `city=New York`.
    """

    version: int
    timestamp: int | None
    adds: bool
    removes: bool
    has_changes: bool
    has_metadata: bool
    has_escapes: bool = False
    has_feed: bool = False


def parse_commit(version: int, content: bytes) -> Commit:
    """Return the commit of a file in the log. Raises ValueError for content that is no JSON.

    >>> parse_commit(3, b'{"commitInfo":{"timestamp":17}}\\n{"add":{"path":"a","dataChange":true}}').adds
    True
    """
    actions = [msgspec.json.decode(line) for line in content.splitlines() if line.strip()]
    return Commit(
        version,
        _timestamp(actions),
        any(action["add"].get("dataChange", True) for action in actions if "add" in action),
        any(action["remove"].get("dataChange", True) for action in actions if "remove" in action),
        any("cdc" in action for action in actions),
        any("metaData" in action for action in actions),
        any("%" in part.get("path", "") for action in actions for part in map(action.get, _FILES) if part),
        any(_has_feed(action["metaData"]) for action in actions if "metaData" in action),
    )


def _has_feed(metadata: Mapping[str, Any]) -> bool:
    return (metadata.get("configuration") or {}).get("delta.enableChangeDataFeed") == "true"


def _timestamp(actions: list[Mapping[str, Any]]) -> int | None:
    infos = [action["commitInfo"] for action in actions if "commitInfo" in action]
    times = (info.get("inCommitTimestamp", info.get("timestamp")) for info in infos)
    modifications = (action["add"].get("modificationTime") for action in actions if "add" in action)
    return next((t for t in times if t is not None), max(filter(None, modifications), default=None))
