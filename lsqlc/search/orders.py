"""Other orders in which the records of a case could arrive, and results that depend on them.

Kafka keeps the order of records with one key, because they are in one partition. Records of other keys, and of other
topics, can arrive before or after them. A record without a key can be in any partition, so it can arrive at any time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from lsqlc.diagnostics import LsqlcError
from lsqlc.golden.evaluation import Evaluate, outcomes
from lsqlc.plan import Plan
from lsqlc.plan.dependence import order_reasons
from lsqlc.search.comparison import Output, differences, own_outputs
from lsqlc.search.results import OutputRows
from lsqlc.search.subsets import Subset, smallest_subset
from lsqlc.types.record import Case, Outcome, Record, Topic

# Draws for each order that is new.
_TRIES = 4


@dataclass(frozen=True, slots=True)
class OrderDependence:
    """Two orders of the same records with which a model gives different rows.

    `case`: the name of the case. `first` and `second`: the smallest such records, in both orders. `topics`: the topics
    of these records. `rows`: those that only one order gives. `reasons`: clauses.
    """

    case: str
    first: tuple[Record, ...]
    second: tuple[Record, ...]
    topics: tuple[Topic, ...]
    rows: tuple[OutputRows, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelOrders:
    """The orders of a model's cases. `tried`: the number of other orders. `skipped`: the cases whose times advance
    without a record, which have no other order.
    """

    model: str
    path: str
    cases: int
    tried: int
    skipped: int = 0
    dependence: OrderDependence | None = None


def other_orders(records: Sequence[Record], count: int, random: Random) -> Iterator[tuple[int, ...]]:
    """Yield up to `count` other orders of records, as their numbers, each once."""
    lanes: dict[Any, list[int]] = {}
    for number, record in enumerate(records):
        lanes.setdefault((record.topic, number if record.key is None else repr(record.key)), []).append(number)
    drawn_orders = {tuple(range(len(records)))}
    for order in (_by_topic(records, lanes, reverse=False), _by_topic(records, lanes, reverse=True)):
        if order not in drawn_orders and len(drawn_orders) <= count:
            drawn_orders.add(order)
            yield order
    for _ in range(_TRIES * count):
        if len(drawn_orders) > count:
            return
        order = _merged(lanes, random)
        if order not in drawn_orders:
            drawn_orders.add(order)
            yield order


def _by_topic(records: Sequence[Record], lanes: dict[Any, list[int]], *, reverse: bool) -> tuple[int, ...]:
    """Return the records topic by topic, each in its order."""
    topics = list(dict.fromkeys(record.topic for record in records))
    ranks = {topic: rank for rank, topic in enumerate(reversed(topics) if reverse else topics)}
    return tuple(sorted(range(len(records)), key=lambda number: ranks[records[number].topic]))


def _merged(lanes: dict[Any, list[int]], random: Random) -> tuple[int, ...]:
    """Return all numbers, those of each list in its order."""
    turns = [lane for lane, numbers in lanes.items() for _ in numbers]
    random.shuffle(turns)
    left = {lane: iter(numbers) for lane, numbers in lanes.items()}
    return tuple(next(left[lane]) for lane in turns)


def order_dependence(
    plan: Plan, cases: Sequence[Case], count: int, evaluate: Evaluate
) -> tuple[int, OrderDependence | None]:
    """Return the number of orders that were tried, and the first dependence of a result on the order, or None.

    `count`: the number of orders for each case. Cases that end with an error are left out, and orders too.
    """
    orders = [list(other_orders(case.records, count, Random(case.name))) for case in cases]
    variants = [_in_order(case, order) for case, some in zip(cases, orders, strict=True) for order in some]
    all_outcomes = outcomes(plan, [*cases, *variants], evaluate)
    comparison, results = _Comparison(plan, own_outputs(plan), evaluate), iter(all_outcomes[len(cases) :])
    for case, some, result in zip(cases, orders, all_outcomes, strict=False):
        for order in some:
            if comparison.rows(result, next(results)):
                return len(variants), comparison.smallest(case, order)
    return len(variants), None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The comparison of the results of a plan over two orders of the same records."""

    plan: Plan
    compared: Sequence[Output]
    evaluate: Evaluate

    def rows(self, one: Outcome | LsqlcError, two: Outcome | LsqlcError) -> tuple[OutputRows, ...]:
        """Return the rows that only one outcome has; nothing if one is an error."""
        if isinstance(one, LsqlcError) or isinstance(two, LsqlcError):
            return ()
        return differences(self.compared, one, two, ordered=False)

    def smallest(self, case: Case, order: tuple[int, ...]) -> OrderDependence:
        """Return the smallest part of a case that shows the dependence on an order."""

        def both(subset: Subset) -> tuple[Case, Case]:
            return _in_order(case, subset), _in_order(case, [number for number in order if number in set(subset)])

        def fails(subsets: Sequence[Subset]) -> list[bool]:
            results = outcomes(self.plan, [each for subset in subsets for each in both(subset)], self.evaluate)
            return [bool(self.rows(one, two)) for one, two in zip(results[::2], results[1::2], strict=True)]

        first, second = both(smallest_subset(len(order), fails))
        one, two = self.evaluate(self.plan, [first, second])
        is_late = one.counts.get("late", 0) != two.counts.get("late", 0)
        late = ("records are late in one of the orders",) if is_late else ()
        reasons = (*late, *order_reasons(self.plan)) or ("the model uses the order of its records",)
        topics = tuple(topic for topic in self.plan.inputs if any(r.topic == topic.name for r in first.records))
        return OrderDependence(case.name, first.records, second.records, topics, self.rows(one, two), reasons)


def _in_order(case: Case, order: Sequence[int]) -> Case:
    return replace(case, batches=(tuple(case.records[number] for number in order),), advances=())
