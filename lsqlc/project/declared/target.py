"""Targets: the places where models run, as profiles describe them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lsqlc.connectors import connector_of
from lsqlc.connectors.record import Capabilities, Connector, ConnectorSettings
from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.tables.record import Store
from lsqlc.types.latency import Latency


@dataclass(frozen=True, slots=True)
class Target:
    """A place where models run.

    `type`: `embedded` for a server that lsqlc starts itself, `connect` for a Spark Connect address. The address may
    hold a token, so it is not part of the text form. `checkpoints`: a folder, or an address such as `s3a://bucket/x` if
    topics are not files. `connection`: the settings of the connector that has the topics; None: they are in folders.

    `defers`: the target from which topics are read that are not in `own`, the topics that its own models write; None:
    it has all topics itself. `own` None: not looked up yet. `owner`: the responsible people. `confirm`: irreversible
    commands ask for a confirmation. `latency`: the default of models without one. `stores`: those of the tables that
    follow topics, by name.
    """

    name: str
    type: str = "embedded"
    address: str | None = field(default=None, repr=False)
    checkpoints: str | None = None
    topics: str | None = None
    connection: ConnectorSettings | None = None
    registry: RegistryTarget | None = None
    defers: Target | None = None
    own: frozenset[str] | None = None
    owner: str | None = None
    confirm: bool = False
    latency: Latency = "micro-batch"
    stores: Mapping[str, Store] = field(default_factory=dict)

    @property
    def connector(self) -> Connector:
        """The connector that holds the topics."""
        return connector_of(self.connection)

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of the connector, with the settings of the target."""
        return self.connector.capabilities(self.connection)


def not_apart(target: Target, other: Target) -> tuple[str, str, str] | None:
    """Return why a target cannot read another one's topics together with its own: clause, note and help; None if it
    can.
    """
    mine, theirs = target.connector, other.connector
    if mine is not theirs:
        first, second = sorted((mine, theirs), key=lambda connector: connector.setting is None)
        note = f"a query reads topics {second.where} or {first.where}, not in both"
        clause = f"one has its topics {first.where}, the other {second.where}"
        return clause, note, "use the same kind of topics for both"
    if (conflict := mine.conflict(target.name, target.connection, other.connection)) is not None:
        return conflict
    for key in ("topics", "checkpoints"):
        one, two = getattr(target, key), getattr(other, key)
        if one is not None and one == two:
            note = "what it writes must be apart from what it reads"
            return f"both have the same '{key}'", note, f"omit `{key}`, or use another one"
    return None
