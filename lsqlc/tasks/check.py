"""The data tests of a project, over the records that a target has now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic
from lsqlc.project.workspace import Workspace, sound
from lsqlc.tasks.bound_tests import TopicTests, bound_tests
from lsqlc.tasks.data_test_failures import failures_topic, write_failures
from lsqlc.tasks.data_tests import DataTestResult, Tested, run_tests
from lsqlc.tasks.delta_topics import load_topics
from lsqlc.tasks.run_target import open_compiled
from lsqlc.tasks.show import records_of
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The data tests that a command asks for.

    `now`: milliseconds since 1970; `names`: topics and models, all without any; `last`: only so many records of each
    STREAM, 0: all; `failures`: the topic that failures are appended to; `target`: a name of profiles.yml, None: its
    default.
    """

    now: int
    names: Sequence[str] = ()
    last: int = 0
    failures: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The results of data tests on a target. `failures_topic`: the topic of failures; `failures`: their number."""

    target: str
    tests: tuple[DataTestResult, ...]
    failures_topic: str | None = None
    failures: int = 0

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """One diagnostic for each test that does not pass."""
        return tuple(test.diagnostic for test in self.tests if not test.passed)

    @property
    def ok(self) -> bool:
        """Whether no test fails that is more than a warning."""
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)


def check_records(workspace: Workspace, request: CheckRequest, report: Callable[[DataTestResult], None]) -> CheckResult:
    """Run the data tests of topics and models over the records of a target. `report`: called for each result.

    Raises ProjectError for errors in the project. Raises LsqlcError for an unknown target, for tests that do not fit
    their topics, and for records that cannot be read.
    """
    target = workspace.target(request.target)
    compilation = sound(workspace.compilation)
    place = open_compiled(compilation, target)

    def read(topic: Topic) -> Iterator[Tested]:
        if topic.files:
            return records_of(topic, place.log, workspace.root, rows=False)
        # By position, not by time: the newest record of a key is the last one in the log.
        return place.log.read(topic, by_time=False)

    topic = failures_topic(compilation, request.failures) if request.failures is not None else None
    tests = bound_tests(compilation, compilation.semantics, request.names)
    load_topics(compilation.project.topics, place, set(_read_names(tests)))
    has_partitions = place.capabilities.has_partitions
    results = []
    for result in run_tests(tests, read, now=request.now, last=request.last, with_partitions=has_partitions):
        results.append(result)
        report(result)
    count = write_failures(place.log, topic, results, now=request.now) if topic is not None else 0
    return CheckResult(target.name, tuple(results), topic.name if topic is not None else None, count)


def _read_names(tests: Sequence[TopicTests]) -> Iterator[str]:
    """Yield the names of the topics that tests read."""
    for of_topic in tests:
        yield of_topic.topic.name
        for bound in of_topic.tests:
            if bound.related is not None:
                yield bound.related[0].name
            if bound.query is not None:
                yield from (topic.name for topic in bound.query.plan.inputs)
