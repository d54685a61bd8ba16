"""A target whose batches are not written exactly once: what it refuses, and what its records guarantee, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal

from lsqlc.connectors.record import Capabilities
from lsqlc.diagnostics import Diagnostic, listing
from lsqlc.lower.spark.native_writers import refused
from lsqlc.project.build.compile import Compilation

Delivery = Literal["exactly once", "newest rows", "at least once"]


def refusals(compilation: Compilation, capabilities: Capabilities) -> Iterator[Diagnostic]:
    """LSQ760 for what the models of a compilation cannot do there."""
    if capabilities.exactly_once:
        return
    for plan in compilation.plans.values():
        yield from refused(plan, compilation.graph.writers)


def deliveries(
    compilation: Compilation, capabilities: Capabilities, real_time: Collection[str] = ()
) -> Mapping[str, Delivery]:
    """Return how often a record reaches each topic that the models write. With `newest rows` the last record of each
    key is right, and may be there twice. `real_time`: the models that run in real time.
    """
    native = not capabilities.exactly_once
    return {
        topic.name: "exactly once"
        if not ((native or (name in real_time and topic != plan.dead_letters)) and topic.is_log)
        else "newest rows"
        if plan.semantics[topic.name] == "TABLE"
        else "at least once"
        for name, plan in compilation.plans.items()
        for topic in plan.outputs
    }


def guarantee(by_topic: Mapping[str, Delivery]) -> str | None:
    """Return the deliveries as a sentence; None if each record comes once."""
    rows, records = ([name for name, delivery in by_topic.items() if delivery == kind] for kind in _SAID)
    clauses = [_SAID[kind].format(listing(names)) for kind, names in zip(_SAID, (rows, records), strict=True) if names]
    return f"Spark's own sink writes, {' and '.join(clauses)}; records have the time of writing" if clauses else None


_SAID: Mapping[Delivery, str] = {
    "newest rows": "the newest rows of {} exactly",
    "at least once": "records of {} at least once",
}
