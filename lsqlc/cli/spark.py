"""A Spark session for a command: on the server that a target names, or on an embedded one that ends with it."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lsqlc import __version__
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import LsqlcError
from lsqlc.diagnostics.extras import SPARK, require
from lsqlc.project.declared.target import Target

if TYPE_CHECKING:
    from lsqlc.lower.spark import Version
    from lsqlc.remote.run.stores import CheckpointStore
    from lsqlc.remote.session.session import Address
    from lsqlc.tasks.backlog import Fit
    from lsqlc.tasks.run_target import RunTarget
    from lsqlc.types.record import Topic


# The use of a session: models that run, cases, models that are staged beside those that run, or reading a state.
Purpose = Literal["run", "test", "deploy", "state"]
# Those that start no query of a model, beside whatever runs.
_ASIDE = ("test", "state")


@dataclass(frozen=True, slots=True)
class Opened:
    """A session and the server that it is on. Only `remote` knows pyspark, and so the session's type."""

    session: Any
    address: Address

    @property
    def version(self) -> Version:
        """The version of the server."""
        from lsqlc.remote.session.session import server_version

        return server_version(self.session.version)


def require_packages(target: Target, *modules: str) -> None:
    """Raise LsqlcError LSQ099 unless all packages are installed that running models on the target takes, and these."""
    require(*SPARK, *target.connector.packages, *modules)


@dataclass(frozen=True, slots=True)
class SessionUse:
    """The use of a session.

    `purpose`: names the embedded server's work folder, and decides which folders any other server must share, besides
    the `files` of these topics. `fit`: the size of a run, for a server of this machine; `queries`: about how many run
    on it. `stays`: the session gets ids of its own in its address, and is not closed on the server, unless the `with`
    ends in an error. `over_topics`: those of a test read the topics of the target too; `slots`: the tasks that an
    embedded server must run at the same time.
    """

    purpose: Purpose
    files: Sequence[Topic] = ()
    queries: int = 0
    stays: bool = False
    over_topics: bool = False
    fit: Callable[[], Fit] | None = None
    slots: Callable[[], int] = lambda: 0


@dataclass(frozen=True, slots=True)
class _Server:
    """A server to connect to. `shared`: the folders that it must see as well, by their contents; `files`: topics of
    files in the project, which it must see too; `settings`, `python`: see `connect`.
    """

    address: str
    shared: Mapping[str, Path] = field(default_factory=dict)
    files: Sequence[Topic] = ()
    stays: bool = False
    settings: Mapping[str, str] | None = None
    python: bool = True


@contextmanager
def opened_store(sh: Shell, place: RunTarget) -> Iterator[CheckpointStore]:
    """Return the checkpoints of a target inside the `with`, with their own session if they are at an address. Raises
    LsqlcError as `opened`.
    """
    if isinstance(place.checkpoints, Path):
        yield place.store()
    else:
        with opened(sh, place, SessionUse("run")) as spark:
            yield place.store(spark.session)


@contextmanager
def opened(sh: Shell, place: RunTarget, use: SessionUse) -> Iterator[Opened]:
    """Return a session inside the `with`.

    Raises LsqlcError as the server, `connect`, `check_visible` and `check_files` do.
    """
    purpose = use.purpose
    require_packages(place.target)
    from lsqlc.remote.server.background_server import BackgroundServer, folder_of, use_server
    from lsqlc.remote.server.embedded import CORES, WIDE_SESSION, EmbeddedServer, ServerOptions, memory_for
    from lsqlc.remote.server.jars import jars
    from lsqlc.remote.session.spark_session import imported_meanwhile
    from lsqlc.tasks.backlog import Fit

    python = purpose != "state" and place.capabilities.needs_python
    if place.target.type != "embedded":
        assert place.target.address is not None, "the profile's reader checked it"
        shared = {
            what: folder for what, folder in place.shared.items() if purpose not in _ASIDE or what == "checkpoints"
        }
        yield from _connected(sh, place.root, _Server(place.target.address, shared, use.files, use.stays, None, python))
        return
    from lsqlc.cli.live import busy

    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    connector_jars = place.spark_connector.jars if purpose not in _ASIDE or use.over_topics else None
    jar_files = jars(connector_jars, os.environ, sh.say) if connector_jars else ()
    work, memory, alone = place.state / f"server-{purpose}", memory_for(use.queries, machine), purpose not in _ASIDE
    cores = max(CORES, use.slots())
    with ExitStack() as stack:
        background = stack.enter_context(
            use_server(
                folder_of(os.environ, __version__),
                int(memory.rstrip("m")),
                cores,
                kafka=bool(jar_files),
                alone=work if alone else None,
            )
        )
        if isinstance(background, str):
            sh.say(f"the Spark server of `lsqlc server` is not used: {background}")
        if isinstance(background, BackgroundServer):
            sh.say(f"using the Spark server of process {background.pid}, which `lsqlc server` has started")
            address, needs = background.address, (use.fit or Fit)()
        else:
            with busy(sh, "starting the embedded Spark server"):
                imported_meanwhile()
                needs = (use.fit or Fit)()
                options = ServerOptions(
                    memory=memory, optimize=needs.optimize, alone=alone, jars=jar_files, cores=cores,
                    python=python and purpose not in _ASIDE,
                )  # fmt: skip
                server = stack.enter_context(EmbeddedServer(work, dict(os.environ), options))
                address = server.address
        # In real time each partition of a shuffle takes a slot.
        settings = WIDE_SESSION if needs.wide and cores == CORES else {}
        yield from _connected(sh, place.root, _Server(address, settings=settings))


def _connected(sh: Shell, root: Path, server: _Server) -> Iterator[Opened]:
    """Return a session of a server. A server that is lost meanwhile is LSQ663. `root`: the folder of the project."""
    from lsqlc.cli.live import busy
    from lsqlc.remote.session.failures import is_lost, server_lost
    from lsqlc.remote.session.session import connect, parse_address, user_of, with_ids
    from lsqlc.remote.session.shared_folders import check_files, check_visible

    address = server.address
    if server.stays:
        address = with_ids(address, str(uuid.uuid4()), user_of(address, os.environ))
    place = parse_address(address)
    with busy(sh, "connecting to the Spark server", log=False):
        session = connect(address, settings=server.settings, python=server.python)
    is_done = False
    try:
        with busy(sh, "looking at the folders that the Spark server shares", log=False):
            for what, folder in server.shared.items():
                check_visible(session, folder, what, place.place)
            for topic in server.files:
                assert topic.files is not None
                check_files(session, root, topic.name, topic.files, place.place)
        yield Opened(session, place)
        # Not after an error: the server may be lost. One that is lost from here on is not an error.
        is_done = True
        if server.stays:
            session.client.close()
        else:
            session.stop()
    except Exception as error:
        if isinstance(error, LsqlcError) or not is_lost(error):
            raise
        if not is_done:
            raise LsqlcError([server_lost(place.place, place.host == "localhost")]) from None
