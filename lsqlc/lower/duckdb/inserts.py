"""Evaluation of expressions in INSERT INTO ... VALUES."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from lsqlc.lower.duckdb.session import default_session
from lsqlc.plan.expression import Expression, Literal, StructOf
from lsqlc.plan.nodes import Project, Scan, Sink
from lsqlc.plan.plan import Plan
from lsqlc.types import data
from lsqlc.types.record import ABSENT, Case, Facet, Record, Topic

_ONE = Topic("one", ABSENT, Facet(data.Struct((data.Field("nothing", data.INT),)), "json"))


def inserted_records(plan: Plan) -> tuple[Record, ...]:
    """Return the records that the program inserts into its input topics, with all expressions evaluated.

    Raises LsqlcError for a value that cannot be computed.
    """
    computed = [e for record in plan.inserts for part in _parts(record) for e in _expressions(part)]
    if not computed:
        return plan.inserts
    values = iter(_values(computed))
    return tuple(_filled(record, values) for record in plan.inserts)


def _parts(record: Record) -> tuple[Any, Any, Any]:
    return record.key, record.value, record.timestamp


def _expressions(part: Any) -> Iterator[Expression]:
    """Yield the expressions of a facet: the facet itself, or its columns."""
    yield from (e for e in (part.values() if isinstance(part, dict) else (part,)) if isinstance(e, Expression))


def _filled(record: Record, values: Iterator[Any]) -> Record:
    key, value, timestamp = (_with(part, values) for part in _parts(record))
    return replace(record, key=key, value=value, timestamp=timestamp or 0)


def _with(part: Any, values: Iterator[Any]) -> Any:
    if isinstance(part, dict):
        return {name: _with(each, values) for name, each in part.items()}
    return next(values) if isinstance(part, Expression) else part


def _values(expressions: Sequence[Expression]) -> list[Any]:
    """Evaluate expressions that read no columns."""
    names = tuple(f"c{n}" for n in range(len(expressions)))
    scan = Scan(_ONE, _ONE.name, "STREAM", _ONE.key, _ONE.value)
    row = StructOf(names, tuple(expressions))
    project = Project(scan, Literal(None, data.NULL), row, ABSENT.format, "json", True, "values")
    sink = Sink((project,), Topic("values", ABSENT, Facet(row.type, "json")))
    case = Case("values", ((Record(_ONE.name, None, {"nothing": None}),),))
    (record,) = default_session().evaluate(Plan("values", (sink,)), [case])[0].topics["values"]
    return [record.value[name] for name in names]
