"""The topics of staged models, each as the live and as the staged program writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.golden.canonical import canonical_text
from lsqlc.plan.nodes import Semantics
from lsqlc.plan.plan import Plan
from lsqlc.project.declared.expectations import Expectation
from lsqlc.types import codec
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Record, Topic

# How many rows of a topic are shown.
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """A topic as the live and as the staged program of a model write it: a new program may have other columns.
    `expected`: which rows may differ; None: nobody has said. `changes`: what has changed in the program, in words;
    `is_letters`: it has dead letters, perhaps of other models too.
    """

    model: str
    live: Topic
    staged: Topic
    semantics: Semantics = "TABLE"
    expected: Expectation | None = None
    changes: tuple[str, ...] = ()
    is_letters: bool = False

    @property
    def name(self) -> str:
        return self.staged.name

    def is_own(self, record: Record) -> bool:
        """Whether a live record can be compared: a dead letter of another model cannot. Older ones name no model."""
        return not self.is_letters or record.value is None or record.value.get("model") in (None, self.model)

    def same(self, live: Record | None, staged: Record | None) -> bool:
        """Whether two rows, or none, are the same."""
        if live is None or staged is None:
            return live is staged
        if self.live.value.type == self.staged.value.type:
            return codec.equal(self.staged.value.type, live.value, staged.value)
        types = self.live.value.type, self.staged.value.type
        if all(isinstance(type, Struct) for type in types):
            return not self.columns(live, staged)
        return canonical_text(types[0], live.value) == canonical_text(types[1], staged.value)

    def stood(self, before: Record | None, after: Record | None) -> bool:
        """Whether a live row has stood still."""
        if before is None or after is None:
            return before is after
        return codec.equal(self.live.value.type, before.value, after.value)

    def is_expected(self, live: Record | None, staged: Record | None) -> bool:
        """Whether a difference of two rows, or of one and none, is meant."""
        if self.expected is None:
            return False
        if live is None:
            return self.expected.new
        return self.expected.gone if staged is None else self.expected.allows(self.columns(live, staged))

    def live_text(self, row: Record | None) -> str | None:
        """The value of a live row; None for no row."""
        return _text(self.live, row)

    def staged_text(self, row: Record | None) -> str | None:
        """The value of a staged row; None for no row."""
        return _text(self.staged, row)

    def columns(self, live: Record, staged: Record) -> tuple[str, ...]:
        """The columns of two rows that differ, or that only one has; none of values without columns."""
        one, other = _fields(self.live.value.type), _fields(self.staged.value.type)
        if live.value is None or staged.value is None:
            return ()
        return tuple(
            name
            for name in dict.fromkeys((*other, *one))
            if one.get(name) != other.get(name) or not codec.equal(one[name], live.value[name], staged.value[name])
        )


def expecting(pairs: Iterable[Pair], expected: Mapping[str, Expectation] | None) -> tuple[Pair, ...]:
    """The pairs with what is expected of them; None: nothing was said, so that each difference counts. Raises
    LsqlcError LSQ755 for topics and columns that there are not.
    """
    found = tuple(pairs)
    if expected is None:
        return found
    names = [pair.name for pair in found]
    wrong = [_unknown(f"the topic '{name}'", name, names) for name in expected if name not in names]
    for pair in found:
        known = sorted(_fields(pair.live.value.type) | _fields(pair.staged.value.type))
        asked = expected.get(pair.name, Expectation()).columns or ()
        wrong += [_unknown(f"the column '{c}' of '{pair.name}'", c, known) for c in sorted(set(asked) - set(known))]
    if wrong:
        raise LsqlcError(wrong)
    return tuple(replace(pair, expected=expected.get(pair.name, Expectation())) for pair in found)


def _unknown(what: str, name: str, known: Sequence[str]) -> Diagnostic:
    help = did_you_mean(name, known) or (f"compared are {listing(known)}" if known else "nothing is compared")
    return Diagnostic("LSQ755", f"something is expected of {what}, which is not compared", help=help)


def pairs_of(
    plans: Mapping[str, Plan],
    models: Iterable[str],
    live: Mapping[str, Topic],
    changes: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Pair, ...]:
    """The topics of rows that models write, in order of the models. `live`: those that are written until now;
    `changes`: what has changed in each model.
    """
    chosen = set(models)
    return tuple(
        Pair(
            model,
            live.get(topic.name, topic),
            topic,
            plan.semantics[topic.name],
            changes=(changes or {}).get(model, ()),
            is_letters=plan.dead_letters is not None and topic.name == plan.dead_letters.name,
        )
        for model, plan in plans.items()
        if model in chosen
        for topic in plan.outputs
    )


def _fields(type: DataType) -> dict[str, DataType]:
    return {field.name: field.type for field in type.fields} if isinstance(type, Struct) else {}


def _text(topic: Topic, row: Record | None) -> str | None:
    return None if row is None else canonical_text(topic.value.type, row.value)
