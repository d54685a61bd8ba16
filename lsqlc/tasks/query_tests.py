"""Data tests that are queries, `sql: SELECT ...`: in standard SQL, whichever dialect the models have, over any topics
of the project. Each row that a query gives is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsqlc.bind.materialized import Materialized
from lsqlc.diagnostics import Diagnostic
from lsqlc.dialects import dialect
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan import Plan, nodes
from lsqlc.types.record import Case, Record, Topic

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation

# The topic of the rows; it is never written.
_NAME = "_failures"


@dataclass(frozen=True, slots=True)
class QueryTest:
    """A query that compiles. `reads`: its topics, as they are declared, those of which it reads the rows first."""

    plan: Plan
    reads: tuple[Topic, ...]

    @property
    def rows_of(self) -> Topic:
        """The types of its rows."""
        (topic,) = self.plan.outputs
        return topic

    def rows(self, read: Callable[[Topic], Iterator[Record]], now: int) -> Sequence[Record]:
        """Return the rows of the query. `read`: the records of a topic in order of the log; `now`: epoch milliseconds.

        A STREAM that is joined with a TABLE meets its current rows, since those come first. All records of the topics
        are held in memory. Raises LsqlcError as `read` and the engine.
        """
        records = tuple(record for topic in self.reads for record in read(topic))
        (answer,) = evaluate(self.plan, [Case("check", (records,), now)])
        return answer.topics[_NAME]


def query_test(text: str, compilation: Compilation) -> tuple[QueryTest | None, tuple[Diagnostic, ...]]:
    """Return the query of a test, or all errors in it, with positions in the text."""
    language = dialect("sql")
    parsed = language.parse(text, "<test>")
    errors = [d for d in parsed.diagnostics if d.is_error]
    if parsed.program is None or errors:
        return None, tuple(errors)
    # The records are as they came out: where their time comes from, and of what they were made, no longer matters.
    topics = {
        name: replace(topic, event_time=None, ordinal_width=1, connector="embedded")
        for name, topic in compilation.topics.items()
    }
    bound = language.bind(
        parsed.program, topics, name=_NAME, materialized=Materialized(), functions=compilation.project.functions
    )
    if bound.plan is None:
        return None, tuple(d for d in bound.diagnostics if d.is_error)
    kinds = {
        scan.topic.name: scan.semantics for sink in bound.plan.sinks for n in sink.inputs for scan in nodes.scans(n)
    }
    names = sorted((topic.name for topic in bound.plan.inputs), key=lambda name: kinds.get(name) != "TABLE")
    return QueryTest(bound.plan, tuple(compilation.topics[name] for name in names)), ()
