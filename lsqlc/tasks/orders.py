"""The golden cases of the selected models in other orders that Kafka allows, on DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsqlc.lower.duckdb import evaluate
from lsqlc.search.orders import ModelOrders, order_dependence
from lsqlc.tasks.golden import read_goldens

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation


def orders_of(compilation: Compilation, count: int) -> tuple[ModelOrders, ...]:
    """Return whether the results of each selected model depend on the order of the records of its cases.

    `count`: the number of other orders of each case.
    """
    loaded = read_goldens(compilation).cases.cases
    results = []
    for model in compilation.project.models:
        plan = compilation.plans.get(model.name)
        if plan is not None:
            own = [each.case for each in loaded if each.model == model.name and not each.of_function]
            # A time that is reached without a record has its place among all records.
            cases = [case for case in own if not case.advances]
            tried, dependence = order_dependence(plan, cases, count, evaluate)
            skipped = len(own) - len(cases)
            results.append(ModelOrders(model.name, model.path, len(cases), tried, skipped, dependence))
    return tuple(results)
