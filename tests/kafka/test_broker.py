"""The broker of our own: it serves, keeps what it was given, and is gone with its owner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
)
from confluent_kafka.admin import ResourceType as Resource

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.server.broker import Broker, BrokerOptions
from lsqlc.remote.server.lock import is_held
from lsqlc.remote.server.ports import free_ports, is_free
from tests.kafka.client import create, read, write
from tests.kafka.fixture import fetched
from tests.shared import SharedBroker

pytestmark = pytest.mark.kafka

# The first and the last millisecond that a test writes: 1970, and far behind today.
LONG_AGO, FAR_AHEAD = 1_000, 32_503_680_000_000


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[Broker]:
    """A running broker of one test, which may end it."""
    fetched("kafka-broker")
    with Broker(tmp_path / "kafka", os.environ) as running:
        yield running


def values(bootstrap: str, topic: str) -> list[bytes | None]:
    return [message.value() for message in read(bootstrap, topic)]


@pytest.mark.smoke
def test_a_record_is_kept(broker: SharedBroker, topic_prefix: str) -> None:
    """What is written is read back, with its key and its time, be it of long ago or far ahead."""
    topic = f"{topic_prefix}rides"
    create(broker.bootstrap, topic)
    write(broker.bootstrap, topic, [(b"a", b"1", LONG_AGO), (None, b"2", FAR_AHEAD)])
    messages = read(broker.bootstrap, topic)
    assert [(m.key(), m.value(), m.timestamp()[1]) for m in messages] == [
        (b"a", b"1", LONG_AGO),
        (None, b"2", FAR_AHEAD),
    ]


def test_a_topic_that_nobody_made_is_an_error(broker: SharedBroker, topic_prefix: str) -> None:
    """A wrong name makes no topic, neither of a producer nor of one that asks about it."""
    lost, topic = [], f"{topic_prefix}missing"
    producer = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 0, "message.timeout.ms": 2_000})
    producer.produce(topic, b"1", on_delivery=lambda error, _: lost.append(error))
    producer.flush(30)
    assert lost[0] is not None
    admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    assert admin.list_topics(topic, timeout=30).topics[topic].error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert topic not in admin.list_topics(timeout=30).topics


def test_a_transaction_is_all_or_nothing(broker: SharedBroker, topic_prefix: str) -> None:
    """One that is given up leaves no record to those who read what is committed."""
    topic = f"{topic_prefix}paid"
    create(broker.bootstrap, topic)
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": topic, "log_level": 0})
    producer.init_transactions(30)
    for value, end in ((b"lost", producer.abort_transaction), (b"kept", producer.commit_transaction)):
        producer.begin_transaction()
        producer.produce(topic, value)
        producer.flush(30)
        end(30)
    assert values(broker.bootstrap, topic) == [b"kept"]


def test_a_compacted_topic_keeps_the_newest_of_a_key(broker: SharedBroker, topic_prefix: str) -> None:
    """The cleaner runs, and removes what a later record of the key replaces."""
    topic = f"{topic_prefix}stations"
    create(broker.bootstrap, topic, cleanup_policy="compact", segment_ms="100", min_cleanable_dirty_ratio="0.01")
    number = 0
    left: list[bytes | None] = [b"0"]
    while b"0" in left:
        # A segment is closed by a later record, and only what is closed is cleaned.
        write(broker.bootstrap, topic, [(b"k", str(number).encode(), int(time.time() * 1000))])
        left = values(broker.bootstrap, topic)
        assert left[-1] == str(number).encode() and number < 1000
        number += 1
        time.sleep(0.2)


def test_a_topic_is_deleted(broker: SharedBroker, topic_prefix: str) -> None:
    """And may be made again, empty."""
    topic = f"{topic_prefix}gone"
    create(broker.bootstrap, topic)
    write(broker.bootstrap, topic, [(b"a", b"1", 0)])
    admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    admin.delete_topics([topic])[topic].result(30)
    while topic in admin.list_topics(timeout=30).topics:
        time.sleep(0.05)
    create(broker.bootstrap, topic)
    assert values(broker.bootstrap, topic) == []


def test_one_that_was_killed_goes_on(own_broker: Broker) -> None:
    """On its port and over its folder, with all that it had acknowledged; stopping in between changes nothing."""
    bootstrap, pid = own_broker.bootstrap, own_broker.pid
    create(bootstrap, "rides")
    write(bootstrap, "rides", [(b"a", b"1", 0)])
    own_broker.kill()
    assert not own_broker.alive and is_free(own_broker.port)
    own_broker.start()
    assert own_broker.bootstrap == bootstrap and own_broker.pid != pid
    write(bootstrap, "rides", [(b"a", b"2", 0)])
    own_broker.stop()
    own_broker.start()
    own_broker.start()
    assert values(bootstrap, "rides") == [b"1", b"2"]


def test_it_dies_with_its_owner(tmp_path: Path) -> None:
    """However the owner went: nothing listens any more, and the folder is free."""
    fetched("kafka-broker")
    code = (
        "import os, sys, time; from pathlib import Path; from lsqlc.remote.server.broker import Broker, BrokerOptions\n"
        "with Broker(Path(sys.argv[1]), os.environ) as b: print(b.port, flush=True); time.sleep(600)"
    )
    owner = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    with owner.stdout:
        port = int(owner.stdout.readline())
        assert not is_free(port) and is_held(tmp_path / "broker.lock")
        owner.send_signal(signal.SIGKILL)
        owner.wait()
    deadline = time.monotonic() + 60
    while is_held(tmp_path / "broker.lock"):
        assert time.monotonic() < deadline, "the broker outlived its owner"
        time.sleep(0.1)
    assert is_free(port)


def test_users_may_do_what_an_acl_allows(tmp_path: Path) -> None:
    """A wrong password is refused; the right one, whatever characters it has, opens what an ACL allows and no more."""
    fetched("kafka-broker")
    password = 'a "quoted" \\ é€'
    with Broker(tmp_path, os.environ, BrokerOptions(users={"alice": password})) as broker:
        create(broker.bootstrap, "open", "closed")
        rule = AclBinding(
            Resource.TOPIC, "open", ResourcePatternType.LITERAL, "User:alice", "*", AclOperation.ALL,
            AclPermissionType.ALLOW,
        )  # fmt: skip
        admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        admin.create_acls([rule])[rule].result(30)
        # The controller has it; the broker learns of it a moment later.
        everything = AclBindingFilter(
            Resource.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY
        )
        while not admin.describe_acls(everything).result(30):
            time.sleep(0.05)
        login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "alice"}
        right = {**login, "sasl.password": password}
        write(broker.sasl_bootstrap, "open", [(b"a", b"1", 0)], right)
        assert values(broker.bootstrap, "open") == [b"1"]
        refused = []
        producer = Producer({"bootstrap.servers": broker.sasl_bootstrap, "log_level": 0, **right})
        producer.produce("closed", b"1", on_delivery=lambda error, _: refused.append(error.code()))
        producer.flush(30)
        assert refused == [KafkaError.TOPIC_AUTHORIZATION_FAILED]
        errors = []
        wrong = {**login, "sasl.password": "wrong", "error_cb": lambda error: errors.append(error.code())}
        stranger = AdminClient({"bootstrap.servers": broker.sasl_bootstrap, "log_level": 0, **wrong})
        with pytest.raises(KafkaException):
            stranger.list_topics(timeout=5)
        stranger.poll(5)
        assert KafkaError._AUTHENTICATION in errors


def test_a_port_in_use(tmp_path: Path, broker: SharedBroker) -> None:
    """LSQ704, and nothing is started."""
    with pytest.raises(LsqlcError) as error, Broker(tmp_path, os.environ, BrokerOptions(port=broker.port)):
        pass
    assert [d.code for d in error.value.diagnostics] == ["LSQ704"] and str(broker.port) in str(error.value)
    assert not is_held(tmp_path / "broker.lock")


def test_a_folder_that_is_no_brokers(tmp_path: Path) -> None:
    """LSQ705 with what Kafka says about it."""
    fetched("kafka-broker")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "meta.properties").write_text("version=1\nnode.id=7\n")
    with pytest.raises(LsqlcError) as error, Broker(tmp_path, os.environ):
        pass
    (found,) = error.value.diagnostics
    assert found.code == "LSQ705" and "exit code" in found.message and "meta.properties" in "".join(found.notes)
    assert not is_held(tmp_path / "broker.lock")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """LSQ705 before a JVM is started."""
    fetched("kafka-broker")
    (tmp_path / "kafka").write_text("a file")
    with pytest.raises(LsqlcError) as error, Broker(tmp_path / "kafka", os.environ):
        pass
    (found,) = error.value.diagnostics
    assert found.code == "LSQ705" and "kafka" in found.message and not found.notes


def test_two_over_one_folder(own_broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """LSQ706; the first one goes on."""
    monkeypatch.setattr("lsqlc.remote.server.broker._GONE_WITHIN", 0.0)
    with pytest.raises(LsqlcError) as error, Broker(own_broker.folder, os.environ):
        pass
    assert [d.code for d in error.value.diagnostics] == ["LSQ706"]
    create(own_broker.bootstrap, "rides")


def test_ports_of_one_call_differ() -> None:
    """So that the listeners of one broker do not take each other's."""
    ports = free_ports(20)
    assert len({*ports}) == 20 and all(map(is_free, ports))
