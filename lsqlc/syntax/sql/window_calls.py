"""Calls with OVER: a value of a row that is computed from other rows of its partition.

A call becomes a name that no text has, and the SELECT around it has a list of the calls with these names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.expressions import Expressions

# Functions that are only called with OVER, and the arguments of their nodes.
_FUNCTIONS: Mapping[type[exp.Expr], tuple[str, tuple[str, ...]]] = {
    exp.RowNumber: ("ROW_NUMBER", ()),
    exp.Rank: ("RANK", ()),
    exp.DenseRank: ("DENSE_RANK", ()),
    exp.PercentRank: ("PERCENT_RANK", ()),
    exp.CumeDist: ("CUME_DIST", ()),
    exp.Ntile: ("NTILE", ("this",)),
    exp.Lag: ("LAG", ("this", "offset", "default")),
    exp.Lead: ("LEAD", ("this", "offset", "default")),
    exp.NthValue: ("NTH_VALUE", ("this", "offset")),
}
# Aggregates of all values, whose order is that of the frame.
_NAMES: Mapping[str, str] = {
    "FIRST": "FIRST_VALUE", "FIRST_VALUE": "FIRST_VALUE", "ANY_VALUE": "FIRST_VALUE", "LAST": "LAST_VALUE",
    "LAST_VALUE": "LAST_VALUE",
}  # fmt: skip
_FRAMES = "write ROWS BETWEEN 2 PRECEDING AND CURRENT ROW, or leave the frame out"


class WindowCalls(Expressions):
    """Reads calls with OVER. Every method raises SyntaxFault for an unsupported node."""

    # The calls of the current clause; None in a clause that cannot have any.
    window_calls: list[sql.WindowCall] | None = None
    # The definitions in the clause WINDOW of the current SELECT, by their names in lower case.
    named_windows: Mapping[str, exp.Window] = {}

    def expression(self, node: exp.Expr) -> tree.Expression:
        if not isinstance(node, exp.Window) or self.window_calls is None:
            return super().expression(node)
        return self._window_call(node, self.window_calls)

    def windows_of(self, select: exp.Expr) -> Mapping[str, exp.Window]:
        """Return the definitions in the clause WINDOW of a SELECT, by their names in lower case."""
        definitions: dict[str, exp.Window] = {}
        for each in self.listed(select.args.get("windows")):
            if not isinstance(each, exp.Window):
                self.unknown(each)
            self.only(each, "this", "partition_by", "order", "spec", "alias")
            definitions[self.name(each.this).text.casefold()] = each
        return definitions

    def ordered(self, node: Any) -> sql.Ordered:
        """Return a key of ORDER BY."""
        self.only(node, "this", "desc", "nulls_first")
        return sql.Ordered(self.expression(node.this), bool(node.args.get("desc")), bool(node.args.get("nulls_first")))

    def _window_call(self, node: exp.Window, calls: list[sql.WindowCall]) -> tree.Reference:
        self.only(node, "this", "partition_by", "order", "over", "spec", "alias")
        at = self.places.of(node)
        self.window_calls = None
        function, ignores_nulls = self._function(node.this)
        partition, order, spec = self.definition(node)
        keys = tuple(map(self.ordered, order))
        frame = self._frame(spec, keys, at) if spec is not None else None
        self.window_calls = calls
        name = f" w{len(calls)}"
        parts = tuple(map(self.expression, partition))
        calls.append(sql.WindowCall(name, function, ignores_nulls, parts, keys, frame, at))
        return tree.Reference((name,), at)

    def _function(self, node: Any) -> tuple[tree.Call, bool]:
        """Return the call before OVER, and whether it ignores nulls."""
        ignores_nulls = isinstance(node, exp.IgnoreNulls)
        while isinstance(node, (exp.IgnoreNulls, exp.RespectNulls)):
            self.only(node, "this")
            node = node.this
        if type(node) in _FUNCTIONS:
            name, arguments = _FUNCTIONS[type(node)]
            self.only(node, *arguments)
            function_arguments = tuple(self.expression(node.args[a]) for a in arguments if node.args.get(a) is not None)
            return tree.Call(self._function_name(node, name), function_arguments, False, self._at(node)), ignores_nulls
        call = self.expression(node)
        if not isinstance(call, tree.Call):
            self.unknown(node)
        ordered = _NAMES.get(call.name.text)
        if ordered is None:
            return call, ignores_nulls
        first, *rest = call.arguments or (tree.Literal(None, call.at),)
        # The second argument of these says whether nulls are ignored.
        says = rest[0].value if rest and isinstance(rest[0], tree.Literal) else None
        return tree.Call(tree.Name(ordered, call.name.at), (first,), False, call.at), ignores_nulls or says is True

    def definition(self, node: exp.Window) -> tuple[list[exp.Expr], list[exp.Expr], exp.Expr | None]:
        """Return PARTITION BY, ORDER BY, and the frame, of OVER (...) or of a name."""
        return self._definition(node, frozenset())

    def _definition(
        self, node: exp.Window, visited: frozenset[str]
    ) -> tuple[list[exp.Expr], list[exp.Expr], exp.Expr | None]:
        partition, order = self.listed(node.args.get("partition_by")), node.args.get("order")
        spec, alias = node.args.get("spec"), node.args.get("alias")
        if order is not None:
            self.only(order, "expressions")
        keys = list(order.expressions) if order is not None else []
        if alias is None:
            return partition, keys, spec
        name = self.name(alias).text.casefold()
        definition = self.named_windows.get(name)
        if definition is None or name in visited:
            self.fault("LSQ200", f"unknown window '{alias.name}'", self.places.of(alias),
                       f"define it: WINDOW {alias.name} AS (PARTITION BY ... ORDER BY ...)")  # fmt: skip
        around, sorts, frame = self._definition(definition, visited | {name})
        return around + partition, sorts + keys, spec or frame

    def _frame(self, spec: exp.Expr, order: tuple[sql.Ordered, ...], at: Extent) -> sql.Frame:
        self.only(spec, "kind", "start", "start_side", "end", "end_side")
        kind = str(spec.args.get("kind") or "").upper()
        if kind == "RANGE":
            start, low = self._distance(spec.args.get("start"), spec.args.get("start_side"), order, at)
            end, high = self._distance(spec.args.get("end") or "CURRENT ROW", spec.args.get("end_side"), order, at)
            return sql.Frame(False, start, end, low, high)
        if kind != "ROWS":
            self.refuse(f"a frame of {kind}", at, _FRAMES)
        start = self._bound(spec.args.get("start"), spec.args.get("start_side"), at)
        end = self._bound(spec.args.get("end") or "CURRENT ROW", spec.args.get("end_side"), at)
        return sql.Frame(True, start, end)

    def _distance(
        self, value: Any, side: Any, order: tuple[sql.Ordered, ...], at: Extent
    ) -> tuple[int | None, tree.Expression | None]:  # fmt: skip
        """Return a bound of RANGE: one that ROWS has too, or a value in the order."""
        if not isinstance(value, exp.Expr):
            return self._bound(value, side, at), None
        distance = self.expression(value)
        if isinstance(distance, tree.Literal) and distance.value == 0:
            return 0, None
        if len(order) != 1:
            self.fault("LSQ462", "a frame of RANGE with a distance requires one expression in ORDER BY", at,
                       "order by the number or the time that the distance is in")  # fmt: skip
        before = (str(side).upper() == "PRECEDING") != order[0].descending
        return 0, tree.Binary("-" if before else "+", order[0].value, distance, at)

    def _bound(self, value: Any, side: Any, at: Extent) -> int | None:
        """Return the number of rows from the current row to a bound, negative before it; None for no bound on that
        side.
        """
        if value == "UNBOUNDED":
            return None
        if value == "CURRENT ROW":
            return 0
        number = self.expression(value) if isinstance(value, exp.Expr) else None
        if not isinstance(number, tree.Literal) or not isinstance(number.value, int):
            self.fault("LSQ462", "a bound of a frame must be a number", at, _FRAMES)
        return -number.value if str(side).upper() == "PRECEDING" else number.value
