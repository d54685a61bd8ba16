"""Diagnostics, with the next step, for the errors of a Kafka client. Pure: errors are passed as name and text.

The names are those of librdkafka's `KafkaError`; one that begins with `_` is of the client itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lsqlc.connectors.kafka.access import Access, command
from lsqlc.connectors.kafka.retriable import UNREACHABLE, UNSETTLED
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.types.kafka import KafkaSettings

_CREDENTIALS = frozenset(
    ("_AUTHENTICATION", "SASL_AUTHENTICATION_FAILED", "UNSUPPORTED_SASL_MECHANISM", "ILLEGAL_SASL_STATE")
)
_TLS = frozenset(("_SSL",))
_FENCED = frozenset(("_FENCED", "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH", "FENCED_INSTANCE_ID"))
# From the most to the least specific cause: a rejected login ends in a lost connection as well.
_TELLING = (_CREDENTIALS, _TLS, frozenset(("_RESOLVE",)), frozenset(("_TRANSPORT",)), UNREACHABLE)
# Errors that remain in each further attempt.
FINAL = _CREDENTIALS | _TLS


@dataclass(frozen=True, slots=True)
class Failure:
    """An error of a client: its name, such as `TOPIC_AUTHORIZATION_FAILED`, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """A task and the access that it needs. `refused`: the clause of messages that it fails: "'orders' cannot be
    read".
    """

    refused: str
    needs: tuple[Access, ...] = ()


def raised(failure: Failure, reports: Iterable[Failure], settings: KafkaSettings, task: Task) -> LsqlcError:
    """Return the error to raise. `reports`: other errors that the client reported, which may name the cause."""
    return LsqlcError([diagnostic(_cause(failure, tuple(reports)), settings, task)])


def diagnostic(failure: Failure, settings: KafkaSettings, task: Task) -> Diagnostic:
    """Return the diagnostic of one failure.

    The codes are LSQ732 (unreachable), 733 (credentials), 734 (TLS) and 735 (access). 747: another writer took over;
    766: the cluster is not ready; 740: any other error of the broker.
    """
    client_text = f"the client says: {_sentence(failure.text)}"
    name = failure.name
    if name in _CREDENTIALS:
        return Diagnostic("LSQ733", f"the brokers at {settings.bootstrap} reject the credentials", notes=(client_text,),
                          help=_credentials_help(settings))  # fmt: skip
    if name in _TLS:
        return Diagnostic("LSQ734", f"the TLS handshake failed with {settings.bootstrap}", notes=(client_text,),
                          help=_tls_help(settings))  # fmt: skip
    if name in UNREACHABLE:
        return Diagnostic("LSQ732", f"no broker answers at {settings.bootstrap}", notes=(client_text,),
                          help=_reach_help(settings, failure.text))  # fmt: skip
    if name in UNSETTLED:
        help = "it is tried again while a run continues; else check that all brokers run, and try again"
        message = f"{task.refused}: the cluster at {settings.bootstrap} is not ready"
        return Diagnostic("LSQ766", message, notes=(client_text,), help=help)
    if name.endswith("AUTHORIZATION_FAILED"):
        commands = "; ".join(command(access, settings) for access in _fitting(name, task.needs))
        help = f"grant it: {commands}" if commands else "grant it with `kafka-acls`"
        return Diagnostic("LSQ735", f"{task.refused}: the user lacks access", notes=(client_text,), help=help)
    if name in _FENCED:
        help = "stop the other one, or this one"
        return Diagnostic("LSQ747", f"{task.refused}: another writer has taken over", notes=(client_text,), help=help)
    return Diagnostic("LSQ740", f"{task.refused}: {_sentence(failure.text)}", help=_OTHER.get(name))


_HERE = ("127.0.0.1:", "localhost:")
_OTHER = {
    "UNKNOWN_TOPIC_OR_PART": "`lsqlc topics plan` shows which topics are missing, `lsqlc topics apply` creates them",
    "_UNKNOWN_TOPIC": "`lsqlc topics plan` shows which topics are missing, `lsqlc topics apply` creates them",
    "_UNKNOWN_PARTITION": "`lsqlc topics plan` shows which topics are missing, `lsqlc topics apply` creates them",
    "MSG_SIZE_TOO_LARGE": "raise `max.message.bytes` of the topic, and `message.max.bytes` in `properties`",
    "INVALID_TXN_STATE": "a query that is started again completes the batch, see `--restarts`",
    "INVALID_TIMESTAMP": "raise `message.timestamp.after.max.ms` of the topic: a record has a later time",
    "INVALID_REPLICATION_FACTOR": "set `replication` in profiles.yml to at most the number of brokers",
    "POLICY_VIOLATION": "the cluster has a policy for topics; ask its administrator which settings it allows",
    "TOPIC_DELETION_DISABLED": "set `delete.topic.enable=true` on the brokers",
    "INVALID_TOPIC_EXCEPTION": "topics whose names differ only in `.` and `_` cannot be in one cluster",
}  # fmt: skip


def _cause(failure: Failure, reports: tuple[Failure, ...]) -> Failure:
    if failure.name not in UNREACHABLE:
        return failure
    everything = (*reports, failure)
    return next((f for group in _TELLING for f in everything if f.name in group), failure)


def _fitting(name: str, needs: tuple[Access, ...]) -> tuple[Access, ...]:
    """Return the access that an error of a kind of resource is about; all, if none is."""
    kind = name.removesuffix("_AUTHORIZATION_FAILED").lower().replace("_", "-")
    return tuple(access for access in needs if access.resource == kind) or needs


def _credentials_help(settings: KafkaSettings) -> str:
    security = settings.security
    if not security.has_sasl:
        return "the brokers require a user: write `security:` with a protocol, a mechanism, a username and a password"
    user = f"'{security.username}'" if security.username else "the user"
    return f"check the password of {user}, and that the brokers support the mechanism {security.mechanism}"


def _tls_help(settings: KafkaSettings) -> str:
    if settings.security.ca:
        return f"'{settings.security.ca}' must contain the certificate that signed the broker's, for its host name"
    return "write `ca:` in `security:`, the PEM file of the authority that signed the brokers' certificates"


def _reach_help(settings: KafkaSettings, text: str) -> str:
    if "SSL_HANDSHAKE" in text:
        # The words before it depend on when the listener closes: at once, after it has read, or not at all.
        return (
            "the listener ended the TLS handshake, so it is probably not encrypted: write `protocol: PLAINTEXT` or "
            "`SASL_PLAINTEXT`, or use another port"
        )
    reach = "check `bootstrap` in profiles.yml, and that the brokers are running and can be reached"
    if settings.bootstrap.startswith(_HERE):
        reach = f"{reach}; `lsqlc kafka up` starts one on this machine"
    if "refused" in text or "resolve" in text:
        return reach
    protocol = settings.security.protocol
    return f"{reach}; a listener with another `protocol` than {protocol} closes connections as well"


def _sentence(text: str) -> str:
    """Return the text of a library for use in a message: one line, no final stop, no handle of a thread in front."""
    flat = " ".join(text.split()).rstrip(".")
    return flat[:1].lower() + flat[1:] if flat[1:2].islower() else flat
