"""Data tests that run beside the models: a plan for each tested topic, which writes a record for each that fails.

The plan keeps no state: a test is one that each record passes or fails by itself. So its query continues from its place
in the topic whatever has become of the tests, and a record is tested once, by the tests that there are when it comes.
Of a TABLE each version of a row is tested, where `lsqlc check` tests the rows that there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsqlc.functions.inner.families import JSON, OFFSET, PARTITION
from lsqlc.golden.assertions import Column
from lsqlc.golden.conditions import holds
from lsqlc.golden.show import plural
from lsqlc.lower.spark import unsupported
from lsqlc.plan import Plan, nodes
from lsqlc.plan.expression import (
    TRUE,
    ArrayOf,
    Call,
    Case,
    Expression,
    Field,
    Literal,
    Operation,
    RecordTime,
    StructOf,
    joined,
)
from lsqlc.plan.tested import NamedTest, name_of_tests, tested_topic
from lsqlc.project.build.compile import ModelBuild
from lsqlc.project.build.tested_topics import declared_tests
from lsqlc.tasks.bound_tests import BoundTest, TopicTests, bound_tests
from lsqlc.tasks.data_test_failures import failures_topic
from lsqlc.tasks.data_tests import failed_text
from lsqlc.types import data
from lsqlc.types.record import Facet, Topic

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.data_tests import DataTest
    from lsqlc.project.declared.target import Target

_FALSE = Literal(False, data.BOOLEAN)
# Why tests of a kind are left to `lsqlc check`.
_WHY: Mapping[str, str] = {
    "unique": "all values would be kept as state",
    "relationships": "a value may come to the other topic after the record that refers to it",
    "sql": "a query is asked of all records; a model with this query keeps its rows up to date",
    "freshness": "no record says that none has come; see the alert LsqlcFreshness",
}
# What these refer to may be of models that are not compiled.
_OF_OTHERS = ("relationships", "sql")


@dataclass(frozen=True, slots=True)
class Left:
    """A test that only `lsqlc check` runs, and why."""

    topic: str
    test: DataTest
    why: str


@dataclass(frozen=True, slots=True)
class LiveTests:
    """`plans`: one for each topic with tests, by the name of its query; `left`: the tests that are not among them."""

    plans: Mapping[str, Plan]
    left: tuple[Left, ...] = ()

    @property
    def written(self) -> frozenset[str]:
        """The topics that failures are written to."""
        return frozenset(topic.name for plan in self.plans.values() for topic in plan.outputs)

    @property
    def text(self) -> str:
        """What a run says of them when it starts."""
        counts = {name: len(plan.sinks[0].counted) for name, plan in self.plans.items()}
        each = (f"{plural(count, 'test')} of '{tested_topic(name)}'" for name, count in counts.items() if count)
        shown = ", ".join(each)
        to = ", ".join(f"'{topic}'" for topic in sorted(self.written))
        lines = [f"data tests beside the models: {shown}; failures go to {to}"] if shown else []
        lines += [f"{left.topic}: {left.test.text} is left to `lsqlc check`: {left.why}" for left in self.left]
        return "\n".join(lines or ["no topic of these models has data tests"])


NO_TESTS = LiveTests({})


def beside(compilation: Compilation, target: Target) -> LiveTests:
    """The tests that run beside the models of a compilation on a target: those of the topics that these read and write;
    where the target reads the other topics of another one, only of those that they write. Raises LsqlcError LSQ871 for
    a topic of failures that is the project's own, and as `live_tests`.
    """
    plans = compilation.plans.values()
    letters = {plan.dead_letters.name for plan in plans if plan.dead_letters is not None}
    topics = {topic.name for plan in plans for topic in plan.outputs} - letters
    if target.defers is None:
        topics |= {topic.name for plan in plans for topic in plan.inputs}
    return live_tests(compilation, failures_topic(compilation, compilation.project.config.live_tests.topic), topics)


def live_tests(compilation: Compilation, failures: Topic, topics: Collection[str]) -> LiveTests:
    """The live tests of some topics. `failures`: where their failures go. Raises LsqlcError LSQ870 for those that do
    not fit their topic.
    """
    kinds = compilation.semantics
    plans: dict[str, Plan] = {}
    left: list[Left] = []
    for of_topic in bound_tests(compilation, kinds, topics, only=lambda t: t.live and t.kind not in _OF_OTHERS):
        name = of_topic.topic.name
        reasons = [(bound, _not_live(bound, of_topic.topic)) for bound in of_topic.tests]
        left += [Left(name, bound.test, why) for bound, why in reasons if why]
        tests = replace(of_topic, tests=tuple(bound for bound, why in reasons if not why))
        watched = any(bound.test.kind == "freshness" for bound in of_topic.tests) and of_topic.topic.files is None
        if tests.tests or watched:
            plans[name_of_tests(name)] = live_plan(tests, failures)
    left += _related(compilation, topics)
    return LiveTests(plans, tuple(left))


def live_plan(tests: TopicTests, failures: Topic) -> Plan:
    """The plan of the tests of one topic, over its records; without tests no record fails, and the newest is noted. Bad
    records are counted and passed over: what becomes of them is for the models to say.
    """
    topic = tests.topic
    scan = nodes.Scan(topic, topic.name, "STREAM", topic.key, topic.value)
    # A test that is declared twice, as of a topic and of its model, is one.
    own = {NamedTest(topic.name, bound.test.text, bound.test.severity): bound for bound in tests.tests}
    conditions = [_fails(bound, topic, table=tests.table) for bound in own.values()]
    what = "row" if tests.table else "record"
    parts = [
        StructOf(
            ("fails", "test", "severity", "message"),
            (condition, *map(_text, (name.test, name.severity, failed_text(topic.name, 1, what, name.test)))),
        )
        for name, condition in zip(own, conditions, strict=True)
    ]
    if not parts:
        conditions, parts = [_FALSE], [StructOf(("fails", "test", "severity", "message"), (_FALSE, *map(_text, "   ")))]
    array = data.Array(parts[0].type)
    # Few records fail: the others have no elements.
    some = Case(((joined("OR", conditions), ArrayOf(tuple(parts), array)),), ArrayOf((), array), array)
    each = nodes.LateralOfAll(scan, some, "test")
    failed = nodes.Filter(each, Field(1, "value", ("fails",), data.BOOLEAN, False))
    said = tuple(Field(1, "value", (name,), data.STRING, False) for name in ("test", "severity", "message"))
    value = StructOf(
        ("topic", "test", "severity", "message", "key", "value", "timestamp", "partition", "offset"),
        (
            _text(topic.name), *said, _json(topic.key, "key"), _json(topic.value, "value"), RecordTime(),
            Call(PARTITION, (), data.INT, True), Call(OFFSET, (), data.BIGINT, True),
        ),
    )  # fmt: skip
    none = Literal(None, data.NULL)
    written = nodes.Project(failed, none, value, failures.key.format, failures.value.format, False, failures.name)
    counted = tuple((name.text, _counted(name)) for name in own)
    sink = nodes.Sink((written,), replace(failures, ordinal_width=written.ordinal_width), counted)
    return Plan(name_of_tests(topic.name), (sink,), (("error.policy", "continue"),))


def with_tests(compilation: Compilation, tests: LiveTests) -> Compilation:
    """The compilation with the plans of tests behind those of the models, as a run takes it."""
    builds = {name: ModelBuild(name, "compiled", plan, outputs=plan.outputs) for name, plan in tests.plans.items()}
    return replace(compilation, models={**compilation.models, **builds}, selected=compilation.selected | builds.keys())


def _fails(bound: BoundTest, topic: Topic, *, table: bool) -> Expression:
    """Whether a record of the topic fails; never null. `table`: one without a value is no row, and fails no test."""
    failing = _failing(bound, topic)
    return joined("AND", (_present(topic), failing)) if table and failing != _FALSE else failing


def _failing(bound: BoundTest, topic: Topic) -> Expression:
    test = bound.test
    match test.kind:
        case "not_null":
            return joined("OR", [_is("IS NULL", _column(column)) for column in bound.columns])
        case "accepted_values":
            (column,) = bound.columns
            field = _column(column)
            values = tuple(Literal(value, column.type) for value in test.values)
            if not values:
                return _is("IS NOT NULL", field)
            among = Operation("IN", (field, *values), data.BOOLEAN, True)
            return _otherwise(joined("OR", (_is("IS NULL", field), among)))
    assert bound.plan is not None, "a condition has been bound"
    return joined("AND", (_present(topic), _otherwise(holds(bound.plan))))


def _otherwise(condition: Expression) -> Expression:
    """Whether the condition is false or null."""
    return Case(((condition, _FALSE),), TRUE, data.BOOLEAN)


def _present(topic: Topic) -> Expression:
    return _is("IS NOT NULL", Field(0, "value", (), topic.value.type, True))


def _is(operator: str, operand: Expression) -> Expression:
    return Operation(operator, (operand,), data.BOOLEAN, False)


def _column(column: Column) -> Field:
    return Field(0, column.facet, column.fields, column.type, True)


def _text(value: str) -> Literal:
    return Literal(value, data.STRING)


def _json(facet: Facet, name: str) -> Expression:
    """A facet as JSON; `null` for one that is absent."""
    if facet.is_absent:
        return _text("null")
    whole = Field(0, "key" if name == "key" else "value", (), facet.type, True)
    return Call(JSON, (whole,), data.STRING, False)


def _counted(name: NamedTest) -> Expression:
    """Whether a written record is a failure of the test."""
    said = (("test", name.test), ("severity", name.severity))
    fields = [(Field(0, "value", (field,), data.STRING, False), text) for field, text in said]
    return joined("AND", [Operation("=", (field, _text(text)), data.BOOLEAN, False) for field, text in fields])


def _not_live(bound: BoundTest, topic: Topic) -> str:
    """Why a test does not run beside the models; empty if it does."""
    if bound.test.kind in _WHY:
        return _WHY[bound.test.kind]
    if topic.files is not None:
        return "the topic consists of files"
    if bound.plan is not None and unsupported(bound.plan):
        return unsupported(bound.plan)[0].message
    return ""


def _related(compilation: Compilation, topics: Collection[str]) -> Iterator[Left]:
    """The tests of the topics that other topics decide."""
    for topic, test in declared_tests(compilation):
        if topic in topics and test.live and test.kind in _OF_OTHERS:
            yield Left(topic, test, _WHY[test.kind])
