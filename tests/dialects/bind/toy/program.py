"""Programs of the toy language to plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsqlc.bind.calls import bind_arguments, result_type
from lsqlc.bind.expressions import Binder
from lsqlc.bind.findings import Findings
from lsqlc.bind.trace import Trace
from lsqlc.diagnostics import did_you_mean, order
from lsqlc.functions import calls, catalogue
from lsqlc.plan.expression import Call, Expression, Field, StructOf
from lsqlc.plan.nodes import Project, Scan, Sink
from lsqlc.plan.passes import optimise
from lsqlc.plan.plan import Compiled, Plan
from lsqlc.syntax import tree
from lsqlc.types.data import Struct
from lsqlc.types.record import Topic
from tests.dialects.syntax.toy.text import text_of
from tests.dialects.syntax.toy.tree import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyBinder(Binder):
    """Binds expressions over the value of one topic."""

    value: Struct

    def reference(self, reference: tree.Reference) -> Expression | None:
        name = reference.parts[0]
        field = self.value.field(name)
        if field is None:
            help = did_you_mean(name, [f.name for f in self.value.fields])
            self.findings.error("LSQ201", f"unknown column '{name}'", reference.at, help=help)
            return None
        return Field(0, "value", (name,), field.type, field.nullable)

    def call(self, call: tree.Call) -> Expression | None:
        function = catalogue.scalar(call.name.text, "toy")
        if function is None:
            reason = catalogue.refused(call.name.text, "toy")
            self.findings.error("LSQ207" if reason else "LSQ206", reason or "unknown function", call.name.at)
            return None
        arguments = bind_arguments(self, call, function)
        type = result_type(self, call, function, arguments) if arguments is not None else None
        if arguments is None or type is None:
            return None
        nullable = calls.nullable(function, [a.type for a in arguments], [a.nullable for a in arguments])
        return Call(catalogue.plan_name(function, "toy"), arguments, type, nullable)

    def is_aggregate(self, call: tree.Call) -> bool:
        return False

    def cast(self, cast: tree.Cast) -> Expression | None:
        raise AssertionError("the toy language has no casts")

    def index(self, index: tree.Index) -> Expression | None:
        raise AssertionError("the toy language has no indexes")

    def text(self, expression: tree.Expression) -> str:
        return text_of(expression)

    def argument_advice(self, function: str, argument: str) -> str | None:
        return None


def bind(program: Program, topics: Mapping[str, Topic], name: str, trace: Trace | None) -> Compiled:
    """The plan that keeps the columns in the topic `name`, under the key of the topic read."""
    findings = Findings(program.source, trace=trace)
    topic = topics.get(program.topic.text)
    if topic is None or not isinstance(topic.value.type, Struct):
        findings.error("LSQ200", f"unknown topic '{program.topic.text}'", program.topic.at)
        return Compiled(None, order(findings.found))
    binder = ToyBinder(findings, value=topic.value.type)
    bound = [binder.bind(column.expression) for column in program.columns]
    if findings.has_errors:
        return Compiled(None, order(findings.found))
    values = tuple(b for b in bound if b is not None)
    value = StructOf(tuple(c.name.text for c in program.columns), values)
    scan = Scan(topic, topic.name, "STREAM", topic.key, topic.value)
    key = Field(0, "key", (), topic.key.type, True)
    node = Project(scan, key, value, topic.key.format, topic.value.format, False, name)
    (relation,) = node.relations
    sink = Sink((optimise(node),), Topic(name, relation.key, relation.value))
    return Compiled(Plan(name, (sink,)), order(findings.found))
