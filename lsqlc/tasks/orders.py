"""The golden cases of the selected models in other orders that Kafka allows, on DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsqlc.lower.duckdb import evaluate
from lsqlc.search.orders import ModelOrders, order_dependence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lsqlc.tasks.model_cases import ModelCases


def orders_of(models: Iterable[ModelCases], count: int) -> tuple[ModelOrders, ...]:
    """Return whether the results of each model depend on the order of the records of its cases.

    `count`: the number of other orders of each case.
    """
    return tuple(_of_model(each, count) for each in models)


def _of_model(tested: ModelCases, count: int) -> ModelOrders:
    # A time that is reached without a record has its place among all records.
    cases = [case for case in tested.cases if not case.advances]
    tried, dependence = order_dependence(tested.plan, cases, count, evaluate)
    skipped = len(tested.cases) - len(cases)
    return ModelOrders(tested.model.name, tested.model.path, len(cases), tried, skipped, dependence)
