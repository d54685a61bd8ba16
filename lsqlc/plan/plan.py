"""A compiled program: one sink per topic that it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsqlc.diagnostics import Diagnostic
from lsqlc.plan.changes import written_topic
from lsqlc.plan.fingerprint import plan_fingerprint
from lsqlc.plan.html import plan_html
from lsqlc.plan.nodes import Semantics, Sink, scans
from lsqlc.plan.policies import dead_letters, read_policy
from lsqlc.plan.printing import plan_text
from lsqlc.plan.serialise import plan_data
from lsqlc.types.error_policy import SKIP_IN_CONFIG, Policy
from lsqlc.types.record import Record, Topic


@dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """`settings` are the program's SET statements, sorted by name. `inserts` are records that the program itself gives
    to topics that it reads, in its order: test data, no part of what the plan means, and so of no fingerprint. A column
    of one, or its timestamp, may be an expression that reads nothing, which an engine computes.
    `computes_once`: queries may compute groups once that several parts of the program read. Those of Lenses and ksqlDB
    have had a query for each, which goes on. `skip_setting`: what skips bad records, in the
    language of the program.
    """

    name: str
    sinks: tuple[Sink, ...]
    settings: tuple[tuple[str, str], ...] = ()
    inserts: tuple[Record, ...] = ()
    computes_once: bool = False
    skip_setting: str = SKIP_IN_CONFIG

    @property
    def outputs(self) -> tuple[Topic, ...]:
        """The topics that it writes, with their schemas, in order of the program; that of bad records is the last."""
        letters = self.dead_letters
        return tuple(map(written_topic, self.sinks)) + ((letters,) if letters else ())

    @property
    def policy(self) -> Policy:
        """What becomes of a record that cannot be read."""
        return read_policy(dict(self.settings))

    @property
    def dead_letters(self) -> Topic | None:
        """The topic for records that cannot be read, a STREAM; None if they go nowhere."""
        return dead_letters(dict(self.settings))

    @property
    def inputs(self) -> tuple[Topic, ...]:
        """The topics that it reads, each once, in order of the program."""
        found = {s.topic.name: s.topic for sink in self.sinks for node in sink.inputs for s in scans(node)}
        return tuple(found.values())

    @property
    def semantics(self) -> Mapping[str, Semantics]:
        """STREAM or TABLE of each topic written."""
        letters = self.dead_letters
        found: dict[str, Semantics] = {letters.name: "STREAM"} if letters else {}
        return {sink.topic.name: sink.semantics for sink in self.sinks} | found

    @property
    def fingerprint(self) -> str:
        """64 hexadecimal digits that are equal for plans that mean the same: names for people do not count."""
        return plan_fingerprint(self.sinks, self.settings)

    def __repr__(self) -> str:
        # The nodes are deep: their data is longer than any screen.
        return self.tree().rstrip("\n")

    def _repr_html_(self) -> str:
        return plan_html(self.tree())

    def tree(self) -> str:
        """Return the plan for people: one line per node, inputs indented below it; ends with a newline."""
        return plan_text(self.name, self.sinks, self.settings)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON-ready data, versioned; the same on every run and machine."""
        return plan_data(self.name, self.sinks, self.settings)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What compiling a program gave. `plan` is None if a diagnostic is an error."""

    plan: Plan | None
    diagnostics: tuple[Diagnostic, ...]
