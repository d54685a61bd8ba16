"""Points of a plan whose outcomes the records of tests reach or miss: conditions, branches, joins, groups, windows.

A point has a place in the text of the program. Conditions that the binder adds have none, and are no points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from lsqlc.diagnostics.source import Extent
from lsqlc.plan import expression as ex
from lsqlc.plan import nodes
from lsqlc.plan.identity import joins_keys, may_be_tombstone
from lsqlc.plan.passes.push_filters import projected
from lsqlc.plan.windows import Session
from lsqlc.types import data
from lsqlc.types.data import Struct

PointKind = Choice["condition", "case", "coalesce", "join", "group", "row", "window", "column"]

# Outcomes that `lower.duckdb.observations` computes.
TRUE, FALSE, NULL, ELSE = "true", "false", "NULL", "ELSE"
MATCHED, LEFT_ALONE, RIGHT_ALONE = "matched", "unmatched on the left", "unmatched on the right"
EMPTIED, REFILLED = "emptied", "refilled"
UPDATED, DELETED = "updated", "deleted"
AT_START, AT_END, LATE = "at its first millisecond", "at its last millisecond", "late"
AT_GAP, AFTER_GAP = "exactly the gap apart", "a millisecond more than the gap apart"

# Operators that give null for a null operand, and for no others.
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
# In a CASE with more branches, only the branches are points, and not the nulls of their conditions.
_MOST_BRANCHES = 30


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition without which a part of an expression is not evaluated. `holds` False: it must not be true."""

    condition: ex.Expression
    holds: bool


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a plan.

    `at`: its extent in the text. `subject`: the expression that is observed, over the input of `node`, or over that of
    its `side`. `name`: what the text does not say: a column, or both sides of a join. `outcomes`: those that can be
    reached.
    """

    kind: PointKind
    node: nodes.Node
    at: Extent
    outcomes: tuple[str, ...]
    subject: ex.Expression | None = None
    guards: tuple[Guard, ...] = ()
    side: int = 0
    name: str = ""


Locate = Callable[[ex.Expression, Sequence[nodes.Relation]], Extent | None]
"""Returns the extent of an expression over relations; None for one that is not in the text."""


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a program: `locate` finds expressions in it, `topics` has the extents of the topics that it reads.

    `names`: those of the sources of its queries, in lower case.
    """

    text: str
    locate: Locate
    topics: dict[str, Extent]
    names: frozenset[str]

    def at(self, parts: Sequence[ex.Expression], node: nodes.Node) -> Extent | None:
        """Return the extent of the first of several expressions over the relations of a node that is in the text."""
        located = (self.locate(part, node.relations) for part in parts)
        return next((at for at in located if at is not None), None)

    def of_topics(self, node: nodes.Node) -> Extent:
        """Return the extent of the first topic below a node that the text names; that of its first letter if none."""
        extents = (self.topics.get(scan.topic.name) for scan in nodes.scans(node))
        return next((at for at in extents if at is not None), (0, min(1, len(self.text))))


def points_of(results: Sequence[nodes.Node], read: Sequence[nodes.Scan], source: Source) -> tuple[Point, ...]:
    """Return the points of the nodes that a program writes.

    `results`: before they are optimised, so that their expressions are those of the text. `read`: the scans after it,
    with the columns that the program uses.
    """
    points: dict[Point, None] = {}
    for node in dict.fromkeys(part for result in results for part in nodes.all_nodes(result)):
        points |= dict.fromkeys(_of_node(node, source))
        if isinstance(node, nodes.Scan):
            points |= dict.fromkeys(_of_columns(node, read, source))
    return tuple(points)


def _of_node(node: nodes.Node, source: Source) -> Iterator[Point]:
    match node:
        case nodes.Filter():
            yield from _Expressions(node, node.input, source).condition(node.condition)
        case nodes.Project():
            for part in (node.key, node.value):
                yield from _Expressions(node, node.input, source).parts(part)
        case nodes.Lateral():
            yield from _Expressions(node, node.input, source).parts(node.array)
        case nodes.EventTime():
            yield from _Expressions(node, node.input, source).parts(node.time)
        case nodes.Aggregate():
            yield from _of_groups(node, source)
        case nodes.Join():
            yield from _of_join(node, source)
        case nodes.Scan() | nodes.Reinterpret() if node.semantics == "TABLE":
            yield from _of_rows(node, source)


@dataclass(frozen=True, slots=True)
class _Expressions:
    """The points in expressions of a node over the relations of an input."""

    node: nodes.Node
    input: nodes.Node
    source: Source
    side: int = 0

    def condition(self, condition: ex.Expression, guards: tuple[Guard, ...] = ()) -> Iterator[Point]:
        """Yield the points of a condition: the smallest parts of AND, OR and NOT that are in the text."""
        for leaf, at in self._leaves(condition):
            if not isinstance(leaf, ex.Literal):
                outcomes = (TRUE, FALSE, NULL) if _can_be_null(leaf, self.input) else (TRUE, FALSE)
                yield Point("condition", self.node, at, outcomes, leaf, guards, self.side)
        yield from self.parts(condition, guards)

    def parts(self, expression: ex.Expression, guards: tuple[Guard, ...] = ()) -> Iterator[Point]:
        """Yield the points of the parts of an expression: those of CASE and of COALESCE."""
        match expression:
            case ex.Case():
                yield from self._case(expression, guards)
            case ex.Call(function=function) if function.rpartition(".")[2] == "COALESCE":
                yield from self._coalesce(expression, guards)
            case ex.Lambda():
                # The values of its parameters are no columns.
                return
            case _:
                for part in ex.children(expression):
                    yield from self.parts(part, guards)

    def _case(self, case: ex.Case, guards: tuple[Guard, ...]) -> Iterator[Point]:
        at = self._extent(case)
        is_written = at is not None and self.source.text[at[0] : at[1]].upper().startswith("CASE")
        is_long = len(case.branches) > _MOST_BRANCHES
        if at is not None and is_written and len(case.branches) > 1:
            # A branch is reached if its condition is true, which is an outcome of the condition already.
            branches = (
                branch_name(number)
                for number, (condition, _) in enumerate(case.branches)
                if is_long or not self._is_one(condition)
            )
            yield Point("case", self.node, at, (*branches, ELSE), case, guards, self.side)
        if is_long:
            return
        before: tuple[Guard, ...] = guards
        for condition, result in case.branches:
            yield from self.condition(condition, before)
            yield from self.parts(result, (*before, Guard(condition, True)))
            before = (*before, Guard(condition, False))
        yield from self.parts(case.otherwise, before)

    def _is_one(self, condition: ex.Expression) -> bool:
        """Return whether a condition is one point. A literal is none."""
        leaves = self._leaves(condition)
        return len(leaves) == 1 and leaves[0][0] is condition and not isinstance(condition, ex.Literal)

    def _coalesce(self, call: ex.Call, guards: tuple[Guard, ...]) -> Iterator[Point]:
        at = self._extent(call)
        if at is not None and len(call.arguments) > 1:
            # An argument behind one that is never null is never used.
            last = next((n for n, each in enumerate(call.arguments) if not each.nullable), None)
            count = len(call.arguments) if last is None else last + 1
            outcomes = tuple(argument_name(number) for number in range(count))
            yield Point(
                "coalesce", self.node, at, (*outcomes, *((NULL,) if last is None else ())), call, guards, self.side
            )
        before = guards
        for argument in call.arguments:
            yield from self.parts(argument, before)
            before = (*before, Guard(ex.Operation("IS NULL", (argument,), data.BOOLEAN, False), True))

    def _extent(self, expression: ex.Expression) -> Extent | None:
        return self.source.locate(expression, self.input.relations)

    def _leaves(self, condition: ex.Expression) -> list[tuple[ex.Expression, Extent]]:
        if isinstance(condition, ex.Operation) and condition.operator in ("AND", "OR", "NOT"):
            parts = [self._leaves(part) for part in condition.operands]
            if all(parts):
                return [leaf for part in parts for leaf in part]
        at = self._extent(condition)
        if at is None and isinstance(condition, ex.Operation) and condition.operator == "=":
            # CASE x WHEN y: the text has no comparison, only the value.
            at = self._extent(condition.operands[1])
        return [] if at is None else [(condition, at)]


def _can_be_null(expression: ex.Expression, node: nodes.Node) -> bool:
    """Return whether an expression over the rows of a node can be null."""
    match expression:
        case ex.Field():
            return expression.nullable and not _is_present(expression, node)
        case ex.Operation(operator=operator, operands=operands) if operator in _COMPARISONS:
            return expression.nullable and any(_can_be_null(part, node) for part in operands)
    return expression.nullable


def _is_present(field: ex.Field, node: nodes.Node) -> bool:
    """Return whether a filter below has found that a field is not null, through columns that only pass it on."""
    match node:
        case nodes.Filter():
            tested = (
                operand
                for part in ex.conjuncts(node.condition)
                if isinstance(part, ex.Operation) and part.operator in (*_COMPARISONS, "IS NOT NULL")
                for operand in part.operands
            )
            return any(_same(field, operand) for operand in tested) or _is_present(field, node.input)
        case nodes.Project():
            source = projected(field, node)
            return isinstance(source, ex.Field) and _is_present(source, node.input)
    return False


def _same(field: ex.Field, other: ex.Expression) -> bool:
    """Return whether an expression is a field, whatever is known of its nulls."""
    key = (field.relation, field.facet, field.path)
    return isinstance(other, ex.Field) and (other.relation, other.facet, other.path) == key


def branch_name(number: int) -> str:
    """Return the outcome of the branch of a CASE with a number from 0."""
    return f"branch {number + 1}"


def argument_name(number: int) -> str:
    """Return the outcome of the argument of COALESCE with a number from 0."""
    return f"argument {number + 1}"


def _of_groups(node: nodes.Aggregate, source: Source) -> Iterator[Point]:
    inner = _Expressions(node, node.input, source)
    arguments = [argument for each in node.aggregates for argument in each.arguments]
    for part in (*node.keys, *arguments):
        yield from inner.parts(part)
    at = source.at(node.keys, node.input) or source.at(arguments, node.input) or source.of_topics(node)
    if node.window is not None:
        bounds = (AT_GAP, AFTER_GAP) if isinstance(node.window, Session) else (AT_START, AT_END)
        yield Point("window", node, at, (*bounds, LATE), node.keys[0])
    elif node.input.semantics == "TABLE":
        yield Point("group", node, at, (EMPTIED, REFILLED))


def _of_join(node: nodes.Join, source: Source) -> Iterator[Point]:
    for side, (input, condition) in enumerate(((node.left, node.left_condition), (node.right, node.right_condition))):
        inner = _Expressions(node, input, source, side)
        if condition is not None:
            yield from inner.condition(condition)
        for pair in node.equalities:
            yield from inner.parts(pair[side])
    equality = _equality(node, source)
    has_names = all(_has_name(side, source) for side in (node.left, node.right))
    is_query = equality is not None and source.text[slice(*equality)].lstrip("( \n").upper().startswith("SELECT")
    if is_query or (equality is None and not (joins_keys(node) and has_names)):
        # The text has no such join: it stands for a query in an expression, or for several inputs of one query.
        return
    at = equality or source.of_topics(node.right)
    name = f"{_named(node.left)} with {_named(node.right)}"
    alone = {
        "stream-stream": (LEFT_ALONE, RIGHT_ALONE),
        "table-table": (LEFT_ALONE, RIGHT_ALONE),
        # A row of the table that no record meets has no effect.
        "stream-table": (LEFT_ALONE,),
        "table-stream": (RIGHT_ALONE,),
    }[node.style]
    late = (LATE,) if node.style == "stream-stream" and not node.expires else ()
    yield Point("join", node, at, (MATCHED, *alone, *late), name=name)


def _has_name(node: nodes.Node, source: Source) -> bool:
    return any(relation.name.casefold() in source.names for relation in node.relations)


def _named(node: nodes.Node) -> str:
    """Return the names of the relations of a side; the topics below it for one without a name."""
    names = [relation.name for relation in node.relations if relation.name]
    return ", ".join(names or dict.fromkeys(scan.topic.name for scan in nodes.scans(node)))


def _equality(node: nodes.Join, source: Source) -> Extent | None:
    """Return the extent of an equality of a join, or of its right side."""
    width = len(node.left.relations)
    sides = [(left, ex.shift(right, width)) for left, right in node.equalities]
    both = [pair for left, right in sides for pair in ((left, right), (right, left))]
    comparisons = [ex.Operation("=", pair, data.BOOLEAN, True) for pair in both]
    return source.at(comparisons, node) or source.at([right for _, right in sides], node)


def _of_rows(node: nodes.Scan | nodes.Reinterpret, source: Source) -> Iterator[Point]:
    if isinstance(node, nodes.Scan) and (node.topic.files or node.topic.key.is_absent):
        # A row of a file stays as long as its file, and a record without a key is never replaced.
        return
    is_deletable = isinstance(node, nodes.Scan) or may_be_tombstone(node.input)
    name = ", ".join(dict.fromkeys(scan.topic.name for scan in nodes.scans(node)))
    changes = (UPDATED, DELETED) if is_deletable else (UPDATED,)
    yield Point("row", node, source.of_topics(node), changes, name=name)


def _of_columns(node: nodes.Scan, read: Sequence[nodes.Scan], source: Source) -> Iterator[Point]:
    """Yield a point for each column of a topic that may be null, and that the program uses."""
    same = [scan for scan in read if (scan.topic.name, scan.alias) == (node.topic.name, node.alias)]
    fields = dict.fromkeys(field for scan in same for field in _nullable(scan.value.type, ()))
    for field in fields:
        at = source.locate(field, node.relations) or source.of_topics(node)
        name = f"{node.topic.name}.{'.'.join(field.path)}"
        yield Point("column", node, at, (NULL,), field, name=name)


def _nullable(type: data.DataType, path: tuple[str, ...]) -> Iterator[ex.Field]:
    """Yield the fields of a value that may be null."""
    for field in type.fields if isinstance(type, Struct) else ():
        if field.nullable:
            yield ex.Field(0, "value", (*path, field.name), field.type, True)
        yield from _nullable(field.type, (*path, field.name))
