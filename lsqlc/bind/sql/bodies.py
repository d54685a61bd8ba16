"""Bodies of functions in standard SQL: expressions over a source that has a column for each parameter."""

from __future__ import annotations

from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.scope import Scope
from lsqlc.plan.expression import Expression, Field
from lsqlc.syntax import tree
from lsqlc.types import data


def bind_body(
    body: tree.Expression, name: str, parameters: tuple[data.Field, ...], strict: bool, findings: Findings
) -> Expression | None:
    """Return the body over its parameters; None after an error."""
    columns = tuple(
        Column(name, p.name, Field(0, "value", (p.name,), p.type, p.nullable), is_key=False) for p in parameters
    )
    return SqlBinder(findings, scope=Scope((name,), columns), strict=strict).bind(body)
