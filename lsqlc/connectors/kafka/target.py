"""`kafka:` in a target of `profiles.yml`: the Kafka cluster with the topics, and its connection settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from lsqlc.types.kafka import KafkaSecurity, KafkaSettings
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import POSITIVE, described
from lsqlc.yaml.nodes import KeyPath, path_text

# The only form of a secret: a default, or text around it, would be in the file.
_SECRET = re.compile(r"\s*\{\{\s*env_var\(\s*(['\"])[A-Za-z_][A-Za-z0-9_]*\1\s*\)\s*\}\}\s*")
# Names of properties with secrets. `...location` is the path of a file.
_SECRET_NAME = re.compile(r"password|secret|jaas|token$|\.key$|key\.pem|keystore\.key", re.IGNORECASE)
# One broker of a list: a name or an address in brackets, and a port.
_BROKER = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):([0-9]{1,5})")
_PREFIX = re.compile(r"[A-Za-z0-9._-]{0,100}")
# Properties with their own keys, so that all clients have the same value.
_OWN_KEYS = {
    "bootstrap.servers": "bootstrap", "security.protocol": "security.protocol", "sasl.mechanism": "security.mechanism",
    "sasl.mechanisms": "security.mechanism", "sasl.username": "security.username",
    "sasl.password": "security.password", "sasl.jaas.config": "security.username", "ssl.ca.location": "security.ca",
    "ssl.certificate.location": "security.certificate", "ssl.key.location": "security.key",
}  # fmt: skip
# Properties of librdkafka that load a library, or start a program, in the process of lsqlc.
_RUNS_CODE = frozenset(("plugin.library.paths", "ssl.engine.location", "ssl.providers", "sasl.kerberos.kinit.cmd"))


class SecurityFile(msgspec.Struct, frozen=True, kw_only=True):
    protocol: Annotated[
        Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"],
        described("Whether the connection is encrypted, and whether a user logs in."),
    ] = "PLAINTEXT"
    mechanism: Annotated[
        Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] | None,
        described("How the user logs in, with a SASL protocol."),
    ] = None
    username: Annotated[str | None, described("The user.")] = None
    password: Annotated[str | None, described("The password, only as {{ env_var('NAME') }}.")] = None
    ca: Annotated[str | None, described("A PEM file with the certificates of who signs those of the brokers.")] = None
    certificate: Annotated[str | None, described("A PEM file with the client's certificate.")] = None
    key: Annotated[str | None, described("A PEM file with the key of that certificate, in the form PKCS #8.")] = None


class KafkaFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of `kafka:`."""

    bootstrap: Annotated[str, described("Brokers as `host:port`, separated by commas.")]
    server_bootstrap: Annotated[
        str | None, described("The brokers as the Spark server reaches them, if not by the same addresses.")
    ] = None
    security: Annotated[SecurityFile, described("How a client shows who it is.")] = SecurityFile()
    prefix: Annotated[str, described("The prefix of the name of each topic of the project.")] = ""
    partitions: Annotated[int, described("Partitions of a topic that is created and declares none.", POSITIVE)] = 1
    replication: Annotated[
        int | None, described("Replicas of a topic that is created, if not the broker's default.", POSITIVE)
    ] = None
    offsets_per_batch: Annotated[int, described("Records that a query reads in a batch, at most.", POSITIVE)] = 200_000
    commit_offsets: Annotated[
        bool, described("Whether what queries have read is committed to consumer groups, for Kafka's own tools.")
    ] = False
    writers: Annotated[
        int | str,
        described(
            "Transactions that write a batch, at most one for each partition; `auto`: one, or several for "
            "large batches; `native`: none, Spark's own sink writes, without Python.",
            {"anyOf": [{"type": "integer", "minimum": 1}, {"enum": ["auto", "native"]}]},
        ),
    ] = 1
    properties: Annotated[
        dict[str, str | int | float | bool],
        described(
            "Further properties of clients; one that begins with `librdkafka.`, `java.` or `python.` is for "
            "that client."
        ),
    ] = {}


@dataclass(frozen=True, slots=True)
class _Mistake:
    """An error about the member at `path` of the mapping."""

    path: KeyPath
    message: str
    help: str


def kafka_settings(decoder: Decoder, key_path: KeyPath, file: KafkaFile, literal: Any) -> KafkaSettings:
    """Return the settings of the mapping at `key_path`. Messages never repeat a value.

    `literal`: the mapping before environment variables are replaced. Reports LSQ731 for a literal secret, and LSQ730
    for settings that no client supports.
    """
    for path, name in _literal_secrets(literal):
        decoder.report(
            "LSQ731",
            f"'{name}' is a secret, and is in the file @ {path_text((*key_path, *path))}",
            decoder.document.span((*key_path, *path)),
            notes=("a profile is kept with the project, where everybody reads it",),
            help=f"export it, and write: {path[-1]}: \"{{{{ env_var('{_variable(name)}') }}}}\"",
        )
    for mistake in _mistakes(file):
        where = (*key_path, *mistake.path)
        message = f"{mistake.message} @ {path_text(where)}"
        decoder.report("LSQ730", message, decoder.document.span(where), help=mistake.help)
    security = file.security
    return KafkaSettings(
        file.bootstrap,
        file.server_bootstrap,
        KafkaSecurity(
            security.protocol,
            security.mechanism,
            security.username,
            security.password,
            security.ca,
            security.certificate,
            security.key,
        ),
        file.prefix,
        file.partitions,
        file.replication,
        {name: _text(value) for name, value in file.properties.items()},
        file.offsets_per_batch,
        commit_offsets=file.commit_offsets,
        writers=_writers(file) or 1,
    )


def _literal_secrets(literal: Any) -> Iterator[tuple[KeyPath, str]]:
    """Yield the paths and names of literal secrets in the file."""
    mapping = literal if isinstance(literal, dict) else {}
    security, properties = mapping.get("security"), mapping.get("properties")
    if isinstance(security, dict) and _is_literal(security.get("password")):
        yield ("security", "password"), "password"
    for name, value in properties.items() if isinstance(properties, dict) else ():
        if isinstance(name, str) and _SECRET_NAME.search(name) and _is_literal(value):
            yield ("properties", name), name


def _is_literal(value: Any) -> bool:
    if value is None or isinstance(value, dict | list):
        # None is not a secret. A mapping is reported as a wrong type.
        return False
    return not (isinstance(value, str) and _SECRET.fullmatch(value))


def _variable(name: str) -> str:
    return f"KAFKA_{re.sub('[^A-Za-z0-9]+', '_', name).upper()}"


def _mistakes(file: KafkaFile) -> Iterator[_Mistake]:
    for key, brokers in (("bootstrap", file.bootstrap), ("server_bootstrap", file.server_bootstrap)):
        if brokers is not None and not all(map(_is_broker, brokers.split(","))):
            help = f"list the brokers as `host:port`, separated by commas: {key}: broker-1:9092,broker-2:9092"
            yield _Mistake((key,), f"'{key}' is not a list of brokers", help)
    if not _PREFIX.fullmatch(file.prefix):
        help = "names in Kafka consist of letters, digits, `.`, `_` and `-`; use at most 100"
        yield _Mistake(("prefix",), "'prefix' cannot be part of the name of a topic", help)
    numbers = (
        ("partitions", file.partitions, 10_000),
        ("replication", file.replication, 1_000),
        ("offsets_per_batch", file.offsets_per_batch, 1_000_000_000),
    )
    for key, count, most in numbers:
        if count is not None and not 1 <= count <= most:
            yield _Mistake((key,), f"'{key}' is not a number from 1 to {most:,}", f"write {key}: 1, or more")
    if _writers(file) is None:
        help = "write writers: 1, a higher number, auto, or native"
        yield _Mistake(("writers",), "'writers' is not a number from 1 to 1,000, 'auto' or 'native'", help)
    for name in file.properties:
        of_client = name.removeprefix("librdkafka.").removeprefix("java.").removeprefix("python.")
        if own := _OWN_KEYS.get(of_client):
            yield _Mistake(("properties", name), f"'{name}' has its own key", f"write it as `{own}`")
        if of_client in _RUNS_CODE:
            help = "remove it: a profile is kept with the project, and may name no code that a client runs"
            yield _Mistake(("properties", name), f"'{name}' names code that the client runs", help)
    yield from _security_mistakes(file.security)


def _security_mistakes(security: SecurityFile) -> Iterator[_Mistake]:
    settings = KafkaSecurity(security.protocol)
    key_path = ("security",)
    if settings.has_sasl:
        for key, value in (("mechanism", security.mechanism), ("username", security.username),
                           ("password", security.password)):  # fmt: skip
            if value is None:
                help = f"add `{key}:` to `security:`, or choose the protocol SSL or PLAINTEXT"
                yield _Mistake(key_path, f"the protocol {security.protocol} requires '{key}'", help)
    elif security.mechanism or security.username or security.password:
        secure = "SASL_SSL" if settings.has_tls else "SASL_SSL or SASL_PLAINTEXT"
        message = f"the protocol {security.protocol} has no mechanism, username and password"
        yield _Mistake(key_path, message, f"write protocol: {secure}, or remove them")
    if not settings.has_tls and (security.ca or security.certificate or security.key):
        help = f"write protocol: {'SASL_SSL' if settings.has_sasl else 'SSL'}, or remove them"
        yield _Mistake(key_path, f"the protocol {security.protocol} has no certificates", help)
    if bool(security.certificate) != bool(security.key):
        missing = "key" if security.certificate else "certificate"
        yield _Mistake(
            key_path, f"a client's certificate requires its key, and '{missing}' is missing", f"add `{missing}:`"
        )


def _writers(file: KafkaFile) -> int | Literal["auto", "native"] | None:
    """Return the value of `writers`; None if it is not valid."""
    match file.writers:
        case int(count):
            return count if 1 <= count <= 1_000 else None
        case "auto" | "native" as name:
            return name
    return None


def _is_broker(text: str) -> bool:
    match = _BROKER.fullmatch(text.strip())
    return match is not None and 0 < int(match[2]) < 65_536


def _text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
