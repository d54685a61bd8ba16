"""The configuration of the local broker: Kafka's settings for a single node that keeps everything, and its files.

Settings that are not named here have Kafka's defaults. Names and meanings are those of Kafka's documentation, "Broker
Configs".
"""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

HOST = "127.0.0.1"

# The folder of topics, in the folder that the broker runs in. A relative path, since `log.dirs` is a list that commas
# split.
DATA = "data"

_KEPT: Mapping[str, str] = {
    # Records are kept for ever: the seven days that are usual go by the records' own times, so that samples of an
    # earlier year would be gone as soon as they are written. Those of the future are taken as well.
    "log.retention.ms": "-1",
    "log.message.timestamp.after.max.ms": str(2**63 - 1),
    "log.message.timestamp.before.max.ms": str(2**63 - 1),
    # A topic that nobody made is an error in a test and for a developer.
    "auto.create.topics.enable": "false",
    "delete.topic.enable": "true",
    # There is one node to replicate to.
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    # Nobody else joins, nobody else takes over, and what is removed gives its space back soon.
    "group.initial.rebalance.delay.ms": "0",
    "controlled.shutdown.enable": "false",
    "broker.heartbeat.interval.ms": "200",
    # A broker that was killed starts again when its session of before has ended.
    "broker.session.timeout.ms": "3000",
    "log.segment.delete.delay.ms": "1000",
    "log.cleaner.backoff.ms": "1000",
    # A small process: few threads, and a buffer of the cleaner that suits thousands of keys.
    "log.cleaner.dedupe.buffer.size": "2097152",
    "log.cleaner.threads": "1",
    "num.network.threads": "1",
    "num.io.threads": "2",
    "background.threads": "2",
    "num.recovery.threads.per.data.dir": "1",
}

LOG4J = """\
status = error
rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.target = SYSTEM_ERR
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{yyyy-MM-dd HH:mm:ss} %p %c{1}: %m%n%ex
"""

# Who comes through the plain listener may do everything, others what an ACL allows.
_AUTHORIZER: Mapping[str, str] = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
_USER = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Ports:
    """The TCP ports that a broker listens on, on the loopback only: for clients, for the controller, which is the same
    process, and for clients that say who they are, in plain text and by TLS; None where there is no such listener.
    """

    plain: int
    controller: int
    sasl: int | None = None
    tls: int | None = None


@dataclass(frozen=True, slots=True)
class Certificate:
    """A broker's certificate with those that it is signed by, and its key in the form PKCS #8: texts of PEM files."""

    chain: str
    key: str = field(repr=False)


def server_properties(
    ports: Ports,
    users: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
    certificate: Certificate | None = None,
) -> str:
    """The text of `server.properties`. `users`: passwords by name, for the listener of `ports.sasl`; `certificate`: for
    that of `ports.tls`; `settings` go over those that are made here.

    With users, access is by ACLs: who comes through the plain listener may do everything, and a user what an ACL
    allows. Raises ValueError for a user's name that is not of letters, digits, `_` and `-`.
    """
    listeners = {"PLAINTEXT": ports.plain, "CONTROLLER": ports.controller}
    protocols = {"PLAINTEXT": "PLAINTEXT", "CONTROLLER": "PLAINTEXT"}
    access: dict[str, str] = {}
    if ports.sasl is not None:
        listeners["SASL_PLAINTEXT"], protocols["SASL_PLAINTEXT"] = ports.sasl, "SASL_PLAINTEXT"
        access = {
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_plaintext.plain.sasl.jaas.config": _logins(users or {}),
            **_AUTHORIZER,
        }
    if ports.tls is not None and certificate is not None:
        listeners["SASL_SSL"], protocols["SASL_SSL"] = ports.tls, "SASL_SSL"
        access |= {
            "listener.name.sasl_ssl.sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": f"{_SCRAM} required;",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.certificate.chain": certificate.chain,
            "ssl.keystore.key": certificate.key,
            **_AUTHORIZER,
        }
    addresses = {name: f"{name}://{HOST}:{port}" for name, port in listeners.items()}
    made = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{HOST}:{ports.controller}",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "PLAINTEXT",
        "listeners": ",".join(addresses.values()),
        "advertised.listeners": ",".join(a for name, a in addresses.items() if name != "CONTROLLER"),
        "listener.security.protocol.map": ",".join(f"{name}:{protocol}" for name, protocol in protocols.items()),
        "log.dirs": DATA,
        **_KEPT,
        **access,
        **(settings or {}),
    }
    return "".join(f"{key}={_value(value)}\n" for key, value in made.items())


def meta_properties() -> str:
    """The text of `meta.properties`, by which a folder becomes one of topics, for a cluster that has not been before.

    This is what Kafka's `StorageTool format` leaves, which takes a JVM of its own; without the file that it writes
    beside it the newest version of the metadata holds.
    """
    return f"version=1\ncluster.id={_id()}\nnode.id=1\ndirectory.id={_id()}\n"


def _id() -> str:
    """Kafka's form of a UUID, which must not begin like an option."""
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text


def _logins(users: Mapping[str, str]) -> str:
    options = []
    for name, password in users.items():
        if not _USER.fullmatch(name):
            raise ValueError(f"the name of a user must consist of letters, digits, _ and -: {name!r}")
        quoted = password.replace("\\", "\\\\").replace('"', '\\"')
        options.append(f'user_{name}="{quoted}"')
    return " ".join(["org.apache.kafka.common.security.plain.PlainLoginModule required", *options]) + ";"


def _value(text: str) -> str:
    """As java.util.Properties reads it: Latin-1, with escapes."""
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n")
    units = escaped.encode("utf-16-be", "surrogatepass")
    return "".join(
        chr(unit) if 32 <= unit < 127 else f"\\u{unit:04x}"
        for unit in (int.from_bytes(units[i : i + 2]) for i in range(0, len(units), 2))
    )
