"""The configuration files of the local broker: a single node without a limit of retention.

Settings that are not named here have Kafka's defaults. Kafka's documentation describes them in "Broker Configs".
"""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

HOST = "127.0.0.1"

# The folder of topics, relative to the working directory of the broker. An absolute path might contain a comma, which
# separates the items of `log.dirs`.
DATA = "data"

_KEPT: Mapping[str, str] = {
    # No record is removed. The default of seven days applies to the records' timestamps, so sample records of an
    # earlier year would be removed at once. Timestamps of the future are valid as well.
    "log.retention.ms": "-1",
    "log.message.timestamp.after.max.ms": str(2**63 - 1),
    "log.message.timestamp.before.max.ms": str(2**63 - 1),
    # A client of a topic that does not exist gets an error.
    "auto.create.topics.enable": "false",
    "delete.topic.enable": "true",
    # There is only one node.
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    # There is no other node to wait for. Removed segments free their space soon.
    "group.initial.rebalance.delay.ms": "0",
    "controlled.shutdown.enable": "false",
    "broker.heartbeat.interval.ms": "200",
    # A broker that was killed can start again when its former session has expired.
    "broker.session.timeout.ms": "3000",
    "log.segment.delete.delay.ms": "1000",
    "log.cleaner.backoff.ms": "1000",
    # For a small process: few threads, and a buffer of the log cleaner for thousands of keys.
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

# Clients of the plain listener may do everything. ACLs restrict other clients.
_AUTHORIZER: Mapping[str, str] = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
_USER = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Ports:
    """The TCP ports of a broker, all on the loopback interface. None: there is no such listener.

    `plain`: for clients without authentication; `controller`: for the controller, which is the same process; `sasl`:
    for users without TLS; `tls`: for users with TLS.
    """

    plain: int
    controller: int
    sasl: int | None = None
    tls: int | None = None


@dataclass(frozen=True, slots=True)
class Certificate:
    """The certificate chain of a broker and its key, as texts of PEM files. The key has the format PKCS #8."""

    chain: str
    key: str = field(repr=False)


def server_properties(
    ports: Ports,
    users: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
    certificate: Certificate | None = None,
) -> str:
    """Return the text of `server.properties`.

    `users`: passwords by name, for the listener of `ports.sasl`; `certificate`: for the listener of `ports.tls`;
    `settings`: override the settings of this module. ACLs restrict users, but not the clients of the plain listener.
    Raises ValueError for a user's name with characters other than letters, digits, `_` and `-`.
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
    properties = {
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
    return "".join(f"{key}={_value(value)}\n" for key, value in properties.items())


def meta_properties() -> str:
    """Return the text of `meta.properties`, which makes a folder the storage of a new cluster.

    Kafka's `StorageTool format` writes the same file, but needs a JVM. It also writes a file with the version of the
    metadata. Without that file Kafka uses the newest version.
    """
    return f"version=1\ncluster.id={_id()}\nnode.id=1\ndirectory.id={_id()}\n"


def _id() -> str:
    """Return a UUID in Kafka's notation, which must not begin with `-`."""
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
    """Return a value with the escapes of java.util.Properties, in ASCII."""
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n")
    units = escaped.encode("utf-16-be", "surrogatepass")
    return "".join(
        chr(unit) if 32 <= unit < 127 else f"\\u{unit:04x}"
        for unit in (int.from_bytes(units[i : i + 2]) for i in range(0, len(units), 2))
    )
