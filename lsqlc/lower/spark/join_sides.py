"""The sides of a join: what feeds them, and the value by which they meet."""

from __future__ import annotations

from lsqlc.lower.spark.expressions import sql
from lsqlc.plan import nodes
from lsqlc.sql.spark import struct


def chain(node: nodes.Node) -> tuple[nodes.Node, ...]:
    """A node without state and all below it, from the scan up."""
    below = nodes.inputs(node)
    return (*chain(below[0]), node) if below else (node,)


def join_key(node: nodes.Join, side: int, shift: int = 0) -> str:
    """The equated values of a side as one value, null if one of them is: it then matches nothing."""
    parts = [sql(pair[side], shift) for pair in node.equalities]
    condition = node.left_condition if side == 0 else node.right_condition
    tests = [f"{p} IS NOT NULL" for p in parts] if len(parts) > 1 else []
    if condition is not None:
        tests.append(sql(condition, shift))
    whole = struct(tuple((f"value{i}", p) for i, p in enumerate(parts))) if len(parts) > 1 else parts[0]
    return f"if({' AND '.join(tests)}, {whole}, NULL)" if tests else whole
