"""A new connector is one folder and its record: the commands take it as they take folders and Kafka.

The connector is in `tests/connectors/memory`. The test adds its module to those of lsqlc.
"""

from __future__ import annotations

import ast
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lsqlc import connectors
from lsqlc.cli.main import main
from lsqlc.connectors.transport import NewRecords, Transport
from lsqlc.lower.duckdb import Session
from lsqlc.project.build.compile import compile_project
from lsqlc.project.declared.profiles import read_target
from lsqlc.project.discovery import load_project
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.types.record import Case, Facet, Record, Topic
from tests.cli.conftest import Cli, bikes, cli
from tests.connectors.contract import ORDERS, TICKS, Connect, TransportContract, order, tick
from tests.connectors.memory.log import STORES, MemoryLog, MemorySettings
from tests.rooms import modules

__all__ = ["bikes", "cli"]

PROFILE = """default: memory
targets:
  memory: {type: embedded, memory: {store: a, partitions: 3}}
  source: {type: embedded, memory: {store: a, is_source: true}}
  both: {type: embedded, topics: t, memory: {store: a}}
  wrong: {type: embedded, memory: {store: a, partitions: 0}}
"""


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The connector is one of those of lsqlc, with empty stores."""
    monkeypatch.setattr(connectors, "MODULES", (*connectors.MODULES, "tests.connectors.memory.connector"))
    STORES.clear()
    yield
    STORES.clear()


class TestContract(TransportContract):
    @pytest.fixture
    def connect(self) -> Connect:
        return lambda: MemoryLog(MemorySettings("contract"))


def test_partitions_and_offsets(tmp_path: Path) -> None:
    """Records of a key are in one partition, whose offsets say how far somebody has read."""
    log = MemoryLog(MemorySettings("p", partitions=4))
    log.append(ORDERS, [order(n % 3) for n in range(9)])
    bounds = log.offsets("orders")
    assert len(bounds) == 4 and sorted(end for _, end in bounds.values()) == [0, 3, 3, 3]
    start = {p: end for p, (_, end) in bounds.items()}
    assert log.count("orders") == 9 and log.count("orders", start) == 0
    log.append(ORDERS, [order(1)])
    assert log.count("orders", start) == 1
    (path,) = log.segments_for(ORDERS, tmp_path, since=start)
    assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == ["k1"]
    contents = log.contents("orders")
    assert contents is not None and contents.has_records and contents.spans == log.offsets("orders")


def test_the_operations_that_it_does_not_have() -> None:
    """The defaults of a log suit a connector without files, markers and an order of arrival."""
    log: Transport = MemoryLog(MemorySettings("d"))
    assert log.arrivals() is None and log.append_unless_arrived([(ORDERS, [order(1)]), (TICKS, [tick(1)])], None)
    done = log.append_runs([(ORDERS, [order(2)], 10), (TICKS, [tick(2)], 10), (ORDERS, [order(3)], 10)])
    assert {name: each.count for name, each in done.items()} == {"orders": 2, TICKS.name: 1}
    log.append_rows(ORDERS, [order(4)])
    assert sorted(map(str, log.written_keys(ORDERS))) == ["k1", "k2", "k3", "k4"]
    assert log.exists("orders") and not log.exists("other") and log.location("orders") is None
    assert not list(log.faults("orders")) and log.has_markers("orders") and log.batch_in_part("orders", "g") is None
    log.end_generations("orders", ["g"])
    log.delete_notes()
    assert log.names() == (TICKS.name, "orders")


@pytest.fixture
def in_memory(bikes: Path) -> Path:
    """The project of the template, with topics in memory."""
    (bikes / "profiles.yml").write_text(PROFILE)
    return bikes


def opened(root: Path, name: str = "memory") -> RunTarget:
    target, problems = read_target((root / "profiles.yml").read_text(), "profiles.yml", name, {})
    assert target is not None and not problems
    return open_target(root, target)


def test_seed_produce_and_show(cli: Cli, in_memory: Path) -> None:
    """Records are written to its topics, and read from them."""
    seeded = cli("seed", "--output", "json")
    assert seeded.code == 0, seeded.err
    assert {topic["topic"]: topic["status"] for topic in seeded.data["topics"]}["rides"] == "loaded"
    assert not (in_memory / ".lsqlc" / "topics").exists()
    count = len(cli("show", "rides", "-n", "0", "--output", "json").lines)
    assert count == opened(in_memory).log.count("rides") > 0
    ride = {"bike": "b3", "station": "market", "minutes": 44, "cancelled": True}
    (in_memory / "r.jsonl").write_text(json.dumps({"key": "b3", "value": ride, "timestamp": 4102444800000}) + "\n")
    assert cli("produce", "rides", "--file", "r.jsonl").code == 0
    shown = cli("show", "rides", "-n", "0", "--output", "json").lines
    assert len(shown) == count + 1 and shown[-1]["value"] == ride
    assert cli("show", "rides").out.count("\n") > 3
    assert cli("seed").err.count("already has records") == len(seeded.data["topics"])


def test_show_follows(in_memory: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Records are shown as they come, until Ctrl-C."""
    log, tail = opened(in_memory).log, MemoryLog.tail
    rides = Topic("rides", *_facets(in_memory))

    def written(key: str, time: int) -> None:
        log.append(rides, [Record("rides", key, {"bike": key, "station": "s", "minutes": 1, "cancelled": None}, time)])

    def watched(self: MemoryLog, *args: object, **options: object) -> Callable[[], NewRecords]:
        look, looks = tail(self, *args, **options), iter(range(9))  # type: ignore[arg-type]

        def news() -> NewRecords:
            found = look()
            if next(looks) == 0:
                written("b2", 2)
            else:
                os.kill(os.getpid(), signal.SIGINT)
            return found

        return news

    written("b1", 1)
    monkeypatch.setattr(MemoryLog, "tail", watched)
    with pytest.raises(SystemExit):
        main(["show", "rides", "--follow", "--output", "json"])
    keys = [json.loads(line)["key"] for line in capfd.readouterr().out.splitlines()]
    assert keys == ["b1", "b2"]


def test_a_case_over_it(in_memory: Path) -> None:
    """The records of a case, read back from the topics, give the outcome of the case."""
    project = load_project(in_memory).project
    assert project is not None
    place = opened(in_memory)
    compilation = compile_project(project)
    plan = place.ordered(compilation.plans["arrivals"])
    (topic,) = plan.inputs
    rides = [
        Record("rides", "b1", {"bike": "b1", "station": "market", "minutes": 5, "cancelled": False}, 1_000),
        Record("rides", "b2", {"bike": "b2", "station": "market", "minutes": 7, "cancelled": False}, 2_000),
    ]
    place.log.append(topic, rides)
    (in_memory / "read").mkdir()
    files = {topic.name: place.log.segments_for(topic, in_memory / "read")}
    (found,) = Session().evaluate_logs(plan, files).topics.values()
    (outcome,) = Session().evaluate(compilation.plans["arrivals"], [Case("", (tuple(rides),))])
    (expected,) = outcome.topics.values()
    assert [(r.key, r.value, r.timestamp) for r in found] == [(r.key, r.value, r.timestamp) for r in expected] != []


def test_its_settings(cli: Cli, in_memory: Path) -> None:
    """They are checked as those of other connectors, and lists of targets show them."""
    found = {name: cli("show", "rides", "--target", name) for name in ("both", "wrong")}
    assert "error[LSQ730]: topics are in memory or in a folder" in found["both"].err
    assert "0 is not a number of partitions @ $.targets.wrong.memory.partitions" in found["wrong"].err
    assert "memory: a" in cli("env", "list").out
    models = in_memory / "models" / "more.yml"
    models.write_text("topics: [{name: x, key: INT, value: id INT, connector: memory}]\n")
    assert cli("compile").code == 0
    models.write_text("topics: [{name: x, key: INT, value: id INT, connector: memoryy}]\n")
    assert "'memoryy' is not one of 'delta', 'embedded', 'files', 'kafka', 'memory'" in cli("compile").err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("show", "rides", "--follow", "--target", "source"), "LSQ811"),
        (("seed", "--target", "source"), "LSQ812"),
        (("run", "--target", "source"), "LSQ812"),
        (("run", "--target", "memory"), "LSQ813"),
        (("topics", "check", "--target", "memory"), "LSQ765"),
        (("topics", "plan", "--target", "memory"), "LSQ746"),
    ],
)
def test_what_it_cannot_do(cli: Cli, in_memory: Path, words: tuple[str, ...], code: str) -> None:
    """A source is only read, and a connector without a half for Spark runs no model."""
    ran = cli(*words)
    assert ran.code != 0 and f"error[{code}]" in ran.err


# Modules that import from the folder of a connector, with the reason.
IMPORTERS = {
    "lsqlc.cli.topics": "the verbs of Kafka clusters",
    "lsqlc.tasks.kafka_topics": "the topics of Kafka clusters",
    "lsqlc.tasks.spark_cases": "cases that run over Kafka",
    "lsqlc.tasks.kafka_bench": "cases that run over Kafka",
    "lsqlc.lower.duckdb.bad_records": "the lines of a segment",
}
LOGS = {"FileLog", "KafkaLog", "FileTransport", "KafkaTransport", "KafkaSettings"}


def test_nobody_outside_asks_which_connector_it_is() -> None:
    """No module outside of the connectors compares a key, looks at a class, or reads the settings of a connector."""
    keys = {connector.key for connector in connectors.connectors()}
    words = re.compile("|".join([*LOGS, r"\.kafka\b", *(f'"{key}"' for key in keys)]))
    wrong = []
    for module in modules().values():
        if module.name.startswith(("lsqlc.connectors", "lsqlc.remote.connectors")) or module.room not in ASKED:
            continue
        if words.search(module.path.read_text("utf-8")):
            found = (node for node in ast.walk(module.tree) if _asks(node, keys))
            wrong += [f"{module.name}: {ast.unparse(node)}" for node in found]
    assert not wrong


# The rooms that work with topics of a target.
ASKED = ("project", "registry", "golden", "remote", "report", "tasks", "cli", "api", "editor")


def _asks(node: ast.AST, keys: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Name("isinstance"), args=[_, kind]):
            return bool(LOGS & {part.id for part in ast.walk(kind) if isinstance(part, ast.Name)})
        case ast.Compare(left=left, comparators=[*others]):
            sides = [left, *others]
            named = any(isinstance(side, ast.Attribute) and side.attr in ("connector", "key") and _of_connector(side)
                        for side in sides)  # fmt: skip
            return named and any(isinstance(side, ast.Constant) and side.value in keys for side in sides)
        case ast.Attribute(value=ast.Name("place" | "target") | ast.Attribute(attr="place" | "target"), attr="kafka"):
            return True
    return False


def _of_connector(node: ast.Attribute) -> bool:
    return "connector" in ast.unparse(node)


def test_only_a_few_modules_import_from_the_folder_of_a_connector() -> None:
    """The others import what all connectors share."""
    folder = re.compile(r"^ *from lsqlc\.(?:remote\.)?connectors\.(?:folders|kafka)\b", re.MULTILINE)
    importers = {
        module.name
        for module in modules().values()
        if not module.name.startswith(("lsqlc.connectors", "lsqlc.remote.connectors"))
        and folder.search(module.path.read_text("utf-8"))
    }
    assert importers == IMPORTERS.keys()


def _facets(root: Path) -> tuple[Facet, Facet]:
    project = load_project(root).project
    assert project is not None
    (topic,) = (t.topic for t in project.topics if t.topic.name == "rides")
    return topic.key, topic.value
