"""Each property of WITH, and each setting, that ksqlDB's dialect accepts: it has an effect, or is reported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from lsqlc.bind.ksql.program import compile_ksql
from lsqlc.bind.ksql.properties import PROPERTIES
from lsqlc.bind.ksql.settings import PREFIXES
from lsqlc.bind.topic_schemas import topic_schemas
from lsqlc.formats.protobuf.compiler import protobuf_text
from lsqlc.formats.subjects import Subject, SubjectVersion
from lsqlc.plan.plan import Compiled
from lsqlc.plan.serialise import plan_data
from lsqlc.plan.window_sizes import window_sizes
from lsqlc.syntax.ksql.parser import parse

_AVRO = '{"type": "record", "name": "R", "fields": [{"name": "%s", "type": "int"}]}'
_PROTOBUF = protobuf_text('syntax = "proto3"; message A { int32 a = 1; } message B { int32 b = 1; }')
_PROTOBUF_KEYS = protobuf_text('syntax = "proto3"; message A { int32 c = 1; } message B { int64 d = 1; }')
_SUBJECTS = {
    "avro-value": Subject(
        "avro-value", "NONE", tuple(SubjectVersion(n, n, "AVRO", _AVRO % f"f{n}") for n in (1, 2))
    ),
    "avro-key": Subject(
        "avro-key", "NONE", tuple(SubjectVersion(n, n, "AVRO", text) for n, text in enumerate(('"int"', '"long"'), 1))
    ),
    "proto-value": Subject("proto-value", "NONE", (SubjectVersion(1, 1, "PROTOBUF", _PROTOBUF),)),
    "proto-key": Subject("proto-key", "NONE", (SubjectVersion(1, 1, "PROTOBUF", _PROTOBUF_KEYS),)),
}  # fmt: skip
_OUT = "CREATE STREAM o AS SELECT * FROM s;"


def _compiled(text: str) -> Compiled:
    read = parse(text, "o.sql")
    assert read.program is not None, read.diagnostics
    return compile_ksql(read.program, {}, name="o", subjects=_SUBJECTS)


def _declared(properties: Mapping[str, str], columns: str = "(k STRING KEY, a BIGINT, b STRING)") -> str:
    with_ = ", ".join(f"{name} = {value}" for name, value in properties.items())
    return f"CREATE STREAM s {columns} WITH ({with_}); {_OUT}"


def _derived(properties: Mapping[str, str]) -> str:
    with_ = ", ".join(f"{name} = {value}" for name, value in properties.items())
    source = _declared({"KAFKA_TOPIC": "'s'", "VALUE_FORMAT": "'JSON'"}).removesuffix(_OUT)
    return f"{source} CREATE STREAM o WITH ({with_}) AS SELECT k, b FROM s;"


def _meaning(compiled: Compiled) -> Any:
    """The plan with its topics, the schemas of what it writes, and what only the bytes of keys show."""
    assert compiled.plan is not None, compiled.diagnostics
    settings = dict(compiled.plan.settings)
    plans = (compiled.plan,)
    schemas = [topic_schemas(topic, "avro", settings)[0] for topic in compiled.plan.outputs]
    return plan_data("o", compiled.plan.sinks, compiled.plan.settings), schemas, window_sizes(plans)


_JSON = {"KAFKA_TOPIC": "'s'", "VALUE_FORMAT": "'JSON'"}
_ROWS = {"KAFKA_TOPIC": "'s'", "FORMAT": "'DELIMITED'"}
_TIMED = {**_JSON, "TIMESTAMP": "'b'"}
_WINDOWED = {**_JSON, "WINDOW_TYPE": "'TUMBLING'", "WINDOW_SIZE": "'1 HOUR'"}
_INFERRED = {"KAFKA_TOPIC": "'avro'", "FORMAT": "'AVRO'"}
_MESSAGES = {"KAFKA_TOPIC": "'proto'", "FORMAT": "'PROTOBUF'"}

# By property: two programs that differ in it only.
ACTS = {
    "KAFKA_TOPIC": (_declared(_JSON), _declared({**_JSON, "KAFKA_TOPIC": "'t'"})),
    "KEY_FORMAT": (_declared(_JSON), _declared({**_JSON, "KEY_FORMAT": "'JSON'"})),
    "VALUE_FORMAT": (_declared(_JSON), _declared({**_JSON, "VALUE_FORMAT": "'AVRO'"})),
    "FORMAT": (_declared(_ROWS), _declared({**_ROWS, "FORMAT": "'JSON'"})),
    "PARTITIONS": (_declared(_JSON), _declared({**_JSON, "PARTITIONS": "4"})),
    "TIMESTAMP": (_declared(_JSON), _declared({**_JSON, "TIMESTAMP": "'a'"})),
    "TIMESTAMP_FORMAT": (
        _declared({**_TIMED, "TIMESTAMP_FORMAT": "'yyyy'"}), _declared({**_TIMED, "TIMESTAMP_FORMAT": "'yyyy-MM'"})
    ),
    "WINDOW_TYPE": (_declared(_JSON), _declared({**_JSON, "WINDOW_TYPE": "'SESSION'"})),
    "WINDOW_SIZE": (_declared(_WINDOWED), _declared({**_WINDOWED, "WINDOW_SIZE": "'2 HOURS'"})),
    "KEY_DELIMITER": (_declared(_ROWS), _declared({**_ROWS, "KEY_DELIMITER": "';'"})),
    "VALUE_DELIMITER": (_declared(_ROWS), _declared({**_ROWS, "VALUE_DELIMITER": "';'"})),
    "KEY_SCHEMA_ID": (_declared(_INFERRED, ""), _declared({**_INFERRED, "KEY_SCHEMA_ID": "1"}, "")),
    "VALUE_SCHEMA_ID": (_declared(_INFERRED, ""), _declared({**_INFERRED, "VALUE_SCHEMA_ID": "1"}, "")),
    "KEY_SCHEMA_FULL_NAME": (_declared(_MESSAGES, ""), _declared({**_MESSAGES, "KEY_SCHEMA_FULL_NAME": "'B'"}, "")),
    "VALUE_SCHEMA_FULL_NAME": (
        _declared(_MESSAGES, ""), _declared({**_MESSAGES, "VALUE_SCHEMA_FULL_NAME": "'B'"}, "")
    ),
    "VALUE_AVRO_SCHEMA_FULL_NAME": (
        _derived({"VALUE_FORMAT": "'AVRO'"}),
        _derived({"VALUE_FORMAT": "'AVRO'", "VALUE_AVRO_SCHEMA_FULL_NAME": "'shop.Order'"}),
    ),
}  # fmt: skip
# By property: programs in which it has no effect.
REPORTED = {
    "REPLICAS": [_declared({**_JSON, "REPLICAS": "3"}), _derived({"REPLICAS": "3"})],
    "RETENTION_MS": [_declared({**_JSON, "RETENTION_MS": "1000"}), _derived({"RETENTION_MS": "'86400000'"})],
    "SOURCED_BY_CONNECTOR": [_declared({**_JSON, "SOURCED_BY_CONNECTOR": "'c'"})],
    "WRAP_SINGLE_VALUE": [_derived({"WRAP_SINGLE_VALUE": "FALSE"})],
    "TIMESTAMP_FORMAT": [_declared({**_JSON, "TIMESTAMP_FORMAT": "'yyyy'"}), _derived({"TIMESTAMP_FORMAT": "'yyyy'"})],
    "KEY_PROTOBUF_NULLABLE_REPRESENTATION": [
        _derived({"FORMAT": "'PROTOBUF'", "KEY_PROTOBUF_NULLABLE_REPRESENTATION": "'WRAPPER'"}),
    ],
    "VALUE_PROTOBUF_NULLABLE_REPRESENTATION": [
        _derived({"FORMAT": "'PROTOBUF'", "VALUE_PROTOBUF_NULLABLE_REPRESENTATION": "'WRAPPER'"}),
        _derived({"VALUE_FORMAT": "'PROTOBUF_NOSR'", "VALUE_PROTOBUF_NULLABLE_REPRESENTATION": "'OPTIONAL'"}),
    ],
    "KEY_SCHEMA_ID": [_derived({"FORMAT": "'AVRO'", "KEY_SCHEMA_ID": "1"})],
    "VALUE_SCHEMA_ID": [_derived({"FORMAT": "'JSON_SR'", "VALUE_SCHEMA_ID": "1"})],
    "KEY_SCHEMA_FULL_NAME": [_derived({"FORMAT": "'PROTOBUF'", "KEY_SCHEMA_FULL_NAME": "'B'"})],
    "VALUE_SCHEMA_FULL_NAME": [
        _derived({"FORMAT": "'JSON_SR'", "VALUE_SCHEMA_FULL_NAME": "'B'"}),
        _declared({"KAFKA_TOPIC": "'s'", "FORMAT": "'AVRO'", "VALUE_SCHEMA_FULL_NAME": "'B'"}),
        _declared({**_INFERRED, "VALUE_SCHEMA_FULL_NAME": "'B'"}, ""),
    ],
    "KEY_FORMAT": [_declared({**_JSON, "KEY_FORMAT": "'JSON'"}, "(a INT)")],
    "KEY_DELIMITER": [_declared({**_ROWS, "KEY_DELIMITER": "';'"}, "(a INT)")],
}  # fmt: skip
# By property: programs that it may not be in.
REFUSED = {
    "KAFKA_TOPIC": [_derived({"KAFKA_TOPIC": "''"})],
    "REPLICAS": [_derived({"REPLICAS": "'many'"})],
    "RETENTION_MS": [_derived({"RETENTION_MS": "'7 days'"})],
    "WINDOW_TYPE": [_derived({"WINDOW_TYPE": "'SESSION'"})],
    "WINDOW_SIZE": [_derived({"WINDOW_SIZE": "'1 HOUR'"})],
    "SOURCED_BY_CONNECTOR": [_derived({"SOURCED_BY_CONNECTOR": "'c'"})],
    "WRAP_SINGLE_VALUE": [_derived({"VALUE_FORMAT": "'PROTOBUF_NOSR'", "WRAP_SINGLE_VALUE": "FALSE"})],
    "KEY_DELIMITER": [_derived({"KEY_DELIMITER": "';'"})],
    "VALUE_DELIMITER": [_derived({"VALUE_DELIMITER": "';'"})],
    "KEY_SCHEMA_ID": [_derived({"KEY_SCHEMA_ID": "1"})],
    "VALUE_SCHEMA_ID": [_derived({"VALUE_SCHEMA_ID": "1"}), _derived({"FORMAT": "'AVRO'", "VALUE_SCHEMA_ID": "'x'"})],
    "KEY_SCHEMA_FULL_NAME": [_derived({"KEY_SCHEMA_FULL_NAME": "'B'"})],
    "VALUE_SCHEMA_FULL_NAME": [
        _derived({"VALUE_SCHEMA_FULL_NAME": "'B'"}), _derived({"FORMAT": "'AVRO'", "VALUE_SCHEMA_FULL_NAME": "'1-2'"})
    ],
    "VALUE_AVRO_SCHEMA_FULL_NAME": [_derived({"VALUE_AVRO_SCHEMA_FULL_NAME": "'B'"})],
    "KEY_PROTOBUF_NULLABLE_REPRESENTATION": [_derived({"KEY_PROTOBUF_NULLABLE_REPRESENTATION": "'OPTIONAL'"})],
    "VALUE_PROTOBUF_NULLABLE_REPRESENTATION": [
        _derived({"FORMAT": "'PROTOBUF'", "VALUE_PROTOBUF_NULLABLE_REPRESENTATION": "'MAYBE'"})
    ],
}  # fmt: skip
# What says what happens anyway, and so is not reported.
ANYWAY = [
    _derived({"WRAP_SINGLE_VALUE": "TRUE"}),
    _derived({"VALUE_FORMAT": "'DELIMITED'", "WRAP_SINGLE_VALUE": "FALSE"}),
    _derived({"FORMAT": "'PROTOBUF'", "VALUE_PROTOBUF_NULLABLE_REPRESENTATION": "'OPTIONAL'"}),
]


def _named(cases: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, program) for name, programs in cases.items() for program in programs]


@pytest.mark.parametrize("name", PROPERTIES)
def test_each_property_has_an_effect_or_is_reported(name: str) -> None:
    """A new property cannot be accepted without a row here."""
    assert name in ACTS or name in REPORTED


@pytest.mark.parametrize("name", ACTS)
def test_a_property_changes_the_plan_or_the_schemas(name: str) -> None:
    """And gives no finding."""
    one, other = map(_compiled, ACTS[name])
    assert not one.diagnostics and not other.diagnostics
    assert _meaning(one) != _meaning(other)


@pytest.mark.parametrize(("name", "program"), _named(REPORTED))
def test_a_property_without_effect_is_reported(name: str, program: str) -> None:
    """By its name; the program compiles."""
    compiled = _compiled(program)
    assert compiled.plan is not None
    assert [(d.code, d.message) for d in compiled.diagnostics] == [
        ("LSQ394", f"'{name}' has no effect here and is ignored")
    ]


@pytest.mark.parametrize(("name", "program"), _named(REFUSED))
def test_a_property_that_goes_with_nothing_is_refused(name: str, program: str) -> None:
    """Where its value, the format or the statement does not go with it."""
    (error,) = (d for d in _compiled(program).diagnostics if d.is_error)
    assert error.code == "LSQ374"


@pytest.mark.parametrize("program", ANYWAY)
def test_what_happens_anyway_is_not_reported(program: str) -> None:
    """A property with the value that is the only one here."""
    assert _compiled(program).diagnostics == ()


def test_the_name_of_a_schema_is_that_of_the_topic_that_is_written() -> None:
    """By INSERT INTO too."""
    text = _declared({"KAFKA_TOPIC": "'s'", "FORMAT": "'AVRO'", "VALUE_SCHEMA_FULL_NAME": "'a.B'"})
    source = "CREATE STREAM r (k STRING KEY, a BIGINT, b STRING) WITH (KAFKA_TOPIC = 'r', VALUE_FORMAT = 'JSON');"
    compiled = _compiled(f"{source} {text.removesuffix(_OUT)} INSERT INTO s SELECT * FROM r;")
    assert compiled.diagnostics == () and compiled.plan is not None
    assert dict(compiled.plan.settings) == {"topic.s.value.avro.record": "a.B"}


@pytest.mark.parametrize("prefix", PREFIXES)
def test_each_setting_is_reported(prefix: str) -> None:
    """SET has no effect; a name that is not known is an error."""
    compiled = _compiled(f"SET '{prefix}x' = '1'; {_declared(_JSON)}")
    assert [d.code for d in compiled.diagnostics] == ["LSQ803"]
    assert [d.code for d in _compiled(f"SET 'x.{prefix}' = '1'; {_declared(_JSON)}").diagnostics] == ["LSQ320"]
