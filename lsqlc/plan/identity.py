"""Identity of the rows of a TABLE, and STREAMs that lack changes of a TABLE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsqlc.plan.expression import Expression, Field, Operation, StructOf, reads_value
from lsqlc.plan.nodes import (
    Aggregate,
    EventTime,
    Filter,
    Join,
    Lateral,
    Node,
    Project,
    Reinterpret,
    Rekey,
    Relation,
    Repartition,
    Scan,
    Sink,
    Union,
    inputs,
)
from lsqlc.types import data
from lsqlc.types.data import DataType


def keyed_by_identity(node: Node) -> bool:
    """Return whether the key identifies a row of a TABLE.

    False above a LATERAL, and above a join whose rows are pairs: a join on other expressions than both keys, or an
    OUTER join with conditions, where both sides of a key can be unmatched.
    """
    match node:
        case Scan() | Aggregate() | Rekey() | Reinterpret():
            return True
        case Join():
            apart = node.kind == "OUTER" and (node.left_condition is not None or node.right_condition is not None)
            return joins_keys(node) and not apart and keyed_by_identity(node.left) and keyed_by_identity(node.right)
        case Project(rekeys=True):
            return False
        case _:
            below = inputs(node)[0]
            return len(node.relations) <= len(below.relations) and keyed_by_identity(below)


def identity_type(node: Node) -> DataType:
    """Return the type of the identity of a TABLE's rows.

    It is the type of the key, if the key identifies a row. For pairs it is a struct `l`, `r` of both sides, for
    elements of an array a struct of `row` and `index`.
    """
    match node:
        case _ if keyed_by_identity(node):
            return node.relations[0].key.type
        case Join():
            sides = (("l", node.left), ("r", node.right))
            return data.Struct(tuple(data.Field(name, identity_type(side)) for name, side in sides))
        case Lateral():
            return data.Struct((data.Field("row", identity_type(node.input)), data.Field("index", data.BIGINT)))
        case _:
            return identity_type(inputs(node)[0])


def has_elements(node: Node) -> bool:
    """Return whether the rows of a TABLE are elements of arrays, so that several rows can have one key."""
    match node:
        case Lateral():
            return node.semantics == "TABLE"
        case Scan() | Aggregate() | Rekey() | Reinterpret() | Join():
            return False
        case _:
            return has_elements(inputs(node)[0])


def unique_key(node: Node) -> bool:
    """Return whether each row of a TABLE provably has a unique key. The node may be a projection of a join.

    A pair of rows has a unique key if ON equates the keys of both sides, whatever else it equates.
    """
    if keyed_by_identity(node):
        return True
    match node:
        case Join():
            keys = any(whole_key(a) and whole_key(b) for a, b in node.equalities)
            return keys and node.kind != "OUTER" and keyed_by_identity(node.left) and keyed_by_identity(node.right)
        case Filter() | Project(rekeys=False):
            return unique_key(node.input)
    return False


def is_keyed_by_parts(node: Node) -> bool:
    """Return whether the key of a projection is a struct of exactly the parts that identify the rows below.

    Then each row has a unique key that does not change. An unmatched row has null for the key of the other side. No row
    of a topic or of a group has a null key.
    """
    if not isinstance(node, Project) or not isinstance(node.key, StructOf):
        return False
    parts = _identity_parts(node.input)
    return parts is not None and set(_whole_keys(node.key, node.input.relations)) == set(parts)


def _identity_parts(node: Node, first: int = 0) -> tuple[int, ...] | None:
    """Return the relations whose keys identify the rows of a node; None if other expressions identify them.

    `first`: the number of the node's first relation.
    """
    match node:
        case _ if len(node.relations) == 1 and keyed_by_identity(node):
            return (first,)
        case Join() if not keyed_by_identity(node):
            left = _identity_parts(node.left, first)
            right = _identity_parts(node.right, first + len(node.left.relations))
            return None if left is None or right is None else (*left, *right)
        case Filter() | Repartition() | EventTime():
            return _identity_parts(node.input, first)
        case Project() if is_keyed_by_parts(node):
            return (first,)
    return None


def _whole_keys(expression: Expression, relations: Sequence[Relation]) -> tuple[int | None, ...]:
    """Return the relations whose whole keys a struct contains: in it, in a struct in it, or by all fields of a key that
    is one. None for each other expression.
    """
    if not isinstance(expression, StructOf):
        return (expression.relation if isinstance(expression, Field) and whole_key(expression) else None,)
    names: dict[int, set[str]] = {}
    others: list[int | None] = []
    for value in expression.values:
        if isinstance(value, Field) and value.facet == "key" and len(value.path) == 1:
            names.setdefault(value.relation, set()).add(value.path[0])
        else:
            others += _whole_keys(value, relations)
    return (*others, *(number if _are_all(fields, relations[number]) else None for number, fields in names.items()))


def _are_all(names: set[str], relation: Relation) -> bool:
    """Return whether these are all fields of a relation's key."""
    key = relation.key.type
    return isinstance(key, data.Struct) and names == {field.name for field in key.fields}


def joins_keys(join: Join) -> bool:
    """Return whether a join equates exactly the whole keys of its sides."""
    return len(join.equalities) == 1 and all(whole_key(side) for side in join.equalities[0])


def whole_key(expression: Expression) -> bool:
    """Return whether an expression is the unchanged key of a source."""
    return isinstance(expression, Field) and expression.facet == "key" and not expression.path


def direct_changes(node: Node) -> bool:
    """Return whether a TABLE's changes are the records of its topic: the node only projects and filters a topic."""
    match node:
        case Scan():
            return True
        case Reinterpret():
            return node.input.semantics == "STREAM"
        case Aggregate() | Join() | Rekey():
            return False
        case _:
            below = inputs(node)[0]
            return len(node.relations) <= len(below.relations) and direct_changes(below)


def keeps_history(node: Node) -> bool:
    """Return whether every version of a TABLE's rows is available, independent of batches.

    This holds for rows of topics and pairs of them. A batch has only the last version of an aggregate's row, and of a
    row with a new key.
    """
    match node:
        case Scan():
            return True
        case Reinterpret():
            return not compacted(node.input)
        case Aggregate() | Rekey():
            return False
        case Lateral():
            return not may_be_unmatched(node.input) and keeps_history(node.input)
        case _:
            return all(map(keeps_history, inputs(node)))


def may_be_unmatched(node: Node) -> bool:
    """Return whether rows of a TABLE can be unmatched rows of a join, which are output again when their match is
    removed.
    """
    match node:
        case Join():
            return node.kind != "INNER" or may_be_unmatched(node.left) or may_be_unmatched(node.right)
        case Scan() | Aggregate() | Rekey() | Reinterpret():
            return False
        case _:
            return may_be_unmatched(inputs(node)[0])


def compacted(node: Node) -> bool:
    """Return whether a STREAM may lack changes that a batch replaced.

    See docs/reference/lenses.md, "Changes of a TABLE".
    """
    if isinstance(node, Reinterpret) and node.semantics == "STREAM":
        return not direct_changes(node.input)
    return node.semantics == "STREAM" and any(compacted(part) for part in inputs(node))


def compacted_topics(sinks: Iterable[Sink]) -> frozenset[str]:
    """Return the names of the topics whose records are changes that a batch may have replaced."""
    return frozenset(sink.topic.name for sink in sinks if any(map(compacted, sink.inputs)))


def has_value(node: Node) -> Expression:
    """Return the condition that a record of a STREAM with one relation is no tombstone."""
    value = Field(0, "value", (), node.relations[0].value.type, True)
    return Operation("IS NOT NULL", (value,), data.BOOLEAN, False)


def may_be_tombstone(node: Node) -> bool:
    """Return whether a STREAM may contain tombstones, apart from the missing side of a join.

    A projection outputs one if its whole value can be null: a field AS _value, or the missing side of a join.
    """
    match node:
        case Scan() | Reinterpret():
            return node.semantics == "STREAM"
        case Project():
            return node.semantics == "STREAM" and (node.value.nullable or may_be_tombstone(node.input))
        case Union():
            return any(map(may_be_tombstone, node.inputs))
        case Join() | Aggregate():
            return False
        case _:
            below = inputs(node)[0]
            return len(node.relations) <= len(below.relations) and may_be_tombstone(below)


def passes_over_tombstones(node: Filter) -> bool:
    """Return whether a filter receives records without a value. They cannot satisfy it, because it reads the value."""
    return reads_value(node.condition) and may_be_tombstone(node.input)
