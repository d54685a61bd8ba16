"""Data tests beside the models: their plans find what `lsqlc check` finds, and say what is left to it."""

from __future__ import annotations

import datetime
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.functions.inner.families import OFFSET, PARTITION
from lsqlc.lower.duckdb import evaluate
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import COUNTED, NEWEST_TIME, Observe
from lsqlc.plan.kafka_order import kafka_order
from lsqlc.plan.tested import named_test
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.target import Target
from lsqlc.tasks.bound_tests import bound_tests
from lsqlc.tasks.data_test_failures import failures_topic
from lsqlc.tasks.data_tests import DataTestResult, run_tests
from lsqlc.tasks.live_tests import beside, live_plan, live_tests
from lsqlc.types import codec
from lsqlc.types.record import Case, Record, StoredRecord, Topic

from .test_data_tests import KINDS, RIDES, compiled, project

WIDE = """topics:
  - name: rides
    key: 'a INT, b STRING'
    value: >-
      name STRING, size INT, many BIGINT, price DECIMAL(20, 9), share DOUBLE, part FLOAT, open BOOLEAN, day DATE,
      at TIMESTAMP, raw BYTES, tags ARRAY<STRING>, counts MAP<STRING, DOUBLE>, inner STRUCT<at: TIMESTAMP, x: DOUBLE>
    tests:
      - not_null: [_key, size]
      - not_null: _key.b
      - not_null: [inner.at, share]
      - accepted_values: {column: name, values: [a, "it's", 'x"y']}
      - accepted_values: {column: many, values: [-1, 9007199254740993]}
      - accepted_values: {column: open, values: [true]}
      - {accepted_values: {column: size, values: []}, severity: warn}
      - condition: size >= 0 AND share < 2
      - {condition: at IS NULL OR price > 1, severity: warn}
"""
INSTANT = datetime.datetime(2024, 2, 29, 23, 59, 59, 120000, tzinfo=datetime.UTC)


def checked(compilation: Compilation, topics: dict[str, tuple[StoredRecord, ...]]) -> list[DataTestResult]:
    def read(topic: Topic) -> Iterator[StoredRecord]:
        return iter(topics.get(topic.name, ()))

    return list(run_tests(bound_tests(compilation, KINDS), read, now=60_000))


def found_by_check(results: list[DataTestResult], topic: Topic) -> list[tuple[Any, ...]]:
    return sorted(
        (r.test.text, r.test.severity, repr(decoded(topic, f.key, f.value)), f.timestamp)
        for r in results for f in r.failures if r.topic == topic.name
    )  # fmt: skip


def found_live(compilation: Compilation, topic: str, records: tuple[StoredRecord, ...]) -> list[tuple[Any, ...]]:
    """What the plan of a topic's tests writes on DuckDB."""
    failures = failures_topic(compilation, "failures")
    plan = live_tests(compilation, failures, [topic]).plans[f"tests:{topic}"]
    given = tuple(Record(r.topic, r.key, r.value, r.timestamp) for r in records)
    (outcome,) = evaluate(plan, [Case("x", (given,))])
    assert not outcome.counts
    written = [record.value for record in outcome.topics["failures"]]
    assert all(w["topic"] == topic and w["partition"] is None and w["offset"] is None for w in written)
    assert all(w["message"].endswith(f" of '{topic}' fails: {w['test']}") for w in written)
    schema = compilation.topics[topic]
    return sorted(
        (w["test"], w["severity"], repr(decoded(schema, w["key"], w["value"])), w["timestamp"]) for w in written
    )


def decoded(topic: Topic, key: str, value: str) -> tuple[Any, Any]:
    """The facets of a failure: numbers may be spelled in several ways."""
    return codec.decode_text(topic.key.type, key)[0], codec.decode_text(topic.value.type, value)[0]


@pytest.mark.parametrize("seed", range(5))
def test_a_plan_finds_what_check_finds(tmp_path: Path, seed: int) -> None:
    """Random records of all types, records without a key or a value among them."""
    compilation = project(tmp_path / "shop")
    (tmp_path / "shop/models/topics.yml").write_text(WIDE)
    (tmp_path / "shop/models/totals.sql").write_text("SELECT TABLE name, COUNT(*) AS n FROM rides GROUP BY name;")
    compilation = compiled(tmp_path / "shop")
    assert not compilation.diagnostics
    draw = random.Random(seed)

    def one(*values: Any) -> Any:
        return draw.choice((None, *values))

    def value() -> dict[str, Any]:
        shares = (0.5, 3.0, -0.0, 1e300, math.nan, math.inf, -math.inf)
        return {
            "name": one("a", "it's", 'x"y', "é\n"), "size": one(-1, 0, 7), "many": one(-1, 9007199254740993),
            "price": one(Decimal("0.100000000"), Decimal("12345678901.123456789")), "share": one(*shares),
            "part": one(0.5, math.inf), "open": one(True, False), "day": one(datetime.date(1970, 1, 1)),
            "at": one(INSTANT, INSTANT.replace(microsecond=0)), "raw": one(b"", b"\x00\xff" * 40),
            "tags": one([], ["a", None]), "counts": one({}, {"a": 1.5, "b": math.nan}),
            "inner": one({"at": one(INSTANT), "x": one(1.0)}),
        }  # fmt: skip

    keys = (lambda: {"a": 1, "b": one("x")}, lambda: None)
    records = tuple(
        StoredRecord("rides", draw.choice(keys)(), draw.choice((value, value, lambda: None))(), n // 2, (n,))
        for n in range(60)
    )
    results = checked(compilation, {"rides": records})
    found = found_live(compilation, "rides", records)
    assert found == found_by_check(results, compilation.topics["rides"]) and len(found) > 60


def test_rows_of_a_table_are_tested_as_they_come(tmp_path: Path) -> None:
    """Where no key comes twice these are the rows that check sees; a deletion fails no test."""
    tests = (
        "    tests:\n      - {condition: n < 2, severity: warn}\n      - accepted_values: {column: n, values: [1, 9]}\n"
    )
    compilation = project(tmp_path / "shop", models=f"{tests}      - not_null: n\n")
    records = tuple(
        StoredRecord("totals", key, value, 5, (n,))
        for n, (key, value) in enumerate(
            (("a", {"station": "a", "n": 1}), ("b", {"station": "b", "n": 3}), ("c", None))
        )
    )
    found = found_live(compilation, "totals", records)
    assert found == found_by_check(checked(compilation, {"totals": records}), compilation.topics["totals"])
    assert [text for text, *_ in found] == ["accepted_values n in '1', '9'", "condition n < 2"]


def test_what_is_left_to_check(tmp_path: Path) -> None:
    """What other records decide, and what is asked for; where only freshness is tested a query notes the times."""
    tests = """    tests:
      - unique: day
      - freshness: 1h
      - relationships: {column: station, to: stations, field: id}
      - {not_null: station, live: false}
"""
    compilation = project(tmp_path / "shop", tests)
    found = beside(compilation, Target("embedded"))
    assert [(left.topic, left.test.kind) for left in found.left] == [
        ("rides", "unique"), ("rides", "freshness"), ("rides", "relationships"),
    ]  # fmt: skip
    (plan,) = found.plans.values()
    records = tuple(Record(r.topic, r.key, r.value, r.timestamp) for r in RIDES)
    assert evaluate(plan, [Case("x", (records,))])[0].topics["data_test_failures"] == ()
    metrics = [step.name for step in lower(plan).stages[0].steps if isinstance(step, Observe)]
    assert NEWEST_TIME in metrics and COUNTED not in metrics


def test_only_what_the_models_read_and_write_is_tested(tmp_path: Path) -> None:
    """On a target that reads other topics from another one, only what they write."""
    compilation = project(
        tmp_path / "shop", "    tests: [not_null: station]\n", "    tests: [not_null: n]\n"
    )  # fmt: skip
    text = (tmp_path / "shop/models/topics.yml").read_text()
    unread = text.replace("'id STRING, size INT'\n", "'id STRING, size INT'\n    tests: [not_null: id]\n")
    (tmp_path / "shop/models/topics.yml").write_text(unread)
    compilation = compiled(tmp_path / "shop")
    target = Target("embedded")
    assert sorted(beside(compilation, target).plans) == ["tests:rides", "tests:totals"]
    assert sorted(beside(compilation, replace(target, defers=target)).plans) == ["tests:totals"]


def test_a_test_that_is_declared_twice_fails_once(tmp_path: Path) -> None:
    """And is counted under one name, which says which test it is."""
    twice = "    tests:\n      - not_null: station\n      - not_null: station\n"
    compilation = project(tmp_path / "shop", twice)
    (plan,) = beside(compilation, Target("embedded")).plans.values()
    assert [named_test(name).test for name, _ in plan.sinks[0].counted] == ["not_null station"]


def test_the_place_of_a_record_in_kafka() -> None:
    """Partition and offset come from the ordinal that records have there."""
    import duckdb

    from lsqlc.functions import calls, catalogue

    for name, places in ((PARTITION, [3, None]), (OFFSET, [12, None])):
        function = catalogue.planned(name)
        assert function is not None
        for ordinal, place in zip(("[99, 12, 8589934595]", "7"), places, strict=True):
            sql = calls.call("duckdb", function, [], [], record=f"'{ordinal}'")
            assert duckdb.connect().execute(f"SELECT {sql}").fetchall() == [(place,)]


def test_over_kafka_the_ordinal_has_the_place(tmp_path: Path) -> None:
    """Elements have the ordinal of their record, so that it is not widened."""
    compilation = project(tmp_path / "shop", "    tests: [not_null: station]\n")
    (tests,) = bound_tests(compilation, KINDS)
    plan = kafka_order(live_plan(tests, failures_topic(compilation, "failures")))
    assert [node.ordinal_width for node in plan.sinks[0].inputs] == [3]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("data-tests: {topic: 'a b'}", "'a b' is not a valid name of a topic"),
        ("data-tests: {topics: x}", "unknown key"),
        ("data-tests: {run: 1}", "expected true or false"),
    ],
)
def test_wrong_settings(tmp_path: Path, settings: str, said: str) -> None:
    """They are reported at their place."""
    project(tmp_path / "shop")
    (tmp_path / "shop/lsqlc.yml").write_text(f"name: shop\n{settings}\n")
    found = compiled(tmp_path / "shop").diagnostics
    assert any(said in d.message and d.span is not None and d.span.path == "lsqlc.yml" for d in found), found


def test_live_is_true_or_false(tmp_path: Path) -> None:
    """Anything else is reported."""
    compilation = project(tmp_path / "shop", "    tests: [{not_null: station, live: maybe}]\n")
    assert "expected true or false" in compilation.project.diagnostics[0].message


def test_failures_go_to_no_topic_of_the_project(tmp_path: Path) -> None:
    """Also if it is the setting that names it."""
    project(tmp_path / "shop", "    tests: [not_null: station]\n")
    (tmp_path / "shop/lsqlc.yml").write_text("name: shop\ndata-tests: {topic: stations}\n")
    with pytest.raises(LsqlcError) as refused:
        beside(compiled(tmp_path / "shop"), Target("embedded"))
    assert [d.code for d in refused.value.diagnostics] == ["LSQ871"]
