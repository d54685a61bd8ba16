"""What sqlglot's parser takes and a model cannot have is refused by name: nothing of a node is passed over.

Every node is taken apart by `Parts`, which gives the arguments that are asked for and refuses a statement in which any
other says something.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from sqlglot import exp

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax.cursor import SyntaxFault
from lsqlc.syntax.sql.places import Places, parts

# Arguments that the parser always gives to a node, and that say nothing which the text did not.
MEANINGLESS: Mapping[type[exp.Expr], frozenset[str]] = {
    # OR REFRESH: a model is always what its text says.
    exp.Create: frozenset(("refresh",)),
    # How Spark joins changes no row.
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


# What a model can have in other places.
_CONDITIONS = ("EXISTS", "IN (SELECT ...)", "a query as a value")
# Characters of a text that a message quotes.
_LONG = 50


class Parts:
    """Takes the nodes of one statement apart."""

    def __init__(self, source: SourceText, places: Places) -> None:
        self.source = source
        self.places = places

    def fault(self, code: str, message: str, at: Extent, help: str | None = None) -> NoReturn:
        raise SyntaxFault(Diagnostic(code, message, self.source.span(at), help=help))

    def only(self, node: Any, *names: str) -> None:
        """Refuse the statement if the node has another argument than these that says anything, or is no node."""
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
        """Give up at a construct that a model cannot have."""
        where = (
            "only supported in the SELECT list, WHERE, GROUP BY and HAVING" if what in _CONDITIONS else "not supported"
        )
        self.fault("LSQ450", f"{what} is {where} in models of the dialect sql", at, help or _HELP.get(what))

    def listed(self, value: Any) -> list[Any]:
        """The nodes of an argument that has several; empty for one that is absent."""
        if value is None or value is False:
            return []
        if not isinstance(value, list):
            self.unknown(value)
        return value

    def unknown(self, node: Any) -> NoReturn:
        """Give up at a node that nothing here reads."""
        at = self.places.of(node)
        self.refuse(name_of(node) or self._quoted(at), at)

    def _quoted(self, at: Extent) -> str:
        """The text of an extent in one line and in quotes, its end left out if it is long."""
        text = " ".join(self.source.text[slice(*at)].split())
        return f"'{text}'" if len(text) <= _LONG else f"'{text[:_LONG]}...'"


def name_of(node: object) -> str | None:
    """The word of SQL for what a node is; None for one that is called by its text."""
    return _NAMES.get(type(node)) if isinstance(node, exp.Expr) else None


def walk(root: exp.Expr) -> list[exp.Expr]:
    """All nodes of a statement, from the outside in."""
    order = [root]
    for node in order:
        order += parts(node)
    return order
