"""PIVOT and UNPIVOT after a source, as a query of the whole source."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from sqlglot import exp

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.column_names import spark_name
from lsqlc.syntax.sql.window_calls import WindowCalls


def unwrapped(select: sql.Select) -> sql.Select:
    """Return the query of a pivot in place of a SELECT that returns just its columns: `SELECT * FROM t PIVOT (...)`."""
    source, at = select.source, select.items_at
    whole = sql.Select((sql.Item(tree.Wildcard((), at), None, at),), False, source, (), None, (), None, select.at, at)
    if select != whole or not isinstance(source, sql.QuerySource) or source.columns:
        return select
    body = source.query.body
    return body if isinstance(body, sql.Select) and body.pivot is not None else select


class Pivots(WindowCalls):
    """Reads pivots. Every method raises SyntaxFault for an unsupported node."""

    @abstractmethod
    def plain_source(self, node: exp.Expr, at: Extent, *handled: str) -> sql.Source:
        """Return a source of FROM. The arguments `handled` of its node are read elsewhere."""

    def pivoted(self, node: exp.Expr, pivots: list[Any]) -> sql.Source:
        """Return a source with the pivots after it."""
        source = self.plain_source(node, self.places.of(node), "pivots")
        for pivot in pivots:
            at = self.places.of(pivot)
            whole = (min(source.at[0], at[0]), max(source.at[1], at[1]))
            result = self._unpivot(pivot, at) if pivot.args.get("unpivot") else self._pivot(pivot, at)
            alias = pivot.args.get("alias")
            names: tuple[tree.Name, ...] = ()
            label = None
            if alias is not None:
                self.only(alias, "this", "columns")
                label = self.name(alias.this)
                names = tuple(map(self.name, self.listed(alias.args.get("columns"))))
            star = sql.Item(tree.Wildcard((), at), None, at)
            body = sql.Select((star,), False, source, (), None, (), None, whole, at, pivot=result)
            source = sql.QuerySource(sql.Query((), body, whole), label, whole, names)
        return source

    def _pivot(self, node: exp.Expr, at: Extent) -> sql.Pivot:
        # The parser's names of the columns, and its naming rules, are ignored, because Spark's differ.
        ignored = ("columns", "pivot_column_naming")
        self.only(node, "expressions", "fields", "alias", "unpivot", *ignored)
        for each in self.listed(node.args.get("columns")):
            # The parser leaves an unknown name empty.
            if not isinstance(each, exp.Identifier):
                self.unknown(each)
            self.only(each, "this")
        among, values = self._among(node, at)
        return sql.Pivot(
            tuple(map(self._aggregate, node.expressions)),
            tuple(map(self.expression, self._several_of(among))),
            tuple(map(self._value, values)),
            at,
        )

    def _unpivot(self, node: exp.Expr, at: Extent) -> sql.Unpivot:
        self.only(node, "expressions", "fields", "alias", "unpivot", "include_nulls",
                  "value_columns_first")  # fmt: skip
        if node.args.get("value_columns_first"):
            self.refuse("UNPIVOT with the values before the names", at)
        name, columns = self._among(node, at)
        targets = self._several_of(node.expressions[0]) if len(node.expressions) == 1 else node.expressions
        pivoted_columns = []
        for column in columns:
            alias, inner = self._aliased(column)
            references = tuple(map(self.expression, self._several_of(inner)))
            if not all(isinstance(each, tree.Reference) for each in references):
                self.refuse("UNPIVOT of anything but columns", self.places.of(column))
            parts = [each.parts[-1] for each in references if isinstance(each, tree.Reference)]
            pivoted_columns.append(sql.Pivoted(references, alias or "_".join(parts), self.places.of(column)))
        return sql.Unpivot(
            tuple(map(self.name, targets)),
            self.name(name),
            tuple(pivoted_columns),
            bool(node.args.get("include_nulls")),
            at,
        )

    def _among(self, node: exp.Expr, at: Extent) -> tuple[exp.Expr, list[exp.Expr]]:
        """Return the two sides of `FOR x IN (...)`."""
        fields = self.listed(node.args.get("fields"))
        if len(fields) != 1 or not isinstance(fields[0], exp.In):
            self.refuse("PIVOT with several FOR", at)
        self.only(fields[0], "this", "expressions")
        return fields[0].this, self.listed(fields[0].args.get("expressions"))

    def _several_of(self, node: exp.Expr) -> list[exp.Expr]:
        """Return the parts of `(a, b)`, or the single node."""
        if isinstance(node, exp.Paren):
            self.only(node, "this")
            return [node.this]
        if not isinstance(node, exp.Tuple):
            return [node]
        self.only(node, "expressions")
        return self.listed(node.args.get("expressions"))

    def _aliased(self, node: exp.Expr) -> tuple[str | None, exp.Expr]:
        if not isinstance(node, (exp.PivotAlias, exp.Alias)):
            return None, node
        self.only(node, "this", "alias")
        return self.name(node.args["alias"]).text, node.this

    def _value(self, node: exp.Expr) -> sql.Pivoted:
        alias, inner = self._aliased(node)
        values = tuple(map(self.expression, self._several_of(inner)))
        texts = [self._text(value) for value in values]
        name = alias or (texts[0] if len(texts) == 1 else f"{{{', '.join(texts)}}}")
        return sql.Pivoted(values, name, self.places.of(node))

    def _text(self, value: tree.Expression) -> str:
        """Return the name of the column of a value without an alias."""
        if not isinstance(value, tree.Literal):
            self.refuse("a value of PIVOT without a name", value.at, "give it one: IN (1 + 1 AS two)")
        if value.value is None:
            return "null"
        if isinstance(value.value, str):
            return value.value
        return str(value.value).lower() if isinstance(value.value, bool) else self.source.text[slice(*value.at)]

    def _aggregate(self, node: exp.Expr) -> sql.Item:
        at = self.places.of(node)
        if isinstance(node, exp.Alias):
            self.only(node, "this", "alias")
            return sql.Item(self.expression(node.this), self.name(node.args["alias"]), at)
        name = spark_name(node, self, self._word, self.definition)
        return sql.Item(self.expression(node), None, at, name=name)
