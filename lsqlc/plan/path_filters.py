"""What the filters over a topic of files say of its files' paths: it decides which files are read at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, Field, Operation, walk
from lsqlc.scan.file_topics import is_special
from lsqlc.types import data
from lsqlc.types.data import Struct
from lsqlc.types.record import Topic


def path_filter(node: nodes.Filter) -> Expression | None:
    """Return the part of a filter right above a scan of files that speaks of their paths alone; None: there is none.

    A row of a TABLE that a newer file takes away must be seen to go, so that all files of a TABLE are read.
    """
    if not isinstance(node.input, nodes.Scan) or node.input.topic.files is None or node.semantics == "TABLE":
        return None
    found = None
    for part in _parts(node.condition, node.input.topic):
        found = part if found is None else Operation("AND", (found, part), data.BOOLEAN, True)
    return found


def path_filters(sinks: Sequence[nodes.Sink], topic: Topic) -> tuple[Expression | None, ...]:
    """For each scan of the topic, what the paths of its files have to satisfy; None: any will do."""
    return tuple(found for sink in sinks for node in sink.inputs for found in _of_scans(node, topic))


def any_path(sinks: Sequence[nodes.Sink], topic: Topic) -> Expression | None:
    """What the paths of a topic's files have to satisfy so that some scan reads them; None: any will do."""
    found: Expression | None = None
    for each in dict.fromkeys(path_filters(sinks, topic)):
        if each is None:
            return None
        found = each if found is None else Operation("OR", (found, each), data.BOOLEAN, True)
    return found


def _of_scans(node: nodes.Node, topic: Topic) -> Iterator[Expression | None]:
    if isinstance(node, nodes.Scan):
        if node.topic.name == topic.name:
            yield None
    elif isinstance(node, nodes.Filter) and isinstance(node.input, nodes.Scan):
        if node.input.topic.name == topic.name:
            yield path_filter(node)
    else:
        for below in nodes.inputs(node):
            yield from _of_scans(below, topic)


def _parts(condition: Expression, topic: Topic) -> Iterator[Expression]:
    """Yield the members of a conjunction that read columns of the path and nothing else."""
    if isinstance(condition, Operation) and condition.operator == "AND":
        for side in condition.operands:
            yield from _parts(side, topic)
        return
    value = topic.value.type
    assert topic.files is not None
    special = {f.name for f in value.fields if is_special(f, topic.files)} if isinstance(value, Struct) else set()
    fields = [part for part in walk(condition) if isinstance(part, Field)]
    if fields and all(f.facet == "value" and f.path and f.path[0] in special for f in fields):
        yield condition
