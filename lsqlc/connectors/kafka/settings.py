"""The settings of a Kafka cluster as the properties of three clients: librdkafka, kafka-python, and Java's, on Spark.

They have different names for the same properties. A further property (`properties`) is passed to all of them unchanged,
unless its name begins with that of a client, `librdkafka.`, `java.` or `python.`: then it is passed to that one,
without the prefix.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lsqlc.types.kafka import KafkaSecurity, KafkaSettings

__all__ = [
    "CLIENTS",
    "PEM_TEXTS",
    "KafkaSecurity",
    "KafkaSettings",
    "PemTexts",
    "further_properties",
    "jaas",
    "java_properties",
    "kafka_python_properties",
    "librdkafka_properties",
    "spark_options",
]

CLIENTS = ("librdkafka", "java", "python")
# The contents of PEM files among the arguments of kafka-python: the brokers' CA, and the client's certificate and key.
PEM_TEXTS = ("ssl_ca_pem", "ssl_certificate_pem", "ssl_key_pem")

_LOGIN_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}


@dataclass(frozen=True, slots=True)
class PemTexts:
    """The contents of the PEM files that settings name.

    Java's client takes them in place of files, so the server does not need the files. `key` is in the form PKCS #8.
    """

    ca: str | None = None
    certificate: str | None = field(default=None, repr=False)
    key: str | None = field(default=None, repr=False)


def librdkafka_properties(
    settings: KafkaSettings, *, on_server: bool = False, pem: PemTexts | None = None
) -> dict[str, str]:
    """Return the properties of a client of confluent-kafka, without those of its role.

    `on_server`: it runs on the Spark server. `pem`: the contents of the files that the settings name, which are not
    needed where it runs; None: the files are there.

    >>> librdkafka_properties(KafkaSettings("broker:9092"))
    {'bootstrap.servers': 'broker:9092', 'security.protocol': 'PLAINTEXT'}
    """
    security = settings.security
    own_properties = {
        "bootstrap.servers": _bootstrap(settings, on_server),
        "security.protocol": security.protocol,
        **_sasl(security, "sasl.mechanism", "sasl.username", "sasl.password"),
        **_files(security, pem, "ssl.ca.location", "ssl.certificate.location", "ssl.key.location"),
        **_texts(security, pem, "ssl.ca.pem", "ssl.certificate.pem", "ssl.key.pem"),
    }
    return own_properties | further_properties(settings, "librdkafka")


def kafka_python_properties(
    settings: KafkaSettings, *, on_server: bool = True, pem: PemTexts | None = None
) -> dict[str, str]:
    """Return the keyword arguments of a client of kafka-python, without those of its role.

    It runs on the Spark server, unless `on_server` is False. `pem`: as in `librdkafka_properties`; they are in
    `PEM_TEXTS`, which kafka-python does not support: the caller that opens the client makes a TLS context of them.
    """
    security = settings.security
    own_properties = {
        "bootstrap_servers": _bootstrap(settings, on_server),
        "security_protocol": security.protocol,
        **_sasl(security, "sasl_mechanism", "sasl_plain_username", "sasl_plain_password"),
        **_files(security, pem, "ssl_cafile", "ssl_certfile", "ssl_keyfile"),
        **_texts(security, pem, *PEM_TEXTS),
    }
    return own_properties | {k.replace(".", "_"): v for k, v in further_properties(settings, "python").items()}


def java_properties(settings: KafkaSettings, pem: PemTexts = PemTexts()) -> dict[str, str]:
    """Return the properties of a Java client on the Spark server. `pem`: the contents of the files that the settings
    name.
    """
    security = settings.security
    own_properties = {
        "bootstrap.servers": _bootstrap(settings, on_server=True),
        "security.protocol": security.protocol,
    }
    if security.has_sasl and security.mechanism:
        own_properties["sasl.mechanism"] = security.mechanism
        own_properties["sasl.jaas.config"] = jaas(security)
    if security.has_tls and pem.ca:
        own_properties |= {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": pem.ca}
    if security.has_tls and pem.certificate and pem.key:
        own_properties |= {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.certificate.chain": pem.certificate,
            "ssl.keystore.key": pem.key,
        }
    return own_properties | further_properties(settings, "java")


def spark_options(settings: KafkaSettings, pem: PemTexts = PemTexts()) -> dict[str, str]:
    """Return the options of Spark's Kafka source and sink: Java's properties, each with the prefix `kafka.`.

    They contain secrets.
    """
    return {f"kafka.{name}": value for name, value in java_properties(settings, pem).items()}


def jaas(security: KafkaSecurity) -> str:
    """Return the login as text for Java's clients.

    >>> jaas(KafkaSecurity("SASL_SSL", "PLAIN", "ann", 'a"b'))
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password="a\\\\"b";'
    """
    module = _LOGIN_MODULES[security.mechanism or "PLAIN"]
    return f'{module} required username="{_escaped(security.username)}" password="{_escaped(security.password)}";'


def further_properties(settings: KafkaSettings, client: str) -> dict[str, str]:
    """Return the further properties of a client, one of `CLIENTS`. One for this client overrides one for all."""
    shared, own = {}, {}
    for name, value in settings.properties.items():
        first, _, rest = name.partition(".")
        if first not in CLIENTS:
            shared[name] = value
        elif first == client:
            own[rest] = value
    return shared | own


def _bootstrap(settings: KafkaSettings, on_server: bool) -> str:
    return (settings.server_bootstrap if on_server else None) or settings.bootstrap


def _sasl(security: KafkaSecurity, mechanism: str, username: str, password: str) -> dict[str, str]:
    if not security.has_sasl:
        return {}
    settings_by_name = {mechanism: security.mechanism, username: security.username, password: security.password}
    return {name: value for name, value in settings_by_name.items() if value is not None}


def _files(security: KafkaSecurity, pem: PemTexts | None, ca: str, certificate: str, key: str) -> dict[str, str]:
    if not security.has_tls or pem is not None:
        return {}
    paths = {ca: security.ca, certificate: security.certificate, key: security.key}
    return {name: path for name, path in paths.items() if path is not None}


def _texts(security: KafkaSecurity, pem: PemTexts | None, ca: str, certificate: str, key: str) -> dict[str, str]:
    if not security.has_tls or pem is None:
        return {}
    texts = {ca: pem.ca, certificate: pem.certificate, key: pem.key}
    return {name: text for name, text in texts.items() if text is not None}


def _escaped(text: str | None) -> str:
    return (text or "").replace("\\", "\\\\").replace('"', '\\"')
