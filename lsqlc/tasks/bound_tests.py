"""The data tests of a project, bound to the topics that they are of: columns, topics and conditions that they name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.golden.assertions import Column, column_of
from lsqlc.golden.conditions import condition_plan
from lsqlc.plan import Plan, nodes
from lsqlc.project.build.tested_topics import results_of
from lsqlc.project.declared.data_tests import DataTest, Scalar
from lsqlc.tasks.query_tests import QueryTest, query_test
from lsqlc.types import data
from lsqlc.types.record import Topic

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Model

_INTEGERS = (data.INT, data.BIGINT)


@dataclass(frozen=True, slots=True)
class TopicTests:
    """The tests of one topic, bound to its schema. `table`: whether its rows are tested."""

    topic: Topic
    table: bool
    tests: tuple[BoundTest, ...]


@dataclass(frozen=True, slots=True)
class BoundTest:
    """A test with the columns that it names. `plan`: of a condition, see `conditions`; `related`: the topic that must
    have the values, whether it is a TABLE, and its column; `query`: of a test that is one. `rows`: the newest record of
    each key is tested, although the topic is not a TABLE that a model writes.
    """

    test: DataTest
    columns: tuple[Column, ...] = ()
    plan: Plan | None = None
    related: tuple[Topic, bool, Column] | None = None
    query: QueryTest | None = None
    rows: bool = False


def bound_tests(
    compilation: Compilation,
    kinds: Mapping[str, str],
    names: Collection[str] = (),
    *,
    only: Callable[[DataTest], bool] = lambda test: True,
) -> tuple[TopicTests, ...]:
    """The tests of all topics and models, or of those of these names, by topic. `kinds`: STREAM or TABLE, of topics;
    `only`: which of the tests.

    Raises LsqlcError: LSQ063 for an unknown name, LSQ870 for tests that do not fit the topic.
    """
    declared = {d.topic.name: d.tests for d in compilation.project.topics}
    problems: list[Diagnostic] = []
    unknown = [name for name in names if name not in {*declared, *compilation.topics, *compilation.models}]
    for name in unknown:
        all_names = {*compilation.topics, *compilation.models}
        help = did_you_mean(name, all_names) or f"known are {listing(sorted(all_names))}"
        problems.append(Diagnostic("LSQ063", f"unknown topic or model '{name}'", help=help))
    asked: dict[str, list[DataTest]] = {}
    for topic, tests in declared.items():
        if tests and (not names or topic in names):
            asked.setdefault(topic, []).extend(tests)
    for model in compilation.project.models:
        topic_name = _written(compilation, model, problems) if model.tests else None
        if topic_name is not None and (not names or {model.name, topic_name} & set(names)):
            asked.setdefault(topic_name, []).extend(model.tests)
    found = []
    for name, declared_tests in sorted(asked.items()):
        wanted = [test for test in declared_tests if only(test)]
        known = compilation.topics[name]
        bound = [_bound(test, known, compilation, kinds, problems) for test in wanted]
        found.append(TopicTests(known, kinds.get(name) == "TABLE", tuple(b for b in bound if b is not None)))
    if problems:
        raise LsqlcError(problems)
    return tuple(found)


def _bound(
    test: DataTest, topic: Topic, compilation: Compilation, kinds: Mapping[str, str], problems: list[Diagnostic]
) -> BoundTest | None:
    """The test with the columns that it names. What does not fit is added to the problems."""
    before = len(problems)
    columns = [found for name in test.columns if (found := _column(name, topic, test, problems)) is not None]
    related = None
    plan = None
    query = None
    if test.kind == "relationships":
        other = compilation.topics.get(test.to)
        if other is None:
            help = did_you_mean(test.to, compilation.topics)
            problems.append(_unfit(test, f"unknown topic '{test.to}'", help))
        elif (target := _column(test.field, other, test, problems)) is not None:
            if columns and target.type != columns[0].type:
                said = f"'{test.columns[0]}' is {columns[0].type}, and '{test.field}' of '{test.to}' is {target.type}"
                problems.append(_unfit(test, said, "compare columns of one type"))
            related = (other, kinds.get(test.to) == "TABLE", target)
    elif test.kind == "accepted_values" and columns:
        wrong = [value for value in test.values if not _fits(value, columns[0].type)]
        if wrong:
            shown = repr(wrong[0]) if isinstance(wrong[0], str) else str(wrong[0]).lower()
            said = f"the value {shown} cannot be one of '{test.columns[0]}', which is {columns[0].type}"
            problems.append(_unfit(test, said, "use a `condition` for types other than STRING, integers and BOOLEAN"))
    elif test.kind == "condition":
        plan, wrong_parts = condition_plan(test.given, topic)
        problems += [replace(part.diagnostic, span=test.span) for part in wrong_parts]
    elif test.kind == "sql":
        query, errors = query_test(test.given, compilation)
        problems += [replace(d, span=test.span, notes=(*d.notes, _in_query(d))) for d in errors]
    rows = test.kind == "unique" and topic.name not in kinds and _is_read_as_table(topic, compilation)
    return BoundTest(test, tuple(columns), plan, related, query, rows) if len(problems) == before else None


def _is_read_as_table(topic: Topic, compilation: Compilation) -> bool:
    """Whether a topic has a key whose newest record counts: some model reads it as a TABLE, or none reads it."""
    read = {
        scan.semantics
        for plan in compilation.plans.values()
        for sink in plan.sinks
        for node in sink.inputs
        for scan in nodes.scans(node)
        if scan.topic.name == topic.name
    }
    return not topic.key.is_absent and (not read or "TABLE" in read)


def _column(name: str, topic: Topic, test: DataTest, problems: list[Diagnostic]) -> Column | None:
    found = column_of(name, topic)
    if isinstance(found, Column):
        return found
    help = did_you_mean(name, found) or (f"known are {listing(found)}" if found else None)
    problems.append(_unfit(test, f"'{topic.name}' has no column '{name}'", help))
    return None


def _in_query(diagnostic: Diagnostic) -> str:
    at = diagnostic.span
    return f"in line {at.line}, column {at.column} of the query" if at is not None else "in the query"


def _written(compilation: Compilation, model: Model, problems: list[Diagnostic]) -> str | None:
    """The one topic that a model writes; None for a model with errors."""
    topics = results_of(compilation, model)
    if topics is None:
        return None
    if len(topics) == 1:
        return topics[0]
    said = f"the model '{model.name}' writes {listing(topics)}, and its tests do not say which topic they are of"
    problems.append(_unfit(model.tests[0], said, "declare the topics in YAML, each with its tests"))
    return None


def _unfit(test: DataTest, message: str, help: str | None) -> Diagnostic:
    return Diagnostic("LSQ870", message, test.span, help=help)


def _fits(value: Scalar, type: data.DataType) -> bool:
    if isinstance(value, bool):
        return type == data.BOOLEAN
    return type in _INTEGERS if isinstance(value, int) else type == data.STRING
