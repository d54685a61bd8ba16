"""A Spark session for a command: on the server that a target names, or on an embedded one that ends with it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc.cli.project import STATE_FOLDER
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import LsqlcError
from lsqlc.project.profiles import Target, load_target

if TYPE_CHECKING:
    from lsqlc.remote.session import Address


@dataclass(frozen=True, slots=True)
class Opened:
    """A session and the server that it is on. Only `remote` knows pyspark, and so the session's type."""

    session: Any
    address: Address


def open_target(root: Path, name: str | None, environment: Mapping[str, str], *, default: bool = False) -> Target:
    """The target of that name. Without a name the embedded one, or with `default` the one that profiles.yml says.

    Raises LsqlcError with what is wrong in profiles.yml.
    """
    if name is None and not default:
        return Target("embedded")
    target, problems = load_target(root, name, environment)
    if target is None:
        raise LsqlcError(problems)
    return target


def topics_folder(root: Path, target: Target) -> Path:
    """Where the topics of a target lie; server and client see it under the same path."""
    return root / target.topics if target.topics else root / STATE_FOLDER / "topics"


def checkpoints_folder(root: Path, target: Target) -> Path:
    """Where the checkpoints of a target's queries lie."""
    return root / target.checkpoints if target.checkpoints else root / STATE_FOLDER / "checkpoints"


@contextmanager
def opened(sh: Shell, root: Path, target: Target, purpose: str, *, for_long: bool = False) -> Iterator[Opened]:
    """A session inside the `with`. `purpose` names the embedded server's work folder; `for_long`: it is to be used for
    more than some minutes.

    Raises LsqlcError as the server and `connect` do.
    """
    from lsqlc.remote.server import EmbeddedServer

    if target.type != "embedded":
        assert target.address is not None, "the profile's reader has seen to it"
        yield from _connected(target.address)
        return
    sh.say("starting the embedded Spark server ...")
    with EmbeddedServer(root / STATE_FOLDER / f"server-{purpose}", dict(os.environ), optimize=for_long) as server:
        yield from _connected(server.address)


def _connected(address: str) -> Iterator[Opened]:
    from lsqlc.remote.session import connect, parse_address

    session = connect(address)
    yield Opened(session, parse_address(address))
    # Not after an error: a lost server cannot be told goodbye.
    session.stop()
