"""Spark's real-time mode: which plans can run in it, and the reasons why others cannot.

A query in real-time mode processes records one by one. It cannot sort, rank or collect a batch, nor wait until a result
is complete. A stateful operator cannot feed another query, because only a sink could connect them. So maps and
incremental groups qualify. Joins and new keys do not, because they compare the records of a batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lsqlc.formats.catalogue import find_format
from lsqlc.plan import nodes
from lsqlc.plan.clocks import ends_with_own_time, timed_groups
from lsqlc.plan.plan import Plan
from lsqlc.plan.python_calls import python_calls
from lsqlc.plan.windows import Session


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A reason why a plan cannot run in real-time mode.

    `what`: a noun, such as "a join". `why`: a clause. `words`: keywords of the program that cause it, in upper case,
    the likeliest first; may be empty. `help`: what to do instead; may be empty.
    """

    what: str
    why: str
    words: tuple[str, ...] = ()
    help: str = ""


def obstacles(plan: Plan) -> tuple[Obstacle, ...]:
    """Return all obstacles of a plan, those nearest to the sources first; empty if the plan qualifies."""
    of_sinks = [each for sink in plan.sinks for each in _of_sink(sink)]
    return tuple(dict.fromkeys((*of_sinks, *_of_topics(plan))))


def _of_sink(sink: nodes.Sink) -> Iterator[Obstacle]:
    for node in sink.inputs:
        yield from _of_node(node)
        if ends_with_own_time(node):
            yield Obstacle(
                "a time of its own",
                f"records of '{sink.topic.name}' would have the time of writing, as Spark's sink sets no other",
                ("EVENTTIME", "TIMESTAMP"),
                "keep the time in a field, and leave that clause out",
            )
    if len(sink.inputs) > 1 and any(map(_has_state, sink.inputs)):
        yield Obstacle("a state below a union", "Spark takes a union only below the state", ("UNION", "INSERT"))
    if python_calls(sink.inputs):
        yield Obstacle("a function in Python", "Python takes records in batches")
    if any(map(_joins, sink.inputs)):
        # A join reads its topics with one source.
        return
    read = Counter(scan.topic.name for node in sink.inputs for scan in nodes.scans(node))
    for topic, times in read.items():
        if times > 1:
            yield Obstacle(f"reading '{topic}' twice", "Spark refuses a query that reads a topic twice")


def _of_node(node: nodes.Node) -> Iterator[Obstacle]:
    for below in nodes.inputs(node):
        yield from _of_node(below)
    match node:
        case nodes.Join():
            yield Obstacle("a join", "the records of both sides are laid side by side in batches", ("JOIN", "EXISTS"))
        case nodes.Rekey():
            why = "which of two rows has the key is found by comparing the rows of a batch"
            yield Obstacle("new keys of a TABLE", why, ("_KEY", "PARTITION", "KEY"))
        case nodes.Lateral(semantics="TABLE"):
            why = "the elements that a row brings and takes are found by comparing the rows of a batch"
            yield Obstacle("the elements of arrays of a TABLE", why, ("LATERAL", "EXPLODE", "UNNEST"))
        case nodes.Aggregate():
            yield from _of_aggregate(node)
        case nodes.Union():
            why = "its inputs are a query of their own, which passes their records on by a topic"
            yield Obstacle("a union that is grouped or joined", why, ("INSERT",), "group it in a model of its own")
    if timed_groups(node):
        why = "which versions of a row changed its group is found by comparing the rows of a batch"
        yield Obstacle("the time of a group of a TABLE", why, ("ROWTIME", "_META"))


def _of_aggregate(node: nodes.Aggregate) -> Iterator[Obstacle]:
    if isinstance(node.window, Session):
        yield Obstacle("a session window", "a session is written once it is closed", ("SESSION",))
    elif node.window is not None and node.window.final:
        why = "a window is written once it is closed, and not as records come"
        yield Obstacle("EMIT FINAL", why, ("FINAL",), "write each change of a window: leave EMIT FINAL out")
    if _has_state(node.input):
        why = "its input is a query of its own, which passes its rows on by a topic"
        yield Obstacle("a group of groups", why, ("GROUP",), "make the inner query a model of its own")


def _of_topics(plan: Plan) -> Iterator[Obstacle]:
    for topic in plan.inputs:
        if topic.files is not None:
            yield Obstacle(f"the files of '{topic.name}'", "only topics in Kafka are read record by record")
    for topic in (*plan.inputs, *plan.outputs):
        if topic.files is None and any(map(_needs_python, (topic.key.format, topic.value.format))):
            yield Obstacle(f"the messages of '{topic.name}'", "Python reads and writes messages of Protobuf in batches")


def _needs_python(format: str) -> bool:
    record = find_format(format)
    return record is not None and record.needs_python


def _joins(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Join) or any(map(_joins, nodes.inputs(node)))


def _has_state(node: nodes.Node) -> bool:
    own = isinstance(node, nodes.Aggregate | nodes.Join | nodes.Rekey)
    return own or any(map(_has_state, nodes.inputs(node)))
