"""`kafka:` of a target: what it gives, and every mistake at its place, without a secret in a message."""

from __future__ import annotations

import json

import jsonschema
import pytest

from lsqlc.diagnostics import Diagnostic
from lsqlc.project.declared.profiles import read_target
from lsqlc.report.schemas import schema_text
from lsqlc.types.kafka import KafkaSecurity, KafkaSettings
from lsqlc.yaml.nodes import read_yaml
from tests.docs.blocks import DOCS, blocks
from tests.kafka.settings import settings_of

FULL = """\
targets:
  prod:
    type: connect
    address: sc://spark:15002
    checkpoints: s3a://shop/checkpoints
    kafka:
      bootstrap: broker-1:9093,broker-2:9093
      server_bootstrap: "10.0.0.1:9093"
      security:
        protocol: SASL_SSL
        mechanism: SCRAM-SHA-512
        username: lsqlc
        password: "{{ env_var('KAFKA_PASSWORD') }}"
        ca: certs/ca.pem
      prefix: shop.
      partitions: 6
      replication: 3
      commit_offsets: true
      writers: auto
      properties: {client.id: lsqlc, socket.keepalive.enable: true, librdkafka.socket.timeout.ms: 5000}
"""


def mistakes(kafka: str, environment: dict[str, str] | None = None, more: str = "") -> list[Diagnostic]:
    text = f"targets:\n  t:\n    type: embedded\n{more}    kafka: {kafka}\n"
    target, problems = read_target(text, "profiles.yml", None, environment or {"SECRET": "s3cret"})
    assert target is None
    assert "s3cret" not in str(problems)
    return list(problems)


def test_all_of_it() -> None:
    """Each key has its place in the settings; numbers and booleans of properties become text."""
    target, problems = read_target(FULL, "profiles.yml", None, {"KAFKA_PASSWORD": "s3cret"})
    assert not problems and target is not None
    assert target.connection == KafkaSettings(
        "broker-1:9093,broker-2:9093",
        "10.0.0.1:9093",
        KafkaSecurity("SASL_SSL", "SCRAM-SHA-512", "lsqlc", "s3cret", "certs/ca.pem"),
        "shop.",
        6,
        3,
        {"client.id": "lsqlc", "socket.keepalive.enable": "true", "librdkafka.socket.timeout.ms": "5000"},
        commit_offsets=True,
        writers="auto",
    )
    assert "s3cret" not in repr(target)


def test_the_least_of_it() -> None:
    """Brokers are enough; without `kafka:` there is none."""
    target, _ = read_target("targets: {t: {type: embedded, kafka: {bootstrap: 'h:1'}}}", "p.yml", None, {})
    assert target is not None and target.connection == KafkaSettings("h:1")
    target, _ = read_target("targets: {t: {type: embedded}}", "p.yml", None, {})
    assert target is not None and target.connection is None


def test_the_json_schema_knows_it() -> None:
    """Editors check what the decoder reads."""
    schema = json.loads(schema_text("profiles"))
    jsonschema.validate(read_yaml(FULL, "p.yml").data, schema)
    wrong = read_yaml(FULL.replace("SASL_SSL", "TLS"), "p.yml").data
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema)


@pytest.mark.parametrize(
    "password", ["s3cret", "\"{{ env_var('SECRET', 's3cret') }}\"", "\"x{{ env_var('SECRET') }}\"", "s3cret1"]
)
def test_a_secret_in_the_file(password: str) -> None:
    """As it is, as a default, or with text around it: what to write is said, and the secret is not repeated."""
    security = f"{{protocol: SASL_SSL, mechanism: PLAIN, username: a, password: {password}}}"
    (found,) = mistakes(f"{{bootstrap: 'h:1', security: {security}}}")
    assert (found.code, found.line) == ("LSQ731", 4)
    assert found.message == "'password' is a secret, and is in the file @ $.targets.t.kafka.security.password"
    assert found.help == "export it, and write: password: \"{{ env_var('KAFKA_PASSWORD') }}\""


def test_a_property_with_a_secret() -> None:
    """Known by its name; the path of a file is no secret."""
    (found,) = mistakes("{bootstrap: 'h:1', properties: {ssl.key.password: s3cret, ssl.crl.location: /x}}")
    assert (found.code, found.message.partition(" @")[0]) == (
        "LSQ731",
        "'ssl.key.password' is a secret, and is in the file",
    )
    text = "targets: {t: {type: embedded, kafka: {bootstrap: 'h:1', properties: {ssl.key.password: \"%s\"}}}}"
    target, problems = read_target(text % "{{ env_var('SECRET') }}", "p.yml", None, {"SECRET": "x"})
    assert not problems and target is not None and target.connection is not None
    assert settings_of(target).properties == {"ssl.key.password": "x"}


@pytest.mark.parametrize(
    ("kafka", "code", "words"),
    [
        ("{}", "LSQ017", "the key 'bootstrap' is missing @ $.targets.t.kafka"),
        ("{bootstrap: h}", "LSQ730", "'bootstrap' is not a list of brokers @ $.targets.t.kafka.bootstrap"),
        ("{bootstrap: 'h:99999'}", "LSQ730", "'bootstrap' is not a list of brokers"),
        ("{bootstrap: 'h:1,'}", "LSQ730", "'bootstrap' is not a list of brokers"),
        ("{bootstrap: 'h:1', server_bootstrap: 'sc://h'}", "LSQ730", "'server_bootstrap' is not a list of brokers"),
        ("{bootstrap: 'h:1', prefix: 'a b'}", "LSQ730", "'prefix' cannot be part of the name of a topic"),
        ("{bootstrap: 'h:1', partitions: 0}", "LSQ730", "'partitions' is not a number from 1 to 10,000"),
        ("{bootstrap: 'h:1', replication: 0}", "LSQ730", "'replication' is not a number from 1 to 1,000"),
        ("{bootstrap: 'h:1', writers: 0}", "LSQ730", "'writers' is not a number from 1 to 1,000, 'auto' or 'native'"),
        ("{bootstrap: 'h:1', writers: many}", "LSQ730", "'writers' is not a number"),
        ("{bootstrap: 'h:1', partitions: x}", "LSQ007", "expected a whole number"),
        ("{bootstrap: 'h:1', properties: {sasl.username: x}}", "LSQ730", "'sasl.username' has its own key"),
        ("{bootstrap: 'h:1', properties: {plugin.library.paths: a.so}}", "LSQ730", "names code that the client runs"),
        (
            "{bootstrap: 'h:1', properties: {librdkafka.ssl.engine.location: a.so}}",
            "LSQ730",
            "names code that the client runs",
        ),
        ("{bootstrap: 'h:1', properties: {sasl.kerberos.kinit.cmd: id}}", "LSQ730", "names code that the client runs"),
        ("{bootstrap: 'h:1', security: {protocol: SASL_SSL, mechanism: PLAIN, username: u}}", "LSQ730",
         "the protocol SASL_SSL requires 'password'"),
        ("{bootstrap: 'h:1', security: {username: u}}", "LSQ730",
         "the protocol PLAINTEXT has no mechanism, username and password"),
        ("{bootstrap: 'h:1', security: {ca: x.pem}}", "LSQ730", "the protocol PLAINTEXT has no certificates"),
        ("{bootstrap: 'h:1', security: {protocol: SSL, certificate: x.pem}}", "LSQ730", "'key' is missing"),
        ("{bootstrap: 'h:1', security: {protocol: TLS}}", "LSQ007", "this is not one of"),
        ("broker:9092", "LSQ007", "expected"),
    ],
)  # fmt: skip
def test_mistakes(kafka: str, code: str, words: str) -> None:
    """Each is reported at its place, with what to write."""
    (found,) = mistakes(kafka)
    assert found.code == code and words in found.message
    assert found.line in (4, 5)
    assert found.code == "LSQ007" or found.help


def test_unknown_keys_have_suggestions() -> None:
    """As everywhere in YAML."""
    (found,) = mistakes("{bootstrap: 'h:1', prefx: x}")
    assert (found.code, found.help) == ("LSQ006", "did you mean 'prefix'?")
    (found,) = mistakes("{bootstrap: 'h:1', security: {pasword: x}}")
    assert (found.code, found.help) == ("LSQ006", "did you mean 'password'?")


def test_topics_lie_in_one_place() -> None:
    """In Kafka or in a folder."""
    (found,) = mistakes("{bootstrap: 'h:1'}", more="    topics: /shared/topics\n")
    assert (found.code, found.line) == ("LSQ730", 4)
    assert found.help == "remove `topics`, or `kafka`"


def test_an_unset_variable_is_one_finding() -> None:
    """And no second one about the empty text that it leaves."""
    security = "{protocol: SASL_SSL, mechanism: PLAIN, username: a, password: \"{{ env_var('NONE') }}\"}"
    assert [d.code for d in mistakes(f"{{bootstrap: 'h:1', security: {security}}}")] == ["LSQ052"]


def test_the_profile_of_the_documentation() -> None:
    """docs/reference/kafka.md: both of its targets are read."""
    page = (DOCS / "reference/kafka.md").read_text("utf-8")
    [text] = [b.text for b in blocks(page) if b.info == ("yaml", "profiles.yml")]
    local, problems = read_target(text, "profiles.yml", "local", {})
    assert not problems and local is not None and local.connection == KafkaSettings("localhost:9092")
    prod, problems = read_target(text, "profiles.yml", "prod", {"SPARK_TOKEN": "t", "KAFKA_PASSWORD": "s3cret"})
    assert not problems and prod is not None and prod.connection is not None
    settings = settings_of(prod)
    assert (settings.security.password, settings.prefix, settings.partitions) == ("s3cret", "shop.", 6)


def target_of(lines: str, kind: str = "connect", kafka: str = "    kafka: {bootstrap: 'h:1'}\n") -> list[Diagnostic]:
    address = "    address: sc://h:1\n" if kind == "connect" else ""
    text = f"targets:\n  t:\n    type: {kind}\n{address}{lines}{kafka}"
    return list(read_target(text, "p.yml", None, {})[1])


@pytest.mark.parametrize(
    "url", ["s3a://b/x", "hdfs:/x", "abfss://c@a.dfs.core.windows.net/x", "gs://b/x", "dbfs:/x", "file:/x", "file:///x"]
)
def test_checkpoints_at_an_address(url: str) -> None:
    """Of any file system that Spark knows, of either type of target; without `kafka:` it is refused as before."""
    for kind in ("connect", "embedded"):
        assert target_of(f"    checkpoints: {url}\n", kind) == []
        assert [d.code for d in target_of(f"    checkpoints: {url}\n", kind, "")] == ["LSQ053"]


@pytest.mark.parametrize(
    ("lines", "message", "line"),
    [
        ("", "the target has no 'checkpoints' @ $.targets.t", 3),
        ("    checkpoints: /shared\n", "'checkpoints' is not an address @ $.targets.t.checkpoints", 5),
        ("    checkpoints: shared\n", "'checkpoints' is not an address @ $.targets.t.checkpoints", 5),
    ],
)
def test_checkpoints_that_only_the_client_sees(lines: str, message: str, line: int) -> None:
    """On somebody else's server that is LSQ781; on an embedded one a folder will do."""
    (found,) = target_of(lines)
    assert (found.code, found.message) == ("LSQ781", message) and found.line == line
    assert target_of(lines, "embedded") == []


@pytest.mark.parametrize("url", ["s3a://key:s3cret@b/x", "file:x", "s3a:b", "s3a://b/x?y", "'s3a://b/x y'"])
def test_no_address(url: str) -> None:
    """A password in it, or what no file system is reached by; it is not repeated."""
    (found,) = target_of(f"    checkpoints: {url}\n")
    assert found.code == "LSQ053" and "s3cret" not in str(found)
