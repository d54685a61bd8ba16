"""Bodies of functions in ksqlDB's language: expressions over a source that has a column for each parameter."""

from __future__ import annotations

from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.expressions import KsqlBinder
from lsqlc.bind.ksql.scope import Columns
from lsqlc.plan.expression import Expression, Field
from lsqlc.syntax import tree
from lsqlc.types import data


def bind_body(
    body: tree.Expression, name: str, parameters: tuple[data.Field, ...], strict: bool, findings: Findings
) -> Expression | None:
    """Return the body over its parameters; None after an error. `strict` has no effect: columns of ksqlDB are
    nullable.
    """
    label = name.upper()
    columns = tuple(
        Column(label, p.name, Field(0, "value", (p.name,), p.type, p.nullable), is_key=False) for p in parameters
    )
    return KsqlBinder(findings, columns=Columns((label,), columns), no_clock="in a function").bind(body)
