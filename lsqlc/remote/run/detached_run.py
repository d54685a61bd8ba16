"""A run whose queries continue on the server without a client, with the ids by which another client finds them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

FORMAT = 1


@dataclass(frozen=True, slots=True)
class DetachedQuery:
    """A query. `id` and `run`: Spark's ids of the query and of its start; `reads`: the topics of its sources."""

    query: str
    model: str
    topic: str
    id: str
    run: str
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DetachedRun:
    """The queries of a run and their session.

    `target`: its name in profiles.yml; `server`: host and port; `session` and `user`: the ids of the session; `since`:
    the time at which the client ended, in seconds since 1970; `host`: the client's host.
    """

    target: str
    server: str
    session: str
    user: str
    since: float
    host: str
    queries: tuple[DetachedQuery, ...]


def detached_text(run: DetachedRun) -> str:
    """Return the run as JSON, with the version of the format."""
    return json.dumps({"version": FORMAT, **asdict(run)}, ensure_ascii=False, separators=(",", ":"))


def detached_of(text: str) -> DetachedRun | None:
    """Parse the text of `detached_text`. Return None for other texts, such as another version of the format.

    Unknown members are ignored.
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
