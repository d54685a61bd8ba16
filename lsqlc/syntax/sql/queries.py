"""Conversion of sqlglot's queries to those of a model. Unsupported ones are refused by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.column_names import spark_name
from lsqlc.syntax.sql.first_rows import (
    BadPosition,
    is_plain,
    of_result,
    of_select,
    whole_number,
    with_names,
    with_order_columns,
)
from lsqlc.syntax.sql.grouping_sets import group_of
from lsqlc.syntax.sql.membership import exists, member
from lsqlc.syntax.sql.pivots import unwrapped
from lsqlc.syntax.sql.rankings import RANK, unbounded
from lsqlc.syntax.sql.sources import generator_of, is_lateral
from lsqlc.syntax.sql.unions import SETS, Unions, all_of, every

# The statements that define a model.
_MADE = "write CREATE STREAMING TABLE name AS, or CREATE MATERIALIZED VIEW name AS"


class Queries(Unions):
    """Converts queries. Every method raises SyntaxFault for an unsupported node."""

    # The queries as values of the current clause; None in a clause that cannot have any.
    _scalars: list[sql.Scalar] | None = None
    # The number of the first of them: those of HAVING have other names than earlier ones.
    _first_scalar = 0
    # Whether false and null are the same for the current condition.
    _decided = False

    def statement(self, node: exp.Expr) -> tuple[sql.Kind | None, tree.Name | None, sql.Query]:
        """Return the kind of the model, its name, and its query."""
        if not isinstance(node, exp.Create):
            return None, None, self.query(node)
        if node.args["kind"] not in ("TABLE", "VIEW"):
            self.refuse(f"CREATE {node.args['kind']}", self.places.of(node.this), _MADE)
        self.only(node, "this", "kind", "expression", "properties")
        kind: sql.Kind | None = None
        properties = node.args.get("properties")
        if properties is not None:
            self.only(properties, "expressions")
        for node_property in properties.expressions if properties is not None else ():
            if isinstance(node_property, exp.StreamingTableProperty) and kind is None:
                kind = "streaming_table"
            elif isinstance(node_property, exp.MaterializedProperty) and kind is None:
                kind = "materialized_view"
            else:
                self.refuse("a property between the name and AS", self.places.of(node_property))
            self.only(node_property)
        at = self.places.of(node.this)
        expected = {"streaming_table": "TABLE", "materialized_view": "VIEW", None: ""}[kind]
        if node.args["kind"] != expected:
            self.refuse(f"CREATE {node.args['kind']}", at, _MADE)
        if not isinstance(node.this, exp.Table):
            self.unknown(node.this)
        if node.expression is None:
            self.fault("LSQ102", "expected AS SELECT behind the name", at)
        self.only(node.this, "this", "db", "catalog")
        return kind, self.topic_name(node.this), self.query(node.expression)

    def expression(self, node: exp.Expr) -> tree.Expression:
        decided = self._decided
        self._decided = decided and isinstance(node, (exp.And, exp.Or, exp.Paren))
        result = super().expression(node) if self._scalars is None else self._with_queries(node, decided=decided)
        self._decided = decided
        return result

    def _with_queries(self, node: exp.Expr, *, decided: bool) -> tree.Expression:
        """Return an expression that may be a query, or a condition on one."""
        at = self.places.of(node)
        if isinstance(node, exp.Subquery):
            self.only(node, "this")
            return self._keep(self.query(node.this), None, at)
        if isinstance(node, exp.Exists):
            self.only(node, "this")
            return exists(self.query(node.this), at, self._keep)
        if isinstance(node, exp.In) and node.args.get("query") is not None:
            self.only(node, "this", "query")
            operand, *more = self.operands_of(node.this)
            if more:
                self.refuse("IN of several columns as a value", at, "make it a condition of WHERE, or write EXISTS")
            return member(operand, self.query(node.args["query"]), at, self._keep, decided=decided)
        return super().expression(node)

    def _keep(self, query: sql.Query, counted_rows: sql.Counted | None, at: Extent) -> tree.Expression:
        """Keep a query as a value, and return the name of the value."""
        assert self._scalars is not None
        same = next((s for s in self._scalars if same_parts((s.query, s.counted), (query, counted_rows))), None)
        if same is not None:
            return tree.Reference((same.name,), at)
        self._scalars.append(sql.Scalar(query, f" {self._first_scalar + len(self._scalars)}", at, counted_rows))
        return tree.Reference((self._scalars[-1].name,), at)

    def query(self, node: exp.Expr) -> sql.Query:
        """Return a query with its WITH."""
        if isinstance(node, (exp.Paren, exp.Subquery)) and not node.args.get("alias"):
            self.only(node, "this")
            return self.query(node.this)
        withs: list[sql.With] = []
        first = len(self.named)
        with_node = node.args.get("with_")
        if with_node is not None:
            self.only(with_node, "expressions")
            for each in with_node.expressions:
                self.only(each, "this", "alias")
                self.only(each.args.get("alias"), "this", "columns")
                query = self.query(each.this)
                with_ = sql.With(self.name(each.args["alias"].this), query, self.columns(each, query))
                withs.append(with_)
                self.named.append((with_.name.text.casefold(), unbounded(with_.query), []))
        at = self.places.of(node)
        body: sql.Select | sql.Union
        if isinstance(node, SETS):
            body = self.united(node)
        elif isinstance(node, exp.Select):
            body = self.select(node)
        elif isinstance(node, exp.Values):
            body = all_of(self.values_of(node))
        else:
            self.unknown(node)
        return sql.Query(self.bounded_withs(withs, first), body, at)

    def select(self, node: Any, *, nested: bool = False) -> sql.Select:
        handled = (
            "expressions", "distinct", "from_", "joins", "where", "group", "having", "qualify", "laterals", "windows",
            "order", "limit", "offset",
        )  # fmt: skip
        self.only(node, *handled, *(() if nested else ("with_",)))
        at = self.places.of(node)
        distinct = node.args.get("distinct")
        if distinct is not None:
            self.only(distinct)
        if node.args.get("from_") is None and any(isinstance(each, exp.Star) for each in node.expressions):
            self.fault("LSQ102", "'*' requires FROM", at, "name what it reads: SELECT ... FROM topic")
        around, self._scalars = self._scalars, []
        first_scalar, self._first_scalar = self._first_scalar, 0
        generators = [each for item in node.expressions if (each := self._generated(item)) is not None]
        if len(generators) > 1:
            self.refuse("a second generator in the SELECT list", generators[1].at, "write LATERAL VIEW")
        outer = self.window_calls, self.named_windows
        self.window_calls = None
        self.named_windows = self.windows_of(node)
        ranking = self.only_ranking(node)
        self.window_calls = [] if ranking is None else None
        items = tuple(self._item(item, ranking) for item in node.expressions)
        qualify = self._condition(node.args.get("qualify")) if ranking is None else None
        windows = tuple(self.window_calls or ())
        self.window_calls = None
        if not items:
            self.fault("LSQ102", "a model requires columns behind SELECT", at)
        selected, self._scalars = self._scalars, None
        join_nodes = self.listed(node.args.get("joins"))
        joined = [each for each in join_nodes if not is_lateral(each)]
        keeps = any(str(join.args.get("side") or "") in ("RIGHT", "FULL") for join in joined)
        outer_moved, self.moved = self.moved, None if keeps else []
        joins = tuple(map(self.join, joined))
        moved_conditions, self.moved = self.moved or [], outer_moved
        laterals = tuple(map(self.lateral, (*join_nodes[len(joined) :], *self.listed(node.args.get("laterals")))))
        first = min((lateral.at[0] for lateral in laterals), default=0)
        laterals = (*laterals, *generators)
        if late := next((join for join in joins if first and join.at[0] > first), None):
            self.fault("LSQ450", "a join behind LATERAL is not supported in models of the dialect sql", late.at,
                       "write it before LATERAL, or join the query with LATERAL in FROM")  # fmt: skip
        source = self._from(node.args.get("from_"), at)
        self._scalars = selected
        where, tests = self._where(node.args.get("where"), moved_conditions)
        group = group_of(self, node.args.get("group"))
        scalars = tuple(self._scalars)
        self._scalars, self._first_scalar = [], len(scalars)
        having = self._condition(node.args.get("having"))
        having_scalars, self._scalars = tuple(self._scalars), around
        self._first_scalar = first_scalar
        self.window_calls, self.named_windows = outer
        select = sql.Select(
            items,
            distinct is not None,
            self.bounded(source, where),
            tuple(replace(join, source=self.bounded(join.source, where)) for join in joins),
            where,
            group.keys,
            having,
            at,
            (items[0].at[0], items[-1].at[1]),
            tests,
            ranking,
            laterals,
            scalars,
            having_scalars,
            group.all,
            group.sets,
            windows=windows,
            qualify=qualify,
        )
        # ORDER BY with LIMIT is of the columns of a pivot.
        is_limited = node.args.get("limit") is not None or node.args.get("offset") is not None
        limited = self.first_rows(node, select if is_limited else unwrapped(select))
        assert isinstance(limited, sql.Select), "the first rows of a SELECT are one"
        return limited

    def _from(self, node: exp.Expr | None, at: Extent) -> sql.Source:
        if node is None:
            return sql.ConstantSource(((),), (), None, at)
        self.only(node, "this")
        return self.source_of(node.this)

    def first_rows(self, node: exp.Expr, result: sql.Select | sql.Union) -> sql.Select | sql.Union:
        order, limit = node.args.get("order"), node.args.get("limit")
        ordered: tuple[sql.Ordered, ...] = ()
        around, self._scalars = self._scalars, None
        if order is not None:
            self.only(order, "expressions")
            try:
                ordered = with_names(tuple(map(self.ordered, order.expressions)), result)
            except BadPosition as bad:
                message = f"the SELECT list has no column {bad.number} to order by"
                self.fault("LSQ462", message, bad.at, "write the name of the column")
        count = self._limit(limit) if limit is not None else None
        skipped = self._offset(node, is_ordered=order is not None)
        self._scalars = around
        if order is None or (limit is None and not skipped):
            if order is not None:
                return replace(result, ignored=sql.Ignored("ORDER BY", self.places.of(order), ordered))
            if limit is not None:
                return replace(result, ignored=sql.Ignored("LIMIT", self.places.of(limit), limit=count))
            return result
        at = (self.places.of(order)[0], self.places.of(limit or order)[1])
        first_rows = sql.Ranking(None, (), (), count and count + skipped, at, sql.FIRST_ROWS, skipped)
        if isinstance(result, sql.Select) and is_plain(result):
            return replace(result, ranking=replace(first_rows, order=of_select(ordered, result)))
        if isinstance(result, sql.Select) and result.group_by and not result.distinct:
            result, by, added = with_order_columns(ordered, result)
            whole = every(sql.Query((), result, result.at))
            (star,) = whole.items
            whole = replace(whole, items=(replace(star, without=added),))
        else:
            first = result.branches[0] if isinstance(result, sql.Union) else result
            whole, by = every(sql.Query((), result, result.at)), of_result(ordered, first)
        return replace(whole, ranking=replace(first_rows, order=by))

    def _offset(self, node: exp.Expr, *, is_ordered: bool) -> int:
        """Return the number of OFFSET, which requires ORDER BY; 0 without one."""
        offset = node.args.get("offset")
        if offset is None:
            return 0
        if not isinstance(offset, exp.Offset):
            self.unknown(offset)
        self.only(offset, "this") if offset.args.get("expression") is None else self.only(offset, "expression")
        at = self.places.of(offset)
        number = whole_number(self.expression(offset.args.get("expression") or offset.this))
        if number is None or number < 0:
            self.fault("LSQ462", "OFFSET requires a number", at, "write OFFSET 10")
        if number and not is_ordered:
            self.fault("LSQ462", "OFFSET requires ORDER BY", at, "say which rows come first: ORDER BY column OFFSET 10")
        return number

    def _limit(self, limit: exp.Expr) -> int:
        self.only(limit, "expression")
        number = whole_number(self.expression(limit.expression))
        if number is None or number < 0:
            self.fault("LSQ462", "LIMIT requires a number", self.places.of(limit), "write LIMIT 10")
        return number

    def _without(self, star: exp.Expr) -> tuple[tree.Reference, ...]:
        """Return the columns that a star excludes: `* EXCEPT (a, b)`."""
        self.only(star, "except_")
        parts = [self.expression(part) for part in self.listed(star.args.get("except_"))]
        for part in parts:
            if not isinstance(part, tree.Reference):
                self.refuse("EXCEPT of anything but columns", part.at)
        return tuple(part for part in parts if isinstance(part, tree.Reference))

    def _where(
        self, clause: exp.Expr | None, more: list[exp.Expr]
    ) -> tuple[tree.Expression | None, tuple[sql.Test, ...]]:  # fmt: skip
        """Return the condition of WHERE, and the conditions on queries that AND joins to it. `more`: further
        conditions.
        """
        if clause is not None:
            self.only(clause, "this")
        nodes = [*(self.conjuncts(clause.this) if clause is not None else ()), *more]
        if not nodes:
            return None, ()
        parts = [(part, self._test(part)) for part in nodes]
        tests = tuple(test for _, test in parts if test is not None)
        self._decided = True
        if clause is not None and not tests and not more:
            whole = self.expression(clause.this)
            self._decided = False
            return whole, ()
        rest = tuple(self.expression(part) for part, test in parts if test is None)
        self._decided = False
        if len(rest) < 2:
            return (rest[0] if rest else None), tests
        return tree.Logic("AND", rest, self.places.of(clause.this if clause is not None else more[0])), tests

    def conjuncts(self, node: exp.Expr) -> list[exp.Expr]:
        """Return the conditions that AND joins, in parentheses or not."""
        conditions, pending = [], [node]
        while pending:
            part = inner = pending.pop()
            while isinstance(inner, exp.Paren):
                self.only(inner, "this")
                inner = inner.this
            if isinstance(inner, exp.And):
                self.only(inner, "this", "expression")
                pending += (inner.expression, inner.this)
            else:
                conditions.append(part)
        return conditions

    def _test(self, node: exp.Expr) -> sql.Test | None:
        """Return IN (SELECT ...) and EXISTS, optionally with NOT; None for any other condition."""
        at, negated = self.places.of(node), False
        while isinstance(node, (exp.Not, exp.Paren)):
            self.only(node, "this")
            negated ^= isinstance(node, exp.Not)
            node = node.this
        if isinstance(node, exp.Exists):
            self.only(node, "this")
            return sql.Test(None, self.query(node.this), negated, at)
        if isinstance(node, exp.In) and node.args.get("query") is not None:
            self.only(node, "this", "query")
            query = self.query(node.args["query"])
            operand, *more = self.operands_of(node.this)
            return sql.Test(operand, query, negated, at, tuple(more))
        return None

    def _condition(self, clause: exp.Expr | None) -> tree.Expression | None:
        if clause is None:
            return None
        self.only(clause, "this")
        return self.expression(clause.this)

    def _generated(self, node: exp.Expr) -> sql.Lateral | None:
        """Return the rows of a generator in the SELECT list; None for any other item."""
        at = self.places.of(node)
        names: tuple[tree.Name, ...] = ()
        call = node
        if isinstance(node, (exp.Alias, exp.Aliases)) and generator_of(node.this) is not None:
            call = node.this
            self.only(node, "this", "alias" if isinstance(node, exp.Alias) else "expressions")
            name_nodes = [node.args["alias"]] if isinstance(node, exp.Alias) else node.expressions
            names = tuple(map(self.name, name_nodes))
        if generator_of(call) is None:
            return None
        return self.generated(call, names, tree.Name(sql.GENERATED, at), at)

    def _item(self, node: exp.Expr, ranking: sql.Ranking | None) -> sql.Item:
        at = self.places.of(node)
        if generator_of(node.this if isinstance(node, (exp.Alias, exp.Aliases)) else node) is not None:
            return sql.Item(tree.Wildcard((sql.GENERATED,), at), None, at)
        if isinstance(node, exp.Star):
            return sql.Item(tree.Wildcard((), at), None, at, self._without(node))
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            self.only(node, "this", "table", "db", "catalog")
            names = (node.args.get(part) for part in ("catalog", "db", "table"))
            star = tree.Wildcard(tuple(self.name(name).text for name in names if name is not None), at)
            return sql.Item(star, None, at, self._without(node.this))
        if isinstance(node, exp.Alias):
            self.only(node, "this", "alias")
            if ranking is not None and self.is_ranking(node.this):
                return sql.Item(RANK, self.name(node.args["alias"]), at)
            return sql.Item(self.expression(node.this), self.name(node.args["alias"]), at)
        source = self.expression(node)
        plain = sql.is_name(source) or isinstance(source, tree.Member)
        return sql.Item(source, None, at, name=None if plain else spark_name(node, self, self._word, self.definition))
