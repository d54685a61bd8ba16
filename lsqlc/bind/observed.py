"""The points of a program, over its plan before the optimiser, whose expressions are those of the text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from msgspec import structs

from lsqlc.bind.places import Places
from lsqlc.bind.trace import Trace
from lsqlc.plan import Plan
from lsqlc.plan.nodes import scans
from lsqlc.plan.points import Point, Source, points_of
from lsqlc.plan.policies import passing_over
from lsqlc.syntax.program import Program


def observed(program: Program, plan: Plan, trace: Trace, names: Collection[str]) -> tuple[Plan, tuple[Point, ...]]:
    """Return the plan of a program before the optimiser, and its points.

    `trace`: was filled when it was bound. `names`: those of the sources of its queries.
    """
    unoptimised = (
        structs.replace(sink, inputs=tuple(trace.results.get(sink.topic.name, sink.inputs))) for sink in plan.sinks
    )
    sinks = passing_over(unoptimised, plan.policy)
    # The place of a topic that is named several times is its first name.
    topics = {name.text: name.at for name in reversed(program.reads)}
    source = Source(program.source.text, Places(trace).find, topics, frozenset(map(str.casefold, names)))
    read = [scan for sink in plan.sinks for node in sink.inputs for scan in scans(node)]
    points = points_of([node for sink in sinks for node in sink.inputs], read, source)
    return replace(plan, sinks=sinks), points
