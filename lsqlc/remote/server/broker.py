"""A Kafka broker: one JVM on the loopback, started and ended with the work that needs it.

It is a node of KRaft, broker and controller at once, and serves in about two seconds. A watchdog process ends it if
lsqlc dies (`watchdog`); `detached` starts one that stays.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
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
from lsqlc.remote.server.watched import Watched

# Seconds that a broker whose owner was killed a moment ago may take to end.
_GONE_WITHIN = 20.0


class Broker(Watched):
    """A context manager: the broker serves inside the `with`, and is gone after it.

    `folder`: its topics (`data/`), settings and log (`broker.log`); made if absent. What is there already is used: a
    broker that was stopped or killed goes on over its folder. `environment`: looked up for Java, for the cache and for
    where jars come from, and passed on. `port`: 0 takes a free one, which later starts keep. `users`: passwords by
    name; there is a second listener then, with SASL_PLAINTEXT and the mechanism PLAIN, at `sasl_bootstrap`, where a
    user may do what an ACL allows, while whoever comes to `bootstrap` may do everything. `certificate`: there is one
    with SASL_SSL and the mechanism SCRAM-SHA-512 at `tls_bootstrap`, whose users are made at `bootstrap`; ACLs hold for
    them as well. `memory`: the heap, as Java takes it. `settings` go over those of `broker_settings`. `timeout`:
    seconds to wait for it to serve. `say`: is given words for people where jars have to be fetched.

    Entering raises LsqlcError: LSQ650 no Java, LSQ099 no pyspark, LSQ700 to LSQ703 for its jars, LSQ704 port in use,
    LSQ705 it died or did not serve in time, with the end of its log, LSQ706 another broker runs over the folder.
    """

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        *,
        port: int = 0,
        users: Mapping[str, str] | None = None,
        certificate: Certificate | None = None,
        memory: str = "256m",
        settings: Mapping[str, str] | None = None,
        timeout: float = 90.0,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self.folder = folder.absolute()
        self.log = self.folder / LOG
        self._environment = dict(environment)
        self._wanted = port
        self._ports: Ports | None = None
        self._users = dict(users) if users is not None else None
        self._certificate = certificate
        self._memory = memory
        self._settings = dict(settings or {})
        self._timeout = timeout
        self._say = say

    @property
    def port(self) -> int:
        """The port of `bootstrap`; 0 before the broker was started."""
        return self._ports.plain if self._ports else 0

    @property
    def bootstrap(self) -> str:
        """The address for clients that do not say who they are, `host:port`."""
        return f"{HOST}:{self.port}"

    @property
    def sasl_bootstrap(self) -> str:
        """The address for users, `host:port`. Raises ValueError for a broker without users."""
        if self._ports is None or self._ports.sasl is None:
            raise ValueError("this broker has no users, or has not been started")
        return f"{HOST}:{self._ports.sasl}"

    @property
    def tls_bootstrap(self) -> str:
        """The address for users by TLS, `host:port`. Raises ValueError for a broker without a certificate."""
        if self._ports is None or self._ports.tls is None:
            raise ValueError("this broker has no certificate, or has not been started")
        return f"{HOST}:{self._ports.tls}"

    def start(self) -> None:
        """Start it and wait until it answers; over the same folder and on the same port, if it ran before. Raises as
        the class says; nothing is left running then. One that runs is left as it is.
        """
        if self.alive:
            return
        self.stop()
        command = java_command(self._environment, self._memory, self._say)
        for attempt in range(ATTEMPTS):
            # The port of the first start is that of all: clients know it.
            wanted = self._wanted or self.port
            if wanted and not is_free(wanted):
                raise port_in_use(wanted)
            plain, controller, sasl, tls = free_ports(4)
            if self._ports is not None:
                sasl, tls = self._ports.sasl or sasl, self._ports.tls or tls
            ports = Ports(
                wanted or plain,
                controller,
                None if self._users is None else sasl,
                None if self._certificate is None else tls,
            )
            text = server_properties(ports, self._users, self._settings, self._certificate)
            start = prepare(self.folder, text)
            try:
                with hold(self.folder, _GONE_WITHIN) as lock:
                    self._launch(
                        command, log=self.log, grace=GRACE, folder=self.folder, environment=self._environment, lock=lock
                    )
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

    def kill(self) -> None:
        """Kill it, as `kill -9` does, and wait until it has ended."""
        if self.alive:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self.stop()

    def _await_serving(self, ports: Ports) -> None:
        def ended() -> str | None:
            death = self._death()
            return None if death is None else death.reason

        await_serving(ports.plain, self._timeout, ended)
