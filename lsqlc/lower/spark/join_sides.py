"""The sides of a join: their inputs, and the value by which they are matched."""

from __future__ import annotations

from lsqlc.lower.spark.expressions import sql
from lsqlc.plan import nodes
from lsqlc.sql.spark import struct


def chain(node: nodes.Node) -> tuple[nodes.Node, ...]:
    """Return a node without state and all below it, from the scan up."""
    below = nodes.inputs(node)
    return (*chain(below[0]), node) if below else (node,)


def in_order(node: nodes.Join, left: str, right: str) -> str:
    """Return the ordinal of a pair of a left and a right record: the higher of their ordinals, then the other."""
    return f"if({left} > {right}, {left} || {right}{later(node, 0)}, {right} || {left}{later(node, 1)})"


def later(node: nodes.Join, side: int) -> str:
    """Return the end of the ordinal of a pair whose later record is that of a side, if both sides read a topic."""
    return f" || array({side}L)" if node.meets_itself else ""


def lone(node: nodes.Join, ordinal: str, side: int) -> str:
    """Return the ordinal of a row without a match on the other side.

    It precedes those of pairs, and for one record the left side's is the first. No other number in an ordinal is so
    low.
    """
    apart = node.meets_itself and node.kind == "OUTER"
    return f"{ordinal} || array({side - 6}L)" if apart else ordinal


def join_key(node: nodes.Join, side: int, shift: int = 0) -> str:
    """Return the equated values of a side as one value, null if one of them is: it then matches nothing."""
    parts = [sql(pair[side], shift) for pair in node.equalities]
    condition = node.left_condition if side == 0 else node.right_condition
    tests = [f"{p} IS NOT NULL" for p in parts] if len(parts) > 1 else []
    if condition is not None:
        tests.append(sql(condition, shift))
    whole = struct(tuple((f"value{i}", p) for i, p in enumerate(parts))) if len(parts) > 1 else parts[0]
    return f"if({' AND '.join(tests)}, {whole}, NULL)" if tests else whole
