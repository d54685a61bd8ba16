"""The rules by which an edit of a model is compatible with the checkpoint of its Spark query, for `lsqlc diff` and
`run`.

They follow Spark's documentation (Structured Streaming, "Recovery Semantics after Changes in a Streaming Query") and
the lowering of plans:

- Filters and projections may change in a query without state. They may also change above the operator with state,
  within the limits of `bounds`. Old output records stay, and later ones are results of the new program.
- Sources may not be added, removed or reordered. An operator with state may not change, nor its input.
- A query without state may read more or fewer topics, if its checkpoint has their offsets by name.
- Old and new records are in the same topic. So both must match its schema, and readers must be able to read both.

RULES has all rules, from the smallest effect to the largest one. A change without a rule is `unknown`.
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
# Ordered from the smallest effect to the largest one.
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
# A program can set it. Otherwise a run uses the number of the session.
PARTITIONS = "spark.sql.shuffle.partitions"
# A part of the runtime of queries with state. Descriptions of checkpoints contain its name.
PARTITIONS_PART = "the number of shuffle partitions"
_STATED_PART = f"{PARTITIONS_PART} that the program sets"
# Spark's settings for the version of the format of state files, and for the state store.
STATE_FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"
STATE_PROVIDER = "spark.sql.streaming.stateStore.providerClass"


@dataclass(frozen=True, slots=True)
class Finding:
    """A change of a query, as text, and the rule that applies, a key of RULES."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The effect of an edit on a model's state.

    `reasons`: texts; `rules`: those that apply, in order of RULES; `stateful`: whether queries of the older version
    have state, also True if they are not known.
    """

    standing: Standing
    reasons: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    stateful: bool = True


def judged(old: Parts, new: Parts) -> tuple[Finding, ...]:
    """Return the changes between a query and a newer version with the same name; empty if they are the same."""
    return tuple(_findings(old, new))


def standing(findings: Iterable[Finding]) -> Standing:
    """Return the largest effect of the findings. Without findings the query continues."""
    return max((RULES[finding.rule] for finding in findings), key=STANDINGS.index, default="continues")


def goes_on(findings: Iterable[Finding]) -> bool:
    """Return whether a run may continue from the checkpoint."""
    return standing(findings).startswith("continues")


def queries(plan: Plan) -> Mapping[str, Parts] | None:
    """Return the parts of each query of a model, by name; None if Spark cannot run the model."""
    if unsupported(plan):
        return None
    result = {}
    for stage in lower(plan).stages:
        number = dict(stage.settings).get(PARTITIONS)
        parts = stage_parts(stage, {_STATED_PART: number} if number else {})
        result[stage.name] = replace(parts, folders=None)
    return result


def verdict(old: Mapping[str, Parts] | None, new: Mapping[str, Parts] | None) -> Verdict:
    """Return the effect on a model's state when its `old` queries are replaced by the `new` ones."""
    if old is None or new is None:
        which = "both versions" if old is new else "the old version" if old is None else "the new version"
        return Verdict("unknown", (f"{which} cannot run on Spark",), ("queries",))
    findings = [(name, each) for name in new if name in old for each in judged(old[name], new[name])]
    findings += [(name, _new_query(new[name], old)) for name in new if name not in old]
    findings += [(name, Finding("queries", "the query is gone")) for name in old if name not in new]
    stateful = any(each.state for each in old.values())
    if not findings:
        return Verdict("continues", (), ("same",), stateful)
    used = {each.rule for _, each in findings}
    # The largest effects come first, because a list of reasons may be cut.
    ordered = sorted(findings, key=lambda pair: -STANDINGS.index(RULES[pair[1].rule]))
    reasons = tuple(f"{query}: {each.text}" for query, each in ordered)
    rules = tuple(rule for rule in RULES if rule in used)
    return Verdict(standing(each for _, each in findings), reasons, rules, stateful)


def _new_query(query: Parts, old: Mapping[str, Parts]) -> Finding:
    """Return the finding for a new query, which reads from the beginning. Its topic must have no records yet."""
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
        # The changes after the state are irrelevant then.
        return
    if changes and (old.used is None or new.used is None):
        # Spark's optimizer may move parts of the output into the operator with state.
        yield from (Finding("behind the state", change) for change in changes)
    elif old.used != new.used:
        # This applies to queries without state too: old rows of a TABLE would stay under their old keys.
        yield Finding("state", "the columns that are used of its rows, or that identify them, have changed")
    elif changes and not new.state and len(set(new.sources)) < len(new.sources):
        # Several readers of a topic may have different offsets, and an edit may exchange the readers.
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
        # The program may set the same number as the session.
        unsure = change in (f"{_STATED_PART} is new", f"{_STATED_PART} is gone")
        yield Finding("partitions" if unsure else "runtime", change)


def _without(parts: Mapping[str, str], name: str) -> Mapping[str, str]:
    return {part: value for part, value in parts.items() if part != name}


def _unfit(old: Topic, new: Topic) -> Iterator[str]:
    """Yield why records of the older schema do not match the newer one, although readers could read both."""
    if old.ordinal_width != new.ordinal_width:
        yield f"the records of '{new.name}' have another number of ordinals"
    for path in _nulls("", old.value.type, new.value.type):
        yield f"old records of '{new.name}' can lack '{path}', which is NOT NULL now"


def _nulls(path: str, old: DataType, new: DataType) -> Iterator[str]:
    """Yield the fields that are NOT NULL in the new type, and that were nullable or missing in the old type."""
    match old, new:
        case Struct(), Struct():
            before = {field.name: field for field in old.fields}
            for field in new.fields:
                name = f"{path}.{quote(field.name)}" if path else quote(field.name)
                old_field = before.get(field.name)
                if not field.nullable and (old_field is None or old_field.nullable):
                    yield name
                elif old_field is not None:
                    yield from _nulls(name, old_field.type, field.type)
        case Array(), Array():
            yield from _nulls(f"{path}[]", old.element, new.element)
        case Map(), Map():
            yield from _nulls(f"{path}[]", old.value, new.value)


def _listed(sources: tuple[str, ...]) -> str:
    return " and ".join(f"'{source}'" for source in sources) or "nothing"
