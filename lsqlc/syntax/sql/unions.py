"""UNION, INTERSECT and EXCEPT: several SELECTs as one query."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from sqlglot import exp

from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.sources import Sources

_WORDS: dict[type[exp.Expr], sql.SetWord] = {exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}
_ALL: dict[sql.SetWord, sql.SetWord] = {"INTERSECT": "INTERSECT ALL", "EXCEPT": "EXCEPT ALL"}
# The parser's nodes of a query of several SELECTs.
SETS = (exp.Union, exp.Intersect, exp.Except)


class Unions(Sources):
    """Converts queries of several SELECTs. Every method raises SyntaxFault for an unsupported node."""

    @abstractmethod
    def select(self, node: Any, *, nested: bool = False) -> sql.Select:
        """Return one SELECT. `nested`: it is a part of a query that has its WITH before it."""

    @abstractmethod
    def first_rows(self, node: exp.Expr, result: sql.Select | sql.Union) -> sql.Select | sql.Union:
        """Return a query with the ORDER BY and LIMIT at its end."""

    def united(self, node: exp.Expr, *, nested: bool = False) -> sql.Select | sql.Union:
        """Return a query of several SELECTs, with its ORDER BY and LIMIT."""
        return self.first_rows(node, self._united(node, nested=nested))

    def _united(self, node: exp.Expr, *, nested: bool) -> sql.Select | sql.Union:
        """Return UNION ALL of all its branches; UNION as their distinct rows; INTERSECT and EXCEPT of two."""
        if type(node) in _WORDS:
            return self._compared(node, nested=nested)
        top, distinct = node, bool(node.args.get("distinct"))
        branches: list[exp.Expr] = []
        while isinstance(node, exp.Union) and bool(node.args.get("distinct")) is distinct:
            ends = ("order", "limit", "offset", *(() if nested else ("with_",))) if node is top else ()
            self.only(node, "this", "expression", "distinct", *ends)
            branches.append(node.expression)
            node = node.this
        union = self._of((node, *reversed(branches)), top, "UNION ALL")
        return every(sql.Query((), union, union.at), distinct=True) if distinct else union

    def _compared(self, node: exp.Expr, *, nested: bool) -> sql.Union:
        word = _WORDS[type(node)]
        self.only(node, "this", "expression", "distinct", "order", "limit", "offset", *(() if nested else ("with_",)))
        return self._of((node.this, node.expression), node, word if node.args.get("distinct") else _ALL[word])

    def _of(self, nodes: tuple[exp.Expr, ...], whole: exp.Expr, word: sql.SetWord) -> sql.Union:
        first, *others = map(self._branch, nodes)
        return sql.Union((first, *map(_named, others)), self.places.of(whole), word)

    def _branch(self, node: exp.Expr) -> sql.Select:
        """Return a branch of a union."""
        while isinstance(node, (exp.Paren, exp.Subquery)) and not node.args.get("alias"):
            self.only(node, "this")
            node = node.this
        if isinstance(node, exp.Select):
            return self.select(node, nested=True)
        if not isinstance(node, SETS):
            self.unknown(node)
        body = self.united(node, nested=True)
        return body if isinstance(body, sql.Select) else every(sql.Query((), body, body.at))


def _named(select: sql.Select) -> sql.Select:
    """Return a SELECT of a union whose expressions have names. The columns of the union have the names of the first
    SELECT.
    """
    items = (
        item
        if item.alias is not None or isinstance(item.source, tree.Wildcard) or sql.is_name(item.source)
        else replace(item, alias=tree.Name(f"column_{number}", item.at))
        for number, item in enumerate(select.items, 1)
    )
    return replace(select, items=tuple(items))


def every(query: sql.Query, *, distinct: bool = False) -> sql.Select:
    """Return SELECT * of a query."""
    return all_of(sql.QuerySource(query, None, query.at), distinct=distinct)


def all_of(source: sql.Source, *, distinct: bool = False) -> sql.Select:
    """Return SELECT * of a source."""
    at = source.at
    star = sql.Item(tree.Wildcard((), at), None, at)
    return sql.Select((star,), distinct, source, (), None, (), None, at, at)
