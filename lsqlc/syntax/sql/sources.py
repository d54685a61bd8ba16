"""Sources in FROM: topics, queries in parentheses, joins, and the elements of arrays."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from sqlglot import exp

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.rankings import Rankings, unbounded

_KINDS: dict[tuple[str, str], sql.JoinKind] = {
    ("", ""): "INNER", ("", "INNER"): "INNER", ("LEFT", ""): "LEFT", ("LEFT", "OUTER"): "LEFT", ("RIGHT", ""): "RIGHT",
    ("RIGHT", "OUTER"): "RIGHT", ("FULL", ""): "OUTER", ("FULL", "OUTER"): "OUTER", ("", "CROSS"): "CROSS",
    ("", "SEMI"): "SEMI", ("LEFT", "SEMI"): "SEMI", ("", "ANTI"): "ANTI", ("LEFT", "ANTI"): "ANTI",
}  # fmt: skip


class Sources(Rankings):
    """Converts sources. Every method raises SyntaxFault for an unsupported node."""

    # The conditions of ON that are read as those of WHERE; None if a later join keeps rows without a match.
    moved: list[exp.Expr] | None = None

    @abstractmethod
    def conjuncts(self, node: exp.Expr) -> list[exp.Expr]:
        """Return the conditions that AND joins, in parentheses or not."""

    @abstractmethod
    def query(self, node: exp.Expr) -> sql.Query:
        """Return a query with its WITH."""

    def join(self, node: exp.Expr) -> sql.Join:
        at = self.places.of(node)
        natural = node.args.get("method") == "NATURAL"
        if node.args.get("method") and not natural:
            self.refuse(f"{node.args['method']} JOIN", at)
        self.only(node, "this", "on", "side", "kind", "using", "method")
        side, kind = node.args.get("side") or "", node.args.get("kind") or ""
        join_kind = _KINDS.get((str(side), str(kind)))
        if join_kind is None:
            self.refuse(f"{side} {kind} JOIN".strip(), at)
        source = self.source_of(node.this)
        on, using = node.args.get("on"), tuple(map(self.name, self.listed(node.args.get("using"))))
        condition = self._on(on, is_inner=join_kind == "INNER") if on is not None else None
        if condition is not None and using:
            self.refuse("ON beside USING", at)
        if natural:
            if condition is not None or using or join_kind == "CROSS":
                self.refuse("a condition of NATURAL JOIN", at)
            return sql.Join(join_kind, source, None, at, natural=True)
        if join_kind in ("CROSS", "INNER"):
            # The parser adds ON TRUE to an INNER JOIN without a condition.
            is_true = isinstance(condition, tree.Literal) and condition.value is True
            condition = None if is_true else condition
            join_kind = "INNER" if condition is not None or using else "CROSS"
        return sql.Join(join_kind, source, condition, at, using)

    def _on(self, on: exp.Expr, *, is_inner: bool) -> tree.Expression | None:
        """Return the condition of ON. Conditions on queries in an INNER JOIN's ON are the same in WHERE."""
        if self.moved is None or not is_inner or not isinstance(on, exp.Expr):
            return self.expression(on)
        parts = self.conjuncts(on) if any(map(_is_query, on.walk())) else []
        moved_parts = [part for part in parts if any(map(_is_query, part.walk()))]
        self.moved += moved_parts
        rest = [part for part in parts if part not in moved_parts]
        if not moved_parts:
            return self.expression(on)
        remaining = tuple(map(self.expression, rest))
        if len(remaining) < 2:
            return remaining[0] if remaining else None
        return tree.Logic("AND", remaining, self.places.of(on))

    def lateral(self, node: exp.Expr) -> sql.Lateral:
        """Convert `LATERAL VIEW explode(array) t AS c`, `LATERAL explode(array) AS t(c)`, `JOIN LATERAL ... ON
        TRUE`.
        """
        at = self.places.of(node)
        outer = False
        if isinstance(node, exp.Join):
            self.only(node, "this", "side", "kind", "on")
            on, side = node.args.get("on"), str(node.args.get("side") or "")
            if on is not None and not (isinstance(on, exp.Boolean) and on.this is True):
                self.refuse("ON behind LATERAL", self.places.of(on))
            if side not in ("", "LEFT") or str(node.args.get("kind") or "") not in ("", "CROSS", "INNER", "OUTER"):
                self.refuse(f"{side} JOIN LATERAL", at)
            outer, node = side == "LEFT", node.this
        if not isinstance(node, exp.Lateral):
            self.unknown(node)
        self.only(node, "this", "outer", "alias")
        alias = node.args.get("alias")
        columns: tuple[tree.Name, ...] = ()
        label = None
        if alias is not None:
            self.only(alias, "this", "columns")
            columns = tuple(map(self.name, self.listed(alias.args.get("columns"))))
            label = self.name(alias.this) if alias.args.get("this") is not None else None
        lateral = self.generated(node.this, columns, label, at)
        outer_flags = (outer, bool(node.args.get("outer")), lateral.outer)
        if sum(outer_flags) > 1:
            self.refuse("OUTER twice", at)
        return replace(lateral, outer=any(outer_flags))

    def generated(
        self, call: Any, columns: tuple[tree.Name, ...], label: tree.Name | None, at: Extent
    ) -> sql.Lateral:  # fmt: skip
        """Return the rows of a call of a generator."""
        generator = generator_of(call)
        if generator is None:
            self.fault("LSQ450", "LATERAL of anything but explode is not supported in models of the dialect sql", at,
                       "write LATERAL VIEW explode(array) AS column; or posexplode, inline, stack")  # fmt: skip
        self.only(call, "this", "expressions")
        first_argument = [] if isinstance(call, exp.Anonymous) else [call.this]
        parts = (*first_argument, *self.listed(call.args.get("expressions")))
        arguments = tuple(self.expression(self._by_name(part)) for part in parts)
        if generator != "stack" and len(arguments) != 1:
            self.fault("LSQ208", f"{generator}() takes 1 argument, not {len(arguments)}", at)
        outer = isinstance(call, (exp.ExplodeOuter, exp.Anonymous))
        return sql.Lateral(generator, arguments, columns, label, outer, at)

    def _by_name(self, argument: Any) -> Any:
        """Return an argument without the name of its parameter."""
        if not isinstance(argument, exp.Kwarg) or str(argument.this.name).lower() not in ("collection", "input"):
            return argument
        self.only(argument, "this", "expression")
        return argument.expression

    def source_of(self, node: exp.Expr) -> sql.Source:
        at = self.places.of(node)
        if node.args.get("pivots"):
            return self.pivoted(node, self.listed(node.args["pivots"]))
        return self.plain_source(node, at)

    def plain_source(self, node: exp.Expr, at: Extent, *handled: str) -> sql.Source:
        if isinstance(node, exp.Subquery):
            self.only(node, "this", "alias", *handled)
            query = self.query(node.this)
            return sql.QuerySource(query, self._alias(node), at, self.columns(node, query))
        if isinstance(node, exp.TableAlias):
            # The name in `|> AS q`.
            self.only(node, "this")
            return sql.TopicSource(self.name(node.this), False, None, at)
        if isinstance(node, exp.Values):
            return self.values_of(node)
        if not isinstance(node, exp.Table):
            self.unknown(node)
        alias = self._alias(node)
        if generator_of(node.this) is not None:
            return self._generator_source(node)
        if isinstance(node.this, exp.Anonymous):
            self.only(node, "this", "alias", *handled)
            call = node.this
            if isinstance(call.this, str) and call.this.upper() == "RANGE":
                self.only(call, "this", "expressions")
                numbers = tuple(map(self.expression, call.expressions))
                return sql.ConstantSource((), numbers, alias, at, self.columns(node))
            if not (isinstance(call.this, str) and call.this.upper() == "STREAM" and len(call.expressions) == 1):
                self.refuse(f"{call.name.upper()} as a source", at)
            self.only(call, "this", "expressions")
            return sql.TopicSource(self._stream_name(call.expressions[0]), True, alias, at, self.columns(node))
        name = self.topic_name(node, *handled)
        quoted = isinstance(node.this, exp.Identifier) and node.this.args.get("quoted")
        if name.text.upper() == "STREAM" and not quoted and alias is not None:
            # `STREAM t`, which the parser reads as a table with an alias.
            if self.source.text[name.at[1] : alias.at[0]].strip():
                self.refuse("STREAM AS", at)
            return sql.TopicSource(alias, True, None, at, self.columns(node))
        return sql.TopicSource(name, False, alias, at, self.columns(node))

    def values_of(self, node: exp.Expr) -> sql.ConstantSource:
        """Convert `VALUES (1, 'a'), (2, 'b') AS t(x, y)`."""
        self.only(node, "expressions", "alias")
        rows = [list(self.listed(row.args.get("expressions"))) for row in self._tuples(node)]
        alias = node.args.get("alias")
        name = None
        if alias is not None:
            self.only(alias, "this", "columns")
            label = alias.args.get("this")
            last = rows[-1][-1] if rows and rows[-1] else None
            if label is None and isinstance(last, exp.Alias):
                # In `VALUES 1, 2 AS t(a)` the parser reads the name as that of the last row.
                self.only(last, "this", "alias")
                rows[-1][-1], label = last.this, last.args["alias"]
            name = self.name(label) if label is not None else None
            # The parser's name of VALUES without a name.
            name = None if name is not None and name.text == "_values" else name
        converted_rows = tuple(tuple(map(self.expression, row)) for row in rows)
        return sql.ConstantSource(converted_rows, (), name, self.places.of(node), self.columns(node))

    def _tuples(self, node: exp.Expr) -> list[exp.Expr]:
        rows = self.listed(node.args.get("expressions"))
        for row in rows:
            if not isinstance(row, exp.Tuple):
                self.unknown(row)
            self.only(row, "expressions")
        return rows

    def _generator_source(self, node: exp.Expr) -> sql.QuerySource:
        """Convert `FROM explode(array(1, 2)) AS t(a)`: the rows of a generator over constants."""
        self.only(node, "this", "alias")
        at = self.places.of(node)
        lateral = self.generated(node.this, self.columns(node), None, at)
        star = sql.Item(tree.Wildcard((), at), None, at)
        one = sql.ConstantSource(((),), (), None, at)
        body = sql.Select((star,), False, one, (), None, (), None, at, at, laterals=(lateral,))
        return sql.QuerySource(sql.Query((), body, at), self._alias(node), at)

    def _stream_name(self, node: exp.Expr) -> tree.Name:
        if not isinstance(node, exp.Column):
            self.unknown(node)
        self.only(node, "this", "table", "db", "catalog")
        names = [self.name(n) for a in ("catalog", "db", "table", "this") if (n := node.args.get(a)) is not None]
        return _dotted(names)

    def topic_name(self, node: exp.Expr, *handled: str) -> tree.Name:
        self.only(node, "this", "db", "catalog", "alias", *handled)
        return _dotted([self.name(n) for a in ("catalog", "db", "this") if (n := node.args.get(a)) is not None])

    def _alias(self, node: exp.Expr) -> tree.Name | None:
        alias = node.args.get("alias")
        if alias is None:
            return None
        self.only(alias, "this", "columns")
        return self.name(alias.this)

    def columns(self, node: exp.Expr, query: sql.Query | None = None) -> tuple[tree.Name, ...]:
        """Return the list of column names after the alias of a source, which may be a query."""
        alias = node.args.get("alias")
        names = tuple(map(self.name, self.listed(alias.args.get("columns") if alias is not None else None)))
        if names and query is not None and unbounded(query) is not None:
            self.refuse("a list of column names of a query with ROW_NUMBER", names[0].at, "name them inside of it")
        return names


def generator_of(node: Any) -> sql.Generator | None:
    """Return the generator of a call; None for any other call."""
    match node:
        case exp.Posexplode():
            return "posexplode"
        case exp.Explode():
            return "explode"
        case exp.Inline():
            return "inline"
        case exp.Stack():
            return "stack"
        case exp.Anonymous(this=str() as name) if name.upper() == "INLINE_OUTER":
            return "inline"
    return None


def _is_query(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Subquery, exp.Exists)) or (isinstance(node, exp.In) and bool(node.args.get("query")))


def is_lateral(join: exp.Expr) -> bool:
    return isinstance(join.this, exp.Lateral)


def _dotted(names: list[tree.Name]) -> tree.Name:
    """Return the name of a topic, which may have dots in it."""
    at: Extent = (names[0].at[0], names[-1].at[1])
    return tree.Name(".".join(n.text for n in names), at)
