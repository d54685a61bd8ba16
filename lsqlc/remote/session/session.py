"""Connect to a Spark Connect server: probe it, then open a session with short retries and the required settings."""

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
# The names of this machine, and the seconds in which a server on another machine and on this one must answer.
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_TIMEOUT, _LOCAL_TIMEOUT = 3.0, 30.0

SESSION_SETTINGS: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    # Otherwise Spark replaces `${name}` in texts and names by the value of a variable, or by nothing.
    "spark.sql.variable.substitute": "false",
    # A server that was killed in the first batch leaves files that no later batch reads: the temporary file of the
    # batch's offsets and, in real-time mode, which writes the offsets at the end of a batch, files of states. Spark
    # would not start a query in a folder with these files. It reads this setting of the session when the query starts.
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
}

# The error classes for a session that the server has closed.
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
    """The parts of a Spark Connect address, `sc://host:port/;key=value;...`."""

    text: str
    host: str
    port: int
    parameters: Mapping[str, str]

    @property
    def place(self) -> str:
        """Host and port, for messages. The parameters may contain a token, and must not be printed."""
        return f"{self.host}:{self.port}"

    @property
    def tls(self) -> bool:
        """Whether pyspark uses TLS: by `use_ssl=true`, or for a token to a host with a name other than `localhost`."""
        use_ssl = self.parameters.get("use_ssl", "").lower() == "true"
        return use_ssl or ("token" in self.parameters and self.host != "localhost")


def parse_address(text: str) -> Address:
    """Parse a Spark Connect address. Raises LsqlcError LSQ654 for any other text."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port or DEFAULT_PORT
    except ValueError:
        parts, host, port = urlsplit(""), None, 0
    path, _, rest = parts.path.partition(";")
    pairs = [p for p in rest.split(";") if p]
    if parts.scheme != "sc" or not host or path not in ("", "/") or any("=" not in p for p in pairs):
        # The text may contain a token, so the message does not repeat it.
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
    """Raise LsqlcError LSQ655 to LSQ659 if no Spark Connect server answers at that address. The token is not checked.

    `timeout` in seconds; None: 3, or 30 for a server on this machine, which may be busy for a while.
    """
    if timeout is None:
        # A TLS server may leave the probe without an answer.
        timeout = _LOCAL_TIMEOUT if address.host in _LOOPBACK and not address.tls else _TIMEOUT
    answer = probe(address.host, address.port, timeout=timeout)
    if address.tls:
        # A TLS server sends an alert, closes the connection, or sends nothing. All of these are accepted.
        if answer == "serving":
            raise LsqlcError([_plain_server(address)])
        if answer in ("tls", "silent", "other"):
            return
    if answer != "serving":
        message = _HEADLINES[answer].format(place=address.place)
        raise LsqlcError([Diagnostic(_CODES[answer], message, help=_HELPS[answer])])


def connect(address: str, *, settings: Mapping[str, str] | None = None, python: bool = True) -> SparkSession:
    """Open a session with that server, with `SESSION_SETTINGS` and `settings`.

    `python`: whether Python processes of the server will write batches.

    Raises LsqlcError:

    - LSQ099: the extra `spark` is not installed.
    - LSQ654 to LSQ657: the address is invalid, or no server answers there.
    - LSQ658: the server rejects the token.
    - LSQ659: the server is too old, or is not a Spark Connect server.
    - LSQ671: the server does not listen at `localhost`, to which its Python processes connect.
    """
    target = parse_address(address)
    require(*SPARK)
    check_reachable(target)
    from pyspark.sql.connect.client.retries import DefaultPolicy

    silence()
    try:
        # `getOrCreate()` might return a session that has expired.
        session = session_type()(connection=address)
        # The default policy of pyspark blocks for up to ten minutes if the server has ended.
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
    """Return the address of the session with these ids, which the server creates if it does not exist.

    `session`: a UUID; `user`: used unless the address names a user.

    >>> with_ids("sc://h:15002/;use_ssl=true", "3e2f...", "ann smith")
    'sc://h:15002/;use_ssl=true;user_id=ann%20smith;session_id=3e2f...'
    """
    parsed = parse_address(address)
    rest = f"session_id={session}"
    if "user_id" not in parsed.parameters:
        rest = f"user_id={quote(user)};{rest}"
    text = address.rstrip(";")
    return f"{text};{rest}" if parsed.parameters else f"{text.rstrip('/')}/;{rest}"


def user_of(address: str, environment: Mapping[str, str]) -> str:
    """Return the user of sessions at an address: the one that it names, or else the one that pyspark uses."""
    user = parse_address(address).parameters.get("user_id")
    return user or environment.get("SPARK_USER") or environment.get("USER") or "lsqlc"


def attach(address: str) -> SparkSession | None:
    """Connect to the session that an address with a `session_id` names. Return None if it has ended.

    Raises LsqlcError as `connect` does.
    """
    try:
        return connect(address)
    except LsqlcError as error:
        if any(sign in note for diagnostic in error.diagnostics for note in diagnostic.notes for sign in _ENDED):
            return None
        raise


def server_version(version: str) -> Version:
    """Return the major and minor version of a text such as `4.3.0` or `4.1.0-SNAPSHOT`."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def client_version() -> Version:
    """Return the major and minor version of the installed pyspark."""
    from pyspark import __version__

    return server_version(__version__)


def silence() -> None:
    """Keep pyspark and gRPC from writing errors of the server to stderr: lsqlc reports them as diagnostics."""
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
        has_no_token = "No authentication token" in text
        return Diagnostic(
            "LSQ658",
            f"the server at '{address.place}' " + ("requires a token" if has_no_token else "rejects the token"),
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
    """Return the first line of a server's message that is not blank, cut to `limit` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "no message")
    return line if len(line) <= limit else line[: limit - 3] + "..."
