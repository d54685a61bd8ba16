"""A compiled program: one sink per output topic."""

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
    """A compiled program.

    `settings`: the SET statements, sorted by name. `inserts`: records that the program inserts into its input topics,
    in order. They are test data, so they are not part of the fingerprint. A column or the timestamp of one may be an
    expression without inputs, which an engine computes.

    `computes_once`: a group that several parts of the program read is computed once. Programs of Lenses and ksqlDB have
    one query per reader. `skip_setting`: how to skip bad records, in the language of the program.
    """

    name: str
    sinks: tuple[Sink, ...]
    settings: tuple[tuple[str, str], ...] = ()
    inserts: tuple[Record, ...] = ()
    computes_once: bool = False
    skip_setting: str = SKIP_IN_CONFIG

    @property
    def outputs(self) -> tuple[Topic, ...]:
        """The output topics with their schemas, in order of the program; the dead-letter topic is last."""
        letters = self.dead_letters
        return tuple(map(written_topic, self.sinks)) + ((letters,) if letters else ())

    @property
    def policy(self) -> Policy:
        """The error policy for records that cannot be read."""
        return read_policy(dict(self.settings))

    @property
    def dead_letters(self) -> Topic | None:
        """The dead-letter topic, a STREAM; None if there is none."""
        return dead_letters(dict(self.settings))

    @property
    def inputs(self) -> tuple[Topic, ...]:
        """The input topics, each once, in order of the program."""
        topics = {s.topic.name: s.topic for sink in self.sinks for node in sink.inputs for s in scans(node)}
        return tuple(topics.values())

    @property
    def semantics(self) -> Mapping[str, Semantics]:
        """STREAM or TABLE, by output topic."""
        letters = self.dead_letters
        of_letters: dict[str, Semantics] = {letters.name: "STREAM"} if letters else {}
        return {sink.topic.name: sink.semantics for sink in self.sinks} | of_letters

    @property
    def fingerprint(self) -> str:
        """64 hexadecimal digits, equal for plans with the same meaning. Names do not matter."""
        return plan_fingerprint(self.sinks, self.settings)

    def __repr__(self) -> str:
        # The default representation would print the data of all nodes.
        return self.tree().rstrip("\n")

    def _repr_html_(self) -> str:
        return plan_html(self.tree())

    def tree(self) -> str:
        """Return the plan as text: one line per node, inputs indented below it, with a final newline."""
        return plan_text(self.name, self.sinks, self.settings)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as versioned JSON-ready data; the same on every run and machine."""
        return plan_data(self.name, self.sinks, self.settings)


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of compiling a program. `plan` is None if a diagnostic is an error."""

    plan: Plan | None
    diagnostics: tuple[Diagnostic, ...]
