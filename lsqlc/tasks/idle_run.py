"""A run that has nothing to read: on an embedded server, which it would start only to end it again."""

from __future__ import annotations

from pathlib import Path

from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.remote.run.checkpoints import begun_of, describe, described
from lsqlc.remote.run.events import QuerySummary, Started
from lsqlc.remote.run.graph import Job, Node, nodes
from lsqlc.remote.run.idle import idle, idle_events
from lsqlc.remote.server.home import installed_version
from lsqlc.tasks.run_context import RunContext

Ended = tuple[tuple[Started, QuerySummary], ...]


def nothing_to_read(context: RunContext, at: float) -> Ended | None:
    """Return the events of a run until all is read, if no query has anything to read. `at`: seconds since 1970.

    Return None if a query may have something to read. Return None also where only the server knows that: with some
    connectors, and on a server of the user, whose version decides the queries.
    """
    place, version = context.place, installed_version()
    if not place.capabilities.knows_unread or place.target.type != "embedded" or version is None:
        return None
    assert isinstance(place.checkpoints, Path), "topics in folders have their checkpoints in one"
    store, streams = place.store(), place.streams()
    ordered = nodes(Job(name, plan) for name, plan in context.plans_for(version).items())

    def parts(node: Node) -> Parts:
        # Those that a checkpoint has count, whatever a session would say.
        return describe(node.stage, partitions=1, server=version, model=node.model)

    idle_queries = idle(store, ordered, parts, streams)
    if len(idle_queries) < len(ordered):
        return None
    checkpoints = {node.query: described(store, node.query) for node in ordered}
    return tuple(idle_events(node, begun_of(checkpoints[node.query] or {}), at) for node in ordered)
