"""What a cluster refuses to a user, and the command that mends it, against a broker with users and access control."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from lsqlc.connectors.kafka.access import Access
from lsqlc.connectors.kafka.grants import grants
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.kafka.plan import Need
from lsqlc.connectors.kafka.specs import TopicSpec
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.server.broker import Broker, BrokerOptions
from lsqlc.types.kafka import KafkaSecurity, KafkaSettings
from tests.connectors.contract import ORDERS, PAIRS, ids, order, pair
from tests.kafka.fixture import fetched

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker where ann may do what she was given access to."""
    fetched("kafka-broker")
    with Broker(
        tmp_path_factory.mktemp("guarded"), os.environ, BrokerOptions(users={"ann": "right", "bob": "right"})
    ) as running:
        yield running


def of_user(guarded: Broker, prefix: str, user: str = "ann", password: str = "right") -> KafkaSettings:
    security = KafkaSecurity("SASL_PLAINTEXT", "PLAIN", user, password)
    return KafkaSettings(guarded.sasl_bootstrap, security=security, prefix=prefix)


def give(guarded: Broker, user: str, *accesses: Access) -> None:
    """Grant it, as `kafka-acls` does."""
    from confluent_kafka.admin import (
        AclBinding,
        AclOperation,
        AclPermissionType,
        AdminClient,
        ResourcePatternType,
        ResourceType,
    )

    kinds = {"topic": ResourceType.TOPIC, "group": ResourceType.GROUP,
             "transactional-id": ResourceType.TRANSACTIONAL_ID, "cluster": ResourceType.BROKER}  # fmt: skip
    bindings = [
        AclBinding(
            kinds[access.resource], access.name,
            ResourcePatternType.PREFIXED if access.prefixed else ResourcePatternType.LITERAL,
            f"User:{user}", "*", AclOperation[operation], AclPermissionType.ALLOW,
        )
        for access in accesses
        for operation in access.to_json()["operations"]
    ]  # fmt: skip
    admin = AdminClient({"bootstrap.servers": guarded.bootstrap, "log_level": 0})
    for future in admin.create_acls(bindings).values():
        future.result(20)


def failed(call: Any) -> Diagnostic:
    with pytest.raises(LsqlcError) as error:
        call()
    (found,) = error.value.diagnostics
    return found


def test_a_wrong_password(guarded: Broker, topic_prefix: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Is said at once, with the user, without the password, and with nothing on stderr."""
    log = KafkaLog(of_user(guarded, topic_prefix, password="wr0ng"))
    for call in (log.names, lambda: log.append(ORDERS, [order(1)]), lambda: log.read(ORDERS)):
        found = failed(call)
        assert (found.code, found.message) == (
            "LSQ733",
            f"the brokers at {guarded.sasl_bootstrap} reject the credentials",
        )
        assert found.help and "'ann'" in found.help and "wr0ng" not in str(found)
    assert capfd.readouterr() == ("", "")


def test_a_user_where_none_is_asked_for(guarded: Broker) -> None:
    """And TLS where there is none: the protocol is named."""
    security = KafkaSecurity("SSL")
    found = failed(KafkaLog(KafkaSettings(guarded.bootstrap, security=security), patience=5).names)
    assert found.code == "LSQ732" and found.help and "it is probably not encrypted" in found.help
    found = failed(KafkaLog(KafkaSettings(guarded.sasl_bootstrap), patience=5).names)
    assert found.code == "LSQ732" and found.help and "another `protocol` than PLAINTEXT" in found.help


def test_a_topic_that_may_not_be_read(guarded: Broker, topic_prefix: str) -> None:
    """It is not taken for one that does not exist; the command names what is missing."""
    KafkaLog(KafkaSettings(guarded.bootstrap, prefix=topic_prefix)).append(ORDERS, [order(1)])
    log = KafkaLog(of_user(guarded, topic_prefix))
    assert log.names() == ()
    found = failed(lambda: log.read(ORDERS))
    assert (found.code, found.message) == ("LSQ735", "'orders' cannot be read: the user lacks access")
    assert found.help == (
        f"grant it: kafka-acls --bootstrap-server {guarded.sasl_bootstrap} --add --allow-principal User:ann "
        f"--operation Read --operation Describe --topic {topic_prefix}orders"
    )
    give(guarded, "ann", Access("topic", f"{topic_prefix}orders", ("Read", "Describe")))
    give(guarded, "ann", Access("group", f"{topic_prefix}lsqlc.", ("Read",), prefixed=True))
    assert ids(log) == [1]


def test_a_topic_that_may_not_be_written(guarded: Broker, topic_prefix: str) -> None:
    """Nor created, nor in a transaction; each has a command of its own."""
    name = f"{topic_prefix}orders"
    log = KafkaLog(of_user(guarded, topic_prefix))
    found = failed(lambda: log.append(ORDERS, [order(1)]))
    assert found.code == "LSQ735" and found.help and "--operation Create" in found.help
    give(guarded, "ann", Access("topic", name, ("Write", "Describe", "Create")))
    found = failed(lambda: log.append(ORDERS, [order(1)]))
    assert found.code == "LSQ735" and found.help
    words = shlex.split(found.help.partition(": ")[2])
    assert words[words.index("--transactional-id") + 1] == f"{topic_prefix}lsqlc."
    give(guarded, "ann", Access("transactional-id", f"{topic_prefix}lsqlc.", ("Write", "Describe"), prefixed=True))
    assert log.append(ORDERS, [order(1)]).count == 1


def test_the_access_of_a_plan_is_enough(guarded: Broker, topic_prefix: str) -> None:
    """A user with what `grants` says, and nothing else, reads inputs, writes outputs and markers."""
    settings = of_user(guarded, topic_prefix, "bob")
    KafkaLog(KafkaSettings(guarded.bootstrap, prefix=topic_prefix)).append(ORDERS, [order(1)])
    needed = [
        Need("orders", "input", TopicSpec(f"{topic_prefix}orders", 1), readers=("m",)),
        Need("pairs", "output", TopicSpec(f"{topic_prefix}pairs", 1), writers=("m",), readers=("m",)),
        Need("_lsqlc.commits", "commits", TopicSpec(f"{topic_prefix}_lsqlc.commits", 1), ("m",), ("m",)),
    ]
    give(guarded, "bob", *grants(needed, settings))
    log = KafkaLog(settings)
    assert ids(log) == [1]
    assert log.append_batch(PAIRS, [pair(1, 4, 0)], generation="a", batch=0)
    assert not log.append_batch(PAIRS, [pair(1, 4, 0)], generation="a", batch=0)
    assert [r.value for r in log.read(PAIRS)] == [1]
    assert log.names() == ("orders", "pairs")


def test_nothing_is_printed_by_a_process_of_its_own(guarded: Broker, topic_prefix: str) -> None:
    """Not by threads of the client that outlive the error either."""
    code = (
        "from lsqlc.diagnostics import LsqlcError\nfrom lsqlc.connectors.kafka.log import KafkaLog\n"
        "from lsqlc.types.kafka import KafkaSecurity, KafkaSettings\nimport sys\n"
        "user = KafkaSecurity('SASL_PLAINTEXT', 'PLAIN', 'ann', 'wr0ng')\n"
        "try: KafkaLog(KafkaSettings(sys.argv[1], security=user)).names()\n"
        "except LsqlcError as error: print(error.diagnostics[0].code)"
    )
    ran = subprocess.run([sys.executable, "-c", code, guarded.sasl_bootstrap], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("LSQ733\n", "", 0)
