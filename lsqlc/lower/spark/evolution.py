"""What an edit means for the checkpoint of a Spark query: by these rules `lsqlc diff` judges and `lsqlc run` goes on.

They follow the recovery semantics that Spark documents (Structured Streaming, "Recovery Semantics after Changes in a
Streaming Query") and what our own lowering makes of a plan:

- Filters and projections of a query without state may change, and so may those above the operator that keeps it, as
  far as `bounds` says. Records that were written stay, later ones are what the new program gives.
- Sources may not come, go or change places, and an operator with state may not change, nor what feeds it. But a query
  without state may read more or fewer topics where its checkpoint keeps their places by name.
- Old and new records lie in one topic, so that both have to fit its schema, and whoever reads it has to be able to.

RULES is the whole judgement, from what asks nothing to what asks most. Everything without a rule is `unknown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from lsqlc.lower.spark.checkpoint_parts import Parts, part_changes, stage_parts
from lsqlc.lower.spark.source_changes import inputs_moved, sources_by_name, why_not_by_name
from lsqlc.lower.spark.stages import lower
from lsqlc.lower.spark.support import unsupported
from lsqlc.plan.plan import Plan
from lsqlc.plan.topic_changes import topic_changes
from lsqlc.types.data import Array, DataType, Map, Struct, quote
from lsqlc.types.record import Topic

Standing = Literal[
    "new",
    "gone",
    "continues",
    "continues, but old rows keep their old value",
    "unknown",
    "needs a new state and a replay",
    "cannot be read by the consumers of the topic",
]
# From what asks nothing of anybody to what asks most.
STANDINGS: tuple[Standing, ...] = get_args(Standing)

RULES: dict[str, Standing] = {
    "same": "continues",
    "new query": "continues",
    "sources by name": "continues, but old rows keep their old value",
    "output": "continues, but old rows keep their old value",
    "behind the state": "unknown",
    "one topic twice": "unknown",
    "partitions": "unknown",
    "queries": "unknown",
    "above": "unknown",
    "runtime": "needs a new state and a replay",
    "shuffle partitions": "needs a new state and a replay",
    "sources": "needs a new state and a replay",
    "state": "needs a new state and a replay",
    "other topic": "needs a new state and a replay",
    "old records": "needs a new state and a replay",
    "topic": "cannot be read by the consumers of the topic",
}
# A program can set it; without that a run takes Spark's own number.
PARTITIONS = "spark.sql.shuffle.partitions"
# The part of the runtime that a query with state has; its name is in the descriptions of checkpoints.
PARTITIONS_PART = "the number of shuffle partitions"
_STATED_PART = f"{PARTITIONS_PART} that the program sets"
# How Spark keeps a state: the version of the format of its files, and the store.
STATE_FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"
STATE_PROVIDER = "spark.sql.streaming.stateStore.providerClass"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that changed in a query, in words, and the rule that judges it: a key of RULES."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a model's state, and why, one reason a line. `rules`: those that apply, in order of RULES.
    `stateful`: whether the older version's queries keep state; where they are not known, it is taken that they do.
    """

    standing: Standing
    reasons: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    stateful: bool = True


def judged(old: Parts, new: Parts) -> tuple[Finding, ...]:
    """What changed when a query goes on as another one of its name; empty if it is the same."""
    return tuple(_findings(old, new))


def standing(findings: Iterable[Finding]) -> Standing:
    """That of the weightiest rule; without findings the query continues."""
    return max((RULES[found.rule] for found in findings), key=STANDINGS.index, default="continues")


def goes_on(findings: Iterable[Finding]) -> bool:
    """Whether a run may take the checkpoint up."""
    return standing(findings).startswith("continues")


def queries(plan: Plan) -> Mapping[str, Parts] | None:
    """The parts of each query of a model by name; None if Spark cannot run the model."""
    if unsupported(plan):
        return None
    found = {}
    for stage in lower(plan).stages:
        number = dict(stage.settings).get(PARTITIONS)
        parts = stage_parts(stage, {_STATED_PART: number} if number else {})
        found[stage.name] = replace(parts, folders=None)
    return found


def verdict(old: Mapping[str, Parts] | None, new: Mapping[str, Parts] | None) -> Verdict:
    """What becomes of the state when a model with the `old` queries goes on as one with the `new` ones."""
    if old is None or new is None:
        which = "both versions" if old is new else "the old version" if old is None else "the new version"
        return Verdict("unknown", (f"{which} cannot run on Spark",), ("queries",))
    found = [(name, each) for name in new if name in old for each in judged(old[name], new[name])]
    found += [(name, _came(new[name], old)) for name in new if name not in old]
    found += [(name, Finding("queries", "the query is gone")) for name in old if name not in new]
    stateful = any(each.state for each in old.values())
    if not found:
        return Verdict("continues", (), ("same",), stateful)
    used = {each.rule for _, each in found}
    # The weightiest first: a list can be cut.
    ordered = sorted(found, key=lambda pair: -STANDINGS.index(RULES[pair[1].rule]))
    reasons = tuple(f"{query}: {each.text}" for query, each in ordered)
    rules = tuple(rule for rule in RULES if rule in used)
    return Verdict(standing(each for _, each in found), reasons, rules, stateful)


def _came(query: Parts, old: Mapping[str, Parts]) -> Finding:
    """A query that was not there begins at the beginning: right, if nothing of what it writes is there."""
    if any(each.topic == query.topic for each in old.values()):
        return Finding("queries", f"the query is new, and '{query.topic}' has records of another one")
    return Finding("new query", "the query is new, and reads from the beginning")


def _findings(old: Parts, new: Parts) -> Iterator[Finding]:
    yield from _of_topic(old, new)
    by_name = sources_by_name(old, new)
    if by_name:
        yield from (Finding("sources by name", change) for change in by_name)
    elif old.sources != new.sources:
        yield Finding(
            "sources", f"it reads {_listed(new.sources)} instead of {_listed(old.sources)}{why_not_by_name(old, new)}"
        )
    yield from (Finding("state", change) for change in part_changes(old.state, new.state))
    yield from _of_runtime(old.runtime or {}, new.runtime or {})
    changes = part_changes(old.output, new.output)
    if (old.sources != new.sources and not by_name) or part_changes(old.state, new.state):
        # What stands behind is another query anyway.
        return
    if changes and (old.used is None or new.used is None):
        # Spark's optimiser can let it reach down into the operator that keeps the state.
        yield from (Finding("behind the state", change) for change in changes)
    elif old.used != new.used:
        # Also of a query without state: under another key the old rows of a TABLE would stay for ever.
        yield Finding("state", "what is used of its rows, or what they are told apart by, has changed")
    elif changes and not new.state and len(set(new.sources)) < len(new.sources):
        # The places of several readers of one topic may differ, and nothing says which reader is which after an edit.
        yield Finding("one topic twice", "it reads one topic several times, each at a place of its own")
    elif not by_name or not inputs_moved(old, new):
        yield from (Finding("output", change) for change in changes)


def _of_topic(old: Parts, new: Parts) -> Iterator[Finding]:
    if old.topic != new.topic:
        yield Finding("other topic", f"it writes '{new.topic}' instead of '{old.topic}'")
    elif old.written is not None and new.written is not None:
        changes = topic_changes(old.written, old.semantics, new.written, new.semantics)
        yield from (Finding("topic", f"'{new.topic}': {c.text}") for c in changes if c.category == "breaking")
        yield from (Finding("old records", text) for text in _unfit(old.written, new.written))


def _of_runtime(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Finding]:
    number = PARTITIONS_PART
    if number in old and number in new and old[number] != new[number]:
        yield Finding("shuffle partitions", f"{number} is {new[number]}, and its state has {old[number]}")
    for change in part_changes(_without(old, number), _without(new, number)):
        # Spark's own number can be the one that is set, or was.
        unsure = change in (f"{_STATED_PART} is new", f"{_STATED_PART} is gone")
        yield Finding("partitions" if unsure else "runtime", change)


def _without(parts: Mapping[str, str], name: str) -> Mapping[str, str]:
    return {part: value for part, value in parts.items() if part != name}


def _unfit(old: Topic, new: Topic) -> Iterator[str]:
    """Why records of the older schema do not fit the newer one, though their readers would be content."""
    if old.ordinal_width != new.ordinal_width:
        yield f"the records of '{new.name}' have another number of ordinals"
    for path in _nulls("", old.value.type, new.value.type):
        yield f"old records of '{new.name}' can lack '{path}', which is NOT NULL now"


def _nulls(path: str, old: DataType, new: DataType) -> Iterator[str]:
    """The fields that are never null now and were, or were not there."""
    match old, new:
        case Struct(), Struct():
            before = {field.name: field for field in old.fields}
            for field in new.fields:
                name = f"{path}.{quote(field.name)}" if path else quote(field.name)
                known = before.get(field.name)
                if not field.nullable and (known is None or known.nullable):
                    yield name
                elif known is not None:
                    yield from _nulls(name, known.type, field.type)
        case Array(), Array():
            yield from _nulls(f"{path}[]", old.element, new.element)
        case Map(), Map():
            yield from _nulls(f"{path}[]", old.value, new.value)


def _listed(sources: tuple[str, ...]) -> str:
    return " and ".join(f"'{source}'" for source in sources) or "nothing"
