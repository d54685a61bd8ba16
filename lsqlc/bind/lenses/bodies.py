"""Bodies of functions in the Lenses language: expressions over a source that has a column for each parameter."""

from __future__ import annotations

from lsqlc.bind.findings import Findings
from lsqlc.bind.lenses.expressions import LensesBinder
from lsqlc.bind.lenses.scope import Scope
from lsqlc.plan.expression import Expression
from lsqlc.plan.nodes import Relation
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.record import ABSENT, Facet


def bind_body(
    body: tree.Expression, name: str, parameters: tuple[data.Field, ...], strict: bool, findings: Findings
) -> Expression | None:
    """Return the body over its parameters; None after an error."""
    relation = Relation(name, ABSENT, Facet(data.Struct(parameters), "json"))
    binder = LensesBinder(findings, scope=Scope((relation,)), strict=strict, no_clock="in a function")
    return binder.bind(body)
