"""Laws that hold for each model, over cases and random records. A model that violates one shows an error of lsqlc.

- Partition: the rows that satisfy a condition, those that do not, and those for which it is null are all rows.
- Deletion: a row that is inserted into a TABLE and deleted again leaves no trace in a TABLE of TABLEs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from random import Random
from typing import Any, Literal

from msgspec import structs

from lsqlc.diagnostics import LsqlcError
from lsqlc.golden.evaluation import Evaluate, outcomes
from lsqlc.plan import Plan, nodes
from lsqlc.plan import expression as ex
from lsqlc.plan.clocks import has_clock, reads_time
from lsqlc.plan.passes import optimise
from lsqlc.plan.printing import expression_text
from lsqlc.search.comparison import Output, differences, own_outputs
from lsqlc.search.constants import constants_of
from lsqlc.search.results import OutputRows
from lsqlc.search.sequences import Sequences
from lsqlc.search.subsets import Subset, smallest_subset
from lsqlc.search.values import Values
from lsqlc.types import data
from lsqlc.types.data import Field, Struct
from lsqlc.types.record import Case, Outcome, Record, Topic

Law = Literal["partition", "deletion"]

# Random sequences for each model, conditions, and draws for a key that a case does not have.
_SEQUENCES, _CONDITIONS, _TRIES = 20, 2, 10
_ORDERED_TYPES = (data.INT, data.BIGINT, data.DOUBLE, data.STRING)
# Aggregates whose results depend on more than the rows of a group.
_LIMITED = ("COLLECT", "COLLECT_UNIQUE", "FIRST", "LAST", "EARLIEST_BY_OFFSET", "LATEST_BY_OFFSET")


@dataclass(frozen=True, slots=True)
class Violation:
    """Records with which a model violates a law.

    `about`: the condition, or the topic of the row. `case`: the name of the case, or a number for random records.
    `records`: the fewest of them, in order, and `topics` their topics. `rows`: those of the model, and those that
    the law gives instead.
    """

    law: Law
    about: str
    case: str
    records: tuple[Record, ...]
    topics: tuple[Topic, ...]
    rows: tuple[OutputRows, ...]


@dataclass(frozen=True, slots=True)
class ModelLaws:
    """The laws of a model. `tried`: the number of sequences of records for each law that applies to it."""

    model: str
    path: str
    tried: dict[Law, int]
    violation: Violation | None = None


@dataclass(frozen=True, slots=True)
class _Variant:
    """One side of a law: the rows of each of `plans` over `records`, all together."""

    plans: tuple[Plan, ...]
    records: Callable[[tuple[Record, ...]], tuple[Record, ...]] = lambda records: records


@dataclass(frozen=True, slots=True)
class _Claim:
    """A law for one model: over all records a variant gives the rows of the plan."""

    law: Law
    about: str
    plan: Plan
    variant: _Variant
    compared: tuple[Output, ...]

    def violated(self, cases: Sequence[Case], evaluate: Evaluate) -> Iterator[tuple[OutputRows, ...] | None]:
        """Yield the rows that differ over each case; None after an error."""
        others = [replace(case, batches=(self.variant.records(case.records),)) for case in cases]
        whole = outcomes(self.plan, cases, evaluate)
        parts = [outcomes(plan, others, evaluate) for plan in self.variant.plans]
        for one, some in zip(whole, zip(*parts, strict=True), strict=True):
            complete = [part for part in some if not isinstance(part, LsqlcError)]
            if isinstance(one, LsqlcError) or len(complete) < len(some):
                yield None
            else:
                yield differences(self.compared, self._shown(one), _together(complete), ordered=False)

    def _shown(self, outcome: Outcome) -> Outcome:
        """Return the rows that a condition over values can satisfy or not."""
        if self.law != "partition":
            return outcome
        rows = {name: tuple(r for r in records if r.value is not None) for name, records in outcome.topics.items()}
        return Outcome(rows, outcome.counts)


def _together(parts: Sequence[Outcome]) -> Outcome:
    """Return all rows of several outcomes."""
    names = dict.fromkeys(name for part in parts for name in part.topics)
    return Outcome({name: tuple(r for part in parts for r in part.topics.get(name, ())) for name in names}, {})


def violation_of(plan: Plan, cases: Sequence[Case], evaluate: Evaluate) -> tuple[dict[Law, int], Violation | None]:
    """Return the number of sequences that were tried for each law, and the first violation, or None."""
    constants, random = constants_of(plan, plan), Random(0)
    sequences = Sequences(plan.inputs, constants, random, Values(constants, random))
    random_cases = [Case(f"random records {n + 1}", (sequences.draw(),)) for n in range(_SEQUENCES)]
    tried: dict[Law, int] = {}
    for claim in (*_partitions(plan, (*cases, *random_cases), random, evaluate), *_deletions(plan, sequences)):
        # A time that is reached without a record has its place among all records.
        some = [case for case in (*cases, *random_cases) if claim.law == "partition" or not case.advances]
        for case, rows in zip(some, claim.violated(some, evaluate), strict=True):
            if rows is not None:
                tried[claim.law] = tried.get(claim.law, 0) + 1
            if rows:
                return tried, _smallest(claim, case, evaluate)
    return tried, None


def _smallest(claim: _Claim, case: Case, evaluate: Evaluate) -> Violation:
    def part(subset: Subset) -> Case:
        return replace(case, batches=(tuple(case.records[number] for number in subset),), advances=())

    def fails(subsets: Sequence[Subset]) -> list[bool]:
        return [bool(rows) for rows in claim.violated([part(subset) for subset in subsets], evaluate)]

    every = tuple(range(len(case.records)))
    # Without its advances a case may no longer show it.
    smallest = part(smallest_subset(len(every), fails)) if fails([every])[0] else case
    rows = next(claim.violated([smallest], evaluate)) or ()
    records = claim.variant.records(smallest.records)
    topics = tuple(topic for topic in claim.plan.inputs if any(r.topic == topic.name for r in records))
    return Violation(claim.law, claim.about, case.name, records, topics, rows)


# Partitions of the rows by a condition


def _partitions(plan: Plan, cases: Sequence[Case], random: Random, evaluate: Evaluate) -> Iterator[_Claim]:
    """Yield the law for some conditions over the rows that the cases give."""
    results = [each for each in outcomes(plan, cases, evaluate) if not isinstance(each, LsqlcError)]
    rows = [row for each in results for row in each.topics.get(plan.sinks[0].topic.name, ())]
    # Only the rows of the first topic are divided. Each row counts, also the earlier ones of a key.
    first = replace(plan, sinks=plan.sinks[:1])
    compared = tuple(replace(output, by_key=False) for output in own_outputs(first))
    for condition in _conditions(plan.sinks[0], [row.value for row in rows if row.value is not None], random):
        parts = (
            condition,
            ex.Operation("NOT", (condition,), data.BOOLEAN, condition.nullable),
            ex.Operation("IS NULL", (condition,), data.BOOLEAN, False),
        )
        relations = plan.sinks[0].inputs[0].relations
        variant = _Variant(tuple(_filtered(first, part) for part in parts))
        yield _Claim("partition", expression_text(condition, relations), first, variant, compared)


def _conditions(sink: nodes.Sink, values: Sequence[Any], random: Random) -> list[ex.Expression]:
    """Return conditions over the columns of a topic, with constants that some rows have."""
    type = sink.inputs[0].relations[0].value.type
    fields = type.fields if isinstance(type, Struct) else ()
    usable = [field for field in fields if field.type in _ORDERED_TYPES]
    comparisons = []
    for field in random.sample(usable, min(len(usable), _CONDITIONS)):
        constants = [value[field.name] for value in values if _is_constant(value[field.name])]
        if constants:
            comparisons.append(_comparison(">", field, random.choice(constants)))
            comparisons.append(_comparison("=", field, random.choice(constants)))
    if len(comparisons) < 2:
        return []
    # The second one has parts that are null in other rows.
    return [comparisons[0], ex.joined("OR", (comparisons[1], comparisons[-2]))]


def _is_constant(value: Any) -> bool:
    """Return whether a value can be a literal of a plan."""
    return value is not None and not (isinstance(value, float) and not isfinite(value))


def _comparison(operator: str, field: Field, constant: Any) -> ex.Expression:
    # A topic whose values several statements write may have nulls that only one of them gives.
    column = ex.Field(0, "value", (field.name,), field.type, True)
    return ex.Operation(operator, (column, ex.Literal(constant, field.type)), data.BOOLEAN, True)


def _filtered(plan: Plan, condition: ex.Expression) -> Plan:
    """Return the plan with a condition over its rows. It is optimised, so that the condition goes below joins.

    Below a join of two streams it would change which records are late.
    """
    is_optimised = not has_clock(plan)

    def filtered(node: nodes.Node) -> nodes.Node:
        above = nodes.Filter(node, condition)
        return optimise(above) if is_optimised else above

    return replace(
        plan, sinks=tuple(structs.replace(s, inputs=tuple(map(filtered, s.inputs)), counted=()) for s in plan.sinks)
    )


# Rows that are inserted and deleted again


def _deletions(plan: Plan, sequences: Sequences) -> Iterator[_Claim]:
    """Yield the law for each TABLE that a plan reads, if it forgets rows that are gone."""
    if not all(_forgets(node) for sink in plan.sinks for node in sink.inputs):
        return
    for topic in plan.inputs:
        inserted = [sequences.record(topic) for _ in range(_TRIES)]
        yield _Claim(
            "deletion",
            f"a row of '{topic.name}'",
            plan,
            _Variant((plan,), _Insertion(topic, tuple(inserted))),
            own_outputs(plan),
        )


@dataclass(frozen=True, slots=True)
class _Insertion:
    """Inserts a row into records and deletes it again later. The row has a key that the records do not have."""

    topic: Topic
    inserted: tuple[Record, ...]

    def __call__(self, records: tuple[Record, ...]) -> tuple[Record, ...]:
        keys = {repr(record.key) for record in records if record.topic == self.topic.name}
        row = next((each for each in self.inserted if repr(each.key) not in keys and each.value is not None), None)
        if row is None:
            return records
        # It is there while the records of the middle come.
        start, end = len(records) // 3, len(records) - len(records) // 3
        deletion = Record(self.topic.name, row.key, None, row.timestamp)
        return (*records[:start], row, *records[start:end], deletion, *records[end:])


def _forgets(node: nodes.Node) -> bool:
    """Return whether rows of a node depend only on the rows of TABLEs that are still there."""
    match node:
        case nodes.Scan(topic=topic):
            is_table = node.semantics == "TABLE" and not topic.files and not topic.key.is_absent
            return is_table and not node.places and not node.headers
        case nodes.Aggregate(window=window, keeps_empty=keeps_empty, aggregates=aggregates):
            is_limited = any(each.function.rpartition(".")[2] in _LIMITED for each in aggregates)
            if window is not None or keeps_empty or is_limited:
                return False
        case nodes.Reinterpret() | nodes.Rekey() | nodes.EventTime():
            # The newest row that a new key ever had stays the newest when it is gone.
            return False
    return not reads_time(node) and all(map(_forgets, nodes.inputs(node)))
