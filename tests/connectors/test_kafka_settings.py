"""One cluster as three clients want it described."""

from __future__ import annotations

from lsqlc.connectors.kafka.settings import (
    PEM_TEXTS,
    PemTexts,
    java_properties,
    kafka_python_properties,
    librdkafka_properties,
    spark_options,
)
from lsqlc.types.kafka import KafkaSecurity, KafkaSettings

SCRAM = KafkaSettings(
    "outside:9093",
    "inside:9093",
    KafkaSecurity("SASL_SSL", "SCRAM-SHA-256", "ann", 's"3\\cret', "ca.pem", "me.pem", "me.key"),
    properties={"client.id": "all", "librdkafka.client.id": "one", "java.request.timeout.ms": "9", "python.api": "2"},
)
PEM = PemTexts("CA", "MINE", "KEY")


def test_librdkafka() -> None:
    assert librdkafka_properties(SCRAM) == {
        "bootstrap.servers": "outside:9093",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.username": "ann",
        "sasl.password": 's"3\\cret',
        "ssl.ca.location": "ca.pem",
        "ssl.certificate.location": "me.pem",
        "ssl.key.location": "me.key",
        "client.id": "one",
    }


def test_kafka_python() -> None:
    """On the server's side of the brokers, unless it runs here."""
    assert kafka_python_properties(SCRAM) == {
        "bootstrap_servers": "inside:9093",
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-256",
        "sasl_plain_username": "ann",
        "sasl_plain_password": 's"3\\cret',
        "ssl_cafile": "ca.pem",
        "ssl_certfile": "me.pem",
        "ssl_keyfile": "me.key",
        "client_id": "all",
        "api": "2",
    }
    assert kafka_python_properties(SCRAM, on_server=False)["bootstrap_servers"] == "outside:9093"


def test_files_that_are_not_where_the_client_runs() -> None:
    """Their contents are in place of their paths."""
    found = librdkafka_properties(SCRAM, on_server=True, pem=PEM)
    assert (found["ssl.ca.pem"], found["ssl.certificate.pem"], found["ssl.key.pem"]) == ("CA", "MINE", "KEY")
    assert found["bootstrap.servers"] == "inside:9093" and not any("location" in name for name in found)
    given = kafka_python_properties(SCRAM, pem=PEM)
    assert [given[name] for name in PEM_TEXTS] == ["CA", "MINE", "KEY"] and "ssl_cafile" not in given
    assert kafka_python_properties(KafkaSettings("h:1"), pem=PemTexts()) == {
        "bootstrap_servers": "h:1", "security_protocol": "PLAINTEXT"
    }  # fmt: skip


def test_java() -> None:
    """Files become texts, since the server has none of them, and the user is written in JAAS, with escapes."""
    module = "org.apache.kafka.common.security.scram.ScramLoginModule"
    assert java_properties(SCRAM, PEM) == {
        "bootstrap.servers": "inside:9093",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.jaas.config": f'{module} required username="ann" password="s\\"3\\\\cret";',
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": "CA",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": "MINE",
        "ssl.keystore.key": "KEY",
        "client.id": "all",
        "request.timeout.ms": "9",
    }


def test_spark() -> None:
    """Java's properties behind a prefix; without security nothing but the brokers."""
    assert spark_options(SCRAM, PEM) == {f"kafka.{k}": v for k, v in java_properties(SCRAM, PEM).items()}
    assert spark_options(KafkaSettings("h:1")) == {
        "kafka.bootstrap.servers": "h:1",
        "kafka.security.protocol": "PLAINTEXT",
    }


def test_no_secret_is_shown() -> None:
    shown = repr(SCRAM) + repr(PEM)
    assert "cret" not in shown and "KEY" not in shown and "ann" in shown
