"""What both engines promise to give alike, made comparable; and a program run on two of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from lsqlc.plan import Plan
from lsqlc.plan.identity import compacted
from lsqlc.plan.nodes import Node, Project, Sink
from lsqlc.types.record import Case, Outcome, Record
from tests import reference
from tests.fuzz.limits import every, has_own_times, may_tie

Engine = Callable[[Plan, Sequence[Case]], Sequence[Outcome]]


def comparable(plan: Plan, outcome: Outcome, *, in_order: bool = True) -> Any:
    """A TABLE's rows, the last record of each key of a compacted STREAM, and a STREAM's records: in their order, or by
    key as a multiset where several may have one ordinal, or where not `in_order`.
    """
    return {sink.topic.name: _of_sink(sink, outcome.topics[sink.topic.name], in_order) for sink in plan.sinks}


def _of_sink(sink: Sink, rows: Sequence[Record], in_order: bool) -> Any:
    if sink.semantics == "TABLE":
        return [(rounded(r.key), rounded(r.value)) for r in rows]
    if any(compacted(node) for node in sink.inputs):
        # The deletion of a row that never was may come out, or not. Under a new key nobody knows what it deletes.
        renamed = any(map(_under_new_keys, sink.inputs))
        last = {repr(rounded(r.key)): rounded(r.value) for r in rows if not (renamed and r.value is None)}
        return {key: value for key, value in last.items() if value is not None}
    timed = all(map(has_own_times, sink.inputs))
    if in_order and len(sink.inputs) == 1 and not may_tie(sink.inputs[0]):
        return [(rounded(r.key), rounded(r.value), r.timestamp if timed else None) for r in rows]
    by_key = defaultdict(list)
    for record in rows:
        by_key[repr(rounded(record.key))].append((rounded(record.value), record.timestamp if timed else None))
    return {key: sorted(found, key=repr) for key, found in by_key.items()}


def _under_new_keys(node: Node) -> bool:
    """Whether the changes of a TABLE have other keys than its rows."""
    return any(isinstance(n, Project) and n.rekeys and compacted(n.input) for n in every(node))


def rounded(value: Any) -> Any:
    """The value with its DOUBLEs to nine digits; zero has no sign, and what is not a number equals itself."""
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case float():
            return float(f"{value:.9g}") + 0.0
        case dict():
            return {k: rounded(v) for k, v in value.items()}
        case list():
            return [rounded(v) for v in value]
    return value


def differing(plan: Plan, cases: Sequence[Case], one: Engine, other: Engine) -> list[tuple[Case, Any, Any]]:
    """The cases over which two engines do not give the same, with what each gives."""
    found = []
    for case, left, right in zip(cases, one(plan, cases), other(plan, cases), strict=True):
        a, b = comparable(plan, left), comparable(plan, right)
        if repr(a) != repr(b) and a != b:
            found.append((case, a, b))
    return found


class NoReferenceError(Exception):
    """The reference lacks a node, a function or an operator."""


def by_reference(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
    """The outcomes record by record in Python. Raises NoReferenceError for what the reference does not know."""
    try:
        return [Outcome({t: tuple(rows) for t, rows in reference.run(plan, case.records).items()}) for case in cases]
    except (AssertionError, KeyError, TypeError) as unknown:
        raise NoReferenceError(str(unknown)[:40]) from None
