"""Refusal of constructs that sqlglot's parser reads and a model cannot have. No part of a node is ignored.

`Parts` returns the arguments that the caller names, and refuses a statement with any other argument that is set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from sqlglot import exp

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax.cursor import SyntaxFault
from lsqlc.syntax.sql.places import Places, parts

# Arguments that the parser always sets, and that do not depend on the text.
MEANINGLESS: Mapping[type[exp.Expr], frozenset[str]] = {
    # OR REFRESH: a model always has the definition in its text.
    exp.Create: frozenset(("refresh",)),
    # Spark's way of joining does not change rows.
    exp.Select: frozenset(("hint",)),
    exp.Div: frozenset(("typed", "safe")),
    exp.Concat: frozenset(("safe", "coalesce")),
    exp.ConcatWs: frozenset(("safe", "coalesce", "flatten")),
    exp.DPipe: frozenset(("safe",)),
    exp.Chr: frozenset(("charset",)),
    exp.Count: frozenset(("big_int",)),
    exp.Greatest: frozenset(("ignore_nulls",)),
    exp.Least: frozenset(("ignore_nulls",)),
    exp.Identifier: frozenset(("quoted",)),
    exp.Lateral: frozenset(("view",)),
    exp.DataType: frozenset(("nested",)),
    exp.TsOrDsToDate: frozenset(("safe",)),
    exp.Cast: frozenset(("safe",)),
    exp.TryCast: frozenset(("safe", "requires_string")),
}
_WORDS = {
    "order": "ORDER BY", "sort": "SORT BY", "cluster": "CLUSTER BY", "distribute": "DISTRIBUTE BY", "laterals":
    "LATERAL VIEW", "windows": "WINDOW", "sample": "TABLESAMPLE", "connect": "CONNECT BY", "with_": "WITH",
    "query": "IN (SELECT ...)", "pivots": "PIVOT", "using": "USING", "exists": "IF NOT EXISTS", "replace":
    "OR REPLACE", "kind": "SELECT AS", "locks": "FOR UPDATE", "joins":
    "a join inside of a source", "columns": "a list of column names", "recursive": "RECURSIVE", "rows": "ROWS",
    "offset": "OFFSET",
}  # fmt: skip
_NAMES: Mapping[type[exp.Expr], str] = {
    exp.Window: "OVER", exp.Subquery: "a query as a value", exp.Select: "a query as a value",
    exp.Exists: "EXISTS", exp.Star: "'*'", exp.Any: "ANY (SELECT ...)",
    exp.Placeholder: "a parameter", exp.Parameter: "a parameter",
    exp.JSONExtract: "':'", exp.AtTimeZone: "AT TIME ZONE",
    exp.Values: "VALUES", exp.Unnest: "UNNEST", exp.Lateral: "LATERAL",
    exp.Insert: "INSERT", exp.Update: "UPDATE", exp.Delete: "DELETE", exp.Merge: "MERGE",
    exp.All: "ALL",
}  # fmt: skip
_HELP: Mapping[str, str] = {
    "ANY (SELECT ...)": "write IN (SELECT ...), or compare with MIN or MAX",
    "ORDER BY": "the rows of a topic have no order; remove it",
    "LIMIT": "remove it",
    "IN (SELECT ...)": "make it a condition of WHERE, or join the query in FROM",
    "EXISTS": "make it a condition of WHERE, or join the query in FROM",
    "OVER": "compute it in the SELECT list of a query in FROM, or write QUALIFY",
    "a query as a value": "compute it in the SELECT list, in WHERE or in HAVING, or join the other table: JOIN ... ON",
    "TABLESAMPLE": "write WHERE pmod(hash(column), 100) < 10, which takes the same rows each time",
    "OR REPLACE": "a model is always what its text says; remove it",
    "IF NOT EXISTS": "a model is always what its text says; remove it",
}


# Constructs that a model can have in other positions.
_CONDITIONS = ("EXISTS", "IN (SELECT ...)", "a query as a value")
# The maximum number of characters in a quotation in a message.
_LONG = 50


class Parts:
    """Access to the nodes of one statement."""

    def __init__(self, source: SourceText, places: Places) -> None:
        self.source = source
        self.places = places

    def fault(self, code: str, message: str, at: Extent, help: str | None = None) -> NoReturn:
        raise SyntaxFault(Diagnostic(code, message, self.source.span(at), help=help))

    def only(self, node: Any, *names: str) -> None:
        """Refuse the statement if the argument is no node, or the node has a set argument other than these."""
        if not isinstance(node, exp.Expr):
            self.unknown(node)
        meaningless = MEANINGLESS.get(type(node), frozenset())
        for name, value in node.args.items():
            if name in names or name in meaningless or value is None or value is False or value == []:
                continue
            at = self.places.of(node)
            values = value if isinstance(value, list) else [value]
            inner = next((v for v in values if isinstance(v, exp.Expr)), None)
            word = _WORDS.get(name) or self._quoted(at)
            self.refuse(word, self.places.of(inner) if inner is not None else at)

    def refuse(self, what: str, at: Extent, help: str | None = None) -> NoReturn:
        """Raise a fault at a construct that a model cannot have."""
        where = (
            "only supported in the SELECT list, WHERE, GROUP BY and HAVING" if what in _CONDITIONS else "not supported"
        )
        self.fault("LSQ450", f"{what} is {where} in models of the dialect sql", at, help or _HELP.get(what))

    def listed(self, value: Any) -> list[Any]:
        """Return the nodes of an argument with several; empty for an absent one."""
        if value is None or value is False:
            return []
        if not isinstance(value, list):
            self.unknown(value)
        return value

    def unknown(self, node: Any) -> NoReturn:
        """Raise a fault at a node that is not supported."""
        at = self.places.of(node)
        self.refuse(name_of(node) or self._quoted(at), at)

    def _quoted(self, at: Extent) -> str:
        """Return the text of an extent on one line and in quotes, shortened if it is long."""
        text = " ".join(self.source.text[slice(*at)].split())
        return f"'{text}'" if len(text) <= _LONG else f"'{text[:_LONG]}...'"


def name_of(node: object) -> str | None:
    """Return SQL's word for a node; None for one that is quoted instead."""
    return _NAMES.get(type(node)) if isinstance(node, exp.Expr) else None


def walk(root: exp.Expr) -> list[exp.Expr]:
    """Return all nodes of a statement, from the outside in."""
    order = [root]
    for node in order:
        order += parts(node)
    return order
