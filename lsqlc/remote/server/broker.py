"""A Kafka broker: a JVM on the loopback interface that runs inside of a `with`.

It is a KRaft node, both broker and controller, and is ready in about two seconds. A watchdog process ends it if lsqlc
dies (`watchdog`). `detached` starts a broker that outlives its command.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from lsqlc.remote.server.broker_process import (
    ATTEMPTS,
    GRACE,
    LOG,
    DiedError,
    Running,
    await_serving,
    did_not_serve,
    hold,
    java_command,
    lost_race,
    port_in_use,
    prepare,
    sign,
)
from lsqlc.remote.server.broker_settings import HOST, Certificate, Ports, server_properties
from lsqlc.remote.server.ports import free_ports, is_free
from lsqlc.remote.server.watched import Launch, Watched

# Seconds that a broker may take to end after its owner was killed.
_GONE_WITHIN = 20.0


def _say_nothing(_: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class BrokerOptions:
    """The options of a broker.

    - `port`: 0 is any free port. Later starts use the same one.
    - `users`: passwords by name. They add a listener at `sasl_bootstrap`, with SASL_PLAINTEXT and the mechanism PLAIN.
      ACLs restrict these users. Clients of `bootstrap` may do everything.
    - `certificate`: adds a listener at `tls_bootstrap`, with SASL_SSL and the mechanism SCRAM-SHA-512. Its users are
      created at `bootstrap`. ACLs restrict them too.
    - `memory`: the heap, in Java's notation.
    - `settings`: override those of `broker_settings`.
    - `timeout`: seconds to wait for the broker.
    - `say`: called with a line for the user before jars are downloaded.
    """

    port: int = 0
    users: Mapping[str, str] | None = None
    certificate: Certificate | None = None
    memory: str = "256m"
    settings: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 90.0
    say: Callable[[str], None] = _say_nothing


class Broker(Watched):
    """A context manager of a broker, which runs inside of the `with`.

    `folder`: topics (`data/`), settings and log (`broker.log`); created if absent. A broker that was stopped or killed
    continues with the topics of its folder. `environment`: selects Java, the cache and the repository of jars, and is
    passed on to the broker.

    Entering raises LsqlcError:

    - LSQ650: no Java. LSQ099: no pyspark. LSQ700 to LSQ703: the jars are not available.
    - LSQ704: the port is in use.
    - LSQ705: the broker ended or was not ready in time; the notes have the end of its log.
    - LSQ706: another broker runs over the folder.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], options: BrokerOptions | None = None) -> None:
        super().__init__()
        self.folder = folder.absolute()
        self.log = self.folder / LOG
        self._environment = dict(environment)
        self._options = options or BrokerOptions()
        self._ports: Ports | None = None

    @property
    def port(self) -> int:
        """The port of `bootstrap`; 0 before the broker was started."""
        return self._ports.plain if self._ports else 0

    @property
    def bootstrap(self) -> str:
        """The address for clients without authentication, `host:port`."""
        return f"{HOST}:{self.port}"

    @property
    def sasl_bootstrap(self) -> str:
        """The address for users without TLS, `host:port`. Raises ValueError for a broker without users."""
        if self._ports is None or self._ports.sasl is None:
            raise ValueError("this broker has no users, or has not been started")
        return f"{HOST}:{self._ports.sasl}"

    @property
    def tls_bootstrap(self) -> str:
        """The address for users with TLS, `host:port`. Raises ValueError for a broker without a certificate."""
        if self._ports is None or self._ports.tls is None:
            raise ValueError("this broker has no certificate, or has not been started")
        return f"{HOST}:{self._ports.tls}"

    def start(self) -> None:
        """Start the broker and wait until it answers. A broker that runs is left as it is.

        Every start uses the same folder and port. Raises LsqlcError as the class describes; no process is left then.
        """
        if self.alive:
            return
        self.stop()
        options = self._options
        command = java_command(self._environment, options.memory, options.say)
        for attempt in range(ATTEMPTS):
            ports = self._next_ports()
            start = prepare(self.folder, server_properties(ports, options.users, options.settings, options.certificate))
            try:
                with hold(self.folder, _GONE_WITHIN) as lock:
                    self._launch(Launch(command, self.folder, self._environment, self.log, GRACE, lock))
                    sign(lock, Running(self.pid, ports.plain))
                self._await_serving(ports)
            except BaseException as error:
                self.stop()
                if not isinstance(error, DiedError):
                    raise
                if lost_race(self.folder, start) and attempt + 1 < ATTEMPTS:
                    continue
                raise did_not_serve(error.reason, self.folder, start) from None
            self._ports = ports
            return

    def _next_ports(self) -> Ports:
        """Return the ports of the next start. Raises LsqlcError LSQ704 if the port of clients is in use."""
        # All starts use the port of the first one, because clients know it.
        fixed_port = self._options.port or self.port
        if fixed_port and not is_free(fixed_port):
            raise port_in_use(fixed_port)
        plain, controller, sasl, tls = free_ports(4)
        if self._ports is not None:
            sasl, tls = self._ports.sasl or sasl, self._ports.tls or tls
        return Ports(
            fixed_port or plain,
            controller,
            None if self._options.users is None else sasl,
            None if self._options.certificate is None else tls,
        )

    def kill(self) -> None:
        """Kill the broker by SIGKILL, and wait until it has ended."""
        if self.alive:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self.stop()

    def _await_serving(self, ports: Ports) -> None:
        def ended() -> str | None:
            death = self._death()
            return None if death is None else death.reason

        await_serving(ports.plain, self._options.timeout, ended)
