"""A run that its client has left to the server: which queries go on there, and how another client reaches them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

FORMAT = 1


@dataclass(frozen=True, slots=True)
class DetachedQuery:
    """One query. `id` and `run`: Spark's ids of the query and of its start; `reads`: the topics of its sources."""

    query: str
    model: str
    topic: str
    id: str
    run: str
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DetachedRun:
    """The queries, and their session. `target`: its name in profiles.yml; `server`: host and port; `session` and
    `user`: the ids by which the server knows the session; `since`: when the client left, in seconds since 1970, and
    `host`, where it ran.
    """

    target: str
    server: str
    session: str
    user: str
    since: float
    host: str
    queries: tuple[DetachedQuery, ...]


def detached_text(run: DetachedRun) -> str:
    """The run as JSON, with the version of its form."""
    return json.dumps({"version": FORMAT, **asdict(run)}, ensure_ascii=False, separators=(",", ":"))


def detached_of(text: str) -> DetachedRun | None:
    """The run that `detached_text` wrote; None for what this release cannot read, such as another version. Members that
    it does not know are left out.
    """
    try:
        data = json.loads(text)
        if data["version"] != FORMAT:
            return None
        queries = tuple(
            DetachedQuery(**_known(DetachedQuery, query) | {"reads": tuple(query["reads"])})
            for query in data["queries"]
        )
        return DetachedRun(**_known(DetachedRun, data) | {"queries": queries})
    except (ValueError, TypeError, KeyError):
        return None


def _known(kind: type[DetachedRun] | type[DetachedQuery], data: dict[str, Any]) -> dict[str, Any]:
    return {part.name: data[part.name] for part in fields(kind) if part.name in data}
