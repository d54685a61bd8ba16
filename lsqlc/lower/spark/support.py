"""What has no form on Spark yet, each with its reason. A model that needs it still builds and is proved on DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.diagnostics import Diagnostic
from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, RecordTime, walk
from lsqlc.plan.plan import Plan
from lsqlc.types.data import has_map

# What tells values apart, or has them in one list with what orders them.
_COMPARES = ("COLLECT_UNIQUE", "COLLECT_SET", "COUNT_DISTINCT")


def unsupported(plan: Plan) -> tuple[Diagnostic, ...]:
    """One finding for each thing that keeps a plan from running on Spark (LSQ600)."""
    reasons = [reason for sink in plan.sinks for node in sink.inputs for reason in _reasons(node)]
    return tuple(
        Diagnostic(
            "LSQ600",
            f"the model '{plan.name}' cannot run on Spark yet: {what}",
            notes=(why,),
            help="its golden cases still run on DuckDB; write the query in another form to run it",
        )
        for what, why in dict.fromkeys(reasons)
    )


def _reasons(node: nodes.Node) -> Iterator[tuple[str, str]]:
    for below in nodes.inputs(node):
        yield from _reasons(below)
    match node:
        case nodes.Join(eager=True):
            yield (
                "an outer join of two streams whose unmatched records come out at once",
                "Spark's own join tells that a record is unmatched when its time has passed; add a GRACE PERIOD",
            )
        case nodes.Rekey() if not isinstance(node.input, nodes.Project):
            yield ("writing a TABLE whose rows share keys", "only a projection can be rekeyed")
        case nodes.Aggregate():
            yield from _aggregates(node)
    if node.semantics == "TABLE" and any(isinstance(p, RecordTime) for e in _expressions(node) for p in walk(e)):
        yield ("the time of a TABLE's rows", "a row keeps its time only until it changes")


def _expressions(node: nodes.Node) -> Iterator[Expression]:
    """The expressions that stand right in a node."""
    for name in node.__match_args__:
        value = getattr(node, name)
        yield from (v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, Expression))


def _aggregates(node: nodes.Aggregate) -> Iterator[tuple[str, str]]:
    if node.window is not None and node.window.final:
        yield ("EMIT FINAL", "Spark writes a window again whenever it changes")
    for call in node.aggregates:
        if call.function == "HISTOGRAM":
            yield ("the aggregate HISTOGRAM", "Spark has none that gives a map")
        # A row of a TABLE is compared with what it was before.
        compares = call.function in _COMPARES or node.input.semantics == "TABLE"
        if compares and any(has_map(argument.type) for argument in call.arguments):
            yield (f"the aggregate {call.function} over a MAP", "Spark cannot compare two of them")
