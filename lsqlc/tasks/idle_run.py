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
    """What is told of a run until all is read, whose queries all have nothing to read; None where one of them may, and
    where that is only known on the server: with a connector that does not know it, and on a server of one's own, whose
    version decides what a query is. `at`: seconds since 1970.
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

    found = idle(store, ordered, parts, streams.unread)
    if len(found) < len(ordered):
        return None
    known = {node.query: described(store, node.query) for node in ordered}
    return tuple(idle_events(node, begun_of(known[node.query] or {}), at) for node in ordered)
