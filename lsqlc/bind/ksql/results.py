"""Parts of all queries of ksqlDB: the result, the expressions of a key, the final projection."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.corrections import with_item
from lsqlc.bind.ksql.create_source import Named, Source
from lsqlc.bind.ksql.expressions import DIALECT, KsqlBinder, binder
from lsqlc.bind.ksql.joins import Input
from lsqlc.bind.ksql.projections import PARTITIONING, KeyPart, Keys, Listed, is_untyped
from lsqlc.bind.record_ids import numbered
from lsqlc.functions import catalogue
from lsqlc.plan.expression import Expression, StructOf
from lsqlc.plan.nodes import Node, Project, Semantics
from lsqlc.plan.windows import WindowType
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import name_text, text_of
from lsqlc.syntax.walk import walk as walk_syntax
from lsqlc.types.record import natural_format


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a query: a node with one relation, and its columns.

    `rekeyed`: its key is not that of its source. `keyless`: PARTITION BY NULL removed the key.
    """

    node: Node
    kind: Semantics
    keys: tuple[Named, ...]
    values: tuple[Named, ...]
    window: WindowType | None
    sources: tuple[Source, ...]
    rekeyed: bool
    keyless: bool


def reader_of(query_input: Input, findings: Findings) -> KsqlBinder:
    """Return the binder of the expressions of a query over its input."""
    return binder(query_input.columns, findings, table=query_input.kind == "TABLE")


def has_aggregate(query: ksql.Query) -> bool:
    """Return whether the SELECT list has an aggregate."""
    return any(not isinstance(i.source, tree.Wildcard) and calls_aggregate(i.source) for i in query.items)


def calls_aggregate(expression: tree.Expression) -> bool:
    """Return whether an aggregate function is called anywhere in it."""
    return any(
        isinstance(part, tree.Call) and catalogue.aggregate(part.name.text, DIALECT) is not None
        for part in walk_syntax(expression)
    )


def check_typed(query: ksql.Query, column: Listed, bound: Expression | None, findings: Findings) -> None:
    """Report a column that is a NULL without a type."""
    if bound is not None and is_untyped(bound):
        typed = f"CAST(NULL AS STRING) AS {name_text(column.name)}"
        findings.error("LSQ368", f"the column '{column.name}' is NULL and has no type", column.at,
                       help=f"say which: {with_item(query, column.at, typed, findings)}")  # fmt: skip


def projection(
    node: Node,
    key: Expression,
    key_columns: list[Listed],
    values: list[tuple[str, Expression]],
    name: str,
    rekeys: bool,
) -> Node:
    """Return the records of a node with a key and named values. `key_columns`: the columns in `key`."""
    value: Expression = StructOf(tuple(n for n, _ in values), tuple(e for _, e in values))
    key, value = numbered(key, value, node)
    return Project(node, key, value, natural_format(key.type), "json", rekeys, name)


def expression_keys(
    expressions: tuple[tree.Expression, ...], kind: str, reader: KsqlBinder, findings: Findings
) -> Keys | None:
    """Return the key of GROUP BY or PARTITION BY; None after an error."""
    parts: list[KeyPart] = []
    clause = "PARTITION BY" if kind == PARTITIONING else "GROUP BY"
    good = True
    for expression in expressions:
        bound = reader.bind(expression)
        if bound is None:
            good = False
        elif any(bound == part.expressions[0] for part in parts):
            findings.error("LSQ371", f"{clause} has {text_of(expression)} twice", expression.at, help="remove one")
            good = False
        else:
            name = expression.parts[-1] if isinstance(expression, tree.Reference) else None
            name = expression.field.text if isinstance(expression, tree.Member) else name
            parts.append(KeyPart((bound,), (text_of(expression),), name))
    return Keys(kind, tuple(parts)) if good else None
