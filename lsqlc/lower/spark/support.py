"""Plans that Spark does not support yet, each with its reason.

A model that needs one still builds and is proved on DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.diagnostics import Diagnostic
from lsqlc.plan import nodes
from lsqlc.plan.clocks import knows_departures, timed_groups
from lsqlc.plan.plan import Plan
from lsqlc.plan.python_calls import calls_python
from lsqlc.types.data import has_map

# Aggregates that compare values, or have them in one list with their order.
_COMPARES = ("COLLECT_UNIQUE", "COLLECT_SET", "COUNT_DISTINCT", "SUM_DISTINCT", "AVG_DISTINCT")


def unsupported(plan: Plan) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for each reason that prevents a plan from running on Spark (LSQ600)."""
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
    if isinstance(node, nodes.Join) and calls_python(node):
        yield ("a function in Python in ON", "Spark joins by expressions of its own")
    match node:
        case nodes.Rekey() if not isinstance(node.input, nodes.Project):
            yield ("writing a TABLE whose rows share keys", "only a projection can be rekeyed")
        case nodes.Aggregate():
            yield from _aggregates(node)
    if not all(map(knows_departures, timed_groups(node))):
        yield ("the time of a group of a derived TABLE", "when a row left it is only known of a topic's own records")


def _aggregates(node: nodes.Aggregate) -> Iterator[tuple[str, str]]:
    for call in node.aggregates:
        # A row of a TABLE is compared with its previous version.
        compares = call.function in _COMPARES or node.input.semantics == "TABLE"
        if compares and any(has_map(argument.type) for argument in call.arguments):
            yield (f"the aggregate {call.function} over a MAP", "Spark cannot compare two of them")
