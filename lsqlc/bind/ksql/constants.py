"""Constant values that an engine computes: expressions without columns, for INSERT INTO ... VALUES."""

from __future__ import annotations

from lsqlc.bind.coerce import coerce
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.expressions import KsqlBinder
from lsqlc.bind.ksql.scope import Columns
from lsqlc.plan.expression import Expression
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal, equal_but_for_nulls

# Each converts to the types after it, as in ksqlDB.
_WIDER = (data.INT, data.BIGINT, Decimal, data.DOUBLE)


def constant(expression: tree.Expression, findings: Findings) -> Expression | None:
    """Return an expression that reads no column and is constant; None for any other. Nothing is reported."""
    binder = KsqlBinder(findings.aside(), table=False, no_clock="in a constant", columns=Columns((), ()))
    return binder.bind(expression)


def as_column(bound: Expression, type: DataType) -> Expression | None:
    """Return the constant as a value of a column; None if ksqlDB does not convert it to the type."""
    if equal_but_for_nulls(bound.type, type):
        return bound
    if bound.type == data.NULL:
        return coerce(bound, type)
    before, after = _rank(bound.type), _rank(type)
    if before is None or after is None or before > after:
        return None
    if isinstance(bound.type, Decimal) and isinstance(type, Decimal) and type.scale < bound.type.scale:
        return None
    return coerce(bound, type)


def _rank(type: DataType) -> int | None:
    return next(
        (n for n, wide in enumerate(_WIDER) if type == wide or (wide is Decimal and isinstance(type, Decimal))), None
    )
