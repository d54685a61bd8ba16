"""Comparison of two versions of models over the same cases, and of the models downstream.

A case of the newer version runs with both versions. If its records do not match the older version's topics, the older
version's case of that name is used. If that only matches the older version, for example because a topic and the case
changed together, each version runs its own case. Cases that only the older version has are used if they still match.

Models downstream read the resulting rows, and the case's records of their other topics. A model is skipped if the case
has no records of one of its topics. Order: one row per key of each TABLE, then the records of the case, then the
records of each STREAM.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lsqlc.diagnostics import LsqlcError
from lsqlc.golden.cases import LoadedCase, load_cases
from lsqlc.golden.compare import TopicDifference, compare
from lsqlc.golden.evaluation import Evaluate, outcomes
from lsqlc.golden.snapshot import golden_text, read_golden
from lsqlc.golden.version_rows import CaseRows, ModelRows, Origin, VersionRows
from lsqlc.plan import Plan
from lsqlc.plan.nodes import Semantics
from lsqlc.types.record import Case, Outcome, Record

Readers = Callable[[Collection[str]], Sequence[tuple[Plan, Plan]]]
"""Returns the models downstream of the given ones, as pairs of older and newer plan, in order of dependency."""


@dataclass(frozen=True, slots=True)
class Side:
    """One version: the plans of changed models, and the texts of case files by path."""

    plans: Mapping[str, Plan]
    texts: Mapping[str, str]


def compare_rows(old: Side, new: Side, evaluate: Evaluate, readers: Readers) -> dict[str, VersionRows]:
    """Return the differences in the cases of each model that both versions have.

    `readers` is called once, for the models whose rows differ. Never raises for bad input.
    """
    names = sorted(old.plans.keys() & new.plans.keys())
    pairs = _pair_cases(old, new, names)
    ran = {name: list(_run_pairs(old.plans[name], new.plans[name], pairs[name], evaluate)) for name in names}
    own = {name: [_compare_own(run, old.plans[name], new.plans[name]) for run in runs] for name, runs in ran.items()}
    differing = {name for name, case_rows in own.items() if any(case.rows for case in case_rows)}
    below = readers(differing) if differing else ()
    results = {}
    for name in names:
        cases = own[name]
        if name in differing:
            indexes = [i for i, case in enumerate(cases) if case.rows]
            flows = _downstream(new.plans[name], [ran[name][i] for i in indexes], below, evaluate)
            for i, rows in zip(indexes, flows, strict=True):
                cases[i] = replace(cases[i], rows=cases[i].rows + rows)
        results[name] = VersionRows(len(cases), tuple(case for case in cases if case.rows or case.problem))
    return results


@dataclass(frozen=True, slots=True)
class _Pair:
    """A case as each version reads it; None if it does not match that version."""

    origin: Origin
    old: LoadedCase | None
    new: LoadedCase | None

    @property
    def fits(self) -> bool:
        return self.old is not None and self.new is not None

    @property
    def name(self) -> str:
        case = self.new or self.old
        return case.name if case else ""


@dataclass(frozen=True, slots=True)
class _Run:
    """The outcomes of a case in both versions; an error is text."""

    pair: _Pair
    old: Outcome | str | None = None
    new: Outcome | str | None = None


_Cases = dict[tuple[str, str], LoadedCase]


def _pair_cases(old: Side, new: Side, names: Sequence[str]) -> dict[str, list[_Pair]]:
    """Return the cases of each model: those of the newer version in order, then those that only the older
    version has.
    """
    newer = _CaseSet(new.texts, old, new, names)
    # Equal files have equal cases. All texts are compared, because a case may name a data file.
    older = _CaseSet(old.texts if old.texts != new.texts else {}, old, new, names)
    pairs: dict[str, list[_Pair]] = {name: [] for name in names}
    for key in newer.names:
        case = _Pair("newer", newer.old.get(key), newer.new.get(key))
        before = _Pair("older", older.old.get(key), older.new.get(key))
        pairs[key[0]].append(next((p for p in (case, before, _Pair("each", before.old, case.new)) if p.fits), case))
    for key in older.names:
        if key not in newer.old and key not in newer.new and key in older.old and key in older.new:
            pairs[key[0]].append(_Pair("older", older.old[key], older.new[key]))
    return pairs


class _CaseSet:
    """The cases in some texts, read with the topics of each version."""

    def __init__(self, texts: Mapping[str, str], old: Side, new: Side, names: Sequence[str]) -> None:
        mine = {path: text for path, text in texts.items() if _is_needed(path, text, names)}
        self.new = _cases(mine, {name: new.plans[name] for name in names})
        # The cases of a model are equal in both versions if its topics are.
        same = {name for name in names if _topics(old.plans[name]) == _topics(new.plans[name])}
        others = {name: old.plans[name] for name in names if name not in same}
        self.old = {key: case for key, case in self.new.items() if key[0] in same}
        self.old |= _cases(mine, others) if others else {}
        self.names = tuple(dict.fromkeys((*self.new, *self.old)))


def _is_needed(path: str, text: str, names: Sequence[str]) -> bool:
    """Return whether a file may have cases or records of the models. This is faster than parsing YAML."""
    if not path.endswith((".yml", ".yaml")):
        return True
    # A name can only be written differently with an escape.
    return "fixtures" in text or "\\" in text or any(name in text for name in names)


def _topics(plan: Plan) -> tuple[object, ...]:
    return plan.inputs, plan.outputs


def _cases(texts: Mapping[str, str], plans: Mapping[str, Plan]) -> _Cases:
    # Cases with errors are left out; `lsqlc test` reports them.
    return {(case.model, case.name): case for case in load_cases(texts, plans).cases}


def _run_pairs(old: Plan, new: Plan, pairs: Sequence[_Pair], evaluate: Evaluate) -> Iterator[_Run]:
    """Yield each case with its outcomes. All cases of the model run in one call per version."""
    both = [(pair.old.case, pair.new.case) for pair in pairs if pair.old and pair.new]
    before = iter(_outcomes(old, [case for case, _ in both], evaluate))
    after = iter(_outcomes(new, [case for _, case in both], evaluate))
    for pair in pairs:
        yield _Run(pair, next(before), next(after)) if pair.old and pair.new else _Run(pair)


def _outcomes(plan: Plan, cases: Sequence[Case], evaluate: Evaluate) -> list[Outcome | str]:
    """Return the outcome of each case, or its error as text."""
    return [
        "; ".join(d.message for d in outcome.diagnostics) if isinstance(outcome, LsqlcError) else outcome
        for outcome in outcomes(plan, cases, evaluate)
    ]


def _compare_own(run: _Run, old: Plan, new: Plan) -> CaseRows:
    result = CaseRows(run.pair.name, run.pair.origin)
    match run.old, run.new:
        case None, None:
            which = "newer" if run.pair.old else "older"
            return replace(result, problem=f"its records or expectations do not match the {which} version")
        case Outcome() as before, Outcome() as after:
            rows = differences(old, before, new, after)
            return replace(result, rows=(ModelRows(new.name, rows),) if rows else ())
        case Outcome(), str(reason):
            return replace(result, problem=f"the newer version rejects it: {reason}")
        case str(reason), Outcome():
            return replace(result, problem=f"the older version rejects it: {reason}")
    # Both versions reject it: nothing has changed.
    return result


def differences(old: Plan, before: Outcome, new: Plan, after: Outcome) -> tuple[TopicDifference, ...]:
    """Compare the topics that both plans write. A new or removed topic is not a difference of rows."""
    rows = read_golden(golden_text(old, before), "", new).rows
    shared = {topic.name for topic in old.outputs}
    # The compared lines are in no file.
    return compare(new, [replace(row, line=0) for row in rows], after, topics=shared)


_Topics = dict[str, tuple[Record, ...]]


def _downstream(
    model: Plan, runs: Sequence[_Run], below: Sequence[tuple[Plan, Plan]], evaluate: Evaluate
) -> list[tuple[ModelRows, ...]]:
    """Return the differing rows of models downstream, for each case."""
    flows = [_Flow(model, run) for run in runs]
    for old, new in below:
        affected = [flow for flow in flows if flow.reaches(old, new)]
        before = _outcomes(old, [flow.old.case(old, flow.derived) for flow in affected], evaluate)
        after = _outcomes(new, [flow.new.case(new, flow.derived) for flow in affected], evaluate)
        for flow, left, right in zip(affected, before, after, strict=True):
            if isinstance(left, Outcome) and isinstance(right, Outcome):
                flow.add(old, left, new, right)
    return [tuple(flow.rows) for flow in flows]


class _Records:
    """The records of one version by topic: of the case, and of the outputs so far."""

    def __init__(self, model: Plan, case: LoadedCase | None, outcome: Outcome | str | None) -> None:
        self._case = case.case if case else Case("", ())
        by_topic: dict[str, list[Record]] = {topic.name: [] for topic in model.inputs}
        for record in self._case.records:
            by_topic.setdefault(record.topic, []).append(record)
        self.topics: _Topics = {name: tuple(records) for name, records in by_topic.items()}
        if isinstance(outcome, Outcome):
            self.topics |= outcome.topics

    def case(self, plan: Plan, derived: Mapping[str, Semantics]) -> Case:
        """Return the input of a model downstream. Records of the case keep their order."""
        names = [topic.name for topic in plan.inputs]
        records = [record for name in names if derived.get(name) == "TABLE" for record in self.topics[name]]
        records += [record for record in self._case.records if record.topic in names and record.topic not in derived]
        records += [record for name in names if derived.get(name) == "STREAM" for record in self.topics[name]]
        return Case("", (tuple(records),), self._case.now)


class _Flow:
    """A case on its way downstream. `derived`: the topics that models have written."""

    def __init__(self, model: Plan, run: _Run) -> None:
        self.rows: list[ModelRows] = []
        self.old = _Records(model, run.pair.old, run.old)
        self.new = _Records(model, run.pair.new, run.new)
        self.derived = dict(model.semantics)
        self._done = {model.name}

    def reaches(self, old: Plan, new: Plan) -> bool:
        """Return whether both versions of a model read only available topics, at least one of them derived."""
        reads, read = ({topic.name for topic in plan.inputs} for plan in (new, old))
        are_available = reads <= self.new.topics.keys() and read <= self.old.topics.keys()
        return are_available and new.name not in self._done and not reads.isdisjoint(self.derived)

    def add(self, old: Plan, before: Outcome, new: Plan, after: Outcome) -> None:
        """Add the output of a model. Its rows are compared if its input differs between the versions."""
        if any(self.old.topics.get(topic.name) != self.new.topics[topic.name] for topic in new.inputs):
            rows = differences(old, before, new, after)
            self.rows += [ModelRows(new.name, rows)] if rows else []
        self.old.topics |= before.topics
        self.new.topics |= after.topics
        self.derived |= new.semantics
        self._done.add(new.name)
