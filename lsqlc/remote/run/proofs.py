"""The comparison of the rows of staged models with those of live ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that differs. `live`, `staged`: its values as text; None: no such row; `columns`: those that differ."""

    key: str
    live: str | None
    staged: str | None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """The comparison of a topic of a staged model with the live topic. All numbers are of rows, or records of a STREAM.

    - `live`, `staged`: the rows of each topic.
    - `equal`, `changed`, `new` (only staged), `gone` (only live): the results of the comparison.
    - `moving`: keys whose rows changed in every attempt to compare them. They have no result.
    - `columns`: for each column, the number of changed rows in which it differs.
    - `unexpected`: the number of differences that were not declared as expected; None if nothing was declared.
    - `differences`: the first unexpected differences.
    - `changes`: the changes of the model's program, as texts.
    - `uncompared`: the `live` and `new` rows without a result. Records of a STREAM that arrived during the comparison
      are not counted.
    - `required`: the share that must have been compared, from 0 to 1.
    """

    model: str
    topic: str
    live: int
    staged: int
    equal: int
    changed: int
    new: int
    gone: int
    moving: int
    columns: Mapping[str, int]
    differences: tuple[Difference, ...] = ()
    semantics: Literal["STREAM", "TABLE"] = "TABLE"
    unexpected: int | None = None
    changes: tuple[str, ...] = ()
    uncompared: int = 0
    required: float = 1.0

    @property
    def differing(self) -> int:
        """The number of rows that differ."""
        return self.changed + self.new + self.gone

    @property
    def share(self) -> float:
        """The share of the rows that were compared, from 0 to 1; 1 if there are no rows."""
        compared = self.equal + self.differing
        return compared / (compared + self.uncompared) if self.uncompared else 1.0

    @property
    def ok(self) -> bool:
        """Whether all differences are expected, and enough rows were compared."""
        return not (self.differing if self.unexpected is None else self.unexpected) and self.share >= self.required

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON-ready data."""
        return {
            "model": self.model, "topic": self.topic, "semantics": self.semantics, "ok": self.ok,
            "live": self.live, "staged": self.staged, "equal": self.equal, "changed": self.changed,
            "new": self.new, "gone": self.gone, "moving": self.moving, "unexpected": self.unexpected,
            "uncompared": self.uncompared, "share": self.share,
            "changes": list(self.changes),
            "columns": dict(self.columns),
            "differences": [
                {"key": d.key, "live": d.live, "staged": d.staged, "columns": list(d.columns)} for d in self.differences
            ],
        }  # fmt: skip
