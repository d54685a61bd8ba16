"""Rows of staged models beside those of the live ones: how many are equal, and which differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that differs. `live`, `staged`: its values as text, None for no row; `columns`: those that differ."""

    key: str
    live: str | None
    staged: str | None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """A topic of a staged model beside the live one. `live`, `staged`: how many rows, of a STREAM how many records;
    `equal`, `changed`, `new` (only staged), `gone` (only live): how many of them; `moving`: keys that changed whenever
    they were looked at, of which nothing is said; `columns`: in how many changed rows each differs; `differences`: the
    first of them, of those that nobody expects; `unexpected`: how many these are, None where nothing was said of what
    is expected. `changes`: what has changed in the program of the model, in words.

    `uncompared`: how many of the `live` and `new` ones nothing is said of; of a STREAM, records that came while it was
    read are none of them. `required`: the share that must have been compared, from 0 to 1.
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
        """How many rows differ."""
        return self.changed + self.new + self.gone

    @property
    def share(self) -> float:
        """The share of the rows on either side that were compared, from 0 to 1; 1 where there are none."""
        compared = self.equal + self.differing
        return compared / (compared + self.uncompared) if self.uncompared else 1.0

    @property
    def ok(self) -> bool:
        """Whether no row differs, or all that do are expected to, and enough of them were compared."""
        return not (self.differing if self.unexpected is None else self.unexpected) and self.share >= self.required

    def to_json(self) -> dict[str, Any]:
        """The proof as JSON-ready data."""
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
