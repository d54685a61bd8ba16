"""A project over SASL_SSL with SCRAM and an authority of its own: what a user with the access of `topics acls` can do,
what is refused, and that no secret is left anywhere.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.kafka.access import Access
from lsqlc.connectors.kafka.client import pem_texts
from lsqlc.connectors.kafka.settings import kafka_python_properties, librdkafka_properties
from lsqlc.remote.connectors.kafka.clients import ClientSettings, confluent_client, python_client
from lsqlc.remote.server.broker import Broker, BrokerOptions
from lsqlc.types.kafka import KafkaSecurity, KafkaSettings
from tests.cli.conftest import Cli, Ran, bikes, cli
from tests.kafka import client
from tests.kafka.certificates import authority, signed
from tests.kafka.fixture import fetched
from tests.kafka.test_kafka_access import give
from tests.shared import SharedServer

__all__ = ["bikes", "cli"]
pytestmark = pytest.mark.kafka

# Words that occur nowhere else.
PASSWORD, WRONG = "s3cret-Quokka-1", "s3cret-Numbat-2"
PROFILE = """\
default: prod
targets:
  prod:
    type: connect
    address: {address}
    checkpoints: "file:{checkpoints}"
    kafka:
      bootstrap: {bootstrap}
      prefix: {prefix}
      writers: {writers}
      security:
        protocol: SASL_SSL
        mechanism: SCRAM-SHA-512
        username: {user}
        password: "{{{{ env_var('TEST_KAFKA_PASSWORD') }}}}"
        ca: certs/ca.pem
  admin:
    type: embedded
    kafka: {{bootstrap: "{plain}", prefix: {prefix}}}
"""


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return authority(tmp_path_factory.mktemp("tls") / "ours")


@pytest.fixture(scope="module")
def secured(ca: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker by TLS with the users lsqlc and other, who may do nothing yet."""
    fetched("kafka-broker")
    with Broker(
        tmp_path_factory.mktemp("secured"), os.environ, BrokerOptions(certificate=signed(ca, "broker"))
    ) as running:
        for name in ("lsqlc", "other"):
            make_user(running, name)
        yield running


def make_user(broker: Broker, name: str) -> None:
    from confluent_kafka.admin import (
        AdminClient,
        ScramCredentialInfo,
        ScramMechanism,
        UserScramCredentialUpsertion,
    )

    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    made = admin.alter_user_scram_credentials([UserScramCredentialUpsertion(name, info, PASSWORD.encode())])
    for future in made.values():
        future.result(20)


def take(broker: Broker, user: str, access: Mapping[str, Any], operation: str) -> None:
    """Remove an operation of what `topics acls --output json` names."""
    from confluent_kafka.admin import (
        AclBindingFilter,
        AclOperation,
        AclPermissionType,
        AdminClient,
        ResourcePatternType,
        ResourceType,
    )

    filter = AclBindingFilter(
        ResourceType[access["resource_type"]], access["resource_name"], ResourcePatternType[access["pattern_type"]],
        f"User:{user}", None, AclOperation[operation], AclPermissionType.ALLOW,
    )  # fmt: skip
    admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    for future in admin.delete_acls([filter]).values():
        assert len(future.result(20)) == 1


def accesses(acls: list[dict[str, Any]]) -> list[Access]:
    return [
        Access(
            acl["resource_type"].lower().replace("_", "-"), acl["resource_name"],
            tuple(operation.title().replace("_", "") for operation in acl["operations"]),
            acl["pattern_type"] == "PREFIXED",
        )
        for acl in acls
    ]  # fmt: skip


@dataclass
class Secure:
    """A project whose target asks for a user by TLS. `said`: all that its commands have printed."""

    cli: Cli
    folder: Path
    broker: Broker
    server: SharedServer
    prefix: str
    checkpoints: Path
    said: list[str]

    def profile(self, **given: Any) -> None:
        values = {
            "address": self.server.address, "checkpoints": self.checkpoints, "bootstrap": self.broker.tls_bootstrap,
            "prefix": self.prefix, "writers": 1, "user": "lsqlc",
            "plain": self.broker.bootstrap,
        }  # fmt: skip
        (self.folder / "profiles.yml").write_text(PROFILE.format(**{**values, **given}))

    def run(self, *words: str) -> Ran:
        ran = self.cli(*words)
        self.said += [ran.out, ran.err]
        return ran

    def refused(self, code: str, *words: str) -> Ran:
        ran = self.run(*words)
        assert ran.code == 1 and f"error[{code}]" in ran.err, (words, ran.out, ran.err)
        return ran

    def acls(self, *words: str) -> list[dict[str, Any]]:
        acls: list[dict[str, Any]] = self.run("topics", "acls", "--output", "json", *words).data["acls"]
        return acls

    def secrets(self) -> list[str]:
        """Where a password is, of all that was printed and all files that are there."""
        words = (PASSWORD, WRONG)
        files = [
            path
            for folder in (self.folder, self.checkpoints, self.server.folder)
            for path in folder.rglob("*")
            if path.is_file()
        ]
        assert len(files) > 20
        found = [str(path) for path in files if any(word.encode() in path.read_bytes() for word in words)]
        return found + [text for text in self.said if any(word in text for word in words)]


@pytest.fixture
def secure(
    cli: Cli,
    bikes: Path,
    secured: Broker,
    ca: Path,
    kafka_spark_server: SharedServer,
    topic_prefix: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Secure:
    """The target, whose inputs somebody else has filled."""
    monkeypatch.setenv("TEST_KAFKA_PASSWORD", PASSWORD)
    (bikes / "certs").mkdir()
    shutil.copy(ca, bikes / "certs" / "ca.pem")
    made = Secure(cli, bikes, secured, kafka_spark_server, topic_prefix, tmp_path / "ck", [])
    made.profile()
    assert made.run("seed", "--target", "admin").code == 0
    return made


def test_a_project(secure: Secure, monkeypatch: pytest.MonkeyPatch) -> None:
    """The access of `topics acls` is enough for a run. Other commands name what else they take. No secret is left."""
    monkeypatch.setenv("TEST_KAFKA_PASSWORD", WRONG)
    words: tuple[str, ...]
    for words in (("run",), ("topics", "plan"), ("show", "arrivals"), ("seed",)):
        secure.refused("LSQ733", *words)
    monkeypatch.setenv("TEST_KAFKA_PASSWORD", PASSWORD)
    give(secure.broker, "lsqlc", *accesses(secure.acls()))
    some = ("--exclude", "rides_by_station")
    for words in (("topics", "plan"), ("topics", "apply"), ("run", *some), ("plan",), ("debug",)):
        ran = secure.run(*words)
        assert ran.code == 0, (words, ran.out, ran.err)
    # It says that no run goes on.
    assert "finished" in secure.run("status").out
    rows = f"--topic {secure.prefix}bikes_at_station"
    assert rows in secure.refused("LSQ735", "show", "bikes_at_station").err
    assert "--operation Delete" in secure.refused("LSQ735", "run", "--full-refresh", *some).err
    give(secure.broker, "lsqlc", Access("topic", f"{secure.prefix}bikes_at_station", ("Read", "Delete")))
    give(secure.broker, "lsqlc", Access("topic", f"{secure.prefix}arrivals", ("Delete",)))
    for words in (("run", "--verify", *some), ("show", "bikes_at_station")):
        ran = secure.run(*words)
        assert ran.code == 0, (words, ran.out, ran.err)
    ran = secure.refused("LSQ735", "seed", "--full-refresh")
    assert f"--topic {secure.prefix}rides" in ran.err and "bikes_at_station: results and checkpoints removed" in ran.err
    assert not secure.secrets()


def test_native_writers(secure: Secure) -> None:
    """Spark's own sink logs in as its source does, and needs no other access."""
    secure.profile(writers="native")
    one = ("--select", "arrivals")
    give(secure.broker, "other", *accesses(secure.acls(*one)))
    secure.profile(writers="native", user="other")
    ran = secure.run("run", *one)
    assert ran.code == 0, ran.err
    assert len(client.read(secure.broker.bootstrap, f"{secure.prefix}arrivals")) == 55
    assert not secure.secrets()


@pytest.mark.parametrize("writers", [1, "native"])
def test_access_that_is_missing(secure: Secure, writers: Any) -> None:
    """One operation less ends the run with an error that names the resource, before or after the queries start."""
    user = f"user{writers}"
    make_user(secure.broker, user)
    one = ("--select", "arrivals")
    secure.profile(writers=writers, user=user)
    acls = secure.acls(*one)
    give(secure.broker, user, *accesses(acls))
    missing = [
        ("rides", "DESCRIBE_CONFIGS"),
        ("_lsqlc.leases", "WRITE"),
        ("arrivals", "CREATE"),
        ("_lsqlc.commits", "WRITE"),
        ("lsqlc.", "WRITE"),
        ("rides", "READ"),
        ("arrivals", "WRITE"),
    ]
    for name, operation in missing:
        (acl,) = (a for a in acls if a["resource_name"] == secure.prefix + name and operation in a["operations"])
        take(secure.broker, user, acl, operation)
        ran = secure.refused("LSQ735", "run", *one)
        assert f" {secure.prefix}{name}" in ran.err, (name, operation, ran.err)
        give(secure.broker, user, *accesses([{**acl, "operations": [operation]}]))
    ran = secure.run("run", *one)
    assert ran.code == 0, ran.err


def test_authorities(secure: Secure, tmp_path: Path) -> None:
    """A broker whose certificate another authority has signed, or whose certificate has expired, is not trusted."""
    other = authority(tmp_path / "other")
    shutil.copy(other, secure.folder / "certs" / "ca.pem")
    for words in (("run",), ("topics", "plan"), ("show", "arrivals")):
        ran = secure.refused("LSQ734", *words)
        assert "certificate verify failed" in ran.err
    expired = signed(other, "expired", "-days", "-1")
    with Broker(tmp_path / "expired", os.environ, BrokerOptions(certificate=expired)) as broker:
        secure.profile(bootstrap=broker.tls_bootstrap)
        assert "certificate verify failed" in secure.refused("LSQ734", "topics", "plan").err


# kafka-python reads its own files by a function that Python has declared to be old, and leaves sockets to be collected.
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("kind", [confluent_client, python_client])
def test_certificates_that_are_not_on_the_server(secured: Broker, ca: Path, topic_prefix: str, kind: Any) -> None:
    """The writers of a batch have the contents of the files, which are gone by then."""
    copied = shutil.copy(ca, ca.with_name(f"{topic_prefix}pem"))
    mine = signed(ca, f"{topic_prefix}user")
    ca.with_name("mine.pem").write_text(mine.chain)
    ca.with_name("mine.key").write_text(mine.key)
    files = [str(copied), str(ca.with_name("mine.pem")), str(ca.with_name("mine.key"))]
    security = KafkaSecurity("SASL_SSL", "SCRAM-SHA-512", "lsqlc", PASSWORD, *files)
    settings = KafkaSettings(secured.tls_bootstrap, security=security, prefix=topic_prefix)
    name = f"{topic_prefix}markers"
    client.create(secured.bootstrap, name)
    give(secured, "lsqlc", Access("topic", topic_prefix, ("Read", "Write"), prefixed=True))
    give(secured, "lsqlc", Access("transactional-id", topic_prefix, ("Write",), prefixed=True))
    give(secured, "lsqlc", Access("group", topic_prefix, ("Read",), prefixed=True))
    pem = pem_texts(settings)
    given = ClientSettings(
        name, b"g", librdkafka_properties(settings, pem=pem), kafka_python_properties(settings, pem=pem)
    )
    for file in files:
        Path(file).unlink()
    opened = kind(given)(f"{topic_prefix}id")
    opened.commit(name, [(b"g", b"1")])
    assert opened.committed(0)[0] == [(b"g", b"1")]
    opened.close()
