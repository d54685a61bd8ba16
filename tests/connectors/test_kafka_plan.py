"""What topics models need in a cluster, how they compare with what is there, and the access for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lsqlc import Topic, compile
from lsqlc.connectors.kafka import commits, names
from lsqlc.connectors.kafka.access import Access, command
from lsqlc.connectors.kafka.copartition import Mismatch, mismatches
from lsqlc.connectors.kafka.grants import grants
from lsqlc.connectors.kafka.plan import Need, compared, needs, transactions
from lsqlc.connectors.kafka.specs import TopicState
from lsqlc.lower.spark import internal_topics
from lsqlc.plan.nodes import Semantics
from lsqlc.plan.plan import Plan
from lsqlc.types.kafka import KafkaSecurity, KafkaSettings
from lsqlc.types.record import Topic as Log

SETTINGS = KafkaSettings("h:9092", prefix="dev.", partitions=3, replication=2)
RIDES = "bike STRING, minutes INT"
COMPACT = frozenset({"compact"})
DELETE = frozenset({"delete"})


def topic(name: str, partitions: int | None = None) -> Topic:
    return Topic(name, key="STRING", value=RIDES, partitions=partitions)


def planned(sql: str, *topics: Topic, name: str = "m") -> Plan:
    return compile(sql, topics=topics, name=name)


STREAM = planned("INSERT INTO long_rides SELECT STREAM * FROM rides WHERE minutes > 60", topic("rides"), name="longs")
TABLE = planned("SELECT STREAM COUNT(*) AS n FROM long_rides GROUP BY bike", topic("long_rides"), name="counts")


def found(plans: Mapping[str, Plan], settings: KafkaSettings = SETTINGS) -> dict[str, Need]:
    internal = {name: internal_topics(plan) for name, plan in plans.items()}
    return {need.topic: need for need in needs(plans, internal, settings)}


def test_inputs_outputs_and_markers() -> None:
    """An input that a model writes is an output; a TABLE is compacted, a STREAM is not; markers and leases are last."""
    needed = found({"longs": STREAM, "counts": TABLE})
    assert [(n.topic, n.role, n.semantics) for n in needed.values()] == [
        ("rides", "input", None),
        ("long_rides", "output", "STREAM"),
        ("counts", "output", "TABLE"),
        (commits.TOPIC, "commits", "TABLE"),
        (names.LEASES, "leases", "TABLE"),
    ]
    assert (needed["long_rides"].writers, needed["long_rides"].readers) == (("longs",), ("counts",))
    assert {n.topic: n.policy for n in needed.values()} == {
        "rides": None, "long_rides": "delete", "counts": "compact", commits.TOPIC: "compact",
        names.LEASES: "compact",
    }  # fmt: skip
    spec = needed["counts"].spec
    assert (spec.name, spec.partitions, spec.replication) == ("dev.counts", 3, 2)
    assert spec.config["message.timestamp.type"] == "CreateTime"
    assert needed[commits.TOPIC].spec.partitions == 1


def test_the_partitions_of_the_program_count() -> None:
    """More than the default of the target."""
    plan = planned(
        "SET defaults.topic.partitions = 6; INSERT INTO out SELECT STREAM * FROM rides", topic("rides", 4), name="out"
    )
    needed = found({"out": plan})
    assert (needed["out"].spec.partitions, needed["rides"].spec.partitions) == (6, 4)
    assert needed["rides"].is_declared


def test_what_stages_pass_on_is_kept() -> None:
    """A STREAM without an end of retention, a TABLE compacted."""
    semantics: Mapping[str, Semantics] = {"m.passed": "STREAM", "m.rows": "TABLE"}
    internal = {"longs": {name: (Log(name), meaning) for name, meaning in semantics.items()}}
    needed = {need.topic: need for need in needs({"longs": STREAM}, internal, SETTINGS)}
    passed, rows = needed["m.passed"], needed["m.rows"]
    assert (passed.role, passed.spec.config["retention.ms"], passed.policy) == ("internal", "-1", "delete")
    assert (rows.role, rows.policy) == ("internal", "compact")
    assert passed.readers == passed.writers == ("longs",)


def test_a_model_without_topics_needs_none() -> None:
    assert needs({}, {}, SETTINGS) == ()


def state(name: str, partitions: int = 3, policies: frozenset[str] = DELETE) -> TopicState:
    return TopicState(f"dev.{name}", partitions, 2, policies)


def test_what_is_there() -> None:
    """Created, as it should be, different, or missing without anybody to write it."""
    needed = found({"longs": STREAM, "counts": TABLE})
    there = {"dev.long_rides": state("long_rides", 5), "dev.counts": state("counts"), "dev.rides": None}
    changes = {c.need.topic: c for c in compared(needed.values(), there)}
    assert {name: c.status for name, c in changes.items()} == {
        "rides": "missing", "long_rides": "matches", "counts": "differs", commits.TOPIC: "create",
        names.LEASES: "create",
    }  # fmt: skip
    assert changes["counts"].differences == ("has cleanup.policy=delete, and needs compact",)
    assert changes["long_rides"].to_json()["there"]["partitions"] == 5
    # A model that is not selected writes it.
    [rides] = [c for c in compared(needed.values(), {}, {"rides"}) if c.need.topic == "rides"]
    assert rides.status == "create"


def test_declared_partitions_are_a_minimum() -> None:
    """A default is none."""
    need = found({"longs": planned("INSERT INTO o SELECT STREAM * FROM rides", topic("rides", 4), name="longs")})
    changes = compared([need["rides"]], {"dev.rides": state("rides", 1)})
    assert changes[0].differences == ("has 1 partition, and needs 4",)
    assert compared([need["rides"]], {"dev.rides": state("rides", 6)})[0].status == "matches"
    changes = compared([need["o"]], {"dev.o": state("o", 1)})
    assert changes[0].status == "matches"


JOIN = (
    "WITH b AS (SELECT TABLE * FROM bikes); SELECT STREAM rides.minutes FROM rides INNER JOIN b ON rides._key = b._key"
)


def test_joins_of_unequal_partitions() -> None:
    """By what the cluster has; a side that the plan moves by itself does not count."""
    plan = planned(JOIN, topic("rides"), topic("bikes"), name="joined")
    assert mismatches({"joined": plan}, {"rides": 4, "bikes": 4}) == ()
    assert mismatches({"joined": plan}, {"rides": 4, "bikes": 2}) == (Mismatch("joined", ("rides", 4), ("bikes", 2)),)
    assert mismatches({"joined": plan}, {"rides": 4}) == ()
    moved = planned(JOIN, topic("rides", 4), topic("bikes", 2), name="joined")
    assert mismatches({"joined": moved}, {"rides": 4, "bikes": 2}) == ()
    rekeyed = planned(
        "WITH r AS (SELECT STREAM *, bike AS _key FROM rides); WITH b AS (SELECT TABLE * FROM bikes); "
        "SELECT STREAM r.minutes FROM r INNER JOIN b ON r._key = b._key",
        topic("rides"), topic("bikes"), name="joined",
    )  # fmt: skip
    assert mismatches({"joined": rekeyed}, {"rides": 4, "bikes": 2}) == ()


def test_the_access_that_models_need() -> None:
    """Reading inputs, writing and creating outputs, both of what lies between, and what `topics plan` compares;
    transactions and groups by prefix.
    """
    needed = found({"longs": STREAM, "counts": TABLE})
    assert grants(needed.values(), SETTINGS) == (
        Access("topic", "dev.rides", ("Read", "Describe", "DescribeConfigs")),
        Access("topic", "dev.long_rides", ("Read", "Describe", "DescribeConfigs", "Write", "Create")),
        Access("topic", "dev.counts", ("Write", "Describe", "DescribeConfigs", "Create")),
        Access("topic", "dev._lsqlc.commits", ("Read", "Describe", "DescribeConfigs", "Write", "Create")),
        Access("topic", "dev._lsqlc.leases", ("Read", "Describe", "DescribeConfigs", "Write", "Create")),
        Access("transactional-id", "dev.lsqlc.", ("Write", "Describe"), prefixed=True),
        Access("group", "dev.lsqlc.", ("Read", "Describe"), prefixed=True),
    )


def test_access_as_a_command_and_as_data() -> None:
    """For the user of the target, with the words of Kafka's tool."""
    user = replace(SETTINGS, security=KafkaSecurity("SASL_SSL", "PLAIN", "ann lee", "s3cret"))
    ids = Access("transactional-id", "dev.lsqlc.", ("Write", "DescribeConfigs"), prefixed=True)
    assert command(ids, user) == (
        "kafka-acls --bootstrap-server h:9092 --add --allow-principal 'User:ann lee' --operation Write "
        "--operation DescribeConfigs --transactional-id dev.lsqlc. --resource-pattern-type prefixed"
    )
    assert ids.to_json() == {
        "resource_type": "TRANSACTIONAL_ID",
        "resource_name": "dev.lsqlc.",
        "pattern_type": "PREFIXED",
        "operations": ["WRITE", "DESCRIBE_CONFIGS"],
    }


def test_how_many_transactions_write_a_batch() -> None:
    """At most one for each partition that the topic has, or will have; none to a topic that no query writes."""
    needed = found({"longs": STREAM})
    name = needed["long_rides"].spec.name
    there = {name: TopicState(name, 2, 1, DELETE)}
    for writers, counts in ((1, ("1", "1")), (8, ("3", "2")), ("auto", ("1 to 3", "1 to 2"))):
        settings = replace(SETTINGS, writers=writers)  # type: ignore[arg-type]
        for state, count in zip(({}, there), counts, strict=True):
            changes = {change.need.topic: change for change in compared(needed.values(), state)}
            assert transactions(changes["long_rides"], settings) == count
            assert transactions(changes["rides"], settings) is None
