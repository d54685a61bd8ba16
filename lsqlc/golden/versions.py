"""Two versions of models over the same cases: which rows differ, and which of those downstream do then.

A case of the newer version is given to both. One whose records do not fit the older version's topics gives way to the
older version's case of that name; where that fits the older version alone, as when a topic was edited with the case,
each version gets its own. The cases that only the older version has are taken where they still fit.

The rows that come out are given to the models downstream, whose other topics have what the case gives: a model that
reads a topic of which the case says nothing is left out. There the rows of a TABLE come first, one for each key, then
what the case gives, then the records of STREAMs.
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
"""The models below some others, older and newer plan of each, in order of dependency."""


@dataclass(frozen=True, slots=True)
class Side:
    """One version: the plans of models that changed, and the texts of case files by path."""

    plans: Mapping[str, Plan]
    texts: Mapping[str, str]


def compare_rows(old: Side, new: Side, evaluate: Evaluate, readers: Readers) -> dict[str, VersionRows]:
    """What the cases of each model that both versions have show of the difference between its plans.

    `readers` is asked once, for the models whose rows differ. Never raises for bad input.
    """
    names = sorted(old.plans.keys() & new.plans.keys())
    pairs = _paired(old, new, names)
    ran = {name: list(_ran(old.plans[name], new.plans[name], pairs[name], evaluate)) for name in names}
    own = {name: [_own(run, old.plans[name], new.plans[name]) for run in runs] for name, runs in ran.items()}
    differing = {name for name, found in own.items() if any(case.rows for case in found)}
    below = readers(differing) if differing else ()
    shown = {}
    for name in names:
        cases = own[name]
        if name in differing:
            chosen = [i for i, case in enumerate(cases) if case.rows]
            flows = _downstream(new.plans[name], [ran[name][i] for i in chosen], below, evaluate)
            for i, rows in zip(chosen, flows, strict=True):
                cases[i] = replace(cases[i], rows=cases[i].rows + rows)
        shown[name] = VersionRows(len(cases), tuple(case for case in cases if case.rows or case.problem))
    return shown


@dataclass(frozen=True, slots=True)
class _Pair:
    """A case as each version reads it; None: it does not fit."""

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
    """What came of a case in both versions; an error is its text."""

    pair: _Pair
    old: Outcome | str | None = None
    new: Outcome | str | None = None


_Cases = dict[tuple[str, str], LoadedCase]


def _paired(old: Side, new: Side, names: Sequence[str]) -> dict[str, list[_Pair]]:
    """Return the cases of each model: those of the newer version in order, then those that only the older one has."""
    newer = _Read(new.texts, old, new, names)
    # The same files have nothing that the newer version lacks; a case may name records of another file.
    older = _Read(old.texts if old.texts != new.texts else {}, old, new, names)
    pairs: dict[str, list[_Pair]] = {name: [] for name in names}
    for key in newer.names:
        case = _Pair("newer", newer.old.get(key), newer.new.get(key))
        before = _Pair("older", older.old.get(key), older.new.get(key))
        pairs[key[0]].append(next((p for p in (case, before, _Pair("each", before.old, case.new)) if p.fits), case))
    for key in older.names:
        if key not in newer.old and key not in newer.new and key in older.old and key in older.new:
            pairs[key[0]].append(_Pair("older", older.old[key], older.new[key]))
    return pairs


class _Read:
    """The cases in some texts, read for the topics of each version."""

    def __init__(self, texts: Mapping[str, str], old: Side, new: Side, names: Sequence[str]) -> None:
        mine = {path: text for path, text in texts.items() if _is_needed(path, text, names)}
        self.new = _cases(mine, {name: new.plans[name] for name in names})
        # Where both versions read the same topics and write them, they read the same cases.
        same = {name for name in names if _topics(old.plans[name]) == _topics(new.plans[name])}
        others = {name: old.plans[name] for name in names if name not in same}
        self.old = {key: case for key, case in self.new.items() if key[0] in same}
        self.old |= _cases(mine, others) if others else {}
        self.names = tuple(dict.fromkeys((*self.new, *self.old)))


def _is_needed(path: str, text: str, names: Sequence[str]) -> bool:
    """Return whether a file may have cases of the models, or records for them. Reading YAML takes long."""
    if not path.endswith((".yml", ".yaml")):
        return True
    # Only an escape could spell a name otherwise.
    return "fixtures" in text or "\\" in text or any(name in text for name in names)


def _topics(plan: Plan) -> tuple[object, ...]:
    return plan.inputs, plan.outputs


def _cases(texts: Mapping[str, str], plans: Mapping[str, Plan]) -> _Cases:
    # A case that does not fit is in none of them; what is wrong with it, `lsqlc test` tells.
    return {(case.model, case.name): case for case in load_cases(texts, plans).cases}


def _ran(old: Plan, new: Plan, pairs: Sequence[_Pair], evaluate: Evaluate) -> Iterator[_Run]:
    """Yield each case with what came of it; the cases of a model run in one call for each version."""
    both = [(pair.old.case, pair.new.case) for pair in pairs if pair.old and pair.new]
    before = iter(_outcomes(old, [case for case, _ in both], evaluate))
    after = iter(_outcomes(new, [case for _, case in both], evaluate))
    for pair in pairs:
        yield _Run(pair, next(before), next(after)) if pair.old and pair.new else _Run(pair)


def _outcomes(plan: Plan, cases: Sequence[Case], evaluate: Evaluate) -> list[Outcome | str]:
    """Return an outcome of each case; a case that is refused does not take the others with it."""
    return [
        "; ".join(d.message for d in found.diagnostics) if isinstance(found, LsqlcError) else found
        for found in outcomes(plan, cases, evaluate)
    ]


def _own(run: _Run, old: Plan, new: Plan) -> CaseRows:
    found = CaseRows(run.pair.name, run.pair.origin)
    match run.old, run.new:
        case None, None:
            which = "newer" if run.pair.old else "older"
            return replace(found, problem=f"its records or expectations do not match the {which} version")
        case Outcome() as before, Outcome() as after:
            rows = differences(old, before, new, after)
            return replace(found, rows=(ModelRows(new.name, rows),) if rows else ())
        case Outcome(), str(reason):
            return replace(found, problem=f"the newer version rejects it: {reason}")
        case str(reason), Outcome():
            return replace(found, problem=f"the older version rejects it: {reason}")
    # Both refuse it: nothing has changed.
    return found


def differences(old: Plan, before: Outcome, new: Plan, after: Outcome) -> tuple[TopicDifference, ...]:
    """Of the topics that both plans write. That one came or went is a change of the topic and not of its rows."""
    rows = read_golden(golden_text(old, before), "", new).rows
    shared = {topic.name for topic in old.outputs}
    # The lines are in no file that somebody could look into.
    return compare(new, [replace(row, line=0) for row in rows], after, topics=shared)


_Topics = dict[str, tuple[Record, ...]]


def _downstream(
    model: Plan, runs: Sequence[_Run], below: Sequence[tuple[Plan, Plan]], evaluate: Evaluate
) -> list[tuple[ModelRows, ...]]:
    """Return the rows that differ further down, for each case."""
    flows = [_Flow(model, run) for run in runs]
    for old, new in below:
        fed = [flow for flow in flows if flow.reaches(old, new)]
        before = _outcomes(old, [flow.old.case(old, flow.derived) for flow in fed], evaluate)
        after = _outcomes(new, [flow.new.case(new, flow.derived) for flow in fed], evaluate)
        for flow, left, right in zip(fed, before, after, strict=True):
            if isinstance(left, Outcome) and isinstance(right, Outcome):
                flow.add(old, left, new, right)
    return [tuple(flow.rows) for flow in flows]


class _Given:
    """The records of one version by topic: those of its case, and those that came out so far."""

    def __init__(self, model: Plan, case: LoadedCase | None, outcome: Outcome | str | None) -> None:
        self._case = case.case if case else Case("", ())
        found: dict[str, list[Record]] = {topic.name: [] for topic in model.inputs}
        for record in self._case.records:
            found.setdefault(record.topic, []).append(record)
        self.topics: _Topics = {name: tuple(records) for name, records in found.items()}
        if isinstance(outcome, Outcome):
            self.topics |= outcome.topics

    def case(self, plan: Plan, derived: Mapping[str, Semantics]) -> Case:
        """What a model downstream gets. Between the topics of the case its order decides."""
        names = [topic.name for topic in plan.inputs]
        records = [record for name in names if derived.get(name) == "TABLE" for record in self.topics[name]]
        records += [record for record in self._case.records if record.topic in names and record.topic not in derived]
        records += [record for name in names if derived.get(name) == "STREAM" for record in self.topics[name]]
        return Case("", (tuple(records),), self._case.now)


class _Flow:
    """A case on its way down: `derived` are the topics that models wrote on it."""

    def __init__(self, model: Plan, run: _Run) -> None:
        self.rows: list[ModelRows] = []
        self.old = _Given(model, run.pair.old, run.old)
        self.new = _Given(model, run.pair.new, run.new)
        self.derived = dict(model.semantics)
        self._done = {model.name}

    def reaches(self, old: Plan, new: Plan) -> bool:
        """Return whether both versions of a model read nothing but known topics, one of them derived."""
        reads, read = ({topic.name for topic in plan.inputs} for plan in (new, old))
        known = reads <= self.new.topics.keys() and read <= self.old.topics.keys()
        return known and new.name not in self._done and not reads.isdisjoint(self.derived)

    def add(self, old: Plan, before: Outcome, new: Plan, after: Outcome) -> None:
        """Take over what a model wrote; its rows count if what it reads is not the same."""
        if any(self.old.topics.get(topic.name) != self.new.topics[topic.name] for topic in new.inputs):
            rows = differences(old, before, new, after)
            self.rows += [ModelRows(new.name, rows)] if rows else []
        self.old.topics |= before.topics
        self.new.topics |= after.topics
        self.derived |= new.semantics
        self._done.add(new.name)
