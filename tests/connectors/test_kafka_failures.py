"""What Kafka's client says, as findings that name the next step."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException

from lsqlc.connectors.kafka.access import Access
from lsqlc.connectors.kafka.client import Admin, Cluster, Heard, check_files, pem_texts
from lsqlc.connectors.kafka.failures import Failure, Task, raised
from lsqlc.connectors.kafka.merge import Merge
from lsqlc.connectors.kafka.retriable import ABORTED, OF_JAVA, OF_PYTHON, PASSING, UNREACHABLE, UNSETTLED
from lsqlc.diagnostics import LsqlcError
from lsqlc.types.kafka import KafkaSecurity, KafkaSettings

PLAIN = KafkaSettings("h:9092")
USER = KafkaSettings("h:9092", security=KafkaSecurity("SASL_SSL", "PLAIN", "ann", "s3cret", "ca.pem"))
TASK = Task("'orders' cannot be read", (Access("topic", "orders", ("Read",)), Access("group", "g", ("Read",))))


@pytest.mark.parametrize(
    ("name", "settings", "code", "help"),
    [
        ("_TRANSPORT", PLAIN, "LSQ732", "check `bootstrap` in profiles.yml"),
        ("_TRANSPORT", KafkaSettings("127.0.0.1:9092"), "LSQ732", "`lsqlc kafka up` starts one on this machine"),
        ("_ALL_BROKERS_DOWN", PLAIN, "LSQ732", "check `bootstrap` in profiles.yml"),
        (
            "_AUTHENTICATION",
            USER,
            "LSQ733",
            "check the password of 'ann', and that the brokers support the mechanism PLAIN",
        ),
        ("SASL_AUTHENTICATION_FAILED", PLAIN, "LSQ733", "the brokers require a user"),
        ("_SSL", USER, "LSQ734", "'ca.pem' must contain the certificate that signed the broker's"),
        ("TOPIC_AUTHORIZATION_FAILED", PLAIN, "LSQ735", "--operation Read --topic orders"),
        ("GROUP_AUTHORIZATION_FAILED", PLAIN, "LSQ735", "--operation Read --group g"),
        ("UNKNOWN_TOPIC_OR_PART", PLAIN, "LSQ740", "`lsqlc topics apply` creates them"),
        ("PRODUCER_FENCED", PLAIN, "LSQ747", "stop the other one"),
        ("UNKNOWN_LEADER_EPOCH", PLAIN, "LSQ766", "check that all brokers run"),
        ("NOT_ENOUGH_REPLICAS", PLAIN, "LSQ766", "check that all brokers run"),
    ],
)
def test_each_failure_has_a_next_step(name: str, settings: KafkaSettings, code: str, help: str) -> None:
    """And no secret."""
    (found,) = raised(Failure(name, "Something failed."), (), settings, TASK).diagnostics
    assert found.code == code
    assert found.help and help in found.help
    assert "s3cret" not in str(found)


def test_the_cause_is_what_the_client_said_before() -> None:
    """A refused login ends in a lost connection, which says less."""
    heard = [Failure("_ALL_BROKERS_DOWN", "1/1 brokers are down"), Failure("_AUTHENTICATION", "Wrong password")]
    (found,) = raised(Failure("_TIMED_OUT", "Timed out"), heard, USER, TASK).diagnostics
    assert (found.code, found.notes) == ("LSQ733", ("the client says: wrong password",))
    (found,) = raised(Failure("TOPIC_AUTHORIZATION_FAILED", "No"), heard, USER, TASK).diagnostics
    assert found.code == "LSQ735"


def test_files_of_certificates(tmp_path: Path) -> None:
    """They are read before the client is asked, and Java's form of a key is asked for."""
    missing = KafkaSettings("h:1", security=KafkaSecurity("SSL", ca=str(tmp_path / "none.pem")))
    for check in (check_files, pem_texts, lambda settings: Cluster(settings).admin()):
        with pytest.raises(LsqlcError) as error:
            check(missing)
        (found,) = error.value.diagnostics
        assert found.code == "LSQ734" and "cannot be read: no such file" in found.message
    key = tmp_path / "me.key"
    key.write_text("-----BEGIN RSA PRIVATE KEY-----\n")
    (tmp_path / "me.pem").write_text("CERT")
    security = KafkaSecurity("SSL", certificate=str(tmp_path / "me.pem"), key=str(key))
    with pytest.raises(LsqlcError) as error:
        pem_texts(KafkaSettings("h:1", security=security))
    (found,) = error.value.diagnostics
    assert found.help and found.help.startswith("openssl pkcs8 -topk8")
    key.write_text("-----BEGIN PRIVATE KEY-----\n")
    texts = pem_texts(KafkaSettings("h:1", security=security))
    assert (texts.certificate, texts.key) == ("CERT", "-----BEGIN PRIVATE KEY-----\n")


def test_a_file_that_is_no_certificate(tmp_path: Path) -> None:
    """Is reported when the client is opened."""
    (tmp_path / "ca.pem").write_text("nothing of the kind")
    with pytest.raises(LsqlcError) as error:
        Cluster(KafkaSettings("h:1", security=KafkaSecurity("SSL", ca=str(tmp_path / "ca.pem")))).admin()
    assert [d.code for d in error.value.diagnostics] == ["LSQ734"]


def test_a_broker_that_somebody_else_signed(tmp_path: Path) -> None:
    """A certificate that is not signed by whom the settings name ends the attempt at once."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "1",
         "-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with suppress(OSError), context.wrap_socket(connection, server_side=True):
                        pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        security = KafkaSecurity("SSL")
        with pytest.raises(LsqlcError) as error:
            Cluster(KafkaSettings(f"127.0.0.1:{port}", security=security)).admin().metadata(TASK)
        server.shutdown(socket.SHUT_RDWR)
    thread.join()
    (found,) = error.value.diagnostics
    assert (found.code, found.message) == ("LSQ734", f"the TLS handshake failed with 127.0.0.1:{port}")
    assert found.help and found.help.startswith("write `ca:` in `security:`")
    assert "certificate verify failed" in found.notes[0]


def test_a_property_that_the_client_does_not_know() -> None:
    """Is named."""
    with pytest.raises(LsqlcError) as error:
        Cluster(KafkaSettings("h:1", properties={"no.such.thing": "1"})).admin()
    (found,) = error.value.diagnostics
    assert found.code == "LSQ748" and "no.such.thing" in found.message


def test_without_the_extra() -> None:
    """The modules can be imported; opening a client names what to install."""
    code = (
        "import sys; sys.modules['confluent_kafka'] = None\n"
        "from lsqlc.diagnostics import LsqlcError\n"
        "from lsqlc.connectors.kafka.log import KafkaLog\nfrom lsqlc.types.kafka import KafkaSettings\n"
        "try: KafkaLog(KafkaSettings('h:1')).names()\n"
        "except LsqlcError as error: print(error.diagnostics[0].code, error.diagnostics[0].help)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("LSQ099 pip install 'lsqlc[kafka]'\n", "")


def test_a_lane_without_records_holds_the_others_back() -> None:
    """Until it is closed; what is given is in order of offsets, and of one offset in that of lanes."""
    merge: Merge[str] = Merge([0, 1, 2])
    for lane, offset in ((0, 0), (0, 1), (1, 0), (1, 5)):
        merge.add(lane, offset, f"{lane}:{offset}")
    assert merge.ready() == [] and merge.waiting(1) == 2
    merge.close(2)
    assert merge.ready() == ["0:0", "1:0", "0:1"]
    merge.close(0)
    assert merge.ready() == ["1:5"]
    merge.close(1)
    assert merge.done and merge.ready() == []


# What the protocol calls retriable in Kafka 4, by the names of librdkafka, without topics that are not there.
OF_THE_PROTOCOL = (
    "INVALID_MSG", "LEADER_NOT_AVAILABLE", "NOT_LEADER_FOR_PARTITION", "REQUEST_TIMED_OUT", "REPLICA_NOT_AVAILABLE",
    "NETWORK_EXCEPTION", "COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR",
    "NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "NOT_CONTROLLER", "CONCURRENT_TRANSACTIONS",
    "KAFKA_STORAGE_ERROR", "FETCH_SESSION_ID_NOT_FOUND", "INVALID_FETCH_SESSION_EPOCH", "LISTENER_NOT_FOUND",
    "FENCED_LEADER_EPOCH", "UNKNOWN_LEADER_EPOCH", "OFFSET_NOT_AVAILABLE", "PREFERRED_LEADER_NOT_AVAILABLE",
    "ELIGIBLE_LEADERS_NOT_AVAILABLE", "UNSTABLE_OFFSET_COMMIT", "THROTTLING_QUOTA_EXCEEDED",
)  # fmt: skip


def test_what_is_retriable_has_the_names_of_the_library() -> None:
    """All that the protocol calls so passes, and only one set has each name."""
    known = set(dir(KafkaError))
    assert known >= PASSING and known >= {name for _, name in OF_JAVA} | set(OF_PYTHON.values())
    assert set(OF_THE_PROTOCOL) <= PASSING
    assert not UNREACHABLE & UNSETTLED and not (UNREACHABLE | UNSETTLED) & ABORTED


def futures(*errors: int | None) -> Callable[[tuple[str, ...]], dict[str, Future[str]]]:
    """An answer for each call: an error, or the keys in capitals."""
    left = list(errors)

    def ask(keys: tuple[str, ...]) -> dict[str, Future[str]]:
        found: dict[str, Future[str]] = {}
        for key in keys:
            error = left.pop(0)
            found[key] = Future()
            if error is None:
                found[key].set_result(key.upper())
            else:
                found[key].set_exception(KafkaException(KafkaError(error)))
        return found

    return ask


def test_what_is_retriable_is_asked_for_again() -> None:
    """Of the places that it is about; anything else is raised, and so is what does not pass in time."""
    admin = Admin(Cluster(PLAIN, 0.0), SimpleNamespace(poll=lambda seconds: 0), Heard())
    patient = replace(admin, cluster=Cluster(PLAIN, 60.0))
    moved = KafkaError.UNKNOWN_LEADER_EPOCH
    ask = futures(None, moved, KafkaError.FENCED_LEADER_EPOCH, None)
    assert patient.answers(ask, ("a", "b"), TASK) == {"a": "A", "b": "B"}
    for asked, error, code in ((patient, KafkaError.INVALID_CONFIG, "LSQ740"), (admin, moved, "LSQ766")):
        with pytest.raises(LsqlcError, match=code):
            asked.answers(futures(error), ("a",), TASK)
