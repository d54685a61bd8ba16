"""Which models may ask for real-time mode, and where the message stands of what keeps one from it."""

from __future__ import annotations

from pathlib import Path

from lsqlc.lower.spark import lower
from lsqlc.lower.spark.real_time import fitted, slots, with_settings
from lsqlc.lower.spark.steps import View
from lsqlc.plan.real_time import obstacles
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.declared.target import Target
from lsqlc.project.discovery import load_project
from lsqlc.tasks.real_time import check_version, latencies
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.latency import Latency
from tests.each import each

from .conftest import Write

TOPICS = """topics:
  - {name: orders, key: INT, value: 'item STRING, n INT, at LONG, parts ARRAY<INT>'}
  - {name: rates, key: INT, value: 'rate DOUBLE'}
  - {name: messages, key: INT, value: {format: protobuf, schema: 'n INT'}}
"""
QUALIFY = {
    "a projection": "SELECT STREAM item, n FROM orders WHERE n > 2",
    "elements": "SELECT STREAM p FROM orders LATERAL parts AS p",
    "rows": "SELECT TABLE item FROM orders WHERE n > 2",
    "groups of a STREAM": "SELECT STREAM COUNT(*) AS c FROM orders GROUP BY item",
    "windows": "SELECT STREAM COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1m GROUP BY item",
    "groups of a TABLE": "SELECT TABLE COUNT(*) AS c, SUM(n) AS s FROM orders GROUP BY item",
}
# The program, what the message names, and the line and the word that it stands at.
REFUSED = {
    "join": ("SELECT STREAM o.n\nFROM orders AS o JOIN rates AS r ON o._key = r._key WITHIN 1h", "a join", (2, "JOIN")),
    "session": (
        "SELECT STREAM COUNT(*) AS c FROM orders\nWINDOW BY SESSION 1m GROUP BY item",
        "a session window",
        (2, "SESSION"),
    ),
    "key": ("SELECT TABLE n AS _key, item FROM orders", "new keys of a TABLE", (1, "_key")),
    "elements": (
        "SELECT TABLE COUNT(*) AS c FROM orders\nLATERAL parts AS p GROUP BY p",
        "the elements of arrays of a TABLE",
        (2, "LATERAL"),
    ),
    "groups": (
        "WITH g AS (SELECT TABLE COUNT(*) AS c FROM orders GROUP BY item);\n"
        "SELECT TABLE COUNT(*) AS d FROM g GROUP BY c",
        "a group of groups",
        (1, "GROUP"),
    ),
    "time": ("SELECT STREAM n FROM orders EVENTTIME BY at", "a time of its own", (1, "EVENTTIME")),
    "protobuf": ("SELECT STREAM n FROM messages", "the messages of 'messages'", (1, "SELECT")),
}


def compiled(root: Path) -> Compilation:
    loaded = load_project(root)
    assert loaded.project is not None
    return compile_project(loaded.project)


def on(root: Path, compilation: Compilation, latency: Latency = "micro-batch") -> tuple[set[str], list[str]]:
    """The models that run in real time on a target with Kafka, and the codes of what is said."""
    kafka = KafkaSettings("localhost:1")
    place = open_target(root, Target("prod", connection=kafka, latency=latency), compilation.plans.values())
    found = latencies(compilation, place)
    return set(found.models), [f"{d.severity.value} {d.code}" for d in found.found]


@each("name", QUALIFY)
def test_a_model_that_qualifies(name: str, project: Write) -> None:
    """It compiles, no step of its query looks at a batch, and its state has the parts of the one in batches."""
    root = project({"models/t.yml": TOPICS, "models/m.sql": "{{ config(latency='real-time') }}\n" + QUALIFY[name]})
    built = compiled(root)
    assert built.ok and on(root, built) == ({"m"}, [])
    plan = built.plans["m"]
    place = open_target(root, Target("prod", connection=KafkaSettings("localhost:1")), [plan])
    batches, real = (lower(plan, wires=place.wires, real_time=now).stages for now in (False, True))
    texts = [step.sql for stage in real for step in stage.steps if isinstance(step, View)]
    assert all(" OVER " not in text and "ORDER BY" not in text for text in texts)
    assert [s.state for s in real] == [s.state for s in batches] and all(s.write.mode == "update" for s in real)


@each("name", REFUSED)
def test_a_model_that_does_not_qualify(name: str, project: Write) -> None:
    """It is an error at the word that says it, where the model asks; a note, where the target does."""
    program, what, (line, word) = REFUSED[name]
    root = project({"models/t.yml": TOPICS, "models/m.sql": program, "models/m.yml": ""})
    of_target = compiled(root)
    assert of_target.ok and obstacles(of_target.plans["m"])
    models, said = on(root, of_target, "real-time")
    assert not models and set(said) == {"note LSQ602"}
    project({"models/m.yml": "models:\n  - {name: m, config: {latency: real-time}}\n"})
    of_model = compiled(root)
    found, *_ = (d for d in of_model.diagnostics if d.is_error)
    assert found.code == "LSQ602" and found.message.endswith(f": {what}") and found.span
    text = program.splitlines()[found.span.line - 1]
    assert found.span.line == line and text[found.span.column - 1 :].startswith(word)


def test_a_model_may_leave_the_latency_of_its_target(project: Write) -> None:
    """What it says itself counts, and it is part of what a build depends on."""
    root = project({"models/t.yml": TOPICS, "models/m.sql": QUALIFY["rows"]})
    assert on(root, compiled(root), "real-time") == ({"m"}, [])
    project({"models/m.sql": "{{ config(latency='micro-batch') }}" + QUALIFY["rows"]})
    assert on(root, compiled(root), "real-time") == (set(), [])


def test_readers_that_need_more(project: Write) -> None:
    """Who counts records that may come twice keeps the model that writes them in batches; rows may come twice."""
    count = "SELECT STREAM COUNT(*) AS c FROM m GROUP BY item"
    root = project({"models/t.yml": TOPICS, "models/m.sql": QUALIFY["a projection"], "models/n.sql": count})
    models, said = on(root, compiled(root), "real-time")
    assert models == {"n"} and said == ["note LSQ603"]
    project({"models/m.yml": "models:\n  - {name: m, config: {latency: real-time}}\n"})
    assert on(root, compiled(root)) == (set(), ["error LSQ603"])
    project({"models/m.sql": QUALIFY["rows"], "models/n.sql": "SELECT TABLE COUNT(*) AS c FROM m GROUP BY item"})
    assert on(root, compiled(root)) == ({"m"}, [])


def test_a_target_without_kafka(project: Write) -> None:
    """The same project runs there, in batches, and says so where a model asks for more."""
    root = project({"models/t.yml": TOPICS, "models/m.sql": "{{ config(latency='real-time') }}" + QUALIFY["rows"]})
    built = compiled(root)
    found = latencies(built, open_target(root, Target("local"), built.plans.values()))
    assert not found.models and [(d.code, d.is_error) for d in found.found] == [("LSQ604", False)]


def test_slots(project: Write) -> None:
    """One for each partition that is read and for each of a shuffle; what is left decides how many those are."""
    root = project({"models/t.yml": TOPICS, "models/m.sql": QUALIFY["groups of a TABLE"]})
    built = compiled(root)
    place = open_target(root, Target("prod", connection=KafkaSettings("localhost:1")), built.plans.values())
    plan = lower(built.plans["m"], wires=place.wires, real_time=True)
    (stage,) = plan.stages
    assert [slots(stage, {"orders": 3}, n) for n in (1, 2)] == [5, 7]
    assert [fitted(plan, {"orders": 3}, left, 200) for left in (4, 5, 7, 8, 1_000)] == [1, 1, 2, 2, 200]
    new = dict(with_settings(stage, 2, new=True).settings)
    assert new["spark.sql.shuffle.partitions"] == "2"
    assert new["spark.sql.streaming.stateStore.checkpointFormatVersion"] == "2"
    assert "spark.sql.streaming.stateStore.checkpointFormatVersion" not in dict(
        with_settings(stage, 2, new=False).settings
    )


def test_an_older_server() -> None:
    """It is refused before anything starts; without models in real time any will do."""
    from lsqlc.diagnostics import LsqlcError

    check_version({"m"}, (4, 3))
    check_version(set(), (4, 0))
    try:
        check_version({"m"}, (4, 2))
    except LsqlcError as error:
        assert [d.code for d in error.diagnostics] == ["LSQ607"]
    else:
        raise AssertionError("Spark 4.2 has no aggregates in real time")
