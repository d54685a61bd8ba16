"""The topics of staged models, each as the live and as the staged program writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lsqlc.golden.canonical import canonical_text
from lsqlc.plan.nodes import Semantics
from lsqlc.plan.plan import Plan
from lsqlc.types import codec
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Record, Topic

# How many rows of a topic are shown.
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """A topic as the live and as the staged program of a model write it: a new program may have other columns."""

    model: str
    live: Topic
    staged: Topic
    semantics: Semantics = "TABLE"

    @property
    def name(self) -> str:
        return self.staged.name

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


def pairs_of(plans: Mapping[str, Plan], models: Iterable[str], live: Mapping[str, Topic]) -> tuple[Pair, ...]:
    """The topics of rows that models write, in order of the models. `live`: those that are written until now."""
    chosen = set(models)
    return tuple(
        Pair(model, live.get(topic.name, topic), topic, plan.semantics[topic.name])
        for model, plan in plans.items()
        if model in chosen
        for topic in plan.outputs
    )


def _fields(type: DataType) -> dict[str, DataType]:
    return {field.name: field.type for field in type.fields} if isinstance(type, Struct) else {}


def _text(topic: Topic, row: Record | None) -> str | None:
    return None if row is None else canonical_text(topic.value.type, row.value)
