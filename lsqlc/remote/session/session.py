"""Connect to a Spark Connect server: who is there first, then a session with short retries and the settings we rely
on.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.extras import SPARK, require
from lsqlc.lower.spark.versions import OLDEST, Version
from lsqlc.remote.session.localhost import check_localhost
from lsqlc.remote.session.probe import Answer, probe
from lsqlc.remote.session.spark_session import session_type

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

DEFAULT_PORT = 15002
# The hosts that are this machine, and seconds in which a server has to answer elsewhere and here.
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_TIMEOUT, _LOCAL_TIMEOUT = 3.0, 30.0

SESSION_SETTINGS: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    # Else `${name}` in a text or in a name becomes the value of a variable, or nothing.
    "spark.sql.variable.substitute": "false",
    # A server that was killed in the first batch leaves files behind, which no later batch reads: the note of the batch
    # under a name for the time being and, in real time, where a batch is noted at its end, states with names of their
    # own. Spark would refuse to begin anew beside them. It reads this of the session once the query runs.
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
}

# What a server says of a session that it has closed.
_ENDED = ("INVALID_HANDLE.SESSION_CLOSED", "INVALID_HANDLE.SESSION_NOT_FOUND")

_HEADLINES: Mapping[Answer, str] = {
    "refused": "nothing listens at '{place}'",
    "silent": "'{place}' does not answer",
    "unknown host": "the host of '{place}' is unknown",
    "tls": "'{place}' expects TLS, or closed the connection",
    "other": "the server at '{place}' is not a Spark Connect server",
}
_HELPS: Mapping[Answer, str] = {
    "refused": "start the server, or correct the host and port of the target; the default port is 15002",
    "silent": "check the firewall, the VPN and the port; a server under heavy load may need more time",
    "unknown host": "correct the host of the target, or the name service",
    "tls": "add `;use_ssl=true` to the address if there is a TLS proxy in front of the server",
    "other": "correct the host and port of the target; the default port is 15002",
}
_CODES: Mapping[Answer, str] = {
    "refused": "LSQ655", "silent": "LSQ656", "unknown host": "LSQ656", "tls": "LSQ657", "other": "LSQ659",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Address:
    """A Spark Connect address, `sc://host:port/;key=value;...`, taken apart."""

    text: str
    host: str
    port: int
    parameters: Mapping[str, str]

    @property
    def place(self) -> str:
        """Host and port: what messages may show, since the parameters can hold a token."""
        return f"{self.host}:{self.port}"

    @property
    def tls(self) -> bool:
        """Whether pyspark will speak TLS: when asked to, and for a token to a host not called `localhost`."""
        asked = self.parameters.get("use_ssl", "").lower() == "true"
        return asked or ("token" in self.parameters and self.host != "localhost")


def parse_address(text: str) -> Address:
    """Raises LsqlcError LSQ654 for text that is no Spark Connect address."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port or DEFAULT_PORT
    except ValueError:
        parts, host, port = urlsplit(""), None, 0
    path, _, rest = parts.path.partition(";")
    pairs = [p for p in rest.split(";") if p]
    if parts.scheme != "sc" or not host or path not in ("", "/") or any("=" not in p for p in pairs):
        # The text itself is not shown: it may hold a token.
        raise LsqlcError(
            [
                Diagnostic(
                    "LSQ654",
                    "the address of the Spark target cannot be read",
                    notes=(
                        "an address is `sc://HOST:PORT`, followed by `/;` and `key=value` parameters, separated by `;`",
                    ),
                    help="write it like `sc://localhost:15002` or `sc://spark.example.com:443/;use_ssl=true`",
                )
            ]
        )
    return Address(text, host, port, {k: unquote(v) for k, _, v in (p.partition("=") for p in pairs)})


def check_reachable(address: Address, *, timeout: float | None = None) -> None:
    """Raise LsqlcError LSQ655 to LSQ659 unless a server can be spoken to at that address. `timeout` in seconds; None:
    3, but 30 for a server of this machine, which is there if it was reached, and may stand still for a while. Takes
    no token.
    """
    if timeout is None:
        # Behind TLS silence is an answer.
        timeout = _LOCAL_TIMEOUT if address.host in _LOOPBACK and not address.tls else _TIMEOUT
    answer = probe(address.host, address.port, timeout=timeout)
    if address.tls:
        # A TLS server answers a plain greeting with an alert, a hang-up or silence: all of them may be right.
        if answer == "serving":
            raise LsqlcError([_plain_server(address)])
        if answer in ("tls", "silent", "other"):
            return
    if answer != "serving":
        message = _HEADLINES[answer].format(place=address.place)
        raise LsqlcError([Diagnostic(_CODES[answer], message, help=_HELPS[answer])])


def connect(address: str, *, settings: Mapping[str, str] | None = None, python: bool = True) -> SparkSession:
    """A new session of that server, with `SESSION_SETTINGS` and `settings`. `python`: the server's own Python is to
    write batches.

    Raises LsqlcError: LSQ099 without the extra `spark`, LSQ654 to LSQ657 for an address that leads nowhere,
    LSQ658 for a refused token, LSQ659 for a server that is too old or none, LSQ671 for one that does not listen at
    `localhost`, where its Python connects to.
    """
    target = parse_address(address)
    require(*SPARK)
    check_reachable(target)
    from pyspark.sql.connect.client.retries import DefaultPolicy

    silence()
    try:
        # Not `getOrCreate()`, which may hand out a session that has expired.
        session = session_type()(connection=address)
        # pyspark's own policy blocks for up to ten minutes when the server is gone.
        session.client.set_retry_policies([DefaultPolicy(max_retries=4, initial_backoff=100, max_backoff=1000)])
        version = session.version
        if server_version(version) < OLDEST:
            raise LsqlcError([_too_old(target, version)])
        for key, value in {**SESSION_SETTINGS, **(settings or {})}.items():
            session.conf.set(key, value)
        if python:
            check_localhost(session, target.place)
    except LsqlcError:
        raise
    except Exception as error:
        raise LsqlcError([_refused(target, error)]) from None
    return session


def with_ids(address: str, session: str, user: str) -> str:
    """The address of one session: of a new one with these ids, or of the one that has them. `session`: a UUID; `user`
    does not replace one that the address has.

    >>> with_ids("sc://h:15002/;use_ssl=true", "3e2f...", "ann smith")
    'sc://h:15002/;use_ssl=true;user_id=ann%20smith;session_id=3e2f...'
    """
    given = parse_address(address)
    rest = f"session_id={session}"
    if "user_id" not in given.parameters:
        rest = f"user_id={quote(user)};{rest}"
    text = address.rstrip(";")
    return f"{text};{rest}" if given.parameters else f"{text.rstrip('/')}/;{rest}"


def user_of(address: str, environment: Mapping[str, str]) -> str:
    """The user of sessions at an address: the one that it names, or else the one of this process, as pyspark has it."""
    named = parse_address(address).parameters.get("user_id")
    return named or environment.get("SPARK_USER") or environment.get("USER") or "lsqlc"


def attach(address: str) -> SparkSession | None:
    """The session that an address with a `session_id` names; None if it has ended. Raises LsqlcError as `connect`."""
    try:
        return connect(address)
    except LsqlcError as error:
        if any(sign in note for found in error.diagnostics for note in found.notes for sign in _ENDED):
            return None
        raise


def server_version(version: str) -> Version:
    """Major and minor of a version text such as `4.3.0` or `4.1.0-SNAPSHOT`."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def client_version() -> Version:
    """Major and minor of the pyspark that is installed here."""
    from pyspark import __version__

    return server_version(__version__)


def silence() -> None:
    """Keep pyspark and gRPC from writing server errors, JVM stacks and all, to stderr: we tell them in our own
    words.
    """
    for name in ("SQLQueryContextLogger", "pyspark.sql.connect", "pyspark.sql.connect.logging", "grpc"):
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
        logger.setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", message=r"\[RETRIES_EXCEEDED\]")


def _plain_server(address: Address) -> Diagnostic:
    return Diagnostic(
        "LSQ657",
        f"'{address.place}' has no TLS, and this address makes the client speak TLS",
        notes=("Spark Connect does not support TLS itself; without TLS, a token is only sent to the host `localhost`",),
        help="use a TLS proxy in front of it, or a tunnel: `ssh -L 15002:localhost:15002 HOST` and `sc://localhost:15002`",
    )


def _too_old(address: Address, version: str) -> Diagnostic:
    return Diagnostic(
        "LSQ659",
        f"the server at '{address.place}' is Spark {version}, older than {'.'.join(map(str, OLDEST))}",
        help="use a newer server, or the embedded one",
    )


def _refused(address: Address, error: Exception) -> Diagnostic:
    text = str(error)
    if "UNAUTHENTICATED" in text:
        wanting = "No authentication token" in text
        return Diagnostic(
            "LSQ658",
            f"the server at '{address.place}' " + ("requires a token" if wanting else "rejects the token"),
            help="add it to the address of the target: `sc://host:port/;token={{ env_var('SPARK_TOKEN') }}`",
        )
    if "SSL" in text or "CERTIFICATE" in text:
        return Diagnostic(
            "LSQ657",
            f"the TLS connection to '{address.place}' failed",
            notes=(first_line(text),),
            help="for a certificate of a private authority, set GRPC_DEFAULT_SSL_ROOTS_FILE_PATH to its file",
        )
    return Diagnostic(
        "LSQ659",
        f"cannot open a session at '{address.place}'",
        notes=(first_line(text),),
        help="check that this is a Spark Connect server of 4.0 or newer",
    )


def first_line(text: str, limit: int = 300) -> str:
    """The first line of a server's message that says something, cut to `limit` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "no message")
    return line if len(line) <= limit else line[: limit - 3] + "..."
