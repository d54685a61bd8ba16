"""How a Kafka cluster is reached, and what topics are created there by default: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

Protocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]


@dataclass(frozen=True, slots=True)
class KafkaSecurity:
    """How a client shows who it is. `ca`, `certificate` and `key` are paths of PEM files on the client's machine; what
    is secret is kept out of the text form.
    """

    protocol: Protocol = "PLAINTEXT"
    mechanism: Mechanism | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None

    @property
    def has_sasl(self) -> bool:
        return self.protocol.startswith("SASL")

    @property
    def has_tls(self) -> bool:
        return self.protocol.endswith("SSL")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where the topics lie that an environment reads from another one: under `prefix`. Those in `own` it writes itself.
    `target`: what the other one is called.
    """

    target: str
    prefix: str
    own: frozenset[str]


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """`bootstrap`: brokers as `host:port`, separated by commas, as the client reaches them; `server_bootstrap`: as the
    Spark server does, None where that is the same.

    `offsets_per_batch`: how many records of its topics a query reads in a batch, at most. `commit_offsets`: what
    queries have read is committed to consumer groups.

    `writers`: how many transactions write a batch, at most one for each partition of the topic; `auto`: one, and
    several where batches are large (see `lsqlc.remote.connectors.kafka.publish`); `native`: none, Spark's own sink does
    (see `lsqlc.lower.spark.native_writers`).

    `prefix` stands before the name of each topic of the project. `partitions` and `replication` are those of topics
    that are created and declare none; `replication` None: the broker's default. `properties` are further properties of
    clients (see `lsqlc.connectors.kafka.settings`), which may be secret. `elsewhere`: where topics lie that are not
    under `prefix`; None: all are.
    """

    connector: ClassVar[str] = "kafka"

    bootstrap: str
    server_bootstrap: str | None = None
    security: KafkaSecurity = KafkaSecurity()
    prefix: str = ""
    partitions: int = 1
    replication: int | None = None
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    offsets_per_batch: int = 200_000
    commit_offsets: bool = False
    writers: int | Literal["auto", "native"] = 1
    elsewhere: Elsewhere | None = None
