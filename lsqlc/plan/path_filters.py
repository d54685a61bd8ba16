"""Filters on the paths of a topic of files, which decide which files are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, Field, Operation, walk
from lsqlc.scan.file_topics import is_special
from lsqlc.types import data
from lsqlc.types.data import Struct
from lsqlc.types.record import Topic


def path_filter(node: nodes.Filter) -> Expression | None:
    """Return the conjuncts of a filter above a scan of files that read only path columns; None if there are none.

    All files of a TABLE are read, because a newer file can remove rows of an older one.
    """
    if not isinstance(node.input, nodes.Scan) or node.input.topic.files is None or node.semantics == "TABLE":
        return None
    path_condition = None
    for part in _parts(node.condition, node.input.topic):
        path_condition = (
            part if path_condition is None else Operation("AND", (path_condition, part), data.BOOLEAN, True)
        )
    return path_condition


def path_filters(sinks: Sequence[nodes.Sink], topic: Topic) -> tuple[Expression | None, ...]:
    """Return, for each scan of the topic, the condition on the paths of its files; None: all files."""
    return tuple(condition for sink in sinks for node in sink.inputs for condition in _of_scans(node, topic))


def any_path(sinks: Sequence[nodes.Sink], topic: Topic) -> Expression | None:
    """Return the condition under which some scan reads a file; None: all files."""
    condition: Expression | None = None
    for each in dict.fromkeys(path_filters(sinks, topic)):
        if each is None:
            return None
        condition = each if condition is None else Operation("OR", (condition, each), data.BOOLEAN, True)
    return condition


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
    """Yield the conjuncts that read only path columns."""
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
