"""Checks of plans for Spark's own Kafka sink: for servers without Python, where no batch is a transaction.

A batch that is computed again after a failure is written again, all of it, in the order of the first attempt. A record
has the time of writing. So the last record of each key is correct in the end, which is sufficient for a TABLE; records
of a STREAM are delivered at least once. A plan that needs more is rejected: one that counts records of such a STREAM,
or uses the times of records that were written so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from lsqlc.diagnostics import Diagnostic, listing
from lsqlc.lower.spark.stages import internal_topics
from lsqlc.lower.spark.support import unsupported
from lsqlc.plan import nodes
from lsqlc.plan.clocks import ends_with_own_time, reads_time
from lsqlc.plan.identity import keyed_by_identity
from lsqlc.plan.kafka_order import by_time
from lsqlc.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class _Reason:
    """The reason that a plan is rejected, and the alternative to installing Python; empty: none."""

    why: str
    help: str


_PYTHON = "on a server with Python, write `writers: 1`"


def refused(plan: Plan, output_topics: Collection[str]) -> tuple[Diagnostic, ...]:
    """Return a diagnostic (LSQ760) for each reason that Spark's own sink cannot write the output of a plan's queries.

    There is none for a plan without a form on Spark. `output_topics`: the topics that models of the project write, by
    the same sink.
    """
    if unsupported(plan):
        return ()
    reasons = dict.fromkeys((*_files(plan), *_times_of_its_own(plan), *_stages(plan), *_inputs(plan, output_topics)))
    return tuple(
        Diagnostic(
            "LSQ760",
            f"the model '{plan.name}' cannot be written with `writers: native`",
            notes=(reason.why,),
            help=f"{reason.help}{_PYTHON}",
        )
        for reason in reasons
    )


def needs_more(plan: Plan, output_topics: Collection[str]) -> tuple[str, ...]:
    """Return the reasons, as clauses, that a plan needs exactly one record, or its own time, from its input topics."""
    return () if unsupported(plan) else tuple(dict.fromkeys(reason.why for reason in _inputs(plan, output_topics)))


def _files(plan: Plan) -> Iterator[_Reason]:
    for topic in plan.inputs:
        if topic.files is not None:
            yield _Reason(f"it reads the files of '{topic.name}', at which Python looks before each batch", "")


def _times_of_its_own(plan: Plan) -> Iterator[_Reason]:
    """Report a time of records that only the program defines, if the record itself has another."""
    for sink in plan.sinks:
        if any(map(ends_with_own_time, sink.inputs)):
            why = f"it gives the records of '{sink.topic.name}' a time, and they would have the time of writing"
            yield _Reason(why, "leave that clause out, and keep the time in a field; ")


def _stages(plan: Plan) -> Iterator[_Reason]:
    """Report internal topics whose records need their own time, or must not be repeated."""
    passed = internal_topics(plan)
    if not passed:
        return
    streams = [topic.name for topic, semantics in passed.values() if semantics == "STREAM"]
    if streams:
        yield _Reason(f"its queries pass on the STREAM {listing(streams)}; {_TWICE}", "")
    elif not all(_keeps_keys(node) for sink in plan.sinks for node in sink.inputs):
        yield _Reason("its queries pass on rows of a TABLE whose order counts beyond each key", "")


_TWICE = "a record that is written twice after a failure would count twice"


def _keeps_keys(node: nodes.Node) -> bool:
    """Return True if only the order within each key counts for the internal topic."""
    match node:
        case nodes.Rekey() | nodes.Lateral() | nodes.Reinterpret() | nodes.EventTime():
            return False
        case nodes.Join() if node.style != "table-table" or not keyed_by_identity(node):
            return False
    return all(map(_keeps_keys, nodes.inputs(node)))


def _inputs(plan: Plan, output_topics: Collection[str]) -> Iterator[_Reason]:
    topics_by_time = by_time(plan)
    for sink in plan.sinks:
        for node in sink.inputs:
            for scan, above in _paths(node, ()):
                if scan.topic.name in output_topics and scan.topic.files is None:
                    yield from _of_input(scan, above, topics_by_time)


def _of_input(scan: nodes.Scan, above: tuple[nodes.Node, ...], topics_by_time: Collection[str]) -> Iterator[_Reason]:
    """Report a scan of a topic of the same sink. `above`: the nodes above the scan, the nearest first."""
    topic = scan.topic
    if any(node.semantics == "STREAM" and _counts(next) for node, next in pairwise((scan, *above))):
        why = f"it keeps a state of the records of '{topic.name}', which another model writes; {_TWICE}"
        yield _Reason(why, "read it as a TABLE, or read what that model reads; ")
    elif scan.semantics == "TABLE" and topic.name in topics_by_time:
        why = f"it orders the rows of '{topic.name}', which another model writes, by the time of writing"
        yield _Reason(why, "read what the model that writes it reads; ")
    untimed = next((n for n, node in enumerate(above) if isinstance(node, nodes.EventTime)), len(above))
    if any(reads_time(node) or _has_window(node) for node in above[:untimed]):
        why = f"it looks at the times of '{topic.name}', which another model writes: they are the times of writing"
        yield _Reason(why, "keep the time in a field, and take it from there; ")


def _counts(node: nodes.Node) -> bool:
    """Return True if a repeated record changes the result of a node."""
    return isinstance(node, nodes.Aggregate | nodes.Join | nodes.Rekey | nodes.Reinterpret)


def _has_window(node: nodes.Node) -> bool:
    return (isinstance(node, nodes.Aggregate) and node.window is not None) or (
        isinstance(node, nodes.Join) and node.style == "stream-stream"
    )


def _paths(node: nodes.Node, above: tuple[nodes.Node, ...]) -> Iterator[tuple[nodes.Scan, tuple[nodes.Node, ...]]]:
    if isinstance(node, nodes.Scan):
        yield node, above
    for part in nodes.inputs(node):
        yield from _paths(part, (node, *above))
