"""Calls of aggregates with special syntax: DISTINCT, IGNORE NULLS and WITHIN GROUP become names and arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from sqlglot import exp

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.sql.refusals import Parts
from lsqlc.syntax.walk import walk

# The aggregates that may have DISTINCT.
OF_DISTINCT = ("COLLECT_LIST", "ARRAY_AGG", "LISTAGG", "STRING_AGG")
# Aggregates for which DISTINCT has no effect.
_OF_ANY = ("COLLECT_SET", "MIN_BY", "MAX_BY", "BIT_AND", "BIT_OR", "BOOL_AND", "BOOL_OR", "EVERY", "SOME", "ANY")
_OF_NULLS = ("FIRST", "FIRST_VALUE", "LAST", "LAST_VALUE", "ANY_VALUE")
_LISTED = ("LISTAGG", "STRING_AGG")
_ORDERED = ("PERCENTILE_CONT", "PERCENTILE_DISC", "MODE")
# The names that calls with DISTINCT and WITHIN GROUP get.
_INTERNAL = frozenset((
    *(f"{name}_DISTINCT" for name in (*OF_DISTINCT, "COUNT", "SUM", "AVG")),
    *(f"{name}_WITHIN_GROUP" for name in (*_ORDERED, *_LISTED)),
    *(f"{name}_WITHIN_GROUP_DISTINCT" for name in _LISTED),
))  # fmt: skip


class GroupCalls(Parts, ABC):
    """Converts calls of aggregates. Every method raises SyntaxFault for an unsupported node."""

    @abstractmethod
    def expression(self, node: exp.Expr) -> tree.Expression:
        """Return the expression of a node."""

    def refuse_internal(self, name: tree.Name) -> None:
        """Refuse a call by a name that only this module gives, such as LISTAGG_WITHIN_GROUP: its arguments would be
        those of the program and not of this module.
        """
        if name.text in _INTERNAL:
            base = name.text.removesuffix("_DISTINCT").removesuffix("_WITHIN_GROUP")
            call_text = f"{base}(DISTINCT ...)" if name.text.endswith("_DISTINCT") else f"{base}(...)"
            order = " WITHIN GROUP (ORDER BY ...)" if "_WITHIN_GROUP" in name.text else ""
            self.fault("LSQ206", f"unknown function '{name.text}'", name.at, f"write {call_text}{order}")

    def of_group(
        self, name: tree.Name, node_arguments: Any, at: Extent
    ) -> tuple[tree.Name, tuple[tree.Expression, ...]]:
        """Return the name and the arguments of a call, whose first argument may be DISTINCT."""
        nodes = self.listed(node_arguments)
        if nodes and isinstance(nodes[0], exp.Distinct):
            self.only(nodes[0], "expressions")
            nodes = [*nodes[0].expressions, *nodes[1:]]
            if name.text in OF_DISTINCT:
                name = tree.Name(f"{name.text}_DISTINCT", name.at)
            elif name.text not in _OF_ANY:
                allowed = ", ".join(OF_DISTINCT)
                self.refuse(f"DISTINCT in {name.text}", at, f"DISTINCT is for COUNT, SUM, AVG, {allowed}")
        return name, tuple(self.expression(node) for node in nodes)

    def ignoring_nulls(self, node: exp.Expr) -> tree.Expression:
        """Convert `FIRST(x) IGNORE NULLS`, which is `FIRST(x, TRUE)`."""
        self.only(node, "this")
        call = self.expression(node.this)
        if not isinstance(call, tree.Call) or call.name.text not in _OF_NULLS or len(call.arguments) != 1:
            self.refuse("IGNORE NULLS", self.places.of(node))
        how = tree.Literal(isinstance(node, exp.IgnoreNulls), call.at)
        return tree.Call(call.name, (*call.arguments, how), False, call.at)

    def within_group(self, node: exp.Expr) -> tree.Expression:
        """Convert `PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x DESC)` and `LISTAGG(x) WITHIN GROUP (ORDER BY y)`."""
        self.only(node, "this", "expression")
        call, at = self.expression(node.this), self.places.of(node)
        if not isinstance(call, tree.Call):
            self.unknown(node)
        order = node.expression
        self.only(order, "expressions")
        keys = [self._order_of(each) for each in self.listed(order.args.get("expressions"))]
        base = call.name.text.removesuffix("_DISTINCT")
        if base in _ORDERED and len(keys) == 1 and len(call.arguments) == (base != "MODE"):
            descending = tree.Literal(keys[0][1].startswith("DESC"), at)
            name = tree.Name(f"{base}_WITHIN_GROUP", call.name.at)
            return tree.Call(name, (keys[0][0], *call.arguments, descending), False, at)
        if base in _LISTED and 1 <= len(call.arguments) <= 2:
            separator = call.arguments[1] if len(call.arguments) == 2 else tree.Literal("", at)
            marks = tree.Literal(",".join(mark for _, mark in keys), at)
            name = tree.Name(call.name.text.replace(base, "LISTAGG_WITHIN_GROUP"), call.name.at)
            return tree.Call(name, (call.arguments[0], separator, marks, *(key for key, _ in keys)), False, at)
        self.refuse(f"WITHIN GROUP of {call.name.text}", at)

    def _order_of(self, node: exp.Expr) -> tuple[tree.Expression, str]:
        """Return the key by which values are ordered, and its direction: `DESC NULLS LAST`."""
        if not isinstance(node, exp.Ordered):
            return self.expression(node), "ASC NULLS FIRST"
        self.only(node, "this", "desc", "nulls_first")
        descending, first = bool(node.args.get("desc")), bool(node.args.get("nulls_first"))
        mark = f"{'DESC' if descending else 'ASC'} NULLS {'FIRST' if first else 'LAST'}"
        return self.expression(node.this), mark


def filtered(call: tree.Call, condition: tree.Expression, at: Extent) -> tree.Call:
    """Return a call with FILTER: its values are null if the condition is not true."""
    if call.name.text in _OF_NULLS:
        how = call.arguments[1:] or (tree.Literal(False, at),)
        return tree.Call(call.name, (*call.arguments[:1], *how, condition), False, at)
    values = (tree.Literal(1, call.at),) if call.star else call.arguments
    of_rows = [any(isinstance(part, tree.Reference) for part in walk(value)) for value in values]
    values_of_rows = (
        tree.Case(None, ((condition, value),), None, at) if reads or not (i or any(of_rows)) else value
        for i, (value, reads) in enumerate(zip(values, of_rows, strict=True))
    )
    return tree.Call(call.name, tuple(values_of_rows), False, at)
