"""`lsqlc topics`: the topics of a project in a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.connectors.kafka.admin import create, states
from lsqlc.connectors.kafka.client import Cluster
from lsqlc.connectors.kafka.failures import Task
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.kafka.specs import TopicSpec
from lsqlc.types.kafka import KafkaSettings
from tests.cli.conftest import Cli
from tests.shared import SharedBroker

TASK = Task("")


def profile(folder: Path, bootstrap: str, prefix: str, more: str = "") -> KafkaSettings:
    """Write profiles.yml with a cluster as its only target."""
    kafka = f'{{bootstrap: "{bootstrap}", prefix: {prefix}, partitions: 2{more}}}'
    (folder / "profiles.yml").write_text(f"targets:\n  dev: {{type: embedded, kafka: {kafka}}}\n")
    return KafkaSettings(bootstrap, prefix=prefix, partitions=2)


@pytest.fixture
def settings(bikes: Path, broker: SharedBroker, topic_prefix: str) -> KafkaSettings:
    project = bikes / "lsqlc.yml"
    project.write_text(project.read_text().replace("defaults:\n  partitions: 1\n", ""))
    return profile(bikes, broker.bootstrap, topic_prefix)


def make(settings: KafkaSettings, name: str, partitions: int = 2, policy: str = "delete") -> None:
    spec = TopicSpec(settings.prefix + name, partitions, 1, {"cleanup.policy": policy})
    assert create(Cluster(settings).admin(), spec, TASK)


def test_plan_shows_what_is_there_and_what_is_not(cli: Cli, settings: KafkaSettings) -> None:
    """The input that nobody writes is an error with the command that creates it; nothing is created."""
    ran = cli("topics", "plan")
    assert ran.code == 1
    name = f"{settings.prefix}rides"
    rows = {line.split()[0]: line.split()[1:4] for line in ran.out.splitlines()[2:]}
    assert rows[name] == ["input", "missing", "2"]
    assert rows[f"{settings.prefix}arrivals"] == ["output", "create", "2"]
    assert rows[f"{settings.prefix}_lsqlc.commits"] == ["commits", "create", "1"]
    assert ran.out.splitlines()[0].split()[5] == "transactions"
    assert "error[LSQ741]" in ran.err
    assert f"kafka-topics --bootstrap-server {settings.bootstrap} --create --topic {name} --partitions 2" in ran.err
    assert KafkaLog(settings).names() == ()


def test_apply_creates_what_is_missing_once(cli: Cli, settings: KafkaSettings) -> None:
    """With the policies that TABLEs and STREAMs need; a second time there is nothing to do."""
    make(settings, "rides")
    ran = cli("topics", "apply", "--output", "json")
    assert ran.code == 0
    assert ran.data["ok"] and {t["topic"]: t["outcome"] for t in ran.data["topics"]} == {
        "rides": "kept", "arrivals": "created", "rides_by_station": "created", "bikes_at_station": "created",
        "_lsqlc.commits": "created", "_lsqlc.leases": "created",
    }  # fmt: skip
    names = [settings.prefix + name for name in ("arrivals", "rides_by_station", "_lsqlc.commits")]
    there = states(Cluster(settings).admin(), names, TASK)
    assert [(t.partitions, set(t.policies)) for t in there.values() if t] == [
        (2, {"delete"}), (2, {"compact"}), (1, {"compact"}),
    ]  # fmt: skip
    again = cli("topics", "apply")
    assert (again.code, again.err) == (0, "nothing to create\n")
    planned = cli("topics", "plan", "--output", "json").data
    assert planned["ok"] and {t["status"] for t in planned["topics"]} == {"matches"}


def test_apply_creates_inputs(cli: Cli, settings: KafkaSettings) -> None:
    """As `seed` and `produce` do, with the declared number of partitions, and nothing that is there is missing then."""
    assert "`lsqlc topics apply` creates it, or: kafka-topics" in cli("topics", "plan").err
    ran = cli("topics", "apply")
    assert ran.code == 0 and f"{settings.prefix}rides: created" in ran.err and "LSQ741" not in ran.err
    name = f"{settings.prefix}rides"
    rides = states(Cluster(settings).admin(), [name], TASK)[name]
    assert rides is not None and (rides.partitions, set(rides.policies)) == (2, {"delete"})
    assert cli("topics", "plan").code == 0


def test_produce_reports_a_topic_that_it_creates(cli: Cli, bikes: Path, settings: KafkaSettings) -> None:
    """Once: the second time the topic is there."""
    (bikes / "rides.jsonl").write_text('{"key": 1, "value": {"no_such_column": 1}}\n')
    text = "created the topic 'rides' with 2 partitions, since it did not exist\n"
    assert [cli("produce", "rides", "--file", "rides.jsonl").err.count(text) for _ in range(2)] == [1, 0]


def test_a_part_of_the_models(cli: Cli, settings: KafkaSettings) -> None:
    """A topic that a model writes that is not selected is no missing input."""
    ran = cli("topics", "plan", "--select", "bikes_at_station", "--output", "json")
    assert ran.code == 0
    assert [(t["topic"], t["role"], t["status"]) for t in ran.data["topics"]] == [
        ("arrivals", "input", "create"),
        ("bikes_at_station", "output", "create"),
        ("_lsqlc.commits", "commits", "create"),
        ("_lsqlc.leases", "leases", "create"),
    ]


def test_another_policy_is_altered_only_on_request(cli: Cli, settings: KafkaSettings) -> None:
    """Without `--alter` it is a warning, and the topic stays as it is."""
    make(settings, "rides")
    make(settings, "bikes_at_station", policy="delete")
    name = f"{settings.prefix}bikes_at_station"
    ran = cli("topics", "apply")
    assert ran.code == 0 and "warning[LSQ743]" in ran.err and f"--entity-name {name}" in ran.err
    admin = Cluster(settings).admin()
    assert [t.policies for t in states(admin, [name], TASK).values() if t] == [{"delete"}]
    ran = cli("topics", "apply", "--alter")
    assert (ran.code, ran.err) == (0, f"{name}: altered\n")
    assert [t.policies for t in states(admin, [name], TASK).values() if t] == [{"compact"}]


def test_a_topic_that_is_refused_does_not_keep_others_back(cli: Cli, bikes: Path, settings: KafkaSettings) -> None:
    """What was created stays, what was not is an error of its own, and the same command goes on from there."""
    make(settings, "rides")
    # This one lies in the way of `rides_by_station`: names that differ in a dot and an underscore cannot both be.
    make(settings, "rides.by_station")
    ran = cli("topics", "apply", "--output", "json")
    assert ran.code == 1 and not ran.data["ok"]
    outcomes = {t["topic"]: t["outcome"] for t in ran.data["topics"]}
    assert outcomes["rides_by_station"] == "failed"
    assert outcomes["arrivals"] == outcomes["_lsqlc.commits"] == "created"
    assert [d["code"] for d in ran.data["diagnostics"]] == ["LSQ740", "LSQ745"]
    KafkaLog(settings).delete("rides.by_station")
    again = cli("topics", "apply", "--output", "json")
    assert again.code == 0
    assert [t["topic"] for t in again.data["topics"] if t["outcome"] == "created"] == ["rides_by_station"]


def test_declared_partitions_and_joins(cli: Cli, bikes: Path, settings: KafkaSettings) -> None:
    """A declared number is a minimum, and the sides of a join must have as many."""
    topics = bikes / "models" / "topics.yml"
    stations = "  - name: stations\n    key: STRING\n    value: name STRING\n    partitions: 3\n"
    topics.write_text(topics.read_text().replace("\nmodels:", f"{stations}\nmodels:"))
    (bikes / "models" / "named.sql").write_text(
        "WITH s AS (SELECT TABLE * FROM stations);\n"
        "SELECT STREAM arrivals.minutes, s.name FROM arrivals INNER JOIN s ON arrivals._key = s._key;\n"
    )
    topics.write_text(topics.read_text().replace("- name: rides\n", "- name: rides\n    partitions: 1\n", 1))
    make(settings, "rides")
    make(settings, "stations", 1)
    ran = cli("topics", "plan", "--output", "json")
    assert ran.code == 1
    found = {d["code"]: d for d in ran.data["diagnostics"]}
    assert set(found) == {"LSQ742", "LSQ744"}
    name = f"{settings.prefix}stations"
    assert found["LSQ742"]["message"] == f"the topic '{name}' has 1 partition, and is declared with 3"
    assert found["LSQ744"]["message"] == "'named' joins 'stations' of 1 partition with 'arrivals' of 2"
    assert f"--alter --topic {settings.prefix}stations --partitions 2" in found["LSQ744"]["help"]


def test_acls_ask_no_broker(cli: Cli, bikes: Path) -> None:
    """As commands, and as data."""
    profile(bikes, "nowhere.invalid:9092", "dev.")
    lines = cli("topics", "acls").out.splitlines()
    start = "kafka-acls --bootstrap-server nowhere.invalid:9092 --add --allow-principal User:ANONYMOUS"
    assert lines[0] == f"{start} --operation Read --operation Describe --operation DescribeConfigs --topic dev.rides"
    assert lines[-1] == (
        f"{start} --operation Read --operation Describe --group dev.lsqlc. --resource-pattern-type prefixed"
    )
    data = cli("topics", "acls", "--output", "json").data
    assert data["principal"] == "User:ANONYMOUS"
    assert data["acls"][0] == {
        "resource_type": "TOPIC", "resource_name": "dev.rides", "pattern_type": "LITERAL",
        "operations": ["READ", "DESCRIBE", "DESCRIBE_CONFIGS"],
    }  # fmt: skip


def test_a_target_without_kafka(cli: Cli, bikes: Path) -> None:
    """Wrong usage, which names the target."""
    (bikes / "profiles.yml").unlink(missing_ok=True)
    for verb in ("plan", "apply", "acls"):
        ran = cli("topics", verb, "--output", "json")
        assert ran.code == 2
        assert [d["code"] for d in ran.data["diagnostics"]] == ["LSQ746"]


def test_a_project_that_does_not_compile(cli: Cli, bikes: Path) -> None:
    """Is reported, and no broker is asked."""
    profile(bikes, "127.0.0.1:1", "dev.")
    (bikes / "models" / "arrivals.sql").write_text("SELECT STREAM nothing FROM rides")
    ran = cli("topics", "plan")
    assert ran.code == 1 and "models/arrivals.sql:1:15" in ran.err


def test_a_cluster_that_does_not_answer(cli: Cli, bikes: Path) -> None:
    """One finding, within seconds."""
    profile(bikes, "127.0.0.1:1", "dev.")
    ran = cli("topics", "plan", "--output", "json")
    assert ran.code == 1
    assert [d["code"] for d in ran.data["diagnostics"]] == ["LSQ732"]
