"""Targets: the places where models run, as profiles describe them."""

from __future__ import annotations

from dataclasses import dataclass, field

from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.latency import Latency


@dataclass(frozen=True, slots=True)
class Target:
    """A place where models run.

    `type`: `embedded` for a server that lsqlc starts itself, `connect` for a Spark Connect address. The address may
    hold a token, so it is not part of the text form. `checkpoints`: a folder, or with `kafka` an address such as
    `s3a://bucket/x`. `kafka`: the cluster of the topics that are not files; None: topics are folders.

    `defers`: the target from which topics are read that are not in `own`, the topics that its own models write; None:
    it has all topics itself. `own` None: not looked up yet. `owner`: the responsible people. `confirm`: irreversible
    commands ask for a confirmation. `latency`: the default of models without one.
    """

    name: str
    type: str = "embedded"
    address: str | None = field(default=None, repr=False)
    checkpoints: str | None = None
    topics: str | None = None
    kafka: KafkaSettings | None = None
    registry: RegistryTarget | None = None
    defers: Target | None = None
    own: frozenset[str] | None = None
    owner: str | None = None
    confirm: bool = False
    latency: Latency = "micro-batch"


def not_apart(target: Target, other: Target) -> tuple[str, str, str] | None:
    """Return why a target cannot read another one's topics together with its own: clause, note and help; None if it
    can.
    """
    mine, theirs = target.kafka, other.kafka
    if (mine is None) != (theirs is None):
        note = "a query reads topics in folders or in Kafka, not in both"
        return "one has its topics in Kafka, the other in folders", note, "use the same kind of topics for both"
    if mine is not None and theirs is not None and mine.prefix == theirs.prefix:
        prefix = f"the prefix '{mine.prefix}'" if mine.prefix else "no prefix"
        note = "what it writes must have names of its own, beside those that it reads"
        return f"both have {prefix}", note, f"write a `prefix` of its own, such as `prefix: {target.name}.`"
    for key in ("topics", "checkpoints"):
        one, two = getattr(target, key), getattr(other, key)
        if one is not None and one == two:
            note = "what it writes must be apart from what it reads"
            return f"both have the same '{key}'", note, f"omit `{key}`, or use another one"
    return None
